// SPDX-License-Identifier: Apache-2.0
// The processor side of a network with the built-in memory behind it. That elements through sockets
// make the trace of built-in ones is in combining_network_test.cpp.
#include <tributary/systemc/network_interface_module.h>

#include <array>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <tributary/sim/random_stream.h>
#include <tributary/systemc/messages.h>
#include <ultracomputer/ultracomputer_config.h>

#include "support/socket_machine.h"
#include "support/systemc_test.h"
#include "support/word_payload.h"

namespace tributary {
namespace {

using testing::at_initiator;
using testing::response_end;
using testing::socket_machine;
using testing::word_payload;

class network_interface_module_test : public testing::systemc_test {};

/// Four elements with the default memory: interval 4, latency 2.
ultracomputer_config small_machine(std::uint32_t outstanding = 1) {
  ultracomputer_config config;
  config.network.processing_elements = 4;
  config.interface.outstanding = outstanding;
  return config;
}

class port_test : public network_interface_module_test {
 protected:
  /// Calls `act` half a period before the edge of a cycle.
  void before(socket_machine& machine, cycle_t cycle, std::function<void()> act) {
    acts_.emplace(cycle, std::move(act));
    machine.before_edge = [this](cycle_t now) {
      for (auto [each, end] = acts_.equal_range(now); each != end; ++each) each->second();
    };
  }
  void load(at_initiator& initiator, std::uint64_t address) {
    initiator.send(initiator.pool.acquire_word(tlm::TLM_READ_COMMAND, address));
  }
  static std::vector<cycle_t> answered(const socket_machine& machine,
                                       const at_initiator& initiator) {
    std::vector<cycle_t> cycles;
    for (const auto& each : initiator.outcomes) cycles.push_back(machine.cycle_of(each.answered));
    return cycles;
  }
  static std::vector<cycle_t> accepted(const socket_machine& machine,
                                       const at_initiator& initiator) {
    std::vector<cycle_t> cycles;
    for (const auto& each : initiator.outcomes) cycles.push_back(machine.cycle_of(each.accepted));
    return cycles;
  }

