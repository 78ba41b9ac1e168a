// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/request_trace.h>

#include <algorithm>
#include <optional>

namespace tributary {
namespace {

/// Form and operation of a function.
std::uint64_t details_of(const word_function& function) {
  // Not asked for, as many requests are loads and each is seen at every hop.
  if (function == word_function{}) {
    return request_events::form_detail.put(static_cast<std::uint64_t>(form::identity)) |
           request_events::operation_detail.put(static_cast<std::uint64_t>(operation::load));
  }
  const std::optional<operation> asked = operation_of(function);
  const event_detail& detail = request_events::operation_detail;
  return request_events::form_detail.put(static_cast<std::uint64_t>(function.kind)) |
         detail.put(asked ? static_cast<std::uint64_t>(*asked) : detail.absent());
}

/// A form alone.
std::uint64_t details_of(form kind) {
  const event_detail& detail = request_events::operation_detail;
  return request_events::form_detail.put(static_cast<std::uint64_t>(kind)) |
         detail.put(detail.absent());
}

}  // namespace

request_trace::request_trace(const network_interface& interfaces, const omega_network_config& shape,
                             const std::string& machine)
    : interfaces_(interfaces),
      tracks_(shape.stages(), shape.processing_elements),
      inserts_before_joining_(shape.switches.microarchitecture ==
                              queue_microarchitecture::systolic),
      catalog_(machine, "pe") {
  catalog_.origins = shape.processing_elements;
  tracks_.describe(catalog_);
  recorder_.reset(catalog_.tracks());
}

void request_trace::request(const event_kind& kind, std::int32_t stage, std::size_t port,
                            const packet& request, const request_id& parent) {
  const bool was_inserted = inserts_before_joining_ && kind.joins;
  trace_event& event = add(was_inserted ? request_events::combined_after_insertion : kind,
                           tracks_.at(stage, port), request.id(), parent);
  event.address = request.address();
  event.value = request.a;
  event.details = details_of(request.function());
}

void request_trace::response(const event_kind& kind, std::int32_t stage, std::size_t port,
                             const reply& response, const request_id& parent) {
  trace_event& event = add(kind, tracks_.at(stage, port), response.id(), parent);
  const asked_request asked = add_asked(event, response);
  if (&kind == &request_events::delivered) delivered_.push_back({response.id(), asked});
}

void request_trace::reply_departed(std::int32_t stage, std::size_t line, const reply& response) {
  const event_kind& kind =
      stage == 0 ? request_events::reply_departed_to_element : request_events::reply_departed;
  const track_id track = tracks_.input(static_cast<std::size_t>(stage), line);
  add_asked(add(kind, track, response.id(), response.id()), response);
}

/// An event without what its message carries.
trace_event& request_trace::add(const event_kind& kind, track_id track, const request_id& id,
                                const request_id& parent) {
  trace_event& event = recorder_.add();
  event.cycle = event.last = cycle_;
  event.kind = &kind;
  event.track = track;
  event.identity = identity_of(id);
  event.parent = parent == id ? trace_identity() : identity_of(parent);
  return event;
}

/// What a response carries, and what was asked for by its request.
asked_request request_trace::add_asked(trace_event& event, const reply& response) const {
  const std::optional<asked_request> outstanding = interfaces_.find_request(response.id());
  const asked_request asked = outstanding ? *outstanding : delivered_request(response.id());
  event.value = response.value;
  event.details = details_of(asked.function);
  event.address = asked.address;
  return asked;
}

/// Of a request that was delivered in this cycle, by an interface evaluated before the switch.
asked_request request_trace::delivered_request(const request_id& id) const {
  const auto found = std::find_if(delivered_.begin(), delivered_.end(),
                                  [&](const delivered_record& each) { return each.id == id; });
  return found == delivered_.end() ? asked_request{} : found->asked;
}

namespace {

void add_stay(trace_start& start, track_id track, const char* stay, std::size_t count) {
  if (count != 0) start.levels.push_back({track, stay, static_cast<std::uint32_t>(count)});
}

void add_output(trace_start& start, track_id track, const switch_column& column,
                const partner_pool& partners, std::size_t port) {
  const combining_queue& queues = column.queues();
  std::size_t waiting = 0;
  std::size_t combined = 0;
  for (std::size_t queue = column.queue_of(port, 0); queue <= column.queue_of(port, 1); ++queue) {
    waiting += queues.size(queue);
    combined += queues.combined(queue);
    for (std::size_t i = 0; i < queues.size(queue); ++i) {
      const partner_index partner = queues.partner_of(queue, i);
      if (partner == no_partner) continue;
      start.pairs.push_back(
          {identity_of(partners[partner].second), identity_of(partners[partner].first)});
    }
  }
  add_stay(start, track, "waiting", waiting);
  add_stay(start, track, "combined", combined);
  add_stay(start, track, "wait_buffer", column.wait_buffers().size(port));
}

}  // namespace

trace_start start_of(const omega_network& network, cycle_t now) {
  const omega_tracks tracks(network.stages(), network.lines());
  trace_start start;
  start.now = now;
  for (std::size_t stage = 0; stage < network.stages(); ++stage) {
    const switch_column& column = network.column(stage);
    for (std::size_t port = 0; port < network.lines(); ++port) {
      add_output(start, tracks.output(stage, port), column, network.partners(), port);
    }
    for (std::size_t line = 0; line < network.lines(); ++line) {
      add_stay(start, tracks.input(stage, line), "waiting_replies",
               column.reverse_queues().size(line));
    }
  }
  return start;
}

}  // namespace tributary
