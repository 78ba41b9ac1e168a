// SPDX-License-Identifier: Apache-2.0
// Rows of data-parallel machines (K: section 12 of the specification of Klaiber's language-oriented
// network interface). Everything is counted in runs of the generators and the programs.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "checks.h"
#include "family.h"

namespace tributary::validation {
namespace {

using rows_t = std::vector<planned_row>;
using points_t = std::vector<point>;
using sets_t = std::vector<std::string>;
using names_t = std::vector<std::string>;

// --- machines ------------------------------------------------------------------------------------

/// An architecture, and for messages the design of the interface.
struct machine {
  const char* name;
  const char* series;  ///< of the preset, which sets the design
  sets_t sets = {};
};

const machine traditional{"traditional", "OLD"};
const machine language{"language", "NEW"};
const sets_t hardware_broadcast{"messages.interface.broadcast=true", "network.broadcast=true"};
const sets_t broadcast_and_dma{"messages.interface.broadcast=true", "messages.interface.dma=true",
                               "network.broadcast=true"};
const machine remote{"remote", "NEW", {"architecture=remote_memory"}};
const machine ring{"ring", "NEW", {"architecture=ring", "network.topology=ring"}};
const machine update{
    "update", "NEW", {"architecture=ring", "network.topology=ring", "update_tree=true"}};
const machine homes{"homes", "NEW", {"architecture=homes"}};

const names_t generators{"halo2d", "rowcast", "colcast", "ring1d", "colshift", "evsim"};
/// A generator and the real program that it stands for.
const names_t halo_programs{"halo2d", "jacobi"};
const names_t column_programs{"colcast", "matrix"};

/// What the rows are made of.
class builder {
 public:
  builder(const claims& all, rows_t& rows) : all_(all), rows_(rows) {}

  point on(const machine& where, const std::string& program, const sets_t& more = {}) const {
    point made;
    made.platform = all_.platform();
    made.preset = "interfaces.json";
    made.of_series(where.series);
    made.with("program.name=" + program);
    made.with(where.sets);
    made.with(more);
    return made;
  }

  planned_row& add(const std::string& id, points_t points,
                   std::function<double(const point_results&)> number) {
    planned_row row = all_["data_parallel." + id].row();
    row.points = std::move(points);
    row.measure = std::move(number);
    rows_.push_back(std::move(row));
    return rows_.back();
  }

