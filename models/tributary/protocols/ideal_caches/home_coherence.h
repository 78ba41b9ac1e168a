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
/// | words that update | `update` to the home, and from there to each other copy; an
/// `acknowledgement` from the home and from each of these |
///
/// What the home and the node that asks need not tell each other because they are the same is no
/// message. A store is performed when all others have answered. Requests have lane 0, answers lane
/// 1, what homes say lane 2; all are taken at once. An update is under way at a time: a later store
/// could overtake it by way of another home.
class home_coherence final : public coherent_node {
 public:
  static constexpr std::uint8_t home_lane = 2;

  /// `messages` must outlive it. Throws `configuration_error` for values out of range and a
  /// network that is not as `coherent_node` needs it.
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

  /// Where the own update is.
  struct update_progress {
    bool ordered = false;
    std::uint32_t answers = 0;
    std::uint32_t awaited = 0;

    TRIBUTARY_STATE(ordered, answers, awaited);
  };

  TRIBUTARY_STATE(directory_, ordered_, asked_, update_);

  void request(transaction& asked, cycle_t now) override;
  void send_update(coherence_message& update, cycle_t now) override;
  bool orders_updates() const override { return false; }
  void receive(const coherence_message& message, std::uint8_t lane, cycle_t now) override;
  void obey(const coherence_message& message, cycle_t now) override;
  bool may_own(node_id owner, std::uint64_t line) const override;

  void order(const coherence_message& request, cycle_t now);
  void order_read(const coherence_message& request, directory_entry& line, cycle_t now);
  void order_write(const coherence_message& request, directory_entry& line, cycle_t now);
  void order_update(const coherence_message& request, const directory_entry& line, cycle_t now);
  /// To each of some nodes; a message after the first goes out together with it.
  void tell_nodes(const node_set& nodes, coherence_message message, cycle_t now);
  void obey_update(const coherence_message& message, cycle_t now);
  void end_update_if_seen(cycle_t now);
  bool is_home(const coherence_message& message) const;
  void tell_node(node_id node, coherence_message message, cycle_t now);
  void be_told(const coherence_message& message, cycle_t now);
  void answer(const coherence_message& message, cycle_t now);

  std::map<std::uint64_t, directory_entry> directory_;  ///< by line
  std::vector<std::uint64_t> ordered_;                  ///< requests of each node
  std::vector<std::uint64_t> asked_;                    ///< requests to each home
  update_progress update_;
};

}  // namespace tributary
