// SPDX-License-Identifier: Apache-2.0
#include <tributary/workload/programs/program_choice.h>

#include <tributary/base/error.h>
#include <tributary/base/parameters.h>

namespace tributary {

void program_choice::bind(parameter_set& parameters) {
  parameters.add_choice(
      "name", name,
      {{"barrier", program_kind::barrier}, {"shared_counter", program_kind::shared_counter}},
      "Program that every processing element runs.");
  run.bind(parameters);
  parameters.add_group("barrier", barrier, "Empty supersteps between centralized barriers.");
  parameters.add_group("shared_counter", shared_counter, "A counter that all elements increment.");
}

std::unique_ptr<program> make_program(const program_choice& choice, const address_map& map) {
  switch (choice.name) {
    case program_kind::barrier:
      return make_barrier_program(choice.barrier, map);
    case program_kind::shared_counter:
      return make_shared_counter_program(choice.shared_counter, map.modules());
  }
  throw error("no such program");
}

}  // namespace tributary
