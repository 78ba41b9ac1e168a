// SPDX-License-Identifier: Apache-2.0
// FLASH as a platform of run files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <driver/platform_model.h>

#include "flash_config.h"

namespace tributary {

class flash_model final : public platform_model {
 public:
  static constexpr const char* name = "flash";

  std::unique_ptr<platform_model> clone() const override;
  std::string platform() const override { return name; }

  std::string processors_parameter() const override { return "nodes"; }
  std::uint64_t program_cycle() const override {
    return config.machine.clock().period / config.processor_ratio();
  }

  void bind(parameter_set& parameters) override { config.bind(parameters); }
  void validate() const override { config.validate(); }
  void require_checkpoints(engine_kind engine) const override;
  std::vector<std::string> warnings() const override { return config.warnings(); }

  bool endless() const override;
  std::uint64_t size() const override;
  std::string size_unit() const override { return "node"; }
  table_layout usual_table() const override;

  bool is_known_before_run(const std::string& statistic) const override;
  std::unique_ptr<simulation> make(engine_kind engine, std::uint64_t seed) const override;

  flash_config config;
};

/// The parameters of a machine. Throw `error` if it is none of this platform.
flash_config& flash_in(machine_choice& machine);
const flash_config& flash_in(const machine_choice& machine);

}  // namespace tributary
