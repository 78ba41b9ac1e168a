// SPDX-License-Identifier: Apache-2.0
// Processing elements with sockets, in front of a target and of a network. combining_network_test
// has a machine of them against the plain loop.
#include <tributary/systemc/processing_element_module.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tlm_utils/simple_target_socket.h>

#include <tributary/sim/purpose.h>
#include <tributary/sim/random_stream.h>
#include <tributary/systemc/combining_network.h>
#include <tributary/systemc/memory_module.h>
#include <tributary/systemc/messages.h>
#include <tributary/systemc/protocol_monitor.h>

#include "support/scripted_target.h"
#include "support/socket_ultracomputer.h"
#include "support/systemc_test.h"

namespace tributary {
namespace {

const sc_core::sc_time period(10, sc_core::SC_NS);

class processing_element_module_test : public testing::systemc_test {};

using testing::scripted_target;
using testing::target_skill;
using testing::target_way;

/// One element in front of a scripted target.
class element_test : public processing_element_module_test {
 protected:
  void make(std::uint32_t outstanding, std::uint32_t turnaround, std::uint32_t requests,
            std::uint32_t start_window = 1) {
    const processing_element_config timing{turnaround, start_window};
    element = std::make_unique<processing_element_module>(
        "element", processing_element_module_config{timing, outstanding}, pe_id{3}, 9,
        [this, requests]() -> std::optional<access> {
          if (drawn == requests) return std::nullopt;
          begun.push_back(sc_core::sc_time_stamp() / period);
          return access{0, function_of(operation::fetch_add, 1), drawn++};
        });
    element->clock(clock);
    element->initiator_socket.bind(target.target_socket());
    element->on_response([this](const element_response& got) {
      answered.push_back(sc_core::sc_time_stamp() / period);
      responses.push_back(got);
    });
    target.request_time = 2 * period;
    target.response_time = 5 * period;
  }
  void run() { sc_core::sc_start(2000 * period); }

  sc_core::sc_clock clock{"clock", period};
  scripted_target target{"target"};
  std::unique_ptr<processing_element_module> element;
  std::uint32_t drawn = 0;
  std::vector<double> begun, answered;
  std::vector<element_response> responses;
};

using times = std::vector<double>;

TEST_F(element_test, asks_again_a_turnaround_after_the_response) {
  make(1, 4, 3);
  run();
  // The network sees a BEGIN_REQ at time 0 in cycle 1, and one at d + 3 in cycle d + 4.
  EXPECT_EQ(begun, (times{0, 8, 16}));
  EXPECT_EQ(answered, (times{5, 13, 21}));
  EXPECT_EQ(element->responses().value(), 3U);
  EXPECT_EQ(element->latency().mean(), 3) << "from END_REQ";
  EXPECT_TRUE(element->idle());
}

TEST_F(element_test, asks_at_once_with_turnaround_1) {
  make(1, 1, 3);
  run();
  EXPECT_EQ(begun, (times{0, 5, 10}));
}

TEST_F(element_test, sends_the_next_request_with_the_end_of_the_one_before) {
  make(3, 10, 6);
  run();
  EXPECT_EQ(begun, (times{0, 2, 4, 14, 16, 18}));
}

TEST_F(element_test, starts_when_the_built_in_element_does) {
  make(2, 1900, 2, 1000);
  run();
  random_stream starts(9, pe_id{3}, purpose::start);
  std::vector<double> expected{static_cast<double>(starts.below(1000)),
                               static_cast<double>(starts.below(1000))};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(begun, expected);
}

class element_ways : public element_test, public ::testing::WithParamInterface<target_way> {};

TEST_P(element_ways, lose_nothing) {
  make(4, 3, 200);
  target.way = GetParam();
  run();
  ASSERT_EQ(responses.size(), 200U);
  std::vector<word_t> values;
  for (const element_response& each : responses) {
    EXPECT_EQ(each.status, tlm::TLM_OK_RESPONSE);
    values.push_back(each.value);
  }
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], i);
  EXPECT_EQ(target.words.read(0), 200U);
  EXPECT_TRUE(element->idle());
  EXPECT_EQ(target.monitor.checker().outstanding(), 0U);
}

INSTANTIATE_TEST_SUITE_P(ways, element_ways,
                         ::testing::Values(target_way::four_phases, target_way::foreign_answer,
                                           target_way::end_req_returned,
                                           target_way::end_req_implied,
                                           target_way::response_returned, target_way::completed,
                                           target_way::any_order));

