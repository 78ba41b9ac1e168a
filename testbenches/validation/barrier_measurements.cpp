// SPDX-License-Identifier: Apache-2.0
#include "barrier_measurements.h"

#include <algorithm>
#include <vector>

#include <tributary/sim/error.h>

#include "flash_chapter_6.h"

namespace tributary::validation {
namespace {

using testing::synchronizing_config;
using testing::synchronizing_machine;

/// One run of episodes, and when processors came to the last one and left it.
class episodes {
 public:
  episodes(const synchronizing_config& config, const measured_barrier& of, arrival pattern)
      : machine_(config),
        of_(of),
        pattern_(pattern),
        arrived_(config.machine.nodes),
        returned_(config.machine.nodes) {}

  synchronizing_machine& machine() { return machine_; }

  episode_latencies run() {
    machine_.run([this](program_context& context) { cross_all(context); }, patience);
    const auto [first, last] = std::minmax_element(returned_.begin(), returned_.end());
    const cycle_t latest = *std::max_element(arrived_.begin(), arrived_.end());
    return {microseconds(*first - latest), microseconds(*last - *first)};
  }

 private:
  void cross_all(program_context& context) {
    const std::uint32_t rank = context.rank();
    const bool is_last = pattern_ == arrival::root_last && rank == 0;
    const std::unique_ptr<barrier> own = of_.make(context, machine_);
    for (std::uint64_t round = 1; round <= of_.before + 1; ++round) {
      const cycle_t begin = round * (of_.joins + of_.episode) + (is_last ? of_.joins : 0);
      if (context.now() > begin) throw error("an episode takes longer than its span");
      context.delay(begin - context.now());
      arrived_[rank] = context.now();
      own->cross();
      returned_[rank] = context.now();
    }
  }

  synchronizing_machine machine_;
  const measured_barrier& of_;
  arrival pattern_;
  std::vector<cycle_t> arrived_;
  std::vector<cycle_t> returned_;
};

}  // namespace

episode_latencies measured_episode(const synchronizing_config& config, const measured_barrier& of,
                                   arrival pattern,
                                   const std::function<void(synchronizing_machine&)>& ended) {
  episodes all(config, of, pattern);
  const episode_latencies found = all.run();
  if (ended) ended(all.machine());
  return found;
}

}  // namespace tributary::validation
