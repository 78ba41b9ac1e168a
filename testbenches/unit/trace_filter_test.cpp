// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <tributary/sim/error.h>
#include <tributary/trace/filter.h>

namespace tributary {
namespace {

constexpr event_kind something{"something"};

/// Four elements, and two nodes with an inbox and two buffers each.
trace_catalog small_catalog() {
  trace_catalog catalog("small", "node");
  catalog.origins = 16;
  catalog.add({"", "element", 4, {{}}});
  for (const char* node : {"node.0", "node.1"}) {
    catalog.add({std::string(node) + ".inbox", "", 1, {{}}});
    catalog.add({node, "buffer", 2, {{}}});
  }
  return catalog;
}

trace_filter filter_of(const trace_filter_options& options) { return {options, small_catalog()}; }

/// The names of the tracks that a pattern admits.
std::string admitted(const std::string& pattern) {
  const trace_catalog catalog = small_catalog();
  const trace_filter filter({"", pattern, ""}, catalog);
  std::string names;
  for (std::size_t track = 0; track < catalog.tracks(); ++track) {
    const auto each = static_cast<track_id>(track);
    if (filter.admits(each)) names += catalog.name_of(each) + " ";
  }
  return names;
}

trace_event event_at(cycle_t first, cycle_t last, std::uint32_t origin) {
  trace_event event;
  event.cycle = first;
  event.last = last;
  event.kind = &something;
  event.identity = trace_identity::reference(origin, 7);
  return event;
}

TEST(trace_filter, without_options_everything_is_shown) {
  for (const trace_filter& filter : {trace_filter(), filter_of({})}) {
    EXPECT_TRUE(filter.admits(event_at(1, 1, 0)));
    EXPECT_TRUE(filter.admits(event_at(1'000'000, never - 1, 15)));
  }
}

TEST(trace_filter, a_window_has_both_ends) {
  const trace_filter both = filter_of({"10..20", "", ""});
  EXPECT_FALSE(both.in_window(9));
  EXPECT_TRUE(both.in_window(10));
  EXPECT_TRUE(both.in_window(20));
  EXPECT_FALSE(both.in_window(21));
  EXPECT_FALSE(filter_of({"10..", "", ""}).in_window(9));
  EXPECT_TRUE(filter_of({"10..", "", ""}).in_window(never - 1));
  EXPECT_TRUE(filter_of({"..20", "", ""}).in_window(1));
  EXPECT_FALSE(filter_of({"..20", "", ""}).in_window(21));
}

TEST(trace_filter, an_event_that_lasts_is_shown_if_any_of_its_cycles_is) {
  const trace_filter filter = filter_of({"10..20", "", ""});
  EXPECT_TRUE(filter.admits(event_at(1, 10, 0)));
  EXPECT_TRUE(filter.admits(event_at(20, 30, 0)));
  EXPECT_TRUE(filter.admits(event_at(1, 30, 0)));
  EXPECT_FALSE(filter.admits(event_at(1, 9, 0)));
  EXPECT_FALSE(filter.admits(event_at(21, 30, 0)));
}

TEST(trace_filter, tracks_are_chosen_by_the_beginning_of_their_names) {
  EXPECT_EQ(admitted("element.1-2"), "element.1 element.2 ");
  EXPECT_EQ(admitted("node.1"), "node.1.inbox node.1.buffer.0 node.1.buffer.1 ");
  EXPECT_EQ(admitted("node.0-1.inbox,element.3"), "element.3 node.0.inbox node.1.inbox ");
  EXPECT_EQ(admitted("node.0.buffer.1"), "node.0.buffer.1 ");
}

TEST(trace_filter, a_pair_belongs_to_both_requests) {
  const trace_filter filter = filter_of({"", "", "3,8..9"});
  EXPECT_TRUE(filter.admits(event_at(1, 1, 3)));
  EXPECT_TRUE(filter.admits(event_at(1, 1, 9)));
  trace_event pair = event_at(1, 1, 2);
  EXPECT_FALSE(filter.admits(pair));
  pair.parent = trace_identity::message(3, 0);
  EXPECT_TRUE(filter.admits(pair));
}

TEST(trace_filter, what_has_no_origin_is_not_left_out) {
  trace_event event = event_at(1, 1, 0);
  event.identity = {};
  EXPECT_TRUE(filter_of({"", "", "3"}).admits(event));
}

TEST(trace_filter, malformed_options_are_refused_by_name) {
  struct refused {
    trace_filter_options options;
    std::vector<const char*> named;
  };
  const std::vector<refused> all = {
      {{"5", "", ""}, {"--window: \"5\"", "no \"..\"", "as \"1000..2000\""}},
      {{"..", "", ""}, {"--window", "neither a first nor a last"}},
      {{"9..8", "", ""}, {"--window", "the last cycle is before the first"}},
      {{"a..8", "", ""}, {"--window", "\"a\" is not a whole number"}},
      {{"1..-8", "", ""}, {"--window", "\"-8\" is not a whole number"}},
      {{"", "nod.3", ""}, {"--trace: \"nod.3\"", "element.N, node.N.inbox, node.N.buffer.N"}},
      {{"", "element.4", ""}, {"--trace", "no track begins with \"element.4\""}},
      {{"", "element.2-1", ""}, {"--trace", "2-1 ends before it begins"}},
      {{"", "element.1x", ""}, {"--trace", "\"1x\" is not a whole number"}},
      {{"", "element,,node", ""}, {"--trace", "\"\" has an empty part"}},
      {{"", "node.", ""}, {"--trace", "\"node.\" has an empty part"}},
      {{"", "", "3..1"}, {"--origins: \"3..1\"", "3..1 ends before it begins", "\"0..3,7\""}},
      {{"", "", "3,9..16"}, {"--origins: \"3,9..16\"", "the last node is 15"}},
      {{"", "", "1,,2"}, {"--origins", "\"\" is not a whole number"}},
      {{"", "", "1, 2"}, {"--origins", "\" 2\" is not a whole number"}},
      {{"", "", "99999999999999999999"}, {"--origins", "is not a whole number"}},
  };
  for (const refused& each : all) {
    try {
      filter_of(each.options);
      ADD_FAILURE() << "admitted: " << each.named.front();
    } catch (const configuration_error& problem) {
      const std::string text = problem.what();
      for (const char* part : each.named) EXPECT_NE(text.find(part), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace tributary
