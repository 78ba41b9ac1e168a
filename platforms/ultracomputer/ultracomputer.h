// SPDX-License-Identifier: Apache-2.0
// The NYU Ultracomputer: processing elements, omega network of combining switches, memory modules.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tributary/base/cycle.h>
#include <tributary/base/observer.h>
#include <tributary/base/statistics.h>
#include <tributary/combining/omega_network.h>
#include <tributary/memory/address_map.h>
#include <tributary/memory/memory.h>
#include <tributary/nic/network_interface.h>
#include <tributary/transaction/network_event.h>
#include <tributary/workload/program.h>
#include <tributary/workload/workload.h>

#include "workload_choice.h"

namespace tributary {

/// Configuration of the machine; the defaults are the baseline of FG 3 at 1024 elements.
struct ultracomputer_config {
  omega_network_config network;
  memory_config memory;
  address_map_config addresses;
  network_interface_config interface;
  processing_element_config processor;
  workload_config workload;

  void bind(parameter_set& parameters);
  /// Refuses combinations that could not work; throws `configuration_error`.
  void validate() const;
  /// Sentences about settings that work but can hardly be meant, as a queue in which nothing can
  /// ever combine.
  std::vector<std::string> warnings() const;
};

/// The machine in a plain loop: every block of a cycle answers `depart` before any commits.
class ultracomputer {
 public:
  /// `seed` names every random stream of the run. Throws `configuration_error` or `input_error` but
  /// does not check ranges: call `config.validate()` first for values that no file has set.
  ultracomputer(const ultracomputer_config& config, std::uint64_t seed);
  /// A machine whose elements run `what`, in place of the workload that the configuration chooses;
  /// how they run it is `config.workload.program.run`.
  ultracomputer(const ultracomputer_config& config, std::uint64_t seed,
                std::unique_ptr<program> what);
  ~ultracomputer();
  ultracomputer(const ultracomputer&) = delete;
  ultracomputer& operator=(const ultracomputer&) = delete;

  const ultracomputer_config& config() const { return config_; }
  /// The last cycle that was simulated; 0 before the first.
  cycle_t now() const { return now_; }

  /// Simulates one cycle, or `cycles`.
  void step();
  void step(std::uint64_t cycles) {
    for (std::uint64_t i = 0; i < cycles; ++i) step();
  }

  /// Whether the workload has ended and every request was answered.
  bool finished() const { return workload_->finished() && interface_.idle(); }

  /// Stops the workload and simulates until every request is answered, then proves that queues,
  /// wait buffers and pipelines are empty. Throws `simulation_error` if they are not, or if
  /// nothing is delivered for `patience` cycles. Returns false if `cancelled` told it to stop
  /// before.
  bool drain(const std::function<bool()>& cancelled = {}, std::uint64_t patience = 100000);

  /// Events of every cycle, in the order of `network_event`'s operator<.
  observer_list<network_event>& observers() { return observers_; }

  void reset_statistics();
  statistics_tree statistics() const;

  const omega_network& network() const { return network_; }
  omega_network& network() { return network_; }
  const memory& memories() const { return memory_; }
  memory& memories() { return memory_; }
  const network_interface& interfaces() const { return interface_; }
  network_interface& interfaces() { return interface_; }
  const address_map& addresses() const { return addresses_; }
  const workload& work() const { return *workload_; }
  workload& work() { return *workload_; }

  /// The whole state as bytes, statistics included, and back into a machine of the same
  /// configuration and seed. `save` throws `error` if the workload cannot be checkpointed;
  /// `restore` throws `input_error` if the state is another machine's or cut short, and the
  /// machine is then of no further use; a file that holds it has to tell damage by itself.
  std::string save() const;
  void restore(const std::string& state);

 private:
  ultracomputer(const ultracomputer_config& config, std::uint64_t seed,
                const std::function<std::unique_ptr<workload>(const address_map&)>& make);

  template <class Observer>
  void step_observed(Observer& observer);
  template <class Observer>
  void deliver(std::size_t pe, const reply& response, Observer& observer);

  ultracomputer_config config_;
  std::uint64_t seed_;
  address_map addresses_;
  omega_network network_;
  memory memory_;
  network_interface interface_;
  std::unique_ptr<workload> workload_;
  cycle_t now_ = 0;
  std::vector<memory_response> responses_;  // of the current cycle
  std::vector<network_event> events_;       // of the current cycle, when observed
  observer_list<network_event> observers_;
  average transit_;
  cycle_t measured_from_ = 0;
};

}  // namespace tributary
