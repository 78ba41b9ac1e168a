// SPDX-License-Identifier: Apache-2.0
// Random machines of SMP nodes under every schedule and reading: who acts, who is interrupted, and
// that everything is answered, as their traces and statistics tell it. What the checks look for is
// put into such a record, or into a machine, and must be found. The long form, 20000 machines, is
// smp_schedule_long.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <smp/smp_simulation.h>
#include <tributary/sim/error.h>
#include <tributary/smp/smp_events.h>
#include <tributary/trace/catalog.h>

#include <support/failure.h>
#include <support/random_choice.h>
#include <support/sizes.h>
#include <support/smp_programs.h>

namespace tributary {
namespace {

using testing::between;
using testing::one_of;

// --- random machines -----------------------------------------------------------------------------

schedule_readings readings_of(std::uint64_t number) {
  schedule_readings readings;
  readings.resuming_keeps_role = (number & 1) != 0;
  readings.leaves_full_queue = (number & 2) != 0;
  readings.previous_first = (number & 4) != 0;
  readings.drains = (number & 8) != 0;
  return readings;
}

/// Every reading comes after 16 numbers, every schedule after 3.
struct random_machine {
  explicit random_machine(std::uint64_t number, node_level level = node_level::constants)
      : seed(number) {
    random_stream draws(number, 21U, 3U);
    smp_node_config& node = config.machine.node;
    node.schedule = std::vector<schedule_kind>{schedule_kind::fixed, schedule_kind::floating,
                                               schedule_kind::single}[number % 3];
    node.processors = node.schedule == schedule_kind::single
                          ? 1
                          : between(draws, node.schedule == schedule_kind::fixed ? 2 : 1, 10);
    node.readings = readings_of(number);
    node.memory.bytes = std::uint64_t{1} << 16;
    node.protocol_bytes = std::uint64_t{1} << 14;
    node.masked_interrupts =
        draws.below(4) == 0 ? between(draws, 0, (1U << node.processors) - 2) : 0;
    config.machine.nodes = between(draws, 2, 4);
    config.segment_bytes = 1024;
    config.protocol =
        one_of(draws, {request_protocol::null_request, request_protocol::fetch_block});
    draw_costs(draws);
    message_network_config& network = config.machine.network;
    network.base_latency = one_of(draws, {2U, 20U, 99U, 99U, 1000U});
    network.bandwidth = one_of(draws, {400U, 100000U, 100000U});
    network.endpoint_buffers = one_of(draws, {1U, 2U, 1024U});
    config.workload.requests.requests = between(draws, 1, 60);
    config.workload.requests.utilisation = one_of(draws, {0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95});
    if (level == node_level::bus) put_on_bus(draws);
  }

  /// With caches that are too small for the segments, and queues that fill.
  void put_on_bus(random_stream& draws) {
    smp_node_config& node = config.machine.node;
    node.level = node_level::bus;
    config.workload.requests.requests = between(draws, 1, 20);
    node.caches.levels[0].bytes = one_of<std::uint64_t>(draws, {256, 1024, 4096});
    node.caches.outstanding = one_of(draws, {1U, 4U});
    node.interface.depth = one_of(draws, {1U, 2U, 16U});
    config.machine.network.router_buffers = one_of(draws, {1U, 1024U});
    node.bus.outstanding = one_of(draws, {1U, 8U});
    node.bus.uncached = one_of(draws, {1U, 4U});
    node.bus.write_backs = one_of(draws, {1U, 2U});
    node.bus.ratio = one_of(draws, {1U, 2U, 3U});
    config.workload.requests.touch_cycles = one_of<std::uint64_t>(draws, {3, 10, 50});
    bus_costs& costs = config.costs.bus;
    costs.acquire = one_of(draws, {0U, 20U});
    costs.activation = one_of(draws, {0U, 50U});
    for (round_trip_costs* each : {&costs.null_request, &costs.fetch_block}) {
      each->submit = between(draws, 0, 100);
      each->handlers = {between(draws, 0, 100), between(draws, 0, 100), between(draws, 0, 100)};
    }
  }

