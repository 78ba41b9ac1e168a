// SPDX-License-Identifier: Apache-2.0
// Switches and links of a user's own in a network of modules, written with nothing but TLM-2.0 and
// `network_transfer_extension`; and what the library's parts refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <tributary/network/graph/regular_graphs.h>
#include <tributary/network/routing/orientation.h>
#include <tributary/network/routing/up_down_routes.h>
#include <tributary/network/routing/up_down_table.h>
#include <tributary/network/traffic/fan.h>
#include <tributary/network/traffic/token_pass.h>
#include <tributary/systemc/link_module.h>
#include <tributary/systemc/messages.h>
#include <tributary/systemc/network_transfer_extension.h>
#include <tributary/systemc/payload_pool.h>
#include <tributary/systemc/protocol_monitor.h>
#include <tributary/systemc/switch_module.h>
#include <tributary/systemc/switched_network.h>
#include <tributary/systemc/traffic_module.h>

#include <support/systemc_test.h>

namespace tributary {
namespace {

/// A part of a user's own: takes what comes, and passes each message on after a time, by the lane
/// that it is asked for. A message keeps its place until it has one at the next part.
class own_part : public sc_core::sc_module {
 public:
  /// The lane by which a message goes on that came by another, and how long it takes.
  using way_on = std::function<std::size_t(std::size_t, const network_transfer&)>;
  using time_there = std::function<sc_core::sc_time(const network_transfer&)>;

  own_part(const sc_core::sc_module_name& name, std::size_t lanes, way_on way, time_there takes)
      : sc_module(name),
        in("in", lanes),
        out("out", lanes),
        way_(std::move(way)),
        takes_(std::move(takes)),
        leaving_(lanes) {
    for (std::size_t i = 0; i < lanes; ++i) {
      in[i].register_nb_transport_fw(this, &own_part::forward, static_cast<int>(i));
      out[i].register_nb_transport_bw(this, &own_part::backward, static_cast<int>(i));
    }
    SC_METHOD(pass_on);
    sensitive << again_;
    dont_initialize();
  }

  sc_core::sc_vector<tlm_utils::simple_target_socket_tagged<own_part>> in;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<own_part>> out;
  std::size_t passed = 0;

 private:
  TRIBUTARY_HAS_PROCESS(own_part);
  struct waiting {
    tlm::tlm_generic_payload* payload;
    sc_core::sc_time at;
  };
  struct exit {
    std::deque<waiting> queue;
    tlm::tlm_generic_payload* requesting = nullptr;
    sc_core::sc_time open_at;
    sc_core::sc_time last;
  };

  tlm::tlm_sync_enum forward(int tag, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay) {
    EXPECT_EQ(phase, tlm::BEGIN_REQ);
    const network_transfer& what = payload.get_extension<network_transfer_extension>()->transfer;
    payload.acquire();
    came_by_[&payload] = static_cast<std::size_t>(tag);
    exit& leaves = leaving_[way_(static_cast<std::size_t>(tag), what)];
    leaves.last = std::max(leaves.last, sc_core::sc_time_stamp() + delay + takes_(what));
    leaves.queue.push_back({&payload, leaves.last});
    again_.notify(sc_core::SC_ZERO_TIME);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }

  void pass_on() {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    sc_core::sc_time next = sc_core::sc_max_time();
    for (std::size_t i = 0; i < leaving_.size(); ++i) {
      exit& leaves = leaving_[i];
      while (leaves.requesting == nullptr && !leaves.queue.empty()) {
        const sc_core::sc_time at = std::max(leaves.queue.front().at, leaves.open_at);
        if (at > now) {
          next = std::min(next, at);
          break;
        }
        begin(i);
      }
    }
    if (next != sc_core::sc_max_time()) again_.notify(next - now);
  }

  void begin(std::size_t number) {
    exit& leaves = leaving_[number];
    tlm::tlm_generic_payload& payload = *leaves.queue.front().payload;
    leaves.queue.pop_front();
    leaves.requesting = &payload;
    ++passed;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (out[number]->nb_transport_fw(payload, phase, delay) != tlm::TLM_UPDATED) return;
    EXPECT_EQ(phase, tlm::END_REQ);
    request_ended(leaves, payload, delay);
  }
  void request_ended(exit& leaves, const tlm::tlm_generic_payload& payload,
                     const sc_core::sc_time& delay) {
    if (leaves.requesting != &payload) return;
    leaves.requesting = nullptr;
    leaves.open_at = sc_core::sc_time_stamp() + delay;
    again_.notify(sc_core::SC_ZERO_TIME);
  }

  tlm::tlm_sync_enum backward(int tag, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay) {
    request_ended(leaving_[static_cast<std::size_t>(tag)], payload, delay);
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    const auto from = came_by_.find(&payload);
    const std::size_t by = from->second;
    came_by_.erase(from);
    EXPECT_EQ(in[by]->nb_transport_bw(payload, phase, delay), tlm::TLM_COMPLETED);
    payload.release();
    return tlm::TLM_COMPLETED;
  }

