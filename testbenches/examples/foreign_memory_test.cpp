// SPDX-License-Identifier: Apache-2.0
// Both ends somebody else's: harts of Unicorn, compiled C, and on the memory side the AT target of
// four phases from Accellera's examples, which answers nothing but reads and writes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <at_target_4_phase.h>
#include <tributary/systemc/combining_network.h>
#include <tributary/systemc/protocol_monitor.h>

#include "hart_module.h"
#include "riscv_machine.h"
#include "support/systemc_test.h"

namespace riscv {
namespace {

constexpr std::uint32_t harts = 4;

/// That of the example, for memories which count from 0 and only read and write.
tributary::combining_network_config foreign_config() {
  tributary::combining_network_config config = network_config(harts);
  config.memory_interface.fetch_ops = tributary::fetch_op_service::own_unit;
  config.memory_interface.relative_addresses = true;
  return config;
}

/// A hart and a memory at one port, a monitor at each socket.
struct node {
  node(const std::string& number, const hart_config& config, const elf_program& program,
       unsigned id)
      : hart(("hart" + number).c_str(), config, program, id, harts),
        memory(("memory" + number).c_str(), id, "memory_socket", shared_size, 8,
               sc_core::sc_time(3, sc_core::SC_NS), sc_core::sc_time(10, sc_core::SC_NS),
               sc_core::sc_time(7, sc_core::SC_NS)),
        hart_monitor(("hart_monitor" + number).c_str()),
        memory_monitor(("memory_monitor" + number).c_str()) {}

  void join(tributary::combining_network& network, unsigned port) {
    hart.shared_port.initiator_socket.bind(hart_monitor.target_socket);
    hart_monitor.initiator_socket.bind(network.target_sockets[port]);
    network.initiator_sockets[port].bind(memory_monitor.target_socket);
    memory_monitor.initiator_socket.bind(memory.m_memory_socket);
  }

  hart_module hart;
  at_target_4_phase memory;
  tributary::protocol_monitor<> hart_monitor;
  tributary::protocol_monitor<> memory_monitor;
};

class foreign_memory : public tributary::testing::systemc_test,
                       public ::testing::WithParamInterface<transport_style> {};

TEST_P(foreign_memory, serves_harts_that_run_compiled_c) {
  sc_core::sc_clock clock("clock", 1, sc_core::SC_NS);
  tributary::combining_network network("network", foreign_config());
  network.clock(clock);
  hart_config config;
  config.transport = GetParam();
  const elf_program program = read_elf(std::string(RISCV_PROGRAMS_DIR) + "/atomics.elf");
  std::vector<std::unique_ptr<node>> nodes;
  for (unsigned i = 0; i < harts; ++i) {
    nodes.push_back(std::make_unique<node>(std::to_string(i), config, program, i));
    nodes[i]->join(network, i);
  }
  const auto runs = [](const auto& each) { return each->hart.core().running(); };
  for (int i = 0; i < 1000 && std::any_of(nodes.begin(), nodes.end(), runs); ++i) {
    sc_core::sc_start(10, sc_core::SC_US);
  }
  for (const auto& each : nodes) {
    EXPECT_EQ(each->hart.core().exit_status(), 0U) << each->hart.name();
    EXPECT_GT(each->hart_monitor.checker().transactions(), 100U);
    EXPECT_EQ(each->hart_monitor.checker().outstanding(), 0U);
    EXPECT_EQ(each->memory_monitor.checker().outstanding(), 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(styles, foreign_memory,
                         ::testing::Values(transport_style::approximately_timed,
                                           transport_style::loosely_timed),
                         [](const auto& test) {
                           return test.param == transport_style::loosely_timed
                                      ? "loosely_timed"
                                      : "approximately_timed";
                         });

}  // namespace
}  // namespace riscv
