// SPDX-License-Identifier: Apache-2.0
// em3d: electromagnetic waves on a bipartite graph.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/synchronization.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/program.h>

namespace tributary {

class parameter_set;

/// Configuration of the program.
struct em3d_config {
  /// Of the graph, of both kinds together.
  std::uint32_t graph_nodes = 38400;
  /// Edges of each.
  std::uint32_t degree = 5;
  /// Part of the edges that lead to other nodes of the machine.
  double remote = 0.15;
  /// Behind a first one that is not measured.
  std::uint32_t iterations = 40;
  /// Cycles of a processor that an edge takes, beyond its load: fitted to Table 2 of Falsafi and
  /// Wood, Single by Fixed with interrupts of 1 us.
  std::uint64_t edge_cycles = 10;
  barrier_algorithm barrier = barrier_algorithm::dissemination;
  /// Names the graph; it is the same for every seed of a run.
  std::uint64_t graph = 1;

  void bind(parameter_set& parameters);
};

/// Half of the graph's nodes are of electric, half of magnetic fields; each has edges to some of
/// the other kind, by whose values it changes. Every process owns as many, in its own memory. In an
/// iteration all processes compute the nodes of one kind, meet, compute the other kind, and meet.
/// Values are whole numbers modulo 2^64, so that the end is what one processor computes; throws
/// `simulation_error` if it is not. The sample `time` is that of the measured iterations.
/// Source: Culler et al., "Parallel Programming in Split-C", 1993; Falsafi and Wood, section 6.
///
/// Throws `configuration_error` for nodes that the processes cannot share evenly, and for memories
/// that are too small.
std::unique_ptr<program> make_em3d_program(const em3d_config& config, const address_map& map,
                                           const kept_synchronization& machine);

}  // namespace tributary
