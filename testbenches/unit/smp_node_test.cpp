// SPDX-License-Identifier: Apache-2.0
// Nodes whose processors run programs and the protocol, to the cycle.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/controller/fiber_protocol.h>
#include <tributary/protocols/requests/request_rules.h>
#include <tributary/sim/error.h>

#include <support/failure.h>
#include <support/smp_programs.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

using testing::failure;
using testing::names;
using testing::null_requests;
using testing::remote;
using testing::small_machine;
using testing::smp_programs;

constexpr auto fixed = schedule_kind::fixed;
constexpr auto floating = schedule_kind::floating;
constexpr auto single = schedule_kind::single;

/// Cycles that `act` takes a program.
template <class Act>
cycle_t cycles_of(program_context& context, Act&& act) {
  const cycle_t since = context.now();
  act();
  return context.now() - since;
}

/// One request of the first processor of node 0, in cycle 1001; the others rest from the beginning,
/// but if `busy`: then they compute for so many cycles.
struct one_request {
  cycle_t round_trip = 0;
  cycle_t busy_took = 0;  ///< the first processor of node 1

  one_request(const smp_machine_config& config, const protocol_maker& protocols,
              std::uint64_t busy = 0) {
    smp_programs machine(config, protocols, [&](program_context& context) {
      if (context.rank() == 0) {
        context.delay(1000);
        round_trip = cycles_of(context, [&] { context.load(remote(1)); });
      } else {
        const cycle_t took = cycles_of(context, [&] { context.delay(busy); });
        if (context.rank() == context.processes()) busy_took = took;
      }
    });
    EXPECT_TRUE(machine.run());
  }
};

cycle_t null_round_trip(const smp_machine_config& config, std::uint64_t busy = 0) {
  return one_request(config, null_requests, busy).round_trip;
}

/// W1 of the specification.
TEST(smp_node, a_fixed_round_trip_is_600_or_1600_cycles) {
  for (const std::uint32_t processors : {2U, 3U, 10U}) {
    smp_machine_config config = small_machine(fixed, processors);
    EXPECT_EQ(null_round_trip(config), 600U) << processors;
    config.node.costs.submit = config.node.costs.resume = 60;
    EXPECT_EQ(one_request(config, testing::block_fetches(processors, 4)).round_trip, 1600U)
        << processors;
  }
}

/// One that computes is disturbed by nobody.
TEST(smp_node, a_fixed_role_interrupts_nobody_and_costs_nothing_beyond_the_handlers) {
  smp_machine_config config = small_machine(fixed, 2);
  config.node.costs.interrupt = 4444;
  config.node.costs.acquire = config.node.costs.activation = config.node.costs.migration = 777;
  const one_request made(config, null_requests, 5000);
  EXPECT_EQ(made.round_trip, 600U);
  EXPECT_EQ(made.busy_took, 5000U);
}

/// By hand: 100 + 105 and 50 + 65 to send, 100, 100 and 50 + 65 to serve, 100, 50 + 65 to take the
/// reply, 100 to resume.
TEST(smp_node, a_floating_round_trip_has_every_cost_as_often_as_it_is_met) {
  smp_machine_config config = small_machine(floating, 2);
  EXPECT_EQ(null_round_trip(config), 950U);
  const auto with = [&](const std::function<void(schedule_costs&)>& change) {
    smp_machine_config changed = config;
    change(changed.node.costs);
    return null_round_trip(changed);
  };
  EXPECT_EQ(with([](auto& c) { c.submit += 7; }), 957U);
  EXPECT_EQ(with([](auto& c) { c.resume += 7; }), 957U);
  EXPECT_EQ(with([](auto& c) { c.acquire += 7; }), 964U) << "at both nodes";
  EXPECT_EQ(with([](auto& c) { c.activation += 7; }), 971U) << "for three handlers";
  EXPECT_EQ(with([](auto& c) { c.migration += 7; }), 950U) << "the role has not moved";
  EXPECT_EQ(with([](auto& c) { c.interrupt += 7; }), 950U) << "nobody is interrupted";
  config.network.base_latency += 7;
  EXPECT_EQ(null_round_trip(config), 964U);
}

TEST(smp_node, the_least_costs_are_those_of_handlers_and_network) {
  smp_machine_config config = small_machine(floating, 2);
  schedule_costs& costs = config.node.costs;
  costs.submit = costs.acquire = costs.activation = costs.migration = 0;
  costs.resume = 1;
  EXPECT_EQ(null_round_trip(config), 3U * 65 + 200 + 1);
}

