// SPDX-License-Identifier: Apache-2.0
// What crosses a link of virtual channels in one cycle.
#pragma once

#include <cstdint>

#include <tributary/sim/state.h>

namespace tributary {

/// A flit. All flits of a packet say the same of it, so that a switch needs nothing else.
struct channel_flit {
  std::uint32_t packet = 0;       ///< number of the packet
  std::uint32_t age = 0;          ///< packets sent earlier have lower ones; wraps around
  std::uint16_t destination = 0;  ///< the switch with the host that receives it
  std::uint16_t flits = 1;        ///< of the packet
  std::uint8_t host_port = 0;     ///< of that host, at its switch
  std::uint8_t lane = 0;          ///< of the message
  std::uint8_t channel = 0;       ///< the virtual channel by which it comes, or leaves
  std::uint8_t misroutes = 0;     ///< hops of the packet that brought it no nearer
  bool head = false;              ///< the first of its packet
  bool tail = false;              ///< the last of its packet

  TRIBUTARY_STATE(packet, age, destination, flits, host_port, lane, channel, misroutes, head, tail);
};

}  // namespace tributary
