// SPDX-License-Identifier: Apache-2.0
// Nodes of one processor each, of any communication architecture, joined by a network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tributary/controller/network_attachment.h>
#include <tributary/controller/node_engine.h>
#include <tributary/controller/node_loop.h>
#include <tributary/network/cargo_pool.h>
#include <tributary/network/message_network.h>

namespace tributary {

/// A node: its time and what is attached to the network there.
class attached_node final : public stepped_node {
 public:
  using attachment_maker =
      std::function<std::unique_ptr<network_attachment>(const attachment_place&)>;

  attached_node(node_id here, std::uint32_t nodes, network_port& network,
                const attachment_maker& make);

  network_attachment& attachment() { return *attachment_; }
  const network_attachment& attachment() const { return *attachment_; }
  agenda& clockwork() { return agenda_; }

  cycle_t next_wakeup() const override { return agenda_.next_wakeup(); }
  void advance_to(cycle_t last) override { agenda_.advance_to(last); }
  void follow(const cycle_t& over, cycle_t& due) override { agenda_.follow(over, 1, due); }
  void show(current_activity* activity) override { agenda_.show(activity); }
  network_endpoint& endpoint() override { return attachment_->endpoint(); }

  /// "node.0", by its number.
  const char* name() const override { return name_.c_str(); }
  bool idle() const override { return attachment_->idle(); }
  void reset_statistics() override { attachment_->reset_statistics(); }
  void report(statistics_group& into, std::uint64_t cycles) const override {
    attachment_->report(into, cycles);
  }
  void trace(const trace_scope& scope) override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  std::string name_;
  agenda agenda_;
  std::unique_ptr<network_attachment> attachment_;
};

/// The nodes and their network, stepped from one cycle in which something happens to the next.
class attached_machine final : public node_engine {
 public:
  /// `name`: of the machine in traces; `messages`, which the nodes send, must outlive it. Throws
  /// `configuration_error` for a network that cannot be, and what `make` throws.
  attached_machine(const char* name, const message_network_config& network, std::uint32_t nodes,
                   cargo_store& messages, const attached_node::attachment_maker& make);
  /// Over a network that is made elsewhere, with a node for each of its.
  attached_machine(const char* name, std::unique_ptr<message_network> network,
                   cargo_store& messages, const attached_node::attachment_maker& make);

  std::size_t size() const { return nodes_.size(); }
  attached_node& node(std::size_t i) { return *nodes_.at(i); }
  const attached_node& node(std::size_t i) const { return *nodes_.at(i); }
  message_network& network() { return loop_.network(); }
  const message_network& network() const { return loop_.network(); }

  cycle_t now() const override { return loop_.now(); }
  /// The next cycle in which something happens, or `never`.
  cycle_t next_wakeup() const { return loop_.next_wakeup(); }
  using node_engine::run_until;
  void run_until(cycle_t last, const std::function<bool()>& stop) override;
  bool show(current_activity* activity) override;
  bool idle() const override { return loop_.idle(); }
  std::string save() const override { return loop_.save(); }
  void restore(const std::string& state) override { loop_.restore(state); }
  void reset_statistics() override { loop_.reset_statistics(); }
  void report(statistics_group& into) override { loop_.report(into); }

 private:
  std::size_t node_count() const override { return size(); }
  void trace_nodes(const trace_scope& scope) override;
  void add_nodes(const attached_node::attachment_maker& make);

  node_loop loop_;
  std::vector<std::unique_ptr<attached_node>> nodes_;
};

}  // namespace tributary
