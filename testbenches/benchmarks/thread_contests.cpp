// SPDX-License-Identifier: Apache-2.0
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
  shared_machine(const bench_case& chosen, std::size_t threads) : machine_(chosen.machine, 1) {
    machine_.use_threads(threads);
  }
  void step(std::uint64_t cycles) { machine_.run_until(machine_.now() + cycles); }

 private:
  ultracomputer machine_;
};

contest two_threads(const bench_case& chosen) {
  contest row;
  row.id = "threads." + chosen.id;
  row.title = "two threads, compared with one, " + chosen.id;
  row.ours = timed_machine<shared_machine>(chosen.warmup, chosen.cycles, chosen, std::size_t{2});
  row.other = timed_machine<shared_machine>(chosen.warmup, chosen.cycles, chosen, std::size_t{1});
  return row;
}

}  // namespace

std::vector<contest> thread_contests() {
  return {two_threads(short_uniform_case(1024)), two_threads(short_uniform_case(4096)),
          two_threads(polling_case("improved"))};
}

}  // namespace tributary::benchmarks
