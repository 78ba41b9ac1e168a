// SPDX-License-Identifier: Apache-2.0
// Barriers: nobody leaves before all have come, and what was done before a crossing is seen after.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <support/algorithm_runs.h>
#include <support/faulty_context.h>
#include <support/forwarding_context.h>
#include <support/reference_kinds.h>
#include <support/sizes.h>
#include <tributary/algorithms/barrier.h>
#include <tributary/algorithms/centralized_barrier.h>
#include <tributary/algorithms/dissemination_barrier.h>
#include <tributary/algorithms/ll_sc_barrier.h>
#include <tributary/algorithms/master_slave_barrier.h>
#include <tributary/algorithms/mcs_tree_barrier.h>
#include <tributary/algorithms/synchronization.h>
#include <tributary/algorithms/tournament_barrier.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

using testing::context_fault;
using testing::failure_on;
using testing::failure_on_any;
using testing::failure_on_coherent_nodes;
using testing::failure_on_ideal_memory;
using testing::failure_within;
using testing::faulty_context;
using testing::group_context;
using testing::program_maker;

using barrier_maker = std::function<std::unique_ptr<barrier>(program_context&)>;

struct named_barrier {
  std::string name;
  barrier_maker make;
};

constexpr memory_place place{3, 7, 5};  // not where an algorithm would put itself by default

barrier_maker mcs_tree(const mcs_tree_options& options) {
  return [options](program_context& c) {
    return std::make_unique<mcs_tree_barrier>(c, place, options);
  };
}

std::vector<named_barrier> all_barriers() {
  std::vector<named_barrier> all;
  for (const auto& [name, which] : barrier_algorithms()) {
    const barrier_algorithm kind = which;
    all.push_back({name, [kind](program_context& c) { return make_barrier(kind, c, place); }});
  }
  all.push_back({"dissemination, posted signals", [](program_context& c) {
                   return std::make_unique<dissemination_barrier>(c, place, true);
                 }});
  all.push_back({"centralized, in one module", [](program_context& c) {
                   return std::make_unique<centralized_barrier>(c, c.shared_address(mm_id{1}, 0),
                                                                c.shared_address(mm_id{1}, 1));
                 }});
  all.push_back({"mcs_tree, three and five", mcs_tree({3, 5, true})});
  all.push_back({"mcs_tree, eight and one", mcs_tree({8, 1, true})});
  all.push_back({"tournament of three", [](program_context& c) {
                   tournament_options options;
                   options.radix = 3;
                   options.distance = 2;
                   options.farthest_first = false;
                   return std::make_unique<tournament_barrier>(c, place, options);
                 }});
  return all;
}

/// Of processors with caches only, by load-linked and store-conditional.
std::vector<named_barrier> linked_barriers() {
  std::vector<named_barrier> all;
  for (const ll_sc_barrier::reading how :
       {ll_sc_barrier::reading::first_exclusive, ll_sc_barrier::reading::shared,
        ll_sc_barrier::reading::exclusive}) {
    all.push_back({"ll_sc", [how](program_context& c) {
                     return std::make_unique<ll_sc_barrier>(c, c.shared_address(mm_id{0}, 16),
                                                            c.shared_address(mm_id{0}, 48), how);
                   }});
  }
  for (const std::uint32_t radix : {2U, 4U}) {
    all.push_back({"tournament, locked counts", [radix](program_context& c) {
                     tournament_options options;
                     options.radix = radix;
                     options.signals = tournament_options::signal::locked_counts;
                     options.distance = 16;
                     return std::make_unique<tournament_barrier>(c, place, options);
                   }});
  }
  return all;
}

/// Elements below `members` come after random pauses and look whether all the others have when
/// they leave.
class crossings final : public program {
 public:
  crossings(barrier_maker make, std::uint32_t members, std::uint32_t steps,
            std::uint64_t hesitation)
      : make_(std::move(make)), members_(members), steps_(steps), hesitation_(hesitation) {}

