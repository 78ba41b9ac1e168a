// SPDX-License-Identifier: Apache-2.0
// Switches with a queue of one's own in a running platform, each compared with its model.
//   own_switch [sound|faulty] [switches] [waveform.fst, of one switch]
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <tributary/network/omega/core_switch.h>
#include <tributary/network/omega/lockstep_switch.h>
#include <tributary/network/omega/switch_selection.h>
#include <tributary/rtl/verilated_switch.h>
#include <tributary/systemc/combining_network.h>
#include <tributary/systemc/memory_module.h>
#include <tributary/systemc/processing_element_module.h>

#include <switch_own.h>
#include <switch_own_faulty.h>

using namespace tributary;

// [lockstep]
/// Makes own RTL of `Design`, compared with its model.
template <class Design>
switch_maker own_rtl(const std::string& waveform) {
  return [waveform](const combining_switch_config& config, unsigned route_bit,
                    const switch_place& place) {
    verilated_options options;
    options.name = to_string(place);
    options.fst = waveform;
    return std::make_unique<lockstep_switch>(
        to_string(place), std::make_unique<core_switch>(config, route_bit),
        std::make_unique<verilated_switch<Design>>(route_bit, options));
  };
}
// [end]

/// 64 processing elements that add 1 to one word.
struct counting_platform : sc_core::sc_module {
  sc_core::sc_clock clock{"clock", 1, sc_core::SC_NS};
  combining_network network;
  std::vector<std::unique_ptr<processing_element_module>> elements;
  std::vector<std::unique_ptr<memory_module>> memories;

  counting_platform(const sc_core::sc_module_name& name, const combining_network_config& config)
      : sc_module(name), network("network", config) {
    network.clock(clock);
    for (std::uint32_t i = 0; i < config.network.processing_elements; ++i) {
      add_element(i);
      add_memory(i);
    }
  }

  void add_element(std::uint32_t i) {
    const auto adds = [] { return tributary::access{0, function_of(operation::fetch_add, 1)}; };
    elements.push_back(std::make_unique<processing_element_module>(
        ("pe" + std::to_string(i)).c_str(), processing_element_module_config{}, pe_id{i}, 1, adds));
    elements[i]->clock(clock);
    elements[i]->initiator_socket.bind(network.target_sockets[i]);
  }

  void add_memory(std::uint32_t i) {
    memories.push_back(std::make_unique<memory_module>(("mm" + std::to_string(i)).c_str()));
    memories[i]->clock(clock);
    network.initiator_sockets[i].bind(memories[i]->target_socket);
  }
};

std::vector<switch_place> places(const omega_network_config& network) {
  return select_switches("network.rtl", network.rtl, network.stages(),
                         network.processing_elements / 2);
}

int simulate(bool faulty, const std::string& switches, const std::string& waveform) {
  combining_network_config config;
  config.network.processing_elements = 64;
  config.network.switches = config_of(switch_own::parameters);
  config.network.rtl = switches;
  config.network.make_switch =
      faulty ? own_rtl<switch_own_faulty>(waveform) : own_rtl<switch_own>(waveform);
  config.memory_interface.interval = memory_config().interval;
  const std::size_t replaced = places(config.network).size();
  if (!waveform.empty() && replaced != 1) {
    throw input_error(waveform + ": a waveform has the signals of one switch, not of " +
                      std::to_string(replaced) + "; name one, as \"stage 5 switch 0\"");
  }

  counting_platform platform("platform", config);
  sc_core::sc_start(5000, sc_core::SC_NS);

  const statistics_tree statistics = platform.network.statistics();
  std::cout << replaced << " switches of own RTL, equal to the model in "
            << sc_core::sc_time_stamp().value() / platform.clock.period().value()
            << " cycles\nlatency " << statistics.find("interface.latency.mean")
            << " cycles, combining rate of the last stage "
            << statistics.find("network.stage.5.combining_rate") << '\n';
  return EXIT_SUCCESS;
}

int sc_main(int argc, char** argv) {
  const std::string build = argc > 1 ? argv[1] : "sound";
  const std::string switches = argc > 2 ? argv[2] : "all";
  const std::string waveform = argc > 3 ? argv[3] : "";
  if (build != "sound" && build != "faulty") {
    std::cerr << "usage: own_switch [sound|faulty] [switches] [waveform.fst]\n";
    return EXIT_FAILURE;
  }
  try {
    return simulate(build == "faulty", switches, waveform);
  } catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return EXIT_FAILURE;
  }
}
