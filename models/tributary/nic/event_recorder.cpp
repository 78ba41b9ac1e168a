// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/event_recorder.h>

#include <optional>
#include <utility>

#include <tributary/sim/for_each_set.h>

namespace tributary {
namespace {

/// The order of `network_event`'s operator< among events of one cycle and place.
bool before(const network_event& x, const network_event& y) {
  return x.kind != y.kind ? x.kind < y.kind : x.id < y.id;
}

}  // namespace

event_recorder::event_recorder(const network_interface& interfaces, unsigned stages,
                               std::size_t lines)
    : interfaces_(interfaces),
      stages_(static_cast<std::int32_t>(stages)),
      lines_(lines),
      first_((stages + 2) * lines, none),
      has_events_(first_.size()) {}

void event_recorder::end() {
  if (entries_.empty()) return;
  for_each_set(has_events_, 1, [&](std::size_t place) {
    has_events_[place] = 0;
    std::uint32_t at = std::exchange(first_[place], none);
    for (; at != none; at = entries_[at].next) observers_.notify(entries_[at].event);
  });
  entries_.clear();
}

void event_recorder::request(event_kind kind, std::int32_t stage, std::size_t port,
                             const packet& what, const request_id& other) {
  network_event& event = add(kind, stage, port, what.id());
  event.other = other;
  event.function = what.kind;
  event.address = what.address();
  event.value = what.a;
}

void event_recorder::response(event_kind kind, std::int32_t stage, std::size_t port,
                              const reply& what, const request_id& other) {
  network_event& event = add(kind, stage, port, what.id());
  event.other = other;
  join(event, what);
}

void event_recorder::reply_departed(std::int32_t stage, std::size_t line, const reply& what) {
  const std::size_t switches = lines_ / 2;
  const std::size_t port = line < switches ? 2 * line : 2 * (line - switches) + 1;
  join(add(event_kind::reply_departed, stage, port, what.id()), what);
}

void event_recorder::join(network_event& event, const reply& what) const {
  event.value = what.value;
  const std::optional<asked_request> outstanding = interfaces_.find_request(what.id());
  const asked_request asked = outstanding ? *outstanding : delivered_request(what.id());
  event.function = asked.function;
  event.address = asked.address;
}

/// Of a request that was delivered in this cycle, by an interface evaluated before the switch.
asked_request event_recorder::delivered_request(const request_id& id) const {
  std::uint32_t at = first_[place_of(processor_side, id.pe)];
  for (; at != none; at = entries_[at].next) {
    const network_event& event = entries_[at].event;
    if (event.kind == event_kind::delivered && event.id == id) {
      return {event.address, event.function};
    }
  }
  return {};
}

network_event& event_recorder::add(event_kind kind, std::int32_t stage, std::size_t port,
                                   const request_id& id) {
  network_event& event = entries_.emplace_back().event;
  event.cycle = cycle_;
  event.stage = stage;
  event.switch_index = static_cast<std::uint32_t>(inside(stage) ? port / 2 : port);
  event.port = static_cast<std::uint32_t>(inside(stage) ? port % 2 : 0);
  event.kind = kind;
  event.id = event.other = id;
  link(place_of(stage, port));
  return event;
}

/// Puts the last entry into its place's list, behind those that come before it.
void event_recorder::link(std::size_t place) {
  entry& added = entries_.back();
  std::uint32_t* at = &first_[place];
  while (*at != none && before(entries_[*at].event, added.event)) at = &entries_[*at].next;
  added.next = *at;
  *at = static_cast<std::uint32_t>(entries_.size() - 1);
  has_events_[place] = 1;
}

}  // namespace tributary
