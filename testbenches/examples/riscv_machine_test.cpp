// SPDX-License-Identifier: Apache-2.0
// Programs of the example on harts behind a combining network: what they add up to, and that they
// combine.
#include "riscv_machine.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <ostream>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <tributary/systemc/protocol_monitor.h>

#include "program_output.h"
#include "support/systemc_test.h"

namespace riscv {
namespace {

constexpr std::uint64_t rounds = 16;  // as in programs/shared.inc
constexpr std::uint64_t counter = shared_base;
constexpr std::uint64_t finished = shared_base + 8;
constexpr std::uint64_t lock = shared_base + 16;
constexpr std::uint64_t patience = 10'000'000;

struct way {
  const char* program;
  atomic_style atomics;
  transport_style transport;
};

std::string name_of(const way& w) {
  std::string name = w.program;
  name += w.atomics == atomic_style::alias ? "_by_alias" : "_by_extension";
  return name + (w.transport == transport_style::loosely_timed ? "_loosely_timed" : "");
}

std::ostream& operator<<(std::ostream& out, const way& w) { return out << name_of(w); }

elf_program program(const std::string& name) {
  return read_elf(std::string(RISCV_PROGRAMS_DIR) + "/" + name + ".elf");
}

class riscv_machine_runs : public tributary::testing::systemc_test,
                           public ::testing::WithParamInterface<std::tuple<way, std::uint32_t>> {};

TEST_P(riscv_machine_runs, to_the_right_end) {
  const auto& [how, harts] = GetParam();
  hart_config config;
  config.atomics = how.atomics;
  config.transport = how.transport;
  riscv_machine machine("machine", harts, config, program(how.program));
  EXPECT_TRUE(machine.run(patience));
  for (const std::string& complaint : machine.complaints()) ADD_FAILURE() << complaint;
  EXPECT_EQ(machine.word(counter), harts * rounds);
  EXPECT_EQ(machine.word(finished), harts);
  EXPECT_EQ(machine.word(lock), 0U);
  // Loosely timed accesses go around the network.
  const bool may_combine = how.transport == transport_style::approximately_timed;
  if (!may_combine || harts == 2) {
    EXPECT_EQ(machine.combined(), 0U);
  } else if (harts >= 8) {
    EXPECT_GT(machine.combined(), 0U);
  }
}

std::string test_name(const ::testing::TestParamInfo<riscv_machine_runs::ParamType>& test) {
  const auto& [how, harts] = test.param;
  return name_of(how) + "_on_" + std::to_string(harts);
}

constexpr auto by_extension = atomic_style::extension;
constexpr auto by_alias = atomic_style::alias;
constexpr auto timed = transport_style::approximately_timed;
constexpr auto loosely = transport_style::loosely_timed;

INSTANTIATE_TEST_SUITE_P(
    programs, riscv_machine_runs,
    ::testing::Combine(
        ::testing::Values(way{"counter", by_extension, timed}, way{"counter", by_alias, timed},
                          way{"counter_alias", by_extension, timed},
                          way{"lock", by_extension, timed}, way{"lock", by_alias, timed},
                          way{"counter", by_extension, loosely}, way{"lock", by_alias, loosely}),
        ::testing::Values(2U, 4U, 8U, 16U, 32U, 64U)),
    test_name);

/// The sums of atomics.c on as many threads of this machine.
std::vector<std::uint64_t> native_sums(std::uint32_t harts) {
  std::istringstream text(
      tributary::testing::output_of(ATOMICS_NATIVE " " + std::to_string(harts)));
  return {std::istream_iterator<std::uint64_t>(text), {}};
}

class compiled_c
    : public tributary::testing::systemc_test,
      public ::testing::WithParamInterface<std::tuple<transport_style, std::uint32_t>> {};

TEST_P(compiled_c, has_the_sums_of_native_threads) {
  const auto& [style, harts] = GetParam();
  hart_config config;
  config.transport = style;
  riscv_machine machine("machine", harts, config, program("atomics"));
  EXPECT_TRUE(machine.run(patience));
  for (const std::string& complaint : machine.complaints()) ADD_FAILURE() << complaint;
  const std::vector<std::uint64_t> sums = native_sums(harts);
  ASSERT_EQ(sums.size(), 3U);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    EXPECT_EQ(machine.word(shared_base + 8 * i), sums[i]) << "sum " << i;
  }
}

std::string machine_name(const ::testing::TestParamInfo<compiled_c::ParamType>& test) {
  const auto& [style, harts] = test.param;
  return (style == loosely ? "loosely_timed_" : "timed_") + std::to_string(harts);
}

INSTANTIATE_TEST_SUITE_P(machines, compiled_c,
                         ::testing::Combine(::testing::Values(timed, loosely),
                                            ::testing::Values(2U, 4U, 16U)),
                         machine_name);

/// A hart and a memory on a network of two, a monitor at each of its sockets.
struct monitored_side {
  monitored_side(const std::string& number, const hart_config& config, std::uint64_t id)
      : hart(("hart" + number).c_str(), config, program("lock"), id, 2),
        processor_monitor(("processor_monitor" + number).c_str()),
        memory_monitor(("memory_monitor" + number).c_str()),
        memory(("memory" + number).c_str()) {}

  void join(sc_core::sc_clock& clock, tributary::combining_network& network, std::size_t port) {
    memory.clock(clock);
    hart.shared_port.initiator_socket.bind(processor_monitor.target_socket);
    processor_monitor.initiator_socket.bind(network.target_sockets[port]);
    network.initiator_sockets[port].bind(memory_monitor.target_socket);
    memory_monitor.initiator_socket.bind(memory.target_socket);
  }

  hart_module hart;
  tributary::protocol_monitor<> processor_monitor;
  tributary::protocol_monitor<> memory_monitor;
  tributary::memory_module memory;
};

struct riscv_harts : tributary::testing::systemc_test {};

TEST_F(riscv_harts, keep_the_base_protocol_on_a_network) {
  tributary::combining_network_config config;
  config.network.processing_elements = 2;
  sc_core::sc_clock clock("clock", 1, sc_core::SC_NS);
  tributary::combining_network network("network", config);
  network.clock(clock);
  monitored_side first("0", {}, 0);
  monitored_side second("1", {}, 1);
  first.join(clock, network, 0);
  second.join(clock, network, 1);
  sc_core::sc_start(100, sc_core::SC_US);
  EXPECT_EQ(first.hart.core().exit_status(), 0U);
  EXPECT_EQ(second.hart.core().exit_status(), 0U);
  EXPECT_GT(first.processor_monitor.checker().transactions(), 100U);
  EXPECT_EQ(second.memory_monitor.checker().outstanding(), 0U);
}

}  // namespace
}  // namespace riscv