  void draw_costs(random_stream& draws) {
    schedule_costs& costs = config.machine.node.costs;
    costs.interrupt = one_of(draws, {2U, 3U, 200U, 200U, 2000U});
    costs.delivery_percent = one_of(draws, {0U, 50U, 100U});
    costs.acquire = one_of(draws, {0U, 1U, 100U});
    costs.activation = one_of(draws, {0U, 50U});
    costs.migration = one_of(draws, {0U, 30U});
    costs.variation.percent = one_of(draws, {0U, 10U, 99U});
    for (round_trip_costs* each : {&config.costs.null_request, &config.costs.fetch_block}) {
      each->submit = between(draws, 0, 200);
      each->resume = between(draws, 1, 200);
      each->handlers = {between(draws, 0, 300), between(draws, 0, 300), between(draws, 0, 300)};
    }
  }

  std::string text() const {
    const smp_node_config& node = config.machine.node;
    const std::string level = node.level == node_level::bus ? ", on a bus, " : ", ";
    return "machine " + std::to_string(seed) + level + name_of(node.schedule) + ", " +
           std::to_string(config.machine.nodes) + " nodes of " + std::to_string(node.processors);
  }

  std::uint64_t seed;
  smp_config config;
};

// --- what a run leaves ---------------------------------------------------------------------------

/// A processor was at something, or ran a handler, from a cycle to another one.
struct span {
  cycle_t from = 0;
  cycle_t last = 0;
  processor_duty duty = processor_duty::computing;
};

struct processor_record {
  std::vector<span> duties;
  std::vector<span> handlers;
  std::uint64_t interrupts = 0;
  std::vector<std::uint64_t> counted;  ///< cycles by duty, as statistics have them
};

struct node_record {
  std::vector<processor_record> processors;
  std::map<std::string, std::uint64_t> role;  ///< its statistics
  std::uint64_t requests = 0;                 ///< that programs made
};

struct run_record {
  schedule_kind schedule = schedule_kind::fixed;
  std::vector<node_record> nodes;
  cycle_t cycles = 0;
  std::string statistics;
  bool finished = false;
};

class span_observer final : public observer<trace_event> {
 public:
  explicit span_observer(smp_nodes& machine) : machine_(machine) {
    machine_.observers().attach(*this);
  }
  ~span_observer() override { machine_.observers().detach(*this); }

  void on_event(const trace_event& event) override { events_.push_back(event); }

  void add_to(run_record& run) const {
    std::map<track_id, processor_record*> tracks;
    for (std::uint32_t i = 0; i < run.nodes.size(); ++i) {
      for (std::uint32_t p = 0; p < run.nodes[i].processors.size(); ++p) {
        tracks[machine_.node(i).track(p)] = &run.nodes[i].processors[p];
      }
    }
    for (const trace_event& event : events_) {
      const auto found = tracks.find(event.track);
      if (found == tracks.end()) continue;
      if (event.kind == &smp_events::handled) {
        found->second->handlers.push_back({event.cycle, event.last, {}});
        continue;
      }
      const auto duty = static_cast<processor_duty>(event.kind - smp_events::duties.data());
      found->second->duties.push_back({event.cycle, event.last, duty});
    }
    // What it is at when the run ends.
    for (std::uint32_t i = 0; i < run.nodes.size(); ++i) {
      for (std::uint32_t p = 0; p < run.nodes[i].processors.size(); ++p) {
        std::vector<span>& duties = run.nodes[i].processors[p].duties;
        const cycle_t from = duties.empty() ? 0 : duties.back().last + 1;
        if (from <= run.cycles) {
          duties.push_back({from, run.cycles, machine_.node(i).role().duties().duty(p)});
        }
      }
    }
  }

