// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/data_parallel_programs/evsim.h>

#include <vector>

#include <fmt/format.h>

#include <tributary/algorithms/data_parallel_programs/checks.h>
#include <tributary/algorithms/data_parallel_programs/node_variables.h>
#include <tributary/algorithms/data_parallel_programs/program_parameters.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/random_stream.h>

namespace tributary::data_parallel_programs {
namespace {

struct event {
  node_id to;
  std::uint32_t slot;
  word_t value;
};

/// The events that a node sends, phase by phase: known to all nodes.
class event_stream {
 public:
  event_stream(const evsim_config& config, std::uint32_t node, std::uint32_t nodes)
      : draws_(config.system, node, purpose::placement),
        another_(probability_threshold(config.mean_sends / (1 + config.mean_sends))),
        node_(node),
        nodes_(nodes),
        slots_(config.slots) {}

  std::vector<event> next() {
    std::vector<event> made;
    while (draws_.bernoulli(another_)) {
      const auto step = static_cast<std::uint32_t>(1 + draws_.below(nodes_ - 1));
      const auto slot = static_cast<std::uint32_t>(draws_.below(slots_));
      made.push_back({node_id{(node_ + step) % nodes_}, slot, 1 + draws_.below(most)});
    }
    return made;
  }

 private:
  static constexpr std::uint64_t most = 1000;

  random_stream draws_;
  std::uint64_t another_;
  std::uint32_t node_;
  std::uint32_t nodes_;
  std::uint32_t slots_;
};

class evsim_process {
 public:
  evsim_process(data_parallel& here, const evsim_config& config) : here_(here), config_(config) {
    for (std::uint32_t n = 0; n < here.nodes(); ++n) streams_.emplace_back(config, n, here.nodes());
  }

  void run() {
    for (std::uint32_t i = 0; i < config_.slots; ++i) here_.write(place(i), 0);
    here_.barrier();
    for (std::uint32_t phase = 0; phase < config_.phases; ++phase) simulate(phase);
  }

 private:
  static std::uint64_t place(std::uint32_t slot) { return std::uint64_t{slot} * word_bytes; }

  void simulate(std::uint32_t phase) {
    std::vector<word_t> expected(config_.slots);
    for (std::uint32_t n = 0; n < here_.nodes(); ++n) {
      for (const event& each : streams_[n].next()) {
        if (each.to == here_.node()) expected[each.slot] += each.value;
        if (node_id{n} == here_.node()) {
          here_.combining_send({each.to, place(each.slot)}, each.value, combining_operation::sum,
                               config_.send_bytes);
        }
      }
    }
    here_.context().delay(config_.compute_cycles);
    expect_reduced(here_, phase, config_.reduce_bytes);
    for (std::uint32_t i = 0; i < config_.slots; ++i) check(i, expected[i], phase);
    here_.barrier();
  }

  void check(std::uint32_t slot, word_t expected, std::uint32_t phase) {
    const word_t found = here_.read(place(slot));
    if (found != expected) {
      throw simulation_error(
          fmt::format("node {}: slot {} holds {} behind phase {}, and {} was sent to it",
                      static_cast<std::uint32_t>(here_.node()), slot, found, phase, expected));
    }
    if (found != 0) here_.write(place(slot), 0);
  }

  data_parallel& here_;
  const evsim_config& config_;
  std::vector<event_stream> streams_;
};

}  // namespace

void evsim_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add("phases", phases, u32{1, 100000}, "phases", "Sends, a reduction and a barrier.");
  parameters.add("mean_sends", mean_sends, interval<double>{0, 1000}, "sends",
                 "Combining sends of a node in a phase, on average; the number is geometric.");
  parameters.add("send_bytes", send_bytes, u32{4, word_bytes}, "bytes",
                 "Of a combining send: 4 or 8.");
  bind_reduce_bytes(parameters, reduce_bytes);
  parameters.add("slots", slots, u32{1, 65536}, "words", "Of a node that sends combine with.");
  bind_cycles(parameters, "compute_cycles", compute_cycles, "in a phase");
  bind_system(parameters, system, "the sends");
}

std::unique_ptr<kernel> make_evsim(const evsim_config& config, std::uint32_t nodes) {
  require_nodes("evsim", nodes, 2);
  check_reduce_bytes("evsim", config.reduce_bytes);
  require_multiple("evsim.send_bytes", config.send_bytes, 4, "the bytes of the smallest item");
  variable_places places;
  places.next(config.slots);
  return std::make_unique<generator_kernel<evsim_process, evsim_config>>(config, places.bytes());
}

}  // namespace tributary::data_parallel_programs
