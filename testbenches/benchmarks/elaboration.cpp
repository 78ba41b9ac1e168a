// SPDX-License-Identifier: Apache-2.0
#include "elaboration.h"

#include "probe.h"

namespace tributary::benchmarks {

std::vector<elaboration_cost> measure_elaboration(const std::string& program,
                                                  const std::vector<std::uint32_t>& sizes,
                                                  unsigned times) {
  std::vector<elaboration_cost> costs;
  for (const std::uint32_t elements : sizes) costs.push_back({elements, {}, {}});
  for (unsigned i = 0; i < times; ++i) {
    for (elaboration_cost& each : costs) {
      const probe_figures found = run_probe(program, std::to_string(each.elements));
      each.seconds.push_back(found.seconds);
      each.megabytes.push_back(found.megabytes);
    }
  }
  return costs;
}

}  // namespace tributary::benchmarks
