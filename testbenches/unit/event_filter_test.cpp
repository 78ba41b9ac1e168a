// SPDX-License-Identifier: Apache-2.0
#include <sinks/event_filter.h>

#include <gtest/gtest.h>

#include <string>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

constexpr machine_shape sixteen{16, 4};

event_filter filter_of(const event_filter_options& options) {
  return event_filter(options, sixteen);
}

network_event event_at(cycle_t cycle, std::int32_t stage, std::uint32_t which, std::uint16_t pe) {
  network_event event;
  event.cycle = cycle;
  event.stage = stage;
  event.switch_index = which;
  event.id = event.other = {0, pe};
  return event;
}

std::string message_of(const event_filter_options& options) {
  try {
    filter_of(options);
  } catch (const configuration_error& problem) {
    return problem.what();
  }
  return "nothing thrown";
}

TEST(event_filter, without_options_everything_is_shown) {
  for (const event_filter& filter : {event_filter(), filter_of({})}) {
    EXPECT_TRUE(filter.admits(event_at(1, processor_side, 15, 15), 4));
    EXPECT_TRUE(filter.admits(event_at(1, 4, 15, 15), 4));
    EXPECT_TRUE(filter.admits(event_at(1'000'000, 3, 7, 0), 4));
  }
}

TEST(event_filter, a_window_has_both_ends) {
  event_filter_options options;
  options.window = "10..20";
  const event_filter both = filter_of(options);
  EXPECT_FALSE(both.in_window(9));
  EXPECT_TRUE(both.in_window(10));
  EXPECT_TRUE(both.in_window(20));
  EXPECT_FALSE(both.in_window(21));
  options.window = "10..";
  EXPECT_FALSE(filter_of(options).in_window(9));
  EXPECT_TRUE(filter_of(options).in_window(never - 1));
  options.window = "..20";
  EXPECT_TRUE(filter_of(options).in_window(1));
  EXPECT_FALSE(filter_of(options).in_window(21));
}

TEST(event_filter, stages_may_name_the_ends) {
  event_filter_options options;
  options.stages = "1..2,pe";
  const event_filter filter = filter_of(options);
  EXPECT_TRUE(filter.admits(event_at(1, processor_side, 0, 0), 4));
  EXPECT_FALSE(filter.admits(event_at(1, 0, 0, 0), 4));
  EXPECT_TRUE(filter.admits(event_at(1, 1, 0, 0), 4));
  EXPECT_TRUE(filter.admits(event_at(1, 2, 0, 0), 4));
  EXPECT_FALSE(filter.admits(event_at(1, 3, 0, 0), 4));
  EXPECT_FALSE(filter.admits(event_at(1, 4, 0, 0), 4));
  options.stages = "mm";
  EXPECT_TRUE(filter_of(options).admits(event_at(1, 4, 0, 0), 4));
  EXPECT_FALSE(filter_of(options).admits(event_at(1, 1, 0, 0), 4));
}

TEST(event_filter, the_ends_are_in_no_switch) {
  event_filter_options options;
  options.switches = "0,5..7";
  EXPECT_TRUE(filter_of(options).admits(event_at(1, 3, 6, 0), 4));
  EXPECT_FALSE(filter_of(options).admits(event_at(1, 3, 4, 0), 4));
  EXPECT_FALSE(filter_of(options).admits(event_at(1, processor_side, 0, 0), 4));
  EXPECT_FALSE(filter_of(options).admits(event_at(1, 4, 0, 0), 4));
  options.stages = "pe,0";
  EXPECT_TRUE(filter_of(options).admits(event_at(1, processor_side, 3, 0), 4));
  EXPECT_FALSE(filter_of(options).admits(event_at(1, 4, 0, 0), 4));
}

TEST(event_filter, a_pair_belongs_to_both_requests) {
  event_filter_options options;
  options.pes = "3";
  const event_filter filter = filter_of(options);
  EXPECT_TRUE(filter.admits(event_at(1, 0, 0, 3), 4));
  network_event pair = event_at(1, 0, 0, 2);
  EXPECT_FALSE(filter.admits(pair, 4));
  pair.other.pe = 3;
  EXPECT_TRUE(filter.admits(pair, 4));
}

TEST(event_filter, malformed_options_are_refused_by_name) {
  const auto expect = [](const event_filter_options& options, const std::string& message) {
    EXPECT_EQ(message_of(options), message);
  };
  const std::string window =
      " (allowed: cycles \"first..last\", \"first..\" or \"..last\", as \"1000..2000\")";
  expect({"5", "", "", ""}, "--window: \"5\": there is no \"..\" in it" + window);
  expect({"..", "", "", ""}, "--window: \"..\": it has neither a first nor a last cycle" + window);
  expect({"9..8", "", "", ""}, "--window: \"9..8\": the last cycle is before the first" + window);
  expect({"a..8", "", "", ""}, "--window: \"a..8\": \"a\" is not a whole number" + window);
  expect({"1..-8", "", "", ""}, "--window: \"1..-8\": \"-8\" is not a whole number" + window);
  const std::string stages =
      " (allowed: numbers and ranges from 0 to 3, \"pe\" and \"mm\" with commas, as \"pe,0..3\")";
  expect({"", "4", "", ""}, "--stages: \"4\": 4 is beyond the last, 3" + stages);
  expect({"", "pm", "", ""}, "--stages: \"pm\": \"pm\" is not a whole number" + stages);
  const std::string switches =
      " (allowed: numbers and ranges from 0 to 7 with commas, as \"0..3,7\")";
  expect({"", "", "3..1", ""},
         "--switches: \"3..1\": the range 3..1 ends before it begins" + switches);
  expect({"", "", "1,,2", ""}, "--switches: \"1,,2\": \"\" is not a whole number" + switches);
  expect({"", "", "1, 2", ""}, "--switches: \"1, 2\": \" 2\" is not a whole number" + switches);
  expect({"", "", "0..8", ""}, "--switches: \"0..8\": 8 is beyond the last, 7" + switches);
  EXPECT_NE(message_of({"", "", "", "16"}).find("--pes: \"16\": 16 is beyond the last, 15"),
            std::string::npos);
  EXPECT_NE(message_of({"", "", "", "99999999999999999999"}).find("is not a whole number"),
            std::string::npos);
}

}  // namespace
}  // namespace tributary
