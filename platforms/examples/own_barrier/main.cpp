// SPDX-License-Identifier: Apache-2.0
// A barrier of one's own, compared on five machines.
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <memory>
#include <vector>

#include <tributary/algorithms/barrier.h>
#include <tributary/sim/error.h>
#include <ultracomputer/ultracomputer.h>

using namespace tributary;

// [algorithm]
/// Arrivals are counted in one word, which is never reset: the n-th crossing is complete at n times
/// the number of elements. The last to arrive releases the others: through a word that all poll, or
/// by waking element 0, and each element two more, where everybody polls in his own memory.
class own_barrier final : public barrier {
 public:
  own_barrier(program_context& pe, bool spins_locally) : pe_(pe), local_(spins_locally) {}

  void cross() override {
    ++crossing_;
    const bool last = pe_.fetch_add(pe_.shared_address(0), 1) + 1 == crossing_ * pe_.size();
    if (last) pe_.store(flag(0), crossing_);
    pe_.spin(flag(pe_.rank()), [this](word_t seen) { return seen == crossing_; });
    if (!local_) return;
    for (std::uint32_t child = 2 * pe_.rank() + 1; child <= 2 * pe_.rank() + 2; ++child) {
      if (child < pe_.size()) pe_.store(flag(child), crossing_);
    }
  }

 private:
  std::uint64_t flag(std::uint32_t element) const {
    return local_ ? pe_.local_address(pe_id{element}, 0) : pe_.shared_address(1);
  }

  program_context& pe_;
  bool local_;
  word_t crossing_ = 0;
};
// [end]

// [program]
/// Crosses the barrier again and again, and finds out if anybody leaves it too early.
class crossing_program final : public program {
 public:
  explicit crossing_program(bool spins_locally) : local_(spins_locally) {}

  void run(program_context& pe) override {
    own_barrier barrier(pe, local_);
    for (std::uint64_t step = 0; step < steps; ++step) {
      ++arrived_[step];
      barrier.cross();
      if (arrived_[step] != pe.size()) throw simulation_error("a process left too early");
      pe.mark("crossed");
    }
  }

 private:
  static constexpr std::uint64_t steps = 50;

  bool local_;
  std::vector<std::uint32_t> arrived_ = std::vector<std::uint32_t>(steps);
};
// [end]

// [machines]
struct contestant {
  const char* name;
  combining_switch_config switches;
  bool spins_locally = false;
};

std::vector<contestant> contestants() {
  combining_switch_config none;
  none.combining = false;
  const combining_switch_config baseline;  // the defaults
  combining_switch_config improved = baseline;
  improved.wait_buffer_entries = 100;
  improved.adaptive_limit = 2;
  combining_switch_config aggressive = improved;
  aggressive.type = queue_type::a;
  aggressive.coupled = true;
  return {{"NoComb", none},
          {"Baseline", baseline},
          {"Improved", improved},
          {"Aggressive", aggressive},
          {"NUMA", none, true}};
}

/// Mean cycles of a crossing.
double measure(const contestant& entry, std::uint32_t elements) {
  ultracomputer_config config;
  config.network.processing_elements = elements;
  config.network.switches = entry.switches;
  ultracomputer machine(config, 1, std::make_unique<crossing_program>(entry.spins_locally));
  while (!machine.finished()) machine.step();
  machine.drain();
  return machine.statistics().find("workload.marks.crossed.interval.mean");
}
// [end]

int main() {
  const std::vector<std::uint32_t> sizes{16, 64, 256};
  std::cout << "elements  ";
  for (const std::uint32_t elements : sizes) std::cout << std::setw(6) << elements;
  std::cout << "\n";
  for (const contestant& each : contestants()) {
    std::cout << std::left << std::setw(10) << each.name << std::right;
    for (const std::uint32_t elements : sizes) {
      std::cout << std::setw(6) << std::lround(measure(each, elements));
    }
    std::cout << "\n";
  }
}
