// SPDX-License-Identifier: Apache-2.0
// Hosts with interfaces on one Myrinet switch, and a program on each.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <tributary/algorithms/multi_send_driver.h>
#include <tributary/controller/address_layout.h>
#include <tributary/controller/attached_machine.h>
#include <tributary/memory/address_map.h>
#include <tributary/network/graph/regular_graphs.h>
#include <tributary/network/routing/up_down_table.h>
#include <tributary/network/switching/wormhole_network.h>
#include <tributary/nic/host_attachment.h>
#include <tributary/processor/node_elements.h>
#include <tributary/processor/program_workload.h>
#include <tributary/protocols/multi_send/multi_send.h>

namespace tributary::testing {

/// The machine of Buntinas et al. (CANPC 2000): hosts, and a switch of 16 ports, in cycles of 100
/// ps.
struct host_choice {
  std::uint32_t hosts = 2;
  host_attachment_config node;
  multi_send_config protocol;
  multi_send_costs costs;
  multi_send_times times;
  std::uint64_t seed = 1;
  /// The receivers' queues lie behind what programs use.
  std::uint64_t program_bytes = std::uint64_t{1} << 20;
  /// Firmware in place of multi-sends.
  protocol_maker firmware;

  host_choice() { protocol.queue_at = program_bytes; }
};

/// Myrinet: 160 MB/s, a switch of 240 ns, no gaps.
inline message_network_config myrinet_links(std::uint32_t packet_bytes) {
  message_network_config links;
  links.clock.period = 100;
  links.lanes = 2;
  links.bandwidth = 160;
  links.header_bytes = 8;
  links.payload_bytes = packet_bytes;
  links.base_latency = 3800;
  links.hop_latency = 2400;
  links.endpoint_buffers = 16;
  return links;
}

inline std::unique_ptr<message_network> one_switch(const message_network_config& links,
                                                   std::uint32_t hosts) {
  const auto shared = std::make_shared<const network_graph>(star_graph(1, hosts));
  const orientation ends = bfs_orientation(*shared);
  const routing_table table = up_down_table(up_down_routes(ends));
  return std::make_unique<wormhole_network>(links, 64, shared, table);
}

class host_machine {
 public:
  using body = std::function<void(program_context&)>;

  host_machine(const host_choice& choice, const body& run)
      : choice_(choice),
        machine("hosts",
                one_switch(myrinet_links(choice.node.interface.packet_bytes), choice.hosts),
                packets,
                [this](const attachment_place& place) {
                  return std::make_unique<host_attachment>(choice_.node, address_layout(), place,
                                                           packets, [this](node_id node) {
                                                             if (choice_.firmware)
                                                               return choice_.firmware(node);
                                                             return multi_sends();
                                                           });
                }),
        map_(address_layout().regions(choice.hosts, choice.program_bytes, 32), choice.hosts),
        work(patient(), make_program(run), element(), map_, choice.seed),
        elements_(work) {
    for (std::uint32_t i = 0; i < choice.hosts; ++i) {
      attached_node& node = machine.node(i);
      elements_.add(i, node.clockwork(), node.attachment().port());
      elements_.serve_interrupts(i, node.attachment());
    }
  }

  host_attachment& host(std::uint32_t i) {
    return dynamic_cast<host_attachment&>(machine.node(i).attachment());
  }
  /// What a process of a host needs.
  static multi_send_access access_of(const host_choice& choice, const program_context& context) {
    const address_layout layout;
    multi_send_access access;
    access.protocol = choice.protocol;
    access.places = places_of(choice);
    access.frames_window = host_window_space + host_registers::memory;
    access.doorbell = host_window_space + host_registers::doorbells;
    access.queue_memory = layout.address_of(context.node(), 0, 0);
    access.write_cycles = choice.node.interface.write_cycles;
    return access;
  }
  static std::uint64_t memory_of(const program_context& context) {
    return address_layout().address_of(context.node(), 0, 0);
  }

  bool finished() const { return work.finished() && machine.idle(); }
  bool run(cycle_t last = 1'000'000'000) {
    machine.run_until(last, [this] {
      work.check_progress(machine.now());
      return finished();
    });
    return finished();
  }

 private:
  static multi_send_places places_of(const host_choice& choice) {
    multi_send_protocol found(choice.protocol, choice.costs);
    protocol_storage where;
    where.nodes = choice.hosts;
    struct nothing final : word_memory {
      word_t read(std::uint64_t) const override { return 0; }
      void write(std::uint64_t, word_t) override {}
    } none;
    found.initialize(where, none);
    return found.places();
  }
  std::vector<std::unique_ptr<protocol>> multi_sends() const {
    std::vector<std::unique_ptr<protocol>> all;
    all.push_back(std::make_unique<multi_send_protocol>(choice_.protocol, choice_.costs));
    return all;
  }
  /// A host may wait for a place for its post as long as many messages take.
  static program_config patient() {
    program_config config;
    config.patience = 1'000'000'000;
    return config;
  }
  static processing_element_config element() {
    processing_element_config chosen;
    chosen.turnaround = 0;
    chosen.start_window = 1;
    return chosen;
  }

  host_choice choice_;

 public:
  host_packet_pool packets;
  attached_machine machine;

 private:
  address_map map_;

 public:
  program_workload work;

 private:
  node_elements elements_;
};

}  // namespace tributary::testing
