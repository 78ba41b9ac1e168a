// SPDX-License-Identifier: Apache-2.0
// The nodes of a FLASH machine and their network, whatever engine steps them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include <tributary/magic/magic_machine.h>
#include <tributary/magic/magic_node.h>
#include <tributary/magic/node_event.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/statistics.h>

#include <driver/engine_kind.h>

namespace tributary {

/// What every engine offers: the same configuration gives the same events and statistics.
class flash_nodes {
 public:
  flash_nodes() = default;
  flash_nodes(const flash_nodes&) = delete;
  flash_nodes& operator=(const flash_nodes&) = delete;
  virtual ~flash_nodes() = default;

  virtual std::size_t size() const = 0;
  virtual magic_node& node(std::size_t i) = 0;
  virtual const magic_node& node(std::size_t i) const = 0;

  /// The last cycle that was simulated.
  virtual cycle_t now() const = 0;
  /// Simulates up to and including cycle `last`, or until `stop` says so after a cycle in which
  /// something happened.
  virtual void run_until(cycle_t last, const std::function<bool()>& stop) = 0;
  /// Whether nothing is under way anywhere.
  virtual bool idle() const = 0;

  /// Events cycle by cycle, and within a cycle node by node.
  virtual observer_list<node_event>& observers() = 0;

  /// The state of nodes, network and what is between them, between two cycles, and back into an
  /// engine of the same kind and configuration; throws as `magic_machine` does.
  virtual std::string save() const = 0;
  virtual void restore(const std::string& state) = 0;

  virtual void reset_statistics() = 0;
  virtual void report(statistics_group& into) = 0;
};

/// Throws what `magic_machine` throws, and `configuration_error` for an engine that this build has
/// not.
std::unique_ptr<flash_nodes> make_flash_nodes(engine_kind engine,
                                              const magic_machine_config& config,
                                              const protocol_maker& protocols);

}  // namespace tributary
