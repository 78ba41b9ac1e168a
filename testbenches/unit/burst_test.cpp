// SPDX-License-Identifier: Apache-2.0
// What targets behind a network see of loosely timed reads and writes.
#include <tributary/systemc/combining_network.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <tributary/sim/random_stream.h>
#include <tributary/systemc/memory_module.h>

#include "support/systemc_test.h"
#include "support/word_payload.h"

namespace tributary {
namespace {

using testing::word_payload;

/// A memory that knows no fetch_op, as others write them: it counts its calls.
struct plain_target : sc_core::sc_module {
  explicit plain_target(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &plain_target::b_transport);
  }

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++calls;
    lengths.push_back(payload.get_data_length());
    widths.push_back(payload.get_streaming_width());
    addresses.push_back(payload.get_address());
    if (blocks != sc_core::SC_ZERO_TIME) wait(blocks);
    const unsigned char* const enables = payload.get_byte_enable_ptr();
    for (unsigned i = 0; i < payload.get_data_length(); ++i) {
      if (enables != nullptr && enables[i % payload.get_byte_enable_length()] == 0) continue;
      unsigned char& byte = bytes.at((payload.get_address() + i) % bytes.size());
      if (payload.is_read()) payload.get_data_ptr()[i] = byte;
      if (payload.is_write()) byte = payload.get_data_ptr()[i];
    }
    payload.set_response_status(answer);
    payload.set_dmi_allowed(true);
    delay += takes;
  }

  tlm_utils::simple_target_socket<plain_target> socket{"socket"};
  unsigned calls = 0;
  std::vector<unsigned> lengths;
  std::vector<unsigned> widths;
  std::vector<std::uint64_t> addresses;
  std::vector<unsigned char> bytes = std::vector<unsigned char>(0x10000);
  tlm::tlm_response_status answer = tlm::TLM_OK_RESPONSE;
  sc_core::sc_time takes{20, sc_core::SC_NS};
  sc_core::sc_time blocks;
};

struct plain_initiator : sc_core::sc_module {
  explicit plain_initiator(const sc_core::sc_module_name& name) : sc_module(name) {}
  tlm_utils::simple_initiator_socket<plain_initiator> socket{"socket"};
};

/// Four ports and modules, and the regions of each mapping, 16 KiB each: 0 interleaved, 0x4000 in
/// blocks of 4 KiB, 0x8000 whole to module 2.
combining_network_config three_regions(std::uint32_t outstanding = 1) {
  combining_network_config config;
  config.network.processing_elements = 4;
  config.interface.outstanding = outstanding;
  config.addresses.regions = {{"spread", 0, 0x4000, region_mapping::interleaved, 0, true, false},
                              {"blocks", 0x4000, 0x4000, region_mapping::blocked, 0, true, false},
                              {"whole", 0x8000, 0x4000, region_mapping::module, 2, true, false},
                              {"device", 0xc000, 0x4000, region_mapping::module, 3, false, false}};
  return config;
}

struct plain_machine {
  explicit plain_machine(const combining_network_config& config = three_regions())
      : network("network", config), targets("targets", 4), initiators("initiators", 4) {
    network.clock(clock);
    for (std::size_t i = 0; i < 4; ++i) {
      initiators[i].socket.bind(network.target_sockets[i]);
      network.initiator_sockets[i].bind(targets[i].socket);
    }
  }

  unsigned calls() const {
    unsigned all = 0;
    for (const plain_target& each : targets) all += each.calls;
    return all;
  }
  /// An access by port 1; returns its delay.
  sc_core::sc_time access(tlm::tlm_command command, std::uint64_t address, void* data,
                          unsigned length, unsigned width = ~0U) {
    word_payload payload(command, address, 0, length);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_streaming_width(std::min(width, length));
    return send(payload);
  }
  sc_core::sc_time send(tlm::tlm_generic_payload& payload) {
    sc_core::sc_time delay;
    initiators[1].socket->b_transport(payload, delay);
    status = payload.get_response_status();
    hint = payload.is_dmi_allowed();
    return delay;
  }

  sc_core::sc_clock clock{"clock", 10, sc_core::SC_NS};
  combining_network network;
  sc_core::sc_vector<plain_target> targets;
  sc_core::sc_vector<plain_initiator> initiators;
  tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  bool hint = false;
};

class burst_test : public testing::systemc_test {
 protected:
  void run(const std::function<void()>& body) {
    sc_core::sc_spawn([body] {
      sc_core::wait(25, sc_core::SC_NS);
      body();
    });
    sc_core::sc_start(1, sc_core::SC_US);
  }
};

