// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/message_attachment.h>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {

void message_attachment_config::bind(parameter_set& parameters) {
  parameters.add_group("interface", interface, "Interface to the network.");
  parameters.add_group("memory", memory, "Memory of the node.");
  parameters.add("memory_bytes", memory_bytes, {std::uint64_t{1} << 16, std::uint64_t{1} << 30},
                 "bytes", "Its size.");
}

void message_attachment_config::validate() const {
  check_ranges(*this);
  check_part("interface", [&] { interface.validate(); });
  if (memory_bytes % interface.page_bytes == 0) return;
  throw configuration_error(
      {"memory_bytes", "", fmt::format("{} are no whole pages", memory_bytes),
       fmt::format("a multiple of interface.page_bytes = {}", interface.page_bytes), "round it"});
}

message_attachment::message_attachment(const message_attachment_config& config,
                                       const address_layout& addresses,
                                       const attachment_place& place, interface_pool& messages)
    : memory_(config.memory, place.time, (config.validate(), config.memory_bytes),
              addresses.address_of(place.here, 0, 0)),
      engine_memory_(memory_),
      interface_(config.interface, place.here, place.nodes, place.time, place.network, messages,
                 engine_memory_, config.memory_bytes),
      port_("port", {{interface_space, interface_space, &interface_, nullptr, false, false},
                     {0, 0, &memory_, nullptr, false, false}}),
      blocks_({&memory_, &interface_, &port_}) {}

void message_attachment::trace(const trace_scope& scope) {
  set_communication_names(scope.catalog());
  scope.catalog().kinds = communication_events::all_kinds();
  trace_ = scope.below("processor").add();
  blocks_.trace(scope);
}

}  // namespace tributary
