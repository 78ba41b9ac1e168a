// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/workload_choice.h>

#include <utility>
#include <vector>

#include <tributary/processor/closed_loop.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {

void program_choice::bind(parameter_set& parameters) {
  parameters.add_choice("name", name,
                        {{"supersteps", program_kind::supersteps},
                         {"critical_sections", program_kind::critical_sections},
                         {"readers_writers", program_kind::readers_writers},
                         {"shared_counter", program_kind::shared_counter},
                         {"coordination", program_kind::coordination},
                         {"mpi_exchange", program_kind::mpi_exchange},
                         {"all_reduce", program_kind::all_reduce},
                         {"water", program_kind::water},
                         {"barnes", program_kind::barnes},
                         {"ocean", program_kind::ocean},
                         {"em3d", program_kind::em3d},
                         {"gauss", program_kind::gauss},
                         {"tomcatv", program_kind::tomcatv},
                         {"appbt", program_kind::appbt}},
                        "Program that every processing element runs.");
  run.bind(parameters);
  parameters.add_group("supersteps", supersteps, "Supersteps between barriers.");
  parameters.add_group("critical_sections", critical_sections, "Critical sections under locks.");
  parameters.add_group("readers_writers", readers_writers, "Readers and writers of one lock.");
  parameters.add_group("shared_counter", shared_counter, "A counter that all elements increment.");
  parameters.add_group("coordination", coordination, "What machines are compared by.");
  parameters.add_group("mpi_exchange", mpi_exchange,
                       "Messages from element 0 to element 1 (FLASH 5.5.2).");
  parameters.add_group("water", water, "Molecules of a liquid (SPLASH-2 Water, N-squared).");
  parameters.add_group("barnes", barnes, "Bodies that attract each other (SPLASH-2 Barnes).");
  parameters.add_group("ocean", ocean, "Currents on a grid (SPLASH-2 Ocean).");
  parameters.add_group("em3d", em3d, "Electromagnetic waves on a bipartite graph.");
  parameters.add_group("gauss", gauss, "A system of linear equations, by elimination.");
  parameters.add_group("tomcatv", tomcatv, "A mesh that fits a given boundary.");
  parameters.add_group("appbt", appbt, "A fluid in three dimensions, by elimination.");
  parameters.add_group("all_reduce", all_reduce, "Reductions over the words of all elements.");
}

namespace {

void require_one_process(std::uint32_t processes, const char* program) {
  if (processes == 1) return;
  throw configuration_error({"node.processes", "",
                             std::string("one process of each node takes part in ") + program,
                             "1 with this program", "run one, or choose another program"});
}

}  // namespace

std::unique_ptr<program> make_program(const program_choice& choice, const address_map& map) {
  const std::uint32_t processes = choice.run.processes;
  const kept_synchronization kept{choice.locks, choice.barriers, processes, choice.serves_pairs,
                                  choice.rest};
  switch (choice.name) {
    case program_kind::supersteps:
      return make_supersteps_program(choice.supersteps, map, kept);
    case program_kind::critical_sections:
      return make_critical_sections_program(choice.critical_sections, map, kept);
    case program_kind::readers_writers:
      return make_readers_writers_program(choice.readers_writers, map.modules() * processes);
    case program_kind::shared_counter:
      return make_shared_counter_program(choice.shared_counter, map.modules() * processes);
    case program_kind::coordination:
      return make_coordination_program(choice.coordination, map, kept);
    case program_kind::mpi_exchange:
      require_one_process(processes, "mpi_exchange");
      return make_mpi_exchange_program(choice.mpi_exchange, map, choice.nodes);
    case program_kind::water:
      return make_water_program(choice.water, map, kept);
    case program_kind::barnes:
      return make_barnes_program(choice.barnes, map, kept);
    case program_kind::ocean:
      return make_ocean_program(choice.ocean, map, kept);
    case program_kind::em3d:
      return make_em3d_program(choice.em3d, map, kept);
    case program_kind::gauss:
      return make_gauss_program(choice.gauss, map, kept);
    case program_kind::tomcatv:
      return make_tomcatv_program(choice.tomcatv, map, kept);
    case program_kind::appbt:
      return make_appbt_program(choice.appbt, map, kept);
    case program_kind::all_reduce:
      if (choice.all_reduce.reduction == reduction_algorithm::flash) {
        require_one_process(processes, "all_reduce with the reduction flash");
      }
      return make_all_reduce_program(choice.all_reduce, choice.reductions);
  }
  throw error("no such program");
}

void workload_config::bind(parameter_set& parameters) {
  std::vector<std::pair<std::string, workload_kind>> kinds = {
      {"closed_loop", workload_kind::closed_loop},
      {"open_loop", workload_kind::open_loop},
      {"trace", workload_kind::trace},
      {"program", workload_kind::program}};
  if (!own.empty()) kinds.insert(kinds.begin(), {own, workload_kind::own});
  if (asks) kinds.emplace_back("requests", workload_kind::requests);
  parameters.add_choice("kind", kind, kinds, "What the processing elements do.");
  parameters.add_group("traffic", traffic, "Requests of closed and open loops.");
  parameters.add_group("open_loop", open_loop, "Generation of requests in an open loop.");
  parameters.add_group("trace", trace, "Replay of a trace.");
  parameters.add_group("program", program, "A program on each processing element.");
}

bool workload_config::endless(const address_map& map) const {
  if (kind == workload_kind::program) return make_program(program, map)->endless();
  return kind == workload_kind::closed_loop || kind == workload_kind::open_loop;
}

std::unique_ptr<workload> make_workload(const workload_config& config,
                                        const processing_element_config& elements,
                                        std::uint32_t outstanding, const address_map& map,
                                        std::uint64_t seed) {
  switch (config.kind) {
    case workload_kind::closed_loop:
      return std::make_unique<closed_loop>(config.traffic, elements, outstanding, map, seed);
    case workload_kind::open_loop:
      return std::make_unique<open_loop>(config.open_loop, config.traffic, elements, map, seed);
    case workload_kind::trace:
      return std::make_unique<trace_replay>(config.trace, elements, map);
    case workload_kind::program:
      return std::make_unique<program_workload>(
          config.program.run, make_program(config.program, map), elements, map, seed);
    case workload_kind::own:
    case workload_kind::requests:
      break;
  }
  throw error("no such workload kind");
}

}  // namespace tributary
