// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/element_array_module.h>

namespace tributary {

void element_array::reset_statistics() {
  interfaces.reset_statistics();
  work->reset_statistics();
}

element_array_module::element_array_module(const sc_core::sc_module_name& name,
                                           const network_interface_config& config,
                                           const omega_network_config& shape,
                                           const address_map& map,
                                           const make_workload_function& make)
    : core_module(name,
                  [config, shape, &map, make] {
                    return element_array{
                        network_interface(config, map, shape.stages() - 1,
                                          shape.switches.link_cycles, shape.processing_elements),
                        make()};
                  }),
      trace_(core().interfaces, shape, "ultracomputer"),
      no_local_port_(shape.processing_elements) {}

void element_array_module::end_of_elaboration() {
  const std::size_t count = core().interfaces.count();
  request_out.open(packet_link<packet>::end::sender, count);
  reply_in.open(packet_link<reply>::end::receiver, count);
  local_request_out.open(packet_link<packet>::end::sender, count);
  local_reply_in.open(packet_link<reply>::end::receiver, count);
}

void element_array_module::ready() {
  trace_.begin(now());
  core().work->advance(now(), core().interfaces);
  reply_in.publish_all(1);
  if (local_reply_in.bound()) local_reply_in.publish_all(1);
}

void element_array_module::depart() {
  network_interface& interfaces = core().interfaces;
  interfaces.depart(request_out.ready(),
                    local_request_out.bound() ? local_request_out.ready() : no_local_port_.data());
  interfaces.advance();
  const auto report_accepted = [&](std::size_t pe, const packet& request) {
    if (sink() == nullptr) return;
    sink()->request(request_events::accepted, processor_side, pe, request, request.id());
  };
  interfaces.release_requests(
      now(),
      [&](std::size_t pe, const packet& request) {
        report_accepted(pe, request);
        request_out.send(pe, request);
      },
      [&](std::size_t pe, const packet& request) {
        report_accepted(pe, request);
        local_request_out.send(pe, request);
      });
}

void element_array_module::commit() {
  responses_.clear();
  const auto take = [&](std::size_t pe, const reply& response) { deliver(pe, response); };
  reply_in.receive(take);
  if (local_reply_in.bound()) local_reply_in.receive(take);
  core().work->deliver(now(), responses_);
  if (core().finished()) finished_.notify(sc_core::SC_ZERO_TIME);
}

void element_array_module::deliver(std::size_t pe, const reply& response) {
  if (sink() != nullptr) {
    sink()->response(request_events::delivered, processor_side, pe, response, response.id());
  }
  responses_.push_back(core().interfaces.deliver(pe, response, now()));
}

void element_array_module::reset() {
  trace_.end();
  const observer_list<offered_request> offers = core().interfaces.offers();
  reset_core();
  core().interfaces.offers() = offers;
  reply_in.publish_all(0);
  if (local_reply_in.bound()) local_reply_in.publish_all(0);
}

}  // namespace tributary
