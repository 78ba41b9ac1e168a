// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/algorithms/flash_barrier.h>
#include <tributary/sim/error.h>

#include <support/failure.h>
#include <support/synchronizing_machine.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

using testing::crowded;
using testing::shared;
using testing::synchronizing_config;
using testing::synchronizing_machine;

/// Nobody comes back from an episode before all have joined it; rounds that all have begun.
class episodes {
 public:
  explicit episodes(std::uint32_t processes) : begun_(processes) {}
  void begin(std::uint32_t process) { ++begun_[process]; }
  void came_back(std::uint32_t process) {
    for (std::uint32_t other = 0; other < begun_.size(); ++other) {
      if (begun_[other] < begun_[process]) early_.insert({process, other});
    }
  }
  const std::set<std::pair<std::uint32_t, std::uint32_t>>& early() const { return early_; }

 private:
  std::vector<std::uint64_t> begun_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> early_;
};

TEST(flash_barrier, trees_are_numbered_as_heaps) {
  // FLASH Figures 6.25 and 6.26.
  const barrier_trees trees{8, 3, 2};
  EXPECT_EQ(trees.at(node_id{0}).joins(), 4U);
  EXPECT_EQ(trees.at(node_id{1}).joins(), 4U);
  EXPECT_EQ(trees.at(node_id{2}).joins(), 2U);
  EXPECT_EQ(trees.at(node_id{3}).joins(), 1U);
  EXPECT_EQ(trees.at(node_id{7}).parent(), node_id{2});
  EXPECT_EQ(trees.at(node_id{3}).children(), 1U);
  EXPECT_EQ(trees.at(node_id{3}).child(0), node_id{7});
  EXPECT_EQ(trees.at(node_id{1}).child(1), node_id{4});
  EXPECT_TRUE(trees.at(node_id{0}).is_root());
  EXPECT_FALSE(trees.at(node_id{1}).is_root());
}

/// S.V6: P - 1 joins and P - 1 releases an episode, whatever the radix; nobody early.
TEST(flash_barrier, every_node_but_the_root_sends_one_join_and_gets_one_release) {
  constexpr std::uint64_t rounds = 5;
  for (const std::uint32_t nodes : {2U, 4U, 16U}) {
    for (const std::uint32_t radix : {1U, 2U, 3U, 5U}) {
      SCOPED_TRACE(std::to_string(nodes) + " nodes, radix " + std::to_string(radix));
      synchronizing_machine machine(nodes);
      episodes seen(nodes);
      machine.run([&](program_context& context) {
        flash_barrier end(context, machine.barrier_place(), {nodes, radix, radix});
        for (std::uint64_t round = 0; round < rounds; ++round) {
          context.delay(context.random(500));
          seen.begin(context.rank());
          end.cross();
          seen.came_back(context.rank());
        }
      });
      EXPECT_TRUE(seen.early().empty()) << seen.early().size() << " came back early";
      EXPECT_EQ(machine.runs("barriers.child_joined"), rounds * (nodes - 1));
      EXPECT_EQ(machine.runs("barriers.released"), rounds * (nodes - 1));
      EXPECT_EQ(machine.runs("barriers.processor_join"), rounds * nodes);
    }
  }
}

/// S.V7: a node may be released, and join again, before its parent in the join tree is released.
TEST(flash_barrier, trees_of_two_radices_count_no_join_twice) {
  constexpr std::uint64_t rounds = 200;
  for (const auto& radices : {std::pair(4U, 2U), std::pair(2U, 4U), std::pair(1U, 5U)}) {
    constexpr std::uint32_t nodes = 16;
    synchronizing_machine machine(nodes);
    episodes seen(nodes);
    machine.run([&](program_context& context) {
      flash_barrier end(context, machine.barrier_place(), {nodes, radices.first, radices.second});
      for (std::uint64_t round = 0; round < rounds; ++round) {
        if (context.random(4) == 0) context.delay(context.random(3000));
        seen.begin(context.rank());
        end.cross();
        seen.came_back(context.rank());
      }
    });
    SCOPED_TRACE(std::to_string(radices.first) + " up, " + std::to_string(radices.second) +
                 " down");
    EXPECT_TRUE(seen.early().empty()) << seen.early().size() << " came back early";
    EXPECT_EQ(machine.runs("barriers.child_joined"), rounds * (nodes - 1));
    for (std::uint32_t i = 0; i < nodes; ++i) {
      EXPECT_EQ(machine.barrier(i, 0).joined(), 0U) << "node " << i;
      EXPECT_EQ(machine.barrier(i, 0).sense(), rounds % 2) << "node " << i;
    }
  }
}

