// SPDX-License-Identifier: Apache-2.0
// The adapter from a core to a module.
#pragma once

#include <string>
#include <utility>

#include <tributary/base/error.h>
#include <tributary/base/statistics.h>
#include <tributary/sockets/clocked_module.h>
#include <tributary/sockets/messages.h>
#include <tributary/transaction/network_event_sink.h>

namespace tributary {

/// Makes something whose constructor may throw an `error`, which is reported under the name of
/// `module` and `message`, and thrown again where reports do not throw.
template <class Make>
auto make_or_report(const sc_core::sc_module_name& module, const char* message, Make&& make) {
  try {
    return make();
  } catch (const error& problem) {
    const std::string what = std::string(module) + ": " + problem.what();
    SC_REPORT_ERROR(message, what.c_str());
    throw;
  }
}

/// A module around one core: clock, reset, statistics and observers; it adds no behaviour. Core is
/// a value with `reset_statistics()` and `report(statistics_group&)`; the derived module says how
/// its ports meet the core's functions.
template <class Core>
class core_module : public clocked_module {
 public:
  const Core& core() const { return core_; }
  Core& core() { return core_; }

  /// Who is told of the module's events; null, the default, is nobody and costs nothing. `sink`
  /// must outlive the simulation.
  void observe(network_event_sink* sink) { sink_ = sink; }

  void reset_statistics() { core_.reset_statistics(); }
  /// Adds the core's statistics to a group.
  void report(statistics_group& group) const { core_.report(group); }

 protected:
  /// `make()` returns the core; a configuration that it refuses is reported as
  /// `messages::configuration`.
  template <class Make>
  core_module(const sc_core::sc_module_name& name, Make&& make)
      : clocked_module(name),
        core_(make_or_report(name, messages::configuration, std::forward<Make>(make))) {}

  network_event_sink* sink() const { return sink_; }

 private:
  Core core_;
  network_event_sink* sink_ = nullptr;
};

}  // namespace tributary
