// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <tributary/controller/address_layout.h>
#include <tributary/memory/address_map.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

address_region region(std::uint64_t base, std::uint64_t size,
                      region_mapping mapping = region_mapping::interleaved) {
  address_region made;
  made.name = "at_" + std::to_string(base);
  made.base = base;
  made.size = size;
  made.mapping = mapping;
  return made;
}

address_map map_of(const std::vector<address_region>& regions, std::uint32_t modules) {
  address_map_config config;
  config.regions = regions;
  return address_map(config, modules);
}

TEST(address_map, each_mapping_is_a_bijection) {
  for (const std::uint32_t modules : {2U, 4U, 16U, 64U}) {
    for (const region_mapping mapping :
         {region_mapping::interleaved, region_mapping::hashed, region_mapping::blocked}) {
      const std::uint64_t rows = 300;
      const address_map map = map_of({region(4096, modules * rows * word_bytes, mapping)}, modules);
      const address_region& only = map.regions()[0];
      ASSERT_EQ(map.rows(only), rows);
      std::set<std::uint64_t> addresses;
      for (std::uint32_t module = 0; module < modules; ++module) {
        for (std::uint64_t row = 0; row < rows; ++row) {
          const std::uint64_t address = map.address_in(only, mm_id{module}, row);
          ASSERT_TRUE(only.contains(address)) << address;
          ASSERT_EQ(address % word_bytes, 0U);
          ASSERT_EQ(index(map.module_of(only, address)), module)
              << "mapping " << static_cast<int>(mapping) << ", row " << row;
          ASSERT_TRUE(addresses.insert(address).second) << address << " twice";
        }
      }
      EXPECT_EQ(addresses.size(), modules * rows) << "not every word has a module";
    }
  }
}

/// Word after word of a region, whatever the mapping.
TEST(address_map, a_words_row_and_module_lead_back_to_its_address) {
  for (const region_mapping mapping : {region_mapping::interleaved, region_mapping::hashed,
                                       region_mapping::blocked, region_mapping::module}) {
    const std::uint64_t words = 96;
    const address_map map = map_of({region(4096, words * word_bytes, mapping)}, 4);
    const address_region& only = map.regions()[0];
    for (std::uint64_t address = only.base; address < only.base + only.size;
         address += word_bytes) {
      const std::uint64_t row = map.row_of(only, address);
      ASSERT_LT(row, map.rows(only))
          << "address " << address << ", mapping " << static_cast<int>(mapping);
      ASSERT_EQ(map.address_in(only, map.module_of(only, address), row), address)
          << "row " << row << ", mapping " << static_cast<int>(mapping);
    }
  }
}

TEST(address_map, interleaving_is_by_the_low_bits_of_the_word) {
  const address_map map = map_of({region(0, 1024)}, 4);
  for (std::uint64_t word = 0; word < 128; ++word) {
    EXPECT_EQ(index(map.module_of(map.regions()[0], word * word_bytes)), word % 4) << word;
  }
}

/// A stride of as many words as there are modules visits one module interleaved, many hashed.
TEST(address_map, hashing_spreads_strides) {
  const std::uint32_t modules = 16;
  const address_map map = map_of({region(0, 1 << 20, region_mapping::hashed)}, modules);
  std::map<std::uint32_t, int> visits;
  for (std::uint64_t i = 0; i < 256; ++i) {
    ++visits[index(map.module_of(map.regions()[0], i * modules * word_bytes))];
  }
  EXPECT_EQ(visits.size(), modules);
  for (const auto& [module, count] : visits) EXPECT_EQ(count, 16) << "module " << module;
}

TEST(address_map, one_module_holds_a_region_whole) {
  address_region whole = region(64, 800, region_mapping::module);
  whole.module = 3;
  const address_map map = map_of({whole}, 4);
  EXPECT_EQ(map.rows(whole), 100U);
  for (std::uint64_t row = 0; row < 100; ++row) {
    const std::uint64_t address = map.address_in(whole, mm_id{3}, row);
    EXPECT_EQ(address, 64 + row * word_bytes);
    EXPECT_EQ(index(map.module_of(whole, address)), 3U);
  }
}

TEST(address_map, finds_the_region_of_an_address) {
  const address_map map = map_of({region(1024, 256), region(0, 512)}, 2);
  EXPECT_EQ(map.region_of(0)->name, "at_0");
  EXPECT_EQ(map.region_of(511)->name, "at_0");
  EXPECT_EQ(map.region_of(512), nullptr);
  EXPECT_EQ(map.region_of(1023), nullptr);
  EXPECT_EQ(map.region_of(1024)->name, "at_1024");
  EXPECT_EQ(map.region_of(1279)->name, "at_1024");
  EXPECT_EQ(map.region_of(1280), nullptr);
  EXPECT_EQ(map.region_named("at_1024"), map.region_of(1024));
  EXPECT_EQ(map.region_named("at_1"), nullptr);
}

