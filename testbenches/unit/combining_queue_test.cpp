// SPDX-License-Identifier: Apache-2.0
// Rules 1 to 3 of the cycle contract, one by one.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include <tributary/network/omega/combining_queue.h>

namespace tributary {
namespace {

packet request(std::uint64_t word, std::uint32_t sequence, word_function what = {form::add, 1, 0}) {
  packet made;
  made.location = location_of(mm_id{0}, word * word_bytes);
  made.sequence = sequence;
  made.set_function(what);
  return made;
}

combining_queue_config type_b(std::uint32_t slots = 4) {
  combining_queue_config config;
  config.slots = slots;
  return config;
}
combining_queue_config coupled_b(std::uint32_t slots = 4) {
  combining_queue_config config = type_b(slots);
  config.coupled = true;
  return config;
}
combining_queue_config type_a(std::uint32_t slots = 4) {
  combining_queue_config config = type_b(slots);
  config.writers = 2;
  return config;
}

/// One queue and its cycles.
struct queue_under_test {
  explicit queue_under_test(const combining_queue_config& config) : queue(config) {}

  /// The sequence number of the request that the arrival joined, or nothing. `input` arrives in
  /// the current cycle.
  std::optional<std::uint32_t> arrive(const packet& what, unsigned input = 0) {
    now.input = input;
    const packet* joined = queue.accept(0, what, now, pool);
    if (joined == nullptr) {
      ++now.inserted;
      return std::nullopt;
    }
    return joined->sequence;
  }
  combining_queue::released leave() {
    now.head_left = true;
    return queue.release(0);
  }
  void next_cycle() { now = {}; }
  /// One arrival a cycle.
  void fill(const std::vector<packet>& requests) {
    for (const packet& each : requests) {
      arrive(each);
      next_cycle();
    }
  }

