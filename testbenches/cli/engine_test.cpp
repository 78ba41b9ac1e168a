// SPDX-License-Identifier: Apache-2.0
// The two engines behind the command line: one result, one event log.
#include <gtest/gtest.h>

#include <string>

#include "program_fixture.h"

namespace tributary {
namespace {

class engine_test : public program_fixture {
 protected:
  /// The text without the engine's name.
  static std::string without_engine(std::string text) {
    const std::string name = "\"engine\": \"";
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
      at += name.size();
      text.erase(at, text.find('"', at) - at);
    }
    return text;
  }
};

TEST_F(engine_test, both_give_the_same_results_apart_from_the_name) {
  for (const std::string engine : {"loop", "systemc"}) {
    const program_outcome outcome =
        run({"run", "baseline", "--set", "network.processing_elements=[16,32]", "--set",
             "workload.traffic.hot_spot=0.3", "--set", "run.cycles=2000", "--seeds", "1..3",
             "--engine", engine, "--out", engine, "--quiet"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
  }
  const std::string loop = read("loop/results.json");
  const std::string modules = read("systemc/results.json");
  EXPECT_NE(loop, modules);
  EXPECT_NE(modules.find("\"engine\": \"systemc\""), std::string::npos);
  EXPECT_EQ(without_engine(loop), without_engine(modules));
}

TEST_F(engine_test, both_give_the_same_events_of_nodes) {
  for (const std::string engine : {"loop", "systemc"}) {
    const program_outcome outcome =
        run({"run", "ring", "--set", "nodes=8", "--set", "workload.pattern=random", "--set",
             "workload.count=2", "--set", "workload.source_offset=24", "--set",
             "network.router_buffers=2", "--engine", engine, "--out", engine, "--log",
             engine + ".log", "--quiet"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
  }
  EXPECT_EQ(read("loop.log"), read("systemc.log"));
  EXPECT_EQ(without_engine(read("loop/results.json")),
            without_engine(read("systemc/results.json")));
}

TEST_F(engine_test, both_show_the_same_intervals_of_programs) {
  for (const std::string engine : {"loop", "systemc"}) {
    const program_outcome outcome =
        run({"run", "barrier", "--series", "improved", "--set", "network.processing_elements=16",
             "--engine", engine, "--perfetto", engine + ".json", "--quiet"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  const std::string trace = read("loop.json");
  EXPECT_TRUE(trace == read("systemc.json"));
  EXPECT_NE(trace.find(R"("name":"superstep","cat":"program")"), std::string::npos);
}

TEST_F(engine_test, both_record_the_same_occupancy_over_time) {
  for (const std::string until : {"cycles", "steady"}) {
    for (const std::string engine : {"loop", "systemc"}) {
      const program_outcome outcome = run({"run",      "baseline",
                                           "--set",    "network.processing_elements=32",
                                           "--set",    "run.warmup=250",
                                           "--set",    "run.cycles=1000",
                                           "--set",    "run.until=" + until,
                                           "--set",    "run.maximum_cycles=3000",
                                           "--set",    "run.half_width=0.1",
                                           "--set",    "run.occupancy_window=100",
                                           "--engine", engine,
                                           "--out",    engine,
                                           "--quiet"});
      ASSERT_EQ(outcome.status, 0) << outcome.err;
    }
    const std::string loop = read("loop/results.json");
    EXPECT_NE(loop.find("queue_occupancy_over_time"), std::string::npos);
    EXPECT_EQ(without_engine(loop), without_engine(read("systemc/results.json"))) << until;
  }
}

TEST_F(engine_test, both_write_the_same_event_files_and_recordings) {
  for (const std::string engine : {"loop", "systemc"}) {
    const program_outcome outcome =
        run({"run", "improved", "--set", "network.processing_elements=16", "--set",
             "run.warmup=100", "--set", "run.cycles=300", "--engine", engine, "--log",
             engine + ".log", "--vcd", engine + ".vcd", "--perfetto", engine + ".json", "--record",
             engine + ".trace", "--quiet"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  for (const std::string suffix : {".log", ".vcd", ".json", ".trace"}) {
    EXPECT_FALSE(read("loop" + suffix).empty());
    EXPECT_TRUE(read("loop" + suffix) == read("systemc" + suffix)) << suffix;
  }
}

TEST_F(engine_test, engines_shows_them_side_by_side) {
  const program_outcome outcome =
      run({"engines", "polling", "--set", "network.processing_elements=[4,16]", "--set",
           "run.cycles=1000"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("8 of 8 the same"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("systemc, CPU ms"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.err, "");
}

TEST_F(engine_test, an_unknown_engine_is_refused) {
  expect_complaint({"run", "improved", "--engine", "system_c"}, 2,
                   {"run.engine", "system_c", "loop | systemc"});
}

}  // namespace
}  // namespace tributary