/// The same with an interrupt of the one that computes at node 1.
TEST(smp_node, a_round_trip_to_a_processor_that_computes_has_an_interrupt) {
  smp_machine_config config = small_machine(single, 1);
  EXPECT_EQ(null_round_trip(config, 5000), 1150U);
  config.node.costs.interrupt = 2000;
  EXPECT_EQ(null_round_trip(config, 5000), 2950U);
  config.node.costs.delivery_percent = 25;
  EXPECT_EQ(null_round_trip(config, 5000), 1450U) << "the return delays nobody else";
}

/// Its total is kept to the cycle: interrupt, acquire, activation and handler.
TEST(smp_node, a_computing_that_is_interrupted_is_as_long_and_what_it_served) {
  for (const std::uint32_t percent : {100U, 99U, 50U, 1U, 0U}) {
    for (const std::uint64_t interrupt : {2U, 200U, 2000U}) {
      smp_machine_config config = small_machine(single, 1);
      config.node.costs.interrupt = interrupt;
      config.node.costs.delivery_percent = percent;
      EXPECT_EQ(one_request(config, null_requests, 5000).busy_took,
                5000U + interrupt + 100 + 50 + 65)
          << percent << " % of " << interrupt;
    }
  }
}

/// The second request is of the other processor of node 0. At node 1 the one that serves keeps the
/// role, as it has nothing else to do, and acquires it once.
TEST(smp_node, another_processor_that_runs_a_handler_pays_for_the_move) {
  smp_machine_config config = small_machine(floating, 2);
  for (const std::uint64_t migration : {30U, 0U, 400U}) {
    config.node.costs.migration = migration;
    std::vector<cycle_t> took(4);
    smp_programs machine(config, null_requests, [&](program_context& context) {
      if (context.node() == node_id{1}) return;
      context.delay(1000 + 3000 * context.rank());
      took[context.rank()] = cycles_of(context, [&] { context.load(remote(1)); });
    });
    EXPECT_TRUE(machine.run());
    EXPECT_EQ(took[0], 950U);
    EXPECT_EQ(took[1], 850U + migration);
    EXPECT_EQ(machine.of_role(0, "moved"), 1U);
    EXPECT_EQ(machine.of_role(1, "moved"), 0U);
    EXPECT_EQ(machine.of_role(0, "taken"), 2U);
    EXPECT_EQ(machine.of_role(1, "taken"), 1U);
    EXPECT_EQ(machine.of_role(1, "handlers"), 2U);
  }
}

/// Two processors of a node: the second finds the role held, and the first handles both. The
/// second's entry is there in cycle 1116, the first's in 1206, when it has the role: 115, 100, 100
/// at node 1, and so on for the second's; the first's is 115 behind it everywhere.
TEST(smp_node, a_request_that_finds_the_role_held_is_handled_by_who_acts) {
  smp_machine_config config = small_machine(floating, 2);
  std::vector<cycle_t> took(4);
  smp_programs machine(config, null_requests, [&](program_context& context) {
    if (context.node() == node_id{1}) return;
    context.delay(1000 + 10 * context.rank());
    took[context.rank()] = cycles_of(context, [&] { context.load(remote(1)); });
  });
  EXPECT_TRUE(machine.run());
  EXPECT_EQ(took[0], 950U + 115);
  EXPECT_EQ(took[1], 950U - 10);
  EXPECT_EQ(machine.of_role(0, "moved"), 0U);
  EXPECT_EQ(machine.of_role(0, "taken"), 1U);
  EXPECT_EQ(machine.of_role(0, "handlers"), 4U);
  EXPECT_EQ(machine.of_role(0, "interrupts"), 0U);
}

// --- variation -----------------------------------------------------------------------------------

constexpr int varied_requests = 1000;

std::vector<cycle_t> varied_round_trips(std::uint32_t percent, std::uint64_t seed) {
  smp_machine_config config = small_machine(fixed, 2);
  config.node.costs.variation.percent = percent;
  std::vector<cycle_t> took;
  smp_programs machine(
      config, null_requests,
      [&](program_context& context) {
        if (context.rank() != 0) return;
        for (int i = 0; i < varied_requests; ++i) {
          took.push_back(cycles_of(context, [&] { context.load(remote(1)); }));
        }
      },
      seed);
  EXPECT_TRUE(machine.run());
  return took;
}