  void reset() override { come_.assign(steps_, 0); }

  void run(program_context& machine) override {
    if (machine.rank() >= members_) return;
    group_context group(machine, members_);
    faulty_context context(group, context_fault::none, {hesitation_, false});
    const std::unique_ptr<barrier> end = make_(context);
    for (std::uint32_t step = 0; step < steps_; ++step) {
      // Some crossings follow closely, as nothing else brings fast and slow elements together.
      if (step % 4 < 2) context.delay(context.random(150));
      ++come_[step];
      end->cross();
      if (come_[step] != members_) {
        throw simulation_error("element " + std::to_string(context.rank()) + " left crossing " +
                               std::to_string(step) + " when " + std::to_string(come_[step]) +
                               " of " + std::to_string(members_) + " had come");
      }
    }
  }

 private:
  barrier_maker make_;
  std::uint32_t members_;
  std::uint32_t steps_;
  std::uint64_t hesitation_;
  std::vector<std::uint32_t> come_;  // by step
};

/// With `hesitation` one reference in eight is made late, by up to so many cycles.
program_maker crossing_program(const barrier_maker& make, std::uint32_t members,
                               std::uint32_t steps, std::uint64_t hesitation = 0) {
  return [=](const std::string&) {
    return std::make_unique<crossings>(make, members, steps, hesitation);
  };
}

/// Elements of the smallest and the largest machines.
constexpr std::uint32_t least_elements = testing::sanitized ? 4 : 2;
constexpr std::uint32_t most_elements = testing::sanitized ? 4 : 64;

/// Seeds of each case; TRIBUTARY_LONG=1 asks for more.
std::uint64_t seeds() { return testing::long_form() ? 50 : testing::scaled(3); }

TEST(barrier, holds_everybody_back_on_every_machine) {
  for (const named_barrier& each : all_barriers()) {
    for (std::uint32_t elements = least_elements; elements <= most_elements; elements *= 2) {
      for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
        EXPECT_EQ(failure_on_any(elements, seed,
                                 crossing_program(each.make, elements, 6, seed % 2 == 0 ? 300 : 0)),
                  "")
            << each.name;
      }
    }
  }
}

TEST(barrier, holds_everybody_back_on_many_coherent_nodes) {
  for (const named_barrier& each : all_barriers()) {
    for (const std::uint32_t nodes : testing::many_nodes()) {
      const program_maker make = crossing_program(each.make, nodes, nodes == 16 ? 3 : 1);
      EXPECT_EQ(failure_on_coherent_nodes(nodes, 2, make), "") << each.name;
    }
  }
}

TEST(barrier, holds_groups_of_any_size_back) {
  const testing::named_design& improved = testing::designs_for_programs()[3];
  for (const named_barrier& each : all_barriers()) {
    for (const std::uint32_t members : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 11U, 16U, 17U, 24U, 31U, 32U}) {
      if (testing::sanitized && members % 8 != 3) continue;
      const program_maker make =
          crossing_program(each.make, members, 8, members % 2 == 0 ? 300 : 0);
      EXPECT_EQ(failure_on_ideal_memory(32, members, make), "") << each.name << ", " << members;
      EXPECT_EQ(failure_on(improved, 32, members, make), "") << each.name << ", " << members;
    }
  }
}

TEST(barrier, lets_one_element_pass) {
  for (const named_barrier& each : all_barriers()) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      EXPECT_EQ(failure_on_ideal_memory(2, seed, crossing_program(each.make, 1, 5)), "")
          << each.name;
    }
  }
}

TEST(barrier, holds_everybody_back_where_references_come_late) {
  constexpr std::uint64_t late = 2000;  // more than a crossing takes
  for (const named_barrier& each : all_barriers()) {
    for (const std::uint32_t elements : {2U, 16U}) {
      EXPECT_EQ(failure_within(testing::sanitized ? 1 : 4, elements,
                               crossing_program(each.make, elements, 40, late)),
                "")
          << each.name;
    }
  }
}

