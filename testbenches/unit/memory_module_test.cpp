// SPDX-License-Identifier: Apache-2.0
// One memory module behind a socket, as a memory of its own.
#include <tributary/systemc/memory_module.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>

#include <tributary/memory/relative_addresses.h>
#include <tributary/systemc/fetch_op.h>
#include <tributary/systemc/messages.h>

#include "support/at_initiator.h"
#include "support/systemc_test.h"
#include "support/word_payload.h"

namespace tributary {
namespace {

using testing::at_initiator;
using testing::response_end;

memory_module_config timing(std::uint32_t interval, std::uint32_t latency,
                            std::uint32_t pipeline = 16) {
  memory_module_config config;
  config.timing = {interval, latency, pipeline};
  return config;
}

/// One memory with an initiator, a monitor between.
class memory_module_test : public testing::systemc_test {
 protected:
  memory_module_test() { initiator.takes_every_answer = true; }
  void make(const memory_module_config& config) {
    memory = std::make_unique<memory_module>("memory", config);
    memory->clock(clock);
    initiator.initiator_socket().bind(memory->target_socket);
  }
  /// Outcomes as periods from the start: END_REQ and BEGIN_RESP.
  std::vector<std::pair<double, double>> times() const {
    std::vector<std::pair<double, double>> found;
    for (const at_initiator::outcome& each : initiator.outcomes) {
      EXPECT_EQ(each.status, tlm::TLM_OK_RESPONSE);
      found.emplace_back(each.accepted / clock.period(), each.answered / clock.period());
    }
    return found;
  }
  void run(double periods = 1000) { sc_core::sc_start(periods * clock.period()); }
  tlm::tlm_generic_payload& add_one() {
    return initiator.pool.acquire_fetch_op(0, function_of(operation::fetch_add, 1));
  }

  sc_core::sc_clock clock{"clock", 10, sc_core::SC_NS};
  at_initiator initiator{"initiator"};
  std::unique_ptr<memory_module> memory;
};

using instants = std::vector<std::pair<double, double>>;

TEST_F(memory_module_test, responds_before_it_is_free_with_one_early_completion) {
  make(timing(4, 2));
  for (int i = 0; i < 3; ++i) initiator.send(add_one());
  run();
  // The second request comes with the response of the first and starts when the memory is free.
  EXPECT_EQ(times(), (instants{{1, 1}, {5, 5}, {9, 9}}));
  EXPECT_EQ(memory->word(0), 3U);
  EXPECT_TRUE(memory->idle());
}

TEST_F(memory_module_test, takes_requests_while_responses_are_due) {
  make(timing(2, 5));
  for (int i = 0; i < 3; ++i) initiator.send(add_one());
  run();
  EXPECT_EQ(times(), (instants{{1, 4}, {3, 6}, {5, 8}}));
}

TEST_F(memory_module_test, holds_as_many_requests_as_its_pipeline) {
  make(timing(1, 10, 2));
  for (int i = 0; i < 4; ++i) initiator.send(add_one());
  run();
  EXPECT_EQ(times(), (instants{{0, 9}, {1, 10}, {9, 18}, {10, 19}}));
}

class memory_module_ends : public memory_module_test,
                           public ::testing::WithParamInterface<response_end> {};

TEST_P(memory_module_ends, a_late_end_of_a_response_holds_the_next) {
  make(timing(1, 3));
  initiator.end = GetParam();
  initiator.end_delay = 4 * clock.period();
  for (int i = 0; i < 3; ++i) initiator.send(add_one());
  run();
  EXPECT_EQ(times(), (instants{{0, 2}, {1, 6}, {2, 10}}));
  EXPECT_EQ(memory->word(0), 3U);
  EXPECT_TRUE(memory->idle());
  EXPECT_EQ(initiator.pool.outstanding(), 0U);
}

TEST_P(memory_module_ends, a_full_pipeline_waits_for_ends) {
  make(timing(2, 4, 1));
  initiator.end = GetParam();
  initiator.end_delay = 3 * clock.period();
  for (int i = 0; i < 20; ++i) initiator.send(add_one());
  run();
  EXPECT_EQ(memory->word(0), 20U);
  EXPECT_EQ(initiator.outcomes.size(), 20U);
  EXPECT_TRUE(memory->idle());
}

INSTANTIATE_TEST_SUITE_P(ends, memory_module_ends,
                         ::testing::Values(response_end::completed, response_end::updated,
                                           response_end::call));

/// Calls b_transport, transport_dbg and get_direct_mem_ptr from the test.
struct direct_initiator : public sc_core::sc_module {
  explicit direct_initiator(const sc_core::sc_module_name& name) : sc_module(name) {}
  tlm_utils::simple_initiator_socket<direct_initiator> socket{"socket"};
};

/// What needs no time.
class memory_module_transfer : public testing::systemc_test {
 protected:
  void make(const memory_module_config& config) {
    memory = std::make_unique<memory_module>("memory", config);
    memory->clock(clock);
    initiator.socket.bind(memory->target_socket);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  tlm::tlm_response_status transport(tlm::tlm_command command, std::uint64_t address, void* data,
                                     unsigned length, unsigned width = 0) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(length);
    payload.set_streaming_width(width == 0 ? length : width);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    delay = sc_core::sc_time(1, sc_core::SC_NS);
    initiator.socket->b_transport(payload, delay);
    return payload.get_response_status();
  }