TEST(address_map, regions_may_touch_but_not_overlap) {
  EXPECT_NO_THROW(map_of({region(0, 512), region(512, 512)}, 2));
  EXPECT_THROW(map_of({region(0, 520), region(512, 512)}, 2), configuration_error);
  EXPECT_THROW(map_of({region(512, 512), region(0, 4096)}, 2), configuration_error);
  EXPECT_THROW(map_of({region(0, 512), region(0, 512)}, 2), configuration_error);
}

TEST(address_map, an_overlap_names_both_regions) {
  try {
    map_of({region(0, 1024), region(512, 512)}, 2);
    FAIL() << "accepted";
  } catch (const configuration_error& problem) {
    const std::string text = problem.what();
    EXPECT_NE(text.find("at_0"), std::string::npos) << text;
    EXPECT_NE(text.find("at_512"), std::string::npos) << text;
  }
}

TEST(address_map, refuses_regions_that_cannot_be) {
  EXPECT_THROW(map_of({region(0, 0)}, 2), configuration_error) << "empty";
  EXPECT_THROW(map_of({region(4, 64)}, 2), configuration_error) << "base not a word";
  EXPECT_THROW(map_of({region(0, 60)}, 2), configuration_error) << "size not a word";
  EXPECT_THROW(map_of({region(0, 8)}, 2), configuration_error) << "no equal shares";
  EXPECT_THROW(map_of({region(0, 64 * 3)}, 16), configuration_error) << "no equal shares";
  EXPECT_THROW(map_of({region(address_limit - 64, 128)}, 2), configuration_error) << "too high";
  EXPECT_THROW(map_of({region(address_limit, 64)}, 2), configuration_error) << "too high";
  EXPECT_NO_THROW(map_of({region(address_limit - 64, 64)}, 2));
  address_region elsewhere = region(0, 64, region_mapping::module);
  elsewhere.module = 2;
  EXPECT_THROW(map_of({elsewhere}, 2), configuration_error) << "no such module";
}

TEST(address_map, the_default_has_shared_and_local_memory) {
  for (const std::uint32_t modules : {2U, 1024U, 65536U}) {
    const address_map map(address_map_config(), modules);
    ASSERT_EQ(map.regions().size(), 2U);
    EXPECT_EQ(map.regions()[0].name, "shared");
    EXPECT_TRUE(map.regions()[1].local_port);
    EXPECT_EQ(index(map.module_of(map.regions()[1],
                                  map.address_in(map.regions()[1], mm_id{modules - 1}, 0))),
              modules - 1);
  }
}

/// Regions of a machine of nodes, whose addresses begin with the node: any number of nodes.
TEST(address_map, parts_of_nodes_are_told_apart) {
  const address_layout layout;
  for (const std::uint32_t nodes : {2U, 3U, 7U}) {
    const std::uint64_t bytes = 4096;
    const address_map map(layout.regions(nodes, bytes, 128), nodes);
    const address_region& shared = map.regions()[0];
    const address_region& local = map.regions()[1];
    for (const address_region* region : {&shared, &local}) {
      EXPECT_EQ(map.rows(*region), bytes / 2 / 8);
      for (std::uint32_t node = 0; node < nodes; ++node) {
        const std::uint64_t half = region == &shared ? 0 : bytes / 2;
        for (std::uint64_t row = 0; row < map.rows(*region); ++row) {
          const std::uint64_t address = map.address_in(*region, mm_id{node}, row);
          ASSERT_EQ(address, layout.address_of(node_id{node}, 0, half + 8 * row));
          ASSERT_EQ(map.region_of(address), region);
          ASSERT_EQ(map.module_of(*region, address), mm_id{node});
          ASSERT_EQ(map.row_of(*region, address), row);
        }
      }
    }
    EXPECT_EQ(map.word(shared, 15), layout.address_of(node_id{0}, 0, 120));
    EXPECT_EQ(map.word(shared, 16), layout.address_of(node_id{1}, 0, 0)) << "line by line";
    EXPECT_EQ(map.word(shared, 16 * nodes), layout.address_of(node_id{0}, 0, 128));
    EXPECT_EQ(map.region_of(layout.address_of(node_id{0}, 0, bytes)), nullptr);
    EXPECT_EQ(map.region_of(layout.address_of(node_id{nodes}, 0, 0)), nullptr);
    EXPECT_EQ(map.region_of(layout.address_of(node_id{1}, 1, 0)), nullptr) << "another space";
  }
}

}  // namespace
}  // namespace tributary
