// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/memory_array_module.h>

#include <utility>

namespace tributary {

memory_array_module::memory_array_module(const sc_core::sc_module_name& name,
                                         const memory_config& config, std::uint32_t link_cycles,
                                         std::size_t count)
    : core_module(name, [=] { return memory(config, link_cycles, count); }) {}

void memory_array_module::observe(request_event_sink* sink, std::int32_t stage) {
  core_module::observe(sink);
  stage_ = stage;
}

void memory_array_module::end_of_elaboration() {
  const std::size_t count = core().count();
  request_in.open(packet_link<packet>::end::receiver, count);
  reply_out.open(packet_link<reply>::end::sender, count);
  local_request_in.open(packet_link<packet>::end::receiver, count);
  local_reply_out.open(packet_link<reply>::end::sender, count);
}

void memory_array_module::ready() {
  request_in.publish(core().request_ready());
  if (local_request_in.bound()) local_request_in.publish(core().local_ready());
}

void memory_array_module::depart() {
  core().depart(reply_out.ready());
  core().advance();
  core().release_replies(now(), [&](std::size_t module, const reply& response) {
    if (sink() != nullptr) {
      sink()->response(request_events::replied, stage_, module, response, response.id());
    }
    reply_out.send(module, response);
  });
  core().release_local_replies(now(), [&](std::size_t module, const reply& response) {
    local_reply_out.send(module, response);
  });
}

void memory_array_module::commit() {
  const auto report_served = [&](std::size_t module, const packet& request) {
    if (sink() == nullptr) return;
    sink()->request(request_events::served, stage_, module, request, request.id());
  };
  request_in.receive([&](std::size_t module, const packet& request) {
    core().serve(module, request, now());
    served_.notify(request);
    report_served(module, request);
  });
  if (local_request_in.bound()) {
    local_request_in.receive(
        [&](std::size_t module, const packet& request) { core().accept_local(module, request); });
  }
  core().serve_local(now(), [&](std::size_t module, const packet& request, word_t) {
    report_served(module, request);
  });
  core().settle();
}

void memory_array_module::reset() {
  word_store words = std::move(core().words());
  reset_core();
  core().words() = std::move(words);
  request_in.publish_all(0);
  if (local_request_in.bound()) local_request_in.publish_all(0);
}

}  // namespace tributary
