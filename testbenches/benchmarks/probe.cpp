// SPDX-License-Identifier: Apache-2.0
#include "probe.h"

#include <cstdio>
#include <memory>

#include <tributary/sim/error.h>

namespace tributary::benchmarks {

probe_figures run_probe(const std::string& program, const std::string& arguments) {
  const std::string command = "'" + program + "' " + arguments;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(popen(command.c_str(), "r"), pclose);
  probe_figures found;
  if (output == nullptr ||
      std::fscanf(output.get(), "%lf %lf", &found.seconds, &found.megabytes) != 2) {
    throw error(command + " gave no figures");
  }
  return found;
}

}  // namespace tributary::benchmarks
