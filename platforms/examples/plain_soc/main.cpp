// SPDX-License-Identifier: Apache-2.0
// Two processors, a router, a memory and a timer, as one would have them without Tributary, and a
// combining network between the processors and the router.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <tributary/systemc/combining_network.h>

#include "cpu.h"
#include "memory.h"
#include "router.h"
#include "timer.h"

namespace {

constexpr std::uint64_t memory_base = 0x00000000;
constexpr std::uint64_t memory_size = 0x00010000;
constexpr std::uint64_t timer_base = 0x40000000;
constexpr std::uint64_t timer_size = 0x00001000;
constexpr std::uint64_t counter = memory_base + 0x100;
constexpr std::uint64_t logs = memory_base + 0x1000;
constexpr std::size_t rounds = 1000;

soc::cpu_config cpu_config(unsigned number) {
  return {counter, logs + number * rounds * 8, timer_base, rounds};
}

// [configuration]
tributary::combining_network_config network_config() {
  tributary::address_region memory;
  memory.name = "memory";
  memory.base = memory_base;
  memory.size = memory_size;  // word by word on both ports, requests may combine

  tributary::address_region devices;
  devices.name = "devices";
  devices.base = timer_base;
  devices.size = timer_size;
  devices.mapping = tributary::region_mapping::module;  // all behind memory port 0
  devices.combinable = false;

  tributary::combining_network_config config;
  config.network.processing_elements = 2;
  config.network.switches.type = tributary::queue_type::a;  // both inputs write one queue
  config.network.switches.coupled = true;                   // whose head may still combine
  config.interface.outstanding = 4;                         // words of one port under way
  config.addresses.regions = {memory, devices};
  return config;
}
// [end]

// [platform]
struct system_on_chip : sc_core::sc_module {
  sc_core::sc_clock clock{"clock", 10, sc_core::SC_NS};
  soc::cpu cpu0{"cpu0", cpu_config(0)};
  soc::cpu cpu1{"cpu1", cpu_config(1)};
  tributary::combining_network network{"network", network_config()};
  soc::router router{"router", 2, {{memory_base, memory_size}, {timer_base, timer_size}}};
  soc::memory memory{"memory", memory_base, memory_size, sc_core::sc_time(20, sc_core::SC_NS)};
  soc::timer timer{"timer", timer_base, sc_core::sc_time(10, sc_core::SC_NS)};

  explicit system_on_chip(const sc_core::sc_module_name& name) : sc_module(name) {
    network.clock.bind(clock);
    cpu0.initiator_socket.bind(network.target_sockets[0]);
    cpu1.initiator_socket.bind(network.target_sockets[1]);
    network.initiator_sockets[0].bind(router.target_sockets[0]);
    network.initiator_sockets[1].bind(router.target_sockets[1]);
    router.initiator_sockets[0].bind(memory.target_socket);
    router.initiator_sockets[1].bind(timer.target_socket);
  }
};
// [end]

/// Doublewords of memory, read through the network without disturbing it.
std::vector<std::uint64_t> look(system_on_chip& soc, std::uint64_t address, std::size_t words) {
  std::vector<std::uint64_t> content(words);
  const auto bytes = static_cast<unsigned>(8 * words);
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(content.data()));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  if (soc.cpu0.initiator_socket->transport_dbg(payload) != bytes) content.clear();
  return content;
}

/// Whether every number from 0 on is in one of the logs, once.
bool each_number_once(system_on_chip& soc) {
  std::vector<std::uint64_t> numbers = look(soc, logs, 2 * rounds);
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != i) return false;
  }
  return numbers.size() == 2 * rounds;
}

bool check(bool holds, const std::string& claim) {
  std::cout << (holds ? "  ok      " : "  WRONG   ") << claim << "\n";
  return holds;
}

}  // namespace

int sc_main(int, char**) {
  system_on_chip soc("soc");
  sc_core::sc_start(1, sc_core::SC_MS);

  const auto statistics = soc.network.statistics();
  const auto combined = statistics.find("network.stage.0.combined");
  std::cout << "2 processors, " << rounds << " fetch-and-adds each, " << soc.cpu0.ticks() << " and "
            << soc.cpu1.ticks() << " cycles, " << combined << " combined, " << soc.memory.accesses()
            << " memory accesses\n";
  bool right = check(soc.cpu0.finished() && soc.cpu1.finished(), "both processors finished");
  right &= check(look(soc, counter, 1) == std::vector<std::uint64_t>{2 * rounds},
                 "the counter is the sum");
  right &= check(each_number_once(soc), "each number is in one log, once");
  right &= check(combined > 0, "fetch-and-adds combined");
  return right ? 0 : 1;
}
