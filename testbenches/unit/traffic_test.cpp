// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <tributary/processor/traffic.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

constexpr int draws = 20000;

struct drawn {
  std::uint32_t module;
  access request;
};

std::vector<drawn> draw(const traffic_config& config, std::uint32_t modules, std::uint32_t pe,
                        std::uint64_t seed = 1, int count = draws) {
  const address_map map(address_map_config(), modules);
  traffic source(config, map, seed);
  std::vector<drawn> found;
  for (int i = 0; i < count; ++i) {
    const access request = source.draw(pe);
    found.push_back(
        {index(map.module_of(*map.region_of(request.address), request.address)), request});
  }
  return found;
}

/// Whether `count` of `trials` is within five standard deviations of probability p.
::testing::AssertionResult about(std::uint64_t count, double p, int trials = draws) {
  const double mean = p * trials;
  const double off = std::abs(static_cast<double>(count) - mean);
  const double allowed = 5 * std::sqrt(trials * p * (1 - p)) + 1;
  if (off <= allowed) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << count << " of " << trials << ", expected " << mean << " +- " << allowed;
}

TEST(traffic, uniform_visits_every_module_alike_and_hardly_repeats) {
  std::map<std::uint32_t, std::uint64_t> visits;
  std::set<std::uint64_t> addresses;
  for (const drawn& each : draw({}, 16, 3)) {
    ++visits[each.module];
    addresses.insert(each.request.address);
  }
  ASSERT_EQ(visits.size(), 16U);
  for (const auto& [module, count] : visits) EXPECT_TRUE(about(count, 1.0 / 16)) << module;
  EXPECT_GT(addresses.size(), draws - 20U);
}

TEST(traffic, the_hot_spot_gets_its_fraction) {
  for (const double h : {0.0, 0.01, 0.1, 0.5, 1.0}) {
    traffic_config config;
    config.hot_spot = h;
    config.hot_module = 5;
    const address_map map(address_map_config(), 16);
    const std::uint64_t hot = map.address_in(map.regions()[0], mm_id{5}, 0);
    std::uint64_t hits = 0;
    for (const drawn& each : draw(config, 16, 0)) hits += each.request.address == hot ? 1 : 0;
    EXPECT_TRUE(about(hits, h)) << "hot spot " << h;
  }
}

TEST(traffic, hot_words_are_in_modules_one_after_the_other) {
  traffic_config config;
  config.hot_spot = 1;
  config.hot_words = 6;
  config.hot_module = 2;
  config.placement = hot_placement::adjacent;
  std::map<std::uint64_t, std::uint64_t> hits;
  std::map<std::uint64_t, std::uint32_t> modules;
  for (const drawn& each : draw(config, 4, 1)) {
    ++hits[each.request.address];
    modules[each.request.address] = each.module;
  }
  ASSERT_EQ(hits.size(), 6U);
  for (const auto& [address, count] : hits) EXPECT_TRUE(about(count, 1.0 / 6)) << address;
  std::map<std::uint32_t, int> words;
  for (const auto& [address, module] : modules) ++words[module];
  EXPECT_EQ(words, (std::map<std::uint32_t, int>{{0, 1}, {1, 1}, {2, 2}, {3, 2}}));
}

/// The modules of the hot words, by address.
std::vector<std::uint32_t> hot_modules(traffic_config config, std::uint32_t modules,
                                       std::uint64_t seed = 1,
                                       region_mapping mapping = region_mapping::interleaved) {
  address_map_config addresses;
  addresses.regions[0].mapping = mapping;
  const address_map map(addresses, modules);
  config.hot_spot = 1;
  traffic source(config, map, seed);
  std::map<std::uint64_t, std::uint32_t> found;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t address = source.draw(0).address;
    found[address] = index(map.module_of(address));
  }
  std::vector<std::uint32_t> list;
  for (const auto& [address, module] : found) list.push_back(module);
  return list;
}

TEST(traffic, hot_words_are_a_stride_apart) {
  traffic_config config;
  config.hot_words = 4;
  config.placement = hot_placement::stride;
  config.hot_stride = 4;
  EXPECT_EQ(hot_modules(config, 16), (std::vector<std::uint32_t>{0, 4, 8, 12}));
  config.hot_module = 1;
  EXPECT_EQ(hot_modules(config, 8), (std::vector<std::uint32_t>{1, 5, 1, 5}));
}

TEST(traffic, the_hash_of_a_region_moves_hot_words_too) {
  traffic_config config;
  config.hot_words = 4;
  config.placement = hot_placement::stride;
  config.hot_stride = 4;
  EXPECT_EQ(hot_modules(config, 8), (std::vector<std::uint32_t>{0, 4, 0, 4}));
  EXPECT_EQ(hot_modules(config, 8, 1, region_mapping::hashed),
            (std::vector<std::uint32_t>{0, 4, 1, 5}));
}

TEST(traffic, random_hot_words_begin_in_their_module_and_follow_the_seed) {
  traffic_config config;
  config.hot_module = 3;
  EXPECT_EQ(hot_modules(config, 64), (std::vector<std::uint32_t>{3}));
  config.hot_words = 64;
  std::vector<std::uint32_t> all = hot_modules(config, 64);
  EXPECT_EQ(std::set<std::uint32_t>(all.begin(), all.end()).size(), 64U);
  config.hot_words = 4;
  const std::vector<std::uint32_t> first = hot_modules(config, 64, 1);
  ASSERT_EQ(first.size(), 4U);
  EXPECT_EQ(std::set<std::uint32_t>(first.begin(), first.end()).count(3), 1U);
  EXPECT_EQ(first, hot_modules(config, 64, 1));
  EXPECT_NE(first, hot_modules(config, 64, 2));
}

