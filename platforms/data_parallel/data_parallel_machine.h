// SPDX-License-Identifier: Apache-2.0
// The nodes of a data-parallel machine, whatever they are.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/controller/node_engine.h>
#include <tributary/processor/node_elements.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/communication_account.h>
#include <tributary/trace/round_trip_account.h>

#include "data_parallel_config.h"

namespace tributary {

/// An engine, and where programs stand on it.
class data_parallel_machine {
 public:
  data_parallel_machine() = default;
  data_parallel_machine(const data_parallel_machine&) = delete;
  data_parallel_machine& operator=(const data_parallel_machine&) = delete;
  virtual ~data_parallel_machine() = default;

  virtual node_engine& engine() = 0;
  /// Puts an element on each node.
  virtual void join(node_elements& elements) = 0;
  /// Of an element, in traces.
  virtual track_id track(std::uint32_t element) const = 0;

  /// From here on the account is told of communication.
  virtual void attach(communication_account& account, node_elements& elements) = 0;
  virtual void detach(communication_account& account) = 0;
  /// Round trips are counted where processors meet the network by themselves.
  virtual void attach(round_trip_account&) {}
  virtual void detach(round_trip_account&) {}
  /// Adds what it is not told of.
  virtual void complete(communication_account&) const {}

  /// Adds what handlers cost, where there are any.
  virtual void report_handlers(statistics_group&) const {}

  /// Whether messages wait that nobody will take.
  virtual bool is_stuck() const { return false; }
  /// The cycle in which `watch` is to be called, which throws `simulation_error` if nodes wait for
  /// each other for ever.
  virtual cycle_t watch_at() const { return never; }
  virtual void watch() {}
};

/// `seed` names every random stream. Throws `configuration_error` for nodes that cannot be.
std::unique_ptr<data_parallel_machine> make_data_parallel_machine(
    const data_parallel_config& config, std::uint64_t seed);

}  // namespace tributary
