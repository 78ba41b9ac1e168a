// SPDX-License-Identifier: Apache-2.0
// The network with sockets, with our own elements and memory modules around it.
#include <tributary/systemc/combining_network.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <driver/simulation_context.h>
#include <tributary/processor/traffic.h>
#include <tributary/systemc/memory_module.h>
#include <tributary/systemc/processing_element_module.h>
#include <ultracomputer/ultracomputer.h>

#include "support/at_initiator.h"
#include "support/event_text.h"
#include "support/observed_machine.h"
#include "support/socket_ultracomputer.h"
#include "support/systemc_test.h"
#include "support/word_payload.h"

namespace tributary {
namespace {

using testing::at_initiator;
using testing::first_difference;
using testing::memory_bank;
using testing::socket_ultracomputer;
using testing::word_payload;

class combining_network_test : public testing::systemc_test {};

ultracomputer_config without_local_ports(ultracomputer_config config) {
  for (address_region& region : config.addresses.regions) region.local_port = false;
  config.workload.kind = workload_kind::closed_loop;
  return config;
}

constexpr cycle_t trace_cycles = 600;

void expect_the_same_trace(const ultracomputer_config& config, std::uint64_t seed) {
  SCOPED_TRACE(testing::to_string(config));
  ultracomputer loop(config, seed);
  testing::event_text expected(loop.observers());
  loop.run_until(trace_cycles);
  socket_ultracomputer sockets(config, seed);
  testing::event_text trace(sockets.network.observers());
  sockets.run_until(trace_cycles);
  ASSERT_FALSE(expected.text().empty());
  ASSERT_TRUE(trace.text() == expected.text()) << first_difference(expected.text(), trace.text());
  for (const auto& each : sockets.elements) each->stop();
  sockets.run_until(trace_cycles + 4000);
  EXPECT_TRUE(sockets.network.idle());
  for (const auto& each : sockets.elements) EXPECT_TRUE(each->idle());
  for (const auto& each : sockets.monitors) EXPECT_EQ(each.checker().outstanding(), 0U);
  for (const auto& each : sockets.memories.monitors) EXPECT_EQ(each.checker().outstanding(), 0U);
}

class equality_test : public combining_network_test,
                      public ::testing::WithParamInterface<std::uint64_t> {};

TEST_P(equality_test, sockets_all_around_make_the_trace_of_the_loop) {
  random_stream random(6400 + GetParam(), 0U, 0U);
  expect_the_same_trace(without_local_ports(testing::random_configuration(random)), GetParam());
}

INSTANTIATE_TEST_SUITE_P(seeds, equality_test, ::testing::Range<std::uint64_t>(1, 61));

combining_network_config network_of(std::uint32_t elements) {
  combining_network_config config;
  config.network.processing_elements = elements;
  return config;
}
combining_network_config network_of_four() { return network_of(4); }

/// A network of four with memory modules, and an initiator at each port.
struct small_soc {
  explicit small_soc(const combining_network_config& config = network_of_four(),
                     const memory_module_config& memory = {})
      : network("network", config),
        memories((network.clock(clock), network), memory),
        initiators("initiators", config.network.processing_elements) {
    for (std::size_t pe = 0; pe < initiators.size(); ++pe) {
      initiators[pe].initiator_socket().bind(network.target_sockets[pe]);
    }
  }
  /// Each initiator sends so many fetch-and-adds of one.
  void add(int times, std::uint64_t address) {
    for (at_initiator& each : initiators) {
      for (int i = 0; i < times; ++i) {
        each.send(each.pool.acquire_fetch_op(address, function_of(operation::fetch_add, 1)));
      }
    }
  }

