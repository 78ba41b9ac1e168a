// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>

#include <type_traits>

namespace tributary {
namespace {

template <class Id, class = void>
struct has_index : std::false_type {};
template <class Id>
struct has_index<Id, std::void_t<decltype(index(Id{}))>> : std::true_type {};

enum class other : std::uint32_t {};

static_assert(!std::is_convertible_v<pe_id, std::uint32_t>);
static_assert(!std::is_convertible_v<std::uint32_t, mm_id>);
static_assert(!std::is_convertible_v<pe_id, mm_id>);
static_assert(has_index<pe_id>::value);
static_assert(has_index<mm_id>::value);
static_assert(has_index<node_id>::value);
static_assert(!has_index<other>::value);

TEST(ids, index_gives_back_the_number) {
  static_assert(index(pe_id{65535}) == 65535);
  EXPECT_EQ(index(mm_id{3}), 3U);
  EXPECT_EQ(index(node_id{0xFFFFFFFFU}), 0xFFFFFFFFU);
}

TEST(ids, compare_and_order_as_their_numbers) {
  const node_id first{4};
  node_id second{4};
  EXPECT_EQ(first, second);
  second = node_id{5};
  EXPECT_NE(first, second);
  EXPECT_LT(first, second);
}

TEST(cycle, never_is_after_every_cycle) {
  EXPECT_GT(never, cycle_t{1});
  EXPECT_EQ(never + 1, cycle_t{0});
}

}  // namespace
}  // namespace tributary
