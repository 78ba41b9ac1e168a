// SPDX-License-Identifier: Apache-2.0
#include "workload_choice.h"

#include <tributary/processor/closed_loop.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {

void workload_config::bind(parameter_set& parameters) {
  parameters.add_choice("kind", kind,
                        {{"closed_loop", workload_kind::closed_loop},
                         {"open_loop", workload_kind::open_loop},
                         {"trace", workload_kind::trace},
                         {"program", workload_kind::program}},
                        "What the processing elements do.");
  parameters.add_group("traffic", traffic, "Requests of closed and open loops.");
  parameters.add_group("open_loop", open_loop, "Generation of requests in an open loop.");
  parameters.add_group("trace", trace, "Replay of a trace.");
  parameters.add_group("program", program, "A program on each processing element.");
}

std::unique_ptr<workload> make_workload(const workload_config& config,
                                        const processing_element_config& elements,
                                        const network_interface_config& interfaces,
                                        const address_map& map, std::uint64_t seed) {
  switch (config.kind) {
    case workload_kind::closed_loop:
      return std::make_unique<closed_loop>(config.traffic, elements, interfaces.outstanding, map,
                                           seed);
    case workload_kind::open_loop:
      return std::make_unique<open_loop>(config.open_loop, config.traffic, elements, map, seed);
    case workload_kind::trace:
      return std::make_unique<trace_replay>(config.trace, elements, map);
    case workload_kind::program:
      return std::make_unique<program_workload>(
          config.program.run, make_program(config.program, map), elements, map, seed);
  }
  throw error("no such workload kind");
}

}  // namespace tributary
