// SPDX-License-Identifier: Apache-2.0
// The memory controller as a module.
#pragma once

#include <memory>

#include <tributary/memory/memory_controller.h>
#include <tributary/sim/ids.h>
#include <tributary/systemc/block_module.h>
#include <tributary/systemc/memory_block.h>

namespace tributary {

/// A `memory_controller` as a module: see `magic_node_of_modules`.
class memory_controller_module final : public block_module<memory_controller, memory_block> {
 public:
  memory_controller_module(const sc_core::sc_module_name& name,
                           const memory_controller_config& config, node_id here)
      : block_module(name), config_(config), here_(here) {}

  bool idle() override { return core().writes_pending() == 0; }
  void reset_statistics() override { core().reset_statistics(); }
  void report(statistics_group& into) override { core().report(into, 0); }

  const char* kind() const override { return "tributary::memory_controller_module"; }

 private:
  std::unique_ptr<memory_controller> make() override {
    return std::make_unique<memory_controller>(config_, time->reach(), here_);
  }
  line_memory& memory() override { return core(); }

  memory_controller_config config_;
  node_id here_;
};

}  // namespace tributary
