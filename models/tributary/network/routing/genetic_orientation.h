// SPDX-License-Identifier: Apache-2.0
// A search for the up ends of links by a genetic algorithm, and a count of all that are correct.
#pragma once

#include <cstdint>
#include <functional>

#include <tributary/network/routing/orientation.h>

namespace tributary {

/// How good an orientation is; greater is better. It is asked for correct ones only.
using orientation_fitness = std::function<double(const orientation&)>;

/// Parameters of the search. The publication gives the first two; the others are ours.
struct genetic_config {
  std::uint32_t population = 12;  ///< orientations, 4 or more
  std::uint32_t replaced = 4;     ///< of the worst, each generation; 1 to population - 2
  double mutations = 1;           ///< bits that change, mean of a child; 0 to the links
  std::uint32_t patience = 50;    ///< generations without a better one, after which it ends
  std::uint32_t most_generations = 1000;
  std::uint32_t attempts = 100;  ///< at a correct child, before a parent has one link turned
  std::uint64_t seed = 1;
};

/// What the search has found. The graph must outlive `best`.
struct genetic_result {
  orientation best;
  double fitness = 0;
  std::uint32_t generations = 0;
  std::uint64_t rejected = 0;  ///< children that were not correct
};

/// Bits of an orientation are its links, in the order in which a scan over switches and ports meets
/// them; a bit is set if the link goes up from the lower switch to the higher. The first population
/// is MDST, POST from switch 0, UD_BFS, UD_DFS, and distances from other roots. Each generation the
/// worst give way to children of the two best, by a cut at one place and mutation; children that
/// are not correct are drawn again. Throws `configuration_error` for parameters out of range.
/// Source: Alfaro et al., "On the performance of up*/down* routing", CANPC 2000.
genetic_result genetic_orientation(const network_graph& graph, const orientation_fitness& fitness,
                                   const genetic_config& config = {});
genetic_result genetic_orientation(const network_graph&&, const orientation_fitness&,
                                   const genetic_config& = {}) = delete;

/// A fitness without simulation: minus the greatest expected number of routes over a channel, if
/// each pair of switches has one route (`route_count::divided`).
double least_crossing_fitness(const orientation& ends);

/// How many orientations there are of a graph, and how many are correct.
struct orientation_count {
  std::uint64_t correct = 0;
  std::uint64_t all = 0;
};

/// The greatest number of links whose orientations are counted.
inline constexpr std::uint32_t most_counted_links = 24;

/// Tries all orientations. Throws `configuration_error` for more than `most_counted_links` links.
orientation_count count_orientations(const network_graph& graph);

}  // namespace tributary
