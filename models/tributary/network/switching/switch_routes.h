// SPDX-License-Identifier: Apache-2.0
// The routing table that one switch holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <tributary/network/routing/adaptive_table.h>
#include <tributary/network/routing/routing_table.h>
#include <tributary/sim/state.h>

namespace tributary {

/// What the table of a switch is computed from. Functions are called by the constructor only.
struct switch_route_rules {
  std::uint32_t ports = 2;     ///< of the switch
  std::uint32_t switches = 1;  ///< of the network
  std::uint32_t classes = 1;   ///< virtual channels of the table
  std::uint32_t phases = 1;
  /// The phase of a message that came by a port and a virtual channel of the table; empty: 0.
  std::function<std::uint32_t(std::uint32_t port, std::uint32_t channel)> phase_of_input{};
  /// Appends the ways on in a phase to a switch, which may be any; none: there is no route.
  std::function<void(std::uint32_t phase, switch_id to, std::vector<route_hop>&)> ways_on{};
  /// Appends the ports by which a switch gets nearer; empty: routing is not adaptive.
  std::function<void(switch_id to, std::vector<std::uint8_t>&)> minimal_ports{};
  /// Whether packets to a switch wait while there is no way on, since one will come; empty: none.
  std::function<bool(switch_id to)> waits{};
};

/// The part of a routing table that is in one switch, as distributed routing has it: a value, which
/// can be replaced while messages are under way.
class switch_routes {
 public:
  switch_routes() = default;
  explicit switch_routes(const switch_route_rules& rules);
  /// The entries of a switch.
  switch_routes(const routing_table& table, switch_id at);
  switch_routes(const adaptive_table& table, switch_id at);

  bool adaptive() const { return !minimal_begins_.empty(); }
  std::uint32_t phase_of_input(std::uint32_t port, std::uint32_t channel) const {
    return phase_of_input_[std::size_t{port} * classes_ + channel];
  }
  std::uint32_t phases() const {
    return static_cast<std::uint32_t>((begins_.size() - 1) / switches_);
  }
  /// The ways on to another switch, by channels of the table: of the escape if it is adaptive.
  route_set ways_on(std::uint32_t phase, std::uint32_t to) const {
    const std::size_t entry = std::size_t{phase} * switches_ + to;
    return {hops_.data() + begins_[entry], hops_.data() + begins_[entry + 1]};
  }
  /// Whether packets to another switch wait while there is no way on.
  bool waits(std::uint32_t to) const { return !waits_.empty() && waits_[to] != 0; }
  /// Of adaptive routing: the ports by which another switch gets nearer.
  const std::uint8_t* minimal_begin(std::uint32_t to) const {
    return minimal_ports_.data() + minimal_begins_[to];
  }
  const std::uint8_t* minimal_end(std::uint32_t to) const {
    return minimal_ports_.data() + minimal_begins_[to + 1];
  }
  bool is_minimal(std::uint32_t port, std::uint32_t to) const;
  /// Whether a switch of so many ports, and tables of so many channels, can use it.
  bool fits(std::uint32_t ports, std::uint32_t switches, std::uint32_t classes,
            bool adaptive_too) const {
    return phase_of_input_.size() == std::size_t{ports} * classes && switches_ == switches &&
           classes_ == classes && adaptive() == adaptive_too;
  }

  TRIBUTARY_STATE(switches_, classes_, phase_of_input_, begins_, hops_, minimal_begins_,
                  minimal_ports_, waits_);

 private:
  std::uint32_t switches_ = 0;
  std::uint32_t classes_ = 1;
  std::vector<std::uint8_t> phase_of_input_;  ///< by port and channel of the table
  std::vector<std::uint32_t> begins_;         ///< by phase and destination
  std::vector<route_hop> hops_;
  std::vector<std::uint32_t> minimal_begins_;  ///< by destination; empty: not adaptive
  std::vector<std::uint8_t> minimal_ports_;
  std::vector<std::uint8_t> waits_;  ///< by destination; empty: none
};

}  // namespace tributary