 private:
  smp_nodes& machine_;
  std::vector<trace_event> events_;
};

void add_statistics(const statistics_tree& tree, run_record& run) {
  std::map<std::string, std::uint64_t> all;
  for (const flat_statistic& each : tree.flatten()) {
    if (each.value >= 0) all[each.path] = static_cast<std::uint64_t>(each.value);
  }
  for (std::size_t i = 0; i < run.nodes.size(); ++i) {
    node_record& node = run.nodes[i];
    const std::string below = "node." + std::to_string(i);
    for (const char* each : {"interrupts", "withdrawn", "in_vain", "taken", "moved", "handlers",
                             "round_trip.count", "wait.count"}) {
      node.role[each] = all.at(below + ".role." + each);
    }
    node.requests = all.at(below + ".processors.requests");
    for (std::size_t p = 0; p < node.processors.size(); ++p) {
      const std::string own = below + ".role.processor." + std::to_string(p) + ".";
      node.processors[p].interrupts = all.at(own + "interrupts");
      for (std::size_t duty = 0; duty < processor_duties; ++duty) {
        node.processors[p].counted.push_back(
            all.at(own + name_of(static_cast<processor_duty>(duty))));
      }
    }
  }
}

constexpr cycle_t patience = 100'000'000;

run_record run_of(const smp_config& config, std::uint64_t seed) {
  smp_simulation machine(config, seed);
  const span_observer spans(machine.machine());
  machine.run_until(patience);
  run_record run;
  run.schedule = config.machine.node.schedule;
  run.nodes.resize(config.machine.nodes);
  for (node_record& each : run.nodes) each.processors.resize(config.machine.node.processors);
  run.cycles = machine.now();
  run.finished = machine.finished();
  spans.add_to(run);
  const statistics_tree tree = machine.statistics();
  add_statistics(tree, run);
  run.statistics = tree.to_json_text();
  return run;
}

/// The statistics of a run that was saved in the middle and went on in another machine.
std::string resumed_statistics(const smp_config& config, std::uint64_t seed, cycle_t when) {
  std::string state;
  {
    smp_simulation saved(config, seed);
    saved.run_until(when);
    state = saved.save();
  }
  smp_simulation resumed(config, seed);
  resumed.restore(state);
  resumed.run_until(patience);
  return resumed.statistics().to_json_text();
}

// --- what must hold ------------------------------------------------------------------------------

/// What is wrong, by the row of the specification's section 13 or a name.
using problems = std::set<std::string>;

bool is_idle_or_acts(processor_duty duty) {
  return acts(duty) || duty == processor_duty::waiting || duty == processor_duty::resting;
}

/// No two spans have a cycle in common.
bool overlap(std::vector<span> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const span& a, const span& b) { return a.from < b.from; });
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].from <= spans[i - 1].last) return true;
  }
  return false;
}

/// W4: at most one acts, and handlers run within its acting.
void check_acting(const node_record& node, problems& found) {
  std::vector<span> acting;
  std::vector<span> handlers;
  for (const processor_record& each : node.processors) {
    std::vector<span> own;
    for (const span& at : each.duties) {
      if (!acts(at.duty)) continue;
      acting.push_back(at);
      own.push_back(at);
    }
    for (const span& run : each.handlers) {
      const bool within = std::any_of(own.begin(), own.end(), [&](const span& at) {
        return at.from <= run.from && run.last <= at.last;
      });
      // One that takes no time ends in the cycle in which the acting ends.
      if (!within && run.from != run.last) found.insert("handler beside acting");
      if (run.from != run.last) handlers.push_back(run);
    }
  }
  if (overlap(acting)) found.insert("W4");
  if (overlap(handlers)) found.insert("two handlers");
}

/// W7: who is interrupted computed, and nobody waits, rests or acts.
void check_interrupts(const node_record& node, problems& found) {
  std::uint64_t unseen = 0;
  for (std::size_t p = 0; p < node.processors.size(); ++p) {
    const std::vector<span>& own = node.processors[p].duties;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i].duty != processor_duty::interrupted) continue;
      ++seen;
      // One that is back is interrupted in the same cycle if something waits; to resume may take
      // no time. These programs rest when they have ended.
      if (i != 0 && own[i - 1].duty == processor_duty::resting) found.insert("W7 computed");
      for (std::size_t q = 0; q < node.processors.size(); ++q) {
        for (const span& other : node.processors[q].duties) {
          const bool around = other.from < own[i].from && own[i].from <= other.last;
          if (q != p && around && is_idle_or_acts(other.duty)) found.insert("W7");
        }
      }
    }
    if (seen > node.processors[p].interrupts) found.insert("interrupts not counted");
    unseen += node.processors[p].interrupts - seen;
  }
  // One that asks in the cycle in which it is interrupted was so for no time.
  if (unseen > node.role.at("withdrawn")) found.insert("interrupts not seen");
}

