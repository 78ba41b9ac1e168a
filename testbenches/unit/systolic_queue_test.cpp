// SPDX-License-Identifier: Apache-2.0
// The systolic queue by the rules of its page, cycle by cycle.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tributary/network/omega/combining_queue.h>
#include <tributary/network/omega/switch_column.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

packet request(char name, char word) {
  packet made;
  made.location = location_of(mm_id{0}, static_cast<std::uint64_t>(word) * word_bytes);
  made.sequence = static_cast<std::uint32_t>(name);
  made.set_function({form::add, word_t{1} << (name - 'a'), 0});
  return made;
}

combining_queue_config systolic(std::uint32_t slots = 4, bool coupled = false) {
  combining_queue_config config;
  config.slots = slots;
  config.coupled = coupled;
  config.microarchitecture = queue_microarchitecture::systolic;
  return config;
}

/// One queue and its cycles.
class queue_under_test {
 public:
  explicit queue_under_test(const combining_queue_config& config) : queue(config) {}

  /// A cycle in which `arrival` comes, if any, and the head leaves if `leaves`. Returns the columns
  /// afterwards, as "out | in@row": OUT from the exit on, then IN, the oldest first.
  std::string cycle(std::optional<packet> arrival = std::nullopt, bool leaves = false,
                    bool buffer_full = false) {
    if (leaves) {
      const auto [head, with] = queue.release(0);
      left.push_back(name_of(head, with));
      left_functions.push_back(head.a);
    }
    if (arrival) {
      combining_queue::arrival_context now;
      now.head_left = leaves;
      now.wait_buffer_full = buffer_full;
      EXPECT_EQ(queue.accept(0, *arrival, now, pool), nullptr) << "combined as it arrived";
    }
    queue.settle(0, leaves, buffer_full, pool, [&](const packet& second, const packet& first) {
      pairs.push_back({static_cast<char>(first.sequence), static_cast<char>(second.sequence)});
    });
    return columns();
  }

  std::string columns() const {
    const systolic_columns& where = queue.columns();
    std::string text;
    for (std::size_t i = 0; i < queue.size(0); ++i) {
      if (i == where.out(0)) text += "|";
      text += name_of(queue.entry(0, i), queue.partner_of(0, i));
      if (i >= where.out(0)) text += "@" + std::to_string(where.row(0, i - where.out(0)));
      text += " ";
    }
    if (!text.empty()) text.pop_back();
    return text;
  }

  combining_queue queue;
  partner_pool pool;
  std::vector<std::string> left;
  std::vector<word_t> left_functions;
  std::vector<std::pair<char, char>> pairs;  // first and second, in the order of matching

 private:
  std::string name_of(const packet& entry, partner_index with) const {
    std::string text(1, static_cast<char>(entry.sequence));
    if (with != no_partner)
      text += std::string("+") + static_cast<char>(pool[with].second.sequence);
    return text;
  }
};

using pairs_found = std::vector<std::pair<char, char>>;

TEST(systolic_queue, an_arrival_to_an_empty_queue_is_at_the_exit) {
  queue_under_test one(systolic());
  EXPECT_EQ(one.cycle(request('a', 'X')), "a");
  EXPECT_EQ(one.cycle(request('b', 'Y'), true), "b") << "and so if the only one leaves meanwhile";
}

TEST(systolic_queue, others_climb_to_the_top_of_the_waiting) {
  queue_under_test one(systolic());
  one.cycle(request('a', 'X'));
  EXPECT_EQ(one.cycle(request('b', 'Y')), "a |b@0");
  EXPECT_EQ(one.cycle(request('c', 'Z')), "a b |c@0");
  EXPECT_EQ(one.cycle(), "a b |c@1");
  EXPECT_EQ(one.cycle(), "a b c");
}

TEST(systolic_queue, what_goes_over_moves_down_with_the_others) {
  queue_under_test one(systolic());
  one.cycle(request('a', 'X'));
  one.cycle(request('b', 'Y'));
  EXPECT_EQ(one.cycle(std::nullopt, true), "b") << "into the exit cell, the one beside it";
  one.cycle(request('c', 'Z'));
  EXPECT_EQ(one.cycle(), "b c");
  one.cycle(request('d', 'W'));
  EXPECT_EQ(one.cycle(), "b c |d@1");
  EXPECT_EQ(one.cycle(std::nullopt, true), "c d");
}

