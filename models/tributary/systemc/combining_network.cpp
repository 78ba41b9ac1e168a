// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/combining_network.h>

#include <tributary/sim/parameters.h>
#include <tributary/systemc/combining_chance.h>

namespace tributary {
namespace {

/// Sockets have no path around the network.
address_map_config without_local_ports(address_map_config addresses) {
  for (address_region& region : addresses.regions) region.local_port = false;
  return addresses;
}

/// Ports of a network that can be made: nothing is built for one that cannot.
std::uint32_t checked_ports(const sc_core::sc_object& module, const omega_network_config& network) {
  return make_or_report(module, messages::configuration, [&] {
    network.validate();
    return network.processing_elements;
  });
}

}  // namespace

void combining_network_config::bind(parameter_set& parameters) {
  parameters.add_group("network", network, "The omega network and its combining switches.");
  parameters.add_group("addresses", addresses, "Which module holds an address.");
  parameters.add_group("interface", interface, "The ports of the processor side.");
  parameters.add_group("aliases", aliases, "Memory-mapped aliases of the operations.");
  parameters.add_group("estimate", estimate, "The latency of loosely timed accesses.");
  parameters.add_group("memory_interface", memory_interface, "The ports of the memory side.");
}

combining_network::combining_network(const sc_core::sc_module_name& name,
                                     const combining_network_config& config)
    : clocked_module(name),
      target_sockets("target_sockets", checked_ports(*this, config.network)),
      initiator_sockets("initiator_sockets", config.network.processing_elements),
      config_(config),
      addresses_(make_or_report(*this, messages::configuration,
                                [&] {
                                  return address_map(without_local_ports(config.addresses),
                                                     config.network.processing_elements);
                                })),
      interface_("interface", {config.interface, config.aliases, config.estimate}, addresses_,
                 config.network),
      network_("network", config.network),
      memory_interface_("memory_interface", config.memory_interface, addresses_,
                        config.network.switches.link_cycles),
      requests_in_("requests_in", config.network.processing_elements),
      requests_out_("requests_out", config.network.processing_elements),
      replies_in_("replies_in", config.network.processing_elements),
      replies_out_("replies_out", config.network.processing_elements),
      trace_(interface_.core(), config.network, "combining_network") {
  for (clocked_module* part :
       {static_cast<clocked_module*>(&interface_), static_cast<clocked_module*>(&network_),
        static_cast<clocked_module*>(&memory_interface_)}) {
    part->clock(clock);
    part->reset_n(reset_n);
  }
  interface_.request_out(requests_in_);
  network_.request_in(requests_in_);
  network_.request_out(requests_out_);
  memory_interface_.request_in(requests_out_);
  memory_interface_.reply_out(replies_in_);
  network_.reply_in(replies_in_);
  network_.reply_out(replies_out_);
  interface_.reply_in(replies_out_);
  interface_.memory(memory_interface_);
  interface_.look_into(network_.core());
  for (std::size_t port = 0; port < config.network.processing_elements; ++port) {
    target_sockets[port].bind(interface_.target_sockets[port]);
    memory_interface_.initiator_sockets[port].bind(initiator_sockets[port]);
  }
  SC_METHOD(tell);
  sensitive << committed_;
  dont_initialize();
}

void combining_network::end_of_elaboration() {
  const std::string reason = why_nothing_combines(config_);
  if (reason.empty()) return;
  const std::string text = std::string(name()) + ": " + reason;
  SC_REPORT_INFO(messages::combining, text.c_str());
}

void combining_network::ready() {
  if (observed_ != trace_.observed()) {
    observed_ = trace_.observed();
    observe(observed_ ? &trace_ : nullptr);
  }
  trace_.begin(now());
}

void combining_network::commit() {
  if (observed_) committed_.notify(sc_core::SC_ZERO_TIME);
}

void combining_network::reset() {
  trace_.end();
  measured_from_ = now();
}

void combining_network::tell() { trace_.end(); }

void combining_network::observe(request_event_sink* sink) {
  interface_.observe(sink);
  network_.observe(sink);
  memory_interface_.observe(sink, static_cast<std::int32_t>(config_.network.stages()));
}

bool combining_network::idle() const {
  return interface_.idle() && network_.core().idle() && memory_interface_.idle();
}

void combining_network::report(statistics_group& group) const {
  interface_.report(group.group("interface"));
  interfaces().report_load(group.group("interface"), now() - measured_from_);
  network_.report(group.group("network"));
  memory_interface_.report(group.group("memory_interface"));
}

statistics_tree combining_network::statistics() const {
  statistics_tree tree;
  report(tree.root());
  return tree;
}

void combining_network::reset_statistics() {
  measured_from_ = now();
  interface_.reset_statistics();
  network_.reset_statistics();
  memory_interface_.reset_statistics();
}

}  // namespace tributary
