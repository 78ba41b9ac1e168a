// SPDX-License-Identifier: Apache-2.0
// The processors of eight FLASH nodes take numbers from a counter in the memory of node 3.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <set>
#include <vector>

#include <tributary/magic/magic_machine.h>
#include <tributary/processor/node_programs.h>
#include <tributary/protocols/uncached.h>

#include "remote_fetch_add.h"

using namespace tributary;
using example::remote_fetch_add;

int main() {
  // [machine]
  magic_machine_config config;
  config.nodes = 8;
  magic_machine machine(config, [](node_id /*each*/) {
    std::vector<std::unique_ptr<protocol>> of_one_node;
    of_one_node.push_back(std::make_unique<remote_fetch_add>());
    of_one_node.push_back(std::make_unique<uncached_protocol>(uncached_costs{}));
    return of_one_node;
  });

  const address_layout& layout = machine.config().node.addresses;
  const std::uint64_t offset = 0x2000;
  const std::uint64_t counter = layout.address_of(node_id{3}, remote_fetch_add::space, offset);
  std::set<word_t> taken;
  word_t last = 0;
  auto take_numbers = make_program([&](program_context& pe) {
    const node_id here{pe.rank()};
    for (int i = 0; i < 20; ++i) {
      pe.store(counter, 1);
      taken.insert(pe.load(layout.address_of(here, remote_fetch_add::space, 0)));
    }
    // Space 0 is plain memory, by the other protocol.
    last = std::max(last, pe.load(layout.address_of(node_id{3}, 0, offset)));
  });
  // [end]

  node_programs programs(config, std::move(take_numbers));
  programs.elements().add_all(machine);
  machine.run_until(1'000'000);
  std::cout << taken.size() << " numbers, all different; the counter ends at " << last << "\n";
  return taken.size() == 160 && last == 160 ? 0 : 1;
}
