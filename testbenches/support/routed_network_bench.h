// SPDX-License-Identifier: Apache-2.0
// Nodes that send and take messages, around a network, with checks of what a routed one does.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <tributary/network/switching/routed_network.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/observer.h>

namespace tributary::testing {

/// A message as it was sent or as it arrived.
struct seen_message {
  cycle_t cycle = 0;  ///< of sending, or the head's arrival
  network_transfer what;
};

/// A node that sends its messages lane by lane as soon as it may, trying again only when the
/// network said so, and gives each place back some cycles after the head has arrived.
class bench_node final : public network_endpoint, private timed_block {
 public:
  bench_node(message_network& network, node_id self) : network_(&network), self_(self) {
    network.attach(self, *this);
  }

  /// How long it keeps the place of a message after the head has arrived.
  std::function<cycle_t(const network_transfer&)> delay = [](const network_transfer&) {
    return cycle_t{0};
  };

  /// Told when it gives a place back.
  std::function<void(const network_transfer&, cycle_t)> taken = [](const network_transfer&,
                                                                   cycle_t) {};

  /// It may send `what` from cycle `at` on, after those of its lane that it was told of before.
  void offer(const network_transfer& what, cycle_t at) {
    to_send_[what.lane].push_back({at, what});
    agenda_.wake(*this, at, try_to_send, wake_rank::processor);
  }

  /// Goes on with another network, in which everything is as in the one before.
  void move_to(message_network& network) {
    network_ = &network;
    network.attach(self_, *this);
  }

  void step(cycle_t now) { agenda_.advance_to(now); }
  bool idle() const {
    return agenda_.next_wakeup() == never &&
           std::all_of(to_send_.begin(), to_send_.end(), [](const auto& q) { return q.empty(); });
  }
  std::size_t unsent() const {
    std::size_t sum = 0;
    for (const auto& queue : to_send_) sum += queue.size();
    return sum;
  }

  std::vector<seen_message> sent;
  std::vector<seen_message> arrived;
  std::vector<cycle_t> tails;  ///< of those that arrived
  bool late = false;           ///< the network told of something that was not in the future

  void room(std::uint8_t, cycle_t at) override {
    agenda_.wake(*this, at, try_to_send, wake_rank::credit);
    late = late || at <= network_->now();
  }
  void arrive(const network_transfer& what, cycle_t head, cycle_t tail) override {
    late = late || head <= network_->now();
    arrived.push_back({head, what});
    tails.push_back(tail);
    const std::uint64_t number = arrived.size() - 1;
    agenda_.wake(*this, head + delay(what), number, wake_rank::arrival);
  }

 private:
  static constexpr std::uint64_t try_to_send = ~std::uint64_t{0};

  void wake(cycle_t now, std::uint64_t what) override {
    if (what != try_to_send) {
      const network_transfer& message = arrived[what].what;
      network_->give_back(self_, message.lane, now);
      taken(message, now);
      return;
    }
    for (std::size_t i = 0; i < most_network_lanes; ++i) {
      const std::size_t lane = (next_lane_ + i) % most_network_lanes;
      auto& queue = to_send_[lane];
      if (queue.empty() || queue.front().cycle > now) continue;
      if (!network_->ready(self_, static_cast<std::uint8_t>(lane), now)) continue;
      sent.push_back({now, queue.front().what});
      network_->send(queue.front().what, now);
      queue.pop_front();
      next_lane_ = lane + 1;
      // A network that does not know it yet will tell of room.
      const cycle_t free_at = network_->free_at(self_);
      if (free_at != never) agenda_.wake(*this, free_at, try_to_send, wake_rank::processor);
      return;
    }
  }

  message_network* network_;
  node_id self_;
  agenda agenda_;
  std::array<std::deque<seen_message>, most_network_lanes> to_send_;
  std::size_t next_lane_ = 0;
};

/// Follows every message over the links and keeps count of every buffer, by itself.
class link_checker final : public observer<link_event> {
 public:
  /// `nodes` counts only where messages are for everyone.
  explicit link_checker(const message_network_config& config, std::uint32_t nodes = 0)
      : config_(config), nodes_(nodes) {}