/// Every cycle of a processor has one duty, in the trace and in the statistics.
void check_duties(const node_record& node, cycle_t cycles, problems& found) {
  for (const processor_record& each : node.processors) {
    cycle_t next = 0;
    std::vector<std::uint64_t> seen(processor_duties);
    for (const span& at : each.duties) {
      if (at.from != next) found.insert("cycles without a duty");
      next = at.last + 1;
      seen[static_cast<std::size_t>(at.duty)] += next - std::max<cycle_t>(at.from, 1);
    }
    if (next != cycles + 1) found.insert("cycles without a duty");
    std::uint64_t sum = 0;
    for (const std::uint64_t counted : each.counted) sum += counted;
    if (sum != cycles) found.insert("sum of duties");
    if (seen != each.counted) found.insert("duties of the trace");
  }
}

/// Every request is answered once, and three handlers have run for it.
void check_requests(const run_record& run, std::uint64_t requests, problems& found) {
  std::uint64_t handlers = 0;
  for (const node_record& node : run.nodes) {
    if (node.requests != requests || node.role.at("round_trip.count") != requests) {
      found.insert("answered once");
    }
    handlers += node.role.at("handlers");
  }
  if (handlers != 3 * requests * run.nodes.size()) found.insert("handlers of requests");
}

problems problems_of(const run_record& run, std::uint64_t requests) {
  problems found;
  if (!run.finished) found.insert("does not end");
  for (const node_record& node : run.nodes) {
    check_acting(node, found);
    check_interrupts(node, found);
    check_duties(node, run.cycles, found);
    // W5
    if (run.schedule == schedule_kind::fixed && node.role.at("interrupts") != 0) {
      found.insert("W5");
    }
    if (node.role.at("withdrawn") + node.role.at("in_vain") > node.role.at("interrupts")) {
      found.insert("more in vain than there were");
    }
  }
  check_requests(run, requests, found);
  return found;
}

std::string text_of(const problems& found) {
  std::string text;
  for (const std::string& each : found) text += each + "; ";
  return text;
}

/// W36: what a fixed role does not meet changes nothing.
smp_config with_other_schedule_costs(smp_config config) {
  schedule_costs& costs = config.machine.node.costs;
  costs.interrupt += 1234;
  costs.delivery_percent = 100 - costs.delivery_percent;
  costs.acquire += 77;
  costs.activation += 55;
  costs.migration += 33;
  config.costs.bus.acquire += 77;
  config.costs.bus.activation += 55;
  config.machine.node.readings = readings_of(15 - config.machine.node.readings.drains);
  return config;
}

/// What occurred, over all machines.
using occurrences = std::map<std::string, std::uint64_t>;

void run_case(std::uint64_t number, node_level level, occurrences& all) {
  const random_machine drawn(number, level);
  SCOPED_TRACE(drawn.text());
  const std::uint64_t requests = drawn.config.workload.requests.requests;
  std::string problem;
  const std::string thrown = testing::failure([&] {
    const run_record run = run_of(drawn.config, number);
    problem = text_of(problems_of(run, requests));
    EXPECT_EQ(run.statistics, resumed_statistics(drawn.config, number, run.cycles / 2));
    if (number % 4 == 0) {
      EXPECT_EQ(run.statistics, run_of(drawn.config, number).statistics);
    }
    if (run.schedule == schedule_kind::fixed) {
      const run_record other = run_of(with_other_schedule_costs(drawn.config), number);
      EXPECT_EQ(other.cycles, run.cycles) << "W36";
    }
    for (const node_record& node : run.nodes) {
      for (const auto& [name, count] : node.role) all[name] += count;
      for (const processor_record& each : node.processors) {
        for (std::size_t duty = 0; duty < processor_duties; ++duty) {
          all[name_of(static_cast<processor_duty>(duty))] += each.counted[duty];
        }
      }
    }
  });
  EXPECT_EQ(problem, "");
  EXPECT_EQ(thrown, "");
}

