// SPDX-License-Identifier: Apache-2.0
// A machine that was saved at a random cycle and restored goes on exactly as if nothing had been.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <support/event_text.h>
#include <support/observed_machine.h>
#include <support/sizes.h>
#include <support/wanderer.h>
#include <tributary/processor/trace_file.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>
#include <ultracomputer/ultracomputer.h>

namespace tributary {
namespace {

using testing::event_text;
using testing::wanderer;
using machine_maker = std::function<std::unique_ptr<ultracomputer>()>;

/// What a machine does in some cycles, and how it ends.
struct continuation {
  std::string events;
  std::string statistics;
  std::string state;
};

continuation go_on(ultracomputer& machine, std::uint64_t cycles) {
  event_text trace(machine.observers());
  machine.step(cycles);
  return {trace.text(), machine.statistics().to_json_text(), machine.save()};
}

void expect_equal(const continuation& x, const continuation& y, const std::string& where) {
  // Not EXPECT_EQ: these are megabytes.
  EXPECT_TRUE(x.events == y.events) << "events differ: " << where;
  EXPECT_TRUE(x.statistics == y.statistics) << "statistics differ: " << where;
  EXPECT_TRUE(x.state == y.state) << "states differ: " << where;
}

/// Saves in cycle `when`, and compares what the saved machine, one restored from it and one that
/// had done something else before do from there.
void check(const machine_maker& make, std::uint64_t when, std::uint64_t cycles,
           const std::string& where) {
  const auto saved = make();
  saved->step(when / 2);
  saved->reset_statistics();
  saved->step(when - when / 2);
  const std::string state = saved->save();
  const continuation expected = go_on(*saved, cycles);

  const auto fresh = make();
  fresh->restore(state);
  EXPECT_EQ(fresh->now(), when);
  EXPECT_TRUE(fresh->save() == state) << where;
  expect_equal(expected, go_on(*fresh, cycles), where);
  EXPECT_EQ(saved->finished(), fresh->finished());

  const auto used = make();
  used->step(when / 3 + 7);
  used->restore(state);
  expect_equal(expected, go_on(*used, cycles), where + ", into a used machine");
  EXPECT_NO_THROW(used->drain()) << where;
}

std::string place(std::uint64_t round, std::uint64_t when, const ultracomputer_config& config) {
  return "round " + std::to_string(round) + ", cycle " + std::to_string(when) + ", " +
         testing::to_string(config);
}

TEST(checkpoint, of_random_machines_under_traffic) {
  random_stream random(71, 0U, 0U);
  for (std::uint64_t round = 0; round < testing::scaled(120); ++round) {
    const ultracomputer_config config = testing::random_configuration(random, 32);
    const std::uint64_t seed = random.next_u64();
    const std::uint64_t when = random.below(1500);
    check([&] { return std::make_unique<ultracomputer>(config, seed); }, when, 400,
          place(round, when, config));
    if (HasFailure()) return;
  }
}

TEST(checkpoint, of_random_machines_running_programs) {
  random_stream random(72, 0U, 0U);
  for (std::uint64_t round = 0; round < testing::scaled(80); ++round) {
    ultracomputer_config config = testing::random_configuration(random, 16);
    config.addresses = {};
    config.workload.program.run.random_cycles = static_cast<std::uint32_t>(random.below(3));
    const std::uint64_t seed = random.next_u64();
    const std::uint64_t when = random.below(1500);
    check([&] { return std::make_unique<ultracomputer>(config, seed, make_program(wanderer)); },
          when, 400, place(round, when, config));
    if (HasFailure()) return;
  }
}

TEST(checkpoint, of_the_programs_of_the_library) {
  random_stream random(73, 0U, 0U);
  for (std::uint64_t round = 0; round < testing::halved(30); ++round) {
    ultracomputer_config config = testing::random_configuration(random, 32);
    config.addresses = {};
    config.workload.kind = workload_kind::program;
    config.workload.program.name =
        round % 2 == 0 ? program_kind::supersteps : program_kind::shared_counter;
    config.workload.program.supersteps.count = 5;
    config.workload.program.supersteps.barrier = barrier_algorithms()[round / 2 % 4].second;
    config.workload.program.supersteps.body = static_cast<superstep_body>(round / 8 % 3);
    config.workload.program.shared_counter.increments = 6;
    const std::uint64_t seed = random.next_u64();
    const std::uint64_t when = random.below(800);  // some have ended by then
    check([&] { return std::make_unique<ultracomputer>(config, seed); }, when, 2000,
          place(round, when, config));
    if (HasFailure()) return;
  }
}

ultracomputer_config small(workload_kind kind) {
  ultracomputer_config config;
  config.network.processing_elements = 8;
  config.processor.start_window = 10;
  config.workload.kind = kind;
  return config;
}

TEST(checkpoint, of_a_replayed_trace) {
  const std::string path = ::testing::TempDir() + "checkpoint_test.trace";
  ultracomputer_config config = small(workload_kind::closed_loop);
  {
    ultracomputer recorded(config, 9);
    trace_writer writer(path);
    recorded.interfaces().offers().attach(writer);
    recorded.step(1000);
    recorded.interfaces().offers().detach(writer);
    writer.finish();
  }
  config.workload.kind = workload_kind::trace;
  config.workload.trace.file = path;
  for (const std::uint64_t when : {0U, 1U, 77U, 500U, 1200U}) {
    check([&] { return std::make_unique<ultracomputer>(config, 9); }, when, 300,
          "trace, cycle " + std::to_string(when));
  }
  std::remove(path.c_str());
}

TEST(checkpoint, in_every_cycle_of_a_short_run) {
  const ultracomputer_config config = small(workload_kind::program);
  ultracomputer whole(config, 5, make_program(wanderer));
  for (std::uint64_t when = 0; when < 120; ++when) {
    const std::string state = whole.save();
    ultracomputer resumed(config, 5, make_program(wanderer));
    resumed.restore(state);
    EXPECT_TRUE(resumed.save() == state) << when;
    whole.step();
    resumed.step();
    EXPECT_TRUE(resumed.save() == whole.save()) << when;
  }
}

TEST(checkpoint, of_another_machine_is_refused) {
  const ultracomputer_config config = small(workload_kind::closed_loop);
  ultracomputer machine(config, 1);
  machine.step(100);
  const std::string state = machine.save();

  ultracomputer other_seed(config, 2);
  EXPECT_THROW(other_seed.restore(state), input_error);
  ultracomputer_config changed = config;
  changed.processor.turnaround = 11;
  ultracomputer other_configuration(changed, 1);
  EXPECT_THROW(other_configuration.restore(state), input_error);
}

TEST(checkpoint, of_another_program_is_refused) {
  const ultracomputer_config config = small(workload_kind::program);
  const auto adds = [](std::uint64_t times) {
    return make_program([times](program_context& c) {
      for (std::uint64_t i = 0; i < times; ++i) c.fetch_add(c.shared_address(0), 1);
    });
  };
  ultracomputer machine(config, 1, adds(1000));
  machine.step(500);
  ultracomputer other(config, 1, adds(3));
  EXPECT_THROW(other.restore(machine.save()), input_error);
}

TEST(checkpoint, that_is_damaged_is_refused) {
  const ultracomputer_config config = small(workload_kind::program);
  ultracomputer machine(config, 1);
  machine.step(300);
  const std::string state = machine.save();
  for (std::size_t size = 0; size < state.size(); size += state.size() / 50 + 1) {
    ultracomputer victim(config, 1);
    EXPECT_THROW(victim.restore(state.substr(0, size)), input_error) << size;
  }
  ultracomputer victim(config, 1);
  EXPECT_THROW(victim.restore(state + "x"), input_error);
  EXPECT_THROW(victim.restore("not a checkpoint at all"), input_error);
}

TEST(checkpoint, beyond_the_replay_limit_is_refused) {
  for (const std::uint64_t limit : {0U, 100U}) {
    ultracomputer_config config = small(workload_kind::program);
    config.workload.program.run.replay_limit = limit;
    ultracomputer machine(config, 1, make_program(wanderer));
    machine.step(2000);
    EXPECT_THROW(machine.save(), error) << limit;
  }
}

}  // namespace
}  // namespace tributary