/// Lets everybody through.
class no_barrier final : public barrier {
 public:
  void cross() override {}
};

TEST(barrier, that_holds_nobody_back_is_found) {
  const auto make = [](program_context&) { return std::make_unique<no_barrier>(); };
  EXPECT_NE(failure_within(20, 2, crossing_program(make, 2, 40)), "");
}

// ---- what was done before a crossing

/// What the elements below `members` do before a crossing.
struct exchange_kind {
  context_fault fault = context_fault::none;
  bool posts = false;  // and fences
};

/// Every member changes words of its own, crosses, reads one of another's, and crosses again before
/// the next change. All words lie in the last module, where the changes queue.
class exchange final : public program {
 public:
  exchange(barrier_maker make, std::uint32_t members, const exchange_kind& kind)
      : make_(std::move(make)), members_(members), kind_(kind) {}

  void run(program_context& machine) override {
    if (machine.rank() >= members_) return;
    group_context group(machine, members_);
    faulty_context context(group, kind_.fault);
    const std::unique_ptr<barrier> end = make_(group);
    for (word_t value = 1; value <= 6; ++value) {
      const std::uint64_t other = context.random(members_);
      for (std::uint64_t i = 0; i < words; ++i)
        change(context, word(machine, machine.rank(), i), value);
      if (kind_.posts) context.fence();
      end->cross();
      const word_t seen = context.load(word(machine, other, words - 1));
      if (seen != value) {
        throw simulation_error("element " + std::to_string(context.rank()) + " reads " +
                               std::to_string(seen) + " of element " + std::to_string(other) +
                               " instead of " + std::to_string(value));
      }
      end->cross();
    }
  }

 private:
  static constexpr std::uint64_t words = 8;  // of each member

  static std::uint64_t word(const program_context& machine, std::uint64_t rank, std::uint64_t i) {
    return machine.shared_address(mm_id{machine.nodes() - 1}, 20 + rank * words + i);
  }
  void change(program_context& context, std::uint64_t address, word_t value) const {
    if (kind_.posts) {
      context.post(operation::store, address, value, 0);
    } else {
      context.store(address, value);
    }
  }

  barrier_maker make_;
  std::uint32_t members_;
  exchange_kind kind_;
};

program_maker exchange_program(const barrier_maker& make, std::uint32_t members,
                               const exchange_kind& kind) {
  return [=](const std::string&) { return std::make_unique<exchange>(make, members, kind); };
}

TEST(barrier, what_was_stored_before_is_read_after) {
  for (const named_barrier& each : all_barriers()) {
    for (std::uint32_t elements = least_elements; elements <= most_elements; elements *= 4) {
      for (const bool posts : {false, true}) {
        const exchange_kind kind{context_fault::none, posts};
        EXPECT_EQ(failure_on_any(elements, 5, exchange_program(each.make, elements, kind)), "")
            << each.name << (posts ? ", posted and fenced" : "");
      }
    }
  }
}

TEST(barrier, by_linked_words_holds_everybody_back) {
  for (const named_barrier& each : linked_barriers()) {
    for (const std::uint32_t nodes : {2U, 4U, 8U, 16U}) {
      if (testing::sanitized && nodes > 4) break;
      for (const std::uint64_t seed : {1U, 2U}) {
        const program_maker make = crossing_program(each.make, nodes, 4, seed == 2 ? 300 : 0);
        EXPECT_EQ(failure_on_coherent_nodes(nodes, seed, make), "") << each.name << ", " << nodes;
        const exchange_kind posted{context_fault::none, true};
        EXPECT_EQ(
            failure_on_coherent_nodes(nodes, seed, exchange_program(each.make, nodes, posted)), "")
            << each.name << ", " << nodes;
      }
    }
  }
}

