// SPDX-License-Identifier: Apache-2.0
// FLASH's rows of lines that caches have dirty: V7 to V9, what the controller asks of the
// processor's caches; V18, V19, V36 and V37, handlers of the block transfer whose source is dirty;
// V48, a destination line on its way home.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <support/coherent_transfers.h>
#include <support/scripted_machine.h>
#include <support/usual_line.h>
#include <tributary/sim/error.h>

#include "flash_checks.h"

namespace tributary::validation {
namespace {

using rows_t = std::vector<planned_row>;
using testing::coherent_machine;
using testing::coherent_transfers;
using testing::coherent_transfers_config;

constexpr std::uint64_t source_offset = 0x4000;
constexpr std::uint64_t destination_offset = 0x8000;

// --- what the controller asks of the caches ------------------------------------------------------

/// Two lines that the processor of node 0 has dirty, and a handler there.
class asked_caches {
 public:
  using body = std::function<void(handler_context&, asked_caches&)>;

  explicit asked_caches(const body& run)
      : machine_(testing::coherent_config(2), [this, run](auto coherence) {
          testing::script bodies;
          bodies.write = [this, run](handler_context& context) { run(context, *this); };
          return testing::list_of(std::move(coherence),
                                  std::make_unique<testing::scripted_protocol>(bodies));
        }) {
    machine_.write(0, line(0), 1);
    machine_.write(0, line(1), 1);
    machine_.machine.node(0).processor().offer(0, posted_store(0x100, 0), machine_.machine.now());
  }
  std::string run() {
    return testing::failure<simulation_error>(
        [this] { machine_.machine.run_until(machine_.machine.now() + 1000); });
  }
  std::uint64_t line(std::uint64_t i) const {
    return machine_.address(0, source_offset + i * line_bytes);
  }
  line_state state(std::uint64_t i) const {
    return machine_.machine.node(0).caches()->state_of(line(i));
  }

 private:
  coherent_machine machine_;
};

/// Cycles from the request until what was asked for is there.
struct intervention_times {
  double state = 0;
  double first = 0;
  double last = 0;
  double second_first = 0;  ///< of a second line, asked for at once
  bool stays_shared = false;
};

intervention_times intervene() {
  intervention_times found;
  asked_caches caches([&found](handler_context& context, asked_caches& asked) {
    const auto one = context.allocate();
    const auto two = context.allocate();
    const cycle_t begun = context.now();
    const auto since = [&] { return static_cast<double>(context.now() - begun); };
    context.intervene(intervention::get, asked.line(0), *one, true);
    context.intervene(intervention::get, asked.line(1), *two, true);
    static_cast<void>(context.state_reply());
    found.state = since();
    static_cast<void>(context.word(*one, 0));
    found.first = since();
    static_cast<void>(context.word(*one, line_words - 1));
    found.last = since();
    static_cast<void>(context.state_reply());
    static_cast<void>(context.word(*two, 0));
    found.second_first = since();
    context.release(*one);
    context.release(*two);
  });
  if (!caches.run().empty()) throw error("an intervention ends with an error");
  found.stays_shared = caches.state(0) == line_state::shared;
  return found;
}

/// Whether a handler is stopped that asks for a third state while two are unread.
bool third_is_refused() {
  asked_caches caches([](handler_context& context, asked_caches& asked) {
    for (int i = 0; i < 3; ++i) {
      context.intervene(intervention::invalidate, asked.line(0), no_payload, true);
    }
    for (int i = 0; i < 3; ++i) static_cast<void>(context.state_reply());
  });
  return caches.run().find("state replies") != std::string::npos;
}

/// Whether the states of two lines come in the order in which they were asked for, of a line that
/// is there and one that is not.
bool states_come_in_order() {
  constexpr std::uint64_t dirty = 0;
  constexpr std::uint64_t absent = 5;
  const auto states_of = [](std::uint64_t first, std::uint64_t second) {
    std::pair<line_state, line_state> states;
    asked_caches caches([&](handler_context& context, asked_caches& asked) {
      context.intervene(intervention::invalidate, asked.line(first), no_payload, true);
      context.intervene(intervention::invalidate, asked.line(second), no_payload, true);
      states.first = context.state_reply();
      states.second = context.state_reply();
    });
    if (!caches.run().empty()) throw error("an intervention ends with an error");
    return states;
  };
  return states_of(dirty, absent) == std::pair(line_state::modified, line_state::invalid) &&
         states_of(absent, dirty) == std::pair(line_state::invalid, line_state::modified);
}

rows_t intervention_rows(const claims& flash) {
  const std::vector<std::pair<const char*, double intervention_times::*>> times{
      {"flash.V7.state", &intervention_times::state},
      {"flash.V7.first", &intervention_times::first},
      {"flash.V7.last", &intervention_times::last},
      {"flash.V8", &intervention_times::second_first}};
  rows_t rows;
  for (const auto& [id, which] : times) {
    rows.push_back(measured_on_blocks(flash[id], {}, [one = which] { return intervene().*one; }));
  }
  rows.push_back(measured_on_blocks(flash["flash.V7.shared"], {},
                                    [] { return intervene().stays_shared ? 1.0 : 0.0; }));
  rows.push_back(
      measured_on_blocks(flash["flash.V9"], {}, [] { return third_is_refused() ? 1.0 : 0.0; }));
  rows.push_back(measured_on_blocks(flash["flash.V9.order"], {},
                                    [] { return states_come_in_order() ? 1.0 : 0.0; }));
  return rows;
}

// --- handlers whose source is dirty --------------------------------------------------------------

double greatest(coherent_transfers& m, const std::string& handler) {
  statistics_tree tree;
  m.nodes().report(tree.root());
  return tree.find("node.0.protocol_processor.handler.block_transfer." + handler + ".max");
}

/// A copy that takes whole invocations at each size of a chunk, by handlers of the locally coherent
/// implementation.
struct long_copy {
  static constexpr std::uint64_t lines = 60;
  static constexpr std::uint64_t bytes = lines * line_bytes;
  std::uint32_t chunk = 1;
  bool dirty = true;
  std::uint64_t shift = 0;  ///< of the source against the destination, bytes

