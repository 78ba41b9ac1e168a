// SPDX-License-Identifier: Apache-2.0
// An observer that keeps what it is told.
#pragma once

#include <vector>

#include <tributary/sim/observer.h>

namespace tributary::testing {

template <class Event>
class event_list final : public observer<Event> {
 public:
  void on_event(const Event& event) override { events.push_back(event); }

  std::vector<Event> events;
};

}  // namespace tributary::testing
