// SPDX-License-Identifier: Apache-2.0
// Locks under random timing: one holder at a time, who sees all that earlier holders did; everybody
// gets in; first come, first served where that is promised.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tributary/algorithms/ll_sc_lock.h>
#include <tributary/algorithms/mcs_queue_lock.h>
#include <tributary/algorithms/test_and_set_lock.h>
#include <tributary/algorithms/ticket_lock.h>
#include <tributary/sim/error.h>

#include "support/algorithm_runs.h"
#include "support/faulty_context.h"
#include "support/reference_kinds.h"
#include "support/sizes.h"
#include "support/text_checks.h"
#include "support/word_order.h"

namespace tributary {
namespace {

using testing::context_fault;
using testing::faulty_context;

using lock_maker =
    std::function<std::unique_ptr<mutual_exclusion_lock>(program_context&, const memory_place&)>;

template <class Lock>
lock_maker make_lock() {
  return [](program_context& context, const memory_place& place) {
    return std::make_unique<Lock>(context, place);
  };
}

struct named_lock {
  const char* name;
  lock_maker make;
  bool in_order;  ///< of the reference that `decides`
  form decides = form::identity;
};

const std::vector<named_lock>& locks() {
  static const std::vector<named_lock> all{
      {"test_and_set_lock", make_lock<test_and_set_lock>(), false},
      {"ticket_lock", make_lock<ticket_lock>(), true, form::add},
      {"mcs_queue_lock", make_lock<mcs_queue_lock>(), true, form::constant},
      {"mcs_queue_lock that clears first",
       [](program_context& context, const memory_place& place) {
         return std::make_unique<mcs_queue_lock>(context, place,
                                                 mcs_queue_lock::clearing::in_acquire);
       },
       true, form::constant},
  };
  return all;
}

/// Of `ll_sc_lock`, which machines without caches refuse.
const std::vector<named_lock>& linked_locks() {
  using reading = ll_sc_lock::reading;
  const auto reads = [](reading how) {
    return [how](program_context& context, const memory_place& place) {
      return std::make_unique<ll_sc_lock>(context, place, exponential_back_off{}, how);
    };
  };
  static const std::vector<named_lock> all{
      {"ll_sc_lock, first exclusive", reads(reading::first_exclusive), false},
      {"ll_sc_lock, shared", reads(reading::shared), false},
      {"ll_sc_lock, exclusive", reads(reading::exclusive), false},
  };
  return all;
}

/// Elements take a lock again and again; holders read and write some words, and leave it to the
/// lock that the writes complete. Throws what the lock does wrong.
class holders final : public program {
 public:
  struct plan {
    std::uint32_t rounds = 6;
    std::uint64_t longest_pause = 60;
    std::uint64_t longest_hold = 30;
    context_fault fault = context_fault::none;
    testing::adversity luck;
  };
  static constexpr memory_place place{1, 3, 5};

  holders(lock_maker make, const plan& what) : make_(std::move(make)), plan_(what) {}

  void run(program_context& context) override {
    faulty_context faulty(context, plan_.fault, plan_.luck);
    const std::unique_ptr<mutual_exclusion_lock> lock = make_(faulty, place);
    for (std::uint32_t round = 0; round < plan_.rounds; ++round) {
      context.delay(context.random(plan_.longest_pause));
      lock->acquire();
      hold(faulty);
      lock->release();
    }
    faulty.finish();
  }

  /// Who got the lock, in order.
  const std::vector<std::uint32_t>& grants() const { return grants_; }

 private:
  void hold(program_context& context) {
    if (inside_++ != 0) throw simulation_error("two elements hold the lock");
    const word_t before = grants_.size();
    grants_.push_back(context.rank());
    check_words(context, before);
    context.delay(context.random(plan_.longest_hold));
    for (std::uint64_t i = 0; i < words; ++i) {
      context.post(operation::store, data(context, i), before + 1);
    }
    if (--inside_ != 0) throw simulation_error("two elements hold the lock");
  }

