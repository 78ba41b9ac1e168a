// SPDX-License-Identifier: Apache-2.0
// A network's processor side with sockets, and the built-in memory modules behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>

#include <tributary/systemc/memory_array_module.h>
#include <tributary/systemc/network_interface_module.h>
#include <tributary/systemc/omega_network_module.h>
#include <ultracomputer/ultracomputer_config.h>

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
  void transport(mm_id module, tlm::tlm_generic_payload& payload,
                 sc_core::sc_time& delay) override {
    for (unsigned i = 0; i < payload.get_data_length(); ++i) {
      const std::uint64_t at = payload.get_address() + i % payload.get_streaming_width();
      const unsigned char* const enables = payload.get_byte_enable_ptr();
      if (enables != nullptr && enables[i % payload.get_byte_enable_length()] == 0) continue;
      if (payload.is_read()) debug_read(module, at, payload.get_data_ptr() + i, 1);
      if (payload.is_write()) debug_write(module, at, payload.get_data_ptr() + i, 1);
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    delay += latency_;
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

/// Interface, network and memory modules with the links between them, all of one clock.
struct linked_network {
  linked_network(const ultracomputer_config& config, const network_interface_config& ports,
                 const alias_config& aliases, const address_map& map, sc_core::sc_clock& clock)
      : interface("interface", {ports, aliases, {}}, map, config.network),
        network("network", config.network),
        memories("memories", config.memory, config.network.switches.link_cycles, map.modules()),
        around(memories, config.memory.latency * clock.period()),
        requests_in("requests_in", map.modules()),
        requests_out("requests_out", map.modules()),
        replies_in("replies_in", map.modules()),
        replies_out("replies_out", map.modules()) {
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
  }

  network_interface_module interface;
  omega_network_module network;
  memory_array_module memories;
  words_access around;
  packet_link<packet> requests_in;
  packet_link<packet> requests_out;
  packet_link<reply> replies_in;
  packet_link<reply> replies_out;
};

}  // namespace tributary::testing
