// SPDX-License-Identifier: Apache-2.0
// What a network can show on a drawing of its graph.
#pragma once

#include <tributary/network/graph/network_graph.h>
#include <tributary/network/graph/network_use.h>
#include <tributary/sim/json_document.h>

namespace tributary {

/// A network of switches and links that are those of a graph.
class mapped_network {
 public:
  /// Throws `configuration_error` if its switches have more ports than a graph's may have.
  virtual network_graph graph() const = 0;
  /// From when the statistics were reset to the current cycle.
  virtual network_use use() const = 0;

 protected:
  mapped_network() = default;
  mapped_network(const mapped_network&) = default;
  mapped_network& operator=(const mapped_network&) = default;
  ~mapped_network() = default;
};

/// The graph as node-link data, in whose edges "utilisation" is from source to target and
/// "utilisation_back" the other way. `partial`: the run was interrupted.
json_value network_map(const mapped_network& network, bool partial);

}  // namespace tributary
