// SPDX-License-Identifier: Apache-2.0
// Nodes with MAGIC, joined by a network, in a plain loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tributary/controller/network_message.h>
#include <tributary/controller/node_loop.h>
#include <tributary/magic/magic_node.h>
#include <tributary/magic/magic_nodes.h>
#include <tributary/network/message_network.h>
#include <tributary/sim/cycle.h>
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

/// The nodes and their network, stepped from one cycle in which something happens to the next.
class magic_machine final : public magic_nodes {
 public:
  /// Throws what `validate` and `magic_node` throw.
  magic_machine(const magic_machine_config& config, const protocol_maker& protocols);
  ~magic_machine() override;

  const magic_machine_config& config() const { return config_; }
  message_network& network() { return loop_.network(); }
  const message_network& network() const { return loop_.network(); }

  std::size_t size() const override { return nodes_.size(); }
  magic_node& node(std::size_t i) override { return *nodes_.at(i); }
  const magic_node& node(std::size_t i) const override { return *nodes_.at(i); }

  /// Messages between nodes.
  message_pool& messages() { return messages_; }

  cycle_t now() const override { return loop_.now(); }
  /// The next cycle in which something happens, or `never`.
  cycle_t next_wakeup() const { return loop_.next_wakeup(); }
  using magic_nodes::run_until;
  void run_until(cycle_t last, const std::function<bool()>& stop) override;
  bool show(current_activity* activity) override;
  bool idle() const override { return loop_.idle(); }
  std::string save() const override { return loop_.save(); }
  void restore(const std::string& state) override { loop_.restore(state); }
  void reset_statistics() override { loop_.reset_statistics(); }
  void report(statistics_group& into) override { loop_.report(into); }

 private:
  magic_machine_config config_;
  message_pool messages_;
  node_loop loop_;
  std::vector<std::unique_ptr<magic_node>> nodes_;
};

}  // namespace tributary
