// SPDX-License-Identifier: Apache-2.0
// The outbox as a module.
#pragma once

#include <memory>

#include <tributary/magic/outbox.h>
#include <tributary/systemc/block_module.h>

namespace tributary {

/// A `outbox` as a module: see `magic_node_of_modules`.
class outbox_module final : public block_module<outbox> {
 public:
  outbox_module(const sc_core::sc_module_name& name, const outbox_config& config)
      : block_module(name), config_(config) {}

  block_port<message_outlet> network{"network"};
  block_port<answer_outlet> processor{"processor"};
  block_export<outbox> out{"out", [this]() -> outbox& { return core(); }};

  const char* kind() const override { return "tributary::outbox_module"; }

 private:
  std::unique_ptr<outbox> make() override {
    return std::make_unique<outbox>(config_, network->reach(), processor->reach());
  }

  outbox_config config_;
};

}  // namespace tributary
