// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/combining_switch_module.h>

#include <array>
#include <utility>

#include <tributary/network/omega/core_switch.h>
#include <tributary/systemc/messages.h>

namespace tributary {
namespace {

/// Presents the events of one switch as those of its stage; ports are its own, 0 and 1.
struct stage_observer {
  request_event_sink& sink;
  const switch_position& position;

  void request(const event_kind& kind, std::size_t port, const packet& request,
               const request_id& other) const {
    sink.request(kind, position.stage, 2 * position.index + port, request, other);
  }
  void decombined(std::size_t port, const reply& response, const request_id& first) const {
    sink.response(request_events::decombined, position.stage, 2 * position.index + port, response,
                  first);
  }
  void reply_departed(std::size_t input, const reply& response) const {
    sink.reply_departed(position.stage, input * position.switches + position.index, response);
  }
};

}  // namespace

combining_switch_module::combining_switch_module(const sc_core::sc_module_name& name,
                                                 const combining_switch_config& config,
                                                 unsigned route_bit)
    : combining_switch_module(name, nullptr, config, route_bit) {
  implementation_ = std::make_unique<core_switch>(config, route_bit);
}

combining_switch_module::combining_switch_module(
    const sc_core::sc_module_name& name, std::unique_ptr<switch_implementation> implementation,
    const combining_switch_config& config, unsigned route_bit)
    : clocked_module(name),
      route_bit_(route_bit),
      entering_(config.arrival_registers),
      levels_(config, route_bit),
      counted_(make_or_report(*this, messages::configuration,
                              [&] { return switch_column(config, route_bit); })),
      implementation_(std::move(implementation)) {}

void combining_switch_module::end_of_elaboration() {
  for (std::size_t i = 0; i < 2; ++i) {
    request_in[i].open(packet_link<packet>::end::receiver, 1);
    request_out[i].open(packet_link<packet>::end::sender, 1);
    reply_in[i].open(packet_link<reply>::end::receiver, 1);
    reply_out[i].open(packet_link<reply>::end::sender, 1);
  }
}

void combining_switch_module::observe_at(request_event_sink* sink,
                                         const switch_position& position) {
  sink_ = sink;
  position_ = position;
}

void combining_switch_module::ready() {
  for (unsigned i = 0; i < 2; ++i) {
    request_in[i].publish_all(implementation_->request_ready(i));
    reply_in[i].publish_all(implementation_->reply_ready(i) ? 1 : 0);
  }
}

void combining_switch_module::depart() {
  std::array<std::uint8_t, 2> next{*request_out[0].ready(), *request_out[1].ready()};
  if (route_bit_ == 0) {
    // Behind the last stage there are memory modules, which are ready or not.
    for (std::uint8_t& ready : next) ready = ready != 0 ? 3 : 0;
  }
  leaving_ =
      implementation_->depart(next, {*reply_out[0].ready() != 0, *reply_out[1].ready() != 0});
  for (std::size_t i = 0; i < 2; ++i) {
    if (leaving_.requests[i]) request_out[i].send(0, *leaving_.requests[i]);
    if (leaving_.replies[i]) reply_out[i].send(0, *leaving_.replies[i]);
  }
}

void combining_switch_module::commit() {
  switch_traffic arriving;
  for (std::size_t i = 0; i < 2; ++i) {
    request_in[i].receive(
        [&](std::size_t, const packet& request) { arriving.requests[i] = request; });
    reply_in[i].receive(
        [&](std::size_t, const reply& response) { arriving.replies[i] = response; });
  }
  const switch_activity& activity = implementation_->commit(arriving);
  const switch_traffic entered = entering_.after(arriving);
  if (sink_ != nullptr) report(entered, activity);
  count(entered, activity);
}

void combining_switch_module::count(const switch_traffic& entered,
                                    const switch_activity& activity) {
  counted_.advance_links();
  levels_.note(leaving_, entered, activity);
  counted_.count(leaving_, entered, activity, levels_.wait_buffer_peak());
}

void combining_switch_module::report(const switch_traffic& entered,
                                     const switch_activity& activity) const {
  const stage_observer observer{*sink_, position_};
  for (std::size_t i = 0; i < 2; ++i) {
    if (const auto& leaving = leaving_.requests[i]) {
      observer.request(request_events::departed, i, *leaving, leaving->id());
    }
    if (leaving_.replies[i]) observer.reply_departed(i, *leaving_.replies[i]);
    const auto& request = entered.requests[i];
    if (activity.inserted[i] && request) {
      observer.request(request_events::inserted, counted_.output_of(*request), *request,
                       request->id());
    }
    if (activity.decombined[i] && entered.replies[i]) {
      observer.decombined(i, *activity.decombined[i], entered.replies[i]->id());
    }
  }
  for (const switch_joining& each : activity.combined) {
    observer.request(request_events::combined, each.output, each.request, each.first);
  }
}

void combining_switch_module::reset() {
  implementation_->reset();
  counted_ = switch_column(combining_switch_config(counted_.config()), route_bit_);
  leaving_ = {};
  entering_.reset();
  levels_ = switch_levels(counted_.config(), route_bit_);
  for (std::size_t i = 0; i < 2; ++i) {
    request_in[i].publish_all(0);
    reply_in[i].publish_all(0);
  }
}

}  // namespace tributary
