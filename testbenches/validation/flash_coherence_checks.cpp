// SPDX-License-Identifier: Apache-2.0
// FLASH's rows of coherent reads: V1 to V4, the preset read_latency; loads whose line is
// invalidated before it comes.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <support/coherent_machine.h>
#include <support/usual_line.h>
#include <tributary/sim/error.h>

#include "flash_checks.h"

namespace tributary::validation {
namespace {

using testing::coherent_config;
using testing::coherent_machine;

constexpr std::uint64_t wanted_offset = 0x4000;
constexpr std::uint64_t other_offset = 0x8000;
constexpr word_t stored = 2;

/// Loads of node 1 whose line was invalidated before it came.
struct overtaken_loads {
  double all = 0;
  double wrong = 0;  ///< not refused and asked again, or not of the word that was stored
};

/// Node 1 asks for lines of node 0, which so many cycles later stores to the last of them. On a
/// slow link that line waits for the others; the invalidation has a lane of its own.
void load_and_store(std::uint64_t cycles_between, overtaken_loads& found) {
  coherent_config config(2);
  config.machine.network.topology = topology_kind::point_to_point;
  config.machine.network.bandwidth = 100;
  coherent_machine m(config);
  const std::uint64_t ratio = config.machine.node.caches.clock_ratio;
  const std::uint64_t wanted = m.address(0, wanted_offset);
  constexpr std::uint64_t others = 3;
  constexpr cycle_t begin = 10;
  testing::cached_processor& reader = *m.processors[1];
  for (std::uint64_t i = 0; i < others; ++i) {
    reader.offer_at(begin * ratio,
                    testing::load_of(m.address(0, other_offset + i * line_bytes), i));
  }
  reader.offer_at(begin * ratio, testing::load_of(wanted, others));
  m.processors[0]->offer_at((begin + cycles_between) * ratio, testing::store_of(wanted, stored));
  const auto done = [&] {
    return m.processors[0]->answers.size() == 1 && reader.answers.size() == others + 1 &&
           m.machine.idle();
  };
  constexpr cycle_t patience = 100'000;
  m.machine.run_until(patience, done);
  if (!done()) throw error("a load or a store is never answered");
  statistics_tree tree;
  m.machine.report(tree.root());
  const double conversions = tree.find("node.1.line_interface.conversions");
  if (conversions == 0) return;
  ++found.all;
  const auto answer = std::find_if(reader.answers.begin(), reader.answers.end(),
                                   [](const auto& each) { return each.tag == others; });
  const bool was_refused = tree.find("node.1.cache.refused") >= conversions;
  if (!was_refused || answer->value != stored || m.newest(wanted) != stored) ++found.wrong;
}

overtaken_loads overtake_at_all_distances() {
  constexpr std::uint64_t furthest = 400;
  constexpr std::uint64_t step = 4;
  overtaken_loads found;
  for (std::uint64_t between = 0; between <= furthest; between += step) {
    load_and_store(between, found);
  }
  return found;
}

}  // namespace

std::vector<planned_row> flash_coherence_checks(const claims& flash) {
  std::vector<planned_row> rows;
  for (const char* id :
       {"flash.V1", "flash.V2", "flash.V3", "flash.V4.dirty_at_home", "flash.V4.shared"}) {
    rows.push_back(statistic(flash[id], "transfer.read_latency"));
  }
  rows.push_back(measured_on_blocks(flash["flash.conversion.raced"], {},
                                    [] { return overtake_at_all_distances().all; }));
  rows.push_back(measured_on_blocks(flash["flash.conversion.wrong"], {},
                                    [] { return overtake_at_all_distances().wrong; }));
  return rows;
}

}  // namespace tributary::validation