TEST(smp_node, services_vary_within_their_bounds_and_by_the_seed) {
  const std::vector<cycle_t> took = varied_round_trips(10, 3);
  double sum = 0;
  double squares = 0;
  for (const cycle_t each : took) {
    EXPECT_GE(each, 600U - 40 - 5);
    EXPECT_LE(each, 600U + 40 + 5);
    const double off = static_cast<double>(each) - 600;
    sum += off;
    squares += off * off;
  }
  // Five uniform services of 105, 65, 65, 65 and 100 cycles. A normal distribution's estimate of
  // the variance is off by more than that of their sum.
  const double variance = (10.5 * 10.5 + 3 * 6.5 * 6.5 + 10 * 10) / 3;
  EXPECT_NEAR(sum / varied_requests, 0, 4 * std::sqrt(variance / varied_requests));
  EXPECT_NEAR(squares / varied_requests, variance, 4 * variance * std::sqrt(2. / varied_requests));
  EXPECT_NE(took[0], took[1]);
  EXPECT_EQ(varied_round_trips(10, 3), took);
  EXPECT_NE(varied_round_trips(10, 4), took);
  EXPECT_EQ(varied_round_trips(0, 3), std::vector<cycle_t>(varied_requests, 600));
}

// --- interrupts that come too late ---------------------------------------------------------------

/// Node 1 is in its memory when the message comes, and asks behind it.
TEST(smp_node, an_interrupt_of_one_that_asks_before_it_comes_is_withdrawn) {
  smp_machine_config config = small_machine(single, 1);
  config.node.memory_cycles = 2000;
  cycle_t request = 0;
  cycle_t computing = 0;
  cycle_t loading = 0;
  smp_programs machine(config, null_requests, [&](program_context& context) {
    if (context.rank() == 0) {
      context.load(remote(1));
    } else {
      loading = cycles_of(context, [&] { context.load(testing::address_of(1, 0, 64)); });
      request = cycles_of(context, [&] { context.load(remote(0)); });
      computing = cycles_of(context, [&] { context.delay(5000); });
    }
  });
  EXPECT_TRUE(machine.run());
  EXPECT_EQ(loading, 2000U) << "memory goes on";
  EXPECT_EQ(machine.of_role(1, "interrupts"), 1U);
  EXPECT_EQ(machine.of_role(1, "withdrawn"), 1U);
  EXPECT_EQ(machine.of_role(1, "in_vain"), 0U);
  // It serves the message first: 205, 115; 115, 100; node 0 waits and acts itself, 115 behind its
  // own reply, then rests; 100, 115, 100.
  EXPECT_GE(request, 205U + 115 + 115 + 100 + 115 + 100 + 115 + 100);
  EXPECT_EQ(computing, 5001U) << "the interrupt is still there, and takes a look";
}

TEST(smp_node, an_interrupt_of_one_that_comes_to_rest_is_withdrawn) {
  smp_machine_config config = small_machine(single, 1);
  config.node.memory_cycles = 2000;
  cycle_t took = 0;
  smp_programs machine(config, null_requests, [&](program_context& context) {
    if (context.rank() == 0) {
      took = cycles_of(context, [&] { context.load(remote(1)); });
    } else {
      context.load(testing::address_of(1, 0, 64));
    }
  });
  EXPECT_TRUE(machine.run());
  EXPECT_EQ(machine.of_role(1, "withdrawn"), 1U);
  EXPECT_EQ(machine.of_role(1, "taken"), 1U);
  // Node 1 rests from cycle 2001 on.
  EXPECT_EQ(took, 2000U + 100 + 115 + 100 + 115 + 100);
}

/// Of two that compute the first is interrupted; the second asks before the interrupt has come.
TEST(smp_node, an_interrupt_that_finds_another_one_acting_was_in_vain) {
  for (const std::uint32_t percent : {100U, 40U}) {
    smp_machine_config config = small_machine(floating, 2);
    config.node.costs.delivery_percent = percent;
    config.node.costs.interrupt = 500;
    cycle_t computing = 0;
    smp_programs machine(config, null_requests, [&](program_context& context) {
      switch (context.rank()) {
        case 0:
          context.load(remote(1));  // at node 1 in cycle 421
          break;
        case 2:
          computing = cycles_of(context, [&] { context.delay(5000); });
          break;
        case 3:
          context.delay(500);
          context.load(remote(0));
          break;
        default:
          break;
      }
    });
    EXPECT_TRUE(machine.run());
    EXPECT_EQ(machine.of_role(1, "interrupts"), 1U);
    EXPECT_EQ(machine.of_role(1, "in_vain"), 1U);
    EXPECT_EQ(machine.of_role(1, "processor.0.interrupts"), 1U);
    EXPECT_EQ(machine.of_role(1, "withdrawn"), 0U);
    EXPECT_EQ(computing, 5500U) << percent;
  }
}

