// SPDX-License-Identifier: Apache-2.0
// The events of a request's life in a network, and where blocks report them.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tributary/memory/operation.h>
#include <tributary/memory/packet.h>
#include <tributary/trace/event.h>

namespace tributary {

/// The kinds, in the order in which a request meets them. Address and value are those of the
/// request, or of the response the word; a response carries no address and no form, so the ones
/// that its element asked for are joined (a request's form is what it carries after combining).
namespace request_events {

/// The form of a request, or what the element of a response asked for.
inline constexpr event_detail form_detail{"form", 0, 8};

/// What was asked for, an `operation`, of events that carry a function. Logs do not show it.
inline constexpr event_detail operation_detail{"operation", 8, 8};

/// A kind with all that the request's events have in common.
constexpr event_kind kind(const char* name, unsigned order, const char* link,
                          std::array<stay_change, 3> changes = {}) {
  event_kind kind;
  kind.name = name;
  kind.order = order;
  kind.has_address = true;
  kind.has_value = true;
  kind.link = link;
  kind.asked = &operation_detail;
  kind.changes = changes;
  kind.details = {&form_detail};
  return kind;
}
/// The same, after which the request stays with its parent.
constexpr event_kind joining(event_kind kind) {
  kind.joins = true;
  return kind;
}
/// The same, by which the request parts from its parent.
constexpr event_kind parting(event_kind kind) {
  kind.parts = true;
  return kind;
}

/// A stay that begins on the track of the event.
constexpr stay_change begins(const char* stay) { return {stay, true, false, false}; }
/// A stay that ends.
constexpr stay_change ends(const char* stay) { return {stay, false, false, false}; }
/// The same of who had joined.
constexpr stay_change of_joined(stay_change change) {
  change.of_joined = true;
  return change;
}
/// A response enters the reverse queue of the next switch.
inline constexpr stay_change enters_next_reverse_queue{"waiting_replies", true, false, true};

/// The first switch, or a local port, took the request from its network interface.
inline constexpr event_kind accepted = kind("accepted", 0, "request", {begins("request")});
/// A combining queue took it as an entry of its own.
inline constexpr event_kind inserted = kind("inserted", 1, nullptr, {begins("waiting")});
/// It joined its parent, which waits, and goes no further.
inline constexpr event_kind combined = joining(kind("combined", 2, nullptr, {begins("combined")}));
/// The same in a queue that had inserted it.
inline constexpr event_kind combined_after_insertion =
    joining(kind("combined", 2, nullptr, {begins("combined"), ends("waiting")}));
/// It left a switch towards memory; who had joined it waits in the wait buffer.
inline constexpr event_kind departed =
    kind("departed", 3, "request",
         {ends("waiting"), of_joined(ends("combined")), of_joined(begins("wait_buffer"))});
/// The memory module took it.
inline constexpr event_kind served = kind("served", 4, "request", {begins("service")});
/// The memory module handed the response to the network.
inline constexpr event_kind replied =
    kind("replied", 5, "reply", {ends("service"), enters_next_reverse_queue});
/// Its parent's response brought its own out of the wait buffer.
inline constexpr event_kind decombined =
    parting(kind("decombined", 6, nullptr, {ends("wait_buffer"), enters_next_reverse_queue}));
/// The response left a switch towards its processor.
inline constexpr event_kind reply_departed =
    kind("reply_departed", 7, "reply", {ends("waiting_replies"), enters_next_reverse_queue});
/// The same from the first stage, behind which there are elements.
inline constexpr event_kind reply_departed_to_element =
    kind("reply_departed", 7, "reply", {ends("waiting_replies")});
/// The network interface took the response. A local port's does not pass `replied`.
inline constexpr event_kind delivered =
    kind("delivered", 8, "reply", {ends("service"), ends("request")});

/// The form among an event's details.
inline form form_of(const trace_event& event) {
  return static_cast<form>(form_detail.in(event.details));
}

}  // namespace request_events

/// A request in traces; its number there is its own.
constexpr trace_identity identity_of(const request_id& id) {
  return trace_identity::reference(id.pe, id.sequence);
}
/// The request of an identity.
inline request_id request_of(trace_identity identity) {
  return {static_cast<std::uint32_t>(identity.sequence()),
          static_cast<std::uint16_t>(identity.origin())};
}

/// Stages of events that happen at the ends of the network.
inline constexpr std::int32_t processor_side = -1;

/// Told of events by the block in which they happen. `stage`: 0 at the processing elements to k - 1
/// at the memory, `processor_side` or k at the ends. `port`, counted over the stage: memory-side
/// port 2 * switch + output, element or module at the ends. `parent`: the request's own identity,
/// or the one that it joined or that brought it.
class request_event_sink {
 public:
  static constexpr bool enabled = true;

  request_event_sink() = default;
  request_event_sink(const request_event_sink&) = delete;
  request_event_sink& operator=(const request_event_sink&) = delete;
  virtual ~request_event_sink() = default;

  virtual void request(const event_kind& kind, std::int32_t stage, std::size_t port,
                       const packet& request, const request_id& parent) = 0;
  virtual void response(const event_kind& kind, std::int32_t stage, std::size_t port,
                        const reply& response, const request_id& parent) = 0;
  /// A reply leaves by processor-side line `line` of the stage: input * switches + switch.
  virtual void reply_departed(std::int32_t stage, std::size_t line, const reply& response) = 0;
};

/// Sees nothing, at no cost.
struct no_events {
  static constexpr bool enabled = false;
  void request(const event_kind&, std::int32_t, std::size_t, const packet&,
               const request_id&) const {}
  void response(const event_kind&, std::int32_t, std::size_t, const reply&,
                const request_id&) const {}
  void reply_departed(std::int32_t, std::size_t, const reply&) const {}
};

}  // namespace tributary
