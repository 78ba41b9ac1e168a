// SPDX-License-Identifier: Apache-2.0
// Harts of the example on one memory without a network: an ordinary TLM-2.0 target.
#include "hart_module.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include <tlm_utils/simple_target_socket.h>
#include <tributary/systemc/fetch_op.h>
#include <tributary/systemc/protocol_monitor.h>

#include "support/systemc_test.h"

namespace riscv {
namespace {

constexpr std::uint64_t shared_base = 0x10000000;

struct habits {
  bool knows_fetch_op = true;
  bool completes_early = true;  ///< else the initiator is to end the response
};

/// A memory with a socket for each hart that serves every access 10 ns after it began, and says so
/// at once.
class plain_memory : public sc_core::sc_module {
 public:
  using socket = tlm_utils::simple_target_socket_tagged<plain_memory>;
  sc_core::sc_vector<socket> target_sockets;

  plain_memory(const sc_core::sc_module_name& name, std::size_t sockets, const habits& has)
      : sc_module(name), target_sockets("target_sockets", sockets), habits_(has) {
    for (socket& each : target_sockets) {
      each.register_b_transport(this, &plain_memory::serve, 0);
      each.register_nb_transport_fw(this, &plain_memory::answer, 0);
    }
  }

  std::uint64_t responses_ended() const { return responses_ended_; }
  std::uint64_t word(std::uint64_t address) const {
    std::uint64_t value = 0;
    std::memcpy(&value, &bytes_[address - shared_base], 8);
    return value;
  }

 private:
  tlm::tlm_sync_enum answer(int, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                            sc_core::sc_time& delay) {
    if (phase == tlm::END_RESP) {
      ++responses_ended_;
      return tlm::TLM_COMPLETED;
    }
    serve(0, payload, delay);
    phase = tlm::BEGIN_RESP;
    return habits_.completes_early ? tlm::TLM_COMPLETED : tlm::TLM_UPDATED;
  }

  void serve(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    delay += sc_core::sc_time(10, sc_core::SC_NS);
    const std::uint64_t offset = payload.get_address() - shared_base;
    if (offset >= bytes_.size()) {
      return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    unsigned char* place = &bytes_[offset];
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), place, payload.get_data_length());
    if (payload.is_write()) std::memcpy(place, payload.get_data_ptr(), payload.get_data_length());
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND && habits_.knows_fetch_op) {
      tributary::perform_fetch_op(payload, place);
    }
  }

  habits habits_;
  std::uint64_t responses_ended_ = 0;
  std::array<unsigned char, 8192> bytes_{};
};

struct riscv_hart_module : tributary::testing::systemc_test {
  /// Runs a program on all harts to its end.
  void run(const char* program, std::size_t harts, const hart_config& config = {},
           const habits& memory_has = {}) {
    const elf_program loaded = read_elf(std::string(RISCV_PROGRAMS_DIR) + "/" + program);
    memory = std::make_unique<plain_memory>("memory", harts, memory_has);
    for (std::size_t i = 0; i < harts; ++i) {
      modules.push_back(std::make_unique<hart_module>(sc_core::sc_gen_unique_name("hart"), config,
                                                      loaded, i, harts));
      monitors.push_back(
          std::make_unique<tributary::protocol_monitor<>>(sc_core::sc_gen_unique_name("monitor")));
      modules[i]->shared_port.initiator_socket.bind(monitors[i]->target_socket);
      monitors[i]->initiator_socket.bind(memory->target_sockets[i]);
    }
    sc_core::sc_start(1, sc_core::SC_MS);
  }

  std::unique_ptr<plain_memory> memory;
  std::vector<std::unique_ptr<tributary::protocol_monitor<>>> monitors;
  std::vector<std::unique_ptr<hart_module>> modules;
};

TEST_F(riscv_hart_module, counts) {
  run("counter.elf", 4);
  for (const auto& each : modules) EXPECT_EQ(each->core().exit_status(), 0U);
  EXPECT_EQ(memory->word(shared_base), 64U);
}

TEST_F(riscv_hart_module, locks) {
  run("lock.elf", 3);
  for (const auto& each : modules) EXPECT_EQ(each->core().exit_status(), 0U);
  EXPECT_EQ(memory->word(shared_base), 48U);
}

TEST_F(riscv_hart_module, counts_and_locks_loosely_timed) {
  hart_config config;
  config.transport = transport_style::loosely_timed;
  run("lock.elf", 3, config);
  for (const auto& each : modules) EXPECT_EQ(each->core().exit_status(), 0U);
}

TEST_F(riscv_hart_module, takes_a_cycle_an_instruction_and_the_time_of_its_accesses) {
  run("counter.elf", 1);
  const hart_module& only = *modules.front();
  const double accesses = static_cast<double>(only.shared().atomics() + 1);  // and a load
  // The last instruction ends the program and takes no time.
  const double instructions = static_cast<double>(only.core().retired() - 1);
  EXPECT_EQ(only.stopped_at(), sc_core::sc_time(instructions + 10 * accesses, sc_core::SC_NS));
}

TEST_F(riscv_hart_module, ends_a_response_that_came_with_the_request) {
  run("counter.elf", 1, {}, {true, false});
  EXPECT_EQ(modules.front()->core().exit_status(), 0U);
  EXPECT_EQ(memory->responses_ended(), modules.front()->shared().atomics() + 1);
}

TEST_F(riscv_hart_module, traps_where_nobody_performs_an_atomic) {
  run("counter.elf", 1, {}, {false, true});
  const std::optional<trap>& what = modules.front()->core().trapped();
  ASSERT_TRUE(what);
  EXPECT_EQ(what->cause, trap_cause::store_access_fault);
  EXPECT_EQ(what->value, shared_base);
}

}  // namespace
}  // namespace riscv
