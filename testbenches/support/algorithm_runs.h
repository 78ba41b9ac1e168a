// SPDX-License-Identifier: Apache-2.0
// Runs of an algorithm where its mistakes show: several references under way, short patience.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include <flash/flash_machine.h>
#include <tributary/sim/error.h>
#include <ultracomputer/ultracomputer.h>

#include "ideal_machine.h"
#include "program_machines.h"
#include "sizes.h"

namespace tributary::testing {

/// References of an element in the network at a time: posted ones can overtake each other.
inline constexpr std::uint32_t overlapping = 16;
/// Bytes of stack: what judges a run may run on the last element's.
inline constexpr std::uint64_t roomy_stack = std::uint64_t{1} << 18;
/// Cycles without progress, and altogether, after which a small run is taken to hang.
inline constexpr std::uint64_t short_patience = 20000;
inline constexpr cycle_t short_run = 2000000;

/// A design's machine for such a run.
inline ultracomputer_config overlapping_machine(const named_design& design,
                                                std::uint32_t elements) {
  ultracomputer_config config = program_machine(design, elements);
  config.interface.outstanding = overlapping;
  config.workload.program.run.patience = short_patience;
  config.workload.program.run.stack = roomy_stack;
  return config;
}

/// What went wrong in a run, as a sentence that names the machine; empty if nothing did.
template <class Run>
std::string failure_of_run(const std::string& machine, std::uint32_t elements, std::uint64_t seed,
                           const Run& run) {
  try {
    run();
  } catch (const std::exception& problem) {
    return machine + ", " + std::to_string(elements) + " elements, seed " + std::to_string(seed) +
           ": " + problem.what();
  }
  return "";
}

/// Runs the program on ideal memory of random timing only, which for every other seed is so slow
/// that the turnaround hardly counts.
inline std::string failure_on_ideal_memory(std::uint32_t elements, std::uint64_t seed,
                                           const program_maker& make) {
  ideal_config config;
  config.elements = elements;
  config.interface.outstanding = overlapping;
  if (seed % 2 == 0) config.slowest = 400;
  config.programs.patience = short_patience;
  config.programs.stack = roomy_stack;
  config.processor.start_window = 50;
  return failure_of_run("ideal memory", elements, seed,
                        [&] { ideal_machine(config, seed, make("ideal memory")).run(short_run); });
}

/// The same on one design.
inline std::string failure_on(const named_design& design, std::uint32_t elements,
                              std::uint64_t seed, const program_maker& make) {
  return failure_of_run(design.name, elements, seed, [&] {
    ultracomputer machine(overlapping_machine(design, elements), seed, make(design.name));
    run_to_end(machine, short_run);
  });
}

/// The largest machine of FLASH nodes among the machines that all cases of a test run on.
inline constexpr std::uint32_t most_nodes = 8;

/// The same on FLASH nodes, uncached, every other seed with a fast processor.
inline std::string failure_on_nodes(std::uint32_t elements, std::uint64_t seed,
                                    const program_maker& make) {
  flash_config config;
  config.machine.nodes = elements;
  config.machine.node.memory.bytes = std::uint64_t{1} << 21;
  if (elements > 2) config.machine.network.topology = topology_kind::mesh;
  config.processor.start_window = 50;
  if (seed % 2 == 0) config.processor.turnaround = 1;
  config.workload.choice.program.run.patience = 10 * short_patience;
  config.workload.choice.program.run.stack = roomy_stack;
  return failure_of_run("FLASH", elements, seed, [&] {
    flash_machine machine(config, seed, make("FLASH"));
    machine.run_until(10 * short_run);
    if (!machine.finished()) throw simulation_error("programs have not ended");
  });
}

/// Most nodes with caches whose processors poll at full speed. More that poll often would only make
/// the run long.
inline constexpr std::uint32_t most_eager_pollers = 64;

enum class cache_sizes : std::uint8_t {
  usual,
  small  ///< lines come and go
};

/// FLASH nodes with caches on which algorithms run.
inline flash_config coherent_nodes(std::uint32_t elements, consistency_kind consistency,
                                   cache_sizes sizes) {
  flash_config config;
  config.machine.nodes = elements;
  if (elements > 2) config.machine.network.topology = topology_kind::mesh;
  config.machine.node.memory.bytes = std::uint64_t{1} << 21;
  config.machine.node.caches.present = true;
  if (sizes == cache_sizes::small) {
    config.machine.node.caches.levels.levels = {{512, 2, 64, 0}, {1024, 2, 128, 50}};
  }
  config.coherence.consistency = consistency;
  config.processor.start_window = 50;
  config.processor.turnaround = 4;
  if (elements > most_eager_pollers) {
    config.processor.turnaround = 400;
    config.machine.node.caches.patience = 20'000'000;  // some are refused for long, none for ever
  }
  return config;
}

/// The same on FLASH nodes with caches, every other seed with small ones and a fast processor; so
/// many of the elements are processes of each node.
inline std::string failure_on_coherent_nodes(std::uint32_t elements, std::uint64_t seed,
                                             consistency_kind consistency,
                                             const program_maker& make,
                                             std::uint32_t processes = 1) {
  const bool is_even = seed % 2 == 0;
  flash_config config = coherent_nodes(elements / processes, consistency,
                                       is_even ? cache_sizes::small : cache_sizes::usual);
  config.machine.node.processes = processes;
  if (is_even && elements <= most_eager_pollers) config.processor.turnaround = 1;
  config.workload.choice.program.run.patience = 40 * short_patience;
  config.workload.choice.program.run.stack = roomy_stack;
  const std::string name =
      (consistency == consistency_kind::relaxed ? "FLASH, relaxed" : "FLASH, sequential") +
      (processes == 1 ? std::string() : ", " + std::to_string(processes) + " processes a node");
  return failure_of_run(name, elements, seed, [&] {
    flash_machine machine(config, seed, make(name));
    machine.run_until(10 * short_run);
    if (!machine.finished()) throw simulation_error("programs have not ended");
  });
}

/// The same in both consistencies, and with two processes on each of a few nodes.
inline std::string failure_on_coherent_nodes(std::uint32_t elements, std::uint64_t seed,
                                             const program_maker& make) {
  for (const auto each : {consistency_kind::sequential, consistency_kind::relaxed}) {
    std::string failure = failure_on_coherent_nodes(elements, seed, each, make);
    if (!failure.empty()) return failure;
  }
  if (elements % 2 != 0 || elements < 4 || elements > most_nodes) return "";
  return failure_on_coherent_nodes(elements, seed, consistency_kind::relaxed, make, 2);
}

/// Nodes of larger machines with caches; the small one only where code is slow.
inline std::vector<std::uint32_t> many_nodes() {
  constexpr std::uint64_t some = 100;
  if (scaled(some) < some) return {16};
  return {16, 64, 128};
}

/// The same on ideal memory, uncached FLASH nodes and every design, where every operation has its
/// turn: the first thing that went wrong.
inline std::string failure_on_fair(std::uint32_t elements, std::uint64_t seed,
                                   const program_maker& make) {
  std::string failure = failure_on_ideal_memory(elements, seed, make);
  if (failure.empty() && elements <= most_nodes) failure = failure_on_nodes(elements, seed, make);
  for (const named_design& each : designs_for_programs()) {
    if (failure.empty()) failure = failure_on(each, elements, seed, make);
  }
  return failure;
}

/// The same on these and on FLASH nodes with caches, whose load-linked pairs promise nobody a turn.
inline std::string failure_on_any(std::uint32_t elements, std::uint64_t seed,
                                  const program_maker& make) {
  std::string failure = failure_on_fair(elements, seed, make);
  if (failure.empty() && elements <= most_nodes) {
    failure = failure_on_coherent_nodes(elements, seed, make);
  }
  return failure;
}

/// Tries so many seeds on ideal memory, the harshest mixer of timing, and returns the first thing
/// that goes wrong: what a broken variant has to come to.
inline std::string failure_within(std::uint64_t seeds, std::uint32_t elements,
                                  const program_maker& make) {
  std::string failure;
  for (std::uint64_t seed = 1; failure.empty() && seed <= seeds; ++seed) {
    failure = failure_on_ideal_memory(elements, seed, make);
  }
  return failure;
}

}  // namespace tributary::testing
