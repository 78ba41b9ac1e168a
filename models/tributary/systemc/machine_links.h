// SPDX-License-Identifier: Apache-2.0
// The links of a machine whose elements and memory modules are arrays.
#pragma once

#include <cstddef>

#include <tributary/memory/packet.h>
#include <tributary/systemc/packet_link.h>

namespace tributary {

/// Six links of N lines: requests and replies before the network and behind it, and those of the
/// local ports, by which an element reaches its own memory module without the network.
struct machine_links {
  explicit machine_links(std::size_t lines)
      : requests_in("requests_in", lines),
        requests_out("requests_out", lines),
        local_requests("local_requests", lines),
        replies_in("replies_in", lines),
        replies_out("replies_out", lines),
        local_replies("local_replies", lines) {}

  /// Binds an `element_array_module`, a network (`omega_network_module` or another with its ports)
  /// and a `memory_array_module`.
  template <class Elements, class Network, class Memories>
  void join(Elements& elements, Network& network, Memories& memories) {
    elements.request_out(requests_in);
    network.request_in(requests_in);
    network.request_out(requests_out);
    memories.request_in(requests_out);
    memories.reply_out(replies_in);
    network.reply_in(replies_in);
    network.reply_out(replies_out);
    elements.reply_in(replies_out);
    elements.local_request_out(local_requests);
    memories.local_request_in(local_requests);
    memories.local_reply_out(local_replies);
    elements.local_reply_in(local_replies);
  }

  packet_link<packet> requests_in;   ///< from the elements
  packet_link<packet> requests_out;  ///< to memory
  packet_link<packet> local_requests;
  packet_link<reply> replies_in;   ///< from memory
  packet_link<reply> replies_out;  ///< to the elements
  packet_link<reply> local_replies;
};

}  // namespace tributary