TEST(systolic_queue, order_is_first_in_first_out) {
  queue_under_test one(systolic(6));
  for (char name = 'a'; name <= 'f'; ++name) {
    ASSERT_TRUE(one.queue.ready(0));
    one.cycle(request(name, name));
  }
  EXPECT_FALSE(one.queue.ready(0)) << "six entries, some of them in IN";
  for (int i = 0; i < 6; ++i) one.cycle(std::nullopt, true);
  EXPECT_EQ(one.left, (std::vector<std::string>{"a", "b", "c", "d", "e", "f"}));
}

TEST(systolic_queue, neighbours_match_cycles_after_the_arrival) {
  queue_under_test one(systolic());
  one.cycle(request('a', 'X'));
  one.cycle(request('b', 'X'));
  one.cycle();
  EXPECT_EQ(one.columns(), "a b") << "decoupled: b passed the exit cell, which takes no partner";
  EXPECT_EQ(one.cycle(request('c', 'X')), "a b |c@0");
  EXPECT_EQ(one.cycle(), "a b |c@1") << "beside the exit cell";
  EXPECT_EQ(one.cycle(), "a b+c") << "beside b";
  EXPECT_EQ(one.queue.combined(0), 1U);
  EXPECT_EQ(one.pairs, (pairs_found{{'b', 'c'}}));
}

TEST(systolic_queue, a_crossing_hides_nothing) {
  queue_under_test one(systolic());
  one.cycle(request('a', 'X'));
  one.cycle(request('b', 'Y'));
  one.cycle();
  EXPECT_EQ(one.cycle(request('c', 'Y')), "a b |c@0");
  EXPECT_EQ(one.cycle(std::nullopt, true), "b+c") << "b came down from row 1 as c went up from 0";
  one.cycle(std::nullopt, true);
  EXPECT_EQ(one.left_functions, (std::vector<word_t>{1, 2 + 4})) << "b and c as one";
}

TEST(systolic_queue, the_head_that_arrived_there_is_spared) {
  queue_under_test one(systolic());
  one.cycle(request('a', 'X'));
  one.cycle(request('b', 'Y'));
  one.cycle();
  EXPECT_EQ(one.cycle(request('c', 'Y'), true), "b |c@0") << "c arrives as b becomes the head";
  EXPECT_EQ(one.cycle(), "b c") << "a parallel queue would have joined them";
}

TEST(systolic_queue, coupled_the_head_takes_a_partner_except_as_it_leaves) {
  queue_under_test stays(systolic(2, true));
  stays.cycle(request('a', 'X'));
  stays.cycle(request('b', 'X'));
  EXPECT_EQ(stays.cycle(), "a+b");

  queue_under_test leaves(systolic(2, true));
  leaves.cycle(request('a', 'X'));
  leaves.cycle(request('b', 'X'));
  EXPECT_EQ(leaves.cycle(std::nullopt, true), "b");
  EXPECT_TRUE(leaves.pairs.empty());
}

TEST(systolic_queue, a_full_wait_buffer_hides_what_meets_in_its_cycle_only) {
  queue_under_test one(systolic(4, true));
  one.cycle(request('a', 'X'));
  one.cycle(request('b', 'Y'));
  one.cycle();
  one.cycle(request('c', 'X'));
  one.cycle(std::nullopt, false, true);
  EXPECT_EQ(one.cycle(), "a b c") << "c met a in the full cycle, and has passed it";

  one.cycle(request('d', 'Y'), false, true);
  EXPECT_EQ(one.columns(), "a b c |d@0");
  one.cycle();
  EXPECT_EQ(one.cycle(), "a b+d c") << "d arrived in a full cycle and met b later";
}

TEST(systolic_queue, several_combine_in_one_cycle) {
  queue_under_test one(systolic(6, true));
  one.cycle(request('a', 'X'));
  one.cycle(request('b', 'X'));
  EXPECT_EQ(one.cycle(), "a+b");
  one.cycle(request('c', 'Y'));
  one.cycle();
  EXPECT_EQ(one.columns(), "a+b c");
  // d and e climb in neighbouring rows, and meet g and c in one cycle.
  one.cycle(request('g', 'Z'));
  one.cycle();
  one.cycle();
  EXPECT_EQ(one.columns(), "a+b c g");
  one.cycle(request('d', 'Z'));
  one.cycle(request('e', 'Y'));
  EXPECT_EQ(one.cycle(), "a+b c g |d@2 e@1");
  one.pairs.clear();
  EXPECT_EQ(one.cycle(), "a+b c+e g+d");
  EXPECT_EQ(one.pairs, (pairs_found{{'g', 'd'}, {'c', 'e'}})) << "the oldest first";
}

