// SPDX-License-Identifier: Apache-2.0
// Rows of SMP nodes (W of their specification, section 13): round trips, schedules, and the
// sentences about Figures 3 to 5; at level Q unless they say level B.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <smp/smp_config.h>
#include <smp/smp_simulation.h>
#include <tributary/nic/interrupt_arbiter.h>
#include <tributary/sim/error.h>
#include <tributary/smp/smp_events.h>

#include "checks.h"
#include "family.h"

namespace tributary::validation {
namespace {

using rows_t = std::vector<planned_row>;
using sets_t = std::vector<std::string>;

constexpr const char* time_path = "machine.cycles";

// --- machines ------------------------------------------------------------------------------------

enum class manner { single, fixed, floating };

/// A machine of the microbenchmark.
struct micro {
  const char* protocol = "null";  ///< or "fetch", as the presets begin
  manner how = manner::fixed;
  int processors = 2;
  double utilisation = 0.3;
  int interrupt = 200;
};

/// `reading`: where the role is not fixed; `everywhere`: on all machines.
point at(const claims& smp, const micro& of, const sets_t& reading, const sets_t& everywhere,
         std::uint64_t seeds) {
  point made;
  made.platform = smp.platform();
  const char* const kind = of.how == manner::single ? "_overheads.json" : "_processors.json";
  made.preset = of.protocol + std::string(kind);
  made.of_series(of.how == manner::single  ? "Single"
                 : of.how == manner::fixed ? "Fixed"
                                           : "Floating");
  made.with(fmt::format("workload.requests.utilisation={:g}", of.utilisation));
  made.seeded(seeds);
  // Where the role is fixed, nothing depends on interrupts or readings (W36).
  const bool is_fixed = of.how == manner::fixed;
  made.with(fmt::format("node.costs.interrupt={}", is_fixed ? 200 : of.interrupt));
  if (of.how != manner::single) made.with(fmt::format("node.processors={}", of.processors));
  if (!is_fixed) made.with(reading);
  made.with(everywhere);
  return made;
}

/// Times of machines: first collects which a statement asks for, then answers it in that order.
class micro_times {
 public:
  micro_times(const claims& smp, sets_t reading, std::uint64_t seeds, sets_t everywhere = {})
      : smp_(&smp),
        reading_(std::move(reading)),
        everywhere_(std::move(everywhere)),
        seeds_(seeds) {}
  micro_times(const point_results& results, std::size_t from) : results_(&results), next_(from) {}

  double operator()(const micro& of) {
    if (results_ != nullptr) return (*results_)[next_++]->mean(time_path);
    points_.push_back(at(*smp_, of, reading_, everywhere_, seeds_));
    return 1;
  }
  const std::vector<point>& points() const { return points_; }

