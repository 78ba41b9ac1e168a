// SPDX-License-Identifier: Apache-2.0
#include <tributary/sim/thread_team.h>

#include <algorithm>
#include <utility>

namespace tributary {
namespace {

// About 20 us: longer than what one thread does alone between two pieces of work.
constexpr unsigned looks_in_a_loop = 2000;
// Giving way costs about a microsecond; after so many the work is over for some time.
constexpr unsigned times_to_give_way = 200;

/// Tells the processor that this is a loop that waits.
void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

thread_team::thread_team(std::size_t size)
    : problems_(size),
      looks_(size <= std::max(1U, std::thread::hardware_concurrency()) ? looks_in_a_loop : 0) {
  try {
    for (std::size_t i = 1; i < size; ++i) threads_.emplace_back([this, i] { serve(i); });
  } catch (...) {
    end();
    throw;
  }
}

thread_team::~thread_team() { end(); }

void thread_team::end() {
  ended_ = true;
  argument_ = nullptr;
  run_work();
  for (std::thread& each : threads_) each.join();
}

void thread_team::run_work() {
  at_work_.store(threads_.size(), std::memory_order_relaxed);
  // In one order with `asleep_`: either a thread sees the round, or it is seen asleep.
  round_.fetch_add(1, std::memory_order_seq_cst);
  if (asleep_.load(std::memory_order_seq_cst) != 0) {
    const std::lock_guard<std::mutex> lock(sleep_);
    wake_.notify_all();
  }
  do_part(0);
  unsigned looks = 0;
  while (at_work_.load(std::memory_order_acquire) != 0) {
    if (looks < looks_) {
      ++looks;
      pause();
    } else {
      std::this_thread::yield();
    }
  }
  for (std::exception_ptr& each : problems_) {
    if (each != nullptr) std::rethrow_exception(std::exchange(each, nullptr));
  }
}

void thread_team::do_part(std::size_t number) {
  problems_[number] = nullptr;
  if (argument_ == nullptr) return;
  try {
    work_(argument_, number);
  } catch (...) {
    problems_[number] = std::current_exception();
  }
}

void thread_team::serve(std::size_t number) {
  for (std::uint32_t round = 0;;) {
    round = next_round(round);
    const bool last = ended_;
    do_part(number);
    at_work_.fetch_sub(1, std::memory_order_release);
    if (last) return;
  }
}

std::uint32_t thread_team::next_round(std::uint32_t done) {
  for (unsigned looks = 0; looks < looks_ + times_to_give_way; ++looks) {
    const std::uint32_t now = round_.load(std::memory_order_acquire);
    if (now != done) return now;
    looks < looks_ ? pause() : std::this_thread::yield();
  }
  std::unique_lock<std::mutex> lock(sleep_);
  asleep_.fetch_add(1, std::memory_order_seq_cst);
  std::uint32_t now = done;
  wake_.wait(lock, [&] { return (now = round_.load(std::memory_order_seq_cst)) != done; });
  asleep_.fetch_sub(1, std::memory_order_relaxed);
  return now;
}

}  // namespace tributary
