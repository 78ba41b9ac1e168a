// SPDX-License-Identifier: Apache-2.0
// The network as a module, with nodes that know no more than its sockets.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <tributary/controller/network_message.h>
#include <tributary/network/switching/routed_network.h>
#include <tributary/sim/agenda.h>
#include <tributary/systemc/controller_node_module.h>
#include <tributary/systemc/message_network_module.h>
#include <tributary/systemc/messages.h>
#include <tributary/systemc/network_transfer_extension.h>
#include <tributary/systemc/payload_pool.h>
#include <tributary/systemc/protocol_monitor.h>

#include <support/systemc_test.h>

namespace tributary {
namespace {

sc_core::sc_time period() { return {10, sc_core::SC_NS}; }

/// What a message carries that the network does not know.
struct content final : tlm::tlm_extension<content> {
  std::uint32_t number = 0;

  tlm::tlm_extension_base* clone() const override { return new content(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    number = static_cast<const content&>(other).number;
  }
};

enum class sink_manner : std::uint8_t {
  at_once,      ///< TLM_COMPLETED
  in_phases,    ///< END_REQ at once, BEGIN_RESP after `delay`
  late_request  ///< END_REQ after `delay`, BEGIN_RESP with the next END_REQ
};

/// One lane of a node: sends as fast as END_REQ lets it, without a thought for the link, and takes
/// what comes.
class lane_end : public sc_core::sc_module,
                 private tlm::tlm_bw_transport_if<>,
                 private tlm::tlm_fw_transport_if<> {
 public:
  lane_end(const sc_core::sc_module_name& name, message_network_module& network, node_id node,
           std::uint8_t lane)
      : sc_module(name) {
    const std::size_t place = network.lane_of(node, lane);
    target.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    initiator.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    initiator.bind(out.target_socket);
    out.initiator_socket.bind(network.from_nodes[place]);
    network.to_nodes[place].bind(in.target_socket);
    in.initiator_socket.bind(target);
    SC_METHOD(send_next);
    sensitive << may_send_;
    SC_METHOD(answer);
    sensitive << answer_due_;
    dont_initialize();
  }

  struct arrival {
    double cycle;  ///< of BEGIN_REQ
    std::uint32_t number;
    node_id source;
    node_id destination;
    bool everyone;
  };

  tlm::tlm_initiator_socket<> initiator{"initiator"};
  tlm::tlm_target_socket<> target{"target"};
  protocol_monitor<> out{"out"};
  protocol_monitor<> in{"in"};
  sink_manner manner = sink_manner::at_once;
  sc_core::sc_time delay;
  payload_pool pool;
  std::vector<arrival> arrivals;
  std::vector<tlm::tlm_response_status> responses;

  tlm::tlm_generic_payload& message(const network_transfer& what, std::uint32_t number) {
    tlm::tlm_generic_payload& payload = pool.acquire();
    payload.set_streaming_width(8);
    reused_extension<network_transfer_extension>(payload).transfer = what;
    reused_extension<content>(payload).number = number;
    return payload;
  }
  void send(tlm::tlm_generic_payload& payload) { waiting_.push_back(&payload); }

 private:
  TRIBUTARY_HAS_PROCESS(lane_end);

  void send_next() {
    while (requesting_ == nullptr && !waiting_.empty()) {
      tlm::tlm_generic_payload& payload = *waiting_.front();
      waiting_.pop_front();
      requesting_ = &payload;
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time when = sc_core::SC_ZERO_TIME;
      const tlm::tlm_sync_enum answer = initiator->nb_transport_fw(payload, phase, when);
      if (answer == tlm::TLM_ACCEPTED) return;
      requesting_ = nullptr;
      if (answer != tlm::TLM_COMPLETED) continue;
      responses.push_back(payload.get_response_status());
      payload.release();
    }
  }

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& when) override {
    if (requesting_ == &payload) {
      requesting_ = nullptr;
      may_send_.notify(when);
    }
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    responses.push_back(payload.get_response_status());
    payload.release();
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& when) override {
    EXPECT_EQ(phase, tlm::BEGIN_REQ);
    const network_transfer& came = payload.get_extension<network_transfer_extension>()->transfer;
    arrivals.push_back({(sc_core::sc_time_stamp() + when) / period(),
                        payload.get_extension<content>()->number, came.source, came.destination,
                        came.everyone});
    if (manner == sink_manner::at_once) {
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
      return tlm::TLM_COMPLETED;
    }
    payload.acquire();
    inside_.push_back(&payload);
    if (inside_.size() == 1) answer_due_.notify(when + delay);
    if (manner == sink_manner::late_request) return tlm::TLM_ACCEPTED;
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  void answer() {
    tlm::tlm_generic_payload& payload = *inside_.front();
    inside_.pop_front();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time when = sc_core::SC_ZERO_TIME;
    EXPECT_EQ(target->nb_transport_bw(payload, phase, when), tlm::TLM_COMPLETED);
    payload.release();
    if (!inside_.empty()) answer_due_.notify(delay);
  }
  void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }

