// SPDX-License-Identifier: Apache-2.0
// What the processors of a node may rely on: the litmus programs as accesses at the ports of caches
// on one bus. Who awaits each access sees none of the forbidden outcomes; who does not may see
// those across words, because accesses to different lines pass each other in a cache.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <tributary/memory/operation.h>
#include <tributary/sim/random_stream.h>

#include <support/accesses.h>
#include <support/bus_bench.h>
#include <support/bus_case.h>
#include <support/litmus.h>
#include <support/random_choice.h>
#include <support/sizes.h>

namespace tributary {
namespace {

using testing::all_litmus;
using testing::bus_bench;
using testing::bus_case;
using testing::litmus;
using testing::litmus_counts;
using testing::litmus_form;
using testing::litmus_observation;
using testing::litmus_reference;
using testing::litmus_thread;

/// Plays one thread at the port of a cache.
class thread_player final : private memory_client, private timed_block {
 public:
  thread_player(bus_bench& bench, std::size_t master, const litmus_thread& thread, litmus_form form,
                const std::uint64_t (&words)[2], cycle_t begin, cycle_t pause)
      : bench_(bench),
        master_(master),
        thread_(thread),
        waits_(thread.always.value_or(form) != litmus_form::issued),
        x_(words[0]),
        y_(words[1]),
        pause_(pause),
        replies(thread.references.size()) {
    bench.caches(master).set_client(this);
    bench.clock.wake(*this, begin, 0, wake_rank::processor);
  }

  bool done() const { return completed_ == thread_.references.size(); }

 private:
  void wake(cycle_t now, std::uint64_t) override {
    if (next_ == thread_.references.size()) return;
    if (!bench_.caches(master_).can_take()) {
      bench_.clock.wake(*this, now + 1, 0, wake_rank::processor);
      return;
    }
    if (next_ == 0) began = now;
    offer(next_++, now);
    // A thread that polls goes on when it has seen what it polls for.
    if (!waits_ && !thread_.references[next_ - 1].spins) {
      bench_.clock.wake(*this, now + 1, 0, wake_rank::processor);
    }
  }
  void offer(std::size_t number, cycle_t now) {
    const litmus_reference& made = thread_.references[number];
    access request;
    request.address = made.word == 0 ? x_ : y_;
    request.tag = number;
    request.function = made.what == operation::compare_and_swap
                           ? function_of(made.what, 0, made.value)
                           : function_of(made.what, made.value);
    bench_.caches(master_).offer(master_, request, now);
  }
  void completed(const completion& ended, cycle_t now) override {
    if (thread_.references[ended.tag].spins && ended.value == 0) {
      offer(ended.tag, now);
      return;
    }
    replies[ended.tag] = ended.value;
    ended_at = now;
    ++completed_;
    if (waits_ || thread_.references[ended.tag].spins) {
      bench_.clock.wake(*this, now + pause_, 0, wake_rank::processor);
    }
  }
  void room(std::size_t, cycle_t) override {}

  bus_bench& bench_;
  std::size_t master_;
  const litmus_thread& thread_;
  bool waits_;
  std::uint64_t x_;
  std::uint64_t y_;
  cycle_t pause_;
  std::size_t next_ = 0;
  std::size_t completed_ = 0;