/// Messages of nodes 0 and 2 come while both processors of node 1 compute.
TEST(smp_node, one_interrupt_is_on_its_way_at_a_time) {
  smp_machine_config config = small_machine(floating, 2);
  config.nodes = 3;
  config.node.costs.interrupt = 2000;
  smp_programs machine(config, null_requests, [&](program_context& context) {
    if (context.node() == node_id{1}) {
      context.delay(20000);
    } else if (context.rank() % 2 == 0) {
      context.delay(400 * context.rank());
      context.load(remote(1));
    }
  });
  EXPECT_TRUE(machine.run());
  EXPECT_EQ(machine.of_role(1, "interrupts"), 1U);
  EXPECT_EQ(machine.of_role(1, "handlers"), 2U);
}

/// The first processor of node 1 waits for a word that the second one writes, which is masked.
TEST(smp_node, one_that_spins_on_a_word_is_interrupted) {
  for (const std::uint64_t cycles : {1U, 7U, 100U}) {
    smp_machine_config config = small_machine(floating, 2);
    config.node.masked_interrupts = 0b10;
    config.node.memory_cycles = cycles;
    cycle_t spun = 0;
    smp_programs machine(config, null_requests, [&](program_context& context) {
      switch (context.rank()) {
        case 0:
          for (std::uint64_t i = 0; i < 10; ++i) {
            context.load(remote(1));
            context.delay(i);
          }
          break;
        case 2:
          spun = cycles_of(context, [&] {
            context.spin(testing::address_of(1, 0, 64), [](word_t word) { return word == 1; });
          });
          break;
        case 3:
          context.delay(20000);
          context.store(testing::address_of(1, 0, 64), 1);
          break;
        default:
          break;
      }
    });
    EXPECT_TRUE(machine.run());
    EXPECT_EQ(machine.of_role(1, "processor.0.interrupts"), 10U) << cycles;
    EXPECT_GE(spun, 20000U + cycles);
    EXPECT_LE(spun, 20000U + 3 * cycles) << "it looks once more at most";
  }
}

TEST(smp_node, masked_processors_are_not_interrupted) {
  smp_machine_config config = small_machine(floating, 3);
  config.node.masked_interrupts = 0b101;
  smp_programs machine(config, null_requests, [&](program_context& context) {
    if (context.node() == node_id{1}) {
      context.delay(50000);
    } else if (context.rank() == 0) {
      for (int i = 0; i < 10; ++i) context.load(remote(1));
    }
  });
  EXPECT_TRUE(machine.run());
  EXPECT_EQ(machine.of_role(1, "interrupts"), 10U);
  EXPECT_EQ(machine.of_role(1, "processor.1.interrupts"), 10U);
}

TEST(smp_node, the_last_of_64_processors_asks_and_is_interrupted_as_the_others) {
  smp_machine_config config = small_machine(floating, 64);
  const auto bit = [](unsigned processor) { return std::uint64_t{1} << processor; };
  config.node.masked_interrupts = ~(bit(40) | bit(63));
  smp_programs machine(config, null_requests, [&](program_context& context) {
    if (context.node() == node_id{1}) {
      context.delay(50000);
    } else if (context.rank() == 63) {
      for (int i = 0; i < 10; ++i) context.load(remote(1));
    }
  });
  EXPECT_TRUE(machine.run());
  EXPECT_EQ(machine.of_role(1, "interrupts"), 10U);
  for (const char* each : {"40", "63"}) {
    EXPECT_EQ(machine.of_role(1, std::string("processor.") + each + ".interrupts"), 5U) << each;
  }
}

/// W8 of the specification.
TEST(smp_node, interrupts_are_shared_evenly) {
  smp_machine_config config = small_machine(floating, 3);
  smp_programs machine(config, null_requests, [&](program_context& context) {
    if (context.node() == node_id{1}) {
      context.delay(100000);
    } else if (context.rank() == 0) {
      for (int i = 0; i < 12; ++i) context.load(remote(1));
    }
  });
  EXPECT_TRUE(machine.run());
  for (const char* each : {"0", "1", "2"}) {
    EXPECT_EQ(machine.of_role(1, std::string("processor.") + each + ".interrupts"), 4U) << each;
  }
}

