// SPDX-License-Identifier: Apache-2.0
// FLASH's rows of Table 5.2 and of what copies leave: V31 to V33, V39 to V42, V49, V50. The caches
// are warm, and the processor looks at the flag in them.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <support/coherent_transfers.h>
#include <support/node_jobs.h>
#include <support/usual_line.h>
#include <tributary/algorithms/bcopy.h>
#include <tributary/sim/error.h>

#include "flash_checks.h"

namespace tributary::validation {
namespace {

using rows_t = std::vector<planned_row>;
using testing::coherent_transfers;
using testing::coherent_transfers_config;
using testing::node_jobs;

constexpr std::uint64_t page = 4096;
constexpr std::uint32_t source_node = 0;
constexpr std::uint32_t destination_node = 1;
constexpr std::uint32_t third_node = 2;

// Offsets in the nodes' memories. The second level has 4,096 sets of two lines; the warm lines fill
// it from the first set of the first way on, and the buffers take the place of the lines whose
// offsets are theirs and a way's more.
constexpr std::uint64_t source_offset = 0x4000;
constexpr std::uint64_t destination_offset = 0x8000;
constexpr std::uint64_t way_bytes = std::uint64_t{512} << 10;
constexpr std::uint64_t warm_offset = std::uint64_t{512} << 10;
constexpr std::uint64_t warm_bytes = 2 * way_bytes;

/// A copy as an entry of the expectations tells it; `flash_coherent_copies` says how lines are
/// named.
struct processor_copy {
  std::string method = "bcopy";
  std::string source = "U";
  std::string destination = "U";
  std::uint32_t speed = 1;
};

coherent_transfers_config nodes_of(const processor_copy& what) {
  coherent_transfers_config config(3);
  config.machine.node.memory.bytes = std::uint64_t{4} << 20;
  config.machine.node.protocol_processor.speed = what.speed;
  return config;
}

/// The nodes before, in and after a copy of node 0.
class copy_bench {
 public:
  explicit copy_bench(const processor_copy& what)
      : what_(what), machine_(nodes_of(what)), jobs_(machine_.nodes()) {
    machine_.fill_memory(source_node, source_offset, page);
    warm();
    prepare_source();
    prepare_destination();
    machine_.nodes().reset_statistics();
  }

  /// Cycles of the copy.
  double copy() {
    return jobs_.run(source_node, [this](program_context& own) {
      const copy_loop loop;
      const std::uint64_t from = machine_.address(source_node, source_offset);
      const std::uint64_t to = machine_.address(destination_node, destination_offset);
      if (what_.method == "bcopy") bcopy(own, loop, from, to, page);
      if (what_.method == "prefetched_bcopy") {
        prefetched_bcopy(own, loop, line_size(), from, to, page);
      }
      if (what_.method == "fbcopy") transfer(own, from, to);
    });
  }

  /// Cycles in which the destination's processor reads the copy.
  double consume() { return read(destination_node, destination_offset, page); }
  /// Cycles in which the source's processor reads the lines that the buffers displaced.
  double refill() {
    return read(source_node, source_offset + way_bytes, page) +
           read(source_node, destination_offset + way_bytes, page);
  }

  bool is_right() const {
    return machine_.newest_words(destination_node, destination_offset, page) ==
           machine_.newest_words(source_node, source_offset, page);
  }
  double payload() {
    statistics_tree tree;
    machine_.nodes().report(tree.root());
    return tree.find("network.payload");
  }

