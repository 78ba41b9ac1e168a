// SPDX-License-Identifier: Apache-2.0
// Switches of a cluster that go off and on under traffic, as a run file says.
#pragma once

#include <string>

#include <tributary/network/graph/network_graph.h>
#include <tributary/network/reconfiguration/reconfiguration_config.h>

namespace tributary {

class parameter_set;

/// What changes, and how the network finds new routes.
struct cluster_changes {
  reconfiguration_config how;  ///< without switches
  std::string events;          ///< as "150000 off 0, 200000 on 0": cycle, and switch
  std::string off_at_first;    ///< switches, as "3, 7"

  /// Whether any switch is ever off.
  bool present() const { return !events.empty() || !off_at_first.empty(); }

  void bind(parameter_set& parameters);
  /// Throws `configuration_error`, which names keys of "network.reconfiguration".
  void validate(const network_graph& graph) const;
  /// With its switches. Throws `configuration_error` for what cannot be read.
  reconfiguration_config made() const;
};

}  // namespace tributary