// --- readings ------------------------------------------------------------------------------------

/// Two messages for one that computes: one interrupt drains both, or each has its own.
TEST(smp_node, an_interrupted_processor_drains_or_handles_one) {
  for (const bool drains : {true, false}) {
    smp_machine_config config = small_machine(single, 1);
    config.nodes = 3;
    config.node.readings.drains = drains;
    cycle_t computing = 0;
    smp_programs machine(config, null_requests, [&](program_context& context) {
      if (context.rank() == 1) {
        computing = cycles_of(context, [&] { context.delay(20000); });
      } else {
        context.load(remote(1));
      }
    });
    EXPECT_TRUE(machine.run());
    EXPECT_EQ(machine.of_role(1, "interrupts"), drains ? 1U : 2U);
    EXPECT_EQ(computing, drains ? 20000U + 300 + 2 * 115 : 20000U + 2 * 415) << drains;
  }
}

/// One that resumes keeps others from the role, or does not.
TEST(smp_node, one_that_resumes_keeps_the_role_or_gives_it_up) {
  for (const bool keeps : {true, false}) {
    smp_machine_config config = small_machine(floating, 2);
    config.node.readings.resuming_keeps_role = keeps;
    config.node.costs.resume = 1000;
    std::vector<cycle_t> took(4);
    smp_programs machine(config, null_requests, [&](program_context& context) {
      if (context.node() == node_id{1}) return;
      // The reply of the first is handled in cycles 736 to 850.
      context.delay(context.rank() == 0 ? 0 : 900);
      took[context.rank()] = cycles_of(context, [&] { context.load(remote(1)); });
    });
    EXPECT_TRUE(machine.run());
    EXPECT_EQ(took[0], 950U + 900);
    // In cycle 901 the first one resumes. Without the role: 205 and 80 + 65, then as ever. Else
    // its entry waits until the role is free in cycle 1850.
    const std::uint64_t from_handler = 65 + 100 + 115 + 100 + 115 + 1000;
    EXPECT_EQ(took[1], keeps ? 1850 - 901 + 100 + 80 + from_handler : 205 + 80 + from_handler);
  }
}

/// A message of node 2 is at node 0 in cycle 800, while its own reply is handled, from 736 to 851.
TEST(smp_node, one_whose_request_was_answered_leaves_a_full_queue_or_empties_it) {
  for (const bool leaves : {true, false}) {
    smp_machine_config config = small_machine(single, 1);
    config.nodes = 3;
    config.node.readings.leaves_full_queue = leaves;
    cycle_t took = 0;
    cycle_t computing = 0;
    smp_programs machine(config, null_requests, [&](program_context& context) {
      if (context.rank() == 0) {
        took = cycles_of(context, [&] { context.load(remote(1)); });
        computing = cycles_of(context, [&] { context.delay(5000); });
      } else if (context.rank() == 2) {
        context.delay(379);
        context.load(remote(0));
      }
    });
    EXPECT_TRUE(machine.run());
    EXPECT_EQ(took, leaves ? 950U : 1065U);
    EXPECT_EQ(computing, leaves ? 5415U : 5000U);
    EXPECT_EQ(machine.of_role(0, "interrupts"), leaves ? 1U : 0U);
  }
}

// --- rest and work -------------------------------------------------------------------------------

/// Node 1 rests from cycle 1 on, and computes again from `back` on.
struct resting_node {
  cycle_t to_rest = 0;
  cycle_t to_work = 0;
  cycle_t round_trip = 0;
  std::uint64_t interrupts = 0;

  resting_node(std::uint64_t back, bool asked) {
    smp_programs machine(small_machine(single, 1), null_requests, [&](program_context& context) {
      if (context.rank() == 0) {
        if (asked) round_trip = cycles_of(context, [&] { context.load(remote(1)); });
        return;
      }
      to_rest = cycles_of(context, [&] { context.store(testing::rest_register(1), 1); });
      context.delay(back);
      to_work = cycles_of(context, [&] { context.store(testing::rest_register(1), 0); });
      context.delay(1000);
    });
    EXPECT_TRUE(machine.run());
    interrupts = machine.of_role(1, "interrupts");
  }
};

TEST(smp_node, one_that_rests_serves_without_an_interrupt) {
  const resting_node quiet(2000, false);
  EXPECT_EQ(quiet.to_rest, 1U);
  EXPECT_EQ(quiet.to_work, 1U);
  const resting_node asked(2000, true);
  EXPECT_EQ(asked.interrupts, 0U);
  EXPECT_EQ(asked.round_trip, 950U);
  EXPECT_EQ(asked.to_work, 100U) << "it acts until then, and switches back";
}

