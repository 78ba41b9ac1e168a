// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include <ultracomputer/ultracomputer.h>

int main() {
  tributary::ultracomputer_config config;
  config.network.processing_elements = 256;
  config.network.switches.wait_buffer_entries = 100;
  config.network.switches.adaptive_limit = 2;
  config.workload.traffic.hot_spot = 1;  // everybody polls one word

  tributary::ultracomputer machine(config, 1);  // seed 1
  machine.step(3000);                           // warm-up
  machine.reset_statistics();
  machine.step(10000);
  std::cout << machine.statistics().find("interface.latency.mean") << " cycles\n";
}
