// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/omega_network_module.h>

namespace tributary {

omega_network_module::omega_network_module(const sc_core::sc_module_name& name,
                                           const omega_network_config& config)
    : core_module(name, [config] { return omega_network(config); }) {}

void omega_network_module::end_of_elaboration() {
  const std::size_t lines = core().lines();
  request_in.open(packet_link<packet>::end::receiver, lines);
  request_out.open(packet_link<packet>::end::sender, lines);
  reply_in.open(packet_link<reply>::end::receiver, lines);
  reply_out.open(packet_link<reply>::end::sender, lines);
}

void omega_network_module::ready() {
  request_in.publish(core().request_ready());
  reply_in.publish(core().reply_ready());
}

void omega_network_module::depart() {
  core().depart(request_out.ready());
  core().for_each_departing_request(
      [&](std::size_t module, const packet& request) { request_out.send(module, request); });
  core().for_each_departing_reply(
      [&](std::size_t pe, const reply& response) { reply_out.send(pe, response); });
}

void omega_network_module::commit() {
  if (sink() != nullptr) {
    commit_observed(*sink());
  } else {
    no_events nobody;
    commit_observed(nobody);
  }
}

template <class Observer>
void omega_network_module::commit_observed(Observer& observer) {
  const auto sent_already = [](std::size_t, const auto&) {};
  core().advance();
  core().move_requests(sent_already, observer);
  request_in.receive(
      [&](std::size_t pe, const packet& request) { core().accept_request(pe, request, observer); });
  core().move_replies(sent_already, observer);
  reply_in.receive([&](std::size_t module, const reply& response) {
    core().accept_reply(module, response, observer);
  });
  core().settle(observer);
}

void omega_network_module::reset() {
  reset_core();
  request_in.publish_all(0);
  reply_in.publish_all(0);
}

}  // namespace tributary