 private:
  const claims* smp_ = nullptr;
  sets_t reading_;
  sets_t everywhere_;
  std::uint64_t seeds_ = 1;
  std::vector<point> points_;
  const point_results* results_ = nullptr;
  std::size_t next_ = 0;
};

/// A number of a statement, out of times; it asks for the same machines whatever their times are.
using statement = std::function<double(micro_times&)>;

/// The paper does not say: all combinations of what `schedule_readings` leaves open.
std::vector<sets_t> all_readings() {
  static constexpr const char* names[] = {"resuming_keeps_role", "leaves_full_queue",
                                          "previous_first", "drains"};
  std::vector<sets_t> all;
  for (unsigned bits = 0; bits < 16; ++bits) {
    sets_t reading;
    for (unsigned i = 0; i < 4; ++i) {
      reading.push_back(
          fmt::format("node.readings.{}={}", names[i], (bits >> i & 1) != 0 ? "true" : "false"));
    }
    all.push_back(std::move(reading));
  }
  return all;
}

/// The row of a statement, and in how many of the readings it holds.
void add_statement(const claims& smp, const std::string& id, const statement& number, rows_t& rows,
                   const sets_t& everywhere = {}) {
  constexpr std::uint64_t seeds = 3;
  const family claim = smp[id];
  planned_row row = claim.row();
  micro_times asked(smp, {}, seeds, everywhere);
  number(asked);
  row.points = asked.points();
  row.measure = [number](const point_results& found) {
    micro_times times(found, 0);
    return number(times);
  };
  planned_row readings = claim.row();
  readings.shape.id = "smp.readings" + id.substr(std::string("smp").size());
  readings.shape.kind = row_kind::regression;
  readings.shape.what = fmt::format("Of the 16 readings of schedules, those in which {} holds", id);
  readings.shape.unit = "readings";
  readings.shape.expected = {};
  readings.shape.expected.judged = false;
  readings.shape.origin.clear();
  readings.only_full = true;
  for (const sets_t& each : all_readings()) {
    micro_times of_reading(smp, each, 1, everywhere);
    number(of_reading);
    readings.points.insert(readings.points.end(), of_reading.points().begin(),
                           of_reading.points().end());
  }
  readings.measure = [number, expected = row.shape.expected](const point_results& found) {
    const std::size_t a_reading = found.size() / 16;
    int holds = 0;
    for (std::size_t i = 0; i < 16; ++i) {
      micro_times times(found, i * a_reading);
      if (expected.holds(number(times))) ++holds;
    }
    return static_cast<double>(holds);
  };
  rows.push_back(std::move(row));
  rows.push_back(std::move(readings));
}

// --- Figure 3: one and two processors ------------------------------------------------------------

const std::vector<double> utilisations{0.02, 0.05, 0.1, 0.2, 0.3, 0.4,
                                       0.5,  0.6,  0.7, 0.8, 0.9, 0.95};

/// Time by that of Fixed with two processors.
double by_fixed(micro_times& time, const char* protocol, manner how, double utilisation,
                int interrupt) {
  const double own = time({protocol, how, 2, utilisation, interrupt});
  return own / time({protocol, manner::fixed, 2, utilisation, interrupt});
}

std::vector<double> curve(micro_times& time, const char* protocol, manner how, int interrupt,
                          const std::vector<double>& at = utilisations) {
  std::vector<double> values;
  for (const double each : at) values.push_back(by_fixed(time, protocol, how, each, interrupt));
  return values;
}

double greatest(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}
double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

/// How often a value is not above the one before.
double falls(const std::vector<double>& values) {
  double count = 0;
  for (std::size_t i = 1; i < values.size(); ++i) count += values[i] <= values[i - 1] ? 1 : 0;
  return count;
}

void add_figure_3(const claims& smp, rows_t& rows) {
  const auto add = [&](const char* id, const statement& number) {
    add_statement(smp, id, number, rows);
  };
  add("smp.M1", [](micro_times& time) {
    return falls(curve(time, "null", manner::single, 200, {0.3, 0.5, 0.7, 0.9}));
  });
  add("smp.M2", [](micro_times& time) {
    const std::vector<double> all = curve(time, "null", manner::single, 200);
    return all.front() / greatest(all);
  });
  add("smp.M3", [](micro_times& time) {
    const double costly = by_fixed(time, "null", manner::single, 0.5, 2000);
    return costly / by_fixed(time, "null", manner::single, 0.5, 200);
  });
  add("smp.W9.peak", [](micro_times& time) {
    const std::vector<double> all = curve(time, "null", manner::single, 2000);
    return utilisations[static_cast<std::size_t>(std::max_element(all.begin(), all.end()) -
                                                 all.begin())];
  });
  add("smp.W9.left", [](micro_times& time) {
    const std::vector<double> all = curve(time, "null", manner::single, 2000);
    return all[1] / greatest(all);
  });
  add("smp.W10.least", [](micro_times& time) {
    return least(curve(time, "null", manner::floating, 2000, {0.05, 0.1, 0.2, 0.3}));
  });
  add("smp.W10.greatest", [](micro_times& time) {
    return greatest(curve(time, "null", manner::floating, 2000, {0.05, 0.1, 0.2, 0.3}));
  });
  add("smp.W10.slower",
      [](micro_times& time) { return by_fixed(time, "null", manner::floating, 0.02, 2000); });
  add("smp.W11", [](micro_times& time) {
    return greatest(curve(time, "null", manner::floating, 200, {0.5, 0.7, 0.9}));
  });
  for (const int interrupt : {200, 2000}) {
    add(interrupt == 200 ? "smp.W12.200" : "smp.W12.2000", [interrupt](micro_times& time) {
      const double fetch = greatest(curve(time, "fetch", manner::single, interrupt));
      return fetch / greatest(curve(time, "null", manner::single, interrupt));
    });
  }
  add("smp.W14",
      [](micro_times& time) { return greatest(curve(time, "fetch", manner::floating, 200)); });
}

// --- Figure 4: many processors -------------------------------------------------------------------

const std::vector<int> sizes{2, 3, 4, 5, 6, 8, 10, 12};

std::vector<double> by_size(micro_times& time, const char* protocol, double utilisation,
                            const std::vector<int>& processors = sizes) {
  std::vector<double> values;
  for (const int each : processors) {
    const double floating = time({protocol, manner::floating, each, utilisation, 200});
    values.push_back(floating / time({protocol, manner::fixed, each, utilisation, 200}));
  }
  return values;
}

/// The fewest processors that reach 95 % of the greatest throughput.
double saturated_from(micro_times& time, manner how) {
  std::vector<double> throughput;
  for (const int each : sizes) throughput.push_back(1 / time({"null", how, each, 0.1, 200}));
  const double enough = 0.95 * greatest(throughput);
  const auto found = std::find_if(throughput.begin(), throughput.end(),
                                  [enough](double each) { return each >= enough; });
  return sizes[static_cast<std::size_t>(found - throughput.begin())];
}

void add_figure_4(const claims& smp, rows_t& rows) {
  const auto add = [&](const char* id, const statement& number) {
    add_statement(smp, id, number, rows);
  };
  add("smp.M9.two", [](micro_times& time) { return by_size(time, "null", 0.3, {2}).front(); });
  add("smp.M9.more", [](micro_times& time) {
    return least(by_size(time, "null", 0.3, {4, 6, 8}));
  });
  add("smp.M9.saturates", [](micro_times& time) {
    const std::vector<double> last = by_size(time, "null", 0.3, {10, 12});
    return std::abs(last[1] / last[0] - 1);
  });
  for (const int size : {8, 10, 12}) {
    add_statement(
        smp, fmt::format("smp.W15.{}", size),
        [size](micro_times& time) { return by_size(time, "null", 0.1, {size}).front(); }, rows);
    add_statement(
        smp, fmt::format("smp.W16.{}", size),
        [size](micro_times& time) { return by_size(time, "fetch", 0.1, {size}).front(); }, rows);
  }
  add("smp.M13.two", [](micro_times& time) { return by_size(time, "fetch", 0.1, {2}).front(); });
  add("smp.M13.three", [](micro_times& time) { return by_size(time, "fetch", 0.1, {3}).front(); });
  add("smp.W18", [](micro_times& time) {
    const double fixed = saturated_from(time, manner::fixed);
    return saturated_from(time, manner::floating) - fixed;
  });
  add("smp.W19", [](micro_times& time) { return falls(by_size(time, "null", 0.9)); });
}

// --- level B -------------------------------------------------------------------------------------

constexpr double requests_on_bus = 2000;

sets_t on_bus() {
  return {"node.level=bus", fmt::format("workload.requests.requests={:g}", requests_on_bus)};
}

/// Of 12 processors that hardly compute, what a handler takes longer under Floating, in cycles.
double overhead_of_handler(const char* protocol, micro_times& time) {
  const double floating = time({protocol, manner::floating, 12, 0.1, 200});
  return (floating - time({protocol, manner::fixed, 12, 0.1, 200})) / requests_on_bus / 3;
}

void add_level_b(const claims& smp, rows_t& rows) {
  const auto add = [&](const std::string& id, const statement& number) {
    add_statement(smp, id, number, rows, on_bus());
  };
  add("smp.W13", [](micro_times& time) {
    return by_fixed(time, "fetch", manner::single, utilisations.front(), 200);
  });
  add("smp.W13.none",
      [](micro_times& time) { return by_fixed(time, "fetch", manner::single, 0, 200); });
  for (const int size : {8, 10, 12}) {
    add(fmt::format("smp.W15.bus.{}", size),
        [size](micro_times& time) { return by_size(time, "null", 0.1, {size}).front(); });
    add(fmt::format("smp.W16.bus.{}", size),
        [size](micro_times& time) { return by_size(time, "fetch", 0.1, {size}).front(); });
  }
  for (const char* const protocol : {"null", "fetch"}) {
    add(std::string("smp.W34.") + protocol,
        [protocol](micro_times& time) { return overhead_of_handler(protocol, time); });
  }
}

/// Level B's number by that of level Q, at a point of Figures 3 and 4.
void add_levels(const claims& smp, const std::string& id, const statement& number, rows_t& rows) {
  planned_row row = smp["smp.levels." + id.substr(0, id.find('.'))].row();
  row.shape.id = "smp.levels." + id;
  row.shape.what += " (" + id + ")";
  row.only_full = true;
  for (const sets_t& level : {sets_t{}, on_bus()}) {
    micro_times asked(smp, {}, 3, level);
    number(asked);
    row.points.insert(row.points.end(), asked.points().begin(), asked.points().end());
  }
  row.measure = [number](const point_results& found) {
    micro_times constants(found, 0);
    micro_times bus(found, found.size() / 2);
    const double q = number(constants);
    return number(bus) / q;
  };
  rows.push_back(std::move(row));
}

void add_all_levels(const claims& smp, rows_t& rows) {
  for (const char* const protocol : {"null", "fetch"}) {
    for (const double u : {0.02, 0.1, 0.3, 0.5, 0.7, 0.9}) {
      for (const int interrupt : {200, 2000}) {
        for (const auto& [name, how] : {std::pair<const char*, manner>{"single", manner::single},
                                        {"floating", manner::floating}}) {
          add_levels(
              smp, fmt::format("{}.{}.{}.{}", protocol, name, interrupt, id_text(u)),
              [=, h = how](micro_times& time) { return by_fixed(time, protocol, h, u, interrupt); },
              rows);
        }
      }
    }
    for (const int size : {3, 4, 8, 12}) {
      for (const double u : {0.1, 0.5}) {
        add_levels(
            smp, fmt::format("{}.size.{}.{}", protocol, size, id_text(u)),
            [=](micro_times& time) { return by_size(time, protocol, u, {size}).front(); }, rows);
      }
    }
  }
}

// --- Figure 5: what pays -------------------------------------------------------------------------

const std::vector<int> bought{2, 3, 4, 5, 6, 8, 10};

double cost(const char* protocol, manner how, int processors, double utilisation,
            micro_times& time) {
  const double alone = time({protocol, manner::single, 1, utilisation, 200});
  return (1 + 0.3 * (processors - 1)) * time({protocol, how, processors, utilisation, 200}) / alone;
}

double least_cost(const char* protocol, manner how, double utilisation, micro_times& time) {
  std::vector<double> all;
  for (const int each : bought) all.push_back(cost(protocol, how, each, utilisation, time));
  return least(all);
}

void add_figure_5(const claims& smp, rows_t& rows) {
  for (const double utilisation : {0.3, 0.7}) {
    const std::string at = id_text(utilisation);
    const auto add = [&](const std::string& id, const statement& number) {
      add_statement(smp, id + "." + at, number, rows);
    };
    for (const auto& [check, protocol] :
         {std::pair<std::string, const char*>{"smp.W20", "null"}, {"smp.W22", "fetch"}}) {
      add(check + ".protocol", [=, p = protocol](micro_times& time) {
        return cost(p, manner::fixed, 2, utilisation, time);
      });
      add(check + ".computing", [=, p = protocol](micro_times& time) {
        return cost(p, manner::floating, 2, utilisation, time);
      });
    }
    add("smp.W20.better", [=](micro_times& time) {
      const double computing = cost("null", manner::floating, 2, utilisation, time);
      return computing / cost("null", manner::fixed, 2, utilisation, time);
    });
    add("smp.W21", [=](micro_times& time) {
      const double fixed = least_cost("null", manner::fixed, utilisation, time);
      return fixed / least_cost("null", manner::floating, utilisation, time);
    });
    add("smp.W22.best", [=](micro_times& time) {
      const double floating = least_cost("fetch", manner::floating, utilisation, time);
      return floating / least_cost("fetch", manner::fixed, utilisation, time);
    });
  }
}

// --- the table of another model ------------------------------------------------------------------

/// Cells of Single in the specification's section 8, as a cross-check.
void add_cross_check(const claims& smp, rows_t& rows) {
  for (const std::string protocol : {"null", "fetch"}) {
    for (const int interrupt : {200, 2000}) {
      const family claim = smp[fmt::format("smp.model.{}.{}", protocol, interrupt)];
      const std::vector<double> at_utilisations = claim.numbers("utilisations");
      const std::vector<double> values = claim.numbers("values");
      for (std::size_t i = 0; i < values.size(); ++i) {
        planned_row row = claim.row_with(id_text(at_utilisations[i]), values[i]);
        const char* const name = protocol == "null" ? "null" : "fetch";
        micro_times asked(smp, {}, 3);
        by_fixed(asked, name, manner::single, at_utilisations[i], interrupt);
        row.points = asked.points();
        row.measure = [](const point_results& found) {
          return found[0]->mean(time_path) / found[1]->mean(time_path);
        };
        rows.push_back(std::move(row));
      }
    }
  }
}

// --- round trips and schedules -------------------------------------------------------------------

/// A machine to be watched, not of a run file.
smp_config watched_config(schedule_kind schedule, std::uint32_t processors, double utilisation,
                          request_protocol protocol = request_protocol::null_request) {
  smp_config config;
  config.protocol = protocol;
  config.machine.node.schedule = schedule;
  config.machine.node.processors = processors;
  config.machine.node.costs.variation.percent = 10;
  config.workload.requests.utilisation = utilisation;
  config.workload.requests.requests = 600;
  return config;
}

double run_to_the_end(smp_simulation& machine) {
  constexpr cycle_t patience = 1'000'000'000;
  machine.run_until(patience);
  if (!machine.finished()) throw error("a machine of SMP nodes does not end");
  return static_cast<double>(machine.now());
}

/// Of another node, in the memory that nodes share.
request_place shared_block() {
  request_place place;
  place.space = 0;
  return place;
}

double round_trip(request_protocol protocol) {
  smp_config config = watched_config(schedule_kind::fixed, 2, 0, protocol);
  config.machine.node.costs.variation.percent = 0;
  config.workload.requests.requests = 1;
  smp_simulation machine =
      protocol == request_protocol::stache
          ? smp_simulation(config, 1, make_request_loop(config.workload.requests, shared_block()))
          : smp_simulation(config, 1);
  run_to_the_end(machine);
  return machine.statistics().find("node.0.role.round_trip.mean");
}

/// Of the fourth request of one processor, when the caches have what handlers keep of its block.
double round_trip_on_bus(request_protocol protocol) {
  smp_config config = watched_config(schedule_kind::fixed, 2, 0, protocol);
  config.machine.node.level = node_level::bus;
  config.machine.node.costs.variation.percent = 0;
  cycle_t took = 0;
  smp_simulation machine(
      config, 1, make_program([&](program_context& context) {
        if (context.rank() != 0) return;
        const address_layout& addresses = config.machine.node.addresses;
        const std::uint8_t space = protocol == request_protocol::stache ? 0 : 1;
        for (std::uint64_t i = 0; i < 4; ++i) {
          context.delay(1000);
          const cycle_t since = context.now();
          context.load(addresses.address_of(node_id{1}, space, i * 128));
          if (protocol == request_protocol::fetch_block) {
            const std::uint64_t replies = config.segment_bytes;  // behind what can be fetched
            for (std::uint64_t at = 0; at < 128; at += config.machine.node.bus.line_bytes) {
              context.load(addresses.address_of(node_id{0}, 0, replies + at));
            }
          }
          took = context.now() - since;
        }
      }));
  run_to_the_end(machine);
  return static_cast<double>(took);
}

/// Transactions on the bus for so many polls of the count of arrivals, while nothing arrives.
double transactions_of_polls(int polls) {
  smp_config config = watched_config(schedule_kind::fixed, 2, 0);
  config.machine.node.level = node_level::bus;
  std::uint64_t flag = 0;
  smp_simulation machine(config, 1, make_program([&](program_context& context) {
                           const std::uint64_t at =
                               config.machine.node.addresses.address_of(context.node(), 0, flag);
                           for (int i = 0; i < polls; ++i) context.load(at);
                         }));
  flag = machine.machine().node(0).on_bus()->flags().arrivals();
  run_to_the_end(machine);
  const statistics_tree counts = machine.statistics();
  double sum = 0;
  for (std::size_t i = 0; i < bus_transaction_count; ++i) {
    sum += counts.find(std::string("node.0.bus.transactions.") +
                       name_of(static_cast<bus_transaction>(i)));
  }
  return sum;
}

/// Of events, the stretches of each processor of each node.
class duty_watch final : public observer<trace_event> {
 public:
  explicit duty_watch(smp_simulation& machine) : machine_(machine) {
    machine_.machine().catalog();
    machine_.machine().observers().attach(*this);
    run_to_the_end(machine_);
    machine_.machine().observers().detach(*this);
  }