  std::deque<tlm::tlm_generic_payload*> waiting_;
  tlm::tlm_generic_payload* requesting_ = nullptr;
  sc_core::sc_event may_send_;
  std::deque<tlm::tlm_generic_payload*> inside_;
  sc_core::sc_event answer_due_;
};

struct machine {
  explicit machine(const message_network_config& config = {}, std::uint32_t nodes = 2)
      : network("network", config, nodes) {
    for (std::uint32_t n = 0; n < nodes; ++n) {
      for (std::uint8_t lane = 0; lane < most_network_lanes; ++lane) {
        ends.push_back(std::make_unique<lane_end>(
            ("end_" + std::to_string(n) + "_" + std::to_string(lane)).c_str(), network, node_id{n},
            lane));
      }
    }
  }

  lane_end& at(std::uint32_t node, std::uint8_t lane) {
    return *ends[node * most_network_lanes + lane];
  }
  void send(std::uint32_t from, std::uint32_t to, std::uint8_t lane, std::uint32_t number,
            std::uint32_t bytes = 128) {
    lane_end& sender = at(from, lane);
    sender.send(sender.message({node_id{from}, node_id{to}, lane, bytes, 0}, number));
  }

  void send_to_everyone(std::uint32_t from, std::uint8_t lane, std::uint32_t number) {
    lane_end& sender = at(from, lane);
    network_transfer what{node_id{from}, node_id{from}, lane, 128, 0};
    what.everyone = true;
    sender.send(sender.message(what, number));
  }

  message_network_module network;
  std::vector<std::unique_ptr<lane_end>> ends;
};

/// A node that sends what it was told and keeps what arrives, in either engine.
class talker final : public network_endpoint, private timed_block {
 public:
  talker(network_port& port, message_pool& pool, std::uint32_t here, std::uint32_t nodes)
      : port_(port), pool_(pool) {
    for (std::uint32_t i = 0; i < 40; ++i) {
      network_transfer what{node_id{here}, node_id{(here + i) % nodes},
                            static_cast<std::uint8_t>(i % 3), i % 4 == 0 ? 500U : 8U,
                            100 * here + i};
      what.everyone = i % 5 == 1;
      waiting_[what.lane].push_back(what);
    }
    clock.wake(*this, 1, try_to_send, wake_rank::processor);
  }

  agenda clock;
  /// Cycle, source, number and whether it is for everyone.
  std::vector<std::tuple<cycle_t, node_id, unsigned, bool>> arrivals;

  void room(std::uint8_t, cycle_t at) override {
    clock.wake(*this, at, try_to_send, wake_rank::credit);
  }
  void arrive(const network_transfer& what, cycle_t head, cycle_t) override {
    arrivals.emplace_back(head, what.source, pool_.at(what.cargo).header.aux, what.everyone);
    pool_.remove(what.cargo);
    clock.wake(*this, head + 60, what.lane, wake_rank::arrival);
  }