/// The message is there in cycle 421; its handler begins in 571 and ends in 636.
TEST(smp_node, work_waits_for_the_handler_that_runs) {
  for (const std::uint64_t at : {430U, 520U, 571U, 600U}) {
    const resting_node working(at - 2, true);
    EXPECT_EQ(working.to_work, 636 - at + 100) << at;
    EXPECT_EQ(working.round_trip, 950U);
  }
  EXPECT_EQ(resting_node(640 - 2, true).to_work, 100U);
}

// --- duties --------------------------------------------------------------------------------------

std::uint64_t sum_of_duties(smp_programs& machine, std::uint32_t node, std::uint32_t processor) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < processor_duties; ++i) {
    sum += machine.of_role(node, "processor." + std::to_string(processor) + "." +
                                     name_of(static_cast<processor_duty>(i)));
  }
  return sum;
}

void ask_and_compute(program_context& context) {
  for (int i = 0; i < 20; ++i) {
    context.delay(context.random(700));
    context.load(remote(1 - index(context.node())));
  }
}

TEST(smp_node, every_cycle_of_a_processor_has_a_duty) {
  for (const auto& [kind, processors] :
       {std::pair(fixed, 3U), std::pair(floating, 3U), std::pair(single, 1U)}) {
    smp_programs machine(small_machine(kind, processors), null_requests, ask_and_compute);
    machine.machine.run_until(700);
    for (std::uint32_t i = 0; i < processors; ++i) EXPECT_EQ(sum_of_duties(machine, 0, i), 700U);
    machine.machine.reset_statistics();
    EXPECT_TRUE(machine.run());
    for (std::uint32_t i = 0; i < processors; ++i) {
      EXPECT_EQ(sum_of_duties(machine, 1, i), machine.machine.now() - 700) << name_of(kind);
    }
  }
}

TEST(smp_node, duties_are_counted_to_the_cycle) {
  smp_programs machine(small_machine(single, 1), null_requests, [&](program_context& context) {
    context.delay(context.rank() == 0 ? 1000 : 5000);
    if (context.rank() == 0) context.load(remote(1));
  });
  EXPECT_TRUE(machine.run());
  const auto at = [&](std::uint32_t node, const char* duty) {
    return machine.of_role(node, std::string("processor.0.") + duty);
  };
  // Node 0 asks in cycle 1001 and takes its reply by 2051; node 1 is asked in 1421.
  EXPECT_EQ(at(0, "serving_own"), 1050U);
  EXPECT_EQ(at(0, "resuming"), 99U) << "the program goes on in the cycle behind";
  EXPECT_EQ(at(1, "interrupted"), 200U);
  EXPECT_EQ(at(1, "serving_drafted"), 215U);
  EXPECT_EQ(at(1, "computing"), 5415U - 415) << "it rests in cycle 5416";
  EXPECT_EQ(at(1, "resting"), 2U) << "its program ends in the next cycle";
  EXPECT_EQ(machine.of_role(0, "round_trip.sum"), 1150U) << "with the way back";
  EXPECT_EQ(machine.of_role(1, "wait.sum"), 350U);
}

// --- accesses ------------------------------------------------------------------------------------

TEST(smp_node, memory_takes_its_constant_time) {
  for (const std::uint64_t cycles : {1U, 7U}) {
    smp_machine_config config = small_machine(single, 1);
    config.node.memory_cycles = cycles;
    std::vector<word_t> seen;
    cycle_t took = 0;
    smp_programs machine(config, null_requests, [&](program_context& context) {
      if (context.rank() != 0) return;
      took = cycles_of(context, [&] {
        seen.push_back(context.store(64, 5));
        seen.push_back(context.fetch_add(64, 3));
        seen.push_back(context.load(64));
      });
    });
    EXPECT_TRUE(machine.run());
    EXPECT_EQ(took, 3 * cycles);
    EXPECT_EQ(seen, (std::vector<word_t>{0, 5, 8}));
    EXPECT_EQ(machine.machine.node(0).memory().read(64), 8U);
  }
}

