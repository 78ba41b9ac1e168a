// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/event_recorder.h>

#include <algorithm>

namespace tributary {

void event_recorder::end() {
  std::sort(events_.begin(), events_.end());
  for (const network_event& event : events_) observers_.notify(event);
  events_.clear();
  delivered_.clear();
}

void event_recorder::request(event_kind kind, std::int32_t stage, std::size_t port,
                             const packet& what, const request_id& other) {
  network_event event = place(kind, stage, port, what.id());
  event.other = other;
  event.function = what.kind;
  event.address = what.address();
  event.value = what.a;
  events_.push_back(event);
}

void event_recorder::response(event_kind kind, std::int32_t stage, std::size_t port,
                              const reply& what, const request_id& other) {
  network_event event = place(kind, stage, port, what.id());
  event.other = other;
  join(event, what);
  events_.push_back(event);
  if (kind == event_kind::delivered) delivered_.push_back(event);
}

void event_recorder::reply_departed(std::int32_t stage, std::size_t line, const reply& what) {
  network_event event = place(event_kind::reply_departed, stage, 0, what.id());
  event.switch_index = static_cast<std::uint32_t>(line % switches_);
  event.port = static_cast<std::uint32_t>(line / switches_);
  join(event, what);
  events_.push_back(event);
}

void event_recorder::join(network_event& event, const reply& what) const {
  event.value = what.value;
  if (interfaces_.knows(what.id())) {
    event.function = interfaces_.form_of(what.id());
    event.address = interfaces_.address_of(what.id());
    return;
  }
  // Delivered in this cycle, by an interface that was evaluated before the switch.
  const auto same = [&](const network_event& other) { return other.id == what.id(); };
  const auto found = std::find_if(delivered_.begin(), delivered_.end(), same);
  if (found == delivered_.end()) return;
  event.function = found->function;
  event.address = found->address;
}

network_event event_recorder::place(event_kind kind, std::int32_t stage, std::size_t port,
                                    const request_id& id) const {
  network_event event;
  event.cycle = cycle_;
  event.stage = stage;
  event.switch_index = static_cast<std::uint32_t>(inside(stage) ? port / 2 : port);
  event.port = static_cast<std::uint32_t>(inside(stage) ? port % 2 : 0);
  event.kind = kind;
  event.id = event.other = id;
  return event;
}

}  // namespace tributary
