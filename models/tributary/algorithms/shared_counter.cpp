// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/shared_counter.h>

#include <string>
#include <vector>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

class shared_counter_program final : public program {
 public:
  shared_counter_program(const shared_counter_config& config, std::uint32_t elements)
      : config_(config), total_(config.increments * elements) {}

  void reset() override { seen_.assign(static_cast<std::size_t>(total_), false); }

  void run(program_context& context) override {
    const std::uint64_t counter = context.shared_address(0);
    const std::uint64_t done = context.shared_address(1);
    for (std::uint64_t i = 0; i < config_.increments; ++i) take(context.fetch_add(counter, 1));
    if (context.fetch_add(done, 1) + 1 != context.size()) return;
    const word_t end = context.load(counter);
    if (end != total_) {
      throw simulation_error("the shared counter ends as " + std::to_string(end) + " instead of " +
                             std::to_string(total_));
    }
  }

 private:
  void take(word_t value) {
    const bool possible = value < total_;
    if (!possible || seen_[static_cast<std::size_t>(value)]) {
      throw simulation_error(
          "a fetch-and-add of the shared counter returned " + std::to_string(value) +
          (possible ? ", which another one has returned" : ", which is too much"));
    }
    seen_[static_cast<std::size_t>(value)] = true;
  }

  shared_counter_config config_;
  word_t total_;
  std::vector<bool> seen_;  // by value: whether it was returned; the same in whatever order
};

}  // namespace

void shared_counter_config::bind(parameter_set& parameters) {
  parameters.add("increments", increments, interval<std::uint64_t>{1, 100000}, "",
                 "Fetch-and-adds of each element.");
}

std::unique_ptr<program> make_shared_counter_program(const shared_counter_config& config,
                                                     std::uint32_t elements) {
  return std::make_unique<shared_counter_program>(config, elements);
}

}  // namespace tributary
