// SPDX-License-Identifier: Apache-2.0
// The registers behind the links of combining switches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/memory/packet.h>
#include <tributary/sim/state.h>

namespace tributary {

/// What arrived at a column of switches in one cycle and enters its queues in the next (cycle
/// contract, rule 13): requests in the order of processor-side lines, responses in that of
/// memory-side ports.
struct link_registers {
  /// By processor-side line.
  struct registered_request {
    std::uint64_t line = 0;
    packet request;

    friend bool operator==(const registered_request& x, const registered_request& y) {
      return x.line == y.line && x.request == y.request;
    }
    TRIBUTARY_STATE(line, request);
  };
  /// By memory-side port.
  struct registered_reply {
    std::uint64_t port = 0;
    reply response;

    friend bool operator==(const registered_reply& x, const registered_reply& y) {
      return x.port == y.port && x.response == y.response;
    }
    TRIBUTARY_STATE(port, response);
  };

  std::vector<registered_request> requests;
  std::vector<registered_reply> replies;

  bool empty() const { return requests.empty() && replies.empty(); }
  void clear() {
    requests.clear();
    replies.clear();
  }
  friend bool operator==(const link_registers& x, const link_registers& y) {
    return x.requests == y.requests && x.replies == y.replies;
  }
  TRIBUTARY_STATE(requests, replies);
};

}  // namespace tributary