  void on_event(const trace_event& event) override { events_.push_back(event); }

  /// Handlers that ran while another one of their node did.
  double overlaps() const {
    double count = 0;
    for (std::size_t node = 0; node < machine_.machine().size(); ++node) {
      std::vector<trace_event> handled = of(node, smp_events::handled);
      std::sort(handled.begin(), handled.end(),
                [](const trace_event& x, const trace_event& y) { return x.cycle < y.cycle; });
      for (std::size_t i = 1; i < handled.size(); ++i) {
        if (handled[i].cycle <= handled[i - 1].last) ++count;
      }
    }
    return count;
  }

  /// Interrupts that were sent while a processor of the node acted or had nothing to compute.
  double needless_interrupts() const {
    double count = 0;
    for (std::size_t node = 0; node < machine_.machine().size(); ++node) {
      for (const trace_event& sent : of_duty(node, processor_duty::interrupted)) {
        if (is_somebody_free(node, sent)) ++count;
      }
    }
    return count;
  }

 private:
  std::vector<trace_event> of(std::size_t node, const event_kind& kind) const {
    std::vector<trace_event> found;
    for (const trace_event& each : events_) {
      if (each.kind != &kind) continue;
      const smp_node& at = machine_.machine().node(node);
      for (std::uint32_t i = 0; i < at.config().processors; ++i) {
        if (each.track == at.track(i)) found.push_back(each);
      }
    }
    return found;
  }
  std::vector<trace_event> of_duty(std::size_t node, processor_duty duty) const {
    return of(node, smp_events::duties[static_cast<std::size_t>(duty)]);
  }