TEST(traffic, tells_hot_from_cold) {
  traffic_config config;
  config.hot_spot = 0.3;
  const address_map map(address_map_config(), 16);
  const std::uint64_t hot = map.address_in(map.regions()[0], mm_id{0}, 0);
  for (const drawn& each : draw(config, 16, 2, 1, 1000)) {
    ASSERT_EQ(each.request.warmth, each.request.address == hot ? heat::hot : heat::cold);
  }
}

std::vector<std::uint32_t> permutation(traffic_pattern pattern, std::uint32_t modules) {
  traffic_config config;
  config.pattern = pattern;
  std::vector<std::uint32_t> found;
  for (std::uint32_t pe = 0; pe < modules; ++pe) {
    const auto requests = draw(config, modules, pe, 1, 20);
    for (const drawn& each : requests) EXPECT_EQ(each.module, requests[0].module) << pe;
    found.push_back(requests[0].module);
  }
  return found;
}

TEST(traffic, permutations_are_permutations) {
  for (const std::uint32_t modules : {2U, 4U, 8U, 32U, 64U}) {
    for (const traffic_pattern pattern :
         {traffic_pattern::shift, traffic_pattern::transpose, traffic_pattern::bit_reversal,
          traffic_pattern::tornado}) {
      const auto found = permutation(pattern, modules);
      EXPECT_EQ(std::set<std::uint32_t>(found.begin(), found.end()).size(), modules)
          << "pattern " << static_cast<int>(pattern) << " of " << modules;
    }
  }
}

TEST(traffic, permutations_go_where_their_names_say) {
  using list = std::vector<std::uint32_t>;
  EXPECT_EQ(permutation(traffic_pattern::shift, 8), (list{1, 2, 3, 4, 5, 6, 7, 0}));
  EXPECT_EQ(permutation(traffic_pattern::bit_reversal, 8), (list{0, 4, 2, 6, 1, 5, 3, 7}));
  EXPECT_EQ(permutation(traffic_pattern::tornado, 8), (list{3, 4, 5, 6, 7, 0, 1, 2}));
  EXPECT_EQ(permutation(traffic_pattern::transpose, 16),
            (list{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}));
}

TEST(traffic, operations_are_drawn_by_weight) {
  traffic_config config;
  config.operations = {{operation::fetch_add, 3}, {operation::load, 1}};
  std::uint64_t additions = 0;
  std::set<word_t> operands;
  for (const drawn& each : draw(config, 8, 0)) {
    if (each.request.function.kind != form::add) {
      ASSERT_EQ(each.request.function.kind, form::identity);
      continue;
    }
    ++additions;
    operands.insert(each.request.function.a);
  }
  EXPECT_TRUE(about(additions, 0.75));
  EXPECT_EQ(operands.size(), additions) << "operands repeat";
}

TEST(traffic, without_operations_it_loads) {
  for (const drawn& each : draw({}, 4, 0, 1, 100)) {
    EXPECT_EQ(each.request.function.kind, form::identity);
  }
}

TEST(traffic, elements_and_seeds_differ_and_repeat) {
  const auto addresses = [](std::uint32_t pe, std::uint64_t seed) {
    std::vector<std::uint64_t> found;
    for (const drawn& each : draw({}, 8, pe, seed, 50)) found.push_back(each.request.address);
    return found;
  };
  EXPECT_EQ(addresses(1, 1), addresses(1, 1));
  EXPECT_NE(addresses(1, 1), addresses(2, 1));
  EXPECT_NE(addresses(1, 1), addresses(1, 2));
}

/// Each element has a stream of its own: the others' draws change nothing.
TEST(traffic, elements_do_not_disturb_each_other) {
  const address_map map(address_map_config(), 8);
  traffic alone(traffic_config{}, map, 4);
  traffic together(traffic_config{}, map, 4);
  for (int i = 0; i < 100; ++i) {
    together.draw(2);
    ASSERT_EQ(alone.draw(1).address, together.draw(1).address) << "draw " << i;
  }
}

TEST(traffic, refuses_what_the_machine_does_not_have) {
  const address_map map(address_map_config(), 8);
  traffic_config config;
  config.region = "no such";
  EXPECT_THROW(traffic(config, map, 1), configuration_error);
  config = {};
  config.hot_module = 8;
  EXPECT_THROW(traffic(config, map, 1), configuration_error);
  config = {};
  config.hot_stride = 8;
  config.hot_words = 2;
  EXPECT_NO_THROW(traffic(config, map, 1));
  config.placement = hot_placement::stride;
  EXPECT_THROW(traffic(config, map, 1), configuration_error);
  address_map_config small;
  small.regions.resize(1);
  small.regions[0].size = 64;
  config = {};
  config.hot_words = 9;
  EXPECT_THROW(traffic(config, address_map(small, 8), 1), configuration_error);
  config.hot_words = 8;
  EXPECT_NO_THROW(traffic(config, address_map(small, 8), 1));
}

TEST(traffic, a_stride_that_nothing_takes_may_be_any) {
  traffic_config config;
  config.placement = hot_placement::stride;
  config.hot_stride = 8;
  config.hot_words = 1;
  EXPECT_EQ(hot_modules(config, 8), (std::vector<std::uint32_t>{0}));
  config.hot_words = 4;
  EXPECT_EQ(hot_modules(config, 8, 1, region_mapping::module),
            (std::vector<std::uint32_t>{0, 0, 0, 0}));
}

}  // namespace
}  // namespace tributary
