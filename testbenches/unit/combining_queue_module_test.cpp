// SPDX-License-Identifier: Apache-2.0
// The modules of queue and wait buffer in lockstep with their cores, under random stalls.
#include <tributary/combining/combining_queue_module.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <tributary/base/random_stream.h>
#include <tributary/combining/wait_buffer_module.h>

#include "support/random_choice.h"
#include "support/random_switch.h"
#include "support/sizes.h"
#include "support/systemc_test.h"

namespace tributary {
namespace {

using testing::between;
using testing::one_of;

/// Writes the queue, stalls its outputs at random, and steps a core of its own beside it.
class queue_bench : public clocked_module {
 public:
  queue_bench(const sc_core::sc_module_name& name, const combining_queue_config& config,
              std::uint32_t entries, std::uint64_t seed)
      : clocked_module(name),
        expected{combining_queue(config), {}},
        expected_buffer{wait_buffer(entries), {}},
        random_(seed, 7U, 0U),
        next_sequence_(config.writers) {}

  link_port<packet> request_out{"request_out"};
  link_port<packet> request_in{"request_in"};
  link_port<reply> reply_out{"reply_out"};
  link_port<reply> second_in{"second_in"};

  single_combining_queue expected;
  single_wait_buffer expected_buffer;
  std::uint64_t combined = 0;
  std::uint64_t decombined = 0;
  std::uint64_t refused_for_full_buffer = 0;

 private:
  void end_of_elaboration() override {
    request_out.open(packet_link<packet>::end::sender, next_sequence_.size());
    request_in.open(packet_link<packet>::end::receiver, 1);
    reply_out.open(packet_link<reply>::end::sender, 1);
    second_in.open(packet_link<reply>::end::receiver, 1);
  }
  void reset() override {}

  void ready() override {
    takes_ = random_.below(3) != 0;
    buffer_full_ = expected_buffer.buffer.full(0);
    queue_ready_ = expected.queue.ready(0);
    request_in.publish_all(takes_ ? 1 : 0);
    second_in.publish_all(1);
  }

  void depart() override {
    sent_.clear();
    for (std::size_t line = 0; line < next_sequence_.size(); ++line) {
      EXPECT_EQ(request_out.ready()[line] != 0, queue_ready_) << "cycle " << now();
      if (!queue_ready_ || random_.below(4) == 0) continue;
      packet request = testing::random_request(random_, 2);
      request.pe = static_cast<std::uint16_t>(line);
      request.sequence = next_sequence_[line]++;
      request_out.send(line, request);
      sent_.emplace_back(line, request);
    }
    answer_ = in_memory_.empty() || random_.below(2) == 0
                  ? std::nullopt
                  : std::optional<reply>(in_memory_.front());
    if (answer_) {
      in_memory_.pop_front();
      reply_out.send(0, *answer_);
    }
  }

  void commit() override {
    const bool head_left = release_head();
    std::size_t taken = 0;
    request_in.receive([&](std::size_t, const packet& request) {
      ++taken;
      EXPECT_TRUE(left_ && *left_ == request) << "cycle " << now();
      in_memory_.push_back({random_.next_u64(), request.sequence, request.pe});
    });
    EXPECT_EQ(taken, head_left ? 1U : 0U) << "cycle " << now();
    accept_requests(head_left);
    check_second();
    look_up_answer();
  }

  bool release_head() {
    const combining_queue& queue = expected.queue;
    if (queue.empty(0) || !takes_) return false;
    if (queue.head_combined(0) && buffer_full_) {
      ++refused_for_full_buffer;
      return false;
    }
    left_ = queue.head(0);
    const partner_index with = expected.queue.release(0).partner;
    if (with != no_partner) {
      single_wait_buffer& to = expected_buffer;
      to.buffer.insert(0, to.partners.acquire(expected.partners[with]), to.partners);
      expected.partners.release(with);
    }
    return true;
  }

