// SPDX-License-Identifier: Apache-2.0
// The adapter from a core to a module.
#pragma once

#include <functional>
#include <utility>

#include <tributary/memory/request_events.h>
#include <tributary/sim/statistics.h>
#include <tributary/systemc/clocked_module.h>
#include <tributary/systemc/messages.h>

namespace tributary {

/// A module around one core: clock, reset, parameters, statistics and observers; it adds no
/// behaviour. Core is a value with `reset_statistics()` and `report(statistics_group&)`; the
/// derived module says how its ports meet the core's functions.
template <class Core>
class core_module : public clocked_module {
 public:
  const Core& core() const { return core_; }
  Core& core() { return core_; }

  /// `sink` receives the module's events; null, the default, costs nothing. `sink` must outlive the
  /// simulation.
  void observe(request_event_sink* sink) { sink_ = sink; }

  void reset_statistics() { core_.reset_statistics(); }
  /// Adds the core's statistics to a group.
  void report(statistics_group& group) const { core_.report(group); }

 protected:
  /// `make()` returns the core in its initial state, now and at every reset; parameters that it
  /// refuses are reported as `messages::configuration`.
  core_module(const sc_core::sc_module_name& name, std::function<Core()> make)
      : clocked_module(name),
        make_(std::move(make)),
        core_(make_or_report(*this, messages::configuration, make_)) {}

  void reset_core() { core_ = make_(); }
  request_event_sink* sink() const { return sink_; }

 private:
  std::function<Core()> make_;
  Core core_;
  request_event_sink* sink_ = nullptr;
};

}  // namespace tributary
