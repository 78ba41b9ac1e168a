// SPDX-License-Identifier: Apache-2.0
// The memory of a node as a module, whoever implements it.
#pragma once

#include <tributary/memory/line_memory.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/statistics.h>
#include <tributary/systemc/block_module.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// What stands in a node where `memory_controller_module` does. Of its words, `read` and `write`
/// may be used before the simulation begins.
class memory_block : public sc_core::sc_module {
 public:
  block_port<agenda> time{"time"};
  block_export<line_memory> lines{"lines", [this]() -> line_memory& { return memory(); }};

  /// Whether every write has landed.
  virtual bool idle() = 0;
  virtual void reset_statistics() = 0;
  virtual void report(statistics_group& into) = 0;

  const char* kind() const override { return "tributary::memory_block"; }

 protected:
  explicit memory_block(const sc_core::sc_module_name& name) : sc_module(name) {}

  virtual line_memory& memory() = 0;
};

}  // namespace tributary
