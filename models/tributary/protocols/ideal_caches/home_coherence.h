// SPDX-License-Identifier: Apache-2.0
// Coherent caches with a home for each line, which knows who has it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tributary/protocols/ideal_caches/coherent_node.h>

namespace tributary {

/// As the source has DASH (Klaiber 5.5.7): the node whose address a line has orders the requests
/// for it, and tells those nodes of it that are concerned.
///
/// | Event | Messages |
/// |---|---|
/// | a load that finds none | `fetch_line` to the home, `line` from there if it owns the line; else
/// `forward` to the owner, who sends the `line` |
/// | a store that finds none | the same; and to each copy `invalidate`, whose node sends
/// `invalidated` to the one that asked |
/// | a store with a copy | `invalidate` to the home, and from there to each other copy;
/// `invalidated` from each |
///
/// What the home and the node that asks need not tell each other because they are the same is no
/// message. A store is performed when all others have answered. Requests have lane 0, answers lane
/// 1, what homes say lane 2; all are taken at once. Stores that update are not part of it.
class home_coherence final : public coherent_node {
 public:
  static constexpr std::uint8_t home_lane = 2;

  /// `messages` must outlive it. Throws `configuration_error` for values out of range, stores that
  /// update, and a network that is not as `coherent_node` needs it.
  home_coherence(const ideal_cache_config& config, const address_layout& addresses,
                 const attachment_place& place, coherence_message_pool& messages);

  const char* name() const override { return "home_coherence"; }
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  /// What a home knows of a line.
  struct directory_entry {
    node_id owner{};
    node_set sharers;  ///< others with a copy

    TRIBUTARY_STATE(owner, sharers);
  };

  TRIBUTARY_STATE(directory_, ordered_, asked_);

  void request(transaction& asked, cycle_t now) override;
  void send_update(coherence_message& update, cycle_t now) override;
  void receive(const coherence_message& message, std::uint8_t lane, cycle_t now) override;
  void obey(const coherence_message& message, cycle_t now) override;

  void order(const coherence_message& request, cycle_t now);
  void tell_node(node_id node, coherence_message message, cycle_t now);
  void be_told(const coherence_message& message, cycle_t now);
  void answer(const coherence_message& message, cycle_t now);

  std::map<std::uint64_t, directory_entry> directory_;  ///< by line
  std::vector<std::uint64_t> ordered_;                  ///< requests of each node
  std::vector<std::uint64_t> asked_;                    ///< requests to each home
};

}  // namespace tributary