  sc_core::sc_clock clock{"clock", 10, sc_core::SC_NS};
  direct_initiator initiator{"initiator"};
  std::unique_ptr<memory_module> memory;
  tlm::tlm_generic_payload payload;
  sc_core::sc_time delay;
};

class memory_module_storage : public memory_module_transfer,
                              public ::testing::WithParamInterface<bool> {};

TEST_P(memory_module_storage, keeps_any_bytes_sparse_or_flat) {
  memory_module_config config;
  config.address = 0x1000;
  config.size = 0x100;
  config.dmi = GetParam();
  make(config);
  std::array<unsigned char, 40> written{};
  std::iota(written.begin(), written.end(), static_cast<unsigned char>(1));
  std::array<unsigned char, 44> read{};
  EXPECT_EQ(transport(tlm::TLM_WRITE_COMMAND, 0x1003, written.data(), 40), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(delay, sc_core::sc_time(21, sc_core::SC_NS)) << "latency 2";
  EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, 0x1001, read.data(), 44), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(std::memcmp(read.data() + 2, written.data(), 40), 0);
  EXPECT_EQ(read[0] | read[1] | read[42] | read[43], 0);
  EXPECT_EQ(payload.is_dmi_allowed(), GetParam());
}

TEST_P(memory_module_storage, debug_stops_at_the_end) {
  memory_module_config config;
  config.address = 0x1000;
  config.size = 16;
  config.dmi = GetParam();
  make(config);
  unsigned char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  payload.set_data_ptr(bytes);
  payload.set_data_length(8);
  payload.set_command(tlm::TLM_WRITE_COMMAND);
  payload.set_address(0x100c);
  EXPECT_EQ(initiator.socket->transport_dbg(payload), 4U);
  payload.set_address(0x1010);
  EXPECT_EQ(initiator.socket->transport_dbg(payload), 0U);
  payload.set_address(0xfff);
  EXPECT_EQ(initiator.socket->transport_dbg(payload), 0U);
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(0x100e);
  EXPECT_EQ(initiator.socket->transport_dbg(payload), 2U);
  EXPECT_EQ(bytes[0], 3);
  payload.set_command(tlm::TLM_IGNORE_COMMAND);
  EXPECT_EQ(initiator.socket->transport_dbg(payload), 0U);
}

INSTANTIATE_TEST_SUITE_P(storages, memory_module_storage, ::testing::Bool());

TEST_F(memory_module_transfer, byte_enables_repeat) {
  make({});
  unsigned char enables[] = {0xff, 0x00, 0x00};
  unsigned char data[] = {1, 2, 3, 4, 5, 6, 7, 8};
  payload.set_byte_enable_ptr(enables);
  payload.set_byte_enable_length(3);
  EXPECT_EQ(transport(tlm::TLM_WRITE_COMMAND, 0, data, 8), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(memory->word(0), 0x0007000004000001U);
  unsigned char read[] = {9, 9, 9, 9, 9, 9, 9, 9};
  EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, 0, read, 8), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(read[0], 1);
  EXPECT_EQ(read[1], 9) << "a byte that is not enabled is left alone";
  payload.set_byte_enable_length(0);
  EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, 0, read, 8), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
}

TEST_F(memory_module_transfer, a_narrow_stream_wraps) {
  make({});
  unsigned char data[] = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(transport(tlm::TLM_WRITE_COMMAND, 0, data, 6, 4), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(memory->word(0), 0x04030605U);
}

TEST_F(memory_module_transfer, refuses_what_it_cannot_do) {
  memory_module_config config;
  config.address = 0x1000;
  config.size = 0x100;
  make(config);
  word_t word = 0;
  EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, 0xff8, &word, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, 0x10fc, &word, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, 0x1000, &word, 0), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, 0x1000, nullptr, 8), tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(transport(tlm::TLM_IGNORE_COMMAND, 0x5000, &word, 8), tlm::TLM_OK_RESPONSE);

