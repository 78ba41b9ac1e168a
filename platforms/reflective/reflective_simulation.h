// SPDX-License-Identifier: Apache-2.0
// A ring of reflective memories and the program on its nodes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <tributary/memory/address_map.h>
#include <tributary/nic/reflective_ring.h>
#include <tributary/processor/node_elements.h>
#include <tributary/processor/program.h>
#include <tributary/processor/program_workload.h>
#include <tributary/sim/agenda.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/recorder.h>

#include <driver/simulation.h>

#include "reflective_config.h"

namespace tributary {

/// The machine, from one cycle in which something happens to the next.
class reflective_simulation final : public simulation {
 public:
  /// `seed` names every random stream of the run. Throws what `reflective_config::validate` does.
  reflective_simulation(const reflective_config& config, std::uint64_t seed);
  /// A machine whose nodes run `own_program`, in place of the one that the configuration names.
  reflective_simulation(const reflective_config& config, std::uint64_t seed,
                        std::unique_ptr<program> own_program);

  const reflective_config& config() const { return config_; }
  reflective_ring& ring() { return ring_; }

  cycle_t now() const override { return agenda_.now(); }
  const counter* find_workload_counter(std::string_view path) const override {
    return programs_.find_counter(path);
  }
  void run_until(cycle_t last) override;
  bool show(current_activity* activity) override;
  bool finished() const override { return programs_.finished() && ring_.idle(); }
  bool drain(const std::function<bool()>& cancelled) override;

  void reset_statistics() override;
  statistics_tree statistics() const override;
  machine_trace trace() override;

  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  void simulate(cycle_t last);
  void observe();
  void report_times(statistics_tree& tree) const;

  reflective_config config_;
  std::uint64_t seed_;
  agenda agenda_;
  reflective_ring ring_;
  address_map addresses_;
  program_workload programs_;
  node_elements elements_;
  trace_catalog catalog_{"reflective", "node"};
  trace_recorder recorder_;
  bool observed_ = false;
  cycle_t measured_from_ = 0;
};

}  // namespace tributary