  void on_event(const link_event& event) override {
    link& here = links_[{event.kind, index(event.from), index(event.to)}];
    if (event.cycle < here.busy_until) complain(event, "the link is busy");
    here.busy_until = event.last;
    if (event.kind == link_kind::ejection) ejections_[index(event.to)] = &here;

    const bool enters = event.kind == link_kind::injection;
    if (!enters) leave_router(event);
    if (enters && !sent_.insert(event.transfer.cargo).second) complain(event, "sent twice");
    const std::uint32_t leaving = event.transfer.everyone ? branches(event) : 1;
    if (event.kind != link_kind::ejection) {
      at_[{event.transfer.cargo, index(event.to)}] = {event, &here, leaving};
    }

    buffer& into = here.buffers[event.transfer.lane];
    into.forget(event.cycle);
    into.held.push_back({event.transfer.cargo, event.transfer.bytes + config_.header_bytes, never});
    check_room(event, into);
    trace.emplace_back(event.cycle, event.kind, index(event.from), index(event.to),
                       event.transfer.cargo);
  }

  /// A node gave the place of its oldest message back.
  void given_back(const network_transfer& what, cycle_t now) {
    ejections_.at(index(what.destination))->buffers[what.lane].leave_oldest(now + 1);
  }

  std::vector<std::string> complaints;
  std::map<link_kind, std::size_t> fullest;  ///< most messages behind one link and lane
  std::map<link_kind, std::size_t> longest;  ///< most bytes, likewise
  /// Cycle, link, message.
  std::vector<std::tuple<cycle_t, link_kind, std::uint32_t, std::uint32_t, std::uint64_t>> trace;

 private:
  struct held_message {
    std::uint64_t number;
    std::uint64_t bytes;
    cycle_t empty;  ///< from when on its place is
  };
  struct buffer {
    std::vector<held_message> held;
    void leave(std::uint64_t message, cycle_t from) {
      for (held_message& each : held) {
        if (each.number == message) each.empty = from;
      }
    }
    void leave_oldest(cycle_t from) {
      const auto oldest = std::find_if(held.begin(), held.end(),
                                       [](const auto& each) { return each.empty == never; });
      if (oldest != held.end()) oldest->empty = from;
    }
    void forget(cycle_t now) {
      held.erase(std::remove_if(held.begin(), held.end(),
                                [&](const auto& each) { return each.empty <= now; }),
                 held.end());
    }
  };
  struct link {
    cycle_t busy_until = 0;
    std::array<buffer, most_network_lanes> buffers;
  };
  /// A message at a router.
  struct visit {
    link_event came;
    link* behind = nullptr;
    std::uint32_t leaving = 0;  ///< copies that have not left
    cycle_t empty = 0;
  };

  void leave_router(const link_event& event) {
    const auto was = at_.find({event.transfer.cargo, index(event.from)});
    if (was == at_.end() || was->second.came.cycle + latency(was->second.came.kind) > event.cycle) {
      complain(event, "the message is not here yet");
      return;
    }
    visit& at = was->second;
    at.empty = std::max(at.empty, event.last);
    if (--at.leaving != 0) return;
    at.behind->buffers[event.transfer.lane].leave(event.transfer.cargo, at.empty);
    at_.erase(was);
  }

  void check_room(const link_event& event, const buffer& into) {
    const bool to_node = event.kind == link_kind::ejection;
    const std::size_t places = to_node ? config_.endpoint_buffers : config_.router_buffers;
    const std::size_t limit = to_node ? config_.endpoint_buffer_bytes : config_.router_buffer_bytes;
    std::size_t bytes = 0;
    for (const held_message& each : into.held) bytes += each.bytes;
    if (into.held.size() > places) complain(event, "no buffer is free");
    if (limit != 0 && bytes > limit) complain(event, "a buffer has too many bytes");
    fullest[event.kind] = std::max(fullest[event.kind], into.held.size());
    longest[event.kind] = std::max(longest[event.kind], bytes);
  }

