// SPDX-License-Identifier: Apache-2.0
// The processor side of a network, with the built-in memory modules behind it.
#pragma once

#include <cstring>
#include <functional>
#include <optional>
#include <utility>

#include <tributary/nic/request_trace.h>
#include <tributary/systemc/memory_array_module.h>
#include <tributary/systemc/network_interface_module.h>
#include <tributary/systemc/omega_network_module.h>
#include <ultracomputer/ultracomputer.h>

#include "at_initiator.h"

namespace tributary::testing {

/// The way around the network to the words of a memory_array_module, `latency` periods away.
class words_access : public sc_core::sc_object, public memory_access {
 public:
  words_access(memory_array_module& memories, sc_core::sc_time latency)
      : sc_object("words_access"), words_(memories.core().words()), latency_(latency) {}

  tlm::tlm_response_status access(mm_id module, std::uint64_t address,
                                  const word_function& function, word_t& old,
                                  sc_core::sc_time& delay) override {
    const std::uint64_t location = location_of(module, address);
    old = words_.read(location);
    words_.write(location, apply(function, old));
    delay += latency_;
    return tlm::TLM_OK_RESPONSE;
  }
  bool direct_hint(mm_id module) const override { return hinting == module; }
  std::size_t debug_read(mm_id module, std::uint64_t address, unsigned char* data,
                         std::size_t length) override {
    const word_t word = words_.read(location_of(module, address / 8 * 8));
    std::memcpy(data, reinterpret_cast<const unsigned char*>(&word) + address % 8, length);
    return length;
  }
  std::size_t debug_write(mm_id module, std::uint64_t address, const unsigned char* data,
                          std::size_t length) override {
    const std::uint64_t location = location_of(module, address / 8 * 8);
    word_t word = words_.read(location);
    std::memcpy(reinterpret_cast<unsigned char*>(&word) + address % 8, data, length);
    words_.write(location, word);
    return length;
  }
  bool get_direct_mem_ptr(mm_id module, tlm::tlm_generic_payload& payload,
                          tlm::tlm_dmi& dmi) override {
    return direct && direct(module, payload, dmi);
  }
  void on_invalidation(invalidation listener) override { invalidate = std::move(listener); }

  /// What a target would say to a request for a pointer, and its way to tell of invalid ones.
  std::function<bool(mm_id, tlm::tlm_generic_payload&, tlm::tlm_dmi&)> direct;
  invalidation invalidate;
  /// The module whose responses have the DMI hint.
  std::optional<mm_id> hinting;

 private:
  word_store& words_;
  sc_core::sc_time latency_;
};

inline address_map_config without_local_ports(address_map_config config) {
  for (address_region& region : config.regions) region.local_port = false;
  return config;
}

/// Ports, network and memory modules, with an initiator at every port.
struct socket_machine : public sc_core::sc_module {
  TRIBUTARY_HAS_PROCESS(socket_machine);

  explicit socket_machine(const ultracomputer_config& given, const alias_config& aliases = {})
      : sc_module(sc_core::sc_module_name("machine")),
        config(given),
        map(without_local_ports(config.addresses), lines()),
        interface("interface", {config.interface, aliases, {}}, map, config.network),
        network("network", config.network),
        memories("memories", config.memory, config.network.switches.link_cycles, lines()),
        around(memories, config.memory.latency * clock.period()),
        requests_in("requests_in", lines()),
        requests_out("requests_out", lines()),
        replies_in("replies_in", lines()),
        replies_out("replies_out", lines()),
        initiators("initiators", lines()),
        trace(interface.core(), config.network, "sockets") {
    interface.clock(clock);
    network.clock(clock);
    memories.clock(clock);
    interface.request_out(requests_in);
    network.request_in(requests_in);
    network.request_out(requests_out);
    memories.request_in(requests_out);
    memories.reply_out(replies_in);
    network.reply_in(replies_in);
    network.reply_out(replies_out);
    interface.reply_in(replies_out);
    interface.memory(around);
    interface.look_into(network.core());
    for (std::size_t pe = 0; pe < lines(); ++pe) {
      initiators[pe].initiator_socket().bind(interface.target_sockets[pe]);
    }
    interface.observe(&trace);
    network.observe(&trace);
    memories.observe(&trace, static_cast<std::int32_t>(config.network.stages()));
    SC_METHOD(between_edges);
  }

  /// Simulates until half a period behind the edge of a cycle, told events included.
  void run_until(cycle_t last) {
    const sc_core::sc_time end = (static_cast<double>(last) + 0.4) * clock.period();
    sc_core::sc_start(end - sc_core::sc_time_stamp());
    trace.end();
  }

  std::uint32_t lines() const { return config.network.processing_elements; }
  cycle_t cycle_of(const sc_core::sc_time& time) const {
    return static_cast<cycle_t>(time / clock.period() + 0.5);
  }

  /// Half a period before each edge, so that BEGIN_REQ is seen at that edge.
  void between_edges() {
    trace.end();
    ++coming;
    trace.begin(coming);
    if (before_edge) before_edge(coming);
    next_trigger((coming == 1 ? 1.5 : 1.0) * clock.period());
  }

  ultracomputer_config config;
  sc_core::sc_clock clock{"clock", 10, sc_core::SC_NS};
  address_map map;
  network_interface_module interface;
  omega_network_module network;
  memory_array_module memories;
  words_access around;
  packet_link<packet> requests_in;
  packet_link<packet> requests_out;
  packet_link<reply> replies_in;
  packet_link<reply> replies_out;
  sc_core::sc_vector<at_initiator> initiators;
  request_trace trace;
  std::function<void(cycle_t)> before_edge;
  cycle_t coming = 0;
};

}  // namespace tributary::testing
