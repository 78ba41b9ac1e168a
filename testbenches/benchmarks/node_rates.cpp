// SPDX-License-Identifier: Apache-2.0
#include "node_rates.h"

#include "process_cost.h"

namespace tributary::benchmarks {
namespace {

constexpr std::uint64_t warmup = 2'000;

void measure(node_cost& cost) {
  busy_nodes machine(cost.nodes, cost.traffic);
  machine.step(warmup);
  const std::uint64_t before = machine.dispatches();
  const double begin = cpu_seconds();
  machine.step(cost.cycles);
  cost.seconds.push_back(cpu_seconds() - begin);
  cost.dispatches = machine.dispatches() - before;
}

}  // namespace

std::vector<node_cost> measure_nodes(unsigned times) {
  std::vector<node_cost> costs{{node_traffic::loads, 2, 8'000'000, 0, {}},
                               {node_traffic::copies, 2, 4'000'000, 0, {}},
                               {node_traffic::copies, 16, 500'000, 0, {}},
                               {node_traffic::copies, 128, 60'000, 0, {}}};
  for (unsigned i = 0; i < times; ++i) {
    for (node_cost& each : costs) measure(each);
  }
  return costs;
}

}  // namespace tributary::benchmarks