  /// The greatest occupancy of a handler at the source.
  double occupancy(const std::string& handler) const {
    coherent_transfers_config config(2);
    config.transfer.page_bytes = 8192;
    config.transfer.chunk = chunk;
    config.transfer_costs.transfer.base = 55;
    config.transfer_costs.transfer.dirty = 18;
    config.transfer_costs.transfer.last = 0;
    // So that no invocation finds its queue full.
    config.machine.network.bandwidth = 800;
    coherent_transfers m(config);
    m.fill_memory(0, source_offset, 8192);
    for (std::uint64_t at = source_offset; dirty && at < source_offset + bytes + shift;
         at += line_bytes) {
      m.machine.write(0, m.address(0, at), at);
    }
    m.copy(0, source_offset + shift, 1, destination_offset + 8192, bytes);
    return greatest(m, handler);
  }
};

/// The source against the destination where lines are realigned.
constexpr std::uint64_t realigning = 8;

/// A line that is dirty when it is sent again: the processor writes the source while the
/// destination, which many share, refuses lines.
double retry_of_dirty() {
  constexpr std::uint64_t page = 4096;
  coherent_transfers_config config(8);
  config.machine.node.network_interface.out_depth = 4;
  coherent_transfers m(config);
  m.fill_memory(0, source_offset, page);
  for (std::uint64_t at = 0; at < page; at += line_bytes) {
    for (std::uint32_t node = 0; node < 8; ++node) {
      m.machine.read(node, m.address(1, destination_offset + at));
    }
  }
  // One store after the other.
  testing::cached_processor& processor = *m.machine.processors[0];
  std::uint64_t stores = 0;
  const auto store = [&](cycle_t when) {
    constexpr std::uint64_t most = 400;
    if (++stores > most) return;
    const std::uint64_t address = m.address(0, source_offset + stores % 32 * line_bytes);
    processor.offer_at(when, testing::store_of(address, stores));
  };
  processor.on_answer = [&](const testing::cached_processor::answer& got) {
    store(got.cycle + 100);
  };
  store(m.nodes().now() * m.nodes().config().node.caches.clock_ratio + 4000);
  m.copy(0, source_offset, 1, destination_offset, page);
  return greatest(m, "retry");
}

/// The row of a size of the chunk.
planned_row measured_at(const family& claim, double chunk, double (*number)(std::uint32_t)) {
  const std::string suffix = id_text(chunk);
  planned_row row = claim.has("published") ? claim.published_member(suffix) : claim.row(suffix);
  row.shape.configuration = json_value::make_object();
  row.shape.configuration.set("block_transfer.chunk",
                              json_value(static_cast<std::uint32_t>(chunk)));
  row.measure = [number, chunk](const point_results&) {
    return number(static_cast<std::uint32_t>(chunk));
  };
  return row;
}

rows_t dirty_source_rows(const claims& flash) {
  rows_t rows;
  const family handler = flash["flash.V18"];
  for (const double chunk : handler.numbers("chunks")) {
    rows.push_back(measured_at(handler, chunk, [](std::uint32_t n) {
      return long_copy{n, true, 0}.occupancy("transfer");
    }));
  }
  rows.push_back(measured_on_blocks(flash["flash.V19.unchunked_dirty"], {}, [] {
    return long_copy{0, true, 0}.occupancy("transfer");
  }));
  rows.push_back(measured_on_blocks(flash["flash.V19.retry_dirty"], {}, retry_of_dirty));
  const family realigned = flash["flash.V36.dirty"];
  const std::vector<double> cycles = realigned.numbers("cycles");
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    rows.push_back(measured_at(realigned, realigned.numbers("chunks").at(i), [](std::uint32_t n) {
      const long_copy copy{n, true, realigning};
      return (copy.occupancy("collect") + copy.occupancy("transfer_realigned")) / n;
    }));
    rows.back().shape.expected.low = rows.back().shape.expected.high = cycles[i];
  }
  const family difference = flash["flash.V37"];
  for (const double chunk : difference.numbers("chunks")) {
    rows.push_back(measured_at(difference, chunk, [](std::uint32_t n) {
      return (long_copy{n, true, realigning}.occupancy("collect") -
              long_copy{n, false, realigning}.occupancy("collect")) /
             n;
    }));
  }
  return rows;
}

// --- a write-back that meets a new line ----------------------------------------------------------

struct races {
  double lost = 0;   ///< copies whose line was on its way home when it was to be dropped
  double wrong = 0;  ///< copies whose words are not the source's at the end
};

/// Node 2 has the destination's line dirty, and evicts it at one time after the other.
races race_with_write_backs() {
  constexpr std::uint64_t times = 60;
  races found;
  for (std::uint64_t i = 0; i < times; ++i) {
    coherent_transfers_config config(3);
    config.machine.node.caches.levels.levels = {{line_bytes, 1, line_bytes, 0}};
    coherent_transfers m(config);
    m.fill_memory(0, source_offset, line_bytes);
    const std::uint64_t line = m.address(1, destination_offset);
    m.machine.write(2, line, 5);
    const std::uint64_t ratio = m.nodes().config().node.caches.clock_ratio;
    constexpr std::uint64_t first = 600;
    constexpr std::uint64_t step = 10;
    m.machine.processors[2]->offer_at((m.nodes().now() + first + step * i) * ratio,
                                      testing::load_of(m.address(2, 0x2000)));
    m.copy(0, source_offset, 1, destination_offset, line_bytes);
    if (m.newest_words(1, destination_offset, line_bytes) !=
        m.newest_words(0, source_offset, line_bytes)) {
      ++found.wrong;
    }
    if (m.runs("block_transfer.line_refused") != 0) ++found.lost;
  }
  return found;
}

rows_t race_rows(const claims& flash) {
  return {
      measured_on_blocks(flash["flash.V48.raced"], {}, [] { return race_with_write_backs().lost; }),
      measured_on_blocks(flash["flash.V48.wrong"], {},
                         [] { return race_with_write_backs().wrong; })};
}

}  // namespace

std::vector<planned_row> flash_dirty_lines(const claims& flash) {
  rows_t rows;
  for (rows_t more : {intervention_rows(flash), dirty_source_rows(flash), race_rows(flash)}) {
    for (planned_row& each : more) rows.push_back(std::move(each));
  }
  return rows;
}

}  // namespace tributary::validation
