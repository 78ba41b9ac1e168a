// SPDX-License-Identifier: Apache-2.0
// Two ways to do the same work, of which a goal says how their times compare.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace benchmark {
class State;
}

namespace tributary::benchmarks {

/// Counter of a benchmark with several threads: CPU seconds of the one that takes longest, which
/// are then compared instead of those of the benchmark's own. On a processor for each thread the
/// run takes as long.
inline constexpr const char* busiest_thread = "busiest_thread";

/// What of the two CPU times is judged.
enum class comparison {
  speed,       ///< how many times as fast as the other side ours is; the goal is a lower bound
  cost,        ///< how many times as long as the other side ours takes; the goal is an upper bound
  extra_time,  ///< by how many nanoseconds an item ours takes longer; the goal is an upper bound
  overhead     ///< by how many units of time ours takes longer; the goal is an upper bound
};

struct contest {
  std::string id;     ///< "G6.1024"
  std::string title;  ///< ours, and what it is measured beside
  comparison judged = comparison::speed;
  std::optional<double> goal;   ///< empty: printed only
  std::optional<double> least;  ///< of a cost: below it the comparison is not valid
  double items = 1;             ///< pieces of work that are timed, for `extra_time`
  double other_share = 1;       ///< of our work, which the other side does; its times are scaled up
  /// Each makes its machine, lets it warm up, and runs the timed part once in the loop over the
  /// benchmark's state.
  std::function<void(benchmark::State&)> ours;
  std::function<void(benchmark::State&)> other;
  std::function<void(benchmark::State&)> unit;  ///< of `overhead` only
};

/// Counters, histograms and traces (goal G11).
std::vector<contest> observation_contests();

/// One machine on two threads.
std::vector<contest> thread_contests();

/// Programs beside polling elements (goal G8).
std::vector<contest> program_contests();

/// The network in SystemC (goals G5 and G6).
std::vector<contest> module_contests();

/// Verilated RTL (goal G7).
std::vector<contest> rtl_contests();

/// Caches and coherence (goal G12).
std::vector<contest> coherence_contests();

/// The controllers' barrier (goal G12).
std::vector<contest> barrier_contests();

/// An application on coherent nodes (goal G12).
std::vector<contest> application_contests();

/// SMP nodes at level Q.
std::vector<contest> smp_contests();

/// Clusters in SystemC.
std::vector<contest> cluster_contests();

/// FLASH nodes in SystemC.
std::vector<contest> node_contests();

/// Message interfaces and the account of communication.
std::vector<contest> message_contests();

/// Networks of clusters in the plain loop.
std::vector<contest> network_contests();

/// TLM-2.0 sockets (goal G10).
std::vector<contest> socket_contests();

}  // namespace tributary::benchmarks
