// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>

#include <tributary/memory/packet.h>
#include <tributary/sim/random_stream.h>

namespace tributary {
namespace {

TEST(packet, a_location_gives_module_and_address_back) {
  random_stream random(1, 0U, 0U);
  for (int trial = 0; trial < 10000; ++trial) {
    const mm_id module{static_cast<std::uint32_t>(random.below(65536))};
    const std::uint64_t address = random.below(address_limit / word_bytes) * word_bytes;
    packet request;
    request.location = location_of(module, address);
    ASSERT_EQ(request.module(), module);
    ASSERT_EQ(request.address(), address);
  }
}

TEST(packet, extremes_of_a_location) {
  packet request;
  request.location = location_of(mm_id{65535}, address_limit - word_bytes);
  EXPECT_EQ(index(request.module()), 65535U);
  EXPECT_EQ(request.address(), address_limit - word_bytes);
  request.location = location_of(mm_id{0}, 0);
  EXPECT_EQ(request.location, 0U);
}

TEST(packet, identities_are_ordered_by_element_then_sequence) {
  EXPECT_TRUE((request_id{9, 1} < request_id{0, 2}));
  EXPECT_TRUE((request_id{3, 2} < request_id{4, 2}));
  EXPECT_FALSE((request_id{4, 2} < request_id{4, 2}));
  EXPECT_TRUE((request_id{4, 2} == request_id{4, 2}));
  EXPECT_TRUE((request_id{4, 2} != request_id{4, 3}));
}

TEST(packet, equality_looks_at_every_field) {
  packet one;
  one.location = location_of(mm_id{3}, 64);
  one.set_function({form::add, 7, 0});
  one.pe = 5;
  one.sequence = 6;
  EXPECT_EQ(one.function(), (word_function{form::add, 7, 0}));
  EXPECT_EQ(one.id(), (request_id{6, 5}));
  const auto differs = [&](auto change) {
    packet other = one;
    change(other);
    return other != one;
  };
  EXPECT_FALSE(differs([](packet&) {}));
  EXPECT_TRUE(differs([](packet& p) { ++p.location; }));
  EXPECT_TRUE(differs([](packet& p) { ++p.a; }));
  EXPECT_TRUE(differs([](packet& p) { ++p.b; }));
  EXPECT_TRUE(differs([](packet& p) { p.kind = form::logic; }));
  EXPECT_TRUE(differs([](packet& p) { ++p.pe; }));
  EXPECT_TRUE(differs([](packet& p) { ++p.sequence; }));
  EXPECT_TRUE(differs([](packet& p) { p.combinable = 0; }));
}

TEST(packet, replies_compare_value_and_identity) {
  const reply one{5, 6, 7};
  EXPECT_EQ(one, (reply{5, 6, 7}));
  EXPECT_NE(one, (reply{4, 6, 7}));
  EXPECT_NE(one, (reply{5, 5, 7}));
  EXPECT_NE(one, (reply{5, 6, 8}));
  EXPECT_EQ(one.id(), (request_id{6, 7}));
}

}  // namespace
}  // namespace tributary
