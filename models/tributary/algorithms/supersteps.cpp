// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/supersteps.h>

#include <optional>
#include <string>
#include <vector>

#include <tributary/algorithms/centralized_barrier.h>
#include <tributary/algorithms/dissemination_barrier.h>
#include <tributary/algorithms/scattered_references.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

constexpr const char* superstep = "superstep";

class supersteps_program final : public program {
 public:
  supersteps_program(const supersteps_config& config, const kept_synchronization& kept)
      : config_(config), kept_(kept) {}

  std::vector<std::string> marks() const override { return {superstep}; }

  void run(program_context& context) override {
    const std::unique_ptr<barrier> end = make_end(context);
    std::optional<scattered_references> body;  // whose making takes a cycle
    if (config_.body != superstep_body::intense) body.emplace(context);
    for (std::uint64_t step = 0; step < config_.count; ++step) {
      if (step != 0) context.begin(superstep);
      if (body) body->perform(references_of(context.rank()));
      end->cross();
      if (step != 0) context.end(superstep);
      context.mark(superstep);
    }
  }

 private:
  std::uint64_t references_of(std::uint32_t rank) const {
    const bool fewer = config_.body == superstep_body::mixed && rank % 2 == 1;
    return fewer ? config_.fewer_references : config_.references;
  }

  std::unique_ptr<barrier> make_end(program_context& context) const {
    return resting_at(make_barrier_at_end(context), context, kept_);
  }

  std::unique_ptr<barrier> make_barrier_at_end(program_context& context) const {
    if (config_.barrier == barrier_algorithm::centralized) {
      // Rows 0 and 1, so that the words differ where the modules do not.
      return std::make_unique<centralized_barrier>(
          context, context.shared_address(mm_id{config_.counter_module}, 0),
          context.shared_address(mm_id{config_.release_module}, 1));
    }
    if (config_.posted_signals) {
      return std::make_unique<dissemination_barrier>(context, memory_place{}, true);
    }
    kept_synchronization kept = kept_;
    kept.rest.reset();
    return make_barrier(config_.chosen_barrier(), context, {}, kept);
  }

  supersteps_config config_;
  kept_synchronization kept_;
};

void check_module(const std::string& key, std::uint32_t module, std::uint32_t modules) {
  if (module < modules) return;
  throw configuration_error({"workload.program.supersteps." + key, "",
                             std::to_string(module) + " is no module of this machine",
                             "0 to " + std::to_string(modules - 1), "choose a module that exists"});
}

}  // namespace

void supersteps_config::bind(parameter_set& parameters) {
  using u64 = interval<std::uint64_t>;
  parameters.add_choice("barrier", barrier, barrier_algorithms({barrier_algorithm::flash}),
                        "Barrier after each superstep; the controllers of a FLASH machine with "
                        "barriers.count above 0 keep the barrier flash.");
  parameters.add("count", count, u64{1, std::uint64_t{1} << 40}, "", "Supersteps of each element.");
  parameters.add_choice("body", body,
                        {{"intense", superstep_body::intense},
                         {"uniform", superstep_body::uniform},
                         {"mixed", superstep_body::mixed}},
                        "What a superstep is: nothing; as many shared references of each element; "
                        "fewer of every second one (FG 4.1).");
  parameters.add("references", references, u64{0, std::uint64_t{1} << 40}, "",
                 "Shared references of an element in a superstep.");
  parameters.add("fewer_references", fewer_references, u64{0, std::uint64_t{1} << 40}, "",
                 "The same of elements of odd rank in the body \"mixed\".");
  parameters.add("counter_module", counter_module, interval<std::uint32_t>{0, 65535}, "",
                 "Memory module of the centralized barrier's counter of arrivals.");
  parameters.add("release_module", release_module, interval<std::uint32_t>{0, 65535}, "",
                 "Memory module of the word that elements at the centralized barrier poll.");
  parameters.add("posted_signals", posted_signals,
                 "Whether the dissemination barrier goes on without waiting for the stores of its "
                 "signals.");
  const interval<std::uint32_t> radices{1, barrier_state::most_children};
  parameters.add("join_radix", join_radix, radices, "children",
                 "Children of a node in the tree of joins of the barrier flash.");
  parameters.add("release_radix", release_radix, radices, "children",
                 "Children of a node in the tree of releases of the barrier flash.");
}

std::unique_ptr<program> make_supersteps_program(const supersteps_config& config,
                                                 const address_map& map,
                                                 const kept_synchronization& kept) {
  // The other barriers have no such words.
  if (config.barrier == barrier_algorithm::centralized) {
    check_module("counter_module", config.counter_module, map.modules());
    check_module("release_module", config.release_module, map.modules());
  }
  if (config.posted_signals && config.barrier != barrier_algorithm::dissemination) {
    throw configuration_error({"workload.program.supersteps.posted_signals", "",
                               "only the dissemination barrier posts its signals", "false",
                               "leave it out, or set barrier to \"dissemination\""});
  }
  check_barrier("workload.program.supersteps", config.chosen_barrier(), kept);
  return std::make_unique<supersteps_program>(config, kept);
}

}  // namespace tributary
