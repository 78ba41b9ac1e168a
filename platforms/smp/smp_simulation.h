// SPDX-License-Identifier: Apache-2.0
// A machine of SMP nodes and what its processors do.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tributary/memory/address_map.h>
#include <tributary/processor/node_elements.h>
#include <tributary/processor/program.h>
#include <tributary/processor/program_workload.h>
#include <tributary/smp/smp_nodes.h>

#include <driver/engine_kind.h>
#include <driver/simulation.h>

#include "smp_config.h"

namespace tributary {

/// The machine, from one cycle in which something happens to the next.
class smp_simulation final : public simulation {
 public:
  /// `seed` names every random stream of the run. Throws what `smp_config::validate` does, and
  /// `configuration_error` if the build lacks the engine.
  smp_simulation(const smp_config& config, std::uint64_t seed,
                 engine_kind engine = engine_kind::loop);
  /// A machine whose processors run `own_program`, in place of the workload that the configuration
  /// chooses.
  smp_simulation(const smp_config& config, std::uint64_t seed, std::unique_ptr<program> own_program,
                 engine_kind engine = engine_kind::loop);

  const smp_config& config() const { return config_; }
  smp_nodes& machine() { return *machine_; }
  const smp_nodes& machine() const { return *machine_; }
  const address_map& addresses() const { return addresses_; }

  cycle_t now() const override { return machine_->now(); }
  const workload& work() const { return programs_; }
  const counter* find_workload_counter(std::string_view path) const override {
    return work().find_counter(path);
  }
  void run_until(cycle_t last) override;
  bool show(current_activity* activity) override { return machine_->show(activity); }
  bool finished() const override { return programs_.finished() && machine_->idle(); }
  bool drain(const std::function<bool()>& cancelled) override;

  std::string save() const override;
  void restore(const std::string& state) override;

  void reset_statistics() override;
  statistics_tree statistics() const override;

  machine_trace trace() override;

 private:
  using make_function = std::function<std::unique_ptr<program>(const address_map&)>;
  smp_simulation(const smp_config& config, std::uint64_t seed, engine_kind engine,
                 const make_function& make);

  void check_progress();
  /// Processors of a node that compute at a time, on average over nodes.
  double computing() const;
  /// The share of so many cycles in which a node runs handlers, on average over nodes.
  double handling(cycle_t cycles) const;

  smp_config config_;
  std::uint64_t seed_;
  std::unique_ptr<smp_nodes> machine_;
  address_map addresses_;
  program_workload programs_;
  node_elements elements_;
  cycle_t measured_from_ = 0;
};

}  // namespace tributary
