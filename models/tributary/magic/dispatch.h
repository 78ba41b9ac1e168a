// SPDX-License-Identifier: Apache-2.0
// What the inbox takes messages from, and what it hands to the protocol processor.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tributary/controller/handler_request.h>
#include <tributary/controller/message.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/state.h>

namespace tributary {

/// Queues from which the inbox selects, in no order of priority (FLASH 2.3.1).
enum class inbox_input : std::uint8_t {
  processor,
  request_lane,
  reply_lane,
  third_lane,
  fourth_lane,
  software_queue,
  idle_handler
};
/// How many there are.
inline constexpr std::size_t inbox_inputs = 7;

/// A queue from which the inbox selects.
class inbox_source {
 public:
  /// The message that would be taken next, with its payload's buffer allocated; null if there is
  /// none in `now`. One that has no buffer yet because all are in use does not show.
  virtual const message* front(cycle_t now) = 0;
  /// Takes that message.
  virtual message take(cycle_t now) = 0;

 protected:
  ~inbox_source() = default;
};

/// A handler that was selected, with its message.
struct dispatch {
  handler_id run = no_handler;
  message header;
  inbox_input from = inbox_input::processor;
  /// Sends that are promised to it (controller/promised_sends.h) and that it has not made.
  std::uint32_t requests = 0;
  std::uint32_t replies = 0;
  cycle_t ready = 0;  ///< the first cycle in which the protocol processor may begin it

  TRIBUTARY_STATE(run, header, from, requests, replies, ready);
};

}  // namespace tributary
