// SPDX-License-Identifier: Apache-2.0
// Message interfaces beside the network that they stand on, and the account of communication.
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <data_parallel/data_parallel_config.h>
#include <data_parallel/data_parallel_simulation.h>

#include "contest.h"
#include "message_work.h"

namespace tributary::benchmarks {
namespace {

constexpr double most_of_uncounted = 1.1;
constexpr double most_of_bare_message = 3;

constexpr std::uint32_t nodes = 8;
constexpr std::uint64_t sent_messages = 200'000;

template <class Machine>
void run_messages(benchmark::State& state, std::uint32_t bytes) {
  Machine machine(nodes, bytes);
  machine.step(sent_messages / 10);
  for (auto _ : state) machine.step(sent_messages);
}

contest against_network(std::uint32_t bytes) {
  contest row;
  row.id = "messages.interface." + std::to_string(bytes);
  row.title = "a remote write of " + std::to_string(bytes) +
              " bytes over language-oriented interfaces, compared with the same message of the "
              "network alone, " +
              std::to_string(nodes) + " nodes";
  row.judged = comparison::cost;
  row.goal = most_of_bare_message;
  row.ours = [bytes](benchmark::State& state) { run_messages<interface_messages>(state, bytes); };
  row.other = [bytes](benchmark::State& state) { run_messages<bare_messages>(state, bytes); };
  return row;
}

/// The program until it ends.
void run_counted(benchmark::State& state, data_parallel_kind program, bool counted) {
  data_parallel_config config;
  config.program.name = program;
  config.account.enabled = counted;
  for (auto _ : state) {
    data_parallel_simulation machine(config, 1);
    machine.run_until(never - 1);
  }
}

contest against_uncounted(data_parallel_kind program, const std::string& name) {
  contest row;
  row.id = "messages.account." + name;
  row.title = "communication counted, compared with not counted, " + name + " on " +
              std::to_string(nodes) + " nodes";
  row.judged = comparison::cost;
  row.goal = most_of_uncounted;
  row.ours = [program](benchmark::State& state) { run_counted(state, program, true); };
  row.other = [program](benchmark::State& state) { run_counted(state, program, false); };
  return row;
}

}  // namespace

std::vector<contest> message_contests() {
  return {against_network(8), against_network(32),
          against_uncounted(data_parallel_kind::halo2d, "halo2d"),
          against_uncounted(data_parallel_kind::evsim, "evsim")};
}

}  // namespace tributary::benchmarks
