// SPDX-License-Identifier: Apache-2.0
// The fetch-and-add queue under random timing: linearizable, full and empty answers included, every
// item once; and that its checkers find what is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tributary/algorithms/fetch_add_queue.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include "support/algorithm_runs.h"
#include "support/faulty_context.h"
#include "support/queue_history.h"
#include "support/sizes.h"

namespace tributary {
namespace {

using testing::context_fault;
using testing::faulty_context;
using testing::queue_call;

constexpr memory_place place{1, 3, 0};

/// How a run is judged.
enum class judged : std::uint8_t {
  by_all_orders,  ///< short histories only
  by_patterns
};

struct plan {
  std::uint64_t capacity = 2;
  std::uint32_t calls = 6;  ///< of each element, before it empties the queue
  std::uint64_t longest_pause = 60;
  judged how = judged::by_all_orders;
  context_fault fault = context_fault::none;
  testing::adversity luck;
};

/// Elements enqueue and dequeue at random, and in the end dequeue until the queue is empty. Whoever
/// gets an item also reads what its sender wrote before. `verdict` judges the history.
class exchange final : public program {
 public:
  explicit exchange(const plan& what) : plan_(what) {}

  void run(program_context& context) override {
    faulty_context faulty(context, plan_.fault, plan_.luck);
    fetch_add_queue queue(faulty, place, plan_.capacity);
    for (word_t number = 0; number < plan_.calls; ++number) {
      context.delay(context.random(plan_.longest_pause));
      if (context.random(2) == 0) {
        send(faulty, queue, context.rank() * std::uint64_t{1024} + number + 1);
      } else {
        receive(faulty, queue);
      }
    }
    while (receive(faulty, queue)) {
    }
    faulty.finish();
    ++ended_;
    if (ended_ == context.size()) judge();
  }

 private:
  void send(program_context& context, fetch_add_queue& queue, word_t item) {
    context.post(operation::store, letter(context, item), item);
    const cycle_t begin = context.now();
    const bool done = queue.enqueue(item);
    calls_.push_back({true, done, item, begin, context.now()});
  }

  bool receive(program_context& context, fetch_add_queue& queue) {
    const cycle_t begin = context.now();
    const std::optional<word_t> item = queue.dequeue();
    calls_.push_back({false, item.has_value(), item.value_or(0), begin, context.now()});
    if (item && context.load(letter(context, *item)) != *item) {
      throw simulation_error("the receiver of an item does not see what its sender wrote");
    }
    return item.has_value();
  }

  static std::uint64_t letter(const program_context& context, word_t item) {
    return context.shared_address(65536 + item);
  }

  void judge() const {
    std::string problem = testing::find_bad_pattern(calls_, plan_.capacity);
    if (problem.empty() && plan_.how == judged::by_all_orders) {
      problem = testing::find_no_order(calls_, plan_.capacity);
    }
    if (problem.empty()) problem = find_remains();
    if (!problem.empty()) throw simulation_error(problem);
  }

  std::string find_remains() const {
    std::int64_t balance = 0;
    for (const queue_call& call : calls_) {
      if (call.done) balance += call.enqueues ? 1 : -1;
    }
    return balance == 0 ? "" : std::to_string(balance) + " items were left behind";
  }

  plan plan_;
  std::uint32_t ended_ = 0;
  std::vector<queue_call> calls_;
};

testing::program_maker maker(const plan& what) {
  return [what](const std::string&) { return std::make_unique<exchange>(what); };
}

TEST(fetch_add_queue, short_histories_have_an_order) {
  const std::uint64_t seeds = testing::long_form() ? 500 : testing::scaled(30);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    plan what;
    what.capacity = 1 + seed % 4;
    what.longest_pause = seed % 3 == 0 ? 1 : 100;
    if (seed % 4 > 1) what.luck = {1000, true};
    const std::uint32_t elements = seed % 2 == 0 ? 2 : 4;
    ASSERT_EQ(testing::failure_on_any(elements, seed, maker(what)), "")
        << "capacity " << what.capacity;
  }
}

/// On ideal memory, with references so late that a counter changes between two looks.
TEST(fetch_add_queue, histories_of_late_references_have_an_order) {
  plan what;
  what.longest_pause = 20;
  what.luck.hesitation = 2000;
  EXPECT_EQ(testing::failure_within(testing::halved(100), 4, maker(what)), "");
}

TEST(fetch_add_queue, long_histories_have_no_bad_pattern) {
  const std::uint64_t seeds = testing::long_form() ? 50 : testing::halved(4);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    plan what;
    what.capacity = std::uint64_t{1} << (2 * (seed % 4));
    what.calls = 25;
    what.how = judged::by_patterns;
    if (seed % 2 == 0) what.luck = {1000, true};
    for (const std::uint32_t elements : {16U, 32U}) {
      ASSERT_EQ(testing::failure_on_any(elements, seed, maker(what)), "")
          << "capacity " << what.capacity;
    }
  }
}

TEST(fetch_add_queue, has_no_bad_pattern_on_many_coherent_nodes) {
  for (const std::uint32_t nodes : testing::many_nodes()) {
    plan what;
    what.capacity = 16;
    what.calls = 2;
    what.longest_pause = 2000;
    what.how = judged::by_patterns;
    EXPECT_EQ(testing::failure_on_coherent_nodes(nodes, 1, maker(what)), "");
  }
}

