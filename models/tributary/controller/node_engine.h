// SPDX-License-Identifier: Apache-2.0
// Nodes and their network, whatever engine steps them and whatever nodes they are.
#pragma once

#include <functional>
#include <string>

#include <tributary/sim/activity.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/recorder.h>

namespace tributary {

/// What every engine offers: the same configuration gives the same events and statistics.
class node_engine {
 public:
  node_engine(const node_engine&) = delete;
  node_engine& operator=(const node_engine&) = delete;
  virtual ~node_engine() = default;

  /// The last cycle that was simulated.
  virtual cycle_t now() const = 0;
  /// Simulates up to and including cycle `last`, or until `stop` says so after a cycle in which
  /// something happened.
  virtual void run_until(cycle_t last, const std::function<bool()>& stop) = 0;
  void run_until(cycle_t last) { run_until(last, {}); }
  /// Whether nothing is under way anywhere.
  virtual bool idle() const = 0;

  /// Events of all nodes, cycle by cycle as they become known, and within it track by track.
  /// Observers may be attached between two calls of `run_until`; nodes report from the next one on.
  observer_list<trace_event>& observers() { return recorder_.observers(); }
  trace_recorder& recorder() { return recorder_; }
  /// The tracks of all nodes.
  trace_catalog& catalog();
  /// What the nodes hold now, for files that begin to be written.
  trace_start held();

  /// From here on the engine writes there the name of the block that is at work; null turns this
  /// off. Returns whether it can.
  virtual bool show(current_activity*) { return false; }

  /// The state of nodes, network and what is between them, between two cycles, and back into an
  /// engine of the same kind, configuration and protocols. `restore` throws `input_error`; the
  /// machine is of no further use then.
  virtual std::string save() const = 0;
  virtual void restore(const std::string& state) = 0;

  virtual void reset_statistics() = 0;
  /// Statistics of every node as "node.0", and of the network.
  virtual void report(statistics_group& into) = 0;

 protected:
  /// `machine`: what traces call it.
  explicit node_engine(const char* machine) : catalog_{machine, "node"} {}

  /// How many nodes there are.
  virtual std::size_t node_count() const = 0;
  /// Lets every node add its tracks.
  virtual void trace_nodes(const trace_scope& scope) = 0;

  /// Before cycles are simulated: lets the nodes report if anybody observes.
  void observe();
  /// At the end of a cycle.
  void tell(cycle_t cycle) { recorder_.tell(cycle); }
  /// What to call then; nothing while nobody observes.
  std::function<void(cycle_t)> teller() {
    if (!observed_) return {};
    return [this](cycle_t cycle) { tell(cycle); };
  }

 private:
  trace_catalog catalog_;
  trace_recorder recorder_;
  bool observed_ = false;
};

}  // namespace tributary