/// A processor has one access under way; a program that issues more waits for room.
TEST(smp_node, references_of_one_program_wait_for_each_other) {
  smp_machine_config config = small_machine(single, 1);
  config.node.memory_cycles = 7;
  word_t sum = 0;
  cycle_t took = 0;
  smp_programs machine(config, null_requests, [&](program_context& context) {
    if (context.rank() != 0) return;
    took = cycles_of(context, [&] {
      for (word_t i = 0; i < 4; ++i) context.post(operation::store, 64 + 8 * i, i + 1);
      const pending first = context.issue(operation::load, 64);
      const pending last = context.issue(operation::load, 88);
      sum = 10 * context.wait(first) + context.wait(last);
      context.fence();
    });
  });
  EXPECT_TRUE(machine.run());
  EXPECT_EQ(sum, 14U);
  EXPECT_EQ(took, 6 * 7U);
}

access load_of(std::uint64_t address) {
  access made;
  made.address = address;
  return made;
}
access store_of(std::uint64_t address, word_t value) {
  access made = load_of(address);
  made.function = {form::constant, value, 0};
  return made;
}

TEST(smp_node, refuses_accesses_that_nobody_serves) {
  smp_machine machine(small_machine(floating, 2), null_requests, 1);
  const auto refusal = [&](const access& request) {
    const processor_port& port = machine.node(0).port(1);
    return failure<simulation_error>([&] { port.check(0, request); });
  };
  EXPECT_TRUE(names(refusal(load_of(0x101)), {"node 0 in cycle 0", "0x101", "multiples of 8"}));
  EXPECT_TRUE(names(refusal(load_of(1 << 16)), {"0x10000", "beyond the node's memory of 65536"}));
  EXPECT_TRUE(names(refusal(load_of(remote(2))), {"beyond the machine's 2 nodes"}));
  EXPECT_TRUE(names(refusal(load_of(testing::address_of(1, 0, 64))),
                    {"not in the own node's memory", "no protocol has a handler"}));
  EXPECT_TRUE(names(refusal(load_of(testing::address_of(1, 2, 64))), {"no protocol"}));
  EXPECT_TRUE(names(refusal(store_of(remote(1), 1)), {"no protocol"}));
  EXPECT_TRUE(names(refusal(load_of(testing::address_of(0, 3, 16))), {"no register"}));
  EXPECT_TRUE(names(refusal(load_of(testing::rest_register(0))), {"no register"}));
  EXPECT_TRUE(names(refusal(store_of(testing::address_of(0, 3, 0), 1)), {"no register"}));
  access linked = load_of(64);
  linked.kind = access_kind::load_linked;
  EXPECT_TRUE(names(refusal(linked), {"0x40", "load_linked"}));
  EXPECT_EQ(refusal(load_of((1 << 16) - 8)), "");
  EXPECT_EQ(refusal(load_of(remote(1))), "");
  EXPECT_EQ(refusal(store_of(testing::rest_register(1), 1)), "") << "of each node for itself";
}

/// Asks the other node, which never replies: the resume is lost.
class deaf_requests final : public fiber_protocol {
 public:
  std::string name() const override { return "deaf"; }
  std::vector<dispatch_rule> rules() const override {
    return request_rules(testing::request_space, asks, replies);
  }
  std::vector<handler> handlers() override {
    static constexpr named_body<deaf_requests> bodies[] = {{"request", &deaf_requests::request},
                                                           {"serve", &deaf_requests::serve},
                                                           {"reply", &deaf_requests::serve}};
    return handlers_from(*this, bodies);
  }
  void initialize(const protocol_storage&, word_memory&) override {}

 private:
  enum type : std::uint8_t { asks = 80, replies };

  void request(handler_context& context) {
    const std::uint64_t address = context.arrived().address;
    context.send(message_to(context.addresses().node_of(address), asks, message_lane::request,
                            address, context.keep_read()));
  }
  void serve(handler_context& context) { context.spend(10); }
};

TEST(smp_node, a_lost_resume_is_told_with_node_processor_and_cycle) {
  const auto deaf = [](node_id) { return testing::list_of(std::make_unique<deaf_requests>()); };
  smp_programs machine(small_machine(floating, 2), deaf, [](program_context& context) {
    if (context.rank() != 1) return;
    context.delay(1000);
    context.load(remote(1));
  });
  EXPECT_FALSE(machine.run(5000));
  const std::string told = machine.machine.open_requests();
  EXPECT_TRUE(names(told, {"node 0, processor 1", "in cycle 1001", "no handler has answered"}));
  EXPECT_EQ(told.find("processor 0"), std::string::npos) << told;
}

