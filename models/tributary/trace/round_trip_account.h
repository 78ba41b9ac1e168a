// SPDX-License-Identifier: Apache-2.0
// Counts the network round trips for which processors wait, as a source without a time axis does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

#include <tributary/sim/observer.h>
#include <tributary/sim/state.h>
#include <tributary/trace/communication_events.h>

namespace tributary {

class parameter_set;
class statistics_group;

/// Whether round trips are counted, and of what machine.
struct round_trip_config {
  bool enabled = false;
  // No parameters: the machine says these.
  bool asynchronous_writes = true;  ///< processors wait for no write before the next barrier
  std::uint32_t line_bytes = 32;    ///< of caches
  bool count_cold = false;          ///< misses of lines that a cache never had

  void bind(parameter_set& parameters);
};

/// What Klaiber 5.6.1 charges, with a constant latency and nothing else that takes time:
///
/// | What | Round trips |
/// |---|---|
/// | a read: `read`, or a line that is fetched to be read | 1 |
/// | a line that is fetched before it is needed | 0 |
/// | a write: a line to be written, or its other copies | 1, or with `asynchronous_writes` 1 at the
/// node's next barrier or reduction for all before |
/// | a hop of the tree, of however many messages; it is never hidden | 1/2 |
/// | what a home passes on to others in the name of the node that asks and waits | 1/2 |
/// | a home's own store to a line of which it has a copy, without `asynchronous_writes` | 0 |
///
/// All are summed over processors. Flags are hops of their own, of synchronization. A message that
/// answers another costs nothing. Of a broadcast the messages to one node whose addresses follow
/// each other are one hop. The next hop begins at an address at which a hop has begun before, or
/// once the sender's own copy of the hop's first word has arrived.
/// A home goes on with its own store while others give up their copies (5.6.7). Of the messages
/// that it passes on for one request only the first costs anything.
class round_trip_account final : public observer<trace_event> {
 public:
  explicit round_trip_account(const round_trip_config& config) : config_(config) {}

  void on_event(const trace_event& event) override;
  /// Counts begin at 0; what is known of nodes and messages under way stays.
  void reset();
  void report(statistics_group& into) const;

  TRIBUTARY_STATE(halves_, reads_, writes_, hops_, open_reads_, starts_, nodes_, homes_);

 private:
  enum class category : std::uint8_t { get_send, broadcast_reduce, synchronization };
  static constexpr std::size_t categories = 3;
  using count = std::uint64_t;

  /// What is known of a node.
  struct node_entry {
    bool writes = false;  ///< that it has not waited for
    std::uint8_t of = 0;  ///< the category of the last of them
    bool in_hop = false;  ///< of a broadcast
    std::uint64_t hop_to = 0;
    std::uint64_t hop_start = 0;    ///< address
    std::uint64_t hop_address = 0;  ///< of its next message

    TRIBUTARY_STATE(writes, of, in_hop, hop_to, hop_start, hop_address);
  };

  static category category_of(std::uint64_t purpose);
  void charge(category to, count halves) { halves_[static_cast<std::size_t>(to)] += halves; }
  void sent(const trace_event& event);
  void arrived(const trace_event& event);
  void sent_word(const trace_event& event, node_entry& node);
  void fetched(const trace_event& event, node_entry& node);
  void passed_on(const trace_event& event);
  void written(const trace_event& event, node_entry& node);
  void hopped(const trace_event& event, node_entry& node);
  bool goes_on(const trace_event& event, node_entry& node);
  /// The node is about to wait for others.
  void settle(node_entry& node);

  round_trip_config config_;
  std::array<count, categories> halves_{};
  count reads_ = 0;
  count writes_ = 0;
  count hops_ = 0;
  std::map<std::uint64_t, count> open_reads_;  ///< without an answer, by `exchange`
  std::map<std::uint64_t, count> starts_;      ///< hops of broadcasts that began with an address
  std::map<std::uint64_t, node_entry> nodes_;
  std::map<std::uint64_t, node_entry> homes_;  ///< of what they pass on
};

}  // namespace tributary