  sc_core::sc_clock clock{"clock", 10, sc_core::SC_NS};
  combining_network network;
  memory_bank memories;
  sc_core::sc_vector<at_initiator> initiators;
};

/// A network of four whose only region lies in blocks at 0x1000.
combining_network_config network_of_blocks() {
  combining_network_config config = network_of_four();
  config.addresses.regions = {{"blocks", 0x1000, 0x1000, region_mapping::blocked, 0, false, false}};
  return config;
}
memory_module_config memory_with_pointers(bool gives = true) {
  memory_module_config config;
  config.size = 0x2000;
  config.dmi = gives;
  return config;
}

/// Objects in a network when it was refused.
std::size_t built_when_refused(const combining_network_config& config) {
  static std::size_t built;
  built = 0;
  const auto usual = sc_core::sc_report_handler::get_handler();
  sc_core::sc_report_handler::set_handler(
      [](const sc_core::sc_report& report, const sc_core::sc_actions&) {
        built = sc_core::sc_find_object("network")->get_child_objects().size();
        throw report;
      });
  EXPECT_THROW(combining_network("network", config), sc_core::sc_report);
  sc_core::sc_report_handler::set_handler(usual);
  return built;
}

TEST_F(combining_network_test, that_is_too_large_is_refused_before_it_is_built) {
  EXPECT_LT(built_when_refused(network_of(131072)), 10U);
}

TEST_F(combining_network_test, whose_memory_side_is_refused_has_its_sockets) {
  combining_network_config config = network_of(64);
  config.memory_interface.pipeline = 0;
  EXPECT_GE(built_when_refused(config), 64U);
}

TEST_F(combining_network_test, a_size_that_is_no_power_of_two_is_reported) {
  expect_report(messages::configuration);
  EXPECT_THROW(combining_network("network", network_of(6)), sc_core::sc_report);
}

TEST_F(combining_network_test, ends_cleanly_with_transactions_under_way) {
  small_soc soc;
  soc.add(20, 8);
  sc_core::sc_start(155, sc_core::SC_NS);
  EXPECT_FALSE(soc.network.idle());
}

/// Counts requests of an even element that combined with one of an odd element, or the reverse.
class mixed_pairs final : public observer<trace_event> {
 public:
  void on_event(const trace_event& event) override {
    if (event.kind->joins && (event.identity.origin() + event.parent.origin()) % 2 == 1) ++seen;
  }
  std::uint64_t seen = 0;
};

TEST_F(combining_network_test, aliased_and_direct_fetch_and_adds_combine_with_each_other) {
  combining_network_config config = network_of(16);
  config.network.switches.type = queue_type::a;
  config.network.switches.coupled = true;
  config.aliases.enabled = true;
  small_soc soc(config);
  mixed_pairs mixed;
  soc.network.observers().attach(mixed);
  const std::uint64_t operand_register =
      config.aliases.base + static_cast<std::uint64_t>(alias_register::operand);
  const std::uint64_t fetch_add_of_64 = config.aliases.base + config.aliases.size + 64;  // bank 1
  std::vector<word_t> got;
  for (std::size_t pe = 0; pe < soc.initiators.size(); ++pe) {
    at_initiator& each = soc.initiators[pe];
    const bool aliased = pe % 2 == 0;
    if (aliased) {
      each.send(each.pool.acquire_word(tlm::TLM_WRITE_COMMAND, operand_register, 1));
    }
    for (int i = 0; i < 50; ++i) {
      each.send(aliased ? each.pool.acquire_word(tlm::TLM_READ_COMMAND, fetch_add_of_64)
                        : each.pool.acquire_fetch_op(64, function_of(operation::fetch_add, 1)));
    }
    each.on_response = [&](tlm::tlm_generic_payload& payload) {
      if (!payload.is_write()) got.push_back(payload_pool::word_of(payload));
    };
  }
  sc_core::sc_start(50, sc_core::SC_US);
  soc.network.observers().detach(mixed);
  EXPECT_TRUE(soc.network.idle());
  EXPECT_EQ(soc.memories.modules[8].word(64), 800U);
  EXPECT_GT(soc.network.statistics().find("network.stage.3.combined"), 0);
  EXPECT_EQ(soc.network.statistics().find("interface.accepted"), 800);
  // 50 us are 5,000 cycles of 10 ns; the last begins as they end.
  const auto elements = static_cast<double>(soc.initiators.size());
  EXPECT_NEAR(soc.network.statistics().find("interface.accepted_load"), 800 / (elements * 4999),
              1e-9);
  EXPECT_GT(mixed.seen, 50U);
  std::sort(got.begin(), got.end());
  ASSERT_EQ(got.size(), 800U);
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], i) << "each value once";
  soc.network.reset_statistics();
  EXPECT_EQ(soc.network.statistics().find("interface.accepted"), 0);
  EXPECT_EQ(soc.network.statistics().find("interface.accepted_load"), 0);
}

