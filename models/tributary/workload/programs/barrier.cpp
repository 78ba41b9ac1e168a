// SPDX-License-Identifier: Apache-2.0
#include <tributary/workload/programs/barrier.h>

#include <string>

#include <tributary/base/error.h>
#include <tributary/base/parameters.h>

namespace tributary {
namespace {

class barrier_program final : public program {
 public:
  explicit barrier_program(const barrier_config& config) : config_(config) {}

  void run(program_context& context) override {
    // Rows 0 and 1, so that the words differ where the modules do not.
    const centralized_barrier barrier(context.shared_address(mm_id{config_.counter_module}, 0),
                                      context.shared_address(mm_id{config_.release_module}, 1));
    bool sense = false;
    for (std::uint64_t step = 0; step < config_.supersteps; ++step) {
      barrier.cross(context, sense);
      context.mark("superstep");
    }
  }

 private:
  barrier_config config_;
};

void check_module(const std::string& key, std::uint32_t module, std::uint32_t modules) {
  if (module < modules) return;
  throw configuration_error({"workload.program.barrier." + key, "",
                             std::to_string(module) + " is no module of this machine",
                             "0 to " + std::to_string(modules - 1), "choose a module that exists"});
}

}  // namespace

void centralized_barrier::cross(program_context& context, bool& sense) const {
  sense = !sense;
  const word_t release = sense ? 1 : 0;
  if (context.fetch_add(counter_, 1) + 1 == context.size()) {
    // The reset is over before anybody can be released and arrive again.
    context.store(counter_, 0);
    context.store(release_, release);
  } else {
    context.spin(release_, [release](word_t seen) { return seen == release; });
  }
}

void barrier_config::bind(parameter_set& parameters) {
  parameters.add("supersteps", supersteps, interval<std::uint64_t>{1, std::uint64_t{1} << 40}, "",
                 "How often each element crosses the barrier.");
  parameters.add("counter_module", counter_module, interval<std::uint32_t>{0, 65535}, "",
                 "Memory module of the counter of arrivals.");
  parameters.add("release_module", release_module, interval<std::uint32_t>{0, 65535}, "",
                 "Memory module of the word that the elements poll.");
}

std::unique_ptr<program> make_barrier_program(const barrier_config& config,
                                              const address_map& map) {
  check_module("counter_module", config.counter_module, map.modules());
  check_module("release_module", config.release_module, map.modules());
  return std::make_unique<barrier_program>(config);
}

}  // namespace tributary
