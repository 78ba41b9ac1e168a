// SPDX-License-Identifier: Apache-2.0
// Around a combining queue and a wait buffer, each a module, with cores beside them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <tributary/sim/random_stream.h>
#include <tributary/systemc/combining_queue_module.h>
#include <tributary/systemc/wait_buffer_module.h>

#include "random_switch.h"

namespace tributary::testing {

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
      packet request = random_request(random_, 2);
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
    if (!expected.queue.systolic()) return;
    expected.queue.settle(0, head_left, buffer_full_, expected.partners,
                          [this](const packet&, const packet&) { ++combined; });
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

/// A queue and a wait buffer, joined, with a bench around them. Queue and Buffer have the ports of
/// combining_queue_module and wait_buffer_module.
template <class Queue, class Buffer>
struct queue_and_buffer {
  /// `make_queue` and `make_buffer` return new modules of the given name.
  template <class MakeQueue, class MakeBuffer>
  queue_and_buffer(const combining_queue_config& config, std::uint32_t entries, std::uint64_t seed,
                   const MakeQueue& make_queue, const MakeBuffer& make_buffer)
      : bench(sc_core::sc_gen_unique_name("bench"), config, entries, seed),
        queue(make_queue(sc_core::sc_gen_unique_name("queue"))),
        buffer(make_buffer(sc_core::sc_gen_unique_name("buffer"))),
        into(sc_core::sc_gen_unique_name("into"), config.writers) {
    bench.request_out(into);
    queue->request_in(into);
    queue->request_out(out);
    bench.request_in(out);
    queue->partner_out(partners);
    buffer->partner_in(partners);
    bench.reply_out(replies);
    buffer->reply_in(replies);
    buffer->second_out(seconds);
    bench.second_in(seconds);
  }
  void clock(sc_core::sc_clock& source) {
    bench.clock(source);
    queue->clock(source);
    buffer->clock(source);
  }

  queue_bench bench;
  std::unique_ptr<Queue> queue;
  std::unique_ptr<Buffer> buffer;
  packet_link<packet> into;
  packet_link<packet> out{sc_core::sc_gen_unique_name("out")};
  packet_link<partner> partners{sc_core::sc_gen_unique_name("partners")};
  packet_link<reply> replies{sc_core::sc_gen_unique_name("replies")};
  packet_link<reply> seconds{sc_core::sc_gen_unique_name("seconds")};
};

}  // namespace tributary::testing
