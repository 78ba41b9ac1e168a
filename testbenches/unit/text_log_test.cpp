// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <fstream>
#include <map>
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

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
  return fields;
}

TEST(text_log, a_lone_request_is_told_step_by_step) {
  const scratch_directory here;
  ultracomputer_config config = small_machine(4);
  config.workload.kind = workload_kind::trace;
  config.workload.trace.file =
      here.write("t", "# tributary-trace 1\n1 1 fetch_add 0x10 7\n30 3 load 0x10\n# end 2\n");
  EXPECT_EQ(log_of(config, 1, 60),
            "# tributary-event-log 1\n"
            "# cycle\tstage\tswitch\tport\tevent\trequest\tform\taddress\tvalue\tother\n"
            "1\tpe\t1\t0\taccepted\t1.0\tadd\t0x10\t0x7\t-\n"
            "1\t0\t1\t1\tinserted\t1.0\tadd\t0x10\t0x7\t-\n"
            "2\t0\t1\t1\tdeparted\t1.0\tadd\t0x10\t0x7\t-\n"
            "2\t1\t1\t0\tinserted\t1.0\tadd\t0x10\t0x7\t-\n"
            "3\t1\t1\t0\tdeparted\t1.0\tadd\t0x10\t0x7\t-\n"
            "3\tmm\t2\t0\tserved\t1.0\tadd\t0x10\t0x7\t-\n"
            "5\tmm\t2\t0\treplied\t1.0\tadd\t0x10\t0x0\t-\n"
            "6\t1\t1\t1\treply_departed\t1.0\tadd\t0x10\t0x0\t-\n"
            "7\tpe\t1\t0\tdelivered\t1.0\tadd\t0x10\t0x0\t-\n"
            "7\t0\t1\t0\treply_departed\t1.0\tadd\t0x10\t0x0\t-\n"
            "30\tpe\t3\t0\taccepted\t3.0\tidentity\t0x10\t0x0\t-\n"
            "30\t0\t1\t1\tinserted\t3.0\tidentity\t0x10\t0x0\t-\n"
            "31\t0\t1\t1\tdeparted\t3.0\tidentity\t0x10\t0x0\t-\n"
            "31\t1\t1\t0\tinserted\t3.0\tidentity\t0x10\t0x0\t-\n"
            "32\t1\t1\t0\tdeparted\t3.0\tidentity\t0x10\t0x0\t-\n"
            "32\tmm\t2\t0\tserved\t3.0\tidentity\t0x10\t0x0\t-\n"
            "34\tmm\t2\t0\treplied\t3.0\tidentity\t0x10\t0x7\t-\n"
            "35\t1\t1\t1\treply_departed\t3.0\tidentity\t0x10\t0x7\t-\n"
            "36\tpe\t3\t0\tdelivered\t3.0\tidentity\t0x10\t0x7\t-\n"
            "36\t0\t1\t1\treply_departed\t3.0\tidentity\t0x10\t0x7\t-\n"
            "# end 20\n");
}

