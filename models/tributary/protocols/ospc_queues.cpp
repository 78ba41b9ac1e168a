// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/ospc_queues.h>

#include <tributary/sim/parameters.h>

namespace tributary {

void ospc_config::bind(parameter_set& parameters) {
  parameters.add(
      "depth", depth, {1, 1024}, "records",
      "Calls of the operating system that each of the two queues holds (not published).");
}

std::uint64_t ospc_queues::storage_bytes(line_size line) const {
  return (2 + ospc_priorities * std::uint64_t{config_.depth}) * line.bytes();
}

void ospc_queues::place(std::uint64_t address, line_size line) {
  base_ = address;
  line_ = line;
}

}  // namespace tributary