TEST_F(combining_network_test, all_ways_of_access_meet_at_one_word) {
  small_soc soc;
  at_initiator& timed = soc.initiators[0];
  timed.send(timed.pool.acquire_fetch_op(8, function_of(operation::fetch_add, 5)));
  sc_core::sc_spawn([&] {
    sc_core::wait(1, sc_core::SC_US);
    word_payload read(tlm::TLM_READ_COMMAND, 8);
    sc_core::sc_time delay;
    soc.initiators[1].own_socket->b_transport(read, delay);
    EXPECT_EQ(read.data, 5U);
    // The next edge, two stages each way, two cycles of memory.
    EXPECT_EQ(delay, 7 * soc.clock.period());
    word_payload write(tlm::TLM_WRITE_COMMAND, 8, 9);
    EXPECT_EQ(soc.initiators[2].own_socket->transport_dbg(write), 8U);
    word_payload again(tlm::TLM_READ_COMMAND, 8);
    EXPECT_EQ(soc.initiators[3].own_socket->transport_dbg(again), 8U);
    EXPECT_EQ(again.data, 9U);
  });
  sc_core::sc_start(2, sc_core::SC_US);
  EXPECT_EQ(soc.memories.modules[1].word(8), 9U);
}

TEST_F(combining_network_test, a_clock_that_is_a_signal_tells_its_period_by_two_edges) {
  sc_core::sc_signal<bool> clock("clock");
  combining_network network("network", network_of_four());
  network.clock(clock);
  memory_bank memories(network, {});
  at_initiator initiator("initiator");
  initiator.initiator_socket().bind(network.target_sockets[0]);
  const sc_core::sc_time period(10, sc_core::SC_NS);
  sc_core::sc_spawn([&] {
    for (;;) {
      sc_core::wait(period / 2);
      clock.write(!clock.read());
    }
  });
  sc_core::sc_time called;
  sc_core::sc_time delay;
  sc_core::sc_spawn([&] {
    word_payload payload(tlm::TLM_READ_COMMAND, 0);
    initiator.own_socket->b_transport(payload, delay);
    called = sc_core::sc_time_stamp();
    EXPECT_TRUE(payload.is_response_ok());
  });
  sc_core::sc_start(1, sc_core::SC_US);
  EXPECT_EQ(called, 1.5 * period) << "the second edge";
  EXPECT_EQ(delay, 7 * period);
}

TEST_F(combining_network_test, ports_and_modules_may_stay_unbound) {
  sc_core::sc_clock clock("clock", 10, sc_core::SC_NS);
  combining_network_config config = network_of_four();
  config.addresses.regions.resize(1);
  config.addresses.regions[0].mapping = region_mapping::module;
  config.addresses.regions[0].module = 2;
  combining_network network("network", config);
  network.clock(clock);
  memory_module memory("memory");
  memory.clock(clock);
  protocol_monitor<> monitor("monitor");
  testing::bind_sockets(network.initiator_sockets[2], memory.target_socket, &monitor);
  at_initiator initiator("initiator");
  initiator.initiator_socket().bind(network.target_sockets[3]);
  initiator.send(initiator.pool.acquire_fetch_op(8, function_of(operation::fetch_add, 5)));
  sc_core::sc_start(1, sc_core::SC_US);
  EXPECT_EQ(memory.word(8), 5U);
}