  fetch_op request = fetch_op::of(operation::fetch_add, 1);
  const auto ask = [&](std::uint64_t address) {
    set_fetch_op(payload, address, reinterpret_cast<unsigned char*>(&word), request);
    initiator.socket->b_transport(payload, delay);
    return payload.get_response_status();
  };
  EXPECT_EQ(ask(0x1004), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(ask(0x1100), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_FALSE(request.performed());
  EXPECT_EQ(ask(0x1008), tlm::TLM_OK_RESPONSE);
  EXPECT_TRUE(request.performed());
  payload.clear_extension(&request);
  statistics_tree tree;
  memory->report(tree.group("memory"));
  EXPECT_EQ(tree.find("memory.refused"), 6);
  EXPECT_EQ(tree.find("memory.fetch_ops"), 1);
}

TEST_F(memory_module_transfer, unknown_commands_and_an_operation_with_a_read_are_command_errors) {
  make({});
  memory->set_word(0, 3);
  word_t word = 9;
  EXPECT_EQ(transport(static_cast<tlm::tlm_command>(3), 0, &word, 8),
            tlm::TLM_COMMAND_ERROR_RESPONSE);
  fetch_op request = fetch_op::of(operation::fetch_add, 1);
  payload.set_extension(&request);
  EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, 0, &word, 8), tlm::TLM_COMMAND_ERROR_RESPONSE);
  EXPECT_EQ(transport(tlm::TLM_WRITE_COMMAND, 0, &word, 8), tlm::TLM_COMMAND_ERROR_RESPONSE);
  payload.clear_extension(&request);
  EXPECT_EQ(memory->word(0), 3U);
  EXPECT_EQ(word, 9U);
}

TEST_F(memory_module_transfer, a_streaming_width_of_zero_is_the_length_and_warned_of_once) {
  expect_report(messages::protocol);
  make({});
  word_t word = 7;
  const auto write = [&](std::uint64_t address) {
    transport(tlm::TLM_IGNORE_COMMAND, address, &word, 8);
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_streaming_width(0);
    initiator.socket->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
  };
  write(0);
  write(8);
  EXPECT_EQ(memory->word(0), 7U);
  EXPECT_EQ(memory->word(8), 7U);
  ASSERT_EQ(reports(messages::protocol).size(), 1U);
  EXPECT_NE(reports(messages::protocol)[0].find("memory.target_socket"), std::string::npos);
}

TEST_F(memory_module_transfer, a_debug_access_without_data_is_reported) {
  expect_report(messages::protocol, testing::after_report::goes_on);
  make({});
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_data_length(8);
  EXPECT_EQ(initiator.socket->transport_dbg(payload), 0U);
  ASSERT_EQ(reports(messages::protocol).size(), 1U);
  EXPECT_NE(reports(messages::protocol)[0].find("memory.target_socket"), std::string::npos);
  payload.set_data_length(0);
  EXPECT_EQ(initiator.socket->transport_dbg(payload), 0U);
  EXPECT_EQ(reports(messages::protocol).size(), 1U) << "no bytes need no pointer";
}

/// Begins transactions that a target cannot hold.
class memory_module_begins : public memory_module_test {
 protected:
  tlm::tlm_sync_enum begin(tlm::tlm_generic_payload& payload) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    return initiator.own_socket->nb_transport_fw(payload, phase, delay);
  }
  void start() {
    expect_report(messages::protocol, testing::after_report::goes_on);
    initiator.monitor.checker().on_violation([](const protocol_violation&) {});
    make(timing(1, 10));
    run(1);
  }
};

