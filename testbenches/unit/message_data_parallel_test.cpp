// SPDX-License-Identifier: Apache-2.0
// The run-time on both interfaces of messages: random programs against what the primitives mean,
// on networks that reorder, and with the least buffers.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <tributary/controller/message_watchdog.h>
#include <tributary/sim/random_stream.h>

#include <support/failure.h>
#include <support/message_machine.h>
#include <support/primitive_scripts.h>
#include <support/sizes.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

using testing::cast_words;
using testing::data_words;
using testing::failure;
using testing::meant;
using testing::message_choice;
using testing::message_machine;
using testing::names;
using testing::outcome;
using testing::primitive;
using testing::run_primitive;
using testing::run_time_of;
using testing::script;
using testing::script_writer;

constexpr std::uint64_t all_bytes = (data_words + cast_words) * word_bytes;

constexpr interface_design designs[]{interface_design::traditional, interface_design::language};

const char* name_of(interface_design design) {
  return design == interface_design::language ? "language" : "traditional";
}

/// The least that there may be of everything, or a little more.
message_choice drawn(interface_design design, std::uint64_t seed) {
  random_stream draws(seed, 4U, static_cast<std::uint32_t>(design));
  message_choice made;
  made.seed = seed;
  made.nodes = static_cast<std::uint32_t>(2 + draws.below(7));
  message_interface_config& interface = made.interface();
  interface.design = design;
  interface.dma = draws.below(2) == 1;
  interface.broadcast = draws.below(2) == 1;
  interface.packet_bytes = 8U << draws.below(3);
  interface.receive_bytes =
      interface.most_packet() + static_cast<std::uint32_t>(draws.below(2) * 64);
  interface.send_messages = static_cast<std::uint32_t>(1 + draws.below(2));
  interface.translations = static_cast<std::uint32_t>(2 + draws.below(3));
  interface.page_bytes = 64U << draws.below(4);
  interface.register_cycles = static_cast<std::uint32_t>(1 + draws.below(6));
  interface.memory_cycles = static_cast<std::uint32_t>(1 + draws.below(30));
  constexpr std::uint32_t latencies[]{1, 5, 500};
  made.node.memory.latency = latencies[draws.below(3)];
  made.network.payload_bytes = 64;
  made.network.router_buffers = static_cast<std::uint32_t>(1 + draws.below(2));
  made.network.endpoint_buffers = static_cast<std::uint32_t>(1 + draws.below(2));
  made.network.broadcast = interface.broadcast;
  made.network.broadcast_self = draws.below(2) == 1;
  return made;
}

std::string text_of(const message_choice& choice, std::uint32_t arity) {
  const message_interface_config& interface = choice.node.interface;
  return std::string(name_of(interface.design)) + ", seed " + std::to_string(choice.seed) + ", " +
         std::to_string(choice.nodes) + " nodes, arity " + std::to_string(arity) + ", packets of " +
         std::to_string(interface.packet_bytes) + (interface.dma ? ", DMA" : "") +
         (interface.broadcast ? ", broadcast" : "");
}

void check_script(const message_choice& choice, std::uint32_t arity, std::size_t phases) {
  const std::string where = text_of(choice, arity);
  const script what = script_writer(choice.seed, choice.nodes).write(phases);
  outcome found(choice.nodes);
  message_machine b(choice, [&](program_context& context) {
    const auto all = run_time_of(choice, context, all_bytes, arity);
    for (const auto& phase : what) {
      for (const primitive& each : phase) run_primitive(each, *all, found.seen[context.rank()]);
      context.delay(context.random(200));
      all->barrier();
    }
  });
  ASSERT_TRUE(b.programs.run()) << where;
  EXPECT_EQ(b.messages.size(), 0U) << where;
  const outcome expected = meant(what, choice.nodes);
  EXPECT_EQ(found.seen, expected.seen) << where;
  for (std::uint32_t node = 0; node < choice.nodes; ++node) {
    for (std::uint64_t i = 0; i < data_words + cast_words; ++i) {
      ASSERT_EQ(b.programs.local(node, i), expected.data[node][i])
          << where << ", word " << i << " of node " << node;
    }
  }
}