TEST(barrier, what_was_posted_without_a_fence_is_missed) {
  const exchange_kind wrong[]{{context_fault::no_fence, true},
                              {context_fault::posted_stores, false}};
  const testing::named_design& no_combining = testing::designs_for_programs()[0];
  for (const named_barrier& each : all_barriers()) {
    for (const exchange_kind& kind : wrong) {
      std::string failure;
      for (std::uint64_t seed = 1; failure.empty() && seed <= 20; ++seed) {
        failure = failure_on(no_combining, 16, seed, exchange_program(each.make, 8, kind));
      }
      EXPECT_NE(failure, "") << each.name << (kind.posts ? ", no fence" : ", stores not awaited");
    }
  }
}

// ---- a master that releases the others

/// Of a barrier whose element 0 comes back alone: all come before it does, and the others go only
/// when it lets them.
template <class Barrier, class... Arguments>
program_maker master_program(const Arguments&... arguments) {
  return [=](const std::string&) {
    auto come = std::make_shared<std::vector<std::uint32_t>>(5);
    return make_program([=](program_context& context) {
      Barrier own(context, arguments(context)...);
      const std::uint32_t all = context.size();
      for (std::uint32_t& here : *come) {
        context.delay(context.random(200));
        ++here;
        own.cross();
        if (here < all) throw simulation_error("an element left before all had come");
        if (context.rank() == 0) {
          context.delay(500);
          ++here;
          own.release();
        } else if (here == all) {
          throw simulation_error("an element left before the master let it go");
        }
      }
    });
  };
}

program_maker mcs_master(bool clears) {
  return master_program<mcs_tree_barrier>([](program_context&) { return place; },
                                          [clears](program_context&) {
                                            return mcs_tree_options{2, 2, clears, true};
                                          });
}
program_maker basic_master() {
  return master_program<master_slave_barrier>(
      [](program_context& c) { return c.shared_address(mm_id{0}, 16); },
      [](program_context& c) { return c.shared_address(mm_id{0}, 48); });
}

TEST(barrier, a_master_lets_the_others_go) {
  for (const std::uint32_t elements : {2U, 4U, 16U}) {
    for (const program_maker& make : {mcs_master(false), mcs_master(true)}) {
      EXPECT_EQ(failure_on_any(elements, elements, make), "") << elements;
    }
    EXPECT_EQ(failure_on_coherent_nodes(elements, elements, basic_master()), "") << elements;
  }
}

/// The first element does what `wrong` says with its end of a barrier.
template <class Barrier, class... Arguments>
std::string failure_of(const std::function<void(Barrier&)>& wrong, const Arguments&... arguments) {
  return failure_on_ideal_memory(2, 1, [&](const std::string&) {
    return make_program([&](program_context& context) {
      if (context.rank() != 0) return;
      Barrier own(context, arguments...);
      wrong(own);
    });
  });
}

TEST(barrier, a_release_that_nobody_may_call_is_refused) {
  EXPECT_NE(failure_of<mcs_tree_barrier>([](mcs_tree_barrier& own) { own.release(); }, place)
                .find("only element 0"),
            std::string::npos);
  EXPECT_NE(failure_of<master_slave_barrier>([](master_slave_barrier& own) { own.release(); },
                                             std::uint64_t{0}, std::uint64_t{256})
                .find("only element 0"),
            std::string::npos);
}

TEST(barrier, options_out_of_range_are_refused_by_name) {
  const auto refused = [](auto make) {
    return failure_on_ideal_memory(2, 1, [&](const std::string&) {
      return make_program([&](program_context& context) { make(context); });
    });
  };
  const auto mcs = [&](std::uint32_t arrivals, std::uint32_t wakes) {
    return refused([=](program_context& context) {
      mcs_tree_barrier(context, place, mcs_tree_options{arrivals, wakes});
    });
  };
  const auto tournament = [&](std::uint32_t radix, std::uint64_t distance) {
    return refused([=](program_context& context) {
      tournament_options options;
      options.radix = radix;
      options.distance = distance;
      tournament_barrier(context, place, options);
    });
  };
  EXPECT_NE(mcs(0, 2).find("mcs_tree_barrier.arrival_fan"), std::string::npos);
  EXPECT_NE(mcs(9, 2).find("1 to 8"), std::string::npos);
  EXPECT_NE(mcs(4, 0).find("mcs_tree_barrier.wake_fan"), std::string::npos);
  EXPECT_NE(tournament(1, 1).find("tournament_barrier.radix"), std::string::npos);
  EXPECT_NE(tournament(2, 0).find("tournament_barrier.distance"), std::string::npos);
}