TEST_F(memory_module_begins, a_payload_without_memory_manager_or_reference_is_reported) {
  start();
  testing::word_payload lone(tlm::TLM_WRITE_COMMAND, 0, 5);
  EXPECT_EQ(begin(lone), tlm::TLM_COMPLETED);
  EXPECT_EQ(lone.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
  testing::word_payload unheld(tlm::TLM_WRITE_COMMAND, 0, 5);
  unheld.set_mm(&initiator.pool);
  EXPECT_EQ(begin(unheld), tlm::TLM_COMPLETED);
  EXPECT_EQ(unheld.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
  run();
  EXPECT_EQ(reports(messages::protocol).size(), 2U);
  EXPECT_EQ(memory->word(0), 0U);
  EXPECT_TRUE(memory->idle());
}

TEST_F(memory_module_begins, a_payload_that_is_begun_twice_is_reported_and_served_once) {
  start();
  tlm::tlm_generic_payload& request = add_one();
  initiator.send(request);
  run(3);
  EXPECT_EQ(begin(request), tlm::TLM_COMPLETED);
  run();
  EXPECT_EQ(reports(messages::protocol).size(), 1U);
  EXPECT_EQ(memory->word(0), 1U);
  EXPECT_EQ(initiator.outcomes.size(), 1U);
  EXPECT_EQ(initiator.pool.outstanding(), 0U);
}

TEST_F(memory_module_transfer, gives_a_pointer_to_all_of_it_where_that_is_allowed) {
  memory_module_config config;
  config.address = 0x1000;
  config.size = 0x100;
  config.dmi = true;
  make(config);
  tlm::tlm_dmi dmi;
  ASSERT_TRUE(initiator.socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_EQ(dmi.get_start_address(), 0x1000U);
  EXPECT_EQ(dmi.get_end_address(), 0x10ffU);
  EXPECT_TRUE(dmi.is_read_write_allowed());
  EXPECT_EQ(dmi.get_read_latency(), 2 * clock.period());
  dmi.get_dmi_ptr()[8] = 77;
  EXPECT_EQ(memory->word(0x1008), 77U);
}

TEST_F(memory_module_transfer, gives_no_pointer_by_default) {
  make({});
  tlm::tlm_dmi dmi;
  EXPECT_FALSE(initiator.socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_EQ(dmi.get_start_address(), 0U);
}

class memory_module_configuration : public testing::systemc_test {};

TEST_F(memory_module_configuration, out_of_range_is_reported) {
  expect_report(messages::configuration);
  memory_module_config config;
  config.address = 4;
  EXPECT_THROW(memory_module("memory", config), sc_core::sc_report);
}

/// A clock that is no sc_clock: its period is what its first two edges are apart.
TEST_F(memory_module_test, measures_the_period_of_any_signal) {
  memory = std::make_unique<memory_module>("memory", timing(4, 2));
  sc_core::sc_signal<bool> signal{"signal"};
  memory->clock(signal);
  initiator.initiator_socket().bind(memory->target_socket);
  initiator.send(add_one());
  for (int edge = 0; edge < 40; ++edge) {
    sc_core::sc_start(7, sc_core::SC_NS);
    signal = !signal;
  }
  ASSERT_EQ(initiator.outcomes.size(), 1U);
  // The request waits for the second rising edge, at 21 ns, and takes its latency from there.
  EXPECT_EQ(initiator.outcomes[0].answered, sc_core::sc_time(35, sc_core::SC_NS));
}

TEST(relative_addresses, are_the_rows_of_each_region_one_after_the_other) {
  for (const region_mapping mapping :
       {region_mapping::interleaved, region_mapping::hashed, region_mapping::blocked}) {
    address_map_config config;
    config.regions.resize(2);
    config.regions[0].size = 32 * 8;
    config.regions[1].base = 1024;
    config.regions[1].size = 64 * 8;
    config.regions[1].mapping = mapping;
    const address_map map(config, 4);
    const relative_addresses relative(map);
    for (std::uint32_t module = 0; module < 4; ++module) {
      EXPECT_EQ(relative.size(mm_id{module}), 24U * 8);
      std::vector<bool> seen(24);
      for (std::uint64_t address = 0; address < 1024 + 64 * 8; address += 8) {
        const address_region* const region = map.region_of(address);
        if (region == nullptr || map.module_of(*region, address) != mm_id{module}) continue;
        const std::uint64_t at = relative.relative(address + 3);
        ASSERT_EQ(at % 8, 3U);
        ASSERT_LT(at / 8, 24U);
        EXPECT_FALSE(seen[at / 8]);
        seen[at / 8] = true;
        std::uint64_t first = 0;
        relative.for_each_region(
            mm_id{module}, at, at,
            [&](const address_region&, std::uint64_t from, std::uint64_t) { first = from; });
        EXPECT_EQ(first, address + 3);
      }
    }
  }
}

}  // namespace
}  // namespace tributary