  static void check_words(program_context& context, word_t expected) {
    std::vector<pending> loads;
    for (std::uint64_t i = 0; i < words; ++i) {
      loads.push_back(context.issue(operation::load, data(context, i)));
    }
    for (const pending& each : loads) {
      if (context.wait(each) != expected) {
        throw simulation_error("a holder does not see what the one before it wrote");
      }
    }
  }

  /// Words that the lock has not.
  static std::uint64_t data(const program_context& context, std::uint64_t i) {
    return context.shared_address(1024 + i);
  }
  static constexpr std::uint64_t words = 8;

  lock_maker make_;
  plan plan_;
  std::uint32_t inside_ = 0;
  std::vector<std::uint32_t> grants_;
};

testing::program_maker maker(const lock_maker& lock, const holders::plan& plan) {
  return [lock, plan](const std::string&) { return std::make_unique<holders>(lock, plan); };
}

holders::plan plan_of(std::uint64_t seed) {
  holders::plan plan;
  plan.longest_pause = seed % 3 == 0 ? 1 : 200;
  plan.longest_hold = seed % 2 == 0 ? 1 : 30;
  if (seed % 4 > 1) plan.luck = {300, true};
  return plan;
}

TEST(mutual_exclusion, one_holder_who_sees_what_others_did_and_everybody_gets_in) {
  for (const named_lock& each : locks()) {
    const std::uint64_t seeds = testing::long_form() ? 200 : testing::scaled(6);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      for (const std::uint32_t elements : {2U, 4U, 16U}) {
        const holders::plan plan = plan_of(seed);
        EXPECT_EQ(testing::failure_on_any(elements, seed, maker(each.make, plan)), "") << each.name;
      }
    }
  }
}

TEST(mutual_exclusion, by_load_linked_on_nodes_with_caches) {
  for (const named_lock& each : linked_locks()) {
    const std::uint64_t seeds = testing::long_form() ? 200 : testing::scaled(4);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      for (const std::uint32_t elements : {2U, 4U, 8U}) {
        const holders::plan plan = plan_of(seed);
        EXPECT_EQ(testing::failure_on_coherent_nodes(elements, seed, maker(each.make, plan)), "")
            << each.name;
      }
    }
  }
}

TEST(mutual_exclusion, what_needs_caches_is_refused_by_name_without_them) {
  const auto word = [](program_context& context) { return context.shared_address(1); };
  struct named_call {
    const char* name;
    std::function<void(program_context&)> make;
  };
  std::vector<named_call> calls{
      {"load_linked", [&](program_context& c) { c.load_linked(word(c)); }},
      {"store_conditional", [&](program_context& c) { c.store_conditional(word(c), 1); }},
      {"prefetch", [&](program_context& c) { c.prefetch(word(c)); }},
      {"prefetch_exclusive", [&](program_context& c) { c.prefetch_exclusive(word(c)); }}};
  for (const named_lock& each : linked_locks()) {
    const lock_maker make = each.make;
    calls.push_back({"", [make](program_context& c) { make(c, holders::place)->acquire(); }});
  }
  const testing::named_design& omega = testing::designs_for_programs().front();
  for (const named_call& each : calls) {
    const testing::program_maker on_element_1 = [&](const std::string&) {
      return make_program([&](program_context& context) {
        if (context.rank() == 1) each.make(context);
      });
    };
    const std::string name = *each.name == '\0' ? "" : std::string(each.name) + ", ";
    for (const std::string& refused : {testing::failure_on_ideal_memory(2, 1, on_element_1),
                                       testing::failure_on(omega, 2, 1, on_element_1),
                                       testing::failure_on_nodes(2, 1, on_element_1)}) {
      EXPECT_TRUE(testing::names(refused, {"processing element 1", name, "have no caches"}));
    }
  }
}

