// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include <ultracomputer/ultracomputer.h>

int main() {
  using namespace tributary;
  ultracomputer_config config;
  config.network.processing_elements = 64;

  // Elements take items off a shared counter until 1,000 are done (self-scheduling).
  const auto self_scheduling = [](program_context& pe) {
    const std::uint64_t next_item = pe.shared_address(0);
    const std::uint64_t sum = pe.shared_address(1);
    for (word_t item = 0; (item = pe.fetch_add(next_item, 1)) < 1000;) {
      pe.delay(20);  // the work
      pe.fetch_add(sum, item);
      pe.mark("item");
    }
  };

  ultracomputer machine(config, 1, make_program(self_scheduling));  // seed 1
  while (!machine.finished()) machine.step();
  machine.drain();
  std::cout << machine.statistics().find("workload.marks.item.count") << " items\n";
}
