// SPDX-License-Identifier: Apache-2.0
// Processing elements that poll one word in memory through a combining network.
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <tributary/systemc/combining_network.h>
#include <tributary/systemc/memory_module.h>
#include <tributary/systemc/processing_element_module.h>

using namespace tributary;

/// As many elements as memory modules.
struct polling_platform : sc_core::sc_module {
  sc_core::sc_clock clock{"clock", 1, sc_core::SC_NS};
  combining_network network;
  std::vector<std::unique_ptr<processing_element_module>> elements;
  std::vector<std::unique_ptr<memory_module>> memories;

  polling_platform(const sc_core::sc_module_name& name, const combining_network_config& config,
                   std::uint64_t seed)
      : sc_module(name), network("network", config) {
    network.clock(clock);
    for (std::uint32_t i = 0; i < config.network.processing_elements; ++i) {
      add_element(i, seed);
      add_memory(i);
    }
  }

  void add_element(std::uint32_t i, std::uint64_t seed) {
    const auto polls = [] { return tributary::access{0, function_of(operation::load)}; };
    elements.push_back(std::make_unique<processing_element_module>(
        ("pe" + std::to_string(i)).c_str(), processing_element_module_config{}, pe_id{i}, seed,
        polls));
    elements[i]->clock(clock);
    elements[i]->initiator_socket.bind(network.target_sockets[i]);
  }

  void add_memory(std::uint32_t i) {
    memories.push_back(std::make_unique<memory_module>(("mm" + std::to_string(i)).c_str()));
    memories[i]->clock(clock);
    network.initiator_sockets[i].bind(memories[i]->target_socket);
  }
};

/// Requests that joined another one on their way.
double combined(const statistics_tree& statistics, unsigned stages) {
  double sum = 0;
  for (unsigned stage = 0; stage < stages; ++stage) {
    sum += statistics.find("network.stage." + std::to_string(stage) + ".combined");
  }
  return sum;
}

/// Whether the whole text is a number.
bool read(const std::string& text, std::uint32_t& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  return problem == std::errc() && stop == end;
}

int sc_main(int argc, char** argv) {
  std::uint32_t elements = 64;
  if (argc > 1 && !read(argv[1], elements)) {
    std::cerr << "ELEMENTS: \"" << argv[1]
              << "\" is no number of processing elements (allowed: 2, 4, 8, ...); choose one\n";
    return EXIT_FAILURE;
  }
  combining_network_config config;  // the switches of the "improved" preset
  config.network.processing_elements = elements;
  config.network.switches.wait_buffer_entries = 100;
  config.network.switches.adaptive_limit = 2;
  config.memory_interface.interval = memory_config().interval;

  polling_platform platform("platform", config, 1);
  sc_core::sc_start(3000, sc_core::SC_NS);  // warm-up
  platform.network.reset_statistics();
  sc_core::sc_start(10000, sc_core::SC_NS);

  const statistics_tree statistics = platform.network.statistics();
  std::cout << config.network.processing_elements << " processing elements, latency "
            << statistics.find("interface.latency.mean") << " cycles, "
            << combined(statistics, config.network.stages())
            << " requests combined\ncombining rate by stage:";
  for (unsigned stage = 0; stage < config.network.stages(); ++stage) {
    const std::string path = "network.stage." + std::to_string(stage) + ".combining_rate";
    std::cout << ' ' << statistics.find(path);
  }
  std::cout << '\n';
  return EXIT_SUCCESS;
}