 private:
  const claims& all_;
  rows_t& rows_;
};

/// The sum of statistics of the account, by the ends of their paths.
double count(const point_result& of, const names_t& paths) {
  double sum = 0;
  for (const std::string& each : paths) sum += of.mean("account." + each);
  return sum;
}

/// A count of one machine.
void add_count(builder& make, const std::string& id, const point& at, const names_t& paths) {
  make.add(id, {at}, [paths](const point_results& found) { return count(*found[0], paths); });
}

/// A count of one machine by that of another.
void add_ratio(builder& make, const std::string& id, const point& of, const point& by,
               const names_t& paths) {
  make.add(id, {of, by}, [paths](const point_results& found) {
    return count(*found[0], paths) / count(*found[1], paths);
  });
}

/// A count of one machine less that of another, by a number.
void add_difference(builder& make, const std::string& id, const point& of, const point& less,
                    const std::string& path, double by = 1) {
  make.add(id, {of, less}, [path, by](const point_results& found) {
    return (count(*found[0], {path}) - count(*found[1], {path})) / by;
  });
}

// --- primitives (K1 to K6) -----------------------------------------------------------------------

/// Gets and a barrier, so often.
point phases_on(const builder& make, const machine& where, int phases, sets_t more = {}) {
  more.push_back(fmt::format("program.ring1d.phases={}", phases));
  more.emplace_back("program.ring1d.items=1");
  return make.on(where, "ring1d", more);
}

/// The messages of a barrier: what another phase takes more, when all caches are warm.
void add_barrier(builder& make, const std::string& id, const machine& where, int nodes) {
  const sets_t sets{fmt::format("nodes={}", nodes)};
  add_difference(make, id, phases_on(make, where, 4, sets), phases_on(make, where, 3, sets),
                 "messages.synchronization.messages");
}

void add_broadcasts(builder& make) {
  const sets_t once{"program.colcast.columns=8", "program.colcast.words=1"};
  const auto on = [&](const machine& where, sets_t more = {}) {
    more.insert(more.end(), once.begin(), once.end());
    return make.on(where, "colcast", more);
  };
  const std::string interrupts = "interrupts.synchronization";
  add_count(make, "K2.messages", on(language), {"messages.of_broadcast.messages"});
  for (const machine* each : {&traditional, &language}) {
    const std::string id = std::string("K2.") + each->name;
    add_count(make, id, on(*each), {interrupts});
    add_count(make, id + "_broadcast", on(*each, hardware_broadcast), {interrupts});
  }
}

/// With a network that broadcasts the result, only the fan-in interrupts.
void add_reductions(builder& make) {
  for (const int children : {2, 4, 7}) {
    for (const machine* each : {&traditional, &language}) {
      const auto on = [&](int phases) {
        sets_t sets = hardware_broadcast;
        sets.push_back(fmt::format("arity={}", children));
        sets.push_back(fmt::format("program.evsim.phases={}", phases));
        sets.emplace_back("program.evsim.mean_sends=0");
        return make.on(*each, "evsim", sets);
      };
      add_difference(make, fmt::format("K3.{}.{}", each->name, children), on(4), on(3),
                     "interrupts.synchronization");
    }
  }
}

void add_hand_offs(builder& make) {
  // The tree of 8 nodes has 7 hops up and 7 down.
  constexpr double hops = 14;
  constexpr double line_bytes = 32;
  for (const auto& [id, where] : {std::pair<const char*, const machine*>{"messages", &language},
                                  {"remote", &remote},
                                  {"ring", &ring},
                                  {"update", &update}}) {
    add_difference(make, std::string("K5.") + id, phases_on(make, *where, 4),
                   phases_on(make, *where, 3), "messages.synchronization.messages", hops);
  }
  add_difference(make, "K5.line", phases_on(make, ring, 4), phases_on(make, ring, 3),
                 "messages.synchronization.data", hops * line_bytes);
  for (const machine* each : {&ring, &homes}) {
    make.add(std::string("K6.") + each->name, {make.on(*each, "halo2d")},
             [](const point_results& found) {
               return count(*found[0], {"messages.of_get.messages"}) /
                      (count(*found[0], {"messages.of_get.data"}) / line_bytes);
             });
  }
  make.add("K6.forwarded", {make.on(homes, "evsim")}, [](const point_results& found) {
    const double forwarded = count(*found[0], {"messages.types.forward"});
    const double asked = count(*found[0], {"messages.types.fetch_line"});
    const double lines = count(*found[0], {"messages.types.line"});
    // Without a line that is forwarded the row would say nothing.
    return forwarded == 0 ? 0 : (asked + forwarded + lines) / lines;
  });
}

void add_primitives(builder& make) {
  for (const int nodes : {4, 8, 16, 64}) {
    add_barrier(make, fmt::format("K1.{}", nodes), language, nodes);
  }
  add_broadcasts(make);
  add_reductions(make);
  for (const int nodes : {4, 8, 16, 64}) {
    add_barrier(make, fmt::format("K4.{}", nodes), remote, nodes);
  }
  add_hand_offs(make);
}

// --- gets (K7 to K14) ----------------------------------------------------------------------------

void add_traffic_of_gets(builder& make, const std::string& program) {
  const point messages = make.on(language, program);
  const sets_t cold{"account.count_cold=true"};
  const sets_t answers{"account.count_invalidated=true"};
  const std::string data = "messages.get_send.data";
  add_ratio(make, "K9." + program, make.on(ring, program), messages, {data});
  add_ratio(make, "K9.cold." + program, make.on(ring, program, cold), messages, {data});
  add_ratio(make, "K9.statement." + program, make.on(ring, program), messages, {data});
  for (const auto& [id, path] :
       {std::pair<const char*, const char*>{"K10", "messages.get_send.messages"},
        {"K11", "messages.get_send.control"}}) {
    add_ratio(make, fmt::format("{}.{}", id, program), make.on(ring, program), messages, {path});
    add_ratio(make, fmt::format("{}.answers.{}", id, program), make.on(ring, program, answers),
              messages, {path});
  }
}

void add_interfaces_of_gets(builder& make, const std::string& program) {
  const point old_interface = make.on(traditional, program);
  const point new_interface = make.on(language, program);
  const point big_pages = make.on(language, program, {"messages.interface.page_bytes=8192"});
  const names_t memory{"processors.memory.bytes"};
  add_count(make, "K7.gets." + program, new_interface, {"messages.types.read"});
  add_count(make, "K7.memory." + program, old_interface, memory);
  add_ratio(make, "K8." + program, new_interface, old_interface, memory);
  add_ratio(make, "K12." + program, new_interface, old_interface,
            {"interrupts.synchronization", "interrupts.buffer_full"});
  add_ratio(make, "K13." + program, new_interface, old_interface, {"interrupts.all"});
  add_count(make, "K13.translations." + program, new_interface, {"interrupts.translation"});
  add_ratio(make, "K13.page." + program, big_pages, new_interface, {"interrupts.translation"});
  add_count(make, "K14." + program, new_interface, {"interrupts.buffer_full"});
}

// --- broadcasts, reductions, synchronization (K15 to K25) ----------------------------------------

void add_broadcast_traffic(builder& make, const std::string& program) {
  const point messages = make.on(language, program);
  add_count(make, "K15.packets." + program, messages, {"messages.of_broadcast.messages"});
  add_ratio(make, "K15.remote." + program, make.on(remote, program), messages,
            {"messages.of_broadcast.messages"});
  add_ratio(make, "K16." + program, make.on(ring, program), messages,
            {"messages.of_broadcast.control"});
  add_ratio(make, "K17." + program, make.on(remote, program), messages,
            {"messages.of_broadcast.control"});
  for (const machine* each : {&remote, &ring}) {
    add_ratio(make, fmt::format("K18.{}.{}", each->name, program), make.on(*each, program),
              messages, {"messages.of_broadcast.data"});
  }
}

void add_other_traffic(builder& make) {
  const auto by_messages = [&](const std::string& id, const machine& where,
                               const std::string& program, const names_t& paths) {
    add_ratio(make, id, make.on(where, program), make.on(language, program), paths);
  };
  by_messages("K19.ring", ring, "evsim", {"messages.of_reduce.data"});
  by_messages("K19.update", update, "evsim", {"messages.of_reduce.data"});
  by_messages("K20", ring, "evsim", {"messages.of_reduce.control"});
  const names_t synchronization{"messages.synchronization.data",
                                "messages.synchronization.control"};
  for (const char* program : {"halo2d", "evsim"}) {
    by_messages(fmt::format("K21.ring.{}", program), ring, program, synchronization);
    by_messages(fmt::format("K21.remote.{}", program), remote, program, synchronization);
    add_ratio(make, fmt::format("K21.update.{}", program), make.on(update, program),
              make.on(remote, program), synchronization);
  }
  by_messages("K22", remote, "ring1d", {"messages.get_send.control"});
  by_messages("K23.control", remote, "colshift", {"messages.get_send.control"});
  by_messages("K23.data", ring, "colshift", {"messages.get_send.data"});
  for (const std::string& program : generators) {
    by_messages("K24.ring." + program, ring, program, {"messages.messages"});
    by_messages("K24.update." + program, update, program, {"messages.messages"});
    add_ratio(make, "K25." + program, make.on(homes, program), make.on(ring, program),
              {"messages.data", "messages.control"});
    // The source's explanation of the bytes.
    add_ratio(make, "K25.messages." + program, make.on(homes, program), make.on(ring, program),
              {"messages.messages"});
  }
}

// --- large packets and merged requests (K26, K27, K36) -------------------------------------------

/// `MSG_inf`: packets of up to 64 KB.
const sets_t large_packets{"messages.interface.packet_bytes=65504",
                           "messages.interface.receive_bytes=1048576",
                           "network.payload_bytes=65536"};

/// `MSG_blk`: with these packets, requests of a parallel statement are merged.
sets_t merged_requests() {
  sets_t sets = large_packets;
  sets.emplace_back("merge_requests=true");
  return sets;
}

/// All bytes of messages, by those of `MSG_32` or, of programs that larger packets help, of
/// `MSG_inf`.
void add_merged_requests(builder& make) {
  const auto add = [&](const std::string& program, const sets_t& by) {
    add_ratio(make, "K27." + program, make.on(language, program, merged_requests()),
              make.on(language, program, by), {"messages.bytes"});
  };
  for (const char* program : {"halo2d", "jacobi", "ring1d"}) add(program, {});
  for (const char* program : {"colshift", "shallow"}) add(program, large_packets);
  // What processors compose and take does not matter to the network.
  add_ratio(make, "K27.traditional.halo2d", make.on(traditional, "halo2d", merged_requests()),
            make.on(traditional, "halo2d"), {"messages.bytes"});
}

/// The ratio of the interfaces' bytes with large packets, by that with 32 bytes. `options`: of the
/// program with large packets only.
void add_interfaces_of_large_packets(builder& make, const std::string& program,
                                     const sets_t& options = {}) {
  sets_t large = large_packets;
  large.insert(large.end(), options.begin(), options.end());
  const std::string bytes = "processors.interface.bytes";
  make.add("K36." + program,
           {make.on(language, program, large), make.on(traditional, program, large),
            make.on(language, program), make.on(traditional, program)},
           [bytes](const point_results& found) {
             const auto of = [&](std::size_t i) { return count(*found[i], {bytes}); };
             return of(0) / of(1) / (of(2) / of(3));
           });
}

void add_large_packets(builder& make) {
  for (const char* program : {"halo2d", "colshift"}) {
    add_ratio(make, fmt::format("K26.{}", program), make.on(language, program, large_packets),
              make.on(language, program), {"messages.control"});
  }
  // Only this experiment of the source gets whole edges, and only of jacobi.
  for (const std::string& program : halo_programs) {
    add_interfaces_of_large_packets(make, program,
                                    {fmt::format("program.{}.aggregated=true", program)});
  }
  add_interfaces_of_large_packets(make, "colcast");
  add_interfaces_of_large_packets(make, "evsim");
}

// --- processors and their interfaces (K28 to K35) ------------------------------------------------

void add_designs(builder& make) {
  const std::string bytes = "processors.interface.bytes";
  for (const char* program : {"halo2d", "colcast", "evsim"}) {
    add_ratio(make, fmt::format("K28.{}", program), make.on(language, program),
              make.on(traditional, program), {bytes});
  }
  points_t both;
  for (const std::string& program : generators) {
    both.push_back(make.on(language, program));
    both.push_back(make.on(traditional, program));
  }
  make.add("K28.average", both, [bytes](const point_results& found) {
    double sum = 0;
    for (std::size_t i = 0; i < found.size(); i += 2) {
      sum += count(*found[i], {bytes}) / count(*found[i + 1], {bytes});
    }
    return sum / static_cast<double>(found.size() / 2);
  });
  for (const std::string& program : generators) {
    add_ratio(make, "K29." + program, make.on(traditional, program), make.on(language, program),
              {"processors.packets"});
  }
  // What more gets between as many barriers take.
  const auto gets_on = [&](const machine& where, int items) {
    return make.on(where, "ring1d",
                   {fmt::format("program.ring1d.items={}", items), "program.ring1d.phases=4"});
  };
  make.add("K29.gets",
           {gets_on(traditional, 40), gets_on(traditional, 20), gets_on(language, 40),
            gets_on(language, 20)},
           [](const point_results& found) {
             const auto packets = [&](std::size_t i) {
               return count(*found[i], {"processors.packets"});
             };
             return (packets(0) - packets(1)) / (packets(2) - packets(3));
           });
}

void add_options_of_broadcasts(builder& make, const std::string& program) {
  const auto on = [&](const machine& where, const sets_t& options) {
    return make.on(where, program, options);
  };
  const point old_all = on(traditional, broadcast_and_dma);
  const point new_all = on(language, broadcast_and_dma);
  const std::string memory = "processors.memory.bytes";
  add_count(make, "K30.headers." + program, old_all, {"processors.interface.receive_header"});
  add_count(make, "K30.commands." + program, old_all, {"processors.interface.dma_command"});
  add_ratio(make, "K31." + program, new_all, old_all, {"processors.interface.bytes"});
  for (const machine* each : {&traditional, &language}) {
    add_count(make, fmt::format("K32.{}.{}", each->name, program), on(*each, hardware_broadcast),
              {memory});
  }
  add_difference(make, "K33." + program, old_all, new_all, memory);
  for (const machine* each : {&traditional, &language}) {
    add_count(make, fmt::format("K35.{}.{}", each->name, program), on(*each, hardware_broadcast),
              {"interrupts.synchronization"});
  }
}

void add_options_of_gets(builder& make) {
  for (const auto& [id, path] :
       {std::pair<const char*, const char*>{"bytes", "processors.interface.bytes"},
        {"memory", "processors.memory.bytes"}}) {
    for (const machine* each : {&traditional, &language}) {
      make.add(fmt::format("K34.{}.{}", id, each->name),
               {make.on(*each, "halo2d"), make.on(*each, "halo2d", hardware_broadcast),
                make.on(*each, "halo2d", broadcast_and_dma)},
               [name = std::string(path)](const point_results& found) {
                 const double base = count(*found[0], {name});
                 return std::max(std::abs(count(*found[1], {name}) / base - 1),
                                 std::abs(count(*found[2], {name}) / base - 1));
               });
    }
  }
}

// --- round trips (K37 to K39) --------------------------------------------------------------------

/// `CACHE+`: updates, asynchronous writes and prefetching of lines in a row (Klaiber 5.6.2).
const machine best_caches{"best",
                          "NEW",
                          {"architecture=ring", "network.topology=ring", "update_tree=true",
                           "caches.asynchronous_writes=true", "caches.sequential_prefetch=true"}};

void add_round_trips(builder& make) {
  const auto on = [&](const machine& where, const std::string& program) {
    return make.on(where, program, {"round_trips.enabled=true"});
  };
  const auto best_by_messages = [&](const std::string& id, const std::string& program,
                                    const std::string& category) {
    add_ratio(make, id + "." + program, on(best_caches, program), on(language, program),
              {"round_trips." + category});
  };
  for (const char* program : {"halo2d", "colshift"}) {
    best_by_messages("K37", program, "get_send");
  }
  // A phase of ring1d is one get, as in the specification's script.
  const sets_t one_get{"program.ring1d.items=1"};
  add_ratio(make, "K37.ring1d", on(best_caches, "ring1d").with(one_get),
            on(language, "ring1d").with(one_get), {"round_trips.get_send"});
  best_by_messages("K37.usual", "ring1d", "get_send");
  for (const char* program : {"evsim", "rowcast", "colcast"}) {
    best_by_messages("K38", program, "broadcast_reduce");
  }
  for (const char* program : {"colshift", "evsim"}) {
    best_by_messages("K39.best", program, "synchronization");
    add_ratio(make, fmt::format("K39.remote.{}", program), on(remote, program),
              on(language, program), {"round_trips.synchronization"});
    add_ratio(make, fmt::format("K39.best_by_remote.{}", program), on(best_caches, program),
              on(remote, program), {"round_trips.synchronization"});
  }
}

// --- times and sizes (K43, K44) ------------------------------------------------------------------

/// What no time may change; of shared addresses processors' loads are left out, for they wait by
/// loading.
names_t counts_of(const machine& where) {
  names_t names;
  for (const char* category : {"get_send", "broadcast_reduce", "synchronization"}) {
    for (const char* number : {"messages", "data", "control"}) {
      names.push_back(fmt::format("messages.{}.{}", category, number));
    }
  }
  if (!where.sets.empty()) return names;
  for (const char* each :
       {"processors.packets", "processors.interface.bytes", "processors.memory.bytes",
        "interrupts.synchronization", "interrupts.translation"}) {
    names.emplace_back(each);
  }
  return names;
}

/// Settings of one time each, three decades apart or more together with the usual one.
sets_t times_of(const machine& where) {
  sets_t times{"network.bandwidth=8", "network.bandwidth=8000"};
  const bool messages = where.sets.empty();
  for (const int cycles : {5, 5000}) {
    times.push_back(fmt::format("network.base_latency={}", cycles));
  }
  if (&where == &ring || &where == &update) {
    // Several hops and a line each way: 80,000 cycles a miss.
    times.emplace_back("network.hop_latency=5000");
  }
  const names_t keys =
      messages ? names_t{"messages.interface.register_cycles", "messages.interface.memory_cycles"}
      : &where == &remote ? names_t{"remote_memory.service"}
                          : names_t{"caches.hit"};
  for (const std::string& key : keys) {
    for (const int cycles : {1, 1000}) times.push_back(fmt::format("{}={}", key, cycles));
  }
  return times;
}

/// The greatest change of a count, with each time of `times_of`.
void add_times_of(builder& make, const std::string& id, const machine& where, const point& usual) {
  points_t points{usual};
  for (const std::string& time : times_of(where)) points.push_back(point(usual).with(time));
  make.add(id, points, [names = counts_of(where)](const point_results& found) {
    double most = 0;
    for (const std::string& name : names) {
      const double before = count(*found[0], {name});
      for (const point_result* one : found) {
        const double change = std::abs(count(*one, {name}) - before);
        most = std::max(most, change / std::max(before, 1.0));
      }
    }
    return most;
  });
}

void add_times(builder& make) {
  const sets_t small{"program.colcast.columns=16",  "program.evsim.phases=10",
                     "program.halo2d.iterations=2", "program.rowcast.rows=16",
                     "program.colshift.phases=2",   "program.ring1d.phases=4"};
  for (const machine* each : {&traditional, &language, &remote, &ring, &update, &homes}) {
    for (const std::string& program : generators) {
      add_times_of(make, fmt::format("K43.{}.{}", each->name, program), *each,
                   make.on(*each, program, small));
    }
  }
  // Without the lock of combining sends.
  const sets_t operation{"shared_addresses.combining=operation", "program.evsim.send_bytes=8"};
  for (const machine* each : {&remote, &ring, &update, &homes}) {
    add_times_of(make, fmt::format("K43.operation.{}.evsim", each->name), *each,
                 make.on(*each, "evsim", small).with(operation));
  }
}

/// Each category's share of all bytes.
std::vector<double> shares(const point_result& of) {
  const double all = count(of, {"messages.data", "messages.control"});
  std::vector<double> list;
  for (const char* category : {"get_send", "broadcast_reduce", "synchronization"}) {
    list.push_back(count(of, {fmt::format("messages.{}.data", category),
                              fmt::format("messages.{}.control", category)}) /
                   all);
  }
  return list;
}

void add_sizes(builder& make) {
  const sets_t small{"program.colshift.phases=5", "program.rowcast.rows=64"};
  for (const auto& [id, where] : {std::pair<const char*, const machine*>{"messages", &language},
                                  {"remote", &remote},
                                  {"ring", &ring}}) {
    for (const char* program : {"colshift", "rowcast"}) {
      points_t points;
      for (const int nodes : {8, 16, 32, 64}) {
        points.push_back(make.on(*where, program, small).with(fmt::format("nodes={}", nodes)));
      }
      const auto greatest_change = [](const point_results& found) {
        const std::vector<double> first = shares(*found[0]);
        double most = 0;
        for (const point_result* each : found) {
          const std::vector<double> now = shares(*each);
          for (std::size_t i = 0; i < now.size(); ++i) {
            most = std::max(most, std::abs(now[i] - first[i]));
          }
        }
        return most;
      };
      // On shared addresses 64 nodes take minutes.
      make.add(fmt::format("K44.{}.{}", id, program), points, greatest_change).only_full =
          where != &language;
    }
  }
}

}  // namespace

rows_t data_parallel_checks(const claims& all) {
  rows_t rows;
  builder make(all, rows);
  add_primitives(make);
  for (const std::string& program : halo_programs) {
    add_traffic_of_gets(make, program);
    add_interfaces_of_gets(make, program);
  }
  for (const std::string& program : column_programs) {
    add_broadcast_traffic(make, program);
    add_options_of_broadcasts(make, program);
  }
  add_other_traffic(make);
  add_large_packets(make);
  add_merged_requests(make);
  add_designs(make);
  add_options_of_gets(make);
  add_round_trips(make);
  add_times(make);
  add_sizes(make);
  return rows;
}

}  // namespace tributary::validation
