// SPDX-License-Identifier: Apache-2.0
// Which switches of a network go off and on, and how the others find new routes.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/network/graph/network_graph.h>
#include <tributary/network/reconfiguration/surviving_graph.h>
#include <tributary/network/switching/channel_switch.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>

namespace tributary {

class parameter_set;

/// What happens to traffic while routes change.
enum class reconfiguration_mode : std::uint8_t {
  fixed,   ///< all switches empty their buffers and tables; hosts stop until tables are back
  ordered  ///< traffic goes on; escape tables change one switch after the other
};

/// When hosts may send again, with mode `fixed`.
enum class static_opening : std::uint8_t {
  all,  ///< once all switches have their tables, of which they tell each other
  each  ///< once their switch has its own; what comes to one without is discarded
};

/// A switch goes off, or on again.
struct switch_event {
  cycle_t at = 0;
  switch_id which{};
  bool on = false;
};

/// How a network reconfigures itself, and why it has to. Cycles are those of the network.
struct reconfiguration_config {
  reconfiguration_mode mode = reconfiguration_mode::ordered;
  reconfigured_orientation orientation = reconfigured_orientation::kept;
  static_opening opening = static_opening::all;
  std::uint32_t control_bytes = 32;      ///< of a control message
  std::uint32_t record_bytes = 8;        ///< of a control message, for each link that it tells of
  std::uint32_t compute_cycles = 0;      ///< of a table, in the switch that computes it
  std::uint32_t detection_cycles = 100;  ///< from a change to its neighbours' notice of it
  /// For so many cycles a packet that waits for a way is let wait, before it is discarded.
  std::uint32_t time_out_cycles = 2000;
  std::uint32_t window_cycles = 1000;  ///< of the series of deliveries
  std::vector<switch_id> off_at_first{};
  std::vector<switch_event> events{};

  void bind(parameter_set& parameters);
  /// Throws `configuration_error`: for values out of range; for a switch that does not exist, or
  /// is off and goes off or the reverse; for times that do not ascend; if what is left is in
  /// several parts, or has fewer than two hosts.
  void validate(const network_graph& graph) const;
  /// The same for switches: a packet must wait as a whole, and there must be an escape.
  static void validate_switches(const channel_switch_config& switches);
};

}  // namespace tributary
