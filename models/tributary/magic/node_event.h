// SPDX-License-Identifier: Apache-2.0
// What happens in a node, for traces.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include <tributary/controller/handler_request.h>
#include <tributary/controller/message.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/observer.h>

namespace tributary {

/// What happened.
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

/// The order in which observers are told of what a node did in one cycle.
inline bool operator<(const node_event& a, const node_event& b) {
  const auto key = [](const node_event& of) {
    return std::tie(of.kind, of.cycle, of.last, of.number, of.run, of.what.address, of.what.type,
                    of.value);
  };
  return key(a) < key(b);
}

/// The events of one node in one cycle. Engines run what happens in a cycle in orders of their own;
/// observers are told in one that all have.
class gathered_node_events final : public observer<node_event> {
 public:
  void on_event(const node_event& event) override { events_.push_back(event); }
  /// At the end of the cycle.
  void tell(const observer_list<node_event>& observers) {
    std::stable_sort(events_.begin(), events_.end());
    for (const node_event& event : events_) observers.notify(event);
    events_.clear();
  }

 private:
  std::vector<node_event> events_;
};

}  // namespace tributary
