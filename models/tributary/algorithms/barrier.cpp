// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/barrier.h>

#include <tributary/algorithms/centralized_barrier.h>
#include <tributary/algorithms/dissemination_barrier.h>
#include <tributary/algorithms/mcs_tree_barrier.h>
#include <tributary/algorithms/tournament_barrier.h>
#include <tributary/sim/error.h>

namespace tributary {

std::vector<std::pair<std::string, barrier_algorithm>> barrier_algorithms() {
  return {{"centralized", barrier_algorithm::centralized},
          {"dissemination", barrier_algorithm::dissemination},
          {"tournament", barrier_algorithm::tournament},
          {"mcs_tree", barrier_algorithm::mcs_tree}};
}

std::unique_ptr<barrier> make_barrier(barrier_algorithm algorithm, program_context& context,
                                      const memory_place& place) {
  switch (algorithm) {
    case barrier_algorithm::centralized:
      return std::make_unique<centralized_barrier>(context, place);
    case barrier_algorithm::dissemination:
      return std::make_unique<dissemination_barrier>(context, place);
    case barrier_algorithm::tournament:
      return std::make_unique<tournament_barrier>(context, place);
    case barrier_algorithm::mcs_tree:
      return std::make_unique<mcs_tree_barrier>(context, place);
    case barrier_algorithm::flash:
      break;
  }
  throw error("no such barrier");
}

}  // namespace tributary
