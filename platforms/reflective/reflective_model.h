// SPDX-License-Identifier: Apache-2.0
// Clusters with reflective memory as a platform of run files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <driver/platform_model.h>

#include "reflective_config.h"

namespace tributary {

class reflective_model final : public platform_model {
 public:
  static constexpr const char* name = "reflective";

  std::unique_ptr<platform_model> clone() const override {
    return std::make_unique<reflective_model>(*this);
  }
  std::string platform() const override { return name; }

  std::string processors_parameter() const override { return "nodes"; }
  std::uint64_t program_cycle() const override { return config.clock.period; }

  void bind(parameter_set& parameters) override { config.bind(parameters); }
  void validate() const override { config.validate(); }

  std::uint64_t size() const override { return config.nodes; }
  std::string size_unit() const override { return "node"; }
  table_layout usual_table() const override;

  bool is_known_before_run(const std::string& statistic) const override;
  std::unique_ptr<simulation> make(engine_kind engine, std::uint64_t seed) const override;

  reflective_config config;
};

}  // namespace tributary