void run_cases(std::uint64_t first, std::uint64_t count, node_level level = node_level::constants) {
  occurrences all;
  for (std::uint64_t i = first; i < first + count && !::testing::Test::HasFailure(); ++i) {
    run_case(i, level, all);
  }
  if (::testing::Test::HasFailure()) return;
  for (const auto& [name, times] : all) {
    std::cout << name << " " << times << "\n";
    // Seldom, and few machines are on a bus.
    if (level == node_level::bus && name == "in_vain") continue;
    EXPECT_GT(times, 0U) << name << " never occurs";
  }
}

/// TRIBUTARY_SEED=n runs machine n alone.
bool runs_one(node_level level) {
  const char* const asked = std::getenv("TRIBUTARY_SEED");
  if (asked == nullptr) return false;
  occurrences found;
  run_case(std::strtoull(asked, nullptr, 10), level, found);
  return true;
}

TEST(smp_schedule, random_machines_keep_the_rules) {
  if (!runs_one(node_level::constants))
    run_cases(0, testing::sanitized ? 96 : testing::halved(480));
}

TEST(smp_schedule, random_machines_on_a_bus_keep_the_rules) {
  if (!runs_one(node_level::bus))
    run_cases(0, testing::sanitized ? 24 : testing::halved(96), node_level::bus);
}

TEST(smp_schedule_long, random_machines_on_a_bus_keep_the_rules) {
  run_cases(1000, testing::sanitized ? 48 : 10000, node_level::bus);
}

TEST(smp_schedule_long, random_machines_keep_the_rules) {
  run_cases(1000, testing::sanitized ? 48 : 20000);
}

// --- W8 ------------------------------------------------------------------------------------------

/// The most and the fewest interrupts of a processor that is not masked.
struct shares {
  std::uint64_t fewest = ~std::uint64_t{0};
  std::uint64_t most = 0;
  std::uint64_t all = 0;
};

