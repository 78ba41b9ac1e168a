// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "contest.h"
#include "opponents.h"
#include "timed.h"

namespace tributary::benchmarks {
namespace {

/// A machine on so many threads. What is timed is the thread that calls, which waits in a loop for
/// the others.
class shared_machine {
 public:
  shared_machine(const bench_case& chosen, std::size_t threads, thread_use use)
      : machine_(chosen.machine, 1) {
    machine_.use_threads(threads, use);
  }
  /// In pieces, as a run does.
  void step(std::uint64_t cycles) {
    constexpr std::uint64_t piece = 128;
    const cycle_t end = machine_.now() + cycles;
    while (machine_.now() < end) machine_.run_until(std::min(machine_.now() + piece, end));
  }

 private:
  ultracomputer machine_;
};

contest two_threads(const bench_case& chosen, thread_use use) {
  const bool chooses = use == thread_use::while_faster;
  contest row;
  row.id = (chooses ? "threads.automatic." : "threads.") + chosen.id;
  row.title = std::string("two threads") + (chooses ? " while they are faster" : "") +
              ", compared with one, " + chosen.id;
  row.ours =
      timed_machine<shared_machine>(chosen.warmup, chosen.cycles, chosen, std::size_t{2}, use);
  row.other = timed_machine<shared_machine>(chosen.warmup, chosen.cycles, chosen, std::size_t{1},
                                            thread_use::always);
  return row;
}

}  // namespace

std::vector<contest> thread_contests() {
  return {two_threads(short_uniform_case(1024), thread_use::always),
          two_threads(short_uniform_case(4096), thread_use::always),
          two_threads(polling_case("improved"), thread_use::always),
          two_threads(polling_case("improved"), thread_use::while_faster)};
}

}  // namespace tributary::benchmarks
