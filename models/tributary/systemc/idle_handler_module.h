// SPDX-License-Identifier: Apache-2.0
// The idle handler as a module.
#pragma once

#include <memory>

#include <tributary/magic/direct_source.h>
#include <tributary/magic/idle_handler.h>
#include <tributary/sim/agenda.h>
#include <tributary/systemc/block_module.h>

namespace tributary {

/// A `idle_handler` as a module: see `magic_node_of_modules`.
class idle_handler_module final : public block_module<idle_handler> {
 public:
  idle_handler_module(const sc_core::sc_module_name& name, const idle_handler_config& config)
      : block_module(name), config_(config) {}

  block_port<agenda> time{"time"};
  block_export<idle_handler> timed{"timed", [this]() -> idle_handler& { return core(); }};
  block_export<direct_source> source{"source", [this]() -> direct_source& { return core(); }};

  const char* kind() const override { return "tributary::idle_handler_module"; }

 private:
  std::unique_ptr<idle_handler> make() override {
    return std::make_unique<idle_handler>(config_, time->reach());
  }

  idle_handler_config config_;
};

}  // namespace tributary
