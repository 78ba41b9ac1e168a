// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/trace_file.h>

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <tributary/sim/error.h>

#include "support/scratch_directory.h"
#include "support/text_checks.h"

namespace tributary {
namespace {

using testing::begins_with;
using testing::contains;
using testing::message_of;
using testing::scratch_directory;

constexpr const char* first_line = "# tributary-trace 1\n";

const address_map& map_of_four() {
  static const address_map map(address_map_config{}, 4);
  return map;
}

std::string refusal_of(const std::string& text) {
  const scratch_directory here;
  const std::string message =
      message_of<input_error>([&] { read_trace(here.write("t", text), map_of_four()); });
  return message.substr(message.find("/t:") + 1);
}

/// Every operation, and every form as no operation writes it, with operands from the corners.
std::vector<traced_request> every_function() {
  const word_t corners[] = {0, 1, ~word_t{0}, word_t{1} << 63, (word_t{1} << 63) - 1, 0xff00ff};
  std::vector<traced_request> requests;
  for (const word_t a : corners) {
    for (const word_t b : corners) {
      for (std::size_t op = 0; op < operation_count; ++op) {
        requests.push_back({requests.size() + 1, static_cast<std::uint32_t>(op % 4), 8 * op,
                            function_of(static_cast<operation>(op), a, b)});
      }
      for (unsigned kind = 0; kind < form_count; ++kind) {
        requests.push_back(
            {requests.size() + 1, kind % 4, 8 * kind, {static_cast<form>(kind), a, b}});
      }
    }
  }
  return requests;
}

void write_trace(const std::string& path, const std::vector<traced_request>& requests) {
  trace_writer writer(path);
  for (const traced_request& each : requests) writer.write(each);
  EXPECT_EQ(writer.requests(), requests.size());
  writer.finish();
}

TEST(trace_file, every_function_comes_back_exactly) {
  const scratch_directory here;
  const std::vector<traced_request> requests = every_function();
  for (const char* name : {"trace", "trace.gz"}) {
    write_trace(here.path(name), requests);
    EXPECT_EQ(read_trace(here.path(name), map_of_four()), requests) << name;
  }
  EXPECT_LT(here.read("trace.gz").size(), here.read("trace").size() / 4);
}

TEST(trace_file, writes_operations_by_their_names) {
  const scratch_directory here;
  write_trace(here.path("t"), {{1, 0, 0, function_of(operation::load)},
                               {1, 3, 0x40, function_of(operation::fetch_add, 2)},
                               {7, 2, 8, function_of(operation::fetch_or, 0x30)},
                               {7, 2, 8, function_of(operation::compare_and_swap, 1, 2)},
                               {7, 2, 16, {form::logic, 3, 5}}});
  EXPECT_EQ(here.read("t"),
            "# tributary-trace 1\n"
            "# cycle pe operation address operands\n"
            "1 0 load 0x0\n"
            "1 3 fetch_add 0x40 0x2\n"
            "7 2 fetch_or 0x8 0x30\n"
            "7 2 compare_and_swap 0x8 0x1 0x2\n"
            "7 2 logic 0x10 0x3 0x5\n"
            "# end 5\n");
}

TEST(trace_file, reads_what_people_write) {
  const scratch_directory here;
  const std::string text = std::string(first_line) +
                           "# by hand\n"
                           "\n"
                           "1 0 fetch_add 64 -1\r\n"
                           "  2\t1  test_and_set\t0x40  \n"
                           "2 1 narrow_store 0X40 0xab 255\n"
                           "# end 3\n"
                           "\n";
  const std::vector<traced_request> requests = read_trace(here.write("t", text), map_of_four());
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].function, function_of(operation::fetch_add, ~word_t{0}));
  EXPECT_EQ(requests[1].address, 64U);
  EXPECT_EQ(requests[1].function, function_of(operation::test_and_set));
  EXPECT_EQ(requests[2].function, function_of(operation::narrow_store, 0xab, 0xff));
}

TEST(trace_file, the_example_of_the_page_is_a_trace) {
  std::ifstream file(TRIBUTARY_SOURCE_DIR "/docs/formats/trace.md");
  std::ostringstream text;
  text << file.rdbuf();
  const std::string page = text.str();
  const std::size_t begin = page.find(first_line, page.find("```text\n"));
  ASSERT_NE(begin, std::string::npos);
  const scratch_directory here;
  const std::string path = here.write("t", page.substr(begin, page.find("```", begin) - begin));
  EXPECT_EQ(read_trace(path, address_map(address_map_config{}, 16)).size(), 3U);
}

TEST(trace_file, an_empty_trace_is_a_trace) {
  const scratch_directory here;
  write_trace(here.path("t"), {});
  EXPECT_TRUE(read_trace(here.path("t"), map_of_four()).empty());
}

TEST(trace_file, an_interrupted_recording_says_so_and_is_whole) {
  const scratch_directory here;
  trace_writer writer(here.path("t"));
  writer.write({1, 0, 0, {}});
  writer.finish(true);
  EXPECT_TRUE(contains(here.read("t"), "# the run was interrupted here\n# end 1\n"));
  EXPECT_EQ(read_trace(here.path("t"), map_of_four()).size(), 1U);
}

TEST(trace_file, an_unfinished_recording_leaves_nothing) {
  const scratch_directory here;
  {
    trace_writer writer(here.path("t"));
    writer.write({1, 0, 0, {}});
  }
  EXPECT_EQ(here.files(), 0U);
}