/// Runs a lock on a design and compares who decided first with who got in first. Returns the first
/// difference as a sentence, or an empty string.
std::string order_broken(const named_lock& lock, const testing::named_design& design,
                         std::uint32_t elements, std::uint32_t rounds, std::uint64_t seed) {
  holders::plan plan;
  plan.rounds = rounds;
  plan.longest_pause = 20;
  auto made = std::make_unique<holders>(lock.make, plan);
  const holders& seen = *made;
  ultracomputer machine(testing::overlapping_machine(design, elements), seed, std::move(made));
  const testing::word_order order(machine);
  testing::run_to_end(machine, testing::short_run);
  const address_region& shared = machine.addresses().regions().front();
  const std::uint64_t word =
      machine.addresses().address_in(shared, mm_id{holders::place.module}, holders::place.row);
  const std::vector<std::uint32_t> decided = order.elements(word, lock.decides);
  const std::vector<std::uint32_t>& grants = seen.grants();
  if (decided.size() != std::size_t{elements} * rounds || grants.size() != decided.size()) {
    return std::to_string(decided.size()) + " references decided " + std::to_string(grants.size()) +
           " grants";
  }
  const auto differ = std::mismatch(grants.begin(), grants.end(), decided.begin());
  if (differ.first == grants.end()) return "";
  return "grant " + std::to_string(differ.first - grants.begin()) + " went to element " +
         std::to_string(*differ.first) + " before element " + std::to_string(*differ.second);
}

TEST(mutual_exclusion, granted_in_the_order_of_the_deciding_reference) {
  for (const named_lock& each : locks()) {
    if (!each.in_order) continue;
    for (const testing::named_design& design : testing::designs_for_programs()) {
      for (std::uint64_t seed = 1; seed <= testing::scaled(4); ++seed) {
        EXPECT_EQ(order_broken(each, design, 16, 5, seed), "")
            << each.name << ", " << design.name << ", 16 elements, seed " << seed;
      }
    }
  }
}

/// Without its fence each lock lets a holder in before it can see what the last one wrote.
TEST(mutual_exclusion, a_missing_fence_is_found) {
  for (const named_lock& each : locks()) {
    holders::plan plan;
    plan.fault = context_fault::no_fence;
    plan.luck.holds_posts = true;
    const std::string found = testing::failure_within(20, 8, maker(each.make, plan));
    EXPECT_NE(found.find("does not see"), std::string::npos) << each.name << ": " << found;
  }
  for (const named_lock& each : linked_locks()) {
    holders::plan plan;
    plan.fault = context_fault::no_fence;
    plan.luck.holds_posts = true;
    EXPECT_NE(testing::failure_on_coherent_nodes(8, 1, maker(each.make, plan)).find("does not see"),
              std::string::npos)
        << each.name;
  }
}

/// Where an update is a load and a store, two get the lock, or a link of the list is lost.
TEST(mutual_exclusion, updates_that_are_not_atomic_are_found) {
  for (const named_lock& each : locks()) {
    holders::plan plan;
    plan.fault = context_fault::split_updates;
    EXPECT_NE(testing::failure_within(20, 8, maker(each.make, plan)), "") << each.name;
  }
}

/// However many want it: an MCS lock is polled in the own memory only, and takes a swap, a link,
/// and a hand-over or an attempt to leave nobody behind, at times both; a ticket lock takes a draw
/// and a store beside its polls.
TEST(mutual_exclusion, references_where_everybody_wants_it) {
  constexpr std::uint32_t elements = 16;
  constexpr std::uint32_t rounds = 5;
  constexpr std::uint64_t grants = std::uint64_t{elements} * rounds;
  const auto of = [](const lock_maker& make, const testing::named_design& design) {
    const auto contend = [&make](program_context& context) {
      const std::unique_ptr<mutual_exclusion_lock> lock = make(context, holders::place);
      for (std::uint32_t round = 0; round < rounds; ++round) {
        lock->acquire();
        lock->release();
      }
    };
    ultracomputer machine(testing::program_machine(design, elements), 1, make_program(contend));
    const testing::reference_kinds_counter counter(machine);
    testing::run_to_end(machine);
    testing::reference_kinds all;
    for (const testing::reference_kinds& each : counter.counts()) {
      all.network_loads += each.network_loads;
      all.network_updates += each.network_updates;
      all.own_loads += each.own_loads;
      all.own_updates += each.own_updates;
    }
    return all;
  };
  for (const testing::named_design& design : testing::designs_for_programs()) {
    const testing::reference_kinds mcs = of(make_lock<mcs_queue_lock>(), design);
    EXPECT_EQ(mcs.network_loads, 0U) << design.name;
    EXPECT_GT(mcs.network_updates, 2 * grants) << design.name;
    EXPECT_LE(mcs.network_updates, 4 * grants) << design.name;
    EXPECT_LE(mcs.own_updates, 2 * grants) << design.name;
    const testing::reference_kinds ticket = of(make_lock<ticket_lock>(), design);
    EXPECT_EQ(ticket.network_updates, 2 * grants) << design.name;
    EXPECT_GT(ticket.network_loads, 2 * grants) << design.name;
    EXPECT_EQ(ticket.own_loads + ticket.own_updates, 0U) << design.name;
  }
}

