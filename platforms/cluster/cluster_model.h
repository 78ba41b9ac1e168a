// SPDX-License-Identifier: Apache-2.0
// Networks of clusters as a platform of run files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <driver/platform_model.h>

#include "cluster_config.h"

namespace tributary {

class cluster_model final : public platform_model {
 public:
  static constexpr const char* name = "cluster";

  std::unique_ptr<platform_model> clone() const override {
    return std::make_unique<cluster_model>(*this);
  }
  std::string platform() const override { return name; }

  std::string processors_parameter() const override { return "network.graph.hosts_per_switch"; }
  std::uint64_t program_cycle() const override { return config.clock().period; }

  void bind(parameter_set& parameters) override { config.bind(parameters); }
  void validate() const override { config.validate(); }
  void require_checkpoints(engine_kind engine) const override;

  std::uint64_t size() const override;
  std::string size_unit() const override { return "host"; }
  table_layout usual_table() const override;

  bool is_known_before_run(const std::string& statistic) const override;
  std::unique_ptr<simulation> make(engine_kind engine, std::uint64_t seed) const override;

  cluster_config config;
};

/// The parameters of a cluster. Throw `error` if it is none of this platform.
cluster_config& cluster_in(machine_choice& machine);
const cluster_config& cluster_in(const machine_choice& machine);

}  // namespace tributary