 private:
  double read(std::uint32_t node, std::uint64_t offset, std::uint64_t bytes) {
    return jobs_.run(node, [&](program_context& own) {
      read_buffer(own, copy_loop(), machine_.address(node, offset), bytes);
    });
  }
  void write(std::uint32_t node, std::uint32_t home, std::uint64_t offset) {
    jobs_.run(node, [&](program_context& own) {
      for (std::uint64_t at = offset; at < offset + page; at += word_bytes) {
        own.store(machine_.address(home, at), at + 1);
      }
    });
  }
  /// Fills the copying processor's caches with its node's lines, every second one dirty (5.5.1).
  void warm() {
    jobs_.run(source_node, [&](program_context& own) {
      bool dirty = false;
      for (std::uint64_t at = 0; at < warm_bytes; at += line_bytes) {
        const std::uint64_t address = machine_.address(source_node, warm_offset + at);
        if (dirty) {
          own.store(address, at);
        } else {
          own.load(address);
        }
        dirty = !dirty;
      }
    });
  }
  void prepare_source() {
    if (what_.source == "DL") write(source_node, source_node, source_offset);
    if (what_.source == "DR") write(third_node, source_node, source_offset);
  }
  void prepare_destination() {
    const std::uint64_t first = machine_.address(destination_node, destination_offset);
    const bool by_copier = what_.destination == "R";
    const bool by_third = what_.destination == "3";
    if (!by_copier && !by_third) return;
    jobs_.run(by_copier ? source_node : third_node,
              [&](program_context& own) { read_buffer(own, copy_loop(), first, page); });
  }
  void transfer(program_context& own, std::uint64_t from, std::uint64_t to) {
    program_port port(own);
    const std::uint64_t flag = machine_.address(source_node, coherent_transfers::flag_offset);
    const word_t before = own.load(flag);
    fbcopy(port, physical_mapping(machine_.nodes().config().node.addresses, node_id{source_node}),
           from, to, page, flag);
    fbcopy_wait(port, flag, before + 1);
  }

