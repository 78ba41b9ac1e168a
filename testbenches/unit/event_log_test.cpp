// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <tributary/sim/error.h>

#include "machine_run.h"

namespace tributary {
namespace {

using testing::lines_of;
using testing::log_of;
using testing::scratch_directory;
using testing::small_machine;

event_files file_in(const scratch_directory& folder, const char* name) {
  event_files files;
  files.log = folder.path(name);
  return files;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
  return fields;
}

TEST(event_log, the_page_shows_what_the_machine_writes) {
  const scratch_directory here;
  ultracomputer_config config = small_machine(4);
  config.network.switches.type = queue_type::a;
  config.network.switches.coupled = true;
  config.workload.kind = workload_kind::trace;
  config.workload.trace.file =
      here.write("t",
                 "# tributary-trace 1\n1 0 fetch_add 0x10 1\n1 1 fetch_add 0x10 2\n"
                 "2 2 fetch_add 0x10 4\n# end 3\n");
  std::ifstream file(TRIBUTARY_SOURCE_DIR "/docs/formats/event-log.md");
  std::ostringstream page;
  page << file.rdbuf();
  EXPECT_NE(page.str().find("```text\n" + log_of(config, 1, 60) + "```\n"), std::string::npos)
      << log_of(config, 1, 60);
}

TEST(event_log, has_a_line_for_every_event) {
  const scratch_directory here;
  ultracomputer machine(small_machine(), 3);
  testing::event_collector seen;
  event_observation log(file_in(here, "log"), machine);
  machine.observers().attach(seen);
  machine.step(500);
  log.finish(false);
  const std::vector<std::string> lines = lines_of(here.read("log"));
  ASSERT_EQ(lines.size(), seen.events.size() + 3);
  EXPECT_EQ(lines.back(), fmt::format("# end {}", seen.events.size()));
  std::set<std::string> kinds;
  std::size_t with_parent = 0;
  for (std::size_t i = 0; i < seen.events.size(); ++i) {
    const std::vector<std::string> fields = fields_of(lines[i + 2]);
    const trace_event& event = seen.events[i];
    ASSERT_EQ(fields.size(), 9U) << lines[i + 2];
    EXPECT_EQ(fields[0], std::to_string(event.cycle));
    EXPECT_EQ(fields[3], event.kind->name);
    EXPECT_EQ(fields[4], to_string(event.identity));
    EXPECT_NE(fields[6], "0x") << lines[i + 2];
    const bool pair = event.kind->joins || event.kind->parts;
    EXPECT_EQ(fields[5] != "-", pair) << lines[i + 2];
    with_parent += pair ? 1 : 0;
    kinds.insert(fields[3]);
  }
  EXPECT_EQ(kinds.size(), 9U);
  EXPECT_GT(with_parent, 50U);
}

TEST(event_log, the_same_run_gives_the_same_bytes) {
  EXPECT_EQ(log_of(small_machine(), 5, 300), log_of(small_machine(), 5, 300));
  EXPECT_NE(log_of(small_machine(), 5, 300), log_of(small_machine(), 6, 300));
}

TEST(event_log, the_filter_leaves_out_lines_and_changes_none) {
  const std::vector<std::string> all = lines_of(log_of(small_machine(), 5, 300));
  trace_filter_options options;
  options.window = "50..150";
  options.tracks = "stage.1,module";
  options.origins = "0..7";
  std::vector<std::string> wanted(all.begin(), all.begin() + 2);
  for (std::size_t i = 2; i + 1 < all.size(); ++i) {
    const std::vector<std::string> fields = fields_of(all[i]);
    const int cycle = std::stoi(fields[0]);
    const bool mine = std::stoi(fields[4]) < 8 || (fields[5] != "-" && std::stoi(fields[5]) < 8);
    const bool here = fields[2].rfind("stage.1.", 0) == 0 || fields[2].rfind("module.", 0) == 0;
    if (cycle >= 50 && cycle <= 150 && here && mine) {
      wanted.push_back(all[i]);
    }
  }
  EXPECT_GT(wanted.size(), 100U);
  wanted.push_back(fmt::format("# end {}", wanted.size() - 2));
  EXPECT_EQ(lines_of(log_of(small_machine(), 5, 300, options)), wanted);
}

TEST(event_log, is_compressed_by_its_name) {
  const scratch_directory here;
  const auto write = [&](const char* name) {
    ultracomputer machine(small_machine(), 5);
    event_observation log(file_in(here, name), machine);
    machine.step(300);
    log.finish(false);
  };
  write("log");
  write("log.gz");
  EXPECT_EQ(here.read_gzip("log.gz"), here.read("log"));
}

TEST(event_log, is_whole_or_not_there) {
  const scratch_directory here;
  ultracomputer machine(small_machine(), 5);
  {
    const auto log = open_event_log(here.path("log"), {}, machine.trace().catalog);
    machine.observers().attach(*log);
    machine.step(300);
    machine.observers().detach(*log);
  }
  EXPECT_EQ(here.files(), 0U);
  EXPECT_THROW(open_event_log("/nowhere/log", {}, machine.trace().catalog), input_error);
}

TEST(event_log, of_an_interrupted_run_says_so) {
  const scratch_directory here;
  ultracomputer machine(small_machine(), 5);
  event_observation log(file_in(here, "log"), machine);
  machine.step(50);
  log.finish(true);
  EXPECT_EQ(lines_of(here.read("log")).back().compare(0, 10, "# partial "), 0);
}

}  // namespace
}  // namespace tributary
