// SPDX-License-Identifier: Apache-2.0
// Caches and coherence: hits, reads of three hops, and what is counted.
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <tributary/cache/cache_config.h>
#include <tributary/sim/agenda.h>
#include <tributary/smp/smp_node_config.h>

#include "coherent_work.h"
#include "contest.h"
#include "dispatch_time.h"

namespace tributary::benchmarks {
namespace {

constexpr double most_of_array = 3;
constexpr double most_dispatches = 15;
constexpr double most_of_counting = 1.1;

constexpr std::uint64_t hits = 2'000'000;
constexpr std::uint32_t nodes = 16;
constexpr std::uint64_t lines = 2'000;  // that each node reads
constexpr double dispatches_a_read = 10;

/// Reads words behind a port, of which all are there after the first round.
void time_hits(benchmark::State& state, processor_port& port, agenda& time) {
  constexpr cycle_t patience = 1'000'000'000;
  hit_reader reader(port);
  reader.begin(hit_bytes / word_bytes, time.now() + 1);
  while (!reader.done()) time.advance_to(time.now() + 1000);
  for (auto _ : state) {
    reader.begin(hits, time.now() + 1);
    while (!reader.done()) {
      time.advance_to(time.next_wakeup());
      if (time.now() <= patience) continue;
      state.SkipWithError("a word does not come");
      return;
    }
  }
  benchmark::DoNotOptimize(reader.sum());
}

void time_reads(benchmark::State& state, bool counts) {
  three_hop_nodes machine(nodes, lines, counts);
  for (auto _ : state) machine.read();
}

contest hits_contest(const char* id, const std::string& where, const cache_config& config) {
  contest row;
  row.id = id;
  row.title = "a hit in " + where + ", compared with an array that has a tag a line";
  row.judged = comparison::cost;
  row.goal = most_of_array;
  row.ours = [config](benchmark::State& state) {
    agenda time;
    lone_caches machine(time, config);
    time_hits(state, machine.caches(), time);
  };
  row.other = [](benchmark::State& state) {
    agenda time;
    tagged_array array(time);
    time_hits(state, array, time);
  };
  return row;
}

contest reads_contest() {
  contest row;
  row.id = "G12.three_hops";
  row.title = "a read of three hops on 16 nodes, compared with an empty handler (G12.dispatches)";
  row.judged = comparison::cost;
  row.goal = most_dispatches;  // 8 is aimed at
  row.other_share = dispatches_a_read;
  row.ours = [](benchmark::State& state) { time_reads(state, true); };
  row.other = [](benchmark::State& state) {
    time_dispatches(state, static_cast<std::uint64_t>(dispatches_a_read) * nodes * lines);
  };
  return row;
}

contest counting_contest() {
  contest row;
  row.id = "G12.counting";
  row.title = "reads of three hops on 16 nodes whose protocols count, compared with none that do";
  row.judged = comparison::cost;
  row.goal = most_of_counting;
  row.ours = [](benchmark::State& state) { time_reads(state, true); };
  row.other = [](benchmark::State& state) { time_reads(state, false); };
  return row;
}

}  // namespace

std::vector<contest> coherence_contests() {
  return {hits_contest("G12.hit", "the first level", cache_config()),
          hits_contest("smp.hit", "the cache of an SMP node's processor", smp_node_config().caches),
          reads_contest(), counting_contest()};
}

}  // namespace tributary::benchmarks
