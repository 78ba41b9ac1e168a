// SPDX-License-Identifier: Apache-2.0
// A message to all hosts along a tree, by multi-sends or by unicasts.
#pragma once

#include <cstdint>

#include <tributary/algorithms/collective_tree.h>
#include <tributary/algorithms/multi_send_driver.h>

namespace tributary {

/// How a host passes a message on.
struct multicast_way {
  bool assisted = true;    ///< by multi-sends; else a unicast for each child
  bool pipelined = false;  ///< each packet once it has come; else the message once it is whole
};

/// What the host of that rank does: receives the message to an address of its memory and sends it
/// to its children. Rank 0 has it there. All hosts call it.
void multicast(multi_send_driver& driver, std::uint32_t rank, const collective_tree& tree,
               const multicast_way& way, std::uint64_t at, std::uint64_t bytes);

}  // namespace tributary
