// SPDX-License-Identifier: Apache-2.0
// Rows of cluster networks (T: section 14 of the specification of CANPC 2000): what h-relations
// cost on a switch and on a shared medium, and what a cost model makes of that.
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <cluster/cluster_config.h>
#include <cluster/cluster_simulation.h>

#include "checks.h"
#include "family.h"

namespace tributary::validation {
namespace {

constexpr double word_bytes = 4;  // of Martin and Wilson, derived from the wire's rate
constexpr std::uint32_t segment = 1460;

/// Fast Ethernet with a switch, or Ethernet without, as the presets bsp_switched and bsp_shared
/// have them. TCP/IP takes 40 bytes of a frame's 1500.
cluster_config ethernet(bool shared, std::uint32_t hosts) {
  cluster_config config;
  cluster_network& network = config.network;
  network.kind = shared ? cluster_network_kind::shared : cluster_network_kind::buffered;
  network.graph.edges = 1;
  network.graph.hosts_per_switch = hosts;
  network.links.clock.period = shared ? 800000 : 80000;  // of a byte
  network.links.bandwidth_divisor = shared ? 100 : 10;
  network.links.header_bytes = 66;
  network.links.payload_bytes = segment;
  network.links.least_payload = 6;
  network.links.base_latency = shared ? 2 : 5;
  config.traffic.kernel = cluster_kernel::h_relation;
  config.traffic.bytes = segment;
  config.traffic.supersteps = 10;
  return config;
}

/// Microseconds of a superstep in which each host sends and receives so many segments.
double superstep(cluster_config config, std::uint32_t messages) {
  config.traffic.messages = messages;
  cluster_simulation machine(config, 1);
  machine.run_until(never - 1);
  return machine.statistics().find("traffic.completion") / config.traffic.supersteps;
}

/// Microseconds a word: the slope of a superstep over what each host sends.
double cost_a_word(bool shared, std::uint32_t hosts) {
  constexpr std::uint32_t few = 40;
  constexpr std::uint32_t many = 140;
  const cluster_config config = ethernet(shared, hosts);
  const double words = (many - few) * segment / word_bytes;
  return (superstep(config, many) - superstep(config, few)) / words;
}

/// Megabytes a second of each host.
double rate_of_host(bool shared, std::uint32_t hosts) {
  return word_bytes / cost_a_word(shared, hosts);
}

/// Of all hosts.
double rate_of_medium(std::uint32_t hosts) { return hosts * rate_of_host(true, hosts); }

/// Seconds of an iteration of Jacobi on 1000 x 1000 points in strips, by the cost model of Martin
/// and Wilson: `megaflops` of a host, and the costs of a superstep and a word in flop times.
double jacobi(double megaflops, double superstep_flops, double word_flops) {
  constexpr double side = 1000;
  constexpr double hosts = 8;
  const double computes = 4 * side * side / hosts;
  const double exchanges = 2 * side;
  return (computes + exchanges * word_flops + superstep_flops) / (megaflops * 1e6);
}

/// Packets of VIRTUS for a payload: 16 bytes of header are in front of it.
double virtus_packets(std::uint32_t payload, std::uint32_t packet) {
  cluster_config config = ethernet(false, 2);
  config.network.links.payload_bytes = packet;
  config.traffic.bytes = payload + 16;
  config.traffic.kernel = cluster_kernel::fan_in;
  cluster_simulation machine(config, 1);
  machine.run_until(never - 1);
  return machine.statistics().find("traffic.packets.count");
}

/// Collects rows; each measures by itself.
class relation_rows {
 public:
  explicit relation_rows(const claims& all) : all_(all) {}

  void add(const std::string& id, const std::string& on, const std::function<double()>& measure) {
    planned_row row = all_["cluster." + id].row();
    row.shape.configuration = json_value::make_object();
    row.shape.configuration.set("network", json_value(on));
    row.measure = [measure](const point_results&) { return measure(); };
    rows_.push_back(std::move(row));
  }
  std::vector<planned_row> take() { return std::move(rows_); }

 private:
  const claims& all_;
  std::vector<planned_row> rows_;
};

}  // namespace

std::vector<planned_row> cluster_relation_checks(const claims& cluster) {
  constexpr std::uint32_t packet = 1024;  // of FM 2.0
  relation_rows rows(cluster);
  rows.add("T73.equal", "packets of 1024 bytes", [] { return virtus_packets(packet, packet); });
  rows.add("T73.less", "packets of 1024 bytes", [] { return virtus_packets(packet - 16, packet); });
  rows.add("T73.more", "packets of 1024 bytes", [] { return virtus_packets(packet + 1, packet); });
  rows.add("T76.ratio", "switched 100 Mb/s Ethernet",
           [] { return cost_a_word(false, 8) / cost_a_word(false, 4); });
  rows.add("T77.growth", "shared 10 Mb/s Ethernet",
           [] { return cost_a_word(true, 8) / cost_a_word(true, 4); });
  for (const std::uint32_t hosts : {4U, 8U}) {
    const std::string size = std::to_string(hosts);
    rows.add("T76.rate." + size, "switched 100 Mb/s Ethernet",
             [=] { return rate_of_host(false, hosts); });
    rows.add("T77.aggregate." + size, "shared 10 Mb/s Ethernet",
             [=] { return rate_of_medium(hosts); });
  }
  rows.add("T78.shared", "cost model of 10 Mb/s Ethernet",
           [] { return jacobi(61, 539139, 1994.1); });
  rows.add("T78.switched", "cost model of 100 Mb/s Ethernet",
           [] { return jacobi(88, 18347, 30.9); });
  return rows.take();
}

}  // namespace tributary::validation
