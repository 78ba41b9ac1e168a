// SPDX-License-Identifier: Apache-2.0
// The data buffers as a module.
#pragma once

#include <memory>

#include <tributary/magic/data_buffers.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/ids.h>
#include <tributary/systemc/block_module.h>

namespace tributary {

/// A `data_buffers` as a module: see `magic_node_of_modules`.
class data_buffers_module final : public block_module<data_buffers> {
 public:
  data_buffers_module(const sc_core::sc_module_name& name, const data_buffers_config& config,
                      node_id here)
      : block_module(name), config_(config), here_(here) {}

  block_port<agenda> time{"time"};
  block_export<data_buffers> buffers{"buffers", [this]() -> data_buffers& { return core(); }};

  const char* kind() const override { return "tributary::data_buffers_module"; }

 private:
  std::unique_ptr<data_buffers> make() override {
    return std::make_unique<data_buffers>(config_, time->reach(), here_);
  }

  data_buffers_config config_;
  node_id here_;
};

}  // namespace tributary