TEST(message_data_parallel, random_programs_do_what_their_primitives_mean) {
  for (const interface_design design : designs) {
    for (std::uint64_t seed = 1; seed <= testing::scaled(64); ++seed) {
      check_script(drawn(design, seed), 2 + seed % 2, 10);
      if (HasFatalFailure()) return;
    }
  }
}

/// What all nodes' data are at each barrier of a random program.
std::vector<std::vector<word_t>> images(const message_choice& choice, const script& what) {
  std::vector<std::vector<word_t>> seen(choice.nodes);
  message_machine* machine = nullptr;
  message_machine b(choice, [&](program_context& context) {
    const std::uint32_t rank = context.rank();
    std::vector<word_t> unused;
    const auto all = run_time_of(choice, context, all_bytes);
    for (const auto& phase : what) {
      for (const primitive& each : phase) run_primitive(each, *all, unused);
      all->barrier();
      for (std::uint64_t i = 0; i < data_words + cast_words; ++i) {
        seen[rank].push_back(machine->programs.local(rank, i));
      }
      all->barrier();
    }
  });
  machine = &b;
  EXPECT_TRUE(b.programs.run()) << text_of(choice, 2) << ", window "
                                << choice.network.reorder_window;
  return seen;
}

/// V40 (Klaiber 6.3): the language-oriented interface does not depend on the order of messages.
TEST(message_data_parallel, memory_at_every_barrier_is_the_same_whatever_overtakes) {
  for (std::uint64_t seed = 1; seed <= testing::scaled(16); ++seed) {
    message_choice choice;
    choice.seed = seed;
    choice.nodes = 6;
    choice.interface().packet_bytes = 8;
    choice.interface().send_messages = 16;
    choice.network.router_buffers = 128;
    choice.network.endpoint_buffers = 128;
    choice.interface().broadcast = choice.network.broadcast = seed % 2 == 0;
    const script what = script_writer(seed, choice.nodes).write(6);
    const auto in_order = images(choice, what);
    for (const std::uint32_t window : {1U, 8U, 64U}) {
      choice.network.reorder_window = window;
      EXPECT_EQ(images(choice, what), in_order) << "seed " << seed << ", window " << window;
    }
  }
}

/// V41 (Klaiber 6.3): requests and replies have channels of their own.
TEST(message_data_parallel, all_to_all_reads_drain_with_the_least_buffers) {
  for (const interface_design design : designs) {
    message_choice choice;
    choice.nodes = 8;
    choice.interface().design = design;
    choice.interface().send_messages = 1;
    choice.interface().receive_bytes = choice.interface().most_packet();
    choice.network.payload_bytes = 64;
    choice.network.router_buffers = 1;
    choice.network.endpoint_buffers = 1;
    constexpr std::uint32_t bytes = 256;
    message_machine b(choice, [&](program_context& context) {
      const std::uint32_t rank = context.rank();
      const auto all = run_time_of(choice, context, 9 * bytes);
      for (std::uint64_t i = 0; i < bytes; i += 8) all->write(i, 1000 * rank + i);
      all->barrier();
      for (std::uint32_t k = 1; k < choice.nodes; ++k) {
        const std::uint32_t other = (rank + k) % choice.nodes;
        all->get({node_id{other}, 0}, (1 + other) * bytes, bytes);
      }
      all->barrier();
    });
    ASSERT_TRUE(b.programs.run()) << name_of(design);
    for (std::uint32_t node = 0; node < choice.nodes; ++node) {
      for (std::uint32_t other = 0; other < choice.nodes; ++other) {
        if (other == node) continue;
        for (std::uint64_t i = 0; i < bytes / 8; ++i) {
          ASSERT_EQ(b.programs.local(node, (1 + other) * bytes / 8 + i), 1000 * other + 8 * i)
              << name_of(design) << ", node " << node << " of " << other;
        }
      }
    }
  }
}

