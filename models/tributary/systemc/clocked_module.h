// SPDX-License-Identifier: Apache-2.0
// One clocked process: the three phases of a cycle in three delta cycles of a rising edge.
#pragma once

#include <cstdint>

#include <tributary/sim/cycle.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// Base of every module around a core.
///
/// A cycle is a rising edge of `clock`, numbered from 1; an edge at time 0, which a default
/// `sc_clock` has, is none, so that cycle n lies n periods after time 0. In each cycle every module
/// publishes what it is ready for, then decides what leaves, then changes its state, each in a
/// delta cycle of its own: what a block sees of its neighbours is their state at the start of the
/// cycle, in whatever order the kernel runs the processes (cycle contract, section 5 of the
/// specification). Modules that are linked must share one clock signal.
class clocked_module : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clock{"clock"};
  /// Synchronous reset, active low; it may stay unbound. It brings the module to its initial state,
  /// statistics and cycle number included; observers stay attached.
  sc_core::sc_port<sc_core::sc_signal_in_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND> reset_n{
      "reset_n"};

  /// The current cycle, or the last one; 0 before the first.
  cycle_t now() const { return now_; }

  /// Numbers the next edge `last + 1`, for a state that was saved after cycle `last`.
  void resume_after(cycle_t last) { now_ = last; }

  const char* kind() const override { return "tributary::clocked_module"; }

 protected:
  explicit clocked_module(const sc_core::sc_module_name& name);

  /// Whether an edge would reset the module as the signal is now.
  bool in_reset() const { return reset_n.size() != 0 && !reset_n->read(); }

  /// Says on its links what the module has room for.
  virtual void ready() = 0;
  /// Decides what leaves, and puts it on the links.
  virtual void depart() = 0;
  /// Takes what arrived, and changes the state.
  virtual void commit() = 0;
  /// To the initial state, with no room on any link; in place of the three phases, at every edge
  /// in reset.
  virtual void reset() = 0;

 private:
  TRIBUTARY_HAS_PROCESS(clocked_module);
  enum class phase : std::uint8_t { ready, depart, commit };

  void process();
  void step();
  void begin_cycle();

  phase phase_ = phase::ready;
  cycle_t now_ = 0;
};

}  // namespace tributary