TEST(smp_node, an_event_that_the_schedule_does_not_know_is_told_with_node_and_cycle) {
  smp_machine machine(small_machine(floating, 2), null_requests, 1);
  const access works = store_of(testing::rest_register(1), 0);
  EXPECT_TRUE(names(failure<simulation_error>([&] { machine.node(1).port(0).offer(0, works, 0); }),
                    {"node 1 in cycle 0", "schedule floating", "processor 0", "computing", "work"}))
      << "it has not rested";
}

TEST(smp_node, refuses_a_second_access_of_a_processor) {
  smp_machine_config config = small_machine(floating, 2);
  config.node.memory_cycles = 9;
  smp_machine machine(config, null_requests, 1);
  processor_port& port = machine.node(0).port(1);
  EXPECT_TRUE(port.can_take(0));
  port.offer(0, load_of(64), 0);
  EXPECT_FALSE(port.can_take(0));
  EXPECT_EQ(port.outstanding(0), 1U);
  EXPECT_TRUE(names(failure<simulation_error>([&] { port.offer(0, load_of(72), 0); }),
                    {"node 0 in cycle 0", "0x48", "waits for another one"}));
  EXPECT_TRUE(machine.node(0).port(0).can_take(0)) << "the other processor";
  machine.run_until(20);
  EXPECT_TRUE(port.can_take(0));
}

/// No program is there that would stop.
TEST(smp_node, says_so_if_an_interrupted_processor_serves_none) {
  smp_machine machine(small_machine(single, 1), null_requests, 1);
  machine.node(0).port(0).offer(0, load_of(remote(1)), 0);
  EXPECT_TRUE(names(failure<simulation_error>([&] { machine.run_until(5000); }),
                    {"node 1 in cycle 420", "processor 0", "serves no interrupts"}));
}

/// A program that takes the line by which its node drafts it would never act.
TEST(smp_node, a_program_cannot_serve_the_line_by_which_it_is_drafted) {
  const auto serving = [](std::uint32_t line) {
    return [line](program_context& context) {
      context.interrupts(line, [](program_context&) {});
      context.delay(10);
    };
  };
  const smp_machine_config config = small_machine(floating, 1);
  EXPECT_TRUE(names(failure<simulation_error>([&] {
                      smp_programs machine(config, null_requests, serving(0));
                      machine.run();
                    }),
                    {"rank 0", "line 0", "choose another line"}));
  smp_programs other(config, null_requests, serving(1));
  EXPECT_TRUE(other.run());
}

// --- checkpoints ---------------------------------------------------------------------------------

struct ending {
  explicit ending(smp_programs& machine)
      : finished(machine.run()),
        end(machine.machine.now()),
        statistics(machine.statistics().to_json_text()),
        state(machine.save()) {}

  bool finished;
  cycle_t end;
  std::string statistics;
  std::string state;
};

void expect_equal(const ending& x, const ending& y, const std::string& where) {
  EXPECT_TRUE(x.finished && y.finished) << where;
  EXPECT_EQ(x.end, y.end) << where;
  EXPECT_EQ(x.statistics, y.statistics) << where;
  EXPECT_TRUE(x.state == y.state) << where;
}

/// Two requests of each processor, saved in many cycles.
TEST(smp_node, a_machine_that_was_saved_goes_on_as_the_other) {
  const auto short_work = [](program_context& context) {
    for (int i = 0; i < 2; ++i) {
      context.delay(200 + context.random(300));
      context.load(remote(1 - index(context.node()), 8 * context.random(64)));
    }
  };
  for (const auto& each : {std::pair(fixed, 3U), std::pair(floating, 2U), std::pair(single, 1U)}) {
    const schedule_kind kind = each.first;
    const std::uint32_t processors = each.second;
    smp_machine_config config = small_machine(kind, processors);
    config.node.costs.variation.percent = 10;
    config.node.memory.bytes = 1 << 13;
    config.node.protocol_bytes = 1 << 12;
    const auto make = [&] {
      return std::make_unique<smp_programs>(config, testing::block_fetches(processors, 8),
                                            short_work);
    };
    const auto whole = make();
    const ending expected(*whole);
    for (cycle_t when = 1; when < expected.end; when += 61) {
      const std::string where = std::string(name_of(kind)) + ", cycle " + std::to_string(when);
      const auto saved = make();
      saved->machine.run_until(when);
      const std::string state = saved->save();
      const auto restored = make();
      if (when % 2 == 0) restored->machine.run_until(when / 3);
      restored->restore(state);
      EXPECT_TRUE(restored->save() == state) << where;
      expect_equal(expected, ending(*restored), where);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace tributary
