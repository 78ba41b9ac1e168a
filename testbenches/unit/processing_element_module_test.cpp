// SPDX-License-Identifier: Apache-2.0
// Processing elements with sockets, in front of a target. combining_network_test has a
// machine of them against the plain loop.
#include <tributary/systemc/processing_element_module.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tributary/processor/traffic.h>
#include <tributary/sim/random_stream.h>
#include <tributary/systemc/messages.h>

#include "support/scripted_target.h"
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

TEST_F(element_test, a_phase_that_is_no_answer_to_begin_req_is_reported) {
  expect_report(messages::protocol, testing::after_report::goes_on);
  make(1, 1, 1);
  target.odd_answer = tlm::END_RESP;
  target.monitor.checker().on_violation([](const protocol_violation&) {});
  run();
  EXPECT_TRUE(responses.empty()) << "no response came";
  ASSERT_EQ(reports(messages::protocol).size(), 1U);
  EXPECT_NE(reports(messages::protocol)[0].find("element.initiator_socket"), std::string::npos);
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

}  // namespace
}  // namespace tributary
