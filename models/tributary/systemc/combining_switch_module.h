// SPDX-License-Identifier: Apache-2.0
// One 2x2 combining switch as a module.
#pragma once

#include <tributary/network/omega/partner_pool.h>
#include <tributary/network/omega/switch_column.h>
#include <tributary/systemc/core_module.h>
#include <tributary/systemc/switch_module.h>

namespace tributary {

/// One switch with the pool of its partners: a value.
struct single_combining_switch {
  switch_column state;
  partner_pool partners;

  void reset_statistics() { state.reset_counters(); }
  void report(statistics_group& group) const { state.report(group); }
};

/// A `switch_column` behind links.
class combining_switch_module : public core_module<single_combining_switch, switch_module> {
 public:
  /// `route_bit`: the bit of a memory module's number that selects the output, k - 1 - stage in an
  /// omega network of k stages. Refuses what `combining_switch_config::validate` does.
  combining_switch_module(const sc_core::sc_module_name& name,
                          const combining_switch_config& config, unsigned route_bit = 0);

  void observe_at(request_event_sink* sink, const switch_position& position) override;
  const combining_counters& counters() const override { return core().state.counters(); }

  const char* kind() const override { return "tributary::combining_switch_module"; }

 private:
  void ready() override;
  void depart() override;
  void commit() override;
  void reset() override;

  stage_observer observer() const { return {*sink(), position_}; }
  void report_departures();
  template <class Observer>
  void accept(const Observer& observer);

  switch_departures leaving_;
  switch_position position_;
};

}  // namespace tributary
