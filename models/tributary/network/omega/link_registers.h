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
/// contract, rule 13): both in the order of their places.
struct link_registers {
  /// A message, and the line or port that it arrived at.
  template <class Message>
  struct registered {
    std::uint64_t place = 0;
    Message message;

    friend bool operator==(const registered& x, const registered& y) {
      return x.place == y.place && x.message == y.message;
    }
    TRIBUTARY_STATE(place, message);
  };

  std::vector<registered<packet>> requests;  ///< by processor-side line
  std::vector<registered<reply>> replies;    ///< by memory-side port

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
