// SPDX-License-Identifier: Apache-2.0
// FLASH's rows of coherent reads and of interventions, on nodes with caches and nothing else.
#include <cstdint>
#include <utility>
#include <vector>

#include <support/coherent_machine.h>
#include <tributary/sim/error.h>

#include "flash_checks.h"

namespace tributary::validation {
namespace {

using rows_t = std::vector<planned_row>;

constexpr std::uint64_t line = 0x1000;

/// Three nodes in a row, neighbours as far apart as the publication's average, 22 cycles.
testing::coherent_config usual_nodes() {
  testing::coherent_config config(3);
  config.machine.network.topology = topology_kind::mesh;
  config.machine.network.columns = 3;
  config.machine.network.base_latency = 21;
  config.machine.network.hop_latency = 1;
  return config;
}

/// Cycles of node 1's read of a line of `home`, after `writer` has written it; nobody, if that is
/// node 1 itself.
double read_cycles(std::uint32_t home, std::uint32_t writer) {
  constexpr std::uint32_t reader = 1;
  testing::coherent_machine nodes(usual_nodes());
  const std::uint64_t address = nodes.address(home, line);
  if (writer != reader) nodes.write(writer, address, 1);
  return nodes.read_cycles(reader, address);
}

rows_t read_rows(const claims& flash) {
  const auto read = [&](const char* id, std::uint32_t home, std::uint32_t writer) {
    return measured_on_blocks(flash[id], {}, [=] { return read_cycles(home, writer); });
  };
  return {read("flash.V1", 1, 1), read("flash.V2", 0, 1), read("flash.V3", 0, 2),
          read("flash.V4.dirty_at_home", 0, 0),
          measured_on_blocks(flash["flash.V4.shared"], {}, [] {
            testing::coherent_machine nodes(usual_nodes());
            nodes.read(2, nodes.address(0, line));
            return nodes.read_cycles(1, nodes.address(0, line));
          })};
}

}  // namespace

std::vector<planned_row> flash_coherence_checks(const claims& flash) { return read_rows(flash); }

}  // namespace tributary::validation
