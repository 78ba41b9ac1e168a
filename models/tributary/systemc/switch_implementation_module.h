// SPDX-License-Identifier: Apache-2.0
// Any implementation of a combining switch as a module: RTL, or a user's own.
#pragma once

#include <memory>

#include <tributary/network/omega/switch_column.h>
#include <tributary/network/omega/switch_implementation.h>
#include <tributary/network/omega/switch_levels.h>
#include <tributary/systemc/switch_module.h>

namespace tributary {

/// A `switch_implementation` behind links; in the place of a `combining_switch_module` it gives the
/// same trace and counts if it behaves as the core does.
class switch_implementation_module : public switch_module {
 public:
  /// Owns `what`, a switch with these parameters and this route bit; the parameters serve its
  /// statistics.
  switch_implementation_module(const sc_core::sc_module_name& name,
                               std::unique_ptr<switch_implementation> what,
                               const combining_switch_config& config, unsigned route_bit = 0);

  switch_implementation& implementation() { return *what_; }
  const switch_implementation& implementation() const { return *what_; }

  void observe_at(request_event_sink* sink, const switch_position& position) override;
  const combining_counters& counters() const override { return counted_.counters(); }
  void reset_statistics() override { counted_.reset_counters(); }
  /// Adds what `combining_switch_module` does.
  void report(statistics_group& group) const { counted_.report(group); }

  const char* kind() const override { return "tributary::switch_implementation_module"; }

 private:
  void ready() override;
  void depart() override;
  void commit() override;
  void reset() override;

  void count(const switch_traffic& arriving, const switch_activity& activity);
  void report(const switch_traffic& arriving, const switch_activity& activity) const;

  std::unique_ptr<switch_implementation> what_;
  unsigned route_bit_;
  switch_levels levels_;
  switch_column counted_;  // an empty core, which counts for it
  switch_traffic leaving_;
  request_event_sink* sink_ = nullptr;
  switch_position position_;
};

}  // namespace tributary