/// Delays between attempts: within the bound, which doubles up to the most, and other ones for
/// other elements and seeds.
TEST(mutual_exclusion, back_off_is_bounded_and_drawn_by_each_element) {
  class waiting final : public program {
   public:
    void run(program_context& context) override {
      const memory_place place{0, 0, 0};
      if (context.rank() == 0) {
        context.store(place.central(context, 0), 1);
        context.delay(3000);
        context.store(place.central(context, 0), 0);
        return;
      }
      context.delay(100);
      test_and_set_lock lock(context, place, {8, 64});
      lock.acquire();
      lock.release();
    }
  };
  struct attempts final : observer<offered_request> {
    std::vector<std::vector<cycle_t>> of = std::vector<std::vector<cycle_t>>(4);
    void on_event(const offered_request& offered) override {
      if (offered.request.function == function_of(operation::test_and_set)) {
        of[static_cast<std::uint32_t>(offered.pe)].push_back(offered.cycle);
      }
    }
  };
  const auto gaps = [](std::uint64_t seed) {
    ultracomputer_config config = testing::program_machine(testing::designs_for_programs()[0], 4);
    ultracomputer machine(config, seed, std::make_unique<waiting>());
    attempts seen;
    machine.interfaces().offers().attach(seen);
    testing::run_to_end(machine);
    machine.interfaces().offers().detach(seen);
    return seen.of;
  };
  const std::vector<std::vector<cycle_t>> seen = gaps(1);
  EXPECT_EQ(seen, gaps(1));
  EXPECT_NE(seen, gaps(2));
  cycle_t longest = 0;
  for (std::size_t element = 1; element < 4; ++element) {
    ASSERT_GT(seen[element].size(), 10U);
    for (std::size_t i = 1; i + 1 < seen[element].size(); ++i) {
      const cycle_t gap = seen[element][i] - seen[element][i - 1];
      const std::uint64_t bound = std::min<std::uint64_t>(64, std::uint64_t{8} << (i - 1));
      // Latency without waiting and turnaround, then the draw's cycle and 1 to `bound`; the other
      // elements' attempts delay an attempt by some memory intervals.
      EXPECT_GE(gap, 6 + 10 + 1 + 1);
      EXPECT_LE(gap, 6 + 10 + 1 + bound + 16) << "attempt " << i;
      longest = std::max(longest, gap);
    }
  }
  EXPECT_GT(longest, 6 + 10 + 1 + 32);
}

TEST(mutual_exclusion, back_off_out_of_range_is_refused) {
  for (const exponential_back_off& bad : {exponential_back_off{0, 5}, {9, 8}}) {
    const auto refused = [&bad](program_context& context) {
      EXPECT_THROW(test_and_set_lock(context, memory_place{}, bad), configuration_error);
    };
    ultracomputer machine(testing::program_machine(testing::designs_for_programs()[0], 2), 1,
                          make_program(refused));
    testing::run_to_end(machine);
  }
}

}  // namespace
}  // namespace tributary
