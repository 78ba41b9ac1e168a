// SPDX-License-Identifier: Apache-2.0
// The Ultracomputer put together from parts with TLM-2.0 sockets.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tributary/processor/traffic.h>
#include <tributary/systemc/combining_network.h>
#include <tributary/systemc/memory_module.h>
#include <tributary/systemc/processing_element_module.h>
#include <tributary/systemc/protocol_monitor.h>
#include <ultracomputer/ultracomputer_config.h>

namespace tributary::testing {

inline combining_network_config network_of(const ultracomputer_config& machine) {
  combining_network_config config;
  config.network = machine.network;
  config.addresses = machine.addresses;
  config.interface = machine.interface;
  config.memory_interface.interval = machine.memory.interval;
  config.memory_interface.pipeline = machine.memory.pipeline;
  return config;
}

inline memory_module_config memory_of(const ultracomputer_config& machine) {
  memory_module_config config;
  config.timing = machine.memory;
  return config;
}

/// Binds an initiator to a target, through a monitor if there is one.
template <class Initiator, class Target>
void bind_sockets(Initiator& from, Target& to, protocol_monitor<>* monitor) {
  if (monitor == nullptr) {
    from.bind(to);
    return;
  }
  from.bind(monitor->target_socket);
  monitor->initiator_socket.bind(to);
}

/// A network with a memory module at each of its memory-side sockets.
struct memory_bank {
  memory_bank(combining_network& network, const memory_module_config& config, bool monitored = true)
      : modules((network.basename() + std::string("_modules")).c_str(),
                network.initiator_sockets.size(),
                [&](const char* name, std::size_t) { return new memory_module(name, config); }),
        monitors((network.basename() + std::string("_monitors")).c_str(),
                 monitored ? network.initiator_sockets.size() : 0) {
    for (std::size_t i = 0; i < modules.size(); ++i) {
      modules[i].clock(network.clock);
      bind_sockets(network.initiator_sockets[i], modules[i].target_socket,
                   monitored ? &monitors[i] : nullptr);
    }
  }
  sc_core::sc_vector<memory_module> modules;
  sc_core::sc_vector<protocol_monitor<>> monitors;
};

/// The machine of a closed loop, in the current simulation context.
struct socket_ultracomputer {
  socket_ultracomputer(const ultracomputer_config& config, std::uint64_t seed,
                       bool monitored = true)
      : network("network", network_of(config)),
        memories((network.clock(clock), network), memory_of(config), monitored),
        traffic_source(config.workload.traffic, network.addresses(), seed),
        monitors("element_monitors", monitored ? config.network.processing_elements : 0) {
    processing_element_module_config element;
    element.timing = config.processor;
    element.outstanding = config.interface.outstanding;
    for (std::uint32_t pe = 0; pe < config.network.processing_elements; ++pe) {
      elements.push_back(std::make_unique<processing_element_module>(
          ("element_" + std::to_string(pe)).c_str(), element, pe_id{pe}, seed,
          [this, pe] { return traffic_source.draw(pe); }));
      elements.back()->clock(clock);
      bind_sockets(elements.back()->initiator_socket, network.target_sockets[pe],
                   monitored ? &monitors[pe] : nullptr);
    }
  }

  /// Simulates up to cycle `last`.
  void run_until(cycle_t last) {
    const sc_core::sc_time end = (static_cast<double>(last) + 0.5) * clock.period();
    sc_core::sc_start(end - sc_core::sc_time_stamp());
  }

  sc_core::sc_clock clock{"clock", 10, sc_core::SC_NS};
  combining_network network;
  memory_bank memories;
  traffic traffic_source;
  sc_core::sc_vector<protocol_monitor<>> monitors;
  std::vector<std::unique_ptr<processing_element_module>> elements;
};

}  // namespace tributary::testing