/// The join total counts the processes of a node (FLASH 6.2.4): messages as with one.
TEST(flash_barrier, several_processes_of_a_node_join) {
  constexpr std::uint64_t rounds = 8;
  for (const std::uint32_t processes : {2U, 3U}) {
    for (std::uint32_t radix = 1; radix <= 7 - processes && radix <= 5; ++radix) {
      constexpr std::uint32_t nodes = 8;
      SCOPED_TRACE(std::to_string(processes) + " processes, radix " + std::to_string(radix));
      synchronizing_machine machine(shared(nodes, processes));
      episodes seen(nodes * processes);
      machine.run([&](program_context& context) {
        EXPECT_EQ(context.size(), nodes * processes);
        EXPECT_EQ(index(context.node()), context.rank() / processes);
        flash_barrier end(context, machine.barrier_place(),
                          {context.nodes(), radix, 6 - radix, false, context.processes()});
        for (std::uint64_t round = 0; round < rounds; ++round) {
          if (context.random(2) == 0) context.delay(context.random(900));
          seen.begin(context.rank());
          end.cross();
          seen.came_back(context.rank());
        }
      });
      EXPECT_TRUE(seen.early().empty()) << seen.early().size() << " came back early";
      EXPECT_EQ(machine.runs("barriers.child_joined"), rounds * (nodes - 1));
      EXPECT_EQ(machine.runs("barriers.released"), rounds * (nodes - 1));
      EXPECT_EQ(machine.runs("barriers.processor_join"), rounds * nodes * processes);
      for (std::uint32_t i = 0; i < nodes; ++i) EXPECT_EQ(machine.barrier(i, 0).joined(), 0U) << i;
    }
  }
}

/// Short outgoing queues to slow links: releases wait for room in the software queue. So does the
/// join of a node that still tells others of the barrier before.
TEST(flash_barrier, joins_and_releases_wait_for_room) {
  constexpr std::uint32_t nodes = 16;
  constexpr std::uint32_t few = 5;
  constexpr std::uint64_t rounds = 40;
  synchronizing_machine machine(crowded(nodes));
  episodes seen(nodes);
  machine.run([&](program_context& context) {
    flash_barrier of_all(context, machine.barrier_place(2), {nodes, 1, 5});
    std::optional<flash_barrier> of_few;
    if (context.rank() < few)
      of_few.emplace(context, machine.barrier_place(0), barrier_trees{few, 3, 3});
    for (std::uint64_t round = 0; round < rounds; ++round) {
      seen.begin(context.rank());
      of_all.cross();
      seen.came_back(context.rank());
      if (context.rank() == few - 1) context.delay(2800);  // a child of node 1, which is telling
      if (of_few) of_few->cross();
    }
  });
  EXPECT_TRUE(seen.early().empty()) << seen.early().size() << " came back early";
  EXPECT_EQ(machine.runs("barriers.child_joined"), rounds * (nodes - 1 + few - 1));
  EXPECT_EQ(machine.runs("barriers.released"), rounds * (nodes - 1 + few - 1));
  EXPECT_GT(machine.runs("barriers.release_later"), 0U) << "there was room for every release";
  EXPECT_GT(machine.runs("barriers.join_later"), 0U) << "there was room for every join";
}

/// What the others wait for behind a master: its controller, or a word in shared memory.
enum class released : std::uint8_t { by_controller, by_flag };

/// Figure 6.27's bit T: the root alone comes back, and releases the others when it wants. Or all
/// come back, and the others wait for a flag (FLASH 6.2.6).
/// `before`: all have crossed the barrier before, without a master.
void run_master(const synchronizing_config& config, bool before = false,
                released how = released::by_controller) {
  constexpr std::uint64_t rounds = 6;
  const std::uint32_t nodes = config.machine.nodes;
  synchronizing_machine machine(config);
  episodes seen(nodes * config.machine.node.processes);
  std::uint64_t served = 0;
  std::uint64_t early = 0;
  machine.run([&](program_context& context) {
    barrier_trees trees{nodes, 4, 5, false, context.processes()};
    if (before) {
      flash_barrier(context, machine.barrier_place(1), trees).cross();
      flash_barrier(context, machine.barrier_place(0), trees).cross();
    }
    const bool by_flag = how == released::by_flag;
    const std::uint64_t flag = context.shared_address(mm_id{0}, 48);
    trees.two_phase = !by_flag;
    flash_barrier end(context, machine.barrier_place(1), trees);
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      context.delay(context.random(400));
      seen.begin(context.rank());
      end.cross();
      seen.came_back(context.rank());
      if (context.rank() == 0) {
        context.delay(1000);
        served = round;
        if (by_flag) {
          context.store(flag, round);
        } else {
          end.release();
        }
      } else {
        if (by_flag) context.spin(flag, [round](word_t word) { return word == round; });
        if (served < round) ++early;
      }
    }
  });
  EXPECT_TRUE(seen.early().empty()) << seen.early().size() << " came back early";
  EXPECT_EQ(early, 0U) << "came back before the master released them";
  EXPECT_EQ(machine.runs("barriers.released"), (rounds + (before ? 2 : 0)) * (nodes - 1));
}

TEST(flash_barrier, a_master_releases_the_others) { run_master(synchronizing_config(8)); }

TEST(flash_barrier, a_masters_flag_in_shared_memory_releases_the_others) {
  for (const std::uint32_t nodes : {2U, 8U, 16U}) {
    run_master(synchronizing_config(nodes), false, released::by_flag);
  }
  run_master(crowded(8), false, released::by_flag);
  run_master(shared(8, 2), false, released::by_flag);
}

