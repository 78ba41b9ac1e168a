// SPDX-License-Identifier: Apache-2.0
// Memory that nodes with MAGIC share by Stache: the protocol of SMP nodes.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/controller/protocol.h>
#include <tributary/magic/magic_node.h>
#include <tributary/protocols/stache/stache.h>

namespace tributary {

class parameter_set;

/// Shared memory without caches: MAGIC checks the processor's accesses by tags.
struct flash_stache_config : stache_config {
  flash_stache_config();

  bool present = false;
  /// As the handlers of coherence that do the same cost; that of an acknowledgement is published.
  stache_costs costs;

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for what a machine of so many such nodes cannot have.
  void validate(const magic_node_config& node, std::uint32_t nodes) const;
  /// Of one node.
  std::unique_ptr<tributary::protocol> make_protocol(const magic_node_config& node,
                                                     std::uint32_t nodes) const;
};

}  // namespace tributary
