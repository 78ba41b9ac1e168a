// SPDX-License-Identifier: Apache-2.0
// What an observer of the network sees.
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include <tributary/memory/packet.h>
#include <tributary/sim/cycle.h>

namespace tributary {

/// The events of a request's life, in the order in which it meets them.
enum class event_kind : std::uint8_t {
  accepted,        ///< the first switch took the request from its network interface
  inserted,        ///< a combining queue took the request as an entry of its own
  combined,        ///< the request joined a waiting one and goes no further
  departed,        ///< the request left a switch towards memory
  served,          ///< the memory module took the request
  replied,         ///< the memory module handed the response to the network
  decombined,      ///< a wait buffer yielded the response of a request that had combined
  reply_departed,  ///< a response left a switch towards its processor
  delivered        ///< the network interface took the response
};

/// The name in event logs, that of the enumerator.
std::string_view name_of(event_kind kind);

/// Stages of events that happen at the ends of the network.
inline constexpr std::int32_t processor_side = -1;

/// One event. Where: stage 0 at the processing elements to k - 1 at the memory, `processor_side`
/// or k at the ends, whose switch is the element or module and whose port is 0; port: the
/// memory-side port of a request or a decombining, the processor-side port of a departing reply.
struct network_event {
  cycle_t cycle = 0;
  std::int32_t stage = 0;
  std::uint32_t switch_index = 0;
  std::uint32_t port = 0;
  event_kind kind = event_kind::accepted;
  request_id id;
  /// Of `combined`: the waiting request that it joined; of `decombined`: the one whose response
  /// brought this one; else the identity itself.
  request_id other;
  /// Form and byte address; replies carry neither, so the platform joins them by identity, with the
  /// form that the element asked for (a request's is the one it carries after combining).
  form function = form::identity;
  std::uint64_t address = 0;
  /// Operand a of a request, the word of a response.
  word_t value = 0;
};

/// The order in which traces list the events of a run, whatever engine produced them.
inline bool operator<(const network_event& x, const network_event& y) {
  const auto key = [](const network_event& e) {
    return std::tuple(e.cycle, e.stage, e.switch_index, e.port, e.kind, e.id.pe, e.id.sequence);
  };
  return key(x) < key(y);
}

}  // namespace tributary