TEST_F(combining_network_test, two_networks_of_different_shape_live_together) {
  sc_core::sc_clock clock("clock", 10, sc_core::SC_NS);
  sc_core::sc_clock fast("fast", 3, sc_core::SC_NS);
  combining_network small("small", network_of_four());
  combining_network_config config = network_of(16);
  config.network.switches.type = queue_type::a;
  combining_network large("large", config);
  small.clock(clock);
  large.clock(fast);
  memory_bank small_memories(small, {});
  memory_bank large_memories(large, {});
  at_initiator first("first");
  at_initiator second("second");
  first.initiator_socket().bind(small.target_sockets[0]);
  second.initiator_socket().bind(large.target_sockets[15]);
  first.send(first.pool.acquire_fetch_op(8, function_of(operation::fetch_add, 1)));
  second.send(second.pool.acquire_fetch_op(8, function_of(operation::fetch_add, 2)));
  sc_core::sc_start(1, sc_core::SC_US);
  EXPECT_EQ(small_memories.modules[1].word(8), 1U);
  EXPECT_EQ(large_memories.modules[1].word(8), 2U);
  EXPECT_EQ(first.outcomes.at(0).answered, 7 * clock.period());
  EXPECT_EQ(second.outcomes.at(0).answered, 11 * fast.period());
}

TEST_F(combining_network_test, what_memory_refuses_goes_back_to_the_initiator) {
  memory_module_config memory;
  memory.size = 64;
  small_soc soc(network_of_four(), memory);
  at_initiator& initiator = soc.initiators[0];
  initiator.send(initiator.pool.acquire_word(tlm::TLM_READ_COMMAND, 4096));
  initiator.send(initiator.pool.acquire_word(tlm::TLM_READ_COMMAND, 32));
  sc_core::sc_start(1, sc_core::SC_US);
  ASSERT_EQ(initiator.outcomes.size(), 2U);
  EXPECT_EQ(initiator.outcomes[0].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(initiator.outcomes[1].status, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(soc.network.statistics().find("interface.refused"), 1);
}

TEST_F(combining_network_test, reset_empties_it_and_answers_everything) {
  sc_core::sc_signal<bool> reset_n("reset_n", true);
  small_soc soc;
  soc.network.reset_n(reset_n);
  soc.add(20, 64);
  sc_core::sc_start(123, sc_core::SC_NS);
  reset_n.write(false);
  sc_core::sc_start(50, sc_core::SC_NS);
  EXPECT_EQ(soc.network.now(), 0U);
  EXPECT_EQ(soc.network.statistics().find("interface.accepted"), 0);
  EXPECT_EQ(soc.network.statistics().find("memory_interface.requests"), 0);
  reset_n.write(true);
  sc_core::sc_start(20, sc_core::SC_US);
  EXPECT_TRUE(soc.network.idle());
  for (at_initiator& each : soc.initiators) {
    EXPECT_EQ(each.outcomes.size(), 20U);
    EXPECT_EQ(each.outcomes.back().status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(each.pool.outstanding(), 0U);
  }
}

TEST_F(combining_network_test, pointers_lead_around_the_network_to_memory) {
  small_soc soc(network_of_blocks(), memory_with_pointers());
  sc_core::sc_start(10, sc_core::SC_NS);
  soc.memories.modules[2].set_word(0x1808, 77);
  tlm::tlm_generic_payload payload;
  payload.set_address(0x1810);
  tlm::tlm_dmi dmi;
  ASSERT_TRUE(soc.initiators[0].own_socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_EQ(dmi.get_start_address(), 0x1800U);
  EXPECT_EQ(dmi.get_end_address(), 0x1bffU);
  word_t seen = 0;
  std::memcpy(&seen, dmi.get_dmi_ptr() + 8, word_bytes);
  EXPECT_EQ(seen, 77U);
}

TEST_F(combining_network_test, a_blocking_access_tells_that_memory_gives_pointers) {
  for (const bool gives : {true, false}) {
    const simulation_context context;
    small_soc soc(network_of_blocks(), memory_with_pointers(gives));
    std::vector<bool> hints;
    sc_core::sc_spawn([&] {
      for (const auto command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
        word_payload payload(command, 0x1810);
        sc_core::sc_time delay;
        soc.initiators[0].own_socket->b_transport(payload, delay);
        EXPECT_TRUE(payload.is_response_ok());
        hints.push_back(payload.is_dmi_allowed());
      }
    });
    sc_core::sc_start(100, sc_core::SC_NS);
    EXPECT_EQ(hints, std::vector<bool>(2, gives));
  }
}

}  // namespace
}  // namespace tributary