/// All nodes read from all others, with room for one message everywhere.
message_choice narrow(std::uint32_t channels) {
  message_choice choice;
  choice.nodes = 8;
  choice.interface().send_messages = 1;
  choice.interface().channels = channels;
  choice.interface().may_deadlock = true;
  choice.network.topology = topology_kind::point_to_point;
  choice.network.payload_bytes = 64;
  choice.network.router_buffers = 1;
  choice.network.endpoint_buffers = 1;
  return choice;
}

/// V41 (Klaiber 6.3): replies that wait for requests wait for ever.
TEST(message_data_parallel, all_to_all_reads_over_one_channel_wait_for_each_other) {
  for (const std::uint32_t channels : {2U, 1U}) {
    const message_choice choice = narrow(channels);
    constexpr std::uint32_t bytes = 256;
    message_machine b(choice, [&](program_context& context) {
      const auto all = run_time_of(choice, context, 9 * bytes);
      all->barrier();
      for (std::uint32_t k = 1; k < choice.nodes; ++k) {
        const std::uint32_t other = (context.rank() + k) % choice.nodes;
        all->get({node_id{other}, 0}, (1 + other) * bytes, bytes);
      }
      all->barrier();
    });
    if (channels == 2) {
      EXPECT_TRUE(b.programs.run());
      EXPECT_EQ(cycle_of_waits(b.programs.machine), "");
      continue;
    }
    message_watchdog watchdog(b.programs.machine, 10000);
    std::string said;
    try {
      while (!b.programs.finished() && b.programs.machine.now() < 1'000'000) {
        b.programs.machine.run_until(watchdog.due() + 1);
        watchdog.look();
      }
    } catch (const simulation_error& stuck) {
      said = stuck.what();
    }
    EXPECT_NE(said.find("nodes wait for each other:\n  node "), std::string::npos) << said;
    EXPECT_NE(said.find(": its engine has read "), std::string::npos) << said;
  }
}

TEST(message_data_parallel, one_channel_with_reads_is_refused_where_it_is_no_experiment) {
  message_choice choice = narrow(1);
  choice.interface().may_deadlock = false;
  try {
    choice.interface().validate();
    ADD_FAILURE() << "one channel was allowed";
  } catch (const configuration_error& refused) {
    EXPECT_NE(std::string(refused.what()).find("one channel with reads"), std::string::npos)
        << refused.what();
  }
  choice = narrow(1);
  choice.interface().design = interface_design::traditional;
  EXPECT_THROW(choice.interface().validate(), configuration_error);
}

/// Nothing behind a program's data is used, and no value is cut silently.
TEST(message_data_parallel, what_is_no_item_of_the_data_is_refused) {
  for (const interface_design design : designs) {
    message_choice choice;
    choice.nodes = 2;
    choice.interface().design = design;
    const auto refusal = [&](const std::function<void(data_parallel&)>& act) {
      std::string told;
      message_machine b(choice, [&](program_context& context) {
        const auto all = run_time_of(choice, context, 64);
        if (context.rank() == 0) told = failure<simulation_error>([&] { act(*all); });
      });
      EXPECT_TRUE(b.programs.run());
      return told;
    };
    const node_data last{node_id{1}, 56};
    const auto sum = combining_operation::sum;
    const std::string behind = "16 bytes of data at offset 0x38";
    EXPECT_TRUE(names(refusal([&](auto& all) { all.get(last, 0, 16); }), {behind}));
    EXPECT_TRUE(names(refusal([&](auto& all) { all.get({node_id{1}, 0}, 56, 16); }), {behind}));
    EXPECT_TRUE(names(refusal([&](auto& all) { all.send(last, 0, 16); }), {behind}));
    EXPECT_TRUE(names(refusal([&](auto& all) { all.send({node_id{0}, 0}, 56, 16); }), {behind}));
    EXPECT_TRUE(names(refusal([&](auto& all) { all.broadcast(node_id{0}, 56, 16); }), {behind}));
    EXPECT_TRUE(names(refusal([&](auto& all) { all.send(last, 0, 12); }), {"item of 12 bytes"}));
    EXPECT_TRUE(names(refusal([&](auto& all) { all.combining_send(last, 1, sum, 16); }),
                      {"value of 16 bytes"}));
    EXPECT_TRUE(names(refusal([&](auto& all) { all.reduce(1, sum, 16); }), {"value of 16 bytes"}));
  }
}

