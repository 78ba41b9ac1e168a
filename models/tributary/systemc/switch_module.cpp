// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/switch_module.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/network/graph/network_graph.h>
#include <tributary/network/routing/routing_table.h>
#include <tributary/network/switching/routed_network.h>
#include <tributary/sim/error.h>
#include <tributary/systemc/network_transfer_extension.h>

namespace tributary {
namespace {

void refuse_if(bool wanted, const char* key, const char* problem, const char* allowed) {
  if (!wanted) return;
  throw configuration_error(
      {key, "", problem, allowed, "change it, or simulate the whole network as one module"});
}

void check_switch(const switch_config& config) {
  refuse_if(config.links.router_buffer_bytes != 0, "network.router_buffer_bytes",
            "END_REQ does not say how many bytes have room", "0");
  refuse_if(config.links.broadcast, "network.broadcast",
            "a single switch does not copy messages for everyone", "false");
  refuse_if(config.links.reorder_window != 0, "network.reorder_window",
            "a single switch keeps the order of messages", "0");
  bool rows_fit = config.routes.phase_of.size() == config.ports;
  for (const std::uint32_t phase : config.routes.phase_of) {
    rows_fit = rows_fit && phase < config.routes.port_to.size();
  }
  for (const auto& row : config.routes.port_to) {
    for (const std::uint32_t port : row) {
      rows_fit = rows_fit && (port < config.ports || port == port_routes::none);
    }
  }
  refuse_if(!rows_fit, "routes", "the routes are of a switch with other ports",
            "a phase for each port, and ports of the switch");
}

/// Each port is a host of a graph of one switch.
std::unique_ptr<message_network> one_switch(const switch_config& config) {
  check_switch(config);
  network_plan plan;
  plan.name = "a switch";
  plan.ports = {config.ports};
  for (std::uint32_t port = 0; port < config.ports; ++port) {
    plan.hosts.push_back({switch_id{0}, port});
  }
  const auto graph = std::make_shared<const network_graph>(std::move(plan));
  routing_rules none;
  none.name = "a switch";
  none.ways_on = [](switch_id, std::uint32_t, switch_id, std::vector<route_hop>&) {};
  message_network_config links = config.links;
  // A cycle from END_REQ at the far end of a cable to the first that comes is all that there is
  // without a link, half of it on each side.
  links.base_latency = 2;
  links.endpoint_buffers = 1;
  links.endpoint_buffer_bytes = 0;
  return std::make_unique<routed_network>(links, graph, routing_table(*graph, none));
}

}  // namespace

switch_module::switch_module(const sc_core::sc_module_name& name, const switch_config& config)
    : message_network_module(
          name, config.links.clock, [&] { return one_switch(config); }, joined_to::cables),
      routes_(config.routes) {}

tlm::tlm_response_status switch_module::check(const tlm::tlm_generic_payload& payload, node_id port,
                                              std::uint8_t lane) const {
  const auto* const message = payload.get_extension<network_transfer_extension>();
  if (message == nullptr || payload.get_command() != tlm::TLM_IGNORE_COMMAND ||
      message->transfer.everyone) {
    return tlm::TLM_COMMAND_ERROR_RESPONSE;
  }
  const network_transfer& transfer = message->transfer;
  if (transfer.lane != lane ||
      routes_.towards(index(port), transfer.destination) == port_routes::none) {
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  return transfer.bytes <= core().config().payload_bytes ? tlm::TLM_OK_RESPONSE
                                                         : tlm::TLM_BURST_ERROR_RESPONSE;
}

network_transfer switch_module::inside(const network_transfer& transfer, node_id port) const {
  network_transfer seen = transfer;
  seen.source = port;
  seen.destination = node_id{routes_.towards(index(port), transfer.destination)};
  // It travels as it came.
  seen.operation.is = operation_part::none;
  return seen;
}

}  // namespace tributary