  processor_copy what_;
  coherent_transfers machine_;
  node_jobs jobs_;
};

processor_copy copy_of(const family& claim) {
  processor_copy what;
  what.method = claim.text("method");
  if (claim.has("source_lines")) what.source = claim.text("source_lines");
  if (claim.has("destination_lines")) what.destination = claim.text("destination_lines");
  if (claim.has("speed")) what.speed = static_cast<std::uint32_t>(claim.number("speed"));
  return what;
}

double copy_cycles(const processor_copy& what) {
  copy_bench bench(what);
  const double cycles = bench.copy();
  if (!bench.is_right()) throw error("a processor's copy is wrong");
  return cycles;
}

template <class Number>
planned_row measured(const claims& flash, const std::string& id, Number number) {
  const family claim = flash[id];
  std::vector<std::string> keys;
  for (const char* key : {"method", "source_lines", "destination_lines", "speed"}) {
    if (claim.has(key)) keys.emplace_back(key);
  }
  return measured_on_blocks(claim, keys, [claim, number] { return number(copy_of(claim)); });
}

// --- Table 5.2 -----------------------------------------------------------------------------------

struct table_case {
  const char* name;
  const char* source;
  const char* destination;
};
constexpr std::array<table_case, 6> table{{{"UU", "U", "U"},
                                           {"UR", "U", "R"},
                                           {"DLU", "DL", "U"},
                                           {"DLR", "DL", "R"},
                                           {"DRU", "DR", "U"},
                                           {"DRR", "DR", "R"}}};

double cycles_of(const table_case& of, const std::string& method, std::uint32_t speed) {
  return copy_cycles({method, of.source, of.destination, speed});
}

/// Numbers of the table's cases, from the fastest on.
using order_of_cases = std::array<std::size_t, 6>;
constexpr order_of_cases order_of_bcopy{2, 3, 0, 1, 4, 5};
constexpr order_of_cases order_of_fbcopy{0, 2, 1, 3, 4, 5};

/// Pairs of neighbours in this order of which the second is not slower.
double out_of_order(const std::string& method, const order_of_cases& order, std::uint32_t speed) {
  double before = 0;
  double wrong = 0;
  for (const std::size_t each : order) {
    const double cycles = cycles_of(table[each], method, speed);
    if (cycles <= before) ++wrong;
    before = cycles;
  }
  return wrong;
}

/// Cases in which a method is `times` as fast as another, or faster.
double wins(const std::string& method, const std::string& over, std::uint32_t speed, double times) {
  double found = 0;
  for (const table_case& each : table) {
    if (times * cycles_of(each, method, speed) <= cycles_of(each, over, speed)) ++found;
  }
  return found;
}

/// Cases in which the faster of prefetched bcopy and fbcopy is not the table's.
double other_winners() {
  double found = 0;
  for (const table_case& each : table) {
    const std::string name = each.name;
    const bool published = name == "UR" || name == "DLU" || name == "DLR";
    const bool measured = cycles_of(each, "prefetched_bcopy", 1) < cycles_of(each, "fbcopy", 1);
    if (measured != published) ++found;
  }
  return found;
}

rows_t table_rows(const claims& flash) {
  rows_t rows;
  for (const char* which : {"V39", "V40"}) {
    for (const table_case& each : table) {
      for (const char* speed : {"", "_faster"}) {
        rows.push_back(
            measured(flash, std::string("flash.") + which + "." + each.name + speed, copy_cycles));
      }
    }
    for (const char* name : {"UR_third", "DLR_third", "DRR_third"}) {
      rows.push_back(measured(flash, std::string("flash.") + which + "." + name, copy_cycles));
    }
  }
  const auto statement = [&](const char* id, const std::function<double()>& number) {
    rows.push_back(measured_on_blocks(flash[id], {}, number));
  };
  for (const char* id :
       {"flash.V31.UR", "flash.V31.DLU", "flash.V31.DLR", "flash.V31.DRU", "flash.V31.DRR",
        "flash.V31.UR_third", "flash.V31.DLR_third", "flash.V31.DRR_third", "flash.V32.UR",
        "flash.V32.DLU", "flash.V32.DLR", "flash.V32.DRU", "flash.V32.DRR"}) {
    rows.push_back(measured(flash, id, copy_cycles));
  }
  statement("flash.V31.order", [] { return out_of_order("fbcopy", order_of_fbcopy, 1); });
  rows.push_back(measured_on_blocks(flash["flash.V32.order"], {"speed"},
                                    [] { return out_of_order("fbcopy", order_of_fbcopy, 2); }));
  statement("flash.V39.order", [] { return out_of_order("bcopy", order_of_bcopy, 1); });
  statement("flash.V39.twice", [] { return wins("fbcopy", "bcopy", 1, 2); });
  statement("flash.V40.winners", other_winners);
  // 2 % is what the table itself calls a match: 21.3 and 21.0 us.
  statement("flash.V40.faster", [] { return wins("fbcopy", "prefetched_bcopy", 2, 0.98); });
  return rows;
}

/// Percent by which handlers twice as fast shorten a copy, by the table's cases.
rows_t gain_rows(const claims& flash) {
  rows_t rows;
  for (const char* method : {"bcopy", "prefetched_bcopy", "fbcopy"}) {
    const family claim = flash[std::string("flash.V50.") + method];
    const std::vector<double> published = claim.numbers("gains");
    for (std::size_t i = 0; i < table.size(); ++i) {
      planned_row row = claim.row_with(table[i].name, published.at(i));
      row.shape.configuration = json_value::make_object();
      row.shape.configuration.set("method", json_value(method));
      row.shape.configuration.set("source_lines", json_value(table[i].source));
      row.shape.configuration.set("destination_lines", json_value(table[i].destination));
      row.measure = [which = table[i], method](const point_results&) {
        return 100 * (1 - cycles_of(which, method, 2) / cycles_of(which, method, 1));
      };
      rows.push_back(row);
    }
  }
  return rows;
}

// --- messages ------------------------------------------------------------------------------------

constexpr std::array<const char*, 3> exchanged{"fbcopy", "prefetched bcopy", "bcopy"};

point exchange_of(const family& claim, const std::string& method, double bytes, int speed) {
  point where = claim.on(claim.text("design"));
  where.with("workload.program.mpi_exchange.message_bytes=" + id_text(bytes));
  where.with("node.protocol_processor.speed=" + std::to_string(speed));
  return where.of_series(method);
}

/// Cycles of the processor.
double message_cycles(const point_result& at) { return at.mean("workload.samples.message.mean"); }

planned_row message_order(const family& claim) {
  planned_row row = claim.row();
  for (const double bytes : claim.numbers("sizes")) {
    for (const int speed : {1, 2}) {
      for (const char* method : exchanged) {
        row.points.push_back(exchange_of(claim, method, bytes, speed));
      }
    }
  }
  row.measure = [](const point_results& at) {
    double wrong = 0;
    for (std::size_t i = 0; i < at.size(); i += exchanged.size()) {
      const bool follows = message_cycles(*at[i]) < message_cycles(*at[i + 1]) &&
                           message_cycles(*at[i + 1]) < message_cycles(*at[i + 2]);
      if (!follows) ++wrong;
    }
    return wrong;
  };
  return row;
}

/// The points of bcopy and fbcopy, size by size.
std::vector<point> both_ends(const family& claim, const std::vector<double>& sizes) {
  std::vector<point> points;
  for (const double bytes : sizes) {
    points.push_back(exchange_of(claim, "bcopy", bytes, 1));
    points.push_back(exchange_of(claim, "fbcopy", bytes, 1));
  }
  return points;
}

double ratio_at(const point_results& at, std::size_t size) {
  return message_cycles(*at[2 * size]) / message_cycles(*at[2 * size + 1]);
}

rows_t message_rows(const claims& flash) {
  rows_t rows{message_order(flash["flash.V49.order"])};
  const family ratio = flash["flash.V49.ratio"];
  const std::vector<double> sizes = ratio.numbers("sizes");
  const std::vector<double> published = ratio.numbers("ratios");
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    planned_row row = ratio.row_with(id_text(sizes[i]), published.at(i));
    row.points = both_ends(ratio, {sizes[i]});
    row.measure = [](const point_results& at) { return ratio_at(at, 0); };
    rows.push_back(row);
  }
  const family growth = flash["flash.V49.growth"];
  planned_row grows = growth.row();
  grows.points = both_ends(growth, growth.numbers("sizes"));
  grows.measure = [](const point_results& at) {
    double wrong = 0;
    for (std::size_t i = 1; i < at.size() / 2; ++i) {
      if (ratio_at(at, i) <= ratio_at(at, i - 1)) ++wrong;
    }
    return wrong;
  };
  rows.push_back(grows);
  for (const char* method : exchanged) {
    std::string id = method;
    std::replace(id.begin(), id.end(), ' ', '_');
    const family shown = flash["flash.V49." + id];
    for (const double bytes : shown.numbers("sizes")) {
      planned_row row = shown.published_member(id_text(bytes));
      row.points = {exchange_of(shown, method, bytes, 1)};
      row.measure = [](const point_results& at) { return message_cycles(*at[0]); };
      rows.push_back(row);
    }
  }
  return rows;
}

// --- what a copy leaves --------------------------------------------------------------------------

double consumption(const processor_copy& what) {
  copy_bench bench(what);
  bench.copy();
  return bench.consume();
}

/// The copy's lines come to its processor and go back when the destination reads them.
double payload(const processor_copy& what) {
  copy_bench bench(what);
  bench.copy();
  bench.consume();
  return bench.payload();
}

double refill(const processor_copy& what) {
  copy_bench bench(what);
  bench.copy();
  return bench.refill();
}

}  // namespace

std::vector<planned_row> flash_processor_copies(const claims& flash) {
  rows_t rows = table_rows(flash);
  rows.push_back(measured(flash, "flash.V33.bcopy", payload));
  rows.push_back(measured(flash, "flash.V33.bcopy_DR", payload));
  rows.push_back(measured(flash, "flash.V41.bcopy", consumption));
  rows.push_back(measured(flash, "flash.V41.fbcopy", consumption));
  rows.push_back(measured(flash, "flash.V42", refill));
  for (rows_t more : {message_rows(flash), gain_rows(flash)}) {
    for (planned_row& each : more) rows.push_back(std::move(each));
  }
  return rows;
}

}  // namespace tributary::validation