  way_on way_;
  time_there takes_;
  std::vector<exit> leaving_;
  std::map<const tlm::tlm_generic_payload*, std::size_t> came_by_;
  sc_core::sc_event again_;
};

class own_link final : public own_part, public link_part {
 public:
  own_link(const sc_core::sc_module_name& name, const link_config& config, time_there takes)
      : own_part(
            name, config.links.lanes, [](std::size_t by, const network_transfer&) { return by; },
            std::move(takes)) {}
  tlm::tlm_target_socket<>& near_end(std::uint8_t lane) override { return in[lane]; }
  tlm::tlm_initiator_socket<>& far_end(std::uint8_t lane) override { return out[lane]; }
};

class own_switch final : public own_part, public switch_part {
 public:
  own_switch(const sc_core::sc_module_name& name, const switch_config& config, time_there takes)
      : own_part(
            name, std::size_t{config.ports} * config.links.lanes,
            [config](std::size_t by, const network_transfer& what) {
              const auto port = static_cast<std::uint32_t>(by / config.links.lanes);
              return std::size_t{config.routes.towards(port, what.destination)} *
                         config.links.lanes +
                     what.lane;
            },
            std::move(takes)),
        lanes_(config.links.lanes) {}
  tlm::tlm_target_socket<>& from_cable(std::uint32_t port, std::uint8_t lane) override {
    return in[std::size_t{port} * lanes_ + lane];
  }
  tlm::tlm_initiator_socket<>& to_cable(std::uint32_t port, std::uint8_t lane) override {
    return out[std::size_t{port} * lanes_ + lane];
  }

 private:
  std::uint32_t lanes_;
};

message_network_config links() {
  message_network_config config;
  config.lanes = 2;
  config.endpoint_buffers = 4;
  return config;
}

routing_table table_of(const network_graph& graph) {
  const orientation ends = bfs_orientation(graph);
  const up_down_routes routes(ends);
  return up_down_table(routes);
}

/// Hosts of traffic on a network of modules: two switches of two hosts around a third. A monitor
/// stands between all sockets.
struct machine {
  explicit machine(traffic_kernel& kernel, network_makers with = {})
      : graph(star_graph(2, 2)),
        table(table_of(graph)),
        network("network", config, graph, table, joined(std::move(with))),
        hosts("hosts", config, graph.hosts(), kernel) {
    for (std::uint32_t h = 0; h < graph.hosts(); ++h) {
      for (std::uint8_t lane = 0; lane < config.lanes; ++lane) {
        const std::size_t place = hosts.lane_of(node_id{h}, lane);
        join(hosts.to_network[place], network.from_node(node_id{h}, lane));
        join(network.to_node(node_id{h}, lane), hosts.from_network[place]);
      }
    }
  }

  network_makers joined(network_makers with) {
    with.join = [this](auto& from, auto& to) { join(from, to); };
    return with;
  }
  void join(tlm::tlm_initiator_socket<>& from, tlm::tlm_target_socket<>& to) {
    monitors.push_back(std::make_unique<protocol_monitor<>>(
        ("monitor_" + std::to_string(monitors.size())).c_str()));
    from.bind(monitors.back()->target_socket);
    monitors.back()->initiator_socket.bind(to);
  }
  /// Until everything has come; returns how long it took, in cycles.
  cycle_t run() {
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
    EXPECT_TRUE(hosts.finished());
    EXPECT_TRUE(network.idle());
    return hosts.run().completion();
  }