TEST(fetch_add_queue, a_missing_fence_and_split_updates_are_found) {
  plan what;
  what.longest_pause = 1;
  what.fault = context_fault::no_fence;
  what.luck.holds_posts = true;
  std::string found = testing::failure_within(20, 4, maker(what));
  EXPECT_NE(found.find("does not see"), std::string::npos) << found;
  what.fault = context_fault::split_updates;
  found = testing::failure_within(50, 4, maker(what));
  EXPECT_NE(found, "");
}

/// On one element the queue is a plain queue, whatever the capacity and size of the machine.
TEST(fetch_add_queue, alone_it_is_a_queue) {
  for (const std::uint32_t elements : {2U, 4U, 8U}) {
    for (const std::uint64_t capacity : {1U, 2U, 3U, 7U, 8U, 20U}) {
      const auto alone = [capacity](program_context& context) {
        if (context.rank() != 0) return;
        fetch_add_queue queue(context, place, capacity);
        std::deque<word_t> model;
        for (word_t item = 0; item < 300; ++item) {
          // More come than go, and then the other way round.
          if (context.random(4) < (item / 100 % 2 == 0 ? 3U : 1U)) {
            EXPECT_EQ(queue.enqueue(item), model.size() < capacity);
            if (model.size() < capacity) model.push_back(item);
          } else {
            const std::optional<word_t> got = queue.dequeue();
            ASSERT_EQ(got.has_value(), !model.empty());
            if (!got) continue;
            EXPECT_EQ(*got, model.front());
            model.pop_front();
          }
        }
      };
      ultracomputer machine(testing::program_machine(testing::designs_for_programs()[1], elements),
                            1, make_program(alone));
      testing::run_to_end(machine);
      // Nothing is touched beyond the rows that it says it takes.
      const address_region& shared = machine.addresses().regions().front();
      for (const auto& [location, value] : machine.memories().words().contents()) {
        packet somewhere;
        somewhere.location = location;
        const std::uint64_t row = machine.addresses().row_of(shared, somewhere.address());
        EXPECT_GE(row, place.row);
        EXPECT_LT(row, place.row + fetch_add_queue::rows(elements, capacity));
      }
    }
  }
}

TEST(fetch_add_queue, without_room_is_refused) {
  const auto refused = [](program_context& context) {
    EXPECT_THROW(fetch_add_queue(context, place, 0), configuration_error);
  };
  ultracomputer machine(testing::program_machine(testing::designs_for_programs()[0], 2), 1,
                        make_program(refused));
  testing::run_to_end(machine);
}

/// A history of a correct queue, each call around the moment in which it takes place; and with
/// `damage` two answers exchanged.
std::vector<queue_call> random_history(random_stream& random, std::uint64_t capacity, bool damage) {
  std::vector<queue_call> calls;
  std::deque<word_t> queue;
  for (cycle_t moment = 100; calls.size() < 12; moment += 10) {
    queue_call call;
    call.enqueues = random.below(2) == 0;
    call.item = calls.size() + 1;
    call.begin = moment - random.below(30);
    call.end = moment + 1 + random.below(30);
    if (call.enqueues) {
      call.done = queue.size() < capacity;
      if (call.done) queue.push_back(call.item);
    } else {
      call.done = !queue.empty();
      call.item = call.done ? queue.front() : 0;
      if (call.done) queue.pop_front();
    }
    calls.push_back(call);
  }
  for (int tries = 0; damage && tries < 100; ++tries) {
    queue_call& first = calls[random.below(calls.size())];
    queue_call& second = calls[random.below(calls.size())];
    if (first.enqueues || second.enqueues || first.item == second.item) continue;
    std::swap(first.item, second.item);
    std::swap(first.done, second.done);
    break;
  }
  return calls;
}

/// Without a bound the patterns are there exactly where there is no order.
TEST(queue_history, patterns_and_orders_agree) {
  constexpr std::uint64_t unbounded = 1000;
  random_stream random(11, 0U, 0U);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < testing::scaled(5000); ++i) {
    const std::vector<queue_call> calls = random_history(random, unbounded, i % 4 != 0);
    const std::string order = testing::find_no_order(calls, unbounded);
    const std::string pattern = testing::find_bad_pattern(calls, unbounded);
    ASSERT_EQ(order.empty(), pattern.empty()) << "history " << i << ": " << order << pattern;
    if (i % 4 == 0) {
      ASSERT_EQ(order, "");
    }
    wrong += order.empty() ? 0 : 1;
  }
  EXPECT_GT(wrong, testing::scaled(5000) / 10);
}

/// With a bound, no pattern where there is an order.
TEST(queue_history, bounded_queues_are_taken_for_what_they_are) {
  random_stream random(12, 0U, 0U);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < testing::scaled(5000); ++i) {
    const std::uint64_t capacity = 1 + i % 3;
    std::vector<queue_call> calls = random_history(random, capacity, i % 4 == 3);
    if (i % 4 == 0) {
      EXPECT_EQ(testing::find_no_order(calls, capacity), "");
    }
    if (i % 4 == 1) {
      // One more "full" or a lost one.
      const auto found = std::find_if(calls.begin(), calls.end(),
                                      [](const queue_call& call) { return call.enqueues; });
      if (found != calls.end()) found->done = !found->done;
    }
    const std::string order = testing::find_no_order(calls, capacity);
    const std::string pattern = testing::find_bad_pattern(calls, capacity);
    if (order.empty()) {
      ASSERT_EQ(pattern, "") << "history " << i;
    }
    wrong += order.empty() ? 0 : 1;
  }
  EXPECT_GT(wrong, testing::scaled(5000) / 10);
}

}  // namespace
}  // namespace tributary
