// SPDX-License-Identifier: Apache-2.0
// Nodes of several processors, joined by a network, in a plain loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tributary/controller/network_message.h>
#include <tributary/controller/node_loop.h>
#include <tributary/controller/protocol_set.h>
#include <tributary/network/message_network.h>
#include <tributary/smp/smp_node.h>
#include <tributary/smp/smp_node_config.h>
#include <tributary/smp/smp_nodes.h>

namespace tributary {

class parameter_set;

/// Configuration of nodes that are all alike, and of their network.
struct smp_machine_config {
  smp_machine_config();

  std::uint32_t nodes = 2;
  message_network_config network;
  smp_node_config node;

  const clock_domain& clock() const { return network.clock; }
  /// Processors that run programs.
  std::uint32_t elements() const { return nodes * node.computing(); }

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for combinations that could not work.
  void validate() const;
};

/// The nodes and their network, stepped from one cycle in which something happens to the next.
class smp_machine final : public smp_nodes {
 public:
  /// `seed` names the random streams of services. Throws what `validate` and `smp_node` throw.
  smp_machine(const smp_machine_config& config, const protocol_maker& protocols,
              std::uint64_t seed);

  const smp_machine_config& config() const { return config_; }
  std::size_t size() const override { return nodes_.size(); }
  smp_node& node(std::size_t i) override { return *nodes_.at(i); }
  const smp_node& node(std::size_t i) const override { return *nodes_.at(i); }
  const message_network& network() const { return loop_.network(); }

  /// Messages between nodes.
  message_pool& messages() { return messages_; }

  cycle_t now() const override { return loop_.now(); }
  using smp_nodes::run_until;
  void run_until(cycle_t last, const std::function<bool()>& stop) override;
  bool show(current_activity* activity) override;
  bool idle() const override { return loop_.idle(); }
  std::string save() const override { return loop_.save(); }
  void restore(const std::string& state) override { loop_.restore(state); }
  void reset_statistics() override { loop_.reset_statistics(); }
  void report(statistics_group& into) override { loop_.report(into); }

 private:
  smp_machine_config config_;
  message_pool messages_;
  node_loop loop_;
  std::vector<std::unique_ptr<smp_node>> nodes_;
};

}  // namespace tributary
