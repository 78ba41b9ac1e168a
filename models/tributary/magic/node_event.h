// SPDX-License-Identifier: Apache-2.0
// What happens in a node, for traces.
#pragma once

#include <cstdint>

#include <tributary/base/cycle.h>
#include <tributary/base/ids.h>
#include <tributary/controller/handler_request.h>
#include <tributary/controller/message.h>

namespace tributary {

enum class node_event_kind : std::uint8_t {
  processor_request,  ///< an uncached access was taken from the processor; number: its tag
  processor_answer,   ///< the processor gets the answer in `last`; number: its tag, value: the word
  selected,           ///< by the inbox; number: inbox_input
  handled,            ///< a handler ran from `cycle` to `last`, its last busy cycle + 1
  sent,               ///< by a handler, into the outgoing queue of its lane
  departed,           ///< the head left for the network; the link is busy before `last`
  arrived,            ///< the head came from the network; the last word is there in `last`
  buffer_taken,       ///< number: the buffer
  buffer_freed,       ///< number: the buffer
  memory_read,        ///< first word in `cycle`, last word in `last`; address in `what`
  memory_written,     ///< the same
};

/// One event. Times are cycles of the node's clock.
struct node_event {
  cycle_t cycle = 0;
  cycle_t last = 0;
  node_id node{};
  node_event_kind kind = node_event_kind::selected;
  handler_id run = no_handler;  ///< of selected and handled
  std::uint32_t number = 0;
  word_t value = 0;
  message what;  ///< where it is about one
};

}  // namespace tributary
