// SPDX-License-Identifier: Apache-2.0
// Stops a coherent machine whose caches and directories cannot be right.
#pragma once

#include <cstdint>
#include <string>

#include <tributary/cache/cache.h>
#include <tributary/magic/magic_nodes.h>
#include <tributary/protocols/coherence/coherence.h>
#include <tributary/sim/cycle.h>

namespace tributary {

/// Looks at the nodes of a machine between two cycles and changes nothing in them. All nodes have
/// caches, and the protocol `coherence`.
class coherence_audit {
 public:
  /// `nodes` must outlive it. Throws `configuration_error` for a node without caches, or without
  /// the protocol.
  explicit coherence_audit(const magic_nodes& nodes);

  /// Throws `simulation_error` if a miss is older than `node.processor_caches.patience`: with the
  /// node, the line, and what its home's directory and the caches have of it. It looks eight times
  /// in that time, so that calls in between cost nothing.
  void check_progress();
  /// Of a machine at rest, each cached line with its entry: throws `simulation_error` if a cache
  /// has it exclusive and the directory does not name the owner, or has it shared and the directory
  /// does not know or says dirty, or the entry is pending.
  void check_rest() const;

  /// What the directory and the caches have of a line, for messages: "dirty, pending, owner: node
  /// 2, listed: none; in the caches of: node 2 (modified)".
  std::string text_of(std::uint64_t line) const;

 private:
  const coherence::directory_layout& layout_of(node_id home) const;
  node_id home_of(std::uint64_t line) const;
  coherence::directory_entry entry_of(std::uint64_t line) const;
  /// Whether a clean line's entry names a node.
  bool names(std::uint64_t line, node_id node) const;
  std::string listed(const coherence::directory_entry& entry, node_id home) const;
  void check_line(node_id node, std::uint64_t line, line_state state) const;
  void check_miss(node_id node, const cache::awaited_line& oldest) const;

  const magic_nodes& nodes_;
  std::uint64_t patience_;
  cycle_t next_look_ = 0;
};

}  // namespace tributary