 private:
  static constexpr std::uint64_t try_to_send = 99;

  void wake(cycle_t now, std::uint64_t tag) override {
    if (tag != try_to_send) {
      port_.give_back(static_cast<std::uint8_t>(tag), now);
      return;
    }
    for (std::uint8_t lane = 0; lane < waiting_.size(); ++lane) {
      if (waiting_[lane].empty() || !port_.ready(lane, now)) continue;
      network_transfer what = waiting_[lane].front();
      waiting_[lane].pop_front();
      network_message carried;
      carried.header.aux = static_cast<std::uint16_t>(what.cargo);
      what.cargo = pool_.put(carried);
      if (what.everyone) pool_.share(what.cargo, port_.copies());
      port_.send(what, now);
      clock.wake(*this, port_.free_at(), try_to_send, wake_rank::processor);
      return;
    }
  }

  network_port& port_;
  message_pool& pool_;
  std::array<std::deque<network_transfer>, most_network_lanes> waiting_;
};

class talker_module final : public controller_node_module {
 public:
  talker_module(const sc_core::sc_module_name& name, const network_node_place& place)
      : controller_node_module(name, place), unit(port(), pool(), index(place.here), place.nodes) {
    deliver_to(unit);
  }
  using controller_node_module::pool;
  using controller_node_module::port;
  talker unit;

