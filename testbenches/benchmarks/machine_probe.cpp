// SPDX-License-Identifier: Apache-2.0
// machine_probe uniform|polling N WARMUP CYCLES: simulates a machine of N elements and prints the
// CPU seconds of the cycles after the warm-up and the megabytes that the process had at most.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include "opponents.h"
#include "process_cost.h"

int main(int argc, char** argv) {
  using namespace tributary::benchmarks;
  const std::string traffic = argc == 5 ? argv[1] : "";
  if (traffic != "uniform" && traffic != "polling") {
    std::fputs("usage: machine_probe uniform|polling N WARMUP CYCLES\n", stderr);
    return 2;
  }
  try {
    const auto elements = static_cast<std::uint32_t>(std::stoul(argv[2]));
    const bench_case chosen =
        traffic == "uniform" ? uniform_case(elements) : polling_case("improved", elements);
    tributary::ultracomputer machine(chosen.machine, 1);
    machine.step(std::stoull(argv[3]));
    machine.reset_statistics();
    const double begin = cpu_seconds();
    machine.step(std::stoull(argv[4]));
    const double seconds = cpu_seconds() - begin;
    std::printf("%.6f %.3f\n", seconds, peak_megabytes());
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "machine_probe: %s\n", problem.what());
    return 2;
  }
}