TEST_F(element_test, counts_what_was_refused_and_what_was_left_undone) {
  make(1, 1, 6);
  target.refusal = [this](const auto&) {
    target.skill = drawn <= 2 ? target_skill::performs : target_skill::silent;
    return drawn <= 3 ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
  };
  run();
  statistics_tree tree;
  element->report(tree.group("element"));
  EXPECT_EQ(tree.find("element.responses"), 6);
  EXPECT_EQ(tree.find("element.undone"), 1);
  EXPECT_EQ(tree.find("element.refused"), 3);
  ASSERT_EQ(responses.size(), 6U);
  EXPECT_EQ(responses[2].status, tlm::TLM_INCOMPLETE_RESPONSE);
  EXPECT_EQ(responses[5].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_F(element_test, stops_when_told) {
  make(2, 1, 1000);
  sc_core::sc_start(100 * period);
  element->stop();
  const std::uint32_t before = drawn;
  run();
  EXPECT_EQ(drawn, before);
  EXPECT_TRUE(element->idle());
}

TEST_F(processing_element_module_test, a_configuration_out_of_range_is_reported) {
  expect_report(messages::configuration);
  EXPECT_THROW(processing_element_module("element", {{0, 1}, 1}, pe_id{0}, 1, {}),
               sc_core::sc_report);
}

/// A memory of someone else's, which knows reads and writes and completes them at once. (What
/// simple_target_socket makes of b_transport alone is in the example plain_soc; the process that it
/// spawns for that outlives the simulation, which the leak check minds.)
struct foreign_memory : public sc_core::sc_module {
  explicit foreign_memory(const sc_core::sc_module_name& name) : sc_module(name) {
    target_socket.register_nb_transport_fw(this, &foreign_memory::complete);
  }
  tlm::tlm_sync_enum complete(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                              sc_core::sc_time& delay) {
    transport(payload, delay);
    return tlm::TLM_COMPLETED;
  }
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    auto* const bytes = reinterpret_cast<unsigned char*>(&words[payload.get_address()]);
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), bytes, 8);
    if (payload.is_write()) std::memcpy(bytes, payload.get_data_ptr(), 8);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    delay += 3 * period;
  }
  tlm_utils::simple_target_socket<foreign_memory> target_socket{"target_socket"};
  std::map<std::uint64_t, word_t> words;
};

TEST_F(processing_element_module_test, counters_in_a_foreign_memory_count_every_add) {
  constexpr std::uint32_t elements = 8;
  combining_network_config config;
  config.network.processing_elements = elements;
  combining_network network("network", config);
  sc_core::sc_clock clock("clock", period);
  network.clock(clock);
  std::vector<std::unique_ptr<processing_element_module>> initiators;
  std::vector<std::unique_ptr<foreign_memory>> memories;
  sc_core::sc_vector<protocol_monitor<>> element_monitors("element_monitors", elements);
  sc_core::sc_vector<protocol_monitor<>> memory_monitors("memory_monitors", elements);
  std::vector<word_t> got;
  for (std::uint32_t i = 0; i < elements; ++i) {
    initiators.push_back(std::make_unique<processing_element_module>(
        sc_core::sc_gen_unique_name("element"), processing_element_module_config{{2, 10}, 1},
        pe_id{i}, 1, [left = 50]() mutable -> std::optional<access> {
          if (left-- == 0) return std::nullopt;
          return access{0, function_of(operation::fetch_add, 1), 0};
        }));
    initiators[i]->clock(clock);
    testing::bind_sockets(initiators[i]->initiator_socket, network.target_sockets[i],
                          &element_monitors[i]);
    initiators[i]->on_response([&](const element_response& each) { got.push_back(each.value); });
    memories.push_back(std::make_unique<foreign_memory>(sc_core::sc_gen_unique_name("memory")));
    testing::bind_sockets(network.initiator_sockets[i], memories[i]->target_socket,
                          &memory_monitors[i]);
  }
  sc_core::sc_start(20000 * period);
  std::sort(got.begin(), got.end());
  ASSERT_EQ(got.size(), 50U * elements);
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], i);
  EXPECT_EQ(memories[0]->words[0], 50U * elements);
  EXPECT_LT(network.statistics().find("memory_interface.own_unit"), 50 * elements)
      << "adds combine on their way";
  EXPECT_GT(network.statistics().find("memory_interface.own_unit"), 0);
}

}  // namespace
}  // namespace tributary
