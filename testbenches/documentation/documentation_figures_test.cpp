// SPDX-License-Identifier: Apache-2.0
// The tables of results in the pages are what the presets give.
//
// With TRIBUTARY_UPDATE_PAGES set in the environment the sections are written instead of compared.
#include <algorithm>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <run/published.h>
#include <run/result_table.h>
#include <run/run_experiment.h>

#include "page_sections.h"

namespace tributary::documentation {
namespace {

/// The tables of a preset run with seed 1 and these settings, as the program prints them; or only
/// the first so many of them.
std::string tables_of(const std::string& preset, const std::string& platform,
                      const std::vector<std::string>& sets = {}, std::size_t most = 100) {
  const std::string path =
      std::string(TRIBUTARY_SOURCE_DIR) + "/platforms/" + platform + "/presets/" + preset + ".json";
  experiment_file file = load_experiments(path, sets);
  if (file.tables.size() > most) file.tables.resize(most);
  const auto results = run_all(file.experiments, {1}, 0);
  std::string text = "```text\n";
  for (const table_layout& layout : file.tables) {
    text += result_table(layout, file, results, load_published(path, layout.published));
  }
  return text + "```\n";
}

void expect_section(const std::string& page, const std::string& name, const std::string& text) {
  EXPECT_EQ(section_in_file(std::string(TRIBUTARY_SOURCE_DIR) + "/" + page, name, text), text)
      << "run the test with TRIBUTARY_UPDATE_PAGES=1 to write the section, and read it";
}

TEST(readme, shows_the_demo) {
  expect_section("README.md", "demo", tables_of("polling", "ultracomputer"));
}
TEST(readme, shows_the_block_transfer) {
  expect_section("README.md", "fbcopy", tables_of("fbcopy", "flash"));
}

TEST(systolic_queue, costs_what_its_page_says) {
  expect_section("docs/models/systolic_queue.md", "rates", tables_of("systolic", "ultracomputer"));
}

TEST(combining_queue, gradual_limits_do_what_its_page_says) {
  expect_section("docs/models/combining_queue.md", "gradual_mix",
                 tables_of("gradual_mix", "ultracomputer"));
}

class figures : public testing::TestWithParam<const char*> {};

TEST_P(figures, stand_in_the_page_of_the_platform) {
  expect_section("docs/platforms/ultracomputer.md", GetParam(),
                 tables_of(GetParam(), "ultracomputer"));
}

class flash_figures : public testing::TestWithParam<const char*> {};

TEST_P(flash_figures, stand_in_the_page_of_the_platform) {
  expect_section("docs/platforms/flash.md", GetParam(), tables_of(GetParam(), "flash"));
}

class smp_figures : public testing::TestWithParam<const char*> {};

// Fewer requests and points than the presets have, which take a quarter of a minute.
TEST_P(smp_figures, stand_in_the_page_of_the_platform) {
  const std::string name = GetParam();
  std::vector<std::string> sets{"workload.requests.requests=600"};
  if (name.find("cost") == std::string::npos) {
    sets.emplace_back("workload.requests.utilisation=[0.1, 0.3, 0.5, 0.7, 0.9]");
  }
  if (name.find("on_bus") != std::string::npos) {
    sets = {"workload.requests.requests=400", "workload.requests.utilisation=[0.1, 0.5]",
            "node.processors=[2, 4, 8]"};
  }
  if (name.find("processors") != std::string::npos) {
    sets.emplace_back("node.processors=[2, 3, 4, 8]");
  }
  expect_section("docs/platforms/smp.md", name, tables_of(name, "smp", sets));
}

class cluster_figures : public testing::TestWithParam<const char*> {};

TEST_P(cluster_figures, stand_in_the_page_of_the_platform) {
  expect_section("docs/platforms/cluster.md", GetParam(), tables_of(GetParam(), "cluster"));
}

class reflective_figures : public testing::TestWithParam<const char*> {};

TEST_P(reflective_figures, stand_in_the_page_of_the_platform) {
  expect_section("docs/platforms/reflective.md", GetParam(), tables_of(GetParam(), "reflective"));
}

class data_parallel_figures : public testing::TestWithParam<const char*> {};

TEST_P(data_parallel_figures, stand_in_the_page_of_the_platform) {
  const std::string name = GetParam();
  std::vector<std::string> sets;
  if (name == "architectures") sets.emplace_back(R"(program.name=["jacobi", "evsim"])");
  if (name == "ranking") sets.emplace_back("nodes=[8, 64]");
  if (name == "interfaces_today") sets.emplace_back(R"(program.name=["halo3d", "sparse_gather"])");
  expect_section("docs/platforms/data-parallel.md", name, tables_of(name, "data_parallel", sets));
}

TEST(offload_tutorial, shows_what_its_runs_print) {
  const std::string page = "docs/tutorials/offload-an-all-reduce.md";
  const std::string preset = "all_reduce";
  const std::string broadcast = "network.broadcast=true";
  std::ifstream file(std::string(TRIBUTARY_SOURCE_DIR) + "/platforms/data_parallel/presets/" +
                     preset + ".json");
  std::ostringstream text;
  text << file.rdbuf();
  expect_section(page, "file", "```json\n" + text.str() + "```\n");
  expect_section(page, "first", tables_of(preset, "data_parallel"));
  expect_section(page, "arity", tables_of(preset, "data_parallel", {"arity=[2, 4, 7]"}));
  expect_section(
      page, "broadcast",
      tables_of(preset, "data_parallel", {broadcast, "messages.interface.broadcast=true"}));
}

TEST(smp_today, stands_in_the_page_of_the_platform) {
  const std::string fewer = "workload.requests.requests=1600";
  expect_section("docs/platforms/smp.md", "dedicated_today",
                 tables_of("dedicated_today", "smp", {fewer}));
  expect_section(
      "docs/platforms/smp.md", "dedicated_today_service",
      tables_of("dedicated_today", "smp",
                {fewer, "node.processors=64", "costs.null_request.serve=[100, 300, 1000, 3000]"},
                1));
}

TEST(smp_counters, stand_in_the_page_of_the_platform) {
  expect_section("docs/platforms/smp.md", "combining_counter",
                 tables_of("combining_counter", "smp"));
}

/// What came out of a preset that compares MAGIC with SMP nodes, at one time of computing.
struct engine_point {
  double price = 0;  ///< of an engine, with which cost by time is that of the best node without one
  double share = 0;  ///< of its time that a processor beside an engine waits for requests
};

/// By time of computing; a second processor costs 0.3 of a node with one.
std::vector<engine_point> engine_points(const std::string& preset,
                                        const std::vector<double>& computing) {
  const std::string path =
      std::string(TRIBUTARY_SOURCE_DIR) + "/platforms/smp/presets/" + preset + ".json";
  const experiment_file file = load_experiments(path);
  const auto results = run_all(file.experiments, {1}, 0);
  const std::size_t points = results.size() / file.series.size();
  EXPECT_EQ(points, computing.size());
  std::vector<engine_point> all;
  for (std::size_t i = 0; i < points; ++i) {
    // MAGIC, Fixed-2, Floating-2, Single.
    const auto cycles = [&](std::size_t series) {
      return results[series * points + i].at(0).value("machine.cycles");
    };
    const double best = std::min(1.3 * std::min(cycles(1), cycles(2)), cycles(3));
    const double waits = results[i].at(0).value("workload.samples.round_trip.mean");
    all.push_back({best / cycles(0) - 1, waits / (waits + computing.at(i))});
  }
  return all;
}

TEST(engine_prices, stand_in_the_page_of_the_protocol_engine) {
  const std::vector<double> computing{100, 300, 1000, 3000, 10000, 30000};
  const std::vector<std::vector<engine_point>> columns{
      engine_points("protocol_engine_transfers", computing),
      engine_points("protocol_engine_blocks", computing),
      engine_points("protocol_engine_stache", computing),
      engine_points("protocol_engine", computing)};
  std::string table =
      "| Cycles of computing | Block transfer | `fetch_block` | Stache | `null_request` |\n"
      "|---|---|---|---|---|\n";
  std::vector<std::string> lines(columns.size());
  std::string axis;
  for (std::size_t i = 0; i < computing.size(); ++i) {
    table += fmt::format("| {:.0f} |", computing[i]);
    axis += fmt::format("{}\"{:.0f}\"", i == 0 ? "" : ", ", computing[i]);
    for (std::size_t column = 0; column < columns.size(); ++column) {
      const engine_point& at = columns[column].at(i);
      table += at.price > 0 ? fmt::format(" {:.2f} ({:.0f} %) |", at.price, 100 * at.share)
                            : fmt::format(" nothing ({:.0f} %) |", 100 * at.share);
      lines[column] += fmt::format("{}{:.2f}", i == 0 ? "" : ", ", std::max(at.price, 0.0));
    }
    table += "\n";
  }
  expect_section("docs/platforms/protocol-engine.md", "prices", table);
  // From top to bottom in the order of the table's columns.
  std::string figure =
      "```mermaid\nxychart-beta\n  title \"What a protocol engine may cost\"\n  x-axis \"Cycles of "
      "computing between requests\" [" +
      axis + "]\n  y-axis \"Price, by that of a node with one processor\" 0 --> 12\n";
  for (const std::string& line : lines) figure += "  line [" + line + "]\n";
  expect_section("docs/platforms/protocol-engine.md", "where", figure + "```\n");
}

class engines : public testing::TestWithParam<const char*> {};

TEST_P(engines, stand_in_the_page_of_the_protocol_engine) {
  expect_section("docs/platforms/protocol-engine.md", GetParam(), tables_of(GetParam(), "smp"));
}

class locks : public testing::TestWithParam<const char*> {};

// Not the table of writers: few are granted while the rate of readers becomes known.
TEST_P(locks, stand_in_the_page_of_coordination) {
  expect_section(
      "docs/models/coordination.md", GetParam(),
      tables_of(GetParam(), "ultracomputer", {"network.processing_elements=[4, 16, 64]"}, 1));
}

class machines : public testing::TestWithParam<const char*> {};

TEST_P(machines, stand_in_the_page_where_they_meet) {
  expect_section("docs/platforms/meet.md", GetParam(),
                 tables_of(GetParam(), "ultracomputer", {"processors=[4, 32]"}));
}

INSTANTIATE_TEST_SUITE_P(presets, machines, testing::Values("meet", "meet_equal"));

INSTANTIATE_TEST_SUITE_P(presets, flash_figures,
                         testing::Values("fbcopy", "faster_pp", "chunk_sizes", "unaligned",
                                         "remote_home", "sharing", "mpi_exchange", "bcopy",
                                         "read_latency", "fbcopy_coherent", "line_states", "water",
                                         "barnes", "ocean"));

INSTANTIATE_TEST_SUITE_P(presets, smp_figures,
                         testing::Values("null_overheads", "fetch_overheads", "null_processors",
                                         "fetch_processors", "null_cost", "fetch_cost",
                                         "null_on_bus", "fetch_on_bus"));
INSTANTIATE_TEST_SUITE_P(presets, cluster_figures,
                         testing::Values("gige_token", "gige_fan_in", "gige_fan_out", "gige_mesh",
                                         "myrinet_token", "myrinet_fan_in", "myrinet_fan_out",
                                         "myrinet_mesh", "fabric_token", "fabric_fan_in",
                                         "fabric_fan_out", "avici_token", "avici_fan_in",
                                         "avici_fan_out", "avici_mesh", "reconfiguration"));
INSTANTIATE_TEST_SUITE_P(presets, reflective_figures,
                         testing::Values("rm70_broadcast", "rm70_barrier", "scramnet_barrier",
                                         "rm70_all_reduce", "rm70_stream"));
INSTANTIATE_TEST_SUITE_P(presets, data_parallel_figures,
                         testing::Values("interfaces", "interface_variants", "tree_arity",
                                         "injection", "interfaces_today", "architectures",
                                         "round_trips", "handlers", "primitive_latency",
                                         "handler_costs", "ranking", "reductions"));

INSTANTIATE_TEST_SUITE_P(presets, engines,
                         testing::Values("protocol_engine", "protocol_engine_blocks",
                                         "protocol_engine_em3d", "protocol_engine_stache",
                                         "protocol_engine_transfers"));

INSTANTIATE_TEST_SUITE_P(presets, locks, testing::Values("figure10", "figure11", "figure14"));

INSTANTIATE_TEST_SUITE_P(presets, figures,
                         testing::Values("figure4", "figure5", "figure6", "figure7", "figure8"));

}  // namespace
}  // namespace tributary::documentation
