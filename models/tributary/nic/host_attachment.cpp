// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/host_attachment.h>

#include <string>

#include <tributary/nic/host_interface_events.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/communication_events.h>

namespace tributary {

void host_attachment_config::bind(parameter_set& parameters) {
  parameters.add_group("interface", interface, "Interface to the network.");
  parameters.add_group("memory", memory, "Memory of the host.");
  parameters.add("memory_bytes", memory_bytes, {std::uint64_t{1} << 16, std::uint64_t{1} << 30},
                 "bytes", "Its size.");
}

void host_attachment_config::validate() const {
  check_ranges(*this);
  check_part("interface", [&] { interface.validate(); });
  if (memory_bytes % 8 == 0) return;
  throw configuration_error({"memory_bytes", "",
                             std::to_string(memory_bytes) + " are no whole doublewords",
                             "a multiple of 8", "round it"});
}

host_attachment::host_attachment(const host_attachment_config& config,
                                 const address_layout& addresses, const attachment_place& place,
                                 host_packet_pool& packets, const protocol_maker& firmware)
    : memory_(config.memory, place.time, (config.validate(), config.memory_bytes),
              addresses.address_of(place.here, 0, 0)),
      interface_(config.interface, addresses, place.here, place.nodes, place.time, place.network,
                 packets, memory_, config.memory_bytes, firmware(place.here)),
      port_("port", {{host_window_space, host_window_space, &interface_, nullptr, false, false},
                     {0, 0, &memory_, nullptr, false, false}}),
      blocks_({&memory_, &interface_, &port_}) {}

void host_attachment::trace(const trace_scope& scope) {
  set_communication_names(scope.catalog());
  scope.catalog().kinds = communication_events::all_kinds();
  for (const event_kind* const each : host_interface_events::all_kinds()) {
    scope.catalog().kinds.push_back(each);
  }
  trace_ = scope.below("processor").add();
  blocks_.trace(scope);
}

}  // namespace tributary
