// SPDX-License-Identifier: Apache-2.0
// FLASH's rows of single blocks: memory, link, data buffer between them, ownership of a line.
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <support/coherent_machine.h>
#include <support/handler_statistics.h>
#include <support/owned_increments.h>
#include <support/routed_network_bench.h>
#include <support/scripted_machine.h>
#include <support/usual_line.h>
#include <tributary/magic/magic_machine.h>
#include <tributary/memory/memory_controller.h>
#include <tributary/protocols/pp_ownership.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/error.h>

#include "flash_checks.h"

namespace tributary::validation {
namespace {

using rows_t = std::vector<planned_row>;

// --- memory --------------------------------------------------------------------------------------

/// When the words of `lines` lines move that are all asked for in `now`.
std::vector<memory_transfer> read_lines(std::size_t lines, cycle_t now) {
  agenda time;
  memory_controller memory({}, time);
  std::vector<memory_transfer> moved;
  line_data words{};
  for (std::size_t i = 0; i < lines; ++i) {
    moved.push_back(memory.read_line(line_bytes * i, now, words));
  }
  return moved;
}

rows_t memory_rows(const claims& flash) {
  constexpr cycle_t asked = 100;
  const family many = flash["flash.V6"];
  const auto lines = static_cast<std::size_t>(many.number("lines"));
  return {
      measured_on_blocks(flash["flash.V5.first"], {},
                         [] { return static_cast<double>(read_lines(1, asked)[0].first - asked); }),
      measured_on_blocks(flash["flash.V5.last"], {},
                         [] { return static_cast<double>(read_lines(1, asked)[0].last - asked); }),
      measured_on_blocks(many, {"lines"}, [lines] {
        const std::vector<memory_transfer> moved = read_lines(lines, asked);
        return static_cast<double>(moved.back().last - moved.front().last) /
               static_cast<double>(lines - 1);
      })};
}

// --- a link --------------------------------------------------------------------------------------

/// Mean cycles from one line message to the next over a link that is never idle.
double saturated_interval(const family& claim) {
  message_network_config config;
  config.topology = topology_kind::point_to_point;
  config.bandwidth = static_cast<std::uint32_t>(claim.number("bandwidth"));
  const auto messages = static_cast<std::uint64_t>(claim.number("messages"));
  testing::routed_network_bench bench(config, 2);
  for (std::uint64_t i = 0; i < messages; ++i) {
    bench.nodes[0]->offer({node_id{0}, node_id{1}, 0, line_bytes, i}, 1);
  }
  constexpr cycle_t patience = 1000;
  while (bench.nodes[1]->arrived.size() < messages && bench.now < messages * patience) bench.step();
  const auto& arrived = bench.nodes[1]->arrived;
  if (arrived.size() < messages) throw error("a saturated link delivers nothing");
  return static_cast<double>(arrived.back().cycle - arrived.front().cycle) /
         static_cast<double>(messages - 1);
}

rows_t link_rows(const claims& flash) {
  rows_t rows;
  for (const char* id : {"flash.V15", "flash.V15.payload", "flash.V16"}) {
    const family claim = flash[id];
    const bool is_payload = claim.text("unit") == "MB/s";
    rows.push_back(measured_on_blocks(claim, {"bandwidth", "messages"}, [claim, is_payload] {
      constexpr double megahertz = 100;
      const double interval = saturated_interval(claim);
      return is_payload ? megahertz * static_cast<double>(line_bytes) / interval : interval;
    }));
  }
  return rows;
}

// --- handlers by themselves ----------------------------------------------------------------------

using results = std::array<word_t, 2>;

/// All that happens when node 0 runs a handler once, and node 1 takes the line that it sends.
node_event_list run_once(const magic_machine_config& config, const testing::handler_body& first) {
  testing::script bodies;
  bodies.write = first;
  bodies.request = [](handler_context& context) {
    context.spill(context.arrived().data, context.arrived().address);
  };
  testing::scripted_machine nodes(bodies, config);
  node_event_list events(nodes.machine.catalog());
  nodes.machine.observers().attach(events);
  nodes.write(1);
  constexpr cycle_t patience = 100'000;
  nodes.machine.run_until(patience);
  nodes.machine.observers().detach(events);
  if (!nodes.machine.idle()) throw error("the handler does not end");
  return events;
}

// --- from memory to the network ------------------------------------------------------------------

/// Reads a line and sends it at once.
void stream(handler_context& context) {
  const auto data = context.allocate();
  if (!data) throw error("no data buffer is free");
  const std::uint64_t line = 8 * line_bytes;
  context.fill(*data, line);
  message made;
  made.type = testing::script::request_type;
  made.destination = node_id{1};
  made.address = context.addresses().address_of(node_id{1}, 0, line);
  made.length = line_bytes;
  made.data = *data;
  context.send(made);
}

struct streamed_line {
  trace_event read;  // from memory
  trace_event left;  // its message, for the network
};

streamed_line stream_line(std::uint32_t next_word, std::uint32_t bandwidth) {
  magic_machine_config config;
  config.network.topology = topology_kind::point_to_point;
  config.network.bandwidth = bandwidth;
  config.node.memory.next_word = next_word;
  const node_event_list events = run_once(config, stream);
  return {events.of(node_id{0}, node_events::memory_read).at(0),
          events.of(node_id{0}, node_events::departed).at(0)};
}

/// Doublewords that the link takes, evenly over its time, before memory has moved them.
double underruns(std::uint32_t next_word, std::uint32_t bandwidth) {
  const streamed_line line = stream_line(next_word, bandwidth);
  const std::uint64_t wire = line.left.last + 1 - line.left.cycle;
  double late = 0;
  for (std::uint64_t i = 0; i < line_words; ++i) {
    const cycle_t wanted = line.left.cycle + i * wire / line_words;
    if (line.read.cycle + i * next_word > wanted) ++late;
  }
  return late;
}

rows_t streaming_rows(const claims& flash) {
  const family start = flash["flash.V10.start"];
  const auto first_word = static_cast<cycle_t>(start.number("first_word"));
  const auto head_after_address = [first_word] {
    constexpr std::uint32_t bandwidth = 400;
    const streamed_line line = stream_line(1, bandwidth);
    return static_cast<double>(line.left.cycle + first_word) - static_cast<double>(line.read.cycle);
  };
  const family sweep = flash["flash.V10.underruns"];
  const auto all_underruns = [sweep] {
    double sum = 0;
    for (const double next_word : sweep.numbers("next_words")) {
      for (const double bandwidth : sweep.numbers("bandwidths")) {
        sum +=
            underruns(static_cast<std::uint32_t>(next_word), static_cast<std::uint32_t>(bandwidth));
      }
    }
    return sum;
  };
  return {measured_on_blocks(start, {"first_word"}, head_after_address),
          measured_on_blocks(sweep, {"next_words", "bandwidths"}, all_underruns)};
}

// --- ownership of a line -------------------------------------------------------------------------

/// Cycles of getting a line and of giving it back.
results ownership_cycles() {
  uncached_lines lines;
  pp_ownership ownership({}, lines);
  results cycles{};
  const auto measure = [&](handler_context& context) {
    const std::uint64_t line = context.addresses().address_of(context.here(), 0, 8 * line_bytes);
    const cycle_t begun = context.now();
    const auto data = ownership.acquire(context, line);
    if (!data) throw error("a line that nobody has cannot be got");
    const cycle_t got = context.now();
    ownership.release(context, line, *data);
    cycles = {got - begun, context.now() - got};
  };
  run_once({}, measure);
  return cycles;
}

/// Occupancy of the node that gets a line of another, by the robust path, and gives it back.
results robust_ownership_cycles() {
  testing::coherent_machine m(testing::coherent_config(2), testing::with_owned_increments);
  const std::uint64_t word = m.address(0, 8 * line_bytes);
  testing::increment_owned(m.machine, 1, word);
  constexpr cycle_t patience = 100'000;
  m.machine.run_until(patience);
  if (m.newest(word) != 1) throw error("a line of another node cannot be got");
  std::uint64_t all = 0;
  for (const char* handler : {"owned_increments.increment", "coherence.ask_owned",
                              "coherence.take_owned", "owned_increments.increment_owned"}) {
    all += testing::handler_total(m.machine, handler, "sum");
  }
  const magic_node& owner = m.machine.node(1);
  const word_t back = testing::owned_increments_of(owner).cycles_of_return(owner.memory());
  return {all - back, back};
}

rows_t ownership_rows(const claims& flash) {
  return {measured_on_blocks(flash["flash.V13.acquire"], {},
                             [] { return static_cast<double>(ownership_cycles()[0]); }),
          measured_on_blocks(flash["flash.V13.release"], {},
                             [] { return static_cast<double>(ownership_cycles()[1]); }),
          measured_on_blocks(flash["flash.V14.acquire"], {},
                             [] { return static_cast<double>(robust_ownership_cycles()[0]); }),
          measured_on_blocks(flash["flash.V14.release"], {},
                             [] { return static_cast<double>(robust_ownership_cycles()[1]); })};
}

}  // namespace

std::vector<planned_row> flash_block_checks(const claims& flash) {
  rows_t rows;
  for (rows_t more :
       {memory_rows(flash), streaming_rows(flash), ownership_rows(flash), link_rows(flash)}) {
    for (planned_row& each : more) rows.push_back(std::move(each));
  }
  return rows;
}

}  // namespace tributary::validation
