// SPDX-License-Identifier: Apache-2.0
// One 2x2 combining switch as a module, whatever is inside: the core, RTL or a user's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <tributary/memory/request_events.h>
#include <tributary/network/omega/entering_traffic.h>
#include <tributary/network/omega/switch_column.h>
#include <tributary/network/omega/switch_implementation.h>
#include <tributary/network/omega/switch_levels.h>
#include <tributary/systemc/clocked_module.h>
#include <tributary/systemc/packet_link.h>

namespace tributary {

/// Where a switch stands in a network: in stage `stage`, the one of `switches` with number `index`.
struct switch_position {
  std::int32_t stage = 0;
  std::size_t index = 0;
  std::size_t switches = 1;
};

/// A `switch_implementation` behind eight links of one line, those of FG Figure 3. Implementations
/// that behave as the core does give the same trace and counts.
class combining_switch_module : public clocked_module {
 public:
  /// Around a `core_switch`. `route_bit`: the bit of a memory module's number that selects the
  /// output, k - 1 - stage in an omega network of k stages. What
  /// `combining_switch_config::validate` refuses is reported as `messages::configuration`.
  combining_switch_module(const sc_core::sc_module_name& name,
                          const combining_switch_config& config, unsigned route_bit = 0);
  /// Owns `implementation`, a switch with these parameters and this route bit; the parameters serve
  /// its statistics.
  combining_switch_module(const sc_core::sc_module_name& name,
                          std::unique_ptr<switch_implementation> implementation,
                          const combining_switch_config& config, unsigned route_bit = 0);

  sc_core::sc_vector<link_port<packet>> request_in{"request_in", 2};    ///< by input
  sc_core::sc_vector<link_port<reply>> reply_out{"reply_out", 2};       ///< by input
  sc_core::sc_vector<link_port<packet>> request_out{"request_out", 2};  ///< by output
  sc_core::sc_vector<link_port<reply>> reply_in{"reply_in", 2};         ///< by output

  switch_implementation& implementation() { return *implementation_; }
  const switch_implementation& implementation() const { return *implementation_; }

  /// Tells a sink of the switch's events, as those of the switch at a position.
  void observe_at(request_event_sink* sink, const switch_position& position);
  const combining_counters& counters() const { return counted_.counters(); }
  void reset_statistics() { counted_.reset_counters(); }
  void report(statistics_group& group) const { counted_.report(group); }

  const char* kind() const override { return "tributary::combining_switch_module"; }

 private:
  void end_of_elaboration() override;
  void ready() override;
  void depart() override;
  void commit() override;
  void reset() override;

  void count(const switch_traffic& entered, const switch_activity& activity);
  void report(const switch_traffic& entered, const switch_activity& activity) const;

  unsigned route_bit_;
  entering_traffic entering_;
  switch_levels levels_;
  switch_column counted_;  // an empty core, which counts for the implementation
  std::unique_ptr<switch_implementation> implementation_;
  switch_traffic leaving_;
  request_event_sink* sink_ = nullptr;
  switch_position position_;
};

}  // namespace tributary
