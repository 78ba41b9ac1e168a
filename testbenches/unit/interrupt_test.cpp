// SPDX-License-Identifier: Apache-2.0
// Programs that are interrupted in a delay or a spin, on both machines, and their checkpoints.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <flash/flash_machine.h>
#include <tributary/processor/program_workload.h>
#include <tributary/sim/error.h>
#include <ultracomputer/ultracomputer.h>

#include <support/text_checks.h>

namespace tributary {
namespace {

using body = std::function<void(program_context&)>;

struct raised {
  std::uint32_t line;
  cycle_t when;
};

std::unique_ptr<ultracomputer> omega(const body& what) {
  ultracomputer_config config;
  config.network.processing_elements = 4;
  config.processor.start_window = 1;
  config.workload.program.run.patience = 5000;
  return std::make_unique<ultracomputer>(config, 1, make_program(what));
}

std::unique_ptr<flash_machine> nodes(const body& what) {
  flash_config config;
  config.machine.node.memory.bytes = std::uint64_t{1} << 17;
  return std::make_unique<flash_machine>(config, 1, make_program(what));
}

program_workload& programs_of(ultracomputer& machine) {
  return static_cast<program_workload&>(machine.work());
}
program_workload& programs_of(flash_machine& machine) { return *machine.programs(); }

/// Runs `what` on element 0 alone, which is interrupted as told.
template <class Machine>
void interrupt(Machine& machine, const std::vector<raised>& all) {
  for (const raised& each : all) programs_of(machine).interrupt(0, each.line, each.when);
  machine.run_until(100000);
  EXPECT_TRUE(machine.finished());
}

body alone(const body& what) {
  return [what](program_context& c) {
    if (c.rank() == 0) what(c);
  };
}

TEST(interrupt, a_delay_goes_on_where_it_was_stopped) {
  std::vector<cycle_t> served;
  cycle_t took = 0;
  const auto machine = omega(alone([&](program_context& c) {
    c.interrupts(3, [&](program_context& h) {
      served.push_back(h.now());
      h.delay(7);
    });
    const cycle_t begun = c.now();
    c.delay(100);
    took = c.now() - begun;
  }));
  interrupt(*machine, {{3, 40}, {3, 44}, {3, 90}});
  EXPECT_EQ(served, (std::vector<cycle_t>{40, 47, 90})) << "handlers are not interrupted";
  EXPECT_EQ(took, 121U) << "the delay and three handlers, to the cycle";
}

TEST(interrupt, a_spin_polls_on_after_the_handler) {
  for (const bool own : {false, true}) {
    cycle_t ended = 0;
    word_t counted = 0;
    const auto machine = omega(alone([&](program_context& c) {
      const std::uint64_t word = own ? c.local_address(3) : c.shared_address(3);
      c.interrupts(0, [&](program_context& h) {
        h.spin(h.shared_address(9), [](word_t seen) { return seen == 0; });
        counted = h.fetch_add(word, 1) + 1;
      });
      c.spin(word, [](word_t seen) { return seen == 2; });
      ended = c.now();
    }));
    interrupt(*machine, {{0, 100}, {0, 301}});
    EXPECT_EQ(counted, 2U);
    EXPECT_GT(ended, 301U);
    EXPECT_LT(ended, 400U);
  }
}

TEST(interrupt, one_that_is_masked_or_comes_in_a_reference_waits) {
  std::vector<std::string> order;
  const auto machine = omega(alone([&](program_context& c) {
    for (const std::uint32_t line : {1U, 2U}) {
      c.interrupts(line, [&order, line](program_context& h) {
        order.push_back(std::to_string(line) + " in " + std::to_string(h.now()));
      });
    }
    c.mask(1);
    c.delay(100);  // to cycle 101
    c.unmask(1);
    c.load(c.shared_address(1));  // both are raised by its end
    order.push_back("load ended");
    c.delay(1);
    order.push_back("delay ended");
  }));
  interrupt(*machine, {{1, 50}, {2, 102}});
  ASSERT_EQ(order.size(), 4U);
  EXPECT_EQ(order[0], "load ended");
  EXPECT_EQ(order[1].substr(0, 4), "1 in") << "the lowest line first";
  EXPECT_EQ(order[2].substr(0, 4), "2 in");
  EXPECT_EQ(order[3], "delay ended");
}

TEST(interrupt, what_is_not_there_is_refused) {
  const auto machine = omega([](program_context& c) {
    EXPECT_THROW(c.interrupts(31, [](program_context&) {}), simulation_error);
  });
  EXPECT_THROW(programs_of(*machine).interrupt(0, 31, 5), simulation_error);
  EXPECT_THROW(programs_of(*machine).interrupt(4, 0, 5), simulation_error);
  programs_of(*machine).interrupt(1, 0, 5);  // no handler: it stays
  machine->run_until(100);
  EXPECT_TRUE(machine->finished());
}

TEST(interrupt, an_exception_of_a_handler_names_its_element) {
  const auto machine = omega([](program_context& c) {
    c.interrupts(0, [](program_context&) { throw simulation_error("handler"); });
    c.delay(100);
  });
  programs_of(*machine).interrupt(2, 0, 50);
  try {
    machine->run_until(100);
    FAIL();
  } catch (const simulation_error& problem) {
    EXPECT_TRUE(testing::names(std::string(problem.what()), {"element 2", "cycle 50", "handler"}))
        << problem.what();
  }
}

/// Delays, spins and references, with handlers that do the same.
void busy(program_context& c) {
  if (c.rank() != 0) return;
  word_t handled = 0;
  c.interrupts(0, [&handled](program_context& h) {
    h.delay(5);
    handled += h.fetch_add(h.shared_address(2), 1) + h.now();
    h.delay(h.random(9));
  });
  c.interrupts(1, [](program_context& h) { h.store(h.shared_address(4), 1); });
  for (int i = 0; i < 3; ++i) {
    c.delay(60);
    c.store(c.shared_address(5), handled + c.now());
  }
  c.spin(c.shared_address(4), [](word_t seen) { return seen == 1; });
  c.store(c.shared_address(6), handled);
}

template <class Machine>
void check_checkpoints(const std::function<std::unique_ptr<Machine>(const body&)>& make,
                       cycle_t step) {
  const std::vector<raised> all = {{0, 30}, {0, 33}, {0, 130}, {1, 900}, {0, 905}};
  const auto begin = [&] {
    auto machine = make(busy);
    for (const raised& each : all) programs_of(*machine).interrupt(0, each.line, each.when);
    return machine;
  };
  const auto whole = begin();
  whole->run_until(5000);
  ASSERT_TRUE(whole->finished());
  const std::string expected = whole->save();
  for (cycle_t when = 1; when < 1100; when += step) {
    const auto saved = begin();
    saved->run_until(when);
    const auto restored = make(busy);
    restored->restore(saved->save());
    EXPECT_TRUE(restored->save() == saved->save()) << when;
    restored->run_until(5000);
    ASSERT_TRUE(restored->save() == expected) << when;
  }
}

TEST(interrupt, a_checkpoint_knows_where_it_was_taken_on_the_omega_network) {
  check_checkpoints<ultracomputer>(omega, 7);
}

TEST(interrupt, a_checkpoint_knows_where_it_was_taken_on_flash) {
  check_checkpoints<flash_machine>(nodes, 37);
}

}  // namespace
}  // namespace tributary