 private:
  std::multimap<cycle_t, std::function<void()>> acts_;
};

using cycles_of = std::vector<cycle_t>;

TEST_F(port_test, a_lone_request_takes_two_k_plus_the_latency_of_memory) {
  socket_machine machine(small_machine());
  at_initiator& first = machine.initiators[0];
  before(machine, 3, [&] { load(first, 8); });
  machine.run_until(20);
  EXPECT_EQ(accepted(machine, first), (cycles_of{3}));
  EXPECT_EQ(answered(machine, first), (cycles_of{9}));
  EXPECT_TRUE(machine.interface.idle());
  EXPECT_EQ(first.pool.outstanding(), 0U);
}

TEST_F(port_test, a_request_at_an_edge_is_seen_at_the_next) {
  socket_machine machine(small_machine());
  at_initiator& first = machine.initiators[0];
  first.annotation = machine.clock.period() / 2;
  before(machine, 3, [&] { load(first, 8); });
  machine.run_until(20);
  EXPECT_EQ(accepted(machine, first), (cycles_of{4}));
}

TEST_F(port_test, a_request_far_ahead_waits_for_its_time) {
  socket_machine machine(small_machine());
  at_initiator& first = machine.initiators[0];
  first.annotation = 7 * machine.clock.period();
  before(machine, 3, [&] { load(first, 8); });
  before(machine, 4, [&] { load(machine.initiators[1], 8); });
  machine.run_until(30);
  EXPECT_EQ(accepted(machine, first), (cycles_of{10}));
  EXPECT_EQ(accepted(machine, machine.initiators[1]), (cycles_of{4}));
}

TEST_F(port_test, a_request_that_the_network_refuses_ends_late) {
  socket_machine machine(small_machine(1));
  at_initiator& first = machine.initiators[0];
  before(machine, 3, [&] {
    load(first, 8);
    load(first, 16);
  });
  machine.run_until(40);
  EXPECT_EQ(accepted(machine, first), (cycles_of{3, 10})) << "one outstanding";
  EXPECT_EQ(answered(machine, first), (cycles_of{9, 16}));
}

TEST_F(port_test, a_split_access_ends_with_its_last_word) {
  socket_machine machine(small_machine(4));
  at_initiator& first = machine.initiators[0];
  std::array<unsigned char, 24> data{};
  machine.memories.core().words().write(location_of(mm_id{1}, 8), 0x0807060504030201);
  before(machine, 3,
         [&] { first.send(first.pool.acquire(tlm::TLM_READ_COMMAND, 8, data.data(), 24)); });
  machine.run_until(40);
  EXPECT_EQ(accepted(machine, first), (cycles_of{7})) << "words leave two cycles apart";
  EXPECT_EQ(answered(machine, first), (cycles_of{13}));
  EXPECT_EQ(data[0], 1U);
  EXPECT_EQ(data[7], 8U);
}

TEST_F(port_test, an_access_without_enabled_bytes_does_nothing) {
  socket_machine machine(small_machine());
  at_initiator& first = machine.initiators[0];
  std::array<unsigned char, 8> none{};
  before(machine, 3, [&] {
    auto& payload = first.pool.acquire_word(tlm::TLM_WRITE_COMMAND, 8, 5);
    payload.set_byte_enable_ptr(none.data());
    payload.set_byte_enable_length(8);
    first.send(payload);
  });
  machine.run_until(20);
  EXPECT_EQ(answered(machine, first), (cycles_of{3}));
  EXPECT_EQ(first.outcomes.at(0).status, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(machine.interface.core().accepted().value(), 0U);
}

TEST_F(port_test, an_address_in_no_region_is_refused_at_once) {
  socket_machine machine(small_machine());
  at_initiator& first = machine.initiators[0];
  before(machine, 3, [&] { load(first, std::uint64_t{1} << 45); });
  machine.run_until(20);
  EXPECT_EQ(answered(machine, first), (cycles_of{3}));
  EXPECT_EQ(first.outcomes.at(0).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_F(port_test, an_alias_performs_its_operation) {
  constexpr std::uint64_t window = std::uint64_t{1} << 44;
  constexpr std::uint64_t fetch_add_bank = 1;
  alias_config aliases;
  aliases.enabled = true;
  socket_machine machine(small_machine(), aliases);
  at_initiator& first = machine.initiators[0];
  machine.memories.core().words().write(location_of(mm_id{1}, 8), 40);
  const std::uint64_t add = window + fetch_add_bank * aliases.size + 8;
  word_t old = 0;
  first.on_response = [&](tlm::tlm_generic_payload& payload) {
    if (payload.is_read()) old = payload_pool::word_of(payload);
  };
  before(machine, 3, [&] {
    first.send(first.pool.acquire_word(
        tlm::TLM_WRITE_COMMAND, window + static_cast<std::uint64_t>(alias_register::operand), 2));
    load(first, add);
  });
  machine.run_until(30);
  ASSERT_EQ(first.outcomes.size(), 2U);
  EXPECT_EQ(first.outcomes[1].status, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(old, 40U);
  EXPECT_EQ(machine.memories.core().words().read(location_of(mm_id{1}, 8)), 42U);
}

/// When the responses to three loads, two cycles apart, begin.
cycles_of answers_with(response_end end, double periods) {
  socket_machine machine(small_machine(4));
  at_initiator& first = machine.initiators[0];
  first.end = end;
  first.end_delay = periods * machine.clock.period();
  machine.before_edge = [&](cycle_t now) {
    if (now != 3) return;
    for (const std::uint64_t address : {8U, 16U, 24U}) {
      first.send(first.pool.acquire_word(tlm::TLM_READ_COMMAND, address));
    }
  };
  machine.run_until(60);
  EXPECT_TRUE(machine.interface.idle());
  EXPECT_EQ(first.pool.outstanding(), 0U);
  cycles_of cycles;
  for (const auto& each : first.outcomes) cycles.push_back(machine.cycle_of(each.answered));
  return cycles;
}

class response_end_test : public network_interface_module_test,
                          public ::testing::WithParamInterface<response_end> {};

TEST_P(response_end_test, costs_nothing_within_a_period_of_the_link) {
  EXPECT_EQ(answers_with(GetParam(), 1), (cycles_of{9, 11, 13}));
}

TEST_P(response_end_test, holds_the_next_response_when_it_is_late) {
  EXPECT_EQ(answers_with(GetParam(), 5), (cycles_of{9, 15, 21})) << "seen strictly after";
}

INSTANTIATE_TEST_SUITE_P(ways, response_end_test,
                         ::testing::Values(response_end::completed, response_end::updated,
                                           response_end::call, response_end::foreign));

TEST_F(port_test, a_held_response_holds_its_slot_and_no_other_port) {
  socket_machine machine(small_machine(2));
  at_initiator& first = machine.initiators[0];
  at_initiator& second = machine.initiators[1];
  first.end_delay = 20 * machine.clock.period();
  before(machine, 3, [&] {
    for (const std::uint64_t address : {8U, 16U, 24U, 40U}) load(first, address);
    for (const std::uint64_t address : {8U, 16U, 24U, 40U}) load(second, address);
  });
  machine.run_until(100);
  // The first two leave at 3 and 5; the third takes the slot of the first, which responded at 9;
  // the fourth waits until the second may respond.
  EXPECT_EQ(accepted(machine, first), (cycles_of{3, 5, 10, 31}));
  ASSERT_EQ(answered(machine, first).size(), 4U);
  EXPECT_EQ(answered(machine, first)[1], 30U);
  EXPECT_LT(answered(machine, second).at(3), 30U);
}

class late_end_test : public port_test, public ::testing::WithParamInterface<std::uint64_t> {};

TEST_P(late_end_test, loses_nothing) {
  random_stream random(6200 + GetParam(), 0U, 0U);
  const sc_core::sc_time period(10, sc_core::SC_NS);
  socket_machine machine(small_machine(1 + static_cast<std::uint32_t>(random.below(8))));
  std::uint64_t sent = 0;
  for (std::uint32_t pe = 0; pe < 4; ++pe) {
    at_initiator& each = machine.initiators[pe];
    each.end = static_cast<response_end>(random.below(3));
    each.end_delay = static_cast<double>(random.below(60)) / 10 * period;
  }
  machine.before_edge = [&](cycle_t now) {
    if (now > 200) return;
    for (std::uint32_t pe = 0; pe < 4; ++pe) {
      if (random.below(4) != 0) continue;
      at_initiator& each = machine.initiators[pe];
      each.send(
          each.pool.acquire_fetch_op(8 * random.below(3), function_of(operation::fetch_add, 1)));
      ++sent;
    }
  };
  machine.run_until(3000);
  std::uint64_t answers = 0;
  for (const at_initiator& each : machine.initiators) {
    answers += each.outcomes.size();
    EXPECT_EQ(each.pool.outstanding(), 0U);
    EXPECT_EQ(each.monitor.checker().outstanding(), 0U);
  }
  EXPECT_EQ(answers, sent);
  word_t total = 0;
  for (const auto& [location, word] : machine.memories.core().words().contents()) total += word;
  EXPECT_EQ(total, sent);
  EXPECT_TRUE(machine.interface.idle());
}

INSTANTIATE_TEST_SUITE_P(seeds, late_end_test, ::testing::Range<std::uint64_t>(1, 13));

TEST_F(port_test, reset_answers_everything_with_a_generic_error) {
  socket_machine machine(small_machine(2));
  sc_core::sc_signal<bool> reset_n{"reset_n", true};
  machine.interface.reset_n(reset_n);
  machine.network.reset_n(reset_n);
  machine.memories.reset_n(reset_n);
  at_initiator& first = machine.initiators[0];
  first.end_delay = 3 * machine.clock.period();
  before(machine, 3, [&] {
    for (std::uint64_t word = 1; word < 6; ++word) load(first, 8 * word);
  });
  before(machine, 8, [&] { reset_n.write(false); });
  before(machine, 10, [&] { load(machine.initiators[1], 8); });
  before(machine, 12, [&] { reset_n.write(true); });
  before(machine, 60, [&] { load(first, 8); });
  machine.run_until(11);
  EXPECT_EQ(machine.interface.now(), 0U);
  statistics_tree in_reset;
  machine.interface.report(in_reset.group("interface"));
  EXPECT_EQ(in_reset.find("interface.accepted"), 0);
  EXPECT_EQ(in_reset.find("interface.refused"), 0);
  machine.run_until(100);
  EXPECT_EQ(machine.interface.now(), 89U);
  ASSERT_EQ(first.outcomes.size(), 6U);
  EXPECT_EQ(first.outcomes[0].status, tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(first.outcomes[1].status, tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(first.outcomes[5].status, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(answered(machine, first)[5], 66U);
  ASSERT_EQ(machine.initiators[1].outcomes.size(), 1U);
  EXPECT_EQ(machine.initiators[1].outcomes[0].status, tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_TRUE(machine.interface.idle());
  EXPECT_EQ(first.pool.outstanding(), 0U);
}

TEST_F(port_test, a_second_begin_req_is_reported_and_answered) {
  expect_report(messages::protocol, testing::after_report::goes_on);
  socket_machine machine(small_machine());
  at_initiator& first = machine.initiators[0];
  first.monitor.checker().on_violation([](const protocol_violation&) {});
  auto& intruder = first.pool.acquire_word(tlm::TLM_READ_COMMAND, 8);
  before(machine, 3, [&] { load(first, 8); });
  before(machine, 3, [&] { load(first, 16); });
  before(machine, 5, [&] {
    tlm::tlm_phase begun = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    EXPECT_EQ(first.own_socket->nb_transport_fw(intruder, begun, delay), tlm::TLM_COMPLETED);
  });
  machine.run_until(40);
  EXPECT_EQ(intruder.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(answered(machine, first), (cycles_of{9, 16}));
  intruder.release();
}

/// Begins a transaction in the process of the test's machine.
tlm::tlm_sync_enum begin(at_initiator& initiator, tlm::tlm_generic_payload& payload) {
  tlm::tlm_phase begun = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  return initiator.own_socket->nb_transport_fw(payload, begun, delay);
}

TEST_F(port_test, a_payload_that_cannot_be_held_is_reported_and_answered) {
  expect_report(messages::protocol, testing::after_report::goes_on);
  socket_machine machine(small_machine());
  at_initiator& first = machine.initiators[0];
  first.monitor.checker().on_violation([](const protocol_violation&) {});
  word_payload lone(tlm::TLM_READ_COMMAND, 8);
  word_payload unheld(tlm::TLM_READ_COMMAND, 8);
  unheld.set_mm(&first.pool);
  before(machine, 3, [&] {
    EXPECT_EQ(begin(first, lone), tlm::TLM_COMPLETED);
    EXPECT_EQ(begin(first, unheld), tlm::TLM_COMPLETED);
  });
  machine.run_until(40);
  EXPECT_EQ(lone.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(unheld.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
  ASSERT_EQ(reports(messages::protocol).size(), 2U);
  EXPECT_NE(reports(messages::protocol)[0].find("target_sockets_0"), std::string::npos);
  EXPECT_TRUE(machine.interface.idle());
}

TEST_F(port_test, a_payload_that_is_begun_twice_is_reported_and_served_once) {
  expect_report(messages::protocol, testing::after_report::goes_on);
  socket_machine machine(small_machine());
  at_initiator& first = machine.initiators[0];
  first.monitor.checker().on_violation([](const protocol_violation&) {});
  auto& payload = first.pool.acquire_fetch_op(8, function_of(operation::fetch_add, 1));
  before(machine, 3, [&] { first.send(payload); });
  before(machine, 6, [&] { EXPECT_EQ(begin(first, payload), tlm::TLM_COMPLETED); });
  machine.run_until(40);
  EXPECT_EQ(reports(messages::protocol).size(), 1U);
  EXPECT_EQ(answered(machine, first), (cycles_of{9}));
  EXPECT_EQ(machine.memories.core().words().read(location_of(mm_id{1}, 8)), 1U);
  EXPECT_TRUE(machine.interface.idle());
  EXPECT_EQ(first.pool.outstanding(), 0U);
}

TEST_F(port_test, a_payload_that_is_begun_at_two_ports_is_reported_and_served_once) {
  expect_report(messages::protocol, testing::after_report::goes_on);
  socket_machine machine(small_machine());
  at_initiator& first = machine.initiators[0];
  at_initiator& second = machine.initiators[1];
  second.monitor.checker().on_violation([](const protocol_violation&) {});
  auto& payload = first.pool.acquire_fetch_op(8, function_of(operation::fetch_add, 1));
  payload.acquire();  // so that it stays, and is not new when it begins again
  before(machine, 3, [&] { first.send(payload); });
  before(machine, 6, [&] { EXPECT_EQ(begin(second, payload), tlm::TLM_COMPLETED); });
  machine.run_until(40);
  ASSERT_EQ(reports(messages::protocol).size(), 1U);
  EXPECT_NE(reports(messages::protocol)[0].find("target_sockets_1"), std::string::npos);
  EXPECT_EQ(answered(machine, first), (cycles_of{9}));
  EXPECT_EQ(machine.memories.core().words().read(location_of(mm_id{1}, 8)), 1U);
  // Once it has ended, any port takes it.
  payload.acquire();  // the second initiator releases it too
  before(machine, 42, [&] { second.send(payload); });
  machine.run_until(80);
  EXPECT_EQ(second.outcomes.size(), 1U);
  EXPECT_EQ(machine.memories.core().words().read(location_of(mm_id{1}, 8)), 2U);
  payload.release();
  EXPECT_EQ(first.pool.outstanding(), 0U);
}

TEST_F(port_test, a_streaming_width_of_zero_is_the_length_and_warned_of_once) {
  expect_report(messages::protocol);
  socket_machine machine(small_machine());
  at_initiator& first = machine.initiators[0];
  first.monitor.checker().ignore(protocol_rule::streaming_width);
  for (const cycle_t cycle : {3U, 20U}) {
    before(machine, cycle, [&] {
      auto& payload = first.pool.acquire_word(tlm::TLM_WRITE_COMMAND, 8, 5);
      payload.set_streaming_width(0);
      first.send(payload);
    });
  }
  machine.run_until(40);
  ASSERT_EQ(first.outcomes.size(), 2U);
  EXPECT_EQ(first.outcomes[1].status, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(machine.memories.core().words().read(location_of(mm_id{1}, 8)), 5U);
  ASSERT_EQ(reports(messages::protocol).size(), 1U) << "once a socket";
  EXPECT_NE(reports(messages::protocol)[0].find("target_sockets_0"), std::string::npos);
}

TEST_F(port_test, phases_that_are_not_an_initiators_are_reported) {
  expect_report(messages::protocol, testing::after_report::goes_on);
  socket_machine machine(small_machine());
  at_initiator& first = machine.initiators[0];
  first.monitor.checker().on_violation([](const protocol_violation&) {});
  auto& payload = first.pool.acquire_word(tlm::TLM_READ_COMMAND, 8);
  before(machine, 3, [&] {
    for (tlm::tlm_phase begun : {tlm::END_RESP, tlm::END_REQ, tlm::BEGIN_RESP}) {
      sc_core::sc_time delay;
      EXPECT_EQ(first.own_socket->nb_transport_fw(payload, begun, delay), tlm::TLM_ACCEPTED);
    }
  });
  machine.run_until(10);
  EXPECT_EQ(reports(messages::protocol).size(), 3U);
  payload.release();
}

TEST_F(port_test, a_response_that_is_ended_twice_is_reported) {
  expect_report(messages::protocol, testing::after_report::goes_on);
  socket_machine machine(small_machine());
  at_initiator& first = machine.initiators[0];
  first.monitor.checker().on_violation([](const protocol_violation&) {});
  first.on_response = [&](tlm::tlm_generic_payload& payload) {
    tlm::tlm_phase begun = tlm::END_RESP;
    sc_core::sc_time delay;
    first.own_socket->nb_transport_fw(payload, begun, delay);
  };
  before(machine, 3, [&] { load(first, 8); });
  machine.run_until(20);
  EXPECT_EQ(reports(messages::protocol).size(), 1U);
  EXPECT_TRUE(machine.interface.idle());
}

TEST_F(port_test, a_configuration_out_of_range_is_reported) {
  expect_report(messages::configuration);
  ultracomputer_config config = small_machine();
  config.interface.outstanding = 0;
  EXPECT_THROW(socket_machine machine(config), sc_core::sc_report);
}

}  // namespace
}  // namespace tributary
