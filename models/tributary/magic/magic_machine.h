// SPDX-License-Identifier: Apache-2.0
// Nodes with MAGIC, joined by a network, in a plain loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tributary/magic/magic_node.h>
#include <tributary/magic/magic_nodes.h>
#include <tributary/magic/network_message.h>
#include <tributary/network/message_network.h>
#include <tributary/sim/block.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/statistics.h>

namespace tributary {

class parameter_set;

/// Configuration of nodes that are all alike, and of their network.
struct magic_machine_config {
  std::uint32_t nodes = 2;
  message_network_config network;
  magic_node_config node;

  const clock_domain& clock() const { return network.clock; }

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for combinations that could not work.
  void validate() const;
};

/// Makes the protocols of one node.
using protocol_maker = std::function<std::vector<std::unique_ptr<protocol>>(node_id)>;

/// The nodes and their network, stepped from one cycle in which something happens to the next.
class magic_machine final : public magic_nodes {
 public:
  /// Throws what `validate` and `magic_node` throw.
  magic_machine(const magic_machine_config& config, const protocol_maker& protocols);
  ~magic_machine() override;

  const magic_machine_config& config() const { return config_; }
  message_network& network() { return *network_; }
  const message_network& network() const { return *network_; }

  std::size_t size() const override { return nodes_.size(); }
  magic_node& node(std::size_t i) override { return *nodes_.at(i); }
  const magic_node& node(std::size_t i) const override { return *nodes_.at(i); }

  cycle_t now() const override { return now_; }
  /// The next cycle in which something happens, or `never`.
  cycle_t next_wakeup() const;
  using magic_nodes::run_until;
  void run_until(cycle_t last, const std::function<bool()>& stop) override;
  bool show(current_activity* activity) override;
  bool idle() const override { return messages_.size() == 0 && blocks_.idle(); }
  std::string save() const override;
  void restore(const std::string& state) override;
  void reset_statistics() override;
  void report(statistics_group& into) override;

 private:
  void simulate_cycle();

  magic_machine_config config_;
  message_pool messages_;
  std::unique_ptr<message_network> network_;
  std::vector<node_port> ports_;
  std::vector<std::unique_ptr<magic_node>> nodes_;
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
