// SPDX-License-Identifier: Apache-2.0
// The tables of results in the pages are what the presets give.
//
// With TRIBUTARY_UPDATE_PAGES set in the environment the sections are written instead of compared.
#include <string>

#include <gtest/gtest.h>

#include <run/published.h>
#include <run/result_table.h>
#include <run/run_experiment.h>

#include "page_sections.h"

namespace tributary::documentation {
namespace {

/// The tables of a preset run with seed 1, as the program prints them.
std::string tables_of(const std::string& preset, const std::string& platform) {
  const std::string path =
      std::string(TRIBUTARY_SOURCE_DIR) + "/platforms/" + platform + "/presets/" + preset + ".json";
  const experiment_file file = load_experiments(path);
  const auto results = run_all(file.experiments, {1}, 0);
  std::string text = "```text\n";
  for (const table_layout& layout : file.tables) {
    text += result_table(layout, file, results, load_published(path, layout.published));
  }
  return text + "```\n";
}

void expect_section(const std::string& page, const std::string& name, const std::string& preset,
                    const std::string& platform = "ultracomputer") {
  const std::string text = tables_of(preset, platform);
  EXPECT_EQ(section_in_file(std::string(TRIBUTARY_SOURCE_DIR) + "/" + page, name, text), text)
      << "run the test with TRIBUTARY_UPDATE_PAGES=1 to write the section, and read it";
}

TEST(readme, shows_the_demo) { expect_section("README.md", "demo", "polling"); }
TEST(readme, shows_the_block_transfer) { expect_section("README.md", "fbcopy", "fbcopy", "flash"); }

TEST(systolic_queue, costs_what_its_page_says) {
  expect_section("docs/models/systolic_queue.md", "rates", "systolic");
}

class figures : public testing::TestWithParam<const char*> {};

TEST_P(figures, stand_in_the_page_of_the_platform) {
  expect_section("docs/platforms/ultracomputer.md", GetParam(), GetParam());
}

class flash_figures : public testing::TestWithParam<const char*> {};

TEST_P(flash_figures, stand_in_the_page_of_the_platform) {
  expect_section("docs/platforms/flash.md", GetParam(), GetParam(), "flash");
}

INSTANTIATE_TEST_SUITE_P(presets, flash_figures,
                         testing::Values("fbcopy", "faster_pp", "chunk_sizes", "unaligned",
                                         "remote_home"));

INSTANTIATE_TEST_SUITE_P(presets, figures,
                         testing::Values("figure4", "figure5", "figure6", "figure7", "figure8"));

}  // namespace
}  // namespace tributary::documentation
