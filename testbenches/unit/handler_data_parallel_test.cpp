// SPDX-License-Identifier: Apache-2.0
// The data-parallel run-time on handlers of MAGIC and of SMP nodes: random programs against what
// the primitives mean, with least room in the network and for messages that are put off.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <tributary/algorithms/handler_data_parallel.h>
#include <tributary/magic/magic_machine.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/drafted_program.h>
#include <tributary/processor/node_elements.h>
#include <tributary/processor/program_workload.h>
#include <tributary/protocols/primitives/primitives.h>
#include <tributary/protocols/uncached.h>
#include <tributary/sim/random_stream.h>
#include <tributary/smp/smp_machine.h>

#include <support/primitive_scripts.h>
#include <support/sizes.h>

namespace tributary {
namespace {

using testing::cast_words;
using testing::data_words;
using testing::meant;
using testing::outcome;
using testing::primitive;
using testing::run_primitive;
using testing::script;
using testing::script_writer;

constexpr std::uint64_t memory_bytes = 131072;
constexpr std::uint64_t protocol_bytes = 32768;
constexpr std::uint64_t own_bytes = memory_bytes - protocol_bytes;

struct nodes_choice {
  std::uint64_t seed = 1;
  std::uint32_t nodes = 2;
  std::uint32_t arity = 2;
  std::uint64_t data_bytes = (data_words + cast_words) * word_bytes;
  std::uint32_t places = primitives_protocol::usual_places;
  message_network_config network;
  magic_node_config magic;
  smp_node_config smp;

  nodes_choice() {
    network.base_latency = 20;
    network.payload_bytes = 128;
    magic.memory.bytes = smp.memory.bytes = memory_bytes;
    magic.protocol_bytes = smp.protocol_bytes = protocol_bytes;
  }
  std::string text() const {
    return "seed " + std::to_string(seed) + ", " + std::to_string(nodes) + " nodes, arity " +
           std::to_string(arity);
  }
};

using body = std::function<void(program_context&, data_parallel&)>;

processing_element_config element() {
  processing_element_config chosen;
  chosen.turnaround = 1;
  chosen.start_window = 1;
  chosen.posted_stores = true;
  return chosen;
}

/// Each node's program on its run-time, whatever the nodes are.
std::unique_ptr<program> program_of(const nodes_choice& choice, const body& run) {
  return make_program([choice, run](program_context& context) {
    handler_runtime_place place;
    place.line = choice.magic.memory.line();
    place.memory_place = address_layout().offset_of(context.local_address(0));
    place.data_bytes = choice.data_bytes;
    handler_data_parallel all(context, place);
    run(context, all);
  });
}

class counted_messages final : public observer<message> {
 public:
  std::map<primitives::message_type, std::uint64_t> sent;
  void on_event(const message& each) override {
    if (each.type >= 144) ++sent[static_cast<primitives::message_type>(each.type)];
  }
};

class magic_programs {
 public:
  magic_programs(const nodes_choice& choice, const body& run)
      : machine({choice.nodes, choice.network, choice.magic},
                [&choice](node_id) {
                  std::vector<std::unique_ptr<protocol>> made;
                  made.push_back(std::make_unique<uncached_protocol>(uncached_costs()));
                  made.push_back(std::make_unique<primitives_protocol>(
                      primitive_costs(), choice.arity, choice.places));
                  return made;
                }),
        map_(address_layout().regions(choice.nodes, own_bytes, 128), choice.nodes),
        work({}, program_of(choice, run), element(), map_, choice.seed),
        elements_(work) {
    elements_.add_all(machine);
    machine.messages().observers().attach(counted);
  }
  word_t word(std::uint32_t node, std::uint64_t at) const {
    return machine.node(node).memory().read(own_bytes / 2 + at * word_bytes);
  }

  magic_machine machine;
  counted_messages counted;

 private:
  address_map map_;

 public:
  program_workload work;

