// SPDX-License-Identifier: Apache-2.0
// Programs on whole machines: spinning, supersteps, counters, standstills, many elements.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <support/event_text.h>
#include <support/failure.h>
#include <support/program_machines.h>
#include <support/sizes.h>
#include <support/text_checks.h>
#include <tributary/sim/error.h>
#include <ultracomputer/ultracomputer.h>

namespace tributary {
namespace {

using testing::designs_for_programs;
using testing::event_text;
using testing::named_design;
using testing::program_machine;
using testing::run_to_end;

TEST(program_workload, spin_makes_the_trace_of_a_loop_of_loads) {
  const auto flag_program = [](bool spins) {
    return [spins](program_context& c) {
      const std::uint64_t flag = c.shared_address(1);
      if (c.rank() == 0) {
        c.delay(1000);
        c.store(flag, 3);
        return;
      }
      word_t seen = 0;
      if (spins) {
        seen = c.spin(flag, [](word_t word) { return word == 3; });
      } else {
        while (seen != 3) seen = c.load(flag);
      }
      EXPECT_EQ(seen, 3U);
      c.fetch_add(c.shared_address(2), 1);
    };
  };
  for (const named_design& each : designs_for_programs()) {
    std::string traces[2];
    std::uint64_t resumptions[2]{};
    for (const bool spins : {false, true}) {
      ultracomputer machine(program_machine(each, 16), 3, make_program(flag_program(spins)));
      event_text trace(machine.observers());
      run_to_end(machine);
      traces[spins] = trace.text();
      resumptions[spins] =
          static_cast<std::uint64_t>(machine.statistics().find("workload.resumptions"));
    }
    EXPECT_EQ(traces[0], traces[1]) << each.name;
    EXPECT_LT(resumptions[1], resumptions[0]);
  }
}

TEST(program_workload, supersteps_in_one_module_or_with_bad_ones) {
  ultracomputer_config config = program_machine(designs_for_programs()[3], 8);
  config.workload.program.supersteps.release_module = 0;
  ultracomputer machine(config, 1);
  run_to_end(machine);
  config.workload.program.supersteps.release_module = 8;
  EXPECT_THROW(config.validate(), configuration_error);
}

TEST(program_workload, shared_counter_checks_itself) {
  for (const named_design& each : designs_for_programs()) {
    for (std::uint32_t elements = 2; elements <= 64; elements *= 2) {
      ultracomputer_config config = program_machine(each, elements);
      config.workload.program.name = program_kind::shared_counter;
      config.workload.program.shared_counter.increments = 20;
      ultracomputer machine(config, elements);
      EXPECT_NO_THROW(run_to_end(machine)) << each.name;
    }
  }
}

TEST(program_workload, shared_counter_notices_a_wrong_answer) {
  ultracomputer_config config = program_machine(designs_for_programs()[1], 4);
  config.workload.program.name = program_kind::shared_counter;
  ultracomputer machine(config, 1);
  machine.step(200);
  const std::vector<std::pair<std::uint64_t, word_t>> words = machine.memories().words().contents();
  ASSERT_FALSE(words.empty());
  machine.memories().words().write(words.front().first, 1);  // counts the same numbers again
  EXPECT_THROW(run_to_end(machine), simulation_error);
}

TEST(program_workload, a_standstill_is_reported) {
  ultracomputer_config config = program_machine(designs_for_programs()[3], 64);
  config.workload.program.run.patience = 2000;
  const auto deadlock = [](program_context& c) {
    c.mark("before");
    if (c.rank() == 1) return;
    c.store(c.shared_address(1), 5);
    c.spin(c.shared_address(1), [](word_t word) { return word == 6; });
  };
  ultracomputer machine(config, 1, make_program(deadlock));
  const std::string text = testing::failure([&] { run_to_end(machine); });
  for (const char* part :
       {"64 programs 1", "element 0 spins", "address 8", "module 1", "since cycle", "last value 5",
        "in the network", "mark \"before\"", "and 47 more spin"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  }
  EXPECT_EQ(text.find("element 1 "), std::string::npos) << text;
  EXPECT_EQ(text.find("element 20 "), std::string::npos) << text;
  EXPECT_LT(machine.now(), 4000U);
}

TEST(program_workload, a_lost_reply_is_reported) {
  // Nothing in the machine loses a reply, so the report is asked for while one is on its way.
  ultracomputer_config config = program_machine(designs_for_programs()[1], 4);
  config.processor.start_window = 1;
  ultracomputer machine(
      config, 1, make_program([](program_context& c) { c.fetch_add(c.shared_address(2), 1); }));
  machine.step(3);
  const auto& programs = dynamic_cast<const program_workload&>(machine.work());
  const std::string text = programs.waiting_report(machine.now(), machine.interfaces());
  EXPECT_TRUE(testing::names(text, {"element 3", "fetch_add", "16"})) << text;
}

TEST(program_workload, a_fence_that_is_never_over_is_reported) {
  // Nothing in the machine loses a reply, so the report is asked for while two are on their way.
  ultracomputer_config config = program_machine(designs_for_programs()[1], 32);
  config.processor.start_window = 1;
  config.interface.outstanding = 2;
  ultracomputer machine(config, 1, make_program([](program_context& c) {
                          c.post(operation::store, c.shared_address(2), 1);
                          c.post(operation::store, c.shared_address(3), 1);
                          c.mark("posted");
                          c.fence();
                        }));
  machine.step(4);
  const auto& programs = dynamic_cast<const program_workload&>(machine.work());
  const std::string text = programs.waiting_report(machine.now(), machine.interfaces());
  for (const char* part :
       {"element 3 waits at a fence for 2 replies since cycle 1; 2 of its requests in the network, "
        "0 before it; after its mark \"posted\" of cycle 1",
        "and 16 more wait at a fence"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  }
}

TEST(program_workload, long_fences_are_no_standstill) {
  ultracomputer_config config = program_machine(designs_for_programs()[1], 4);
  config.workload.program.run.patience = 100;
  config.processor.turnaround = 500;
  ultracomputer machine(config, 1, make_program([](program_context& c) {
                          c.post(operation::store, c.shared_address(c.rank()), 1);
                          c.fence();
                          c.post(operation::store, c.shared_address(c.rank()), 2);
                          c.delay(50);
                          c.fence();
                        }));
  EXPECT_NO_THROW(run_to_end(machine));
}

/// Every answer that a fence waits for is progress.
TEST(program_workload, a_fence_over_many_slow_references_is_no_standstill) {
  ultracomputer_config config = program_machine(designs_for_programs()[1], 4);
  config.workload.program.run.patience = 100;
  config.memory.interval = 40;
  config.processor.start_window = 1;
  ultracomputer machine(config, 1, make_program([](program_context& c) {
                          if (c.rank() != 0) return;
                          const cycle_t begin = c.now();
                          for (int i = 0; i < 10; ++i) {
                            c.post(operation::store, c.shared_address(mm_id{1}, 0), 1);
                          }
                          c.fence();
                          EXPECT_GT(c.now(), begin + 3 * 100);
                        }));
  EXPECT_NO_THROW(run_to_end(machine));
}

/// Programs that only post and spin, and so wait for no reply, go on all the same.
TEST(program_workload, spins_that_end_are_progress) {
  ultracomputer_config config = program_machine(designs_for_programs()[1], 8);
  config.workload.program.run.patience = 200;
  ultracomputer machine(config, 1, make_program([](program_context& c) {
                          for (word_t round = 1; round <= 200; ++round) {
                            const pe_id next{(c.rank() + 1) % c.size()};
                            c.post(operation::store, c.local_address(next, 0), round);
                            c.spin(c.local_address(0),
                                   [round](word_t seen) { return seen >= round; });
                          }
                        }));
  EXPECT_NO_THROW(run_to_end(machine));
  EXPECT_GT(machine.now(), 1000U);
}

TEST(program_workload, long_delays_and_turnarounds_are_no_standstill) {
  ultracomputer_config config = program_machine(designs_for_programs()[1], 4);
  config.workload.program.run.patience = 100;
  config.processor.turnaround = 500;
  config.processor.start_window = 3000;
  ultracomputer machine(config, 1, make_program([](program_context& c) {
                          c.delay(5000);
                          c.load(c.shared_address(c.rank()));
                        }));
  EXPECT_NO_THROW(run_to_end(machine));
}

TEST(program_workload, samples_and_marks_are_reset) {
  ultracomputer_config config = program_machine(designs_for_programs()[1], 4);
  config.processor.start_window = 1;
  ultracomputer machine(config, 1, make_program([](program_context& c) {
                          for (std::uint64_t i = 0; i < 10; ++i) {
                            c.mark("round");
                            c.sample("index", i);
                            c.delay(100);
                          }
                        }));
  machine.step(501);
  EXPECT_EQ(machine.statistics().find("workload.marks.round.count"), 4 * 6);
  EXPECT_EQ(machine.statistics().find("workload.samples.index.mean"), 2.5);
  machine.reset_statistics();
  run_to_end(machine);
  EXPECT_EQ(machine.statistics().find("workload.marks.round.count"), 4 * 4);
  EXPECT_EQ(machine.statistics().find("workload.marks.round.interval.mean"), 100);
  EXPECT_EQ(machine.statistics().find("workload.samples.index.mean"), 7.5);
}

/// What `G8.programs` compares in testbenches/benchmarks.
TEST(program_workload, a_loop_of_loads_makes_the_trace_of_polling_elements) {
  for (const named_design& each : designs_for_programs()) {
    ultracomputer_config config = program_machine(each, 32);
    config.workload.kind = workload_kind::closed_loop;
    config.workload.traffic.hot_spot = 1;
    ultracomputer polling(config, 5);
    event_text expected(polling.observers());
    polling.step(2000);
    for (const bool fences : {false, true}) {
      ultracomputer programs(config, 5, make_program([fences](program_context& c) {
                               while (fences) {
                                 c.post(operation::load, c.shared_address(0));
                                 c.fence();
                               }
                               while (true) c.load(c.shared_address(0));
                             }));
      event_text trace(programs.observers());
      programs.step(2000);
      EXPECT_TRUE(trace.text() == expected.text()) << each.name << ", fences " << fences;
    }
  }
}

/// Passes a mark every 100 cycles, from cycle 1 on, and declares another.
class marking final : public program {
 public:
  std::vector<std::string> marks() const override { return {"round", "never_passed"}; }
  void run(program_context& c) override {
    for (int i = 0; i < 10; ++i) {
      c.begin("round");
      c.mark("round");
      c.delay(100);
      c.end("round");
    }
  }
};

TEST(program_workload, rates_are_over_the_measured_cycles) {
  ultracomputer_config config = program_machine(designs_for_programs()[1], 4);
  config.processor.start_window = 1;
  ultracomputer machine(config, 1, std::make_unique<marking>());
  // Before the first cycle nothing is divided by no cycles.
  EXPECT_EQ(machine.statistics().find("workload.marks.round.rate"), 0);
  EXPECT_EQ(machine.statistics().find("workload.marks.never_passed.rate"), 0);
  machine.step(400);
  EXPECT_EQ(machine.statistics().find("workload.marks.round.rate"), 4 * 4 / 400.0);
  machine.reset_statistics();
  EXPECT_EQ(machine.statistics().find("workload.marks.round.rate"), 0);
  EXPECT_EQ(machine.statistics().find("workload.intervals.round.cycles.count"), 0);
  machine.step(50);
  EXPECT_EQ(machine.statistics().find("workload.marks.round.rate"), 4 / 50.0);

  ultracomputer restored(config, 1, std::make_unique<marking>());
  restored.step(7);
  restored.restore(machine.save());
  EXPECT_EQ(restored.statistics().to_json_text(), machine.statistics().to_json_text());
  restored.step(50);
  EXPECT_EQ(restored.statistics().find("workload.marks.round.rate"), 4 / 100.0);
  // An interval counts whole if it ends where it is measured: those that began in 301 and 401.
  restored.step(1);
  EXPECT_EQ(restored.statistics().find("workload.intervals.round.cycles.sum"), 4 * 2 * 100);
  EXPECT_EQ(restored.statistics().find("workload.marks.never_passed.rate"), 0);
  restored.drain();
}

TEST(program_workload, overflow_of_a_pooled_stack_names_the_element) {
#if defined(TRIBUTARY_SANITIZED_TESTS)
  GTEST_SKIP() << "the address sanitizer ends the process at the first damaged neighbour";
#endif
  struct deep {
    static unsigned recurse(program_context& c, unsigned depth) {
      volatile std::uint8_t frame[1024];
      for (std::size_t i = 0; i < sizeof frame; i += 16) frame[i] = 1;
      if (depth > 0) return recurse(c, depth - 1) + frame[0];
      return static_cast<unsigned>(c.load(c.shared_address(0))) + frame[0];
    }
  };
  ultracomputer_config config = program_machine(designs_for_programs()[3], 32768);
  config.workload.program.run.stack = 16384;
  config.processor.start_window = 4;
  ultracomputer machine(config, 1, make_program([](program_context& c) {
                          c.load(c.shared_address(c.rank()));
                          if (c.rank() == 777) deep::recurse(c, 18);
                        }));
  const std::string text = testing::failure([&] { run_to_end(machine); });
  EXPECT_NE(text.find("element 777"), std::string::npos) << text;
  EXPECT_NE(text.find("overflowed"), std::string::npos) << text;
}

/// As many as have guarded stacks, and as many as identities of 16 bits can name.
TEST(program_workload, sixteen_and_sixty_five_thousand_programs_run) {
  for (const std::uint32_t elements : {16384U, 65536U}) {
    ultracomputer_config config = program_machine(designs_for_programs()[4], elements);
    config.workload.program.name = program_kind::shared_counter;
    config.workload.program.shared_counter.increments = 1;
    config.processor.start_window = 1;
    ultracomputer machine(config, 1);
    run_to_end(machine);
    EXPECT_EQ(machine.statistics().find("workload.finished"), elements);
  }
}

}  // namespace
}  // namespace tributary
