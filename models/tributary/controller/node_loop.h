// SPDX-License-Identifier: Apache-2.0
// Nodes and their network in a plain loop, whatever nodes they are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tributary/network/cargo_pool.h>
#include <tributary/network/message_network.h>
#include <tributary/sim/activity.h>
#include <tributary/sim/block.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// A node as a loop steps it. It meets the network and its processors' clocks a cycle later at the
/// earliest, so nodes may run in any order within a cycle.
class stepped_node : public block {
 public:
  virtual cycle_t next_wakeup() const = 0;
  /// Simulates up to and including cycle `last`. What a unit throws comes out; the node is of no
  /// further use then.
  virtual void advance_to(cycle_t last) = 0;
  /// For a driver that calls `advance_to` only in cycles in which something is due, see `agenda`.
  virtual void follow(const cycle_t& over, cycle_t& due) = 0;
  /// From here on it writes there the name of the unit that is at work; null turns this off.
  virtual void show(current_activity* activity) = 0;
  /// Where the network delivers.
  virtual network_endpoint& endpoint() = 0;

 protected:
  stepped_node() = default;
  stepped_node(const stepped_node&) = default;
  stepped_node& operator=(const stepped_node&) = default;
  ~stepped_node() = default;
};

/// The network, the messages that are on their way and the nodes' time, stepped from one cycle in
/// which something happens to the next.
class node_loop {
 public:
  /// `messages`, which the nodes send, must outlive it. Throws `configuration_error` for a network
  /// that cannot be.
  node_loop(const message_network_config& network, std::uint32_t nodes, cargo_store& messages);
  /// Over a network that is made elsewhere, of as many nodes as it has.
  node_loop(std::unique_ptr<message_network> network, cargo_store& messages);
  node_loop(const node_loop&) = delete;
  node_loop& operator=(const node_loop&) = delete;

  message_network& network() { return *network_; }
  const message_network& network() const { return *network_; }
  /// The place of a node in the network.
  network_port& port(node_id node) { return ports_.at(index(node)); }
  /// The next node, from node 0 on; it must outlive the loop's last use.
  void add(stepped_node& node);

  cycle_t now() const { return now_; }
  /// The next cycle in which something happens, or `never`.
  cycle_t next_wakeup() const;
  /// As `node_engine::run_until`; `tell`, if there is one, is called at the end of each cycle,
  /// after an error too.
  void run_until(cycle_t last, const std::function<bool()>& stop,
                 const std::function<void(cycle_t)>& tell);
  void show(current_activity* activity);
  bool idle() const { return messages_.size() == 0 && blocks_.idle(); }

  std::string save() const;
  void restore(const std::string& state);
  void reset_statistics();
  void report(statistics_group& into) const { blocks_.report(into, now_ - measured_from_); }

 private:
  void simulate_cycle();

  cargo_store& messages_;
  std::unique_ptr<message_network> network_;
  std::vector<node_port> ports_;
  std::vector<stepped_node*> nodes_;
  // When something is due in each node, 0 if it must be asked. Most nodes have nothing to do in
  // most cycles: they are neither asked nor advanced.
  mutable std::vector<cycle_t> due_;
  block_list blocks_;  // the network and the nodes
  cycle_t now_ = 0;
  cycle_t over_ = 0;  // so many cycles are over for all nodes
  cycle_t measured_from_ = 0;
  current_activity* activity_ = nullptr;
};

}  // namespace tributary
