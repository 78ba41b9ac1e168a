// SPDX-License-Identifier: Apache-2.0
// Threads that do a piece of work together, again and again.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tributary {

/// Threads for pieces of work of some microseconds: between pieces they wait for the next in a
/// loop, and sleep only if it does not come. On fewer processors than threads they give way instead
/// of looping.
class thread_team {
 public:
  /// The caller of `run` is one of the `size` threads, at least 1. Throws `std::system_error` if
  /// the others cannot be started.
  explicit thread_team(std::size_t size);
  ~thread_team();
  thread_team(const thread_team&) = delete;
  thread_team& operator=(const thread_team&) = delete;

  std::size_t size() const { return problems_.size(); }

  /// Calls `work(0)` to `work(size - 1)`, each on a thread of its own and the first on the
  /// caller's, and returns when all have ended. Throws what the first of them in this order has
  /// thrown.
  template <class Work>
  void run(Work&& work) {
    auto* const first = std::addressof(work);
    work_ = [](const void* that, std::size_t number) {
      (**static_cast<decltype(first) const*>(that))(number);
    };
    argument_ = &first;
    run_work();
  }

 private:
  void run_work();
  /// Ends the threads that there are.
  void end();
  void do_part(std::size_t number);
  /// What a thread does in its life.
  void serve(std::size_t number);
  /// Waits for another round than `done`. Returns it.
  std::uint32_t next_round(std::uint32_t done);

  void (*work_)(const void*, std::size_t) = nullptr;
  const void* argument_ = nullptr;
  std::vector<std::exception_ptr> problems_;  // of this round, by thread
  unsigned looks_;                            // before a waiting thread gives way
  bool ended_ = false;

  alignas(64) std::atomic<std::uint32_t> round_{0};
  alignas(64) std::atomic<std::size_t> at_work_{0};
  alignas(64) std::atomic<std::size_t> asleep_{0};
  std::mutex sleep_;
  std::condition_variable wake_;
  std::vector<std::thread> threads_;  // all but the caller's
};

}  // namespace tributary