/// V1: 2p - 2 messages, without an interrupt.
TEST(message_data_parallel, a_barrier_is_2p_minus_2_messages) {
  for (const interface_design design : designs) {
    for (const std::uint32_t nodes : {2U, 8U, 16U}) {
      message_choice choice;
      choice.nodes = nodes;
      choice.interface().design = design;
      message_machine b(choice, [&](program_context& context) {
        const auto all = run_time_of(choice, context, 64);
        for (int i = 0; i < 3; ++i) all->barrier();
      });
      ASSERT_TRUE(b.programs.run());
      std::uint64_t sent = 0;
      for (const auto& [what, times] : b.programs.sent) sent += times;
      EXPECT_EQ(sent, 3 * (2 * nodes - 2)) << name_of(design) << ", " << nodes << " nodes";
    }
  }
}

/// More than there are counters for, of owners that take turns; nobody waits for the slowest.
TEST(message_data_parallel, broadcasts_follow_each_other_without_barriers) {
  constexpr std::uint64_t times = 40;
  for (std::uint64_t seed = 1; seed <= testing::scaled(32); ++seed) {
    for (const interface_design design : designs) {
      message_choice choice = drawn(design, seed);
      if (design == interface_design::language && seed % 4 == 0) {
        choice.network.router_buffers = choice.network.endpoint_buffers = 64;
        choice.network.reorder_window = 16;
      }
      const std::string where = text_of(choice, 2);
      std::vector<std::uint64_t> wrong(choice.nodes);
      message_machine b(choice, [&](program_context& context) {
        const auto all = run_time_of(choice, context, times * 24);
        for (std::uint64_t i = 0; i < times; ++i) {
          const node_id owner{static_cast<std::uint32_t>(i / 3 % choice.nodes)};
          for (std::uint64_t w = 0; all->node() == owner && w < 3; ++w) {
            all->write(24 * i + 8 * w, 100 * i + w);
          }
          context.delay(context.random(300));
          all->broadcast(owner, 24 * i, 24);
          for (std::uint64_t w = 0; w < 3; ++w) {
            if (all->read(24 * i + 8 * w) != 100 * i + w) ++wrong[context.rank()];
          }
        }
        all->barrier();
      });
      ASSERT_TRUE(b.programs.run()) << where;
      EXPECT_EQ(wrong, std::vector<std::uint64_t>(choice.nodes)) << where;
    }
  }
}

/// In the middle of a run, with messages and a body of DMA under way.
TEST(message_data_parallel, a_restored_machine_goes_on_as_the_saved_one) {
  for (const interface_design design : designs) {
    message_choice choice = drawn(design, 3);
    choice.nodes = 4;
    choice.interface().dma = true;
    const auto run = [&](program_context& context) {
      const auto all = run_time_of(choice, context, 2048);
      for (word_t i = 0; i < 3; ++i) {
        all->write(8, all->reduce(context.rank() + i, combining_operation::sum, 8));
        all->send({node_id{(context.rank() + 1) % 4}, 1024}, 0, 512);
        all->combining_send({node_id{0}, 2040}, i, combining_operation::sum, 8);
        all->broadcast(node_id{1}, 512, 256);
        all->barrier();
      }
    };
    message_machine whole(choice, run);
    ASSERT_TRUE(whole.programs.run());
    const cycle_t end = whole.programs.machine.now();
    for (std::uint64_t part = 1; part < 6; ++part) {
      message_machine first(choice, run);
      first.programs.machine.run_until(end * part / 6);
      message_machine second(choice, run);
      second.programs.restore(first.programs.save());
      EXPECT_EQ(first.programs.save(), second.programs.save());
      ASSERT_TRUE(second.programs.run());
      EXPECT_EQ(second.programs.machine.now(), end) << name_of(design) << ", part " << part;
      for (std::uint32_t i = 0; i < 4; ++i) {
        for (std::uint64_t word = 0; word < 256; ++word) {
          ASSERT_EQ(second.programs.local(i, word), whole.programs.local(i, word));
        }
      }
    }
  }
}

}  // namespace
}  // namespace tributary
