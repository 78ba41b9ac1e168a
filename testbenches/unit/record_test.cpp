// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/record.h>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

#include <tributary/controller/fiber_executor.h>
#include <tributary/sim/error.h>

#include <support/failure.h>
#include <support/plain_memory.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

using testing::plain_memory;

constexpr record_field source{"source", 40, 40};
constexpr record_field lines{"lines", 45, 7};
constexpr record_field busy{"busy", 45, 1, 7};
constexpr record_field checksum{"checksum", 48, 64};

static_assert(source.word_offset() == 40 && source.shift() == 0);
static_assert(busy.word_offset() == 40 && busy.shift() == 47 && busy.limit() == 1);
static_assert(checksum.limit() == ~word_t{0});
static_assert(lines.in(lines.put(~word_t{0}, 5)) == 5);

/// Runs a body on a controller that has a memory and nothing else.
template <class Body>
std::string run_over(plain_memory& memory, Body body) {
  const address_layout layout;
  fiber_executor runs(node_id{0}, layout, {{"test.body", body}});
  std::string asked;
  handler_request next = runs.start(handler_id{0}, {}, 1);
  while (next.operation != handler_operation::finish) {
    handler_answer found;
    if (next.operation == handler_operation::load) {
      asked += "load " + std::to_string(next.address) + ". ";
      found.value = memory.read(next.address);
    } else {
      asked += "store " + std::to_string(next.address) + ". ";
      memory.write(next.address, next.value);
    }
    next = runs.resume(found);
  }
  return asked;
}

TEST(record, has_fields_that_keep_out_of_each_others_way) {
  plain_memory memory{512};
  record one(memory, 128);
  one.set(source, 0xab12345678);
  one.set(lines, 127);
  one.set(busy, 1);
  one.set(checksum, ~word_t{0});
  EXPECT_EQ(memory.words[21], 0x0000ffab12345678U);
  EXPECT_EQ(memory.words[22], ~word_t{0});
  one.set(lines, 2);
  EXPECT_EQ(one.get(source), 0xab12345678U);
  EXPECT_EQ(one.get(lines), 2U);
  EXPECT_EQ(one.get(busy), 1U);
  one.set(busy, 0);
  EXPECT_EQ(memory.words[21], 0x000002ab12345678U);
}

TEST(record, is_the_same_bytes_for_a_handler) {
  plain_memory without{512};
  plain_memory with{512};
  const auto fill = [](auto& memory) {
    record one(memory, 64);
    one.set(source, 0x1234);
    one.set(lines, one.get(source) & 0x7f);
    one.set(checksum, 77);
  };
  fill(without);
  const std::string asked = run_over(with, [&](handler_context& node) { fill(node); });
  EXPECT_EQ(with.words, without.words);
  // A field of a whole doubleword is stored without being loaded.
  EXPECT_EQ(asked, "load 104. store 104. load 104. load 104. store 104. store 112. ");
}

TEST(record, refuses_a_value_that_a_field_cannot_hold) {
  plain_memory memory{512};
  const auto set = [](handler_context& node) { record(node, 64).set(lines, 128); };
  EXPECT_TRUE(testing::names(testing::failure([&] { run_over(memory, set); }),
                             {"'test.body'", "node 0", "cycle 1", "'lines'", "7 bits", "128"}));
  EXPECT_EQ(memory.words, plain_memory(512).words);
}

TEST(record_field, lies_within_one_doubleword) {
  EXPECT_THROW((record_field{"wide", 0, 65}), error);
  EXPECT_THROW((record_field{"none", 0, 0}), error);
  EXPECT_THROW((record_field{"across", 7, 9}), error);
  EXPECT_THROW((record_field{"across", 7, 8, 1}), error);
  EXPECT_THROW((record_field{"high", 0, 1, 8}), error);
  EXPECT_NO_THROW((record_field{"last", 7, 1, 7}));
}

static_assert(are_apart(std::array{source, lines, busy, checksum}, deferred_record_bytes));
static_assert(are_apart(std::array{record_field{"a", 0, 12}, record_field{"b", 1, 4, 4}}, 0));
static_assert(!are_apart(std::array{record_field{"a", 0, 12}, record_field{"b", 1, 4}}, 0));
static_assert(!are_apart(std::array{record_field{"a", 0, 12}, record_field{"a", 8, 4}}, 0));
static_assert(!are_apart(std::array{record_field{"a", 39, 8}}, deferred_record_bytes));

}  // namespace
}  // namespace tributary