  bool is_somebody_free(std::size_t node, const trace_event& sent) const {
    for (const processor_duty duty :
         {processor_duty::waiting, processor_duty::resting, processor_duty::serving_own,
          processor_duty::serving_drafted, processor_duty::serving_resting}) {
      for (const trace_event& each : of_duty(node, duty)) {
        const bool is_then = each.cycle < sent.cycle && sent.cycle <= each.last;
        if (is_then && each.track != sent.track) return true;
      }
    }
    return false;
  }

  smp_simulation& machine_;
  std::vector<trace_event> events_;
};

double over_all_schedules(double (duty_watch::*number)() const) {
  double sum = 0;
  for (const auto& [schedule, processors] :
       {std::pair<schedule_kind, std::uint32_t>{schedule_kind::fixed, 3},
        {schedule_kind::floating, 2},
        {schedule_kind::floating, 5},
        {schedule_kind::single, 1}}) {
    for (const double utilisation : {0.1, 0.5, 0.9}) {
      smp_simulation machine(watched_config(schedule, processors, utilisation), 1);
      sum += (duty_watch(machine).*number)();
    }
  }
  return sum;
}

double interrupts_under_fixed() {
  double sum = 0;
  for (const double utilisation : {0.0, 0.3, 0.9}) {
    smp_simulation machine(watched_config(schedule_kind::fixed, 3, utilisation), 1);
    run_to_the_end(machine);
    for (const char* node : {"node.0", "node.1"}) {
      sum += machine.statistics().find(std::string(node) + ".role.interrupts");
    }
  }
  return sum;
}

/// By how many cycles interrupts of 20,000 cycles change what the fixed schedule takes.
double interrupts_change_fixed() {
  smp_config config = watched_config(schedule_kind::fixed, 3, 0.3);
  smp_simulation cheap(config, 1);
  config.machine.node.costs.interrupt = 20000;
  smp_simulation costly(config, 1);
  return run_to_the_end(costly) - run_to_the_end(cheap);
}

/// Of 5 processors that all compute, the greatest difference between their interrupts.
double uneven_interrupts() {
  constexpr std::uint32_t processors = 5;
  std::vector<int> given(processors);
  interrupt_arbiter arbiter(processors, 0);
  for (int i = 0; i < 1000; ++i) ++given[*arbiter.choose([](std::uint32_t) { return true; })];
  return *std::max_element(given.begin(), given.end()) -
         *std::min_element(given.begin(), given.end());
}

planned_row measured_alone(const family& claim, const std::function<double()>& number) {
  planned_row row = claim.row();
  row.shape.configuration = json_value::make_object();
  row.measure = [number](const point_results&) { return number(); };
  return row;
}

rows_t schedule_rows(const claims& smp) {
  rows_t rows;
  const auto add = [&](const char* id, const std::function<double()>& number) {
    rows.push_back(measured_alone(smp[id], number));
  };
  add("smp.W1.null", [] { return round_trip(request_protocol::null_request); });
  add("smp.W1.fetch", [] { return round_trip(request_protocol::fetch_block); });
  add("smp.W1.stache", [] { return round_trip(request_protocol::stache); });
  add("smp.W1.bus.null", [] { return round_trip_on_bus(request_protocol::null_request); });
  add("smp.W1.bus.fetch", [] { return round_trip_on_bus(request_protocol::fetch_block); });
  add("smp.W1.bus.stache", [] { return round_trip_on_bus(request_protocol::stache); });
  add("smp.W33", [] { return transactions_of_polls(1000) - transactions_of_polls(1); });
  add("smp.W3.two", [] { return watched_config(schedule_kind::fixed, 2, 0).costup(); });
  add("smp.W3.five", [] { return watched_config(schedule_kind::fixed, 5, 0).costup(); });
  add("smp.W4", [] { return over_all_schedules(&duty_watch::overlaps); });
  add("smp.W5", interrupts_under_fixed);
  add("smp.W7", [] { return over_all_schedules(&duty_watch::needless_interrupts); });
  add("smp.W8", uneven_interrupts);
  add("smp.W36", interrupts_change_fixed);
  return rows;
}

/// C(U), in cycles.
rows_t computing_rows(const claims& smp) {
  rows_t rows;
  for (const auto& [name, round_trip] :
       {std::pair<const char*, std::uint64_t>{"null", 600}, {"stache", 900}, {"fetch", 1600}}) {
    const family claim = smp[std::string("smp.W2.") + name];
    const std::vector<double> at_utilisations = claim.numbers("utilisations");
    const std::vector<double> values = claim.numbers("values");
    for (std::size_t i = 0; i < values.size(); ++i) {
      planned_row row = claim.row_with(id_text(at_utilisations[i]), values[i]);
      row.shape.configuration = json_value::make_object();
      row.measure = [trip = round_trip, u = at_utilisations[i]](const point_results&) {
        request_loop_config config;
        config.utilisation = u;
        return static_cast<double>(config.mean_computing(trip)) / 65536;
      };
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace

rows_t smp_checks(const claims& smp) {
  rows_t rows = schedule_rows(smp);
  for (planned_row& each : computing_rows(smp)) rows.push_back(std::move(each));
  add_figure_3(smp, rows);
  add_figure_4(smp, rows);
  add_level_b(smp, rows);
  add_all_levels(smp, rows);
  add_figure_5(smp, rows);
  for (planned_row& each : smp_application_checks(smp)) rows.push_back(std::move(each));
  add_cross_check(smp, rows);
  return rows;
}

}  // namespace tributary::validation
