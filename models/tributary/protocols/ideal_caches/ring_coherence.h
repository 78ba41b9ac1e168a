// SPDX-License-Identifier: Apache-2.0
// Coherent caches on a ring without homes: every request is for everyone.
#pragma once

#include <cstdint>

#include <tributary/protocols/ideal_caches/coherent_node.h>

namespace tributary {

/// As the source has the KSR1 (Klaiber 5.1, 5.2, 5.5.7), over a network that brings messages for
/// everyone to all nodes in one order: a `ring_network`.
///
/// | Event | Messages |
/// |---|---|
/// | a load, or a store without a copy | `fetch_line` for everyone, `line` from the owner |
/// | a store with a copy that others have too | `invalidate` for everyone, `invalidated` from the
/// last node of the ring that is not the sender, when it has passed all |
/// | words that update | `update` for everyone |
///
/// A store with a copy is performed when its `invalidate` comes back to the node in its turn, and
/// is complete with the `invalidated`. If another node's store came before, the owner sends the
/// line. Requests have lane 0, answers lane 1; all are taken at once.
class ring_coherence final : public coherent_node {
 public:
  /// `messages` must outlive it. Throws `configuration_error` for values out of range, a network
  /// without `orders_broadcasts` or that is not as `coherent_node` needs it.
  ring_coherence(const ideal_cache_config& config, const address_layout& addresses,
                 const attachment_place& place, coherence_message_pool& messages);

  const char* name() const override { return "ring_coherence"; }

 private:
  void request(transaction& asked, cycle_t now) override;
  void send_update(coherence_message& update, cycle_t now) override;
  bool orders_updates() const override { return true; }
  void receive(const coherence_message& message, std::uint8_t lane, cycle_t now) override;
  void obey(const coherence_message& message, cycle_t now) override;
  /// No node knows who owns a line, so the home asks in any case, and may take it from a node that
  /// has just stored to it.
  bool may_own(node_id /*owner*/, std::uint64_t /*line*/) const override { return true; }

  void order_own(const coherence_message& message, cycle_t now);
  void hand_over(const coherence_message& message, cycle_t now);
  void answer(const coherence_message& message, cycle_t now);
  transaction& asked(const coherence_message& message);
  void end_if_answered(const transaction& about, cycle_t now);
};

}  // namespace tributary
