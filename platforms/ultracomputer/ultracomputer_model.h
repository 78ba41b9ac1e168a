// SPDX-License-Identifier: Apache-2.0
// The Ultracomputer as a platform of run files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <driver/platform_model.h>

#include "ultracomputer_machine.h"

namespace tributary {

class ultracomputer_model final : public platform_model {
 public:
  static constexpr const char* name = "ultracomputer";

  std::unique_ptr<platform_model> clone() const override;
  std::string platform() const override { return name; }

  std::string processors_parameter() const override { return "network.processing_elements"; }
  std::uint64_t program_cycle() const override { return config.clock.period; }

  void bind(parameter_set& parameters) override { config.bind(parameters); }
  void validate() const override { config.validate(); }
  void require_built() const override;
  void require_checkpoints(engine_kind engine) const override;
  std::vector<std::string> warnings() const override { return config.warnings(); }

  bool endless() const override;
  std::uint64_t size() const override;
  std::string size_unit() const override { return "switch"; }
  bool uses_threads(engine_kind engine) const override { return engine == engine_kind::loop; }
  std::string rtl() const override;
  table_layout usual_table() const override;

  std::unique_ptr<simulation> make(engine_kind engine, std::uint64_t seed) const override;
  statistics_tree statistics() const override;
  bool is_known_before_run(const std::string& statistic) const override;

  ultracomputer_config config;
};

/// A machine in its initial state. Throws what `ultracomputer` and `require_engine` do, for both
/// engines.
std::unique_ptr<ultracomputer_machine> make_ultracomputer(engine_kind engine,
                                                          const ultracomputer_config& config,
                                                          std::uint64_t seed);

/// The parameters of a machine. Throw `error` if it is none of this platform.
ultracomputer_config& ultracomputer_in(machine_choice& machine);
const ultracomputer_config& ultracomputer_in(const machine_choice& machine);

}  // namespace tributary