TEST_F(burst_test, a_store_of_a_word_that_combines_is_one_call) {
  plain_machine machine;
  word_t word = 7;
  run([&] { machine.access(tlm::TLM_WRITE_COMMAND, 8, &word, 8); });
  EXPECT_EQ(machine.status, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(machine.calls(), 1U);
  EXPECT_EQ(machine.targets[1].bytes[8], 7);
}

TEST_F(burst_test, a_burst_that_one_module_holds_is_one_call) {
  for (const auto& [address, module] : {std::pair{0x8100U, 2U}, {0xc100U, 3U}, {0x5100U, 1U}}) {
    const simulation_context context;
    plain_machine machine;
    std::array<unsigned char, 64> data{};
    data[63] = 9;
    std::array<unsigned char, 64> read{};
    run([&, address = address] {
      machine.access(tlm::TLM_WRITE_COMMAND, address, data.data(), 64);
      EXPECT_EQ(machine.calls(), 1U) << address;
      machine.access(tlm::TLM_READ_COMMAND, address, read.data(), 64);
    });
    EXPECT_EQ(machine.calls(), 2U) << address;
    EXPECT_EQ(machine.targets[module].lengths, (std::vector<unsigned>{64, 64}));
    EXPECT_EQ(machine.targets[module].addresses.at(0), address);
    EXPECT_EQ(read, data);
  }
}

TEST_F(burst_test, words_that_are_spread_take_a_call_each) {
  plain_machine machine;
  std::array<unsigned char, 64> data{};
  run([&] { machine.access(tlm::TLM_WRITE_COMMAND, 4, data.data(), 64); });
  EXPECT_EQ(machine.calls(), 9U);
  EXPECT_EQ(machine.targets[0].lengths, (std::vector<unsigned>{4, 8, 4})) << "no byte beyond";
}

TEST_F(burst_test, a_burst_over_an_end_is_a_call_on_each_side) {
  plain_machine machine;
  std::array<unsigned char, 64> data{};
  run([&] {
    machine.access(tlm::TLM_WRITE_COMMAND, 0x5ffc, data.data(), 64);
    machine.access(tlm::TLM_WRITE_COMMAND, 0xbff0, data.data(), 64);
  });
  EXPECT_EQ(machine.targets[1].lengths, (std::vector<unsigned>{4}));
  EXPECT_EQ(machine.targets[2].lengths, (std::vector<unsigned>{60, 16}));
  EXPECT_EQ(machine.targets[3].lengths, (std::vector<unsigned>{48}));
}

TEST_F(burst_test, a_streaming_access_takes_a_call_a_beat) {
  plain_machine machine;
  std::array<unsigned char, 10> data{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  run([&] { machine.access(tlm::TLM_WRITE_COMMAND, 0x8000, data.data(), 10, 4); });
  EXPECT_EQ(machine.targets[2].lengths, (std::vector<unsigned>{4, 4, 2}));
  EXPECT_EQ(machine.targets[2].bytes[0x8000], 9);
  EXPECT_EQ(machine.targets[2].bytes[0x8003], 8);
}

TEST_F(burst_test, a_target_never_sees_a_streaming_width_of_0) {
  expect_report(messages::protocol);  // a warning, once
  plain_machine machine;
  std::array<unsigned char, 64> data{};
  run([&] {
    for (const tlm::tlm_command command : {tlm::TLM_WRITE_COMMAND, tlm::TLM_READ_COMMAND}) {
      word_payload payload(command, 0x8000, 0, 64);
      payload.set_data_ptr(data.data());
      payload.set_streaming_width(0);
      machine.send(payload);
      EXPECT_EQ(machine.status, tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(payload.get_streaming_width(), 0U) << "the initiator's own again";
    }
  });
  EXPECT_EQ(machine.targets[2].widths, (std::vector<unsigned>{64, 64}));
}

TEST_F(burst_test, relative_addresses_hold_for_bursts) {
  combining_network_config config = three_regions();
  config.memory_interface.relative_addresses = true;
  plain_machine machine(config);
  std::array<unsigned char, 64> data{};
  tlm::tlm_generic_payload payload;
  run([&] {
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(0x8004);
    payload.set_data_ptr(data.data());
    payload.set_data_length(64);
    payload.set_streaming_width(64);
    machine.send(payload);
  });
  EXPECT_EQ(machine.targets[2].addresses, (std::vector<std::uint64_t>{0x2004}))
      << "behind its shares of the two regions below";
  EXPECT_EQ(payload.get_address(), 0x8004U) << "the initiator's own again";
}

TEST_F(burst_test, an_error_comes_back_and_the_other_runs_are_done) {
  plain_machine machine;
  machine.targets[1].answer = tlm::TLM_BURST_ERROR_RESPONSE;
  std::array<unsigned char, 64> data{};
  run([&] {
    machine.access(tlm::TLM_WRITE_COMMAND, 0x5ff0, data.data(), 64);
    EXPECT_EQ(machine.status, tlm::TLM_BURST_ERROR_RESPONSE);
    machine.access(tlm::TLM_READ_COMMAND, 0x5000, data.data(), 64);
    EXPECT_EQ(machine.status, tlm::TLM_BURST_ERROR_RESPONSE);
  });
  EXPECT_EQ(machine.targets[2].calls, 1U);
  EXPECT_EQ(machine.network.statistics().find("memory_interface.refused"), 2);
}

TEST_F(burst_test, a_response_left_incomplete_is_taken_for_done) {
  expect_report(messages::protocol);
  plain_machine machine;
  machine.targets[1].answer = tlm::TLM_INCOMPLETE_RESPONSE;
  std::array<unsigned char, 64> data{};
  run([&] {
    for (const std::uint64_t address : {0x5000U, 0x5ff0U}) {  // in one call and in two
      machine.access(tlm::TLM_READ_COMMAND, address, data.data(), 64);
      EXPECT_EQ(machine.status, tlm::TLM_OK_RESPONSE);
    }
  });
  EXPECT_EQ(machine.network.statistics().find("memory_interface.refused"), 0);
}

TEST_F(burst_test, the_hint_of_a_target_counts_where_a_pointer_may_be_given) {
  plain_machine machine;
  std::array<unsigned char, 64> data{};
  run([&] {
    machine.access(tlm::TLM_READ_COMMAND, 0x8000, data.data(), 64);
    EXPECT_FALSE(machine.hint) << "combinable";
    machine.access(tlm::TLM_READ_COMMAND, 0xc000, data.data(), 64);
    EXPECT_TRUE(machine.hint);
  });
}

TEST_F(burst_test, a_burst_takes_the_way_of_its_words_and_the_time_of_its_target) {
  // Two stages each way, links of two cycles, a target of two cycles.
  for (const auto& [outstanding, periods] : {std::pair{1U, 7 * 5 + 4 + 2}, {8U, 7 * 2 + 4 + 2}}) {
    const simulation_context context;
    plain_machine machine(three_regions(outstanding));
    std::array<unsigned char, 64> data{};
    sc_core::sc_time taken;
    run([&] { taken = machine.access(tlm::TLM_READ_COMMAND, 0x8000, data.data(), 64); });
    EXPECT_EQ(taken, (periods + 0.5) * machine.clock.period()) << outstanding << " outstanding";
  }
}

TEST_F(burst_test, any_access_moves_exactly_its_bytes) {
  plain_machine machine;
  random_stream random(71, 0U, 0U);
  std::vector<unsigned char> expected(0x10000);
  run([&] {
    for (int i = 0; i < 3000; ++i) {
      std::array<unsigned char, 200> data{};
      std::array<unsigned char, 5> enables{};
      for (unsigned char& each : data) each = static_cast<unsigned char>(random.below(256));
      for (unsigned char& each : enables) each = random.below(2) != 0 ? 0xff : 0;
      const auto length = static_cast<unsigned>(1 + random.below(data.size()));
      word_payload payload(random.below(2) != 0 ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND,
                           random.below(expected.size() - length), 0, length);
      payload.set_data_ptr(data.data());
      const auto width = static_cast<unsigned>(1 + random.below(length));
      payload.set_streaming_width(random.below(3) == 0 ? width : length);
      if (random.below(2) != 0) {
        payload.set_byte_enable_ptr(enables.data());
        payload.set_byte_enable_length(static_cast<unsigned>(1 + random.below(enables.size())));
      }
      const std::array<unsigned char, 200> before = data;
      machine.send(payload);
      ASSERT_EQ(machine.status, tlm::TLM_OK_RESPONSE);
      for (unsigned at = 0; at < length; ++at) {
        const bool enabled = payload.get_byte_enable_ptr() == nullptr ||
                             enables[at % payload.get_byte_enable_length()] != 0;
        unsigned char& byte = expected[payload.get_address() + at % payload.get_streaming_width()];
        if (payload.is_write() && enabled) byte = data[at];
        if (payload.is_read() && data[at] != (enabled ? byte : before[at])) {
          FAIL() << "byte " << at << " of a read";
        }
      }
    }
  });
  for (std::size_t at = 0; at < expected.size(); ++at) {
    unsigned holders = 0;
    for (const plain_target& each : machine.targets) holders += each.bytes[at] == expected[at];
    EXPECT_GE(holders, 1U) << at;
  }
}

TEST_F(burst_test, a_store_does_not_come_between_the_read_and_the_write_of_the_unit) {
  plain_machine machine;
  machine.targets[2].blocks = sc_core::sc_time(17, sc_core::SC_NS);
  word_t word = 100;
  sc_core::sc_spawn([&] {
    sc_core::wait(25, sc_core::SC_NS);
    word_payload payload(tlm::TLM_IGNORE_COMMAND, 0x8000);
    word_t old = 0;
    fetch_op request = fetch_op::of(operation::fetch_add, 1);
    set_fetch_op(payload, 0x8000, reinterpret_cast<unsigned char*>(&old), request);
    sc_core::sc_time delay;
    machine.initiators[0].socket->b_transport(payload, delay);
    payload.clear_extension<fetch_op>();
    EXPECT_EQ(old, 0U);
  });
  sc_core::sc_spawn([&] {
    // After the question and within the read.
    sc_core::wait(50, sc_core::SC_NS);
    machine.access(tlm::TLM_WRITE_COMMAND, 0x8000, &word, 8);
  });
  sc_core::sc_start(1, sc_core::SC_US);
  EXPECT_EQ(machine.targets[2].calls, 4U);
  EXPECT_EQ(machine.targets[2].bytes[0x8000], 100) << "the store is the last";
}

}  // namespace
}  // namespace tributary
