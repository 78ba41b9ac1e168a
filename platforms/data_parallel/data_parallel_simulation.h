// SPDX-License-Identifier: Apache-2.0
// A machine of any communication architecture and the data-parallel program that it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <tributary/memory/address_map.h>
#include <tributary/processor/node_elements.h>
#include <tributary/processor/program.h>
#include <tributary/processor/program_workload.h>
#include <tributary/trace/communication_account.h>

#include <driver/simulation.h>

#include "data_parallel_config.h"
#include "data_parallel_machine.h"

namespace tributary {

/// The machine, from one cycle in which something happens to the next.
class data_parallel_simulation final : public simulation {
 public:
  /// `seed` names every random stream of the run. Throws what `data_parallel_config::validate`
  /// does.
  data_parallel_simulation(const data_parallel_config& config, std::uint64_t seed);
  /// A machine whose processors run `own_program`, in place of the one that the configuration
  /// names.
  data_parallel_simulation(const data_parallel_config& config, std::uint64_t seed,
                           std::unique_ptr<program> own_program);
  ~data_parallel_simulation() override;

  const data_parallel_config& config() const { return config_; }
  const communication_account& account() const { return account_; }

  cycle_t now() const override { return machine_->engine().now(); }
  const workload& work() const { return programs_; }
  const counter* find_workload_counter(std::string_view path) const override {
    return work().find_counter(path);
  }
  void run_until(cycle_t last) override;
  bool show(current_activity* activity) override { return machine_->engine().show(activity); }
  bool finished() const override { return programs_.finished() && machine_->engine().idle(); }
  bool drain(const std::function<bool()>& cancelled) override;

  std::string save() const override;
  void restore(const std::string& state) override;

  void reset_statistics() override;
  statistics_tree statistics() const override;

  machine_trace trace() override;

 private:
  using make_function = std::function<std::unique_ptr<program>(const data_parallel_config&)>;
  data_parallel_simulation(const data_parallel_config& config, std::uint64_t seed,
                           const make_function& make);

  void run_parked(cycle_t last);

  data_parallel_config config_;
  std::uint64_t seed_;
  std::unique_ptr<data_parallel_machine> machine_;
  address_map addresses_;
  program_workload programs_;
  node_elements elements_;
  communication_account account_;
  round_trip_account round_trips_;
  cycle_t measured_from_ = 0;
};

}  // namespace tributary
