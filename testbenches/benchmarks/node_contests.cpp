// SPDX-License-Identifier: Apache-2.0
// FLASH nodes as modules beside the plain loop.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <driver/simulation_context.h>
#include <tributary/systemc/cycle_scheduler.h>
#include <tributary/systemc/magic_node_module.h>
#include <tributary/systemc/message_network_module.h>

#include "contest.h"
#include "node_work.h"
#include "timed.h"

namespace tributary::benchmarks {
namespace {

constexpr double most_of_loop = 1.5;
constexpr std::uint64_t warmup = 2'000;

/// The machine of `busy_nodes` as the platform of FLASH composes it: a module a node and one for
/// the network, which one scheduler runs.
class module_nodes {
 public:
  explicit module_nodes(std::uint32_t nodes)
      : work_(nodes), network_("network", work_.machine().network, nodes) {
    network_.follow(scheduler_);
    for (std::uint32_t i = 0; i < nodes; ++i) {
      const magic_node_place place{node_id{i}, nodes, work_.machine().network};
      nodes_.push_back(std::make_unique<magic_node_module>(
          ("node_" + std::to_string(i)).c_str(), work_.machine().node, place, work_.protocols()));
      nodes_.back()->join(network_);
      nodes_.back()->follow(scheduler_);
    }
    for (const auto& each : nodes_) work_.begin(each->core());
  }
  ~module_nodes() { work_.end(); }
  module_nodes(const module_nodes&) = delete;
  module_nodes& operator=(const module_nodes&) = delete;

  void step(std::uint64_t cycles) {
    sc_core::sc_start(static_cast<double>(cycles) * scheduler_.clock_period());
  }

 private:
  const simulation_context context_;
  node_work work_;
  cycle_scheduler scheduler_{"scheduler", sc_period(work_.machine().network.clock)};
  message_network_module network_;
  std::vector<std::unique_ptr<magic_node_module>> nodes_;
};

contest against_loop(std::uint32_t nodes, std::uint64_t cycles) {
  contest row;
  row.id = "G12.modules." + std::to_string(nodes);
  row.title = std::to_string(nodes) +
              " nodes as modules that talk through sockets, compared with the "
              "plain loop";
  row.judged = comparison::cost;
  row.goal = most_of_loop;
  row.ours = timed_machine<module_nodes>(warmup, cycles, nodes);
  row.other = timed_machine<busy_nodes>(warmup, cycles, nodes);
  return row;
}

}  // namespace

std::vector<contest> node_contests() {
  return {against_loop(2, 2'000'000), against_loop(16, 250'000)};
}

}  // namespace tributary::benchmarks