 public:
  std::vector<word_t> replies;
  cycle_t began = 0;
  cycle_t ended_at = 0;
};

word_t newest(bus_bench& bench, std::uint64_t address) {
  for (std::size_t i = 0; i < bench.processors.size(); ++i) {
    if (bench.state(i, address) != line_state::invalid) return bench.caches(i).word_at(address);
  }
  return bench.memory.read(address);
}

/// Some have the lines of both words before, others ask for neighbours of the words meanwhile.
bool is_seen(const litmus& what, litmus_form form, std::uint64_t seed) {
  bus_case drawn(seed);
  random_stream draws(seed, 0U, 24U);
  drawn.caches.accesses = 8;
  drawn.caches.outstanding = testing::between(draws, 2, 4);
  const std::size_t threads = what.threads.size();
  const std::size_t masters = threads + draws.below(3);
  bus_bench bench(masters, drawn.config, drawn.caches);
  const std::uint64_t far = 1 + draws.below(3);  // in lines
  const bool one_line = draws.below(8) == 0;
  const std::uint64_t words[2] = {0, one_line ? word_bytes : far * drawn.config.line_bytes};
  for (std::size_t i = 0; i < masters; ++i) {
    for (const std::uint64_t word : words) {
      if (draws.below(2) == 0) {
        bench.offer(i, 1 + draws.below(2000), testing::load_of(word + 2 * word_bytes));
      }
    }
  }
  bench.run(5000);
  std::vector<std::unique_ptr<thread_player>> players;
  const std::uint32_t window = testing::one_of(draws, {1U, 20U, 100U});
  for (std::size_t i = 0; i < threads; ++i) {
    const cycle_t begin = 5001 + draws.below(window);
    const cycle_t pause = draws.below(4);
    players.push_back(
        std::make_unique<thread_player>(bench, i, what.threads[i], form, words, begin, pause));
  }
  for (std::size_t i = threads; i < masters; ++i) {
    for (unsigned k = 0; k < 6; ++k) {
      const std::uint64_t word = words[draws.below(2)] + 3 * word_bytes;
      const cycle_t when = 5001 + 20 * k + draws.below(20);
      bench.offer(i, when,
                  draws.below(2) == 0 ? testing::load_of(word) : testing::store_of(word, k));
    }
  }
  bench.run(20000);
  litmus_observation seen;
  for (const auto& each : players) {
    EXPECT_TRUE(each->done()) << what.name << ", seed " << seed;
    seen.replies.insert(seen.replies.end(), each->replies.begin(), each->replies.end());
    seen.began.push_back(each->began);
    seen.done.push_back(each->ended_at);
  }
  for (std::size_t i = 0; i < 2; ++i) seen.words[i] = newest(bench, words[i]);
  return what.seen(seen);
}

/// How often each outcome was seen.
litmus_counts run(litmus_form form, std::uint64_t seeds) {
  litmus_counts counted(all_litmus().size());
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    for (std::size_t i = 0; i < counted.size(); ++i) {
      ++counted[i].runs;
      if (is_seen(all_litmus()[i], form, seed)) ++counted[i].seen;
    }
  }
  return counted;
}

std::string text_of(const litmus_counts& counted) {
  std::string text = "outcomes seen, of so many runs\n";
  for (std::size_t i = 0; i < counted.size(); ++i) {
    text += all_litmus()[i].name + ": " + std::to_string(counted[i].seen) + " of " +
            std::to_string(counted[i].runs) + "\n";
  }
  return text;
}

std::set<std::string> seen_of(const litmus_counts& counted, testing::litmus_kind kind) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < counted.size(); ++i) {
    if (all_litmus()[i].kind == kind && counted[i].seen != 0) names.insert(all_litmus()[i].name);
  }
  return names;
}

using testing::litmus_kind;
const std::set<std::string> none;

TEST(bus_litmus, who_awaits_each_access_sees_no_forbidden_outcome) {
  const litmus_counts counted = run(litmus_form::awaited, testing::halved(400));
  for (const litmus_kind kind :
       {litmus_kind::across_words, litmus_kind::one_word, litmus_kind::atomic}) {
    EXPECT_EQ(seen_of(counted, kind), none) << text_of(counted);
  }
}

TEST(bus_litmus, who_does_not_await_sees_just_what_passing_accesses_do) {
  const litmus_counts counted = run(litmus_form::issued, testing::halved(400));
  EXPECT_EQ(seen_of(counted, litmus_kind::one_word), none) << text_of(counted);
  EXPECT_EQ(seen_of(counted, litmus_kind::atomic), none) << text_of(counted);
  const std::set<std::string> across = seen_of(counted, litmus_kind::across_words);
  EXPECT_EQ(across.count("real time"), 0U) << text_of(counted);
  // Few seeds show some of them only.
  if (testing::sanitized) return;
  for (const char* name : {"message passing", "store buffering", "load buffering"}) {
    EXPECT_EQ(across.count(name), 1U) << name << " is not seen\n" << text_of(counted);
  }
}

}  // namespace
}  // namespace tributary
