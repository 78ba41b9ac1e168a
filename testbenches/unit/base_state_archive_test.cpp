// SPDX-License-Identifier: Apache-2.0
// States to bytes and back, and bytes that are damaged.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

constexpr std::size_t length_at = 1;  // behind the byte that says how numbers are written

/// The bytes of a value, with another length of its elements.
template <class Value>
std::string with_length(const Value& value, std::uint64_t length) {
  std::string bytes = save_state(value);
  for (std::size_t i = 0; i < sizeof length; ++i) {
    bytes[length_at + i] = static_cast<char>(length >> 8 * i);
  }
  return bytes;
}

/// Lengths beyond the bytes, some beyond all memory.
template <class Value>
void expect_refused_lengths(const Value& value) {
  const std::uint64_t left = save_state(value).size() - length_at - sizeof(std::uint64_t);
  Value into;
  for (const std::uint64_t length : {left + 1, std::uint64_t{1} << 40, ~std::uint64_t{0} >> 2}) {
    EXPECT_THROW(restore_state(with_length(value, length), into), input_error) << length;
  }
  restore_state(with_length(value, value.size()), into);
  EXPECT_EQ(into, value);
}

TEST(state_archive, refuses_lengths_beyond_the_bytes) {
  expect_refused_lengths(std::vector<std::uint64_t>{1, 2, 3});
  expect_refused_lengths(std::vector<std::uint8_t>{1, 2, 3});
  expect_refused_lengths(std::string("three"));
  expect_refused_lengths(std::deque<std::string>{"a", "b"});
  expect_refused_lengths(std::map<std::uint32_t, double>{{1, 1.5}, {2, 2.5}});
}

TEST(state_archive, refuses_flags_that_are_neither_0_nor_1) {
  std::string bytes = save_state(true);
  bool flag = false;
  restore_state(bytes, flag);
  EXPECT_TRUE(flag);
  bytes.back() = 2;
  EXPECT_THROW(restore_state(bytes, flag), input_error);
  std::string of_many = save_state(std::vector<bool>{true, false});
  std::vector<bool> flags;
  of_many.back() = 2;
  EXPECT_THROW(restore_state(of_many, flags), input_error);
}

TEST(state_archive, gives_back_what_was_saved) {
  const std::optional<double> some = 0.5;
  const std::optional<double> none;
  const std::vector<bool> bits{true, false, true};
  const std::vector<std::uint16_t> nothing;
  const std::string state = save_state(some, none, bits, nothing, std::int64_t{-5});
  std::optional<double> first;
  std::optional<double> second = 1.0;
  std::vector<bool> third;
  std::vector<std::uint16_t> fourth{1};
  std::int64_t fifth = 0;
  restore_state(state, first, second, third, fourth, fifth);
  EXPECT_EQ(first, some);
  EXPECT_EQ(second, none);
  EXPECT_EQ(third, bits);
  EXPECT_EQ(fourth, nothing);
  EXPECT_EQ(fifth, -5);
}

TEST(state_archive, refuses_bytes_that_end_early_or_go_on) {
  const std::string state = save_state(std::uint32_t{7});
  std::uint32_t number = 0;
  EXPECT_THROW(restore_state(state.substr(0, state.size() - 1), number), input_error);
  EXPECT_THROW(restore_state(state + "x", number), input_error);
  EXPECT_THROW(restore_state("", number), input_error);
  restore_beginning(state + "x", number);
  EXPECT_EQ(number, 7U);
}

}  // namespace
}  // namespace tributary