/// Node 0 asks and node 1 computes: nobody there is ever idle. `believed`: the mask by which the
/// shares are judged.
shares shares_of(std::uint64_t number, std::uint32_t processors, std::uint32_t masked,
                 std::uint32_t believed) {
  random_stream draws(number, 22U, 3U);
  smp_machine_config config = testing::small_machine(schedule_kind::floating, processors);
  config.node.masked_interrupts = masked;
  config.node.readings = readings_of(number);
  const std::uint64_t requests = between(draws, 1, 30);
  testing::smp_programs machine(
      config, testing::null_requests,
      [&](program_context& context) {
        if (context.node() == node_id{1}) {
          context.delay(500'000);
        } else {
          for (std::uint64_t i = 0; i < requests; ++i) {
            context.load(testing::remote(1));
            context.delay(context.random(1000));
          }
        }
      },
      number);
  EXPECT_TRUE(machine.run());
  shares found;
  for (std::uint32_t i = 0; i < processors; ++i) {
    const std::uint64_t own = machine.of_role(1, "processor." + std::to_string(i) + ".interrupts");
    found.all += own;
    if ((believed >> i & 1) != 0) continue;
    found.fewest = std::min(found.fewest, own);
    found.most = std::max(found.most, own);
  }
  EXPECT_EQ(found.all, machine.of_role(1, "interrupts"));
  return found;
}

TEST(smp_schedule, interrupts_are_even_within_one_over_unmasked_processors) {
  for (std::uint64_t number = 0; number < testing::halved(80); ++number) {
    random_stream draws(number, 23U, 3U);
    const std::uint32_t processors = between(draws, 1, 10);
    const std::uint32_t masked = between(draws, 0, (1U << processors) - 2);
    const shares found = shares_of(number, processors, masked, masked);
    EXPECT_GT(found.all, 0U);
    EXPECT_LE(found.most - found.fewest, 1U) << number;
  }
}

// --- what the checks would find ------------------------------------------------------------------

/// A floating machine with much of everything, and its record.
struct rich_run {
  rich_run() {
    config = random_machine(1).config;
    smp_node_config& node = config.machine.node;
    node.schedule = schedule_kind::floating;
    node.processors = 3;
    node.masked_interrupts = 0;
    node.costs = {};
    config.machine.nodes = 4;
    config.workload.requests.requests = 60;
    config.workload.requests.utilisation = 0.7;
    run = run_of(config, 5);
  }
  std::uint64_t requests() const { return config.workload.requests.requests; }
  problems found() const { return problems_of(run, requests()); }

  smp_config config;
  run_record run;
};

TEST(smp_schedule, a_second_acting_processor_is_found) {
  rich_run rich;
  EXPECT_EQ(text_of(rich.found()), "");
  // Two nodes that are taken for one have two that act, and interrupts while others are idle.
  std::vector<processor_record>& first = rich.run.nodes[0].processors;
  const std::vector<processor_record>& second = rich.run.nodes[1].processors;
  first.insert(first.end(), second.begin(), second.end());
  const problems found = rich.found();
  EXPECT_EQ(found.count("W4"), 1U);
  EXPECT_EQ(found.count("W7"), 1U);
  EXPECT_EQ(found.count("two handlers"), 1U);
}

TEST(smp_schedule, actings_that_overlap_are_found) {
  rich_run rich;
  // Somewhere another one acts soon behind it.
  for (processor_record& each : rich.run.nodes[0].processors) {
    for (span& at : each.duties) {
      if (acts(at.duty)) at.last += 200;
    }
  }
  EXPECT_EQ(rich.found().count("W4"), 1U);
}

TEST(smp_schedule, a_handler_of_one_that_does_not_act_is_found) {
  rich_run rich;
  std::vector<processor_record>& all = rich.run.nodes[1].processors;
  std::swap(all[0].handlers, all[1].handlers);
  EXPECT_EQ(rich.found().count("handler beside acting"), 1U);
}

TEST(smp_schedule, an_interrupt_beside_an_idle_processor_is_found) {
  for (const processor_duty idle :
       {processor_duty::waiting, processor_duty::resting, processor_duty::serving_own}) {
    rich_run rich;
    std::vector<processor_record>& all = rich.run.nodes[0].processors;
    const auto interrupted =
        std::find_if(all[0].duties.begin(), all[0].duties.end(),
                     [](const span& at) { return at.duty == processor_duty::interrupted; });
    ASSERT_NE(interrupted, all[0].duties.end());
    for (span& at : all[1].duties) {
      if (at.from < interrupted->from && interrupted->from <= at.last) at.duty = idle;
    }
    EXPECT_EQ(rich.found().count("W7"), 1U) << name_of(idle);
  }
}

TEST(smp_schedule, an_interrupt_under_a_fixed_role_is_found) {
  rich_run rich;
  rich.run.schedule = schedule_kind::fixed;
  EXPECT_EQ(rich.found(), problems{"W5"});
  // W36 would not hold.
  EXPECT_NE(run_of(with_other_schedule_costs(rich.config), 5).cycles, rich.run.cycles);
}

TEST(smp_schedule, cycles_that_are_counted_wrongly_are_found) {
  rich_run rich;
  ++rich.run.nodes[1].processors[2].counted[0];
  EXPECT_EQ(rich.found(), (problems{"sum of duties", "duties of the trace"}));
  rich = {};
  rich.run.nodes[1].processors[2].duties.erase(rich.run.nodes[1].processors[2].duties.begin() + 2);
  EXPECT_EQ(rich.found().count("cycles without a duty"), 1U);
}

TEST(smp_schedule, requests_that_are_lost_or_answered_twice_are_found) {
  rich_run rich;
  EXPECT_EQ(problems_of(rich.run, rich.requests() + 1),
            (problems{"answered once", "handlers of requests"}));
  ++rich.run.nodes[1].role["round_trip.count"];
  EXPECT_EQ(rich.found(), problems{"answered once"});
}

TEST(smp_schedule, other_seeds_and_readings_are_found) {
  const rich_run rich;
  EXPECT_NE(run_of(rich.config, 6).statistics, rich.run.statistics);
  for (std::uint64_t i = 0; i < 4; ++i) {
    smp_config other = rich.config;
    other.machine.node.readings = readings_of(0);
    const std::string none = run_of(other, 5).statistics;
    other.machine.node.readings = readings_of(std::uint64_t{1} << i);
    EXPECT_NE(run_of(other, 5).statistics, none) << "reading " << i;
  }
}

/// The mask that is believed is not the one that there is.
TEST(smp_schedule, uneven_interrupts_are_found) {
  const shares found = shares_of(3, 4, 0b0110, 0);
  EXPECT_GT(found.most - found.fewest, 1U);
}

}  // namespace
}  // namespace tributary
