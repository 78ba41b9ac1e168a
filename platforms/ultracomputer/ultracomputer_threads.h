// SPDX-License-Identifier: Apache-2.0
// The cycles of an Ultracomputer on several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <tributary/memory/memory.h>
#include <tributary/network/omega/divided_network.h>
#include <tributary/nic/network_interface.h>
#include <tributary/processor/workload.h>
#include <tributary/sim/activity.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/statistics.h>
#include <tributary/sim/thread_team.h>

namespace tributary {

/// Threads that step network, interfaces and memory modules together: the states after a cycle are
/// those that one thread makes. Each steps a range of switches at every stage, with the elements
/// and modules next to them. Local ports join an element and a module of different ranges: what
/// passes through them is done by one thread, and so is what elements do that know of each other.
/// Nobody is told of events.
class ultracomputer_threads {
 public:
  /// The blocks must outlive it. `threads`: a power of two, at most `divided_network::most_parts`.
  ultracomputer_threads(std::size_t threads, omega_network& network, network_interface& interfaces,
                        memory& memories);

  /// Whether so many cycles are worth dividing the network, if it is not divided already.
  bool worth_it(std::uint64_t cycles) const { return network_.divided() || cycles >= 16; }
  /// Puts the network together again, before anything else looks at it.
  void unite() { network_.unite(); }
  /// Cycle `now`. `elements` offer their requests in it, or have offered them where it is null.
  /// Appends the responses; adds the cycles from first switch to module of each request that was
  /// served. Says in `activity`, unless it is null, what the caller's thread is at. `settle` comes
  /// before anybody looks at latencies; such `elements` get no responses.
  void step(cycle_t now, independent_elements* elements, std::vector<memory_response>& responses,
            average& transit, current_activity* activity = nullptr);
  /// Adds what threads have counted for themselves. What they had counted in a piece that ended by
  /// an exception is missing in statistics.
  void settle();

 private:
  using answered = network_interface::answered;

  /// What a thread made in a cycle, in cache lines of its own.
  struct alignas(64) share {
    std::vector<answered> lower;  ///< responses of its lower lines, and of its upper ones
    std::vector<answered> upper;
    // Where nobody takes them.
    std::uint64_t answers = 0;
    latency_classes latencies;
    std::vector<std::pair<std::size_t, packet>> local;  ///< requests for local ports, by element
    independent_elements::counts elements;
    network_interface::request_counts requests;
    std::uint64_t served = 0;  ///< requests
    average transit;           ///< of these
  };

  // What each part does at once; each waits until all have done the one before.
  void ask(std::size_t part, independent_elements& elements, cycle_t now);
  void depart(std::size_t part);
  void accept_requests(std::size_t part, cycle_t now);
  void pass_on(std::size_t part, bool taken, cycle_t now);
  void release_replies(std::size_t part);

  void release_elements(std::size_t part, cycle_t now);
  void deliver(std::size_t part, cycle_t now);
  /// The same where nobody takes the responses.
  void drop(std::size_t part, cycle_t now);
  void count(independent_elements* elements, std::vector<memory_response>& responses,
             average& transit);
  void serve_local(cycle_t now, std::vector<memory_response>& responses);

  divided_network network_;
  std::size_t upper_half_;  // first of the elements at the upper inputs of switches
  network_interface& interfaces_;
  memory& memories_;
  std::vector<share> shares_;
  thread_team team_;
};

}  // namespace tributary