TEST(systolic_queue, in_a_crossing_the_older_takes_the_partner) {
  queue_under_test one(systolic(6));
  one.cycle(request('a', 'X'));
  one.cycle(request('b', 'Y'));
  one.cycle();
  one.cycle(request('c', 'Y'));
  EXPECT_EQ(one.cycle(request('d', 'Y')), "a b |c@1 d@0");
  EXPECT_EQ(one.cycle(std::nullopt, true), "b+c d") << "b was beside c, and passed d: c has it";
}

TEST(systolic_queue, does_not_combine_what_does_not_compose) {
  queue_under_test one(systolic());
  one.cycle(request('a', 'X'));
  packet swap = request('b', 'Y');
  swap.set_function({form::compare_and_swap, 1, 2});
  one.cycle(swap);
  one.cycle();
  one.cycle(request('c', 'Y'));
  one.cycle();
  one.cycle();
  packet alone = request('d', 'Y');
  alone.combinable = 0;
  one.cycle(alone);
  for (int i = 0; i < 4; ++i) one.cycle();
  EXPECT_EQ(one.columns(), "a b c d");
}

TEST(systolic_queue, an_adaptive_queue_is_full_from_the_match_on) {
  combining_queue_config config = systolic(5);
  config.adaptive_limit = 1;
  queue_under_test one(config);
  one.cycle(request('a', 'X'));
  one.cycle(request('b', 'Y'));
  one.cycle();
  one.cycle(request('c', 'Y'));
  EXPECT_TRUE(one.queue.ready(0));
  one.cycle(request('d', 'Z'));
  EXPECT_TRUE(one.queue.ready(0)) << "c is beside b, and not yet a pair";
  EXPECT_EQ(one.cycle(request('e', 'Z')), "a b+c |d@1 e@0");
  EXPECT_FALSE(one.queue.ready(0));
  EXPECT_EQ(one.cycle(), "a b+c d |e@1");
  one.cycle();
  EXPECT_EQ(one.cycle(), "a b+c d+e") << "accepted below the limit, combined beyond it";
  EXPECT_EQ(one.queue.combined(0), 2U);
}

TEST(systolic_queue, a_request_frees_its_slot_when_it_combines) {
  queue_under_test one(systolic(3));
  one.cycle(request('a', 'X'));
  one.cycle(request('b', 'Y'));
  one.cycle();
  one.cycle(request('c', 'Y'));
  EXPECT_FALSE(one.queue.ready(0));
  one.cycle();
  EXPECT_FALSE(one.queue.ready(0));
  one.cycle();
  EXPECT_TRUE(one.queue.ready(0)) << "b+c is one entry";
}

TEST(systolic_queue, equality_looks_at_the_rows_of_those_that_climb) {
  queue_under_test early(systolic());
  queue_under_test late(systolic());
  early.cycle(request('a', 'X'));
  early.cycle(request('b', 'Y'));
  early.cycle();
  early.cycle(request('c', 'Z'));
  late = early;
  EXPECT_TRUE(early.queue.equals(early.pool, late.queue, late.pool));
  early.cycle();
  EXPECT_FALSE(early.queue.equals(early.pool, late.queue, late.pool)) << "c is a row higher";
  late.cycle();
  EXPECT_TRUE(early.queue.equals(early.pool, late.queue, late.pool));
}

TEST(systolic_queue, has_one_writer_and_no_seals) {
  combining_queue_config config = systolic();
  config.writers = 2;
  EXPECT_THROW(combining_queue{config}, configuration_error);
  config = systolic();
  config.order = match_order::ordered;
  EXPECT_THROW(combining_queue{config}, configuration_error);
}

/// What `validate` says of a systolic switch with these choices; empty if it accepts.
std::string refusal(queue_type type, match_order order) {
  combining_switch_config config;
  config.microarchitecture = queue_microarchitecture::systolic;
  config.type = type;
  config.order = order;
  try {
    config.validate();
  } catch (const configuration_error& problem) {
    return problem.what();
  }
  return "";
}

TEST(systolic_queue, a_switch_refuses_it_for_type_a_and_for_ordered) {
  EXPECT_EQ(refusal(queue_type::b, match_order::oldest), "");
  for (const std::string& text : {refusal(queue_type::a, match_order::oldest),
                                  refusal(queue_type::b, match_order::ordered)}) {
    EXPECT_NE(text.find("network.microarchitecture: systolic with "), std::string::npos) << text;
    EXPECT_NE(text.find("parallel, or systolic with queue_type B and order oldest"),
              std::string::npos)
        << text;
  }
}

}  // namespace
}  // namespace tributary