 private:
  node_elements elements_;
};

class smp_programs {
 public:
  smp_programs(const nodes_choice& choice, const body& run)
      : machine(
            config_of(choice),
            [&choice](node_id) {
              std::vector<std::unique_ptr<protocol>> made;
              made.push_back(
                  std::make_unique<primitives_protocol>(primitive_costs(), choice.arity));
              return made;
            },
            choice.seed),
        map_(address_layout().regions(choice.nodes, own_bytes, 128), choice.nodes),
        work({},
             std::make_unique<drafted_program>(
                 program_of(choice, run),
                 draft_registers{address_layout().address_of(node_id{0}, schedule_registers::space,
                                                             schedule_registers::act),
                                 address_layout().address_of(node_id{0}, schedule_registers::space,
                                                             schedule_registers::rest),
                                 schedule_registers::interrupt_line}),
             element(), map_, choice.seed),
        elements_(work) {
    for (std::uint32_t i = 0; i < choice.nodes; ++i) {
      elements_.add(i, machine.node(i).clockwork(), machine.node(i).port(0));
      elements_.serve_own_interrupts(i, machine.node(i), 0);
    }
    machine.messages().observers().attach(counted);
  }
  word_t word(std::uint32_t node, std::uint64_t at) const {
    return machine.node(node).memory().read(own_bytes / 2 + at * word_bytes);
  }

  smp_machine machine;
  counted_messages counted;

 private:
  static smp_machine_config config_of(const nodes_choice& choice) {
    smp_machine_config made;
    made.nodes = choice.nodes;
    made.network = choice.network;
    made.node = choice.smp;
    return made;
  }
  address_map map_;

 public:
  program_workload work;

