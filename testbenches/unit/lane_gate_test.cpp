// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/lane_gate.h>

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

/// A network that takes a message in the cycles in which it was told to.
class told_network final : public network_port {
 public:
  std::uint32_t lanes() const override { return 2; }
  std::uint32_t payload_bytes() const override { return 64; }
  bool ready(std::uint8_t /*lane*/, cycle_t now) const override {
    ++asked;
    return places > 0 && now >= at;
  }
  cycle_t free_at() const override { return free; }
  void send(const network_transfer& transfer, cycle_t now) override {
    --places;
    sent.emplace_back(transfer.cargo, now);
  }
  std::uint64_t wire_cycles(std::uint64_t /*bytes*/) const override { return 1; }
  void give_back(std::uint8_t lane, cycle_t now) override { given_back.emplace_back(lane, now); }

  int places = 0;
  cycle_t at = 0;
  cycle_t free = 0;
  mutable std::uint64_t asked = 0;
  std::vector<std::pair<std::uint64_t, cycle_t>> sent;
  std::vector<std::pair<std::uint8_t, cycle_t>> given_back;
};

/// Takes messages by itself if `takes`.
class told_client final : public lane_gate_client {
 public:
  void departed(const network_transfer& /*message*/, cycle_t /*now*/) override {}
  void arrived(const network_transfer& message, cycle_t now) override {
    came.emplace_back(message.cargo, now);
  }
  bool take(const network_transfer& /*message*/, cycle_t /*now*/) override { return takes; }

  bool takes = false;
  std::vector<std::pair<std::uint64_t, cycle_t>> came;
};

struct gate_of_a_node {
  agenda time;
  told_network network;
  told_client client;
  lane_gate gate{time, network, client};
};

network_transfer message(std::uint64_t cargo) {
  network_transfer made;
  made.cargo = cargo;
  return made;
}

using leavings = std::vector<std::pair<std::uint64_t, cycle_t>>;

TEST(lane_gate, a_message_leaves_with_the_first_place_of_which_the_network_told) {
  gate_of_a_node node;
  // Two places come free, and the later one is told last.
  node.gate.room(0, 10);
  node.gate.room(0, 14);
  node.time.advance_to(5);
  node.gate.send(message(1), 5);
  node.gate.send(message(2), 5);
  node.network.places = 1;
  node.network.at = 10;
  node.time.advance_to(10);
  EXPECT_EQ(node.network.sent, (leavings{{1, 10}}));
  node.network.places = 1;
  node.network.at = 14;
  node.time.advance_to(20);
  EXPECT_EQ(node.network.sent, (leavings{{1, 10}, {2, 14}}));
}

TEST(lane_gate, a_message_leaves_when_its_link_is_free_before_a_place_that_was_told) {
  gate_of_a_node node;
  node.gate.room(0, 14);
  node.network.places = 1;
  node.network.at = 10;
  node.network.free = 10;
  node.gate.send(message(1), 0);
  node.time.advance_to(20);
  EXPECT_EQ(node.network.sent, (leavings{{1, 10}}));
}

TEST(lane_gate, a_queue_that_never_empties_asks_no_more_often_as_time_goes_on) {
  gate_of_a_node node;
  constexpr std::uint64_t messages = 1000;
  for (std::uint64_t i = 0; i < messages; ++i) node.gate.send(message(i), 0);
  for (cycle_t now = 1; now <= messages; ++now) {
    node.network.places = 1;
    node.gate.room(0, now + 3);
    node.time.advance_to(now);
  }
  node.time.advance_to(messages + 10);
  EXPECT_GT(node.network.sent.size(), messages - 10);
  // A message that leaves asks for itself and for the next one.
  EXPECT_LE(node.network.asked, 4 * messages);
}

TEST(lane_gate, a_message_that_waits_for_its_client_keeps_its_place) {
  gate_of_a_node node;
  node.gate.arrive(message(7), 3, 6);
  EXPECT_EQ(node.gate.oldest(0, 4), nullptr) << "its last byte comes in cycle 5";
  node.time.advance_to(8);
  EXPECT_EQ(node.client.came, (leavings{{7, 5}})) << "told once";
  node.gate.look(0, 8);
  EXPECT_EQ(node.client.came.size(), 1U) << "told once";
  ASSERT_NE(node.gate.oldest(0, 8), nullptr);
  EXPECT_TRUE(node.network.given_back.empty());
  EXPECT_EQ(node.gate.take_oldest(0, 9).cargo, 7U);
  EXPECT_EQ(node.network.given_back, (std::vector<std::pair<std::uint8_t, cycle_t>>{{0, 9}}));
  EXPECT_EQ(node.gate.oldest(0, 9), nullptr);
  EXPECT_THROW(node.gate.take_oldest(0, 9), simulation_error);
}

}  // namespace
}  // namespace tributary