  void accept_requests(bool head_left) {
    unsigned inserted = 0;
    for (const auto& [line, request] : sent_) {
      const combining_queue::arrival_context context{static_cast<unsigned>(line), head_left,
                                                     buffer_full_, inserted};
      if (expected.queue.accept(0, request, context, expected.partners) == nullptr) {
        ++inserted;
      } else {
        ++combined;
      }
    }
  }

  void check_second() {
    std::optional<reply> came;
    second_in.receive([&](std::size_t, const reply& second) { came = second; });
    EXPECT_EQ(came.has_value(), second_.has_value()) << "cycle " << now();
    if (came && second_) {
      EXPECT_TRUE(*came == *second_) << "cycle " << now();
    }
    second_.reset();
  }

  void look_up_answer() {
    if (!answer_) return;
    single_wait_buffer& own = expected_buffer;
    const partner_index found = own.buffer.take(0, answer_->id(), own.partners);
    if (found == no_partner) return;
    const partner& waiting = own.partners[found];
    second_ = reply{answer_second(waiting.kept, answer_->value), waiting.second.sequence,
                    waiting.second.pe};
    own.partners.release(found);
    ++decombined;
  }

  random_stream random_;
  std::vector<std::uint32_t> next_sequence_;
  std::vector<std::pair<std::size_t, packet>> sent_;
  std::deque<reply> in_memory_;
  std::optional<packet> left_;
  std::optional<reply> answer_;
  std::optional<reply> second_;  // expected in the next cycle
  bool takes_ = false;
  bool buffer_full_ = false;
  bool queue_ready_ = false;
};

class combining_queue_module_test : public testing::systemc_test {};

combining_queue_config random_queue(random_stream& random) {
  combining_queue_config config;
  config.writers = between(random, 1, 2);
  config.coupled = random.below(2) != 0;
  // From the least with which anything combines.
  config.slots = config.writers + (config.coupled ? 1 : 2) + between(random, 0, 4);
  config.adaptive_limit = between(random, 0, 3);
  config.order = one_of(random, {match_order::oldest, match_order::ordered});
  return config;
}

TEST_F(combining_queue_module_test, modules_run_in_lockstep_with_their_cores) {
  random_stream random(11, 0U, 0U);
  const auto pairs = static_cast<std::size_t>(testing::scaled(40));
  sc_core::sc_clock clock("clock", 10, sc_core::SC_NS);
  struct pair_under_test {
    pair_under_test(const combining_queue_config& config, std::uint32_t entries, std::uint64_t seed)
        : bench(sc_core::sc_gen_unique_name("bench"), config, entries, seed),
          queue(sc_core::sc_gen_unique_name("queue"), config),
          buffer(sc_core::sc_gen_unique_name("buffer"), entries),
          into(sc_core::sc_gen_unique_name("into"), config.writers) {
      bench.request_out(into);
      queue.request_in(into);
      queue.request_out(out);
      bench.request_in(out);
      queue.partner_out(partners);
      buffer.partner_in(partners);
      bench.reply_out(replies);
      buffer.reply_in(replies);
      buffer.second_out(seconds);
      bench.second_in(seconds);
    }
    queue_bench bench;
    combining_queue_module queue;
    wait_buffer_module buffer;
    packet_link<packet> into;
    packet_link<packet> out{sc_core::sc_gen_unique_name("out")};
    packet_link<partner> partners{sc_core::sc_gen_unique_name("partners")};
    packet_link<reply> replies{sc_core::sc_gen_unique_name("replies")};
    packet_link<reply> seconds{sc_core::sc_gen_unique_name("seconds")};
  };
  std::vector<std::unique_ptr<pair_under_test>> all;
  for (std::size_t i = 0; i < pairs; ++i) {
    all.push_back(
        std::make_unique<pair_under_test>(random_queue(random), between(random, 1, 6), i));
    all.back()->bench.clock(clock);
    all.back()->queue.clock(clock);
    all.back()->buffer.clock(clock);
  }
  sc_core::sc_start(5, sc_core::SC_NS);
  for (int cycle = 1; cycle <= 1000; ++cycle) {
    sc_core::sc_start(10, sc_core::SC_NS);
    for (std::size_t i = 0; i < pairs; ++i) {
      const pair_under_test& each = *all[i];
      ASSERT_EQ(each.queue.now(), static_cast<cycle_t>(cycle));
      ASSERT_TRUE(each.queue.core() == each.bench.expected) << "pair " << i << " cycle " << cycle;
      ASSERT_TRUE(each.buffer.core() == each.bench.expected_buffer)
          << "pair " << i << " cycle " << cycle;
    }
    if (HasFailure()) return;
  }
  std::uint64_t combined = 0;
  std::uint64_t decombined = 0;
  std::uint64_t refused = 0;
  for (const auto& each : all) {
    combined += each->bench.combined;
    decombined += each->bench.decombined;
    refused += each->bench.refused_for_full_buffer;
  }
  EXPECT_GT(combined, 30 * pairs);
  EXPECT_GT(decombined, 30 * pairs);
  EXPECT_GT(refused, pairs);
}

TEST_F(combining_queue_module_test, a_bad_configuration_is_reported_with_the_modules_name) {
  expect_report(messages::configuration);
  combining_queue_config config;
  config.slots = 65;
  EXPECT_THROW(combining_queue_module("my_queue", config), sc_core::sc_report);
  ASSERT_EQ(reports(messages::configuration).size(), 1U);
  EXPECT_NE(reports(messages::configuration)[0].find("my_queue"), std::string::npos);
  EXPECT_NE(reports(messages::configuration)[0].find("65 slots"), std::string::npos);
}

TEST_F(combining_queue_module_test, reset_empties_the_queue_and_refuses_requests) {
  sc_core::sc_clock clock("clock", 10, sc_core::SC_NS);
  sc_core::sc_signal<bool> reset_n("reset_n", true);
  packet_link<packet> into("into");
  packet_link<packet> out("out");
  packet_link<partner> partners("partners");
  combining_queue_module queue("queue", {});
  queue.clock(clock);
  queue.reset_n(reset_n);
  queue.request_in(into);
  queue.request_out(out);
  queue.partner_out(partners);
  sc_core::sc_start(5, sc_core::SC_NS);
  into.send(0, packet{});
  sc_core::sc_start(10, sc_core::SC_NS);
  EXPECT_EQ(into.ready()[0], 1);
  EXPECT_EQ(queue.core().queue.size(0), 1U);
  reset_n.write(false);
  sc_core::sc_start(10, sc_core::SC_NS);
  EXPECT_EQ(into.ready()[0], 0);
  EXPECT_EQ(queue.core().queue.size(0), 0U);
  reset_n.write(true);
  sc_core::sc_start(10, sc_core::SC_NS);
  EXPECT_EQ(into.ready()[0], 1);
  EXPECT_EQ(queue.now(), 1U);
}

TEST_F(combining_queue_module_test, two_receivers_of_one_line_are_reported) {
  expect_report(messages::link_binding);
  sc_core::sc_clock clock("clock", 10, sc_core::SC_NS);
  packet_link<packet> into("into");
  packet_link<packet> out("out", 2);
  packet_link<partner> partners("partners", 2);
  combining_queue_module one("one", {});
  combining_queue_module other("other", {});
  one.clock(clock);
  other.clock(clock);
  one.request_in(into);
  other.request_in(into);
  one.request_out(out);
  other.request_out.bind(out, 1);
  one.partner_out(partners);
  other.partner_out.bind(partners, 1);
  EXPECT_THROW(sc_core::sc_start(1, sc_core::SC_NS), sc_core::sc_report);
  ASSERT_EQ(reports(messages::link_binding).size(), 1U);
  EXPECT_NE(reports(messages::link_binding)[0].find("another port reads already"),
            std::string::npos)
      << reports(messages::link_binding)[0];
}

}  // namespace
}  // namespace tributary
