// SPDX-License-Identifier: Apache-2.0
// The software queue as a module.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/magic/direct_source.h>
#include <tributary/magic/software_queue.h>
#include <tributary/memory/line_memory.h>
#include <tributary/sim/ids.h>
#include <tributary/systemc/block_module.h>

namespace tributary {

/// A `software_queue` as a module: see `magic_node_of_modules`.
class software_queue_module final : public block_module<software_queue> {
 public:
  /// Where the queue is in the node's memory: see `software_queue`.
  software_queue_module(const sc_core::sc_module_name& name, std::uint64_t memory_bytes,
                        std::uint64_t anchor, node_id here)
      : block_module(name), memory_bytes_(memory_bytes), anchor_(anchor), here_(here) {}

  block_port<line_memory> memory{"memory"};
  block_export<software_queue> deferred{"deferred", [this]() -> software_queue& { return core(); }};
  block_export<direct_source> source{"source", [this]() -> direct_source& { return core(); }};

  const char* kind() const override { return "tributary::software_queue_module"; }

 private:
  std::unique_ptr<software_queue> make() override {
    return std::make_unique<software_queue>(memory->reach(), memory_bytes_, anchor_, here_);
  }

  std::uint64_t memory_bytes_;
  std::uint64_t anchor_;
  node_id here_;
};

}  // namespace tributary
