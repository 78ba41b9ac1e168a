// SPDX-License-Identifier: Apache-2.0
// Data-parallel machines as a platform of run files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <driver/platform_model.h>

#include "data_parallel_config.h"

namespace tributary {

class data_parallel_model final : public platform_model {
 public:
  static constexpr const char* name = "data_parallel";

  std::unique_ptr<platform_model> clone() const override {
    return std::make_unique<data_parallel_model>(*this);
  }
  std::string platform() const override { return name; }

  std::string processors_parameter() const override { return "nodes"; }
  std::uint64_t program_cycle() const override { return config.clock().period; }

  void bind(parameter_set& parameters) override { config.bind(parameters); }
  void validate() const override { config.validate(); }

  void require_checkpoints(engine_kind engine) const override;
  std::uint64_t size() const override { return config.nodes; }
  std::string size_unit() const override { return "node"; }
  table_layout usual_table() const override;

  bool is_known_before_run(const std::string& statistic) const override;
  std::unique_ptr<simulation> make(engine_kind engine, std::uint64_t seed) const override;

  data_parallel_config config;
};

/// The parameters of a machine. Throw `error` if it is none of this platform.
data_parallel_config& data_parallel_in(machine_choice& machine);
const data_parallel_config& data_parallel_in(const machine_choice& machine);

}  // namespace tributary