// ---- references

/// What an element asks for in a crossing, its looks at words that it spins on aside.
struct expected_references {
  std::uint64_t network_updates = 0;
  std::uint64_t own_spins = 0;  // each at least one look
};

expected_references expected_of(barrier_algorithm which, std::uint32_t rank, std::uint32_t n) {
  const std::uint32_t rounds = dissemination_barrier::rounds(n);
  const std::uint32_t loses = rank == 0 ? 0 : 1;
  if (which == barrier_algorithm::dissemination) return {rounds, rounds};
  if (which == barrier_algorithm::tournament) {
    std::uint32_t won = 0;
    while (won < rounds && (rank >> won) % 2 == 0) ++won;
    std::uint32_t losers = 0;
    for (std::uint32_t round = 0; round < won; ++round) losers += rank + (1U << round) < n ? 1 : 0;
    return {losers + loses, losers + loses};
  }
  if (which == barrier_algorithm::mcs_tree) {
    const std::uint32_t woken = std::min(n, 2 * rank + 3) - std::min(n, 2 * rank + 1);
    return {woken + loses, (4 * rank + 1 < n ? 1U : 0U) + loses};
  }
  return {1, 0};
}

constexpr std::uint64_t counted_crossings = 4;

std::vector<testing::reference_kinds> references_of(const barrier_maker& make, std::uint32_t n) {
  ultracomputer machine(testing::program_machine(testing::designs_for_programs()[3], n), 1,
                        make_program([&](program_context& context) {
                          const std::unique_ptr<barrier> end = make(context);
                          for (std::uint64_t i = 0; i < counted_crossings; ++i) end->cross();
                        }));
  const testing::reference_kinds_counter counter(machine);
  testing::run_to_end(machine);
  // What did not take the network was served by the elements' own modules.
  std::uint64_t own = 0;
  for (const testing::reference_kinds& each : counter.counts()) {
    own += each.own_loads + each.own_updates;
  }
  EXPECT_EQ(machine.statistics().find("memory.served_locally"), static_cast<double>(own));
  return counter.counts();
}

TEST(barrier, makes_as_many_references_as_its_page_says) {
  for (const auto& [name, which] : barrier_algorithms()) {
    for (std::uint32_t n = 2; n <= 64; n *= 2) {
      const barrier_algorithm kind = which;
      const auto counts =
          references_of([kind](program_context& c) { return make_barrier(kind, c, place); }, n);
      std::uint64_t updates = 0;
      for (std::uint32_t rank = 0; rank < n; ++rank) {
        const expected_references expected = expected_of(kind, rank, n);
        const testing::reference_kinds& seen = counts[rank];
        updates += seen.network_updates;
        EXPECT_EQ(seen.own_updates, 0U) << name << ", element " << rank << " of " << n;
        EXPECT_GE(seen.own_loads, counted_crossings * expected.own_spins) << name << ", " << rank;
        if (kind == barrier_algorithm::centralized) continue;  // the last one makes two more
        EXPECT_EQ(seen.network_updates, counted_crossings * expected.network_updates)
            << name << ", element " << rank << " of " << n;
        EXPECT_EQ(seen.network_loads, 0U) << name << " polls through the network";
      }
      const std::uint64_t all = kind == barrier_algorithm::centralized ? n + 2
                                : kind == barrier_algorithm::dissemination
                                    ? n * expected_of(kind, 0, n).network_updates
                                    : 2 * (n - 1);
      EXPECT_EQ(updates, counted_crossings * all) << name << " on " << n;
    }
  }
}

}  // namespace
}  // namespace tributary