struct refusal {
  const char* line;
  const char* message;
};

TEST(trace_file, malformed_requests_are_refused_with_their_line) {
  const refusal refusals[] = {
      {"1 0 load", "t:2: 3 fields (allowed: cycle, pe, operation, address [, operands])"},
      {"x 0 load 0", "t:2: cycle \"x\" (allowed: a whole number from 1)"},
      {"0 0 load 0", "t:2: cycle \"0\" (allowed: a whole number from 1)"},
      {"-1 0 load 0", "t:2: cycle \"-1\""},
      {"1.5 0 load 0", "t:2: cycle \"1.5\""},
      {"18446744073709551615 0 load 0", "t:2: cycle \"18446744073709551615\""},
      {"99999999999999999999 0 load 0", "t:2: cycle \"99999999999999999999\""},
      {"1 4 load 0", "t:2: processing element \"4\" (allowed: 0 to 3"},
      {"1 p load 0", "t:2: processing element \"p\""},
      {"1 0 lod 0", "t:2: there is no operation \"lod\"; did you mean \"load\"? (allowed: load, "},
      {"1 0 frobnicate 0", "t:2: there is no operation \"frobnicate\" (allowed: load, store"},
      {"1 0 load 4", "t:2: address \"4\" (allowed: a multiple of 8, decimal or 0x"},
      {"1 0 load 0x", "t:2: address \"0x\""},
      {"1 0 load 0xg0", "t:2: address \"0xg0\""},
      {"1 0 load 10", "t:2: address \"10\""},
      {"1 0 load 0x7fffffffffff8", "t:2: address \"0x7fffffffffff8\" is in no region"},
      {"1 0 load 8 1", "t:2: load with 1 operands (allowed: 0)"},
      {"1 0 fetch_add 8", "t:2: fetch_add with 0 operands (allowed: 1)"},
      {"1 0 compare_and_swap 8 1", "t:2: compare_and_swap with 1 operands (allowed: 2)"},
      {"1 0 logic 8 1", "t:2: logic with 1 operands (allowed: 2)"},
      {"1 0 swap 8 1 2 3", "t:2: swap with more than 2 operands (allowed: 1)"},
      {"1 0 logic 8 1 2 3 4 5", "t:2: logic with more than 2 operands (allowed: 2)"},
      {"1 0 swap 8 -", "t:2: operand \"-\" (allowed: a whole number of 64 bits"},
      {"1 0 swap 8 0x10000000000000000", "t:2: operand \"0x10000000000000000\""},
      {"1 0 swap 8 -9223372036854775809", "t:2: operand \"-9223372036854775809\""},
      {"1 0 \x01\x80 8", "t:2: there is no operation \"??\""},
  };
  for (const refusal& each : refusals) {
    EXPECT_TRUE(
        begins_with(refusal_of(std::string(first_line) + each.line + "\n# end 1\n"), each.message))
        << each.line;
  }
}

TEST(trace_file, time_does_not_go_back) {
  EXPECT_TRUE(
      testing::names(refusal_of(std::string(first_line) + "5 0 load 0\n4 0 load 0\n# end 2\n"),
                     {"t:3", "cycle 4", "cycle 5"}));
}

TEST(trace_file, the_header_is_checked) {
  EXPECT_TRUE(begins_with(refusal_of(""), "t: is empty ("));
  EXPECT_TRUE(testing::names(refusal_of("1 0 load 0\n"), {"t:1", "\"1 0 load 0\""}));
  EXPECT_TRUE(testing::names(refusal_of("# tributary-trace 2\n# end 0\n"),
                             {"t:1: ", "\"2\"", "\"# tributary-"}));
  EXPECT_TRUE(testing::names(refusal_of(std::string(5000, 'x')), {"t:1: ", "characters"}));
}

TEST(trace_file, the_end_mark_is_checked) {
  const std::string start = std::string(first_line) + "1 0 load 0\n";
  EXPECT_TRUE(testing::names(refusal_of(start), {"t: ", "line 2", "end mark"}));
  EXPECT_TRUE(testing::names(refusal_of(start + "# end\n"), {"t: ", "line 3", "end mark"}));
  EXPECT_TRUE(testing::names(refusal_of(start + "# end x\n"), {"t:3: ", "number"}));
  EXPECT_TRUE(testing::names(refusal_of(start + "# end 2\n"), {"t:3", "2", "1"}));
  EXPECT_TRUE(testing::names(refusal_of(start + "# end 1\n2 0 load 0\n"), {"t:4: ", "end"}));
}

TEST(trace_file, every_cut_is_noticed) {
  const scratch_directory here;
  for (const char* name : {"whole", "whole.gz"}) {
    write_trace(here.path(name), {{1, 0, 0, function_of(operation::load)},
                                  {2, 1, 8, function_of(operation::fetch_add, 10)}});
    const std::string whole = here.read(name);
    // Without its last line end a plain trace is still whole.
    for (std::size_t length = 0; length + 1 < whole.size(); ++length) {
      const std::string cut = here.write("cut", whole.substr(0, length));
      EXPECT_THROW(read_trace(cut, map_of_four()), input_error) << name << " " << length;
    }
  }
}

TEST(trace_file, a_missing_file_is_named) {
  EXPECT_TRUE(contains(message_of<input_error>([] { read_trace("/nowhere/trace", map_of_four()); }),
                       "/nowhere/trace: cannot read"));
}

}  // namespace
}  // namespace tributary
