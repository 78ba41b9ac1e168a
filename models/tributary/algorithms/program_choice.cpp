// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/program_choice.h>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {

void program_choice::bind(parameter_set& parameters) {
  parameters.add_choice("name", name,
                        {{"supersteps", program_kind::supersteps},
                         {"readers_writers", program_kind::readers_writers},
                         {"shared_counter", program_kind::shared_counter}},
                        "Program that every processing element runs.");
  run.bind(parameters);
  parameters.add_group("supersteps", supersteps, "Supersteps between barriers.");
  parameters.add_group("readers_writers", readers_writers, "Readers and writers of one lock.");
  parameters.add_group("shared_counter", shared_counter, "A counter that all elements increment.");
}

std::unique_ptr<program> make_program(const program_choice& choice, const address_map& map) {
  switch (choice.name) {
    case program_kind::supersteps:
      return make_supersteps_program(choice.supersteps, map);
    case program_kind::readers_writers:
      return make_readers_writers_program(choice.readers_writers, map);
    case program_kind::shared_counter:
      return make_shared_counter_program(choice.shared_counter, map.modules());
  }
  throw error("no such program");
}

}  // namespace tributary
