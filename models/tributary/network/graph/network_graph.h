// SPDX-License-Identifier: Apache-2.0
// The graph of a network: switches with numbered ports, links between ports, hosts at ports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/sim/ids.h>

namespace tributary {

/// The least and the greatest number of ports of a switch: 64 and an uplink, as the Gigabit
/// Ethernet switches of Chen and Wyckoff (CANPC 2000) have them.
inline constexpr std::uint32_t least_ports = 2;
inline constexpr std::uint32_t most_ports = 65;
/// The greatest number of switches: tables grow with its square.
inline constexpr std::uint32_t most_switches = 4096;

/// A port of a switch.
struct switch_port {
  switch_id at{};
  std::uint32_t port = 0;

  bool operator==(const switch_port& other) const { return at == other.at && port == other.port; }
  bool operator!=(const switch_port& other) const { return !(*this == other); }
};

/// A full-duplex cable between ports of two switches.
struct network_link {
  switch_port first;
  switch_port second;
};

/// Where a switch is drawn, in any unit, y upwards.
struct drawing_place {
  double x = 0;
  double y = 0;
};

/// What a graph is built from.
struct network_plan {
  std::string name;                         ///< of the network, for messages
  std::vector<std::uint32_t> ports{};       ///< of each switch, `least_ports` to `most_ports`
  std::vector<network_link> links{};        ///< several between two switches are parallel cables
  std::vector<switch_port> hosts{};         ///< where each host is, two or more
  std::vector<drawing_place> places{};      ///< of each switch, or none
  std::vector<std::string> switch_names{};  ///< of each switch for messages, or none: its number

  /// "switch 3", or with the switch's name.
  std::string text_of(std::uint32_t at) const;
};

/// What is at the other end of a port.
enum class port_use : std::uint8_t { open, link, host };

/// A port that is a link's end sends by one channel and receives by another.
struct port_end {
  port_use use = port_use::open;
  std::uint32_t number = 0;  ///< of the link or of the host
};

/// A way from a switch to a neighbour.
struct neighbour_link {
  switch_id to{};
  std::uint32_t port = 0;     ///< of the switch that it leaves
  std::uint32_t channel = 0;  ///< over which messages go there
};

/// A network that is connected and whose ports have one use each; it never changes. Link l is two
/// channels: 2 l from its first port to its second, 2 l + 1 back.
class network_graph {
 public:
  /// Throws `configuration_error` that names switch and port for: a number of ports out of range,
  /// a port that does not exist or is used twice, a link of a switch with itself, fewer than two
  /// hosts, a network in several parts.
  explicit network_graph(network_plan plan);

  const std::string& name() const { return plan_.name; }
  std::uint32_t switches() const { return static_cast<std::uint32_t>(plan_.ports.size()); }
  std::uint32_t hosts() const { return static_cast<std::uint32_t>(plan_.hosts.size()); }
  std::uint32_t links() const { return static_cast<std::uint32_t>(plan_.links.size()); }
  std::uint32_t channels() const { return 2 * links(); }
  std::uint32_t ports(switch_id at) const { return plan_.ports[index(at)]; }

  const network_link& link(std::uint32_t number) const { return plan_.links[number]; }
  const switch_port& host_port(host_id host) const { return plan_.hosts[index(host)]; }
  switch_id switch_of(host_id host) const { return host_port(host).at; }
  /// Hosts at a switch.
  std::uint32_t hosts_at(switch_id at) const { return hosts_at_[index(at)]; }
  const port_end& end(switch_port where) const { return ends_[index(where.at)][where.port]; }

  /// By ascending port; parallel cables are neighbours of their own.
  const std::vector<neighbour_link>& neighbours(switch_id at) const {
    return neighbours_[index(at)];
  }
  /// The port that a channel leaves from, and the one that it arrives at.
  const switch_port& source(std::uint32_t channel) const {
    return channel % 2 == 0 ? link(channel / 2).first : link(channel / 2).second;
  }
  const switch_port& target(std::uint32_t channel) const { return source(channel ^ 1U); }
  /// The channel that leaves by a port, which must be a link's.
  std::uint32_t channel_from(switch_port where) const;

  /// Whether switches have places to be drawn at.
  bool has_places() const { return !plan_.places.empty(); }
  const drawing_place& place(switch_id at) const { return plan_.places[index(at)]; }

  /// The name of a switch, or its number.
  std::string switch_name(switch_id at) const;
  /// "3:1 -> 5:0": switch and port at both ends of a channel.
  std::string channel_text(std::uint32_t channel) const;

 private:
  void use(const switch_port& where, port_end as);
  void check_ports() const;
  void check_connected() const;

  network_plan plan_;
  std::vector<std::vector<port_end>> ends_;
  std::vector<std::vector<neighbour_link>> neighbours_;
  std::vector<std::uint32_t> hosts_at_;
};

}  // namespace tributary