  message_network_config config = links();
  network_graph graph;
  routing_table table;
  std::vector<std::unique_ptr<protocol_monitor<>>> monitors;
  switched_network network;
  traffic_module hosts;
};

cycle_t token_over(network_makers with = {}) {
  const simulation_context context;
  token_pass kernel({100, 1});
  return machine(kernel, std::move(with)).run();
}

/// Cycles of the usual clock.
sc_core::sc_time after(double cycles) {
  return {cycles * static_cast<double>(links().clock.period), sc_core::SC_PS};
}

class switched_network_parts : public testing::systemc_test {};

TEST_F(switched_network_parts, a_link_of_ones_own_takes_as_long_as_it_likes) {
  const cycle_t usual = token_over();
  for (const double extra : {0.0, 7.0}) {
    network_makers with;
    std::size_t links = 0;
    with.make_link = [&](const char* name,
                         const link_config& config) -> std::unique_ptr<link_part> {
      if (config.kind != link_kind::hop) return nullptr;
      ++links;
      const double takes = config.propagation - 1 + extra;
      return std::make_unique<own_link>(name, config,
                                        [takes](const network_transfer&) { return after(takes); });
    };
    // The token goes twice from one switch to the other, over two links each time.
    EXPECT_EQ(token_over(with), usual + 4 * static_cast<cycle_t>(extra));
    EXPECT_EQ(links, 4U);
  }
}

TEST_F(switched_network_parts, a_switch_of_ones_own_passes_messages_on) {
  network_makers with;
  std::size_t switches = 0;
  with.make_switch = [&](const char* name, switch_id at,
                         const switch_config& config) -> std::unique_ptr<switch_part> {
    if (index(at) == 0) return nullptr;
    ++switches;
    // A head is at the outputs of a switch in the cycle behind its BEGIN_REQ.
    return std::make_unique<own_switch>(name, config,
                                        [](const network_transfer&) { return after(1); });
  };
  EXPECT_EQ(token_over(with), token_over());
  EXPECT_EQ(switches, 2U);
}

TEST_F(switched_network_parts, messages_share_parts_of_ones_own) {
  fan_in kernel({1000, 0});
  network_makers with;
  std::vector<own_part*> made;
  with.make_switch = [&](const char* name, switch_id, const switch_config& config) {
    auto part = std::make_unique<own_switch>(
        name, config, [](const network_transfer& what) { return after(1 + what.bytes % 5); });
    made.push_back(part.get());
    return part;
  };
  with.make_link = [&](const char* name, const link_config& config) {
    auto part = std::make_unique<own_link>(
        name, config, [](const network_transfer& what) { return after(index(what.source) * 3.5); });
    made.push_back(part.get());
    return part;
  };
  machine all(kernel, with);
  all.run();
  // 1000 bytes are 8 packets of 128; 3 hosts send them over 2 links and a switch, or 4 and 3.
  EXPECT_EQ(all.hosts.run().messages().count(), 3U);
  std::size_t passed = 0;
  for (const own_part* each : made) passed += each->passed;
  EXPECT_EQ(passed, 8U * (3 + 7 + 7));
}

/// Sends one message to a socket, and keeps the answer.
struct asker : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
  explicit asker(const sc_core::sc_module_name& name) : sc_module(name) { socket.bind(*this); }

  tlm::tlm_response_status ask(const network_transfer& what) {
    tlm::tlm_generic_payload& payload = pool.acquire();
    payload.set_streaming_width(8);
    reused_extension<network_transfer_extension>(payload).transfer = what;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    EXPECT_EQ(socket->nb_transport_fw(payload, phase, delay), tlm::TLM_COMPLETED);
    const tlm::tlm_response_status status = payload.get_response_status();
    payload.release();
    return status;
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                     sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  tlm::tlm_initiator_socket<> socket{"socket"};
  tlm_utils::simple_target_socket<asker> end{"end"};
  payload_pool pool;
};

TEST_F(switched_network_parts, a_switch_refuses_what_it_cannot_carry) {
  switch_config config;
  config.links = links();
  config.routes = {{0, 0}, {{0, port_routes::none}}};
  switch_module part("part", config);
  asker first("first");
  protocol_monitor<> monitor("monitor");
  first.socket.bind(monitor.target_socket);
  monitor.initiator_socket.bind(part.from_cable(0, 0));
  // The others are joined to each other.
  part.to_cable(0, 0).bind(part.from_cable(1, 0));
  part.to_cable(0, 1).bind(part.from_cable(0, 1));
  part.to_cable(1, 1).bind(part.from_cable(1, 1));
  part.to_cable(1, 0).bind(first.end);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  network_transfer what{node_id{7}, node_id{1}, 0, 8, 0};
  EXPECT_EQ(first.ask(what), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  what.destination = node_id{2};
  EXPECT_EQ(first.ask(what), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  what.destination = node_id{0};
  what.lane = 1;
  EXPECT_EQ(first.ask(what), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  what.lane = 0;
  what.bytes = 129;
  EXPECT_EQ(first.ask(what), tlm::TLM_BURST_ERROR_RESPONSE);
  what.everyone = true;
  EXPECT_EQ(first.ask(what), tlm::TLM_COMMAND_ERROR_RESPONSE);
}

TEST_F(switched_network_parts, what_single_parts_cannot_have_is_refused_by_its_key) {
  const auto refused = [this](const std::function<void(switch_config&)>& change) {
    const simulation_context context;
    switch_config config;
    config.links = links();
    config.routes = {{0, 0}, {{0, 1}}};
    change(config);
    expect_report(messages::configuration);
    try {
      const switch_module part("part", config);
    } catch (const sc_core::sc_report& report) {
      return std::string(report.get_msg());
    }
    return std::string();
  };
  const auto names = [&](const std::string& key,
                         const std::function<void(switch_config&)>& change) {
    const std::string message = refused(change);
    EXPECT_NE(message.find(key), std::string::npos) << message;
  };
  names("network.router_buffer_bytes",
        [](switch_config& config) { config.links.router_buffer_bytes = 1000; });
  names("network.broadcast", [](switch_config& config) { config.links.broadcast = true; });
  names("network.reorder_window", [](switch_config& config) { config.links.reorder_window = 1; });
  names("routes", [](switch_config& config) { config.ports = 3; });
  names("routes", [](switch_config& config) { config.routes.port_to[0][1] = 2; });
  link_config link;
  link.places = 0;
  EXPECT_THROW(link_module("link", link), sc_core::sc_report);
}

}  // namespace
}  // namespace tributary
