// SPDX-License-Identifier: Apache-2.0
#include "elaboration.h"

#include <cstdio>
#include <memory>

#include <tributary/base/error.h>

namespace tributary::benchmarks {
namespace {

void run_probe(const std::string& program, elaboration_cost& cost) {
  const std::string command = "'" + program + "' " + std::to_string(cost.elements);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(popen(command.c_str(), "r"), pclose);
  double seconds = 0;
  double megabytes = 0;
  if (output == nullptr || std::fscanf(output.get(), "%lf %lf", &seconds, &megabytes) != 2) {
    throw error(command + " gave no figures");
  }
  cost.seconds.push_back(seconds);
  cost.megabytes.push_back(megabytes);
}

}  // namespace

std::vector<elaboration_cost> measure_elaboration(const std::string& program,
                                                  const std::vector<std::uint32_t>& sizes,
                                                  unsigned times) {
  std::vector<elaboration_cost> costs;
  for (const std::uint32_t elements : sizes) costs.push_back({elements, {}, {}});
  for (unsigned i = 0; i < times; ++i) {
    for (elaboration_cost& each : costs) run_probe(program, each);
  }
  return costs;
}

}  // namespace tributary::benchmarks
