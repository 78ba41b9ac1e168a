// SPDX-License-Identifier: Apache-2.0
// Tables that say by which ports of a switch messages may go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <tributary/network/graph/network_graph.h>
#include <tributary/sim/state.h>

namespace tributary {

/// The greatest number of virtual channels of a link.
inline constexpr std::uint32_t most_virtual_channels = 16;

/// A way on from a switch: an output port, and the virtual channel of the link there.
struct route_hop {
  std::uint8_t port = 0;
  std::uint8_t virtual_channel = 0;

  bool operator==(const route_hop& other) const {
    return port == other.port && virtual_channel == other.virtual_channel;
  }
  TRIBUTARY_STATE(port, virtual_channel);
};

/// The hops of one entry of a table.
class route_set {
 public:
  route_set(const route_hop* first, const route_hop* last) : first_(first), last_(last) {}
  const route_hop* begin() const { return first_; }
  const route_hop* end() const { return last_; }
  std::size_t size() const { return static_cast<std::size_t>(last_ - first_); }
  bool empty() const { return first_ == last_; }
  const route_hop& operator[](std::size_t place) const { return first_[place]; }

 private:
  const route_hop* first_;
  const route_hop* last_;
};

/// A virtual channel of a link in one direction.
struct virtual_channel_id {
  std::uint32_t channel = 0;  ///< of the graph
  std::uint32_t number = 0;   ///< below the table's `virtual_channels`
};

/// What a table is computed from.
struct routing_rules {
  std::string name;                    ///< of the routing, for messages
  std::uint32_t virtual_channels = 1;  ///< of each link, 1 to `most_virtual_channels`
  std::uint32_t phases = 1;            ///< that the ways on depend on, 1 to 255
  /// The phase of a message that arrived by a channel; messages from hosts are in phase 0. May be
  /// empty if there is one phase.
  std::function<std::uint32_t(virtual_channel_id)> phase_after{};
  /// Appends the ways on from a switch in a phase to a destination, which is another switch; none
  /// if no message comes there in that phase.
  std::function<void(switch_id, std::uint32_t, switch_id, std::vector<route_hop>&)> ways_on;
};

/// Whether a table whose channels wait for each other in a circle is refused.
enum class deadlock_check : std::uint8_t {
  required,
  skipped  ///< for switches that must survive a deadlock, and tests of what detects one
};

/// Output ports by switch, phase of the input, and destination; several are a choice (adaptive
/// routing). Its graph must outlive it.
class routing_table {
 public:
  /// Throws `configuration_error` if a hop is by a port without a link or a virtual channel out of
  /// range, if a message between two hosts can come to a switch without a way on, and, unless that
  /// is skipped, if the channel dependency graph has a cycle, which the message names.
  routing_table(const network_graph& graph, const routing_rules& rules,
                deadlock_check check = deadlock_check::required);
  routing_table(const network_graph&&, const routing_rules&,
                deadlock_check = deadlock_check::required) = delete;

  const network_graph& graph() const { return *graph_; }
  const std::string& name() const { return name_; }
  std::uint32_t virtual_channels() const { return virtual_channels_; }
  std::uint32_t phases() const { return phases_; }

  /// The phase after a channel.
  std::uint32_t phase_after(virtual_channel_id by) const {
    return phase_after_[std::size_t{by.channel} * virtual_channels_ + by.number];
  }
  /// The phase of what comes from an input port, which is a link's or a host's.
  std::uint32_t phase_of_input(switch_port input, std::uint32_t virtual_channel) const;
  /// The ways on to another switch.
  route_set ways_on(switch_id at, std::uint32_t phase, switch_id to) const {
    const std::size_t entry = entry_of(at, phase, to);
    return {hops_.data() + begins_[entry], hops_.data() + begins_[entry + 1]};
  }
  /// The output port at a switch for the host there.
  std::uint32_t port_of(host_id host) const { return graph_->host_port(host).port; }

  /// Hops of all entries.
  std::size_t size() const { return hops_.size(); }

 private:
  std::size_t entry_of(switch_id at, std::uint32_t phase, switch_id to) const {
    return (std::size_t{index(at)} * phases_ + phase) * graph_->switches() + index(to);
  }
  void check_hops(switch_id at, std::size_t from) const;
  void fill_phases(const routing_rules& rules);
  void fill_hops(const routing_rules& rules);

  const network_graph* graph_;
  std::string name_;
  std::uint32_t virtual_channels_;
  std::uint32_t phases_;
  std::vector<std::uint8_t> phase_after_;
  std::vector<std::uint32_t> begins_;
  std::vector<route_hop> hops_;
};

/// Throws `error` if there is no graph, or the table was made from another.
void require_table_of(const network_graph* graph, const routing_table& table);

}  // namespace tributary