 private:
  node_elements elements_;
};

template <class Machine>
bool run_to_end(Machine& on) {
  const auto finished = [&on] { return on.work.finished() && on.machine.idle(); };
  on.machine.run_until(100'000'000, [&] {
    on.work.check_progress(on.machine.now());
    return finished();
  });
  return finished();
}

/// Every data buffer was given back.
void expect_all_free(const magic_machine& machine, const nodes_choice& choice) {
  for (std::uint32_t node = 0; node < choice.nodes; ++node) {
    for (std::uint32_t i = 0; i < choice.magic.buffers.buffers; ++i) {
      const payload_handle data{static_cast<std::uint16_t>(i)};
      EXPECT_EQ(machine.node(node).buffers().holders(data), 0U) << choice.text();
    }
  }
}
void expect_all_free(const smp_machine& machine, const nodes_choice& choice) {
  for (std::uint32_t node = 0; node < choice.nodes; ++node) {
    EXPECT_EQ(machine.node(node).processing().payloads_in_use(), 0U) << choice.text();
  }
}

/// Runs of the handler that sends what was put off.
std::uint64_t put_off(magic_machine& machine) {
  statistics_tree tree;
  machine.report(tree.root());
  std::uint64_t all = 0;
  for (const flat_statistic& each : tree.flatten()) {
    const bool is_it = each.path.find("primitives.send_later.count") != std::string::npos;
    if (is_it) all += static_cast<std::uint64_t>(each.value);
  }
  return all;
}
std::uint64_t put_off(const smp_machine&) { return 0; }

/// Says how many times messages were sent that had been put off.
template <class Machine>
std::uint64_t check_script(const nodes_choice& choice, std::size_t phases) {
  const script what = script_writer(choice.seed, choice.nodes).write(phases);
  outcome found(choice.nodes);
  Machine on(choice, [&](program_context& context, data_parallel& all) {
    for (const auto& phase : what) {
      for (const primitive& each : phase) run_primitive(each, all, found.seen[context.rank()]);
      context.delay(context.random(200));
      all.barrier();
    }
  });
  EXPECT_TRUE(run_to_end(on)) << choice.text();
  expect_all_free(on.machine, choice);
  const outcome expected = meant(what, choice.nodes);
  EXPECT_EQ(found.seen, expected.seen) << choice.text();
  for (std::uint32_t node = 0; node < choice.nodes; ++node) {
    for (std::uint64_t i = 0; i < data_words + cast_words; ++i) {
      EXPECT_EQ(on.word(node, i), expected.data[node][i])
          << choice.text() << ", word " << i << " of node " << node;
    }
  }
  return put_off(on.machine);
}

nodes_choice drawn(std::uint64_t seed) {
  random_stream draws(seed, 3U, 7U);
  nodes_choice made;
  made.seed = seed;
  made.nodes = static_cast<std::uint32_t>(2 + draws.below(8));
  made.arity = static_cast<std::uint32_t>(2 + draws.below(3));
  made.network.router_buffers = static_cast<std::uint32_t>(1 + draws.below(3));
  made.network.endpoint_buffers = static_cast<std::uint32_t>(1 + draws.below(3));
  return made;
}

TEST(handler_data_parallel, random_programs_on_magic_do_what_their_primitives_mean) {
  std::uint64_t put_off = 0;
  for (std::uint64_t seed = 1; seed <= testing::scaled(48); ++seed) {
    nodes_choice choice = drawn(seed);
    // Least room: messages of the tree are put off.
    choice.magic.network_interface.out_depth = seed % 2 == 0 ? 3 : 16;
    put_off += check_script<magic_programs>(choice, 10);
    if (HasFailure()) return;
  }
  EXPECT_GT(put_off, 0U);
}

TEST(handler_data_parallel, random_programs_on_smp_nodes_do_what_their_primitives_mean) {
  for (std::uint64_t seed = 1; seed <= testing::scaled(48); ++seed) {
    nodes_choice choice = drawn(seed);
    choice.smp.schedule = seed % 2 == 0 ? schedule_kind::fixed : schedule_kind::single;
    choice.smp.processors = seed % 2 == 0 ? 2 : 1;
    check_script<smp_programs>(choice, 10);
    if (HasFailure()) return;
  }
}

/// What is counted is the protocol's, not the machine's.
template <class Machine>
void check_messages(const char* name) {
  using type = primitives::message_type;
  for (const std::uint32_t nodes : {2U, 8U, 16U}) {
    nodes_choice choice;
    choice.nodes = nodes;
    Machine on(choice, [&](program_context& context, data_parallel& all) {
      all.barrier();
      all.reduce(context.rank(), combining_operation::sum, 8);
      if (context.rank() != 0) all.get({node_id{0}, 0}, 64, 8);
      all.barrier();
      all.broadcast(node_id{1}, 0, 128);
      all.barrier();
    });
    ASSERT_TRUE(run_to_end(on)) << name;
    EXPECT_EQ(on.counted.sent[type::barrier_join], 3 * (nodes - 1)) << name;
    EXPECT_EQ(on.counted.sent[type::barrier_release], 3 * (nodes - 1)) << name;
    EXPECT_EQ(on.counted.sent[type::reduce_join], nodes - 1) << name;
    EXPECT_EQ(on.counted.sent[type::reduce_release], nodes - 1) << name;
    EXPECT_EQ(on.counted.sent[type::get], nodes - 1) << name;
    EXPECT_EQ(on.counted.sent[type::got], nodes - 1) << name;
    EXPECT_EQ(on.counted.sent[type::handed], 1U) << name;
    EXPECT_EQ(on.counted.sent[type::piece], nodes - 1) << name;
  }
}

TEST(handler_data_parallel, a_primitive_has_the_messages_of_the_tree) {
  check_messages<magic_programs>("MAGIC");
  check_messages<smp_programs>("SMP");
}

/// An item lies anywhere, and longer ones go in pieces.
TEST(handler_data_parallel, items_cross_lines) {
  nodes_choice choice;
  choice.data_bytes = 4096;
  magic_programs on(choice, [&](program_context& context, data_parallel& all) {
    for (std::uint64_t i = 0; i < 128; ++i) all.write(i * 8, 1000 * context.rank() + i);
    all.barrier();
    if (context.rank() == 1) {
      all.get({node_id{0}, 40}, 2048, 400);
      all.send({node_id{0}, 3000}, 72, 400);
    }
    all.barrier();
    all.broadcast(node_id{1}, 80, 304);
  });
  ASSERT_TRUE(run_to_end(on));
  for (std::uint64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(on.word(1, 256 + i), 5 + i);
    EXPECT_EQ(on.word(0, 375 + i), 1000 + 9 + i);
  }
  for (std::uint64_t i = 0; i < 128; ++i) {
    EXPECT_EQ(on.word(0, i), (i >= 10 && i < 48 ? 1000 : 0) + i);
  }
}

/// A root with 8 children and the least room.
nodes_choice narrow() {
  nodes_choice choice;
  choice.nodes = 9;
  choice.arity = 8;
  choice.magic.network_interface.out_depth = 3;
  choice.network.router_buffers = 1;
  choice.network.endpoint_buffers = 1;
  choice.data_bytes = 8192;
  return choice;
}

/// Children get what an item was when it was broadcast, even if their piece is put off.
TEST(handler_data_parallel, who_has_a_broadcast_may_change_it_at_once) {
  constexpr std::uint64_t words = 128;
  constexpr std::uint64_t rounds = 6;
  nodes_choice choice = narrow();
  std::vector<std::uint64_t> wrong(choice.nodes);
  magic_programs on(choice, [&](program_context& context, data_parallel& all) {
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      const word_t sent = 1000 * round;
      for (std::uint64_t i = 0; i < words && context.rank() == 0; ++i) all.write(i * 8, sent + i);
      all.barrier();
      all.broadcast(node_id{0}, 0, words * word_bytes);
      for (std::uint64_t i = words; i-- != 0;) {
        if (all.read(i * 8) != sent + i) ++wrong[context.rank()];
        all.write(i * 8, 0);
      }
      all.barrier();
    }
  });
  ASSERT_TRUE(run_to_end(on));
  EXPECT_GT(put_off(on.machine), 0U);
  EXPECT_EQ(wrong, std::vector<std::uint64_t>(choice.nodes)) << "words by node";
}

void expect_refused(const nodes_choice& choice, const body& run, const std::string& part) {
  magic_programs on(choice, run);
  try {
    run_to_end(on);
    ADD_FAILURE() << "nothing was refused";
  } catch (const simulation_error& refused) {
    EXPECT_NE(std::string(refused.what()).find(part), std::string::npos) << refused.what();
  }
}

/// More than there are places for is refused by name, not lost.
TEST(handler_data_parallel, messages_without_a_place_end_the_simulation) {
  nodes_choice choice = narrow();
  choice.places = 1;
  expect_refused(
      choice,
      [](program_context&, data_parallel& all) {
        for (int i = 0; i < 8; ++i) all.broadcast(node_id{0}, 0, 8192);
      },
      "primitives.");
  expect_refused(
      choice,
      [](program_context&, data_parallel& all) {
        for (int i = 0; i < 8; ++i) all.reduce(1, combining_operation::sum, 8);
      },
      "primitives.reduce_joined");
  // The network has room, and handlers have no buffer for a value.
  choice = nodes_choice();
  choice.nodes = 9;
  choice.arity = 8;
  choice.places = 1;
  choice.magic.buffers.buffers = 3;
  expect_refused(
      choice,
      [](program_context&, data_parallel& all) { all.reduce(1, combining_operation::sum, 8); },
      "in the queue already");
}

/// Nothing behind a program's data is used, and no value is cut silently.
TEST(handler_data_parallel, what_is_no_item_of_the_data_is_refused) {
  nodes_choice choice;
  choice.data_bytes = 64;
  const auto refused = [&](const std::function<void(data_parallel&)>& run,
                           const std::string& part) {
    expect_refused(
        choice, [&](program_context&, data_parallel& all) { run(all); }, part);
  };
  const node_data last{node_id{1}, 56};
  refused([&](data_parallel& all) { all.get(last, 0, 16); },
          "uses 16 bytes of data at offset 0x38");
  refused([&](data_parallel& all) { all.get({node_id{1}, 0}, 48, 24); }, "24 bytes of data at");
  refused([&](data_parallel& all) { all.send(last, 0, 16); }, "16 bytes of data at offset 0x38");
  refused([&](data_parallel& all) { all.send({node_id{0}, 0}, 56, 16); }, "16 bytes of data at");
  refused([&](data_parallel& all) { all.broadcast(node_id{0}, 56, 16); }, "16 bytes of data at");
  refused([&](data_parallel& all) { all.send(last, 0, 12); }, "an item of 12 bytes");
  refused([&](data_parallel& all) { all.read(64); }, "8 bytes of data at offset 0x40");
  const auto sum = combining_operation::sum;
  refused([&](data_parallel& all) { all.combining_send(last, 1, sum, 16); }, "a value of 16 bytes");
  refused([&](data_parallel& all) { all.reduce(1, sum, 16); }, "a value of 16 bytes");
}

}  // namespace
}  // namespace tributary
