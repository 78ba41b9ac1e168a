// SPDX-License-Identifier: Apache-2.0
// FLASH's rows of block transfers whose lines are in caches: V24 to V30, V33 to V35. The states of
// the lines are made by loads and stores of the processors before anything is measured.
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <support/coherent_transfers.h>
#include <support/usual_line.h>
#include <tributary/processor/node_programs.h>
#include <tributary/sim/error.h>

#include "flash_checks.h"

namespace tributary::validation {
namespace {

using rows_t = std::vector<planned_row>;
using testing::coherent_transfers;
using testing::coherent_transfers_config;

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t source_offset = 0x4000;
constexpr std::uint64_t destination_offset = 0x8000;

/// A copy from node 0 to node 1, as an entry of the expectations tells it.
struct copied_page {
  /// "U": in no cache; "DL": dirty in the home's caches; "DR": in those of node 2; "C": shared by
  /// the home; "R": by the other buffer's home; "3", "3x2" and "3x3": by one to three further
  /// nodes.
  std::string source = "U";
  std::string destination = "U";
  coherent_transfers_config config{5};
};

/// What was measured.
struct copy_figures {
  double cycles = 0;      ///< from the first command to the flag
  double lines_took = 0;  ///< of these, from the first transfer handler to the last line's arrival
  double refused = 0;     ///< lines that the owner refused
  double first_refusal = 0;  ///< cycles from the first command to the first of these
  double invocations = 0;    ///< of the source's handler that sends
  double send = 0;           ///< occupancy of the source's handlers that send, of a line
  double back = 0;           ///< that of the lines that come home
  double receive = 0;        ///< of the destination, of a line
  double acknowledge = 0;
  double interval = 0;  ///< cycles from a line's arrival to the next, in the middle
  double payload = 0;   ///< bytes on the network
};

std::vector<std::uint32_t> sharers_of(const std::string& state, std::uint32_t other_home) {
  if (state == "R") return {other_home};
  std::vector<std::uint32_t> nodes;
  const std::uint64_t count = state[0] == '3' ? static_cast<std::uint64_t>(state.back() - '0') : 0;
  for (std::uint32_t i = 0; i < (state == "3" ? 1 : count); ++i) nodes.push_back(2 + i);
  return nodes;
}

void prepare(coherent_transfers& m, std::uint32_t home, std::uint64_t offset,
             const std::string& state) {
  constexpr std::uint32_t third = 2;
  for (std::uint64_t at = offset; at < offset + page; at += line_bytes) {
    const std::uint64_t address = m.address(home, at);
    if (state == "DL") m.machine.write(home, address, at);
    if (state == "DR") m.machine.write(third, address, at);
    if (state == "C") m.machine.read(home, address);
    for (const std::uint32_t node : sharers_of(state, 1 - home)) m.machine.read(node, address);
  }
}

/// The processor of node 0 asks for the copy.
class copying_program {
 public:
  copying_program(coherent_transfers& m, const copied_page& what)
      : machine_(m),
        what_(what),
        programs_(m.nodes().config(),
                  make_program([this](program_context& context) { run(context); })) {
    for (std::uint32_t i = 0; i < m.nodes().size(); ++i) {
      magic_node& node = m.nodes().node(i);
      programs_.elements().add(i, node.clockwork(), node.processor());
    }
  }
  /// Runs until memory has the flag incremented; returns the cycles since the first command.
  double run_to_flag() {
    constexpr std::uint64_t patience = 200'000;
    starts_ = true;
    const auto done = [&] {
      return machine_.nodes().node(0).memory().read(coherent_transfers::flag_offset) == 1;
    };
    machine_.nodes().run_until(machine_.nodes().now() + patience, done);
    // A copy that does not end fails its own row only.
    if (!done()) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(machine_.nodes().now() - asked_);
  }
  cycle_t asked() const { return asked_; }

 private:
  void run(program_context& context) {
    if (context.rank() != 0) return;
    const magic_node_config& node = machine_.nodes().config().node;
    const fbcopy_mapping mapping =
        physical_mapping(node.addresses, node_id{0}, page, node.memory.line());
    const std::uint64_t flag = machine_.address(0, coherent_transfers::flag_offset);
    program_port port(context);
    constexpr std::uint64_t glance = 8;
    context.outside(glance, [this] { return starts_ ? std::optional<word_t>(1) : std::nullopt; });
    asked_ = context.now();
    fbcopy(port, mapping, machine_.address(0, source_offset),
           machine_.address(1, destination_offset), page, flag);
  }