  combining_queue queue;
  partner_pool pool;
  combining_queue::arrival_context now;
};

constexpr std::optional<std::uint32_t> inserted = std::nullopt;

TEST(combining_queue, ready_counts_one_slot_a_writer) {
  queue_under_test b(type_b(2));
  EXPECT_TRUE(b.queue.ready(0));
  b.fill({request(1, 0)});
  EXPECT_TRUE(b.queue.ready(0)) << "type B: one writer, one slot is enough";
  b.fill({request(2, 1)});
  EXPECT_FALSE(b.queue.ready(0));
  b.leave();
  EXPECT_TRUE(b.queue.ready(0));

  queue_under_test a(type_a(3));
  a.fill({request(1, 0)});
  EXPECT_TRUE(a.queue.ready(0));
  a.fill({request(2, 1)});
  EXPECT_FALSE(a.queue.ready(0)) << "type A: one free slot for two writers";
}

TEST(combining_queue, a_full_queue_refuses_even_what_could_combine) {
  queue_under_test b(type_b(3));
  b.fill({request(1, 0), request(2, 1), request(2, 2, {form::constant, 0, 0})});
  EXPECT_TRUE(b.queue.ready(0)) << "the third combined and took no slot";
  b.fill({request(3, 3)});
  EXPECT_FALSE(b.queue.ready(0));
}

TEST(combining_queue, adaptive_counts_combined_requests) {
  combining_queue_config config = type_b(6);
  config.adaptive_limit = 2;
  queue_under_test b(config);
  b.fill({request(9, 0), request(1, 1), request(1, 2)});
  EXPECT_EQ(b.queue.combined(0), 1U);
  EXPECT_TRUE(b.queue.ready(0));
  b.fill({request(2, 3), request(2, 4)});
  EXPECT_EQ(b.queue.combined(0), 2U);
  EXPECT_EQ(b.queue.size(0), 3U);
  EXPECT_FALSE(b.queue.ready(0)) << "two combined requests, three free slots";
  b.leave();
  EXPECT_FALSE(b.queue.ready(0)) << "the head was plain";
  b.leave();
  EXPECT_TRUE(b.queue.ready(0)) << "one combined request has left";
}

TEST(combining_queue, without_a_limit_all_may_be_combined) {
  queue_under_test b(coupled_b(3));
  b.fill({request(1, 0), request(1, 1), request(2, 2), request(2, 3)});
  EXPECT_EQ(b.queue.combined(0), 2U);
  EXPECT_TRUE(b.queue.ready(0));
}

TEST(combining_queue, decoupled_spares_the_head) {
  queue_under_test b(type_b());
  b.fill({request(1, 0)});
  EXPECT_EQ(b.arrive(request(1, 1)), inserted) << "the only entry is the head";
  b.next_cycle();
  EXPECT_EQ(b.arrive(request(1, 2)), 1U);
}

/// The head is the oldest entry of the start of the cycle, whether or not it leaves now.
TEST(combining_queue, decoupled_the_second_may_combine_while_the_head_leaves) {
  queue_under_test b(type_b());
  b.fill({request(9, 0), request(1, 1)});
  b.leave();
  EXPECT_EQ(b.arrive(request(1, 2)), 1U);
  b.next_cycle();
  EXPECT_EQ(b.queue.size(0), 1U);
  EXPECT_NE(b.queue.partner_of(0, 0), no_partner);
}

TEST(combining_queue, coupled_takes_the_head_but_not_as_it_leaves) {
  queue_under_test b(coupled_b());
  b.fill({request(1, 0)});
  EXPECT_EQ(b.arrive(request(1, 1)), 0U);

  queue_under_test leaving(coupled_b());
  leaving.fill({request(1, 0)});
  EXPECT_EQ(leaving.leave().request.sequence, 0U);
  EXPECT_EQ(leaving.arrive(request(1, 1)), inserted);
}

TEST(combining_queue, coupled_the_new_head_may_combine_while_the_old_one_leaves) {
  queue_under_test b(coupled_b());
  b.fill({request(9, 0), request(1, 1)});
  b.leave();
  EXPECT_EQ(b.arrive(request(1, 2)), 1U);
}

TEST(combining_queue, never_two_into_one) {
  queue_under_test b(coupled_b(6));
  b.fill({request(1, 0)});
  EXPECT_EQ(b.arrive(request(1, 1)), 0U);
  b.next_cycle();
  EXPECT_EQ(b.arrive(request(1, 2)), inserted) << "the oldest has its partner";
  b.next_cycle();
  EXPECT_EQ(b.arrive(request(1, 3)), 2U) << "the next of the word has none";
}

TEST(combining_queue, only_the_same_word_combines) {
  queue_under_test b(coupled_b());
  b.fill({request(1, 0)});
  EXPECT_EQ(b.arrive(request(2, 1)), inserted);
  packet other_module = request(1, 2);
  other_module.location = location_of(mm_id{1}, word_bytes);
  b.next_cycle();
  EXPECT_EQ(b.arrive(other_module), inserted);
}

TEST(combining_queue, only_what_composes_combines) {
  queue_under_test b(coupled_b(8));
  b.fill({request(1, 0, {form::compare_and_swap, 1, 2})});
  EXPECT_EQ(b.arrive(request(1, 1)), inserted) << "a compare-and-swap waits alone";
  b.next_cycle();
  EXPECT_EQ(b.arrive(request(1, 2, {form::clamp_signed, 0, 5})), inserted) << "add, then clamp";
  b.next_cycle();
  EXPECT_EQ(b.arrive(request(1, 3, {form::merge, 1, 0xff})), inserted);
  b.next_cycle();
  EXPECT_EQ(b.arrive(request(1, 4, {form::clamp_signed, 1, 9})), 2U)
      << "joins the oldest that composes";
}

TEST(combining_queue, requests_marked_so_do_not_combine) {
  packet alone = request(1, 0);
  alone.combinable = 0;
  queue_under_test b(coupled_b());
  b.fill({alone});
  EXPECT_EQ(b.arrive(request(1, 1)), inserted);
  b.next_cycle();
  packet arriving = request(1, 2);
  arriving.combinable = 0;
  EXPECT_EQ(b.arrive(arriving), inserted);
}

TEST(combining_queue, disabled_forms_do_not_combine) {
  combining_queue_config config = coupled_b();
  config.combining_forms = static_cast<std::uint8_t>(~(1U << static_cast<unsigned>(form::add)));
  queue_under_test b(config);
  b.fill({request(1, 0)});
  EXPECT_EQ(b.arrive(request(1, 1)), inserted);
  b.next_cycle();
  EXPECT_EQ(b.arrive(request(1, 2, {form::identity, 0, 0})), inserted) << "add is off as first too";
  b.next_cycle();
  EXPECT_EQ(b.arrive(request(1, 3, {form::constant, 4, 0})), 2U) << "load, then store";
}

TEST(combining_queue, nothing_combines_while_the_wait_buffer_is_full) {
  queue_under_test b(coupled_b());
  b.fill({request(1, 0)});
  b.now.wait_buffer_full = true;
  EXPECT_EQ(b.arrive(request(1, 1)), inserted);
}

TEST(combining_queue, the_sum_goes_on_and_the_first_is_kept) {
  queue_under_test b(coupled_b());
  b.fill({request(1, 10, {form::add, 5, 0}), request(1, 11, {form::add, 7, 0})});
  const combining_queue::released left = b.leave();
  EXPECT_EQ(left.request.function(), (word_function{form::add, 12, 0}));
  EXPECT_EQ(left.request.sequence, 10U);
  ASSERT_NE(left.partner, no_partner);
  EXPECT_EQ(b.pool[left.partner], (partner{{10, 0}, {11, 0}, {form::add, 5, 0}}));
  EXPECT_EQ(b.queue.combined(0), 0U);
}

TEST(combining_queue, same_cycle_arrivals_of_type_a_do_not_pair) {
  queue_under_test a(type_a(6));
  a.fill({request(9, 0)});
  EXPECT_EQ(a.arrive(request(1, 1), 0), inserted);
  EXPECT_EQ(a.arrive(request(1, 2), 1), inserted);
  a.next_cycle();
  EXPECT_EQ(a.queue.size(0), 3U);
  EXPECT_EQ(a.arrive(request(1, 3), 0), 1U) << "in the next cycle they are there";
}

TEST(combining_queue, same_cycle_arrivals_of_type_a_see_partners_taken) {
  queue_under_test a(type_a(8));
  a.fill({request(9, 0), request(1, 1)});
  EXPECT_EQ(a.arrive(request(1, 2), 0), 1U);
  EXPECT_EQ(a.arrive(request(1, 3), 1), inserted) << "the only partner is taken";
  a.next_cycle();

  queue_under_test two(type_a(8));
  two.fill({request(9, 0), request(1, 1)});
  two.arrive(request(1, 2, {form::compare_and_swap, 0, 0}));
  two.next_cycle();
  two.fill({request(1, 3, {form::clamp_unsigned, 0, 5})});
  EXPECT_EQ(two.arrive(request(1, 4), 0), 1U);
  EXPECT_EQ(two.arrive(request(1, 5, {form::identity, 0, 0}), 1), 3U)
      << "the second finds the next one";
}

TEST(combining_queue, oldest_may_overtake) {
  queue_under_test b(coupled_b(6));
  b.fill({request(1, 0, {form::add, 1, 0}), request(1, 1, {form::logic, 0, 0})});
  EXPECT_EQ(b.arrive(request(1, 2, {form::add, 1, 0})), 0U)
      << "joins the oldest, before request 1 of its own input";
}

TEST(combining_queue, ordered_seals_for_the_same_input) {
  combining_queue_config config = coupled_b(6);
  config.order = match_order::ordered;
  queue_under_test b(config);
  b.fill({request(1, 0, {form::add, 1, 0}), request(1, 1, {form::logic, 0, 0})});
  EXPECT_EQ(b.arrive(request(1, 2, {form::add, 1, 0})), inserted)
      << "request 1 sealed the older entry of its word";
  b.next_cycle();
  EXPECT_EQ(b.arrive(request(1, 3, {form::add, 1, 0})), 2U) << "the newest is not sealed";
}

TEST(combining_queue, ordered_seals_when_a_partner_is_taken) {
  combining_queue_config config = coupled_b(6);
  config.order = match_order::ordered;
  queue_under_test b(config);
  b.fill({request(1, 0, {form::add, 1, 0}), request(1, 1, {form::logic, 1, 0})});
  EXPECT_EQ(b.arrive(request(1, 2, {form::logic, 0, 0})), 1U);
  b.next_cycle();
  EXPECT_EQ(b.arrive(request(1, 3, {form::add, 1, 0})), inserted)
      << "would pass request 2 of its own input";
}

TEST(combining_queue, ordered_does_not_seal_for_the_other_input_or_word) {
  combining_queue_config config = type_a(8);
  config.coupled = true;
  config.order = match_order::ordered;
  queue_under_test a(config);
  a.arrive(request(1, 0, {form::add, 1, 0}), 0);
  a.next_cycle();
  a.arrive(request(1, 1, {form::logic, 0, 0}), 0);
  a.next_cycle();
  EXPECT_EQ(a.arrive(request(1, 2, {form::add, 1, 0}), 1), 0U) << "sealed for input 0 only";

  queue_under_test words(config);
  words.arrive(request(1, 0), 0);
  words.next_cycle();
  words.arrive(request(2, 1), 0);
  words.next_cycle();
  EXPECT_EQ(words.arrive(request(1, 2), 0), 0U) << "another word seals nothing";
}

/// Of two simultaneous inserts the one of the lower port is the older: the other seals it.
TEST(combining_queue, ordered_counts_simultaneous_inserts_in_port_order) {
  combining_queue_config config = type_a(8);
  config.coupled = true;
  config.order = match_order::ordered;
  queue_under_test a(config);
  a.arrive(request(1, 0, {form::add, 1, 0}), 0);
  a.arrive(request(1, 1, {form::logic, 0, 0}), 1);
  a.next_cycle();
  EXPECT_EQ(a.arrive(request(1, 2, {form::add, 1, 0}), 0), 0U) << "input 0 has sealed nothing";
  EXPECT_EQ(a.arrive(request(1, 3, {form::identity, 0, 0}), 1), 1U)
      << "input 1 sealed entry 0, and its own entry is free";
}

TEST(combining_queue, ordered_seal_of_a_simultaneous_older_insert_holds) {
  combining_queue_config config = type_a(8);
  config.coupled = true;
  config.order = match_order::ordered;
  queue_under_test a(config);
  a.arrive(request(1, 0, {form::add, 1, 0}), 0);
  a.arrive(request(1, 1, {form::logic, 0, 0}), 1);
  a.next_cycle();
  EXPECT_EQ(a.arrive(request(1, 2, {form::add, 1, 0}), 1), inserted)
      << "joining entry 0 would pass request 1";
}

TEST(combining_queue, seals_do_not_outlive_their_entry) {
  combining_queue_config config = coupled_b(2);
  config.order = match_order::ordered;
  queue_under_test b(config);
  for (std::uint32_t round = 0; round < 5; ++round) {
    b.fill({request(1, 10 * round, {form::add, 1, 0}),
            request(1, 10 * round + 1, {form::logic, 0, 0})});
    b.leave();
    b.next_cycle();
    b.leave();
    b.next_cycle();
    b.fill({request(1, 10 * round + 2)});
    EXPECT_EQ(b.arrive(request(1, 10 * round + 3)), 10 * round + 2) << "round " << round;
    b.next_cycle();
    b.leave();
    b.next_cycle();
  }
}

/// Section 5: 2 slots (B coupled), 3 (B decoupled, A coupled), 4 (A decoupled). The queue is
/// offered requests to one word as fast as it is ready, and nothing leaves.
TEST(combining_queue, slots_needed_to_combine) {
  for (const bool a : {false, true}) {
    for (const bool coupled : {false, true}) {
      const std::uint32_t needed = (coupled ? 2 : 3) + (a ? 1 : 0);
      for (std::uint32_t slots = a ? 2 : 1; slots <= 6; ++slots) {
        combining_queue_config config = a ? type_a(slots) : type_b(slots);
        config.coupled = coupled;
        queue_under_test filled(config);
        std::uint32_t sequence = 0;
        for (int cycle = 0; cycle < 10; ++cycle) {
          if (filled.queue.ready(0)) filled.arrive(request(1, sequence++), 0);
          filled.next_cycle();
        }
        EXPECT_EQ(filled.queue.combined(0) > 0, slots >= needed)
            << (a ? "type A" : "type B") << (coupled ? " coupled " : " decoupled ") << slots;
      }
    }
  }
}

TEST(combining_queue, first_in_first_out_around_the_ring) {
  queue_under_test b(type_b(3));
  std::uint32_t in = 0;
  std::uint32_t out = 0;
  for (int round = 0; round < 50; ++round) {
    while (b.queue.ready(0)) {
      b.fill({request(100 + in, in)});
      ++in;
    }
    for (int i = 0; i <= round % 3; ++i) EXPECT_EQ(b.leave().request.sequence, out++);
    b.next_cycle();
  }
}

TEST(combining_queue, queues_side_by_side_are_independent) {
  combining_queue queues(coupled_b(), 3);
  partner_pool pool;
  queues.accept(1, request(1, 0), {}, pool);
  EXPECT_TRUE(queues.empty(0));
  EXPECT_EQ(queues.size(1), 1U);
  EXPECT_EQ(queues.accept(2, request(1, 1), {}, pool), nullptr) << "not the neighbour's entry";
}

TEST(combining_queue, equality_is_from_the_head) {
  queue_under_test one(coupled_b(3));
  queue_under_test other(coupled_b(3));
  other.fill({request(7, 99), request(8, 98)});
  one.fill({request(1, 0)});
  other.leave();
  other.next_cycle();
  other.fill({request(1, 0)});
  EXPECT_FALSE(one.queue.equals(one.pool, other.queue, other.pool));
  other.leave();
  other.next_cycle();
  EXPECT_TRUE(one.queue.equals(one.pool, other.queue, other.pool)) << "other place in the ring";
  one.fill({request(1, 1)});
  EXPECT_FALSE(one.queue.equals(one.pool, other.queue, other.pool)) << "one has a partner";
  other.fill({request(1, 2)});
  EXPECT_FALSE(one.queue.equals(one.pool, other.queue, other.pool)) << "another partner";
}

}  // namespace
}  // namespace tributary
