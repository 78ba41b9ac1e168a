// SPDX-License-Identifier: Apache-2.0
// Hosts with interfaces as bytes, and back.
#pragma once

#include <string>

#include <tributary/sim/state_archive.h>

#include <support/host_machine.h>

namespace tributary::testing {

inline std::string saved(const host_machine& hosts) {
  return save_state(hosts.machine.save(), hosts.work.save());
}
/// Into hosts of the same choice.
inline void restore(host_machine& hosts, const std::string& state) {
  std::string nodes;
  std::string programs;
  restore_state(state, nodes, programs);
  hosts.work.restore(programs);
  hosts.machine.restore(nodes);
}

}  // namespace tributary::testing