TEST(flash_barrier, a_master_waits_for_room) { run_master(crowded(16)); }

/// Those of the master's own node wait for it too.
TEST(flash_barrier, a_master_releases_the_other_processes_of_its_node) {
  run_master(shared(8, 2));
  run_master(shared(8, 3));
}

TEST(flash_barrier, gets_a_master_later) {
  run_master(synchronizing_config(8), true);
  run_master(shared(8, 2), true);
}

/// A node that is told the trees again goes on telling its children of the release before.
TEST(flash_barrier, may_be_made_again_while_a_release_waits) {
  constexpr std::uint32_t nodes = 16;
  constexpr std::uint64_t rounds = 20;
  synchronizing_machine machine(crowded(nodes));
  episodes seen(nodes);
  machine.run([&](program_context& context) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
      flash_barrier end(context, machine.barrier_place(), {nodes, 5, 5});
      seen.begin(context.rank());
      end.cross();
      seen.came_back(context.rank());
    }
  });
  EXPECT_TRUE(seen.early().empty()) << seen.early().size() << " came back early";
  EXPECT_EQ(machine.runs("barriers.released"), rounds * (nodes - 1));
}

/// What a program on the first of two nodes is told when it does something wrong.
std::string refusal(
    const std::function<void(program_context&, const flash_barrier_place&)>& wrong) {
  synchronizing_machine machine(2);
  std::string told;
  machine.run([&](program_context& context) {
    if (context.rank() != 0) return;
    try {
      wrong(context, machine.barrier_place());
    } catch (const error& found) {
      told = found.what();
    }
  });
  return told;
}

TEST(flash_barrier, refuses_what_it_cannot_keep_by_name) {
  const auto make = [](std::uint64_t number, const barrier_trees& trees) {
    return refusal([=](program_context& context, flash_barrier_place place) {
      place.number = number;
      flash_barrier(context, place, trees);
    });
  };
  EXPECT_EQ(make(2, {2, 1, 1}), "");
  EXPECT_NE(make(3, {2, 1, 1}).find("flash_barrier.number"), std::string::npos);
  EXPECT_NE(make(0, {2, 0, 1}).find("flash_barrier.join_radix"), std::string::npos);
  EXPECT_NE(make(0, {2, 1, 6}).find("flash_barrier.release_radix"), std::string::npos);
  EXPECT_NE(make(0, {2, 5, 1, false, 3}).find("flash_barrier.processes"), std::string::npos);
  EXPECT_NE(make(0, {2, 1, 1, false, 2}).find("flash_barrier.processes: 2"), std::string::npos);
  EXPECT_NE(make(0, {3, 1, 1}).find("flash_barrier.nodes: 3"), std::string::npos);
  EXPECT_NE(make(0, {257, 1, 1}).find("flash_barrier.nodes"), std::string::npos);
  EXPECT_NE(make(0, {0, 1, 1}).find("flash_barrier.nodes"), std::string::npos);
}

TEST(flash_barrier, tells_who_joins_what_the_node_does_not_keep) {
  const std::string told = refusal([](program_context& context, flash_barrier_place place) {
    place.count = 8;  // more than the node has
    place.number = 5;
    flash_barrier(context, place, {1, 1, 1}).cross();
  });
  EXPECT_NE(told.find("processor 0"), std::string::npos) << told;
  EXPECT_NE(told.find("barrier 5"), std::string::npos) << told;
}

/// The second process of a node, in a handler that interrupts its waiting; the interrupt comes to
/// it because the first one has no handler for the line.
TEST(flash_barrier, tells_who_joins_twice) {
  synchronizing_machine machine(shared(2, 2));
  const std::string told = testing::failure([&] {
    machine.run([&](program_context& context) {
      if (index(context.node()) != 0) return;
      flash_barrier end(context, machine.barrier_place(), {1, 1, 1, false, 2});
      if (context.rank() == 1) {
        context.interrupts(3, [&](program_context&) { end.cross(); });
        end.cross();
        return;
      }
      context.delay(1000);
      machine.nodes().node(0).processor().interrupt(3, machine.nodes().now() + 1);
      context.delay(1000);
    });
  });
  EXPECT_TRUE(testing::names(
      told, {"process 1 of node 0", "barrier 0", "joined again", "processor 0, process 1, cycle"}))
      << told;
}

TEST(flash_barrier, only_a_master_that_came_back_releases) {
  const auto release = [](bool two_phase, bool crosses, int times) {
    return refusal([=](program_context& context, const flash_barrier_place& place) {
      barrier_trees alone{1, 1, 1};
      alone.two_phase = two_phase;
      flash_barrier end(context, place, alone);
      if (crosses) end.cross();
      for (int i = 0; i < times; ++i) end.release();
    });
  };
  EXPECT_EQ(release(true, true, 1), "");
  EXPECT_NE(release(true, true, 2).find("barrier 0"), std::string::npos);
  EXPECT_NE(release(true, false, 1).find("barrier 0"), std::string::npos);
  EXPECT_NE(release(false, true, 1).find("barrier 0"), std::string::npos);
}

}  // namespace
}  // namespace tributary