TEST(text_log, the_page_shows_what_the_machine_writes) {
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

TEST(text_log, has_a_line_for_every_event) {
  const scratch_directory here;
  ultracomputer machine(small_machine(), 3);
  testing::event_collector seen;
  const auto log = open_text_log(here.path("log"), {}, machine);
  machine.observers().attach(seen);
  machine.observers().attach(*log);
  machine.step(500);
  log->finish();
  const std::vector<std::string> lines = lines_of(here.read("log"));
  ASSERT_EQ(lines.size(), seen.events.size() + 3);
  EXPECT_EQ(lines.back(), fmt::format("# end {}", seen.events.size()));
  std::set<std::string> kinds;
  std::size_t with_other = 0;
  for (std::size_t i = 0; i < seen.events.size(); ++i) {
    const std::vector<std::string> fields = fields_of(lines[i + 2]);
    const network_event& event = seen.events[i];
    ASSERT_EQ(fields.size(), 10U) << lines[i + 2];
    EXPECT_EQ(fields[0], std::to_string(event.cycle));
    EXPECT_EQ(fields[4], name_of(event.kind));
    EXPECT_EQ(fields[5], fmt::format("{}.{}", event.id.pe, event.id.sequence));
    EXPECT_NE(fields[7], "0x") << lines[i + 2];
    const bool pair = event.kind == event_kind::combined || event.kind == event_kind::decombined;
    EXPECT_EQ(fields[9] != "-", pair) << lines[i + 2];
    with_other += pair ? 1 : 0;
    kinds.insert(fields[4]);
  }
  EXPECT_EQ(kinds.size(), 9U);
  EXPECT_GT(with_other, 50U);
}

TEST(text_log, replies_carry_form_and_address_of_their_request) {
  ultracomputer machine(small_machine(), 3);
  testing::event_collector seen;
  machine.observers().attach(seen);
  machine.step(500);
  std::map<request_id, network_event> accepted;
  std::size_t replies = 0;
  for (const network_event& event : seen.events) {
    if (event.kind == event_kind::accepted) accepted[event.id] = event;
    if (event.kind < event_kind::replied) continue;
    ++replies;
    EXPECT_EQ(event.address, accepted.at(event.id).address);
    EXPECT_EQ(event.function, accepted.at(event.id).function);
  }
  EXPECT_GT(replies, 1000U);
}

TEST(text_log, the_same_run_gives_the_same_bytes) {
  EXPECT_EQ(log_of(small_machine(), 5, 300), log_of(small_machine(), 5, 300));
  EXPECT_NE(log_of(small_machine(), 5, 300), log_of(small_machine(), 6, 300));
}

TEST(text_log, the_filter_leaves_out_lines_and_changes_none) {
  const std::vector<std::string> all = lines_of(log_of(small_machine(), 5, 300));
  event_filter_options options;
  options.window = "50..150";
  options.stages = "1,mm";
  options.pes = "0..7";
  std::vector<std::string> wanted(all.begin(), all.begin() + 2);
  for (std::size_t i = 2; i + 1 < all.size(); ++i) {
    const std::vector<std::string> fields = fields_of(all[i]);
    const int cycle = std::stoi(fields[0]);
    const bool mine = std::stoi(fields[5]) < 8 || (fields[9] != "-" && std::stoi(fields[9]) < 8);
    if (cycle >= 50 && cycle <= 150 && (fields[1] == "1" || fields[1] == "mm") && mine) {
      wanted.push_back(all[i]);
    }
  }
  EXPECT_GT(wanted.size(), 100U);
  wanted.push_back(fmt::format("# end {}", wanted.size() - 2));
  EXPECT_EQ(lines_of(log_of(small_machine(), 5, 300, options)), wanted);
}

TEST(text_log, is_compressed_by_its_name) {
  const scratch_directory here;
  const auto write = [&](const char* name) {
    ultracomputer machine(small_machine(), 5);
    const auto log = open_text_log(here.path(name), {}, machine);
    machine.observers().attach(*log);
    machine.step(300);
    log->finish();
  };
  write("log");
  write("log.gz");
  EXPECT_EQ(here.read_gzip("log.gz"), here.read("log"));
}

TEST(text_log, is_whole_or_not_there) {
  const scratch_directory here;
  ultracomputer machine(small_machine(), 5);
  {
    const auto log = open_text_log(here.path("log"), {}, machine);
    machine.observers().attach(*log);
    machine.step(300);
    machine.observers().detach(*log);
  }
  EXPECT_EQ(here.files(), 0U);
  EXPECT_THROW(open_text_log("/nowhere/log", {}, machine), input_error);
}

TEST(text_log, of_an_interrupted_run_says_so) {
  const scratch_directory here;
  ultracomputer machine(small_machine(), 5);
  const auto log = open_text_log(here.path("log"), {}, machine);
  machine.observers().attach(*log);
  machine.step(50);
  log->finish(true);
  EXPECT_EQ(lines_of(here.read("log")).back().compare(0, 10, "# partial "), 0);
}

}  // namespace
}  // namespace tributary