  /// Links by which copies leave the router to which a message for everyone has come.
  std::uint32_t branches(const link_event& event) {
    if (event.kind == link_kind::ejection) return 0;
    const std::uint32_t source = index(event.transfer.source);
    if (trees_.count(source) == 0) trees_[source] = tree_of(event.transfer.source);
    std::uint32_t count = 0;
    for (const auto& [from, to] : trees_[source]) count += from == index(event.to) ? 1 : 0;
    const std::uint32_t nodes = config_.nodes_per_router;
    const bool is_own = event.kind == link_kind::injection && !config_.broadcast_self;
    return count + nodes - (is_own ? 1 : 0);
  }
  /// Links between routers on the ways from a node to all others.
  std::set<std::pair<std::uint32_t, std::uint32_t>> tree_of(node_id source) const {
    const topology graph(config_.topology, nodes_, config_.columns, config_.nodes_per_router);
    const auto ways = make_routing(config_.routing, graph);
    std::set<std::pair<std::uint32_t, std::uint32_t>> tree;
    for (std::uint32_t to = 0; to < graph.routers(); ++to) {
      for (node_id here = graph.router_of(source); index(here) != to;) {
        const node_id next = graph.neighbours(here)[ways->port_towards(here, 0, node_id{to})];
        tree.insert({index(here), index(next)});
        here = next;
      }
    }
    return tree;
  }

  cycle_t latency(link_kind kind) const {
    return kind == link_kind::hop ? config_.hop_latency : config_.base_latency / 2;
  }
  void complain(const link_event& event, const std::string& what) {
    complaints.push_back("cycle " + std::to_string(event.cycle) + ", " +
                         std::to_string(index(event.from)) + " to " +
                         std::to_string(index(event.to)) + ": " + what);
  }

  message_network_config config_;
  std::uint32_t nodes_;
  std::map<std::tuple<link_kind, std::uint32_t, std::uint32_t>, link> links_;
  std::map<std::uint32_t, link*> ejections_;  ///< by node
  std::set<std::uint64_t> sent_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, visit> at_;  ///< by message and router
  std::map<std::uint32_t, std::set<std::pair<std::uint32_t, std::uint32_t>>> trees_;  ///< by source
};

/// What a reorder window is judged by, of one stream: by how many messages that were sent later
/// each was overtaken at most, and how many that were sent earlier each overtook.
struct overtaking {
  std::size_t overtaken = 0;
  std::size_t overtook = 0;
};
/// `came`: the places in which messages were sent, in the order in which they arrived.
inline overtaking most_overtaking(const std::vector<std::size_t>& came) {
  overtaking most;
  for (std::size_t i = 0; i < came.size(); ++i) {
    overtaking of;
    for (std::size_t k = 0; k < came.size(); ++k) {
      if (k < i && came[k] > came[i]) ++of.overtaken;
      if (k > i && came[k] < came[i]) ++of.overtook;
    }
    most.overtaken = std::max(most.overtaken, of.overtaken);
    most.overtook = std::max(most.overtook, of.overtook);
  }
  return most;
}

/// Which of the parties of a machine is asked first in a cycle; must not matter.
enum class bench_order { network_first, nodes_first, nodes_first_downwards };

/// A network with its nodes, in a plain loop over all cycles.
template <class Network>
class network_with_nodes {
 public:
  network_with_nodes(const message_network_config& config, std::uint32_t count)
      : network(config, count) {
    for (std::uint32_t n = 0; n < count; ++n) {
      nodes.push_back(std::make_unique<bench_node>(network, node_id{n}));
    }
  }

  void step(bench_order order = bench_order::network_first) {
    ++now;
    if (order == bench_order::network_first) network.advance_to(now);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      nodes[order == bench_order::nodes_first_downwards ? nodes.size() - 1 - i : i]->step(now);
    }
    if (order != bench_order::network_first) network.advance_to(now);
  }
  void run_until(cycle_t last, bench_order order = bench_order::network_first) {
    while (now < last) step(order);
  }
  bool idle() const {
    return network.idle() &&
           std::all_of(nodes.begin(), nodes.end(), [](const auto& each) { return each->idle(); });
  }

  Network network;
  std::vector<std::unique_ptr<bench_node>> nodes;
  cycle_t now = 0;
};
using routed_network_bench = network_with_nodes<routed_network>;

}  // namespace tributary::testing