 private:
  cycle_t next_wakeup() const override { return unit.clock.next_wakeup(); }
  void advance_to(cycle_t last) override { unit.clock.advance_to(last); }
};

class message_network_module_test : public testing::systemc_test {};

TEST_F(message_network_module_test, a_message_arrives_with_what_it_carries) {
  machine m;
  m.send(0, 1, 2, 77);
  sc_core::sc_start(100 * period());
  ASSERT_EQ(m.at(1, 2).arrivals.size(), 1U);
  // Sent in cycle 0: the first word is there in cycle 18, which sees what is effective at 17.
  EXPECT_EQ(m.at(1, 2).arrivals[0].cycle, 17.0);
  EXPECT_EQ(m.at(1, 2).arrivals[0].number, 77U);
  EXPECT_EQ(m.at(1, 2).arrivals[0].source, node_id{0});
  ASSERT_EQ(m.at(0, 2).responses.size(), 1U);
  EXPECT_EQ(m.at(0, 2).responses[0], tlm::TLM_OK_RESPONSE);
  EXPECT_TRUE(m.network.idle());
}

TEST_F(message_network_module_test, lanes_that_send_at_once_share_the_link) {
  machine m;
  for (std::uint32_t i = 0; i < 20; ++i) {
    m.send(0, 1, 0, i);
    m.send(0, 1, 3, i);
  }
  sc_core::sc_start(2000 * period());
  for (const std::uint8_t lane : {std::uint8_t{0}, std::uint8_t{3}}) {
    const auto& came = m.at(1, lane).arrivals;
    ASSERT_EQ(came.size(), 20U);
    for (std::uint32_t i = 0; i < 20; ++i) EXPECT_EQ(came[i].number, i);
    // A line occupies the link for 40 cycles; each lane has every other turn, but for the one that
    // had two before the other had any.
    for (std::size_t i = 2; i < 19; ++i) {
      EXPECT_EQ(came[i].cycle - came[i - 1].cycle, 80.0) << int{lane} << " " << i;
    }
    EXPECT_EQ(m.at(0, lane).responses.size(), 20U);
    EXPECT_EQ(m.at(0, lane).pool.outstanding(), 0U);
  }
  EXPECT_TRUE(m.network.idle());
}

TEST_F(message_network_module_test, late_answers_hold_their_lane_back) {
  for (const sink_manner manner : {sink_manner::in_phases, sink_manner::late_request}) {
    simulation_context context;
    message_network_config config;
    config.endpoint_buffers = 2;
    config.router_buffers = 1;
    machine m(config);
    m.at(1, 0).manner = manner;
    m.at(1, 0).delay = 300 * period();
    for (std::uint32_t i = 0; i < 10; ++i) {
      m.send(0, 1, 0, i);
      m.send(0, 1, 1, i);
    }
    sc_core::sc_start(2000 * period());
    EXPECT_EQ(m.at(1, 1).arrivals.size(), 10U);
    EXPECT_LT(m.at(1, 0).arrivals.size(), 10U);
    sc_core::sc_start(3000 * period());
    const auto& came = m.at(1, 0).arrivals;
    ASSERT_EQ(came.size(), 10U);
    for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(came[i].number, i);
    EXPECT_GE(came[9].cycle - came[0].cycle, 8 * 300.0);
    EXPECT_TRUE(m.network.idle());
    EXPECT_EQ(m.at(0, 0).responses.size(), 10U);
  }
}

TEST_F(message_network_module_test,
       a_message_for_everyone_comes_to_each_node_with_what_it_carries) {
  message_network_config config;
  config.topology = topology_kind::point_to_point;
  config.broadcast = true;
  for (const bool self : {true, false}) {
    simulation_context context;
    config.broadcast_self = self;
    machine m(config, 4);
    m.at(1, 0).manner = sink_manner::in_phases;
    m.at(1, 0).delay = 1000 * period();
    for (std::uint32_t i = 0; i < 30; ++i) m.send_to_everyone(2, 0, i);
    sc_core::sc_start(40000 * period());
    for (std::uint32_t n = 0; n < 4; ++n) {
      const auto& came = m.at(n, 0).arrivals;
      ASSERT_EQ(came.size(), n != 2 || self ? 30U : 0U) << "node " << n;
      for (std::uint32_t i = 0; i < came.size(); ++i) {
        EXPECT_EQ(came[i].number, i);
        EXPECT_EQ(came[i].source, node_id{2});
        EXPECT_EQ(came[i].destination, node_id{n});
        EXPECT_TRUE(came[i].everyone);
      }
      if (!came.empty()) {
        EXPECT_EQ(came[0].cycle, n == 2 ? 15.0 : 17.0);
      }
    }
    EXPECT_EQ(m.at(2, 0).responses.size(), 30U);
    EXPECT_TRUE(m.network.idle());
  }
}

TEST_F(message_network_module_test, bytes_of_buffers_hold_their_lane_back) {
  message_network_config config;
  config.topology = topology_kind::point_to_point;
  config.payload_bytes = 65536;
  config.router_buffer_bytes = 65536 + 32;
  config.endpoint_buffer_bytes = 65536 + 32;
  machine m(config, 3);
  m.send(0, 1, 0, 0, 65536);
  for (std::uint32_t i = 1; i < 10; ++i) m.send(0, 2, 0, i, 8);
  m.send(0, 1, 0, 10, 65536);
  sc_core::sc_start(100000 * period());
  ASSERT_EQ(m.at(1, 0).arrivals.size(), 2U);
  ASSERT_EQ(m.at(2, 0).arrivals.size(), 9U);
  for (std::uint32_t i = 0; i < 9; ++i) EXPECT_EQ(m.at(2, 0).arrivals[i].number, i + 1);
  // Its router has room once the tail of the long one has left, a length and 8 cycles later.
  EXPECT_EQ(m.at(2, 0).arrivals[0].cycle, 17.0 + 8 + (65536 + 32) / 4 + 1);
  EXPECT_EQ(m.at(1, 0).arrivals[1].number, 10U);
  EXPECT_EQ(m.at(0, 0).responses.size(), 11U);
  EXPECT_TRUE(m.network.idle());
}

TEST_F(message_network_module_test, both_engines_agree_whatever_the_network_declares) {
  constexpr std::uint32_t nodes = 6;
  constexpr cycle_t end = 60000;
  message_network_config config;
  config.payload_bytes = 500;
  config.router_buffers = 4;
  config.endpoint_buffers = 3;
  config.broadcast = true;
  for (const topology_kind kind : {topology_kind::point_to_point, topology_kind::mesh}) {
    for (const std::uint32_t option : {0U, 1U, 2U, 3U}) {
      simulation_context context;
      config.topology = kind;
      config.reorder_window = option % 2 == 0 ? 0 : 3;
      config.router_buffer_bytes = option < 2 ? 0 : 700;
      config.endpoint_buffer_bytes = option < 2 ? 0 : 600;
      config.broadcast_self = option != 1;
      routed_network plain(config, nodes);
      message_pool shared;
      std::deque<node_port> ports;
      std::deque<talker> talkers;
      message_network_module network("network", config, nodes);
      std::deque<talker_module> modules;
      for (std::uint32_t n = 0; n < nodes; ++n) {
        ports.emplace_back(plain, node_id{n});
        talkers.emplace_back(ports.back(), shared, n, nodes);
        plain.attach(node_id{n}, talkers.back());
        modules.emplace_back(("node_" + std::to_string(n)).c_str(),
                             network_node_place{node_id{n}, nodes, config});
        modules.back().join(network);
        EXPECT_TRUE(modules.back().port().broadcasts());
        EXPECT_EQ(modules.back().port().reorder_window(), config.reorder_window);
        EXPECT_EQ(modules.back().port().payload_bytes(), 500U);
      }
      for (cycle_t now = 1; now < end; ++now) {
        plain.advance_to(now);
        for (talker& each : talkers) each.clock.advance_to(now);
      }
      sc_core::sc_start(static_cast<double>(end) * period());
      EXPECT_TRUE(plain.idle());
      EXPECT_TRUE(network.idle());
      EXPECT_EQ(shared.size(), 0U);
      for (std::uint32_t n = 0; n < nodes; ++n) {
        EXPECT_GT(talkers[n].arrivals.size(), 60U);
        EXPECT_EQ(talkers[n].arrivals, modules[n].unit.arrivals)
            << "node " << n << ", option " << option;
        EXPECT_EQ(modules[n].pool().size(), 0U);
      }
    }
  }
}

TEST_F(message_network_module_test, what_cannot_be_carried_is_refused) {
  machine m;
  lane_end& sender = m.at(0, 1);
  sender.send(sender.message({node_id{1}, node_id{1}, 1, 8, 0}, 0));
  sender.send(sender.message({node_id{0}, node_id{1}, 2, 8, 0}, 0));
  sender.send(sender.message({node_id{0}, node_id{2}, 1, 8, 0}, 0));
  sender.send(sender.message({node_id{0}, node_id{1}, 1, 129, 0}, 0));
  sender.send(sender.pool.acquire_word(tlm::TLM_WRITE_COMMAND, 0));
  m.send_to_everyone(0, 1, 0);  // the network has no broadcast
  sc_core::sc_start(100 * period());
  const std::vector<tlm::tlm_response_status> expected = {
      tlm::TLM_ADDRESS_ERROR_RESPONSE, tlm::TLM_ADDRESS_ERROR_RESPONSE,
      tlm::TLM_ADDRESS_ERROR_RESPONSE, tlm::TLM_BURST_ERROR_RESPONSE,
      tlm::TLM_COMMAND_ERROR_RESPONSE, tlm::TLM_COMMAND_ERROR_RESPONSE};
  EXPECT_EQ(sender.responses, expected);
  EXPECT_TRUE(m.network.idle());
}

TEST_F(message_network_module_test, a_configuration_that_it_refuses_is_reported) {
  expect_report(messages::configuration);
  message_network_config config;
  config.topology = topology_kind::hypercube;
  EXPECT_THROW(message_network_module("network", config, 3), sc_core::sc_report);
}

TEST_F(message_network_module_test, a_clock_without_a_period_is_reported) {
  expect_report(messages::configuration);
  message_network_config config;
  config.clock.period = 0;
  EXPECT_THROW(message_network_module("network", config, 2), sc_core::sc_report);
}

}  // namespace
}  // namespace tributary
