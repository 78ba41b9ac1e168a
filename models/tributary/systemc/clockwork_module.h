// SPDX-License-Identifier: Apache-2.0
// The clockwork of event-driven blocks as a module.
#pragma once

#include <tributary/sim/agenda.h>
#include <tributary/sim/cycle.h>
#include <tributary/systemc/block_module.h>
#include <tributary/systemc/event_driven_module.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// One process that wakes all blocks whose port of time leads here, in the order of their agenda;
/// so the order within a cycle is that of the cores. Blocks that call each other must share one.
class clockwork_module final : public event_driven_module {
 public:
  clockwork_module(const sc_core::sc_module_name& name, const sc_core::sc_time& period)
      : event_driven_module(name, period) {}

  block_export<agenda> time{"time", [this]() -> agenda& { return agenda_; }};

  const char* kind() const override { return "tributary::clockwork_module"; }

 private:
  cycle_t next_wakeup() const override { return agenda_.next_wakeup(); }
  void advance_to(cycle_t last) override { agenda_.advance_to(last); }

  agenda agenda_;
};

}  // namespace tributary
