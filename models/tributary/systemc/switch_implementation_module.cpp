// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/switch_implementation_module.h>

#include <array>
#include <utility>

#include <tributary/systemc/make_or_report.h>
#include <tributary/systemc/messages.h>

namespace tributary {

switch_implementation_module::switch_implementation_module(
    const sc_core::sc_module_name& name, std::unique_ptr<switch_implementation> what,
    const combining_switch_config& config, unsigned route_bit)
    : switch_module(name),
      what_(std::move(what)),
      route_bit_(route_bit),
      levels_(config, route_bit),
      counted_(make_or_report(*this, messages::configuration,
                              [&] { return switch_column(config, route_bit); })) {}

void switch_implementation_module::observe_at(request_event_sink* sink,
                                              const switch_position& position) {
  sink_ = sink;
  position_ = position;
}

void switch_implementation_module::ready() {
  for (unsigned i = 0; i < 2; ++i) {
    request_in[i].publish_all(what_->request_ready(i));
    reply_in[i].publish_all(what_->reply_ready(i) ? 1 : 0);
  }
}

void switch_implementation_module::depart() {
  std::array<std::uint8_t, 2> next{*request_out[0].ready(), *request_out[1].ready()};
  if (route_bit_ == 0) {
    // Behind the last stage there are memory modules, which are ready or not.
    for (std::uint8_t& ready : next) ready = ready != 0 ? 3 : 0;
  }
  leaving_ = what_->depart(next, {*reply_out[0].ready() != 0, *reply_out[1].ready() != 0});
  for (std::size_t i = 0; i < 2; ++i) {
    if (leaving_.requests[i]) request_out[i].send(0, *leaving_.requests[i]);
    if (leaving_.replies[i]) reply_out[i].send(0, *leaving_.replies[i]);
  }
}

void switch_implementation_module::commit() {
  switch_traffic arriving;
  for (std::size_t i = 0; i < 2; ++i) {
    request_in[i].receive(
        [&](std::size_t, const packet& request) { arriving.requests[i] = request; });
    reply_in[i].receive(
        [&](std::size_t, const reply& response) { arriving.replies[i] = response; });
  }
  const switch_activity& activity = what_->commit(arriving);
  if (sink_ != nullptr) report(arriving, activity);
  count(arriving, activity);
}

void switch_implementation_module::count(const switch_traffic& arriving,
                                         const switch_activity& activity) {
  counted_.advance_links();
  levels_.note(leaving_, arriving, activity);
  counted_.count(leaving_, arriving, activity, levels_.wait_buffer_peak());
}

void switch_implementation_module::report(const switch_traffic& arriving,
                                          const switch_activity& activity) const {
  const stage_observer observer{*sink_, position_};
  for (std::size_t i = 0; i < 2; ++i) {
    if (leaving_.requests[i]) observer.departed(i, *leaving_.requests[i]);
    if (leaving_.replies[i]) observer.reply_departed(i, *leaving_.replies[i]);
    if (activity.inserted[i] && arriving.requests[i]) {
      observer.inserted(counted_.output_of(*arriving.requests[i]), *arriving.requests[i]);
    }
    if (activity.decombined[i] && arriving.replies[i]) {
      observer.decombined(i, *activity.decombined[i], arriving.replies[i]->id());
    }
  }
  for (const switch_joining& each : activity.combined) {
    observer.combined(each.output, each.request, each.first);
  }
}

void switch_implementation_module::reset() {
  what_->reset();
  counted_ = switch_column(combining_switch_config(counted_.config()), route_bit_);
  leaving_ = {};
  levels_ = switch_levels(counted_.config(), route_bit_);
  refuse_all();
}

}  // namespace tributary
