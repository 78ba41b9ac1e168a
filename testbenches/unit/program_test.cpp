// SPDX-License-Identifier: Apache-2.0
// What a program sees: values, cycles, addresses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <tributary/sim/error.h>
#include <ultracomputer/ultracomputer.h>

namespace tributary {
namespace {

using body = std::function<void(program_context&)>;

ultracomputer_config four_elements() {
  ultracomputer_config config;
  config.network.processing_elements = 4;  // a lone request takes 2 * 2 + 2 = 6 cycles
  config.processor.start_window = 1;
  return config;
}

constexpr std::uint64_t lone_latency = 6;

void run(ultracomputer& machine, std::uint64_t at_most = 1000000) {
  while (!machine.finished() && machine.now() < at_most) machine.step();
  ASSERT_TRUE(machine.finished());
  machine.drain();
}

/// Runs `what` on element 0 alone.
void run_alone(const ultracomputer_config& config, const body& what) {
  ultracomputer machine(config, 1, make_program([&](program_context& context) {
                          if (context.rank() == 0) what(context);
                        }));
  run(machine);
}

TEST(program, knows_where_it_runs) {
  std::vector<std::uint32_t> ranks;
  ultracomputer machine(four_elements(), 1, make_program([&](program_context& context) {
                          ranks.push_back(context.rank());
                          EXPECT_EQ(context.size(), 4U);
                        }));
  run(machine);
  EXPECT_EQ(ranks, (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(program, operations_return_the_old_word) {
  run_alone(four_elements(), [](program_context& c) {
    const std::uint64_t x = c.shared_address(5);
    EXPECT_EQ(c.load(x), 0U);
    EXPECT_EQ(c.store(x, 7), 0U);
    EXPECT_EQ(c.load(x), 7U);
    EXPECT_EQ(c.swap(x, 9), 7U);
    EXPECT_EQ(c.fetch_add(x, 3), 9U);
    EXPECT_EQ(c.fetch_and(x, 0b0110), 12U);
    EXPECT_EQ(c.fetch_or(x, 0b0011), 4U);
    EXPECT_EQ(c.fetch_xor(x, 0b0101), 7U);
    EXPECT_EQ(c.fetch_max(x, -5), 2U);
    EXPECT_EQ(c.fetch_min(x, -5), 2U);
    EXPECT_EQ(c.fetch_min_unsigned(x, 8), static_cast<word_t>(-5));
    EXPECT_EQ(c.fetch_max_unsigned(x, 11), 8U);
    EXPECT_EQ(c.compare_and_swap(x, 1, 2), 11U);
    EXPECT_EQ(c.compare_and_swap(x, 11, 0), 11U);
    EXPECT_EQ(c.test_and_set(x), 0U);
    EXPECT_EQ(c.test_and_set(x), 1U);
    EXPECT_EQ(c.store_bytes(x, 0xaabb, 0b10), 1U);
    EXPECT_EQ(c.load(x), 0xaa01U);
  });
}

TEST(program, a_reference_takes_latency_and_turnaround) {
  run_alone(four_elements(), [](program_context& c) {
    EXPECT_EQ(c.now(), 1U);
    for (std::uint64_t i = 1; i <= 5; ++i) {
      c.load(c.shared_address(i));
      EXPECT_EQ(c.now(), 1 + i * (lone_latency + 10));
    }
  });
}

TEST(program, local_references_take_the_turnaround_too) {
  run_alone(four_elements(), [](program_context& c) {
    const cycle_t begin = c.now();
    c.store(c.local_address(3), 8);
    // The local register takes it at once, is served in the next cycle or the same, and answers
    // after the memory's latency.
    const std::uint64_t period = c.now() - begin;
    EXPECT_EQ(c.load(c.local_address(3)), 8U);
    EXPECT_EQ(c.now(), begin + 2 * period);
    EXPECT_GE(period, 2U + 10U);
    EXPECT_LT(period, lone_latency + 10U);
  });
}

TEST(program, references_overlap_when_they_are_awaited_later) {
  ultracomputer_config config = four_elements();
  config.interface.outstanding = 2;
  run_alone(config, [](program_context& c) {
    const cycle_t begin = c.now();
    const pending first = c.issue(operation::fetch_add, c.shared_address(1), 5);
    const pending second = c.issue(operation::fetch_add, c.shared_address(2), 6);
    EXPECT_EQ(c.now(), begin);
    EXPECT_EQ(c.wait(second), 0U);
    // The link takes the second one two cycles after the first.
    EXPECT_EQ(c.now(), begin + 2 + lone_latency + 10);
    EXPECT_EQ(c.wait(first), 0U);
    EXPECT_EQ(c.now(), begin + 2 + lone_latency + 10);
    EXPECT_THROW(c.wait(first), simulation_error);
  });
}

TEST(program, a_reply_is_usable_after_the_turnaround) {
  run_alone(four_elements(), [](program_context& c) {
    const cycle_t begin = c.now();
    const pending reference = c.issue(operation::load, c.shared_address(1));
    c.delay(lone_latency + 3);  // delivered, and its turnaround not over
    c.wait(reference);
    EXPECT_EQ(c.now(), begin + lone_latency + 10);
    const pending other = c.issue(operation::load, c.shared_address(1));
    c.delay(100);
    c.wait(other);
    EXPECT_EQ(c.now(), begin + lone_latency + 10 + 100);
  });
}

TEST(program, posted_references_are_performed) {
  run_alone(four_elements(), [](program_context& c) {
    const cycle_t begin = c.now();
    c.post(operation::store, c.shared_address(1), 4);
    EXPECT_EQ(c.now(), begin);
    // One is outstanding at a time, so the load comes after the store.
    EXPECT_EQ(c.load(c.shared_address(1)), 4U);
    c.post(operation::store, c.shared_address(1), 5);
  });
}

TEST(program, one_reference_per_word_is_in_the_network_by_default) {
  ultracomputer_config config = four_elements();
  config.interface.outstanding = 8;
  ultracomputer machine(config, 1, make_program([](program_context& c) {
                          for (word_t i = 0; i < 8; ++i) {
                            c.post(operation::store, c.shared_address(c.rank()), i);
                          }
                          EXPECT_EQ(c.load(c.shared_address(c.rank())), 7U);
                        }));
  EXPECT_EQ(machine.interfaces().config().policy, issue_policy::one_per_word);
  run(machine);
}

TEST(program, a_fence_waits_for_posted_and_issued_references) {
  ultracomputer_config config = four_elements();
  config.interface.outstanding = 4;
  run_alone(config, [](program_context& c) {
    cycle_t begin = c.now();
    const pending first = c.issue(operation::fetch_add, c.shared_address(1), 5);
    c.post(operation::store, c.shared_address(2), 6);
    const pending last = c.issue(operation::fetch_add, c.shared_address(3), 7);
    c.fence();
    // The link takes each two cycles after the one before.
    EXPECT_EQ(c.now(), begin + 2 + 2 + lone_latency + 10);
    begin = c.now();
    EXPECT_EQ(c.wait(last), 0U);
    EXPECT_EQ(c.wait(first), 0U);
    EXPECT_EQ(c.now(), begin) << "what a fence has waited for takes no more time";
    EXPECT_THROW(c.wait(first), simulation_error);
    EXPECT_EQ(c.load(c.shared_address(2)), 6U);
  });
}

TEST(program, a_fence_ends_with_the_turnaround_of_the_last_reply) {
  run_alone(four_elements(), [](program_context& c) {
    for (const std::uint64_t computed : {1U, 3U, 6U, 9U, 15U, 16U, 17U, 100U}) {
      const cycle_t begin = c.now();
      c.post(operation::store, c.shared_address(1), computed);
      c.delay(computed);
      c.fence();
      EXPECT_EQ(c.now(), begin + std::max(computed, lone_latency + 10)) << computed;
    }
  });
}

TEST(program, a_fence_with_nothing_outstanding_takes_no_time) {
  run_alone(four_elements(), [](program_context& c) {
    for (int i = 0; i < 3; ++i) {
      const cycle_t begin = c.now();
      c.fence();
      c.fence();
      EXPECT_EQ(c.now(), begin);
      c.store(c.shared_address(1), 1);
    }
  });
}

TEST(program, without_a_fence_posted_stores_are_under_way) {
  ultracomputer_config config = four_elements();
  config.interface.outstanding = 2;
  for (const bool fences : {false, true}) {
    ultracomputer machine(config, 1, make_program([&](program_context& c) {
                            if (c.rank() != 0) return;
                            c.post(operation::store, c.shared_address(1), 1);
                            if (fences) c.fence();
                            c.mark("over");
                          }));
    while (machine.statistics().find("workload.finished") != 4) machine.step();
    EXPECT_EQ(machine.interfaces().idle(), fences);
    machine.drain();
  }
}

/// Runs `what` on element 0 alone, to the end; returns the statistics.
statistics_tree statistics_of(const body& what) {
  ultracomputer machine(four_elements(), 1, make_program([&](program_context& context) {
                          if (context.rank() == 0) what(context);
                        }));
  run(machine);
  return machine.statistics();
}

TEST(program, intervals_are_averaged_and_counted_in_a_histogram) {
  const statistics_tree seen = statistics_of([](program_context& c) {
    c.begin("whole");
    for (std::uint64_t i = 0; i < 4; ++i) {
      c.begin("part");
      c.delay(10 * i);
      c.begin("inner");  // overlaps, and ends later
      c.delay(1);
      c.end("part");
      c.delay(4);
      c.end("inner");
    }
    c.end("whole");
    c.begin("never_ended");
  });
  EXPECT_EQ(seen.find("workload.intervals.whole.cycles.sum"), 0 + 10 + 20 + 30 + 4 * 5);
  EXPECT_EQ(seen.find("workload.intervals.part.cycles.count"), 4);
  EXPECT_EQ(seen.find("workload.intervals.part.cycles.min"), 1);
  EXPECT_EQ(seen.find("workload.intervals.part.cycles.max"), 31);
  EXPECT_EQ(seen.find("workload.intervals.inner.cycles.mean"), 5);
  EXPECT_EQ(seen.find("workload.intervals.part.distribution.count"), 4);
  EXPECT_EQ(seen.find("workload.intervals.never_ended.cycles.count"), 0);
}

TEST(program, an_interval_that_is_open_or_has_not_begun_is_refused) {
  const statistics_tree seen = statistics_of([](program_context& c) {
    EXPECT_THROW(c.end("held"), simulation_error);
    c.begin("held");
    EXPECT_THROW(c.begin("held"), simulation_error);
    c.delay(7);
    c.end("held");
    EXPECT_THROW(c.end("held"), simulation_error);
  });
  EXPECT_EQ(seen.find("workload.intervals.held.cycles.mean"), 7);
  EXPECT_EQ(seen.find("workload.intervals.held.cycles.count"), 1);
}

TEST(program, elements_have_intervals_of_their_own) {
  ultracomputer machine(four_elements(), 1, make_program([](program_context& c) {
                          c.begin("held");
                          c.delay(10 + c.rank());
                          c.end("held");
                        }));
  run(machine);
  EXPECT_EQ(machine.statistics().find("workload.intervals.held.cycles.sum"), 40 + 6);
}

TEST(program, names_that_statistics_could_not_have_are_refused) {
  run_alone(four_elements(), [](program_context& c) {
    for (const char* name : {"", "Held", "lock.held", "two words", "a\"b"}) {
      EXPECT_THROW(c.mark(name), simulation_error) << name;
      EXPECT_THROW(c.begin(name), simulation_error) << name;
      EXPECT_THROW(c.end(name), simulation_error) << name;
      EXPECT_THROW(c.sample(name, 1), simulation_error) << name;
    }
    EXPECT_NO_THROW(c.mark("round_2"));
  });
}

/// Intervals as they are told.
class interval_collector final : public observer<program_interval> {
 public:
  void on_event(const program_interval& event) override {
    told += std::to_string(event.element) + " " + std::string(event.name) + " " +
            std::to_string(event.first) +
            (event.begins() ? "\n" : ".." + std::to_string(event.last) + "\n");
  }
  std::string told;
};

TEST(program, intervals_are_told_as_they_begin_and_end) {
  ultracomputer machine(four_elements(), 1, make_program([&](program_context& c) {
                          if (c.rank() % 2 == 0) return;
                          c.begin("outer");
                          c.delay(c.rank());
                          c.begin("inner");
                          c.end("inner");
                          c.delay(5);
                          c.end("outer");
                        }));
  interval_collector seen;
  ASSERT_NE(machine.work().intervals(), nullptr);
  machine.work().intervals()->attach(seen);
  run(machine);
  machine.work().intervals()->detach(seen);
  EXPECT_EQ(seen.told,
            "1 outer 1\n3 outer 1\n1 inner 2\n1 inner 2..2\n3 inner 4\n3 inner 4..4\n"
            "1 outer 1..7\n3 outer 1..9\n");
}

TEST(program, delays_and_random_numbers_cost_cycles) {
  ultracomputer_config config = four_elements();
  config.workload.program.run.random_cycles = 3;
  std::vector<std::uint64_t> drawn;
  const auto draw = [&](program_context& c) {
    const cycle_t begin = c.now();
    c.delay(0);
    EXPECT_EQ(c.now(), begin);
    c.delay(17);
    EXPECT_EQ(c.now(), begin + 17);
    for (int i = 0; i < 4; ++i) drawn.push_back(c.random(10));
    EXPECT_EQ(c.now(), begin + 17 + 12);
  };
  run_alone(config, draw);
  run_alone(config, draw);
  ASSERT_EQ(drawn.size(), 8U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_LT(drawn[i], 10U);
    EXPECT_EQ(drawn[i], drawn[i + 4]);
  }
}

TEST(program, addresses_lie_where_they_should) {
  const ultracomputer_config config = four_elements();
  const address_map map(config.addresses, 4);
  const auto module_of = [&](std::uint64_t address) {
    return index(map.module_of(*map.region_of(address), address));
  };
  run_alone(config, [&](program_context& c) {
    for (std::uint32_t i = 0; i < 12; ++i) {
      EXPECT_EQ(module_of(c.shared_address(i)), i % 4);
      EXPECT_EQ(c.shared_address(mm_id{i % 4}, i / 4), c.shared_address(i));
    }
    EXPECT_EQ(module_of(c.local_address(0)), 0U);
    EXPECT_EQ(module_of(c.local_address(pe_id{3}, 1000)), 3U);
    EXPECT_THROW(c.shared_address(std::uint64_t{1} << 60), simulation_error);
    EXPECT_THROW(c.shared_address(mm_id{4}, 0), simulation_error);
    EXPECT_THROW(c.local_address(pe_id{4}, 0), simulation_error);
    EXPECT_THROW(c.load(12345), simulation_error);
  });
}

TEST(program, exceptions_come_out_with_the_element_named) {
  ultracomputer machine(four_elements(), 1, make_program([](program_context& c) {
                          const std::vector<int> on_the_heap(100);
                          c.load(c.shared_address(c.rank()));
                          if (c.rank() == 2) throw std::runtime_error("no more fuel");
                          c.load(c.shared_address(c.rank()));
                        }));
  try {
    run(machine);
    FAIL() << "nothing was thrown";
  } catch (const simulation_error& problem) {
    EXPECT_NE(std::string(problem.what()).find("element 2"), std::string::npos) << problem.what();
    EXPECT_NE(std::string(problem.what()).find("no more fuel"), std::string::npos);
    EXPECT_THROW(std::rethrow_if_nested(problem), std::runtime_error);
  }
}

TEST(program, exceptions_of_a_predicate_reach_the_program) {
  run_alone(four_elements(), [](program_context& c) {
    EXPECT_THROW(c.spin(c.shared_address(1),
                        [](word_t) -> bool { throw std::runtime_error("cannot tell"); }),
                 std::runtime_error);
    EXPECT_EQ(c.load(c.shared_address(1)), 0U);
  });
}

TEST(program, a_machine_may_end_before_its_programs) {
  struct releases_at_the_end {
    program_context& context;
    ~releases_at_the_end() {
      context.store(context.shared_address(0), 0);
      context.fence();
      context.end("held");
    }
  };
  ultracomputer machine(four_elements(), 1, make_program([](program_context& c) {
                          const releases_at_the_end guard{c};
                          c.begin("held");
                          const std::vector<int> on_the_heap(100);
                          c.spin(c.shared_address(1), [](word_t seen) { return seen == 1; });
                        }));
  machine.step(1000);
  EXPECT_FALSE(machine.finished());
  machine.drain();
  EXPECT_TRUE(machine.finished());
}

}  // namespace
}  // namespace tributary