  coherent_transfers& machine_;
  const copied_page& what_;
  bool starts_ = false;  ///< once all lines are prepared
  cycle_t asked_ = 0;
  node_programs programs_;
};

double payload_of(coherent_transfers& m) {
  statistics_tree tree;
  m.nodes().report(tree.root());
  return tree.find("network.payload");
}

copy_figures copy(const copied_page& what) {
  coherent_transfers m(what.config);
  copying_program program(m, what);
  m.fill_memory(0, source_offset, page);
  prepare(m, 0, source_offset, what.source);
  prepare(m, 1, destination_offset, what.destination);
  const std::vector<word_t> wanted = m.newest_words(0, source_offset, page);
  m.nodes().reset_statistics();
  node_event_list events(m.nodes().catalog());
  m.nodes().observers().attach(events);
  copy_figures found;
  found.cycles = program.run_to_flag();
  m.nodes().observers().detach(events);
  if (std::isnan(found.cycles)) return found;
  if (m.newest_words(1, destination_offset, page) != wanted) throw error("a copy is wrong");

  const double lines = static_cast<double>(page / line_bytes);
  const auto each = [&](const char* handler) {
    return static_cast<double>(m.total(std::string("block_transfer.") + handler)) / lines;
  };
  found.send = each("transfer") + each("retry");
  found.back = each("line_back");
  found.receive = each("receive");
  found.acknowledge = each("dropped");
  found.refused = static_cast<double>(m.runs("block_transfer.forward_refused"));
  found.invocations = static_cast<double>(m.runs("block_transfer.transfer"));
  found.payload = payload_of(m);

  const auto began = [&](std::uint32_t node, const char* handler) {
    std::vector<trace_event> all;
    const handler_id wanted_id = m.nodes().node(node).protocols().find(handler);
    for (const trace_event& event : events.of(node_id{node}, node_events::handled)) {
      if (node_events::handler.in(event.details) == static_cast<std::uint64_t>(wanted_id)) {
        all.push_back(event);
      }
    }
    return all;
  };
  constexpr std::uint32_t owner = 2;
  for (const trace_event& served : began(owner, "block_transfer.forward")) {
    // It refuses a line if it takes less than to send it (FLASH Figure 5.17: the short handlers).
    if (served.last - served.cycle + 1 >= what.config.transfer_costs.source.forward) continue;
    found.first_refusal = static_cast<double>(served.cycle - program.asked());
    break;
  }
  const std::vector<trace_event> sent = began(0, "block_transfer.transfer");
  const std::vector<trace_event> received = began(1, "block_transfer.receive");
  if (!sent.empty() && received.size() > 16) {
    found.lines_took = static_cast<double>(received.back().last - sent.front().cycle);
    const std::size_t last = received.size() - 9;
    found.interval = static_cast<double>(received[last].cycle - received[8].cycle) /
                     static_cast<double>(last - 8);
  }
  return found;
}

/// The copy that an entry describes, with these changes.
copied_page page_of(const family& claim) {
  copied_page what;
  if (claim.has("source_lines")) what.source = claim.text("source_lines");
  if (claim.has("destination_lines")) what.destination = claim.text("destination_lines");
  if (claim.has("out_depth")) {
    what.config.machine.node.network_interface.out_depth =
        static_cast<std::uint32_t>(claim.number("out_depth"));
  }
  return what;
}

std::vector<std::string> keys_of(const family& claim) {
  std::vector<std::string> keys;
  for (const char* key : {"source_lines", "destination_lines", "out_depth", "bandwidth"}) {
    if (claim.has(key)) keys.emplace_back(key);
  }
  return keys;
}

template <class Number>
planned_row measured(const claims& flash, const char* id, Number number) {
  const family claim = flash[id];
  return measured_on_blocks(claim, keys_of(claim),
                            [claim, number] { return number(copy(page_of(claim))); });
}

rows_t source_rows(const claims& flash) {
  const auto time = [](const copy_figures& f) { return f.cycles; };
  constexpr double bytes_by_cycles = 100.0 * static_cast<double>(page);
  return {
      measured(flash, "flash.V24.line", [](const copy_figures& f) { return f.send; }),
      measured(flash, "flash.V24.time", time),
      measured(flash, "flash.V25.time", time),
      measured(flash, "flash.V25.peak",
               [=](const copy_figures& f) { return bytes_by_cycles / f.lines_took; }),
      measured(flash, "flash.V25.average",
               [=](const copy_figures& f) { return bytes_by_cycles / f.cycles; }),
      measured(flash, "flash.V26", [](const copy_figures& f) { return f.refused; }),
      measured(flash, "flash.V26.invocations", [](const copy_figures& f) { return f.invocations; }),
      measured(flash, "flash.V26.first", [](const copy_figures& f) { return f.first_refusal; }),
      measured(flash, "flash.V27.refused", [](const copy_figures& f) { return f.refused; }),
      measured(flash, "flash.V27.line", [](const copy_figures& f) { return f.interval; }),
      measured(flash, "flash.V33.DR", [](const copy_figures& f) { return f.payload; })};
}

rows_t destination_rows(const claims& flash) {
  const auto occupancy = [](const copy_figures& f) { return f.receive + f.acknowledge; };
  rows_t rows;
  for (const char* id : {"flash.V28.C", "flash.V28.D", "flash.V29.owned", "flash.V29.one",
                         "flash.V29.two", "flash.V29.three"}) {
    rows.push_back(measured(flash, id, occupancy));
  }
  rows.push_back(measured_on_blocks(flash["flash.V30"], {}, [] {
    copied_page two;
    two.destination = "3x2";
    copied_page three;
    three.destination = "3x3";
    return copy(three).acknowledge - copy(two).acknowledge;
  }));
  return rows;
}

/// Cycles of a copy while the owner's lines are collected, less those while they are forwarded.
double gain_of_forwarding(const family& claim, double bandwidth) {
  copied_page what = page_of(claim);
  what.config.machine.network.bandwidth = static_cast<std::uint32_t>(bandwidth);
  const double forwarded = copy(what).cycles;
  what.config.transfer.dirty_elsewhere = remote_lines::collect;
  return copy(what).cycles - forwarded;
}

rows_t forwarding_rows(const claims& flash) {
  rows_t rows;
  for (const char* id : {"flash.V34.100", "flash.V34.200", "flash.V34.400", "flash.V34.800",
                         "flash.V35.U", "flash.V35.DL"}) {
    const family claim = flash[id];
    rows.push_back(measured_on_blocks(claim, keys_of(claim), [claim] {
      return gain_of_forwarding(claim, claim.number("bandwidth"));
    }));
  }
  return rows;
}

}  // namespace

std::vector<planned_row> flash_coherent_copies(const claims& flash) {
  rows_t rows;
  for (rows_t more : {source_rows(flash), destination_rows(flash), forwarding_rows(flash)}) {
    for (planned_row& each : more) rows.push_back(std::move(each));
  }
  return rows;
}

}  // namespace tributary::validation
