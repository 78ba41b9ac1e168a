// SPDX-License-Identifier: Apache-2.0
// A message interface as a module: what its core does in the plain loop, at a memory that takes
// time too, and what its sockets refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/memory/port.h>
#include <tributary/sim/statistics.h>
#include <tributary/systemc/cycle_scheduler.h>
#include <tributary/systemc/message_interface_module.h>
#include <tributary/systemc/message_network_module.h>
#include <tributary/systemc/messages.h>
#include <tributary/trace/communication_events.h>

#include <support/at_initiator.h>
#include <support/block_statistics.h>
#include <support/message_machine.h>
#include <support/register_processor.h>
#include <support/register_talk.h>
#include <support/scripted_target.h>
#include <support/systemc_test.h>
#include <support/unit_trace.h>

namespace tributary {
namespace {

namespace registers = interface_registers;
using testing::message_choice;
using testing::register_processor;
using testing::register_talk;
using testing::target_way;
using note = register_processor::note;

/// Keeps when it is interrupted.
struct interrupt_log final : interrupt_client {
  void interrupted(std::uint32_t line, cycle_t when) override { seen.emplace_back(line, when); }
  std::vector<std::pair<std::uint32_t, cycle_t>> seen;
};

/// What is compared of a run, by node.
struct outcome {
  std::vector<std::vector<note>> accesses;
  std::vector<std::vector<std::pair<std::uint32_t, cycle_t>>> interrupts;
  std::vector<std::vector<word_t>> memory;
  std::vector<receive_state> engines;
  std::vector<std::vector<flat_statistic>> statistics;
};

/// A word that is there at first, in the memory of every node.
word_t first_word(std::uint32_t node, std::uint64_t offset) {
  return (std::uint64_t{node} + 1) << 32 | offset;
}

std::vector<flat_statistic> statistics_of(const message_interface& interface) {
  statistics_tree tree;
  interface.report(tree.root(), 1);
  return tree.flatten();
}

constexpr std::uint32_t messages_of_a_node = 120;

outcome in_the_loop(const message_choice& choice) {
  std::vector<interrupt_log> logs(choice.nodes);
  outcome found;
  found.accesses.resize(choice.nodes);
  testing::message_machine machine(choice, [&](program_context& context) {
    testing::program_processor processor(context);
    const auto here = index(context.node());
    register_talk(processor, choice.node.interface, here, choice.nodes, messages_of_a_node).run();
    found.accesses[here] = processor.notes;
  });
  for (std::uint32_t i = 0; i < choice.nodes; ++i) {
    machine.interface(i).set_interrupt_client(&logs[i]);
    for (std::uint64_t at = 0; at < choice.node.memory_bytes; at += word_bytes) {
      machine.programs.machine.node(i).attachment().poke(at, first_word(i, at));
    }
  }
  EXPECT_TRUE(machine.programs.run());
  for (std::uint32_t i = 0; i < choice.nodes; ++i) {
    found.interrupts.push_back(logs[i].seen);
    found.memory.emplace_back();
    for (std::uint64_t at = 0; at < choice.node.memory_bytes; at += word_bytes) {
      found.memory[i].push_back(machine.programs.machine.node(i).attachment().peek(at));
    }
    found.engines.push_back(machine.interface(i).engine().state());
    found.statistics.push_back(statistics_of(machine.interface(i)));
    machine.interface(i).set_interrupt_client(nullptr);
  }
  return found;
}

message_interface_module_config module_config(const message_choice& choice) {
  message_interface_module_config config;
  config.interface = choice.node.interface;
  config.memory_bytes = choice.node.memory_bytes;
  config.memory_address = 0x1000'0000;
  return config;
}

/// The nodes as modules, with a protocol monitor at each socket.
class module_machine {
 public:
  explicit module_machine(const message_choice& choice)
      : network("network", choice.network, choice.nodes) {
    network.follow(scheduler);
    for (std::uint32_t i = 0; i < choice.nodes; ++i) add(i, choice);
  }

  void run() {
    const sc_core::sc_time period = network.clock_period();
    for (int i = 0; i < 2000 && !finished(); ++i) sc_core::sc_start(10'000 * period);
    EXPECT_TRUE(finished());
  }

  outcome found() const {
    outcome all;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      all.accesses.push_back(processors[i]->notes);
      all.interrupts.push_back(logs[i]->seen);
      all.memory.emplace_back();
      for (std::uint64_t at = 0; at < register_talk::memory_bytes; at += word_bytes) {
        all.memory[i].push_back(memories[i]->words.read((base + at) / word_bytes));
      }
      all.engines.push_back(nodes[i]->core().engine().state());
      all.statistics.push_back(statistics_of(nodes[i]->core()));
    }
    return all;
  }

  std::uint64_t violations() const {
    std::uint64_t sum = 0;
    for (const auto& each : monitors) sum += each->checker().violations();
    for (const auto& each : processors) sum += each->monitor.checker().violations();
    for (const auto& each : memories) sum += each->monitor.checker().violations();
    return sum;
  }

  static constexpr std::uint64_t base = 0x1000'0000;
  /// Of two nodes that send in one cycle, the one that runs first may win a link. This is the order
  /// of the loop.
  cycle_scheduler scheduler{"scheduler", sc_period(message_network_config().clock)};
  message_network_module network;
  std::vector<std::unique_ptr<message_interface_module>> nodes;
  std::vector<std::unique_ptr<testing::scripted_target>> memories;
  std::vector<std::unique_ptr<testing::socket_processor>> processors;
  std::vector<std::unique_ptr<interrupt_log>> logs;
  std::vector<std::unique_ptr<protocol_monitor<>>> monitors;

 private:
  void add(std::uint32_t i, const message_choice& choice) {
    const std::string number = std::to_string(i);
    const network_node_place place{node_id{i}, choice.nodes, choice.network};
    nodes.push_back(std::make_unique<message_interface_module>(("node_" + number).c_str(),
                                                               module_config(choice), place));
    nodes[i]->follow(scheduler);
    memories.push_back(std::make_unique<testing::scripted_target>(("memory_" + number).c_str(), i));
    memories[i]->way = target_way::completed;
    for (std::uint64_t at = 0; at < choice.node.memory_bytes; at += word_bytes) {
      memories[i]->words.write((base + at) / word_bytes, first_word(i, at));
    }
    nodes[i]->memory.bind(memories[i]->target_socket());
    processors.push_back(std::make_unique<testing::socket_processor>(
        ("cpu_" + number).c_str(), network.clock_period(),
        [i, choice](register_processor& processor) {
          register_talk(processor, choice.node.interface, i, choice.nodes, messages_of_a_node)
              .run();
        }));
    processors[i]->monitor.initiator_socket.bind(nodes[i]->registers);
    logs.push_back(std::make_unique<interrupt_log>());
    nodes[i]->core().set_interrupt_client(logs[i].get());
    for (std::size_t lane = 0; lane < choice.network.lanes; ++lane) watch(i, lane);
  }

  void watch(std::uint32_t i, std::size_t lane) {
    const std::size_t there = network.lane_of(node_id{i}, lane);
    monitors.push_back(
        std::make_unique<protocol_monitor<>>(("out_" + std::to_string(there)).c_str()));
    nodes[i]->to_network[lane].bind(monitors.back()->target_socket);
    monitors.back()->initiator_socket.bind(network.from_nodes[there]);
    monitors.push_back(
        std::make_unique<protocol_monitor<>>(("in_" + std::to_string(there)).c_str()));
    network.to_nodes[there].bind(monitors.back()->target_socket);
    monitors.back()->initiator_socket.bind(nodes[i]->from_network[lane]);
  }

  bool finished() const {
    for (const auto& each : processors) {
      if (!each->finished) return false;
    }
    for (const auto& each : nodes) {
      if (!each->idle()) return false;
    }
    return true;
  }
};

message_choice chosen(interface_design design, bool dma, std::uint32_t nodes) {
  message_choice choice;
  choice.node.memory_bytes = register_talk::memory_bytes;
  choice.nodes = nodes;
  choice.interface().design = design;
  choice.interface().dma = dma;
  return choice;
}

void expect_same_memory(const std::vector<word_t>& loop, const std::vector<word_t>& modules) {
  ASSERT_EQ(loop.size(), modules.size());
  for (std::size_t i = 0; i < loop.size(); ++i) {
    ASSERT_EQ(loop[i], modules[i]) << "word at " << i * word_bytes;
  }
}

void expect_same(const outcome& loop, const outcome& modules) {
  for (std::size_t i = 0; i < loop.accesses.size(); ++i) {
    SCOPED_TRACE("node " + std::to_string(i));
    ASSERT_GT(loop.accesses[i].size(), 500U);
    for (std::size_t k = 0; k < loop.accesses[i].size(); ++k) {
      ASSERT_LT(k, modules.accesses[i].size());
      const note& ours = modules.accesses[i][k];
      const note& there = loop.accesses[i][k];
      ASSERT_EQ(ours.offset, there.offset) << "access " << k << " in cycle " << there.cycle;
      ASSERT_EQ(ours.cycle, there.cycle) << "access " << k << " at " << there.offset;
      ASSERT_EQ(ours.value, there.value) << "access " << k << " in cycle " << there.cycle;
    }
    EXPECT_EQ(loop.accesses[i].size(), modules.accesses[i].size());
    EXPECT_EQ(loop.interrupts[i], modules.interrupts[i]);
    expect_same_memory(loop.memory[i], modules.memory[i]);
    EXPECT_TRUE(loop.engines[i] == modules.engines[i]);
    ASSERT_EQ(loop.statistics[i].size(), modules.statistics[i].size());
    for (std::size_t k = 0; k < loop.statistics[i].size(); ++k) {
      EXPECT_EQ(loop.statistics[i][k].value, modules.statistics[i][k].value)
          << loop.statistics[i][k].path;
    }
  }
}

class message_interface_module_test : public testing::systemc_test {};

void compare_with_loop(const message_choice& choice) {
  const outcome loop = in_the_loop(choice);
  module_machine machine(choice);
  machine.run();
  const outcome modules = machine.found();
  expect_same(loop, modules);
  EXPECT_EQ(machine.violations(), 0U);
  std::size_t accesses = 0;
  std::size_t interrupts = 0;
  for (std::uint32_t i = 0; i < choice.nodes; ++i) {
    accesses += loop.accesses[i].size();
    interrupts += loop.interrupts[i].size();
  }
  std::cout << accesses << " accesses and " << interrupts << " interrupts are the same\n";
}

TEST_F(message_interface_module_test, it_does_what_the_loop_does_as_language_interface) {
  compare_with_loop(chosen(interface_design::language, false, 3));
}

TEST_F(message_interface_module_test, and_with_dma) {
  compare_with_loop(chosen(interface_design::language, true, 4));
}

TEST_F(message_interface_module_test, and_as_traditional_interface_with_dma) {
  compare_with_loop(chosen(interface_design::traditional, true, 3));
}

TEST_F(message_interface_module_test, and_with_small_pages_and_long_packets) {
  message_choice choice = chosen(interface_design::language, true, 2);
  choice.interface().packet_bytes = 104;
  choice.interface().memory_cycles = 1;
  choice.interface().register_cycles = 1;
  compare_with_loop(choice);
}

TEST_F(message_interface_module_test, and_with_broadcasts_of_the_network) {
  message_choice choice = chosen(interface_design::language, false, 4);
  choice.interface().broadcast = true;
  choice.network.broadcast = true;
  compare_with_loop(choice);
}

// --- memory that takes time ----------------------------------------------------------------------

struct slow_memory {
  const char* name;
  target_way way;
};

class slow_memory_test : public testing::systemc_test,
                         public ::testing::WithParamInterface<slow_memory> {};

TEST_P(slow_memory_test, memory_at_the_end_is_that_of_the_loop) {
  const message_choice choice = chosen(interface_design::language, true, 3);
  const outcome loop = in_the_loop(choice);
  module_machine machine(choice);
  const sc_core::sc_time period = machine.network.clock_period();
  for (const auto& each : machine.memories) {
    each->way = GetParam().way;
    each->request_time = 1.5 * period;
    each->response_time = 7.5 * period;
  }
  machine.run();
  const outcome found = machine.found();
  for (std::size_t i = 0; i < machine.nodes.size(); ++i) {
    SCOPED_TRACE("node " + std::to_string(i));
    expect_same_memory(loop.memory[i], found.memory[i]);
    EXPECT_GT(machine.memories[i]->reads, 100U);
    EXPECT_GT(machine.memories[i]->writes, 100U);
  }
  EXPECT_GT(found.accesses[0].back().cycle, loop.accesses[0].back().cycle) << "it takes longer";
  EXPECT_EQ(machine.violations(), 0U);
}

INSTANTIATE_TEST_SUITE_P(
    ways, slow_memory_test,
    ::testing::Values(slow_memory{"four_phases", target_way::four_phases},
                      slow_memory{"end_req_returned", target_way::end_req_returned},
                      slow_memory{"end_req_implied", target_way::end_req_implied},
                      slow_memory{"response_returned", target_way::response_returned},
                      slow_memory{"completed", target_way::completed},
                      slow_memory{"foreign_answer", target_way::foreign_answer},
                      slow_memory{"any_order", target_way::any_order}),
    [](const auto& tested) { return std::string(tested.param.name); });

/// One node and what a test drives its sockets with.
struct single_node {
  explicit single_node(const message_choice& choice = chosen(interface_design::language, true, 2))
      : network("network", choice.network, choice.nodes) {
    for (std::uint32_t i = 0; i < choice.nodes; ++i) {
      const std::string number = std::to_string(i);
      nodes.push_back(std::make_unique<message_interface_module>(
          ("node_" + number).c_str(), module_config(choice),
          network_node_place{node_id{i}, choice.nodes, choice.network}));
      nodes[i]->join(network);
      memories.push_back(std::make_unique<testing::scripted_target>(("memory_" + number).c_str()));
      memories[i]->way = target_way::completed;
      nodes[i]->memory.bind(memories[i]->target_socket());
    }
    processor.initiator_socket().bind(nodes[0]->registers);
  }

  void run(double cycles) { sc_core::sc_start(cycles * network.clock_period()); }
  void write(std::uint64_t at, word_t value) {
    processor.send(processor.pool.acquire_word(tlm::TLM_WRITE_COMMAND, at, value));
  }
  void read(std::uint64_t at) {
    processor.send(processor.pool.acquire_word(tlm::TLM_READ_COMMAND, at));
  }

  message_network_module network;
  std::vector<std::unique_ptr<message_interface_module>> nodes;
  std::vector<std::unique_ptr<testing::scripted_target>> memories;
  testing::at_initiator processor{"processor"};
};

// --- what sockets refuse -------------------------------------------------------------------------

struct refusal {
  tlm::tlm_command command = tlm::TLM_READ_COMMAND;
  std::uint64_t address = registers::status;
  unsigned length = word_bytes;
  unsigned width = word_bytes;
  bool enables = false;
  tlm::tlm_response_status response = tlm::TLM_OK_RESPONSE;
};

constexpr auto reads = tlm::TLM_READ_COMMAND;
constexpr auto writes = tlm::TLM_WRITE_COMMAND;

const std::vector<refusal>& refusals() {
  static const std::vector<refusal> all{
      {reads, registers::status, 8, 8, false, tlm::TLM_OK_RESPONSE},
      {tlm::TLM_IGNORE_COMMAND, 0, 8, 8, false, tlm::TLM_COMMAND_ERROR_RESPONSE},
      {reads, registers::send_header, 8, 8, false, tlm::TLM_COMMAND_ERROR_RESPONSE},
      {writes, registers::fault, 8, 8, false, tlm::TLM_COMMAND_ERROR_RESPONSE},
      {reads, registers::status, 4, 4, false, tlm::TLM_BURST_ERROR_RESPONSE},
      {reads, registers::status, 16, 16, false, tlm::TLM_BURST_ERROR_RESPONSE},
      {reads, registers::status, 8, 4, false, tlm::TLM_BURST_ERROR_RESPONSE},
      {reads, registers::status + 4, 8, 8, false, tlm::TLM_BURST_ERROR_RESPONSE},
      {reads, registers::status, 8, 8, true, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE},
      {reads, registers::send_strides + 8, 8, 8, false, tlm::TLM_ADDRESS_ERROR_RESPONSE},
      {writes, registers::bytes, 8, 8, false, tlm::TLM_ADDRESS_ERROR_RESPONSE},
      {writes, std::uint64_t{1} << 40, 8, 8, false, tlm::TLM_ADDRESS_ERROR_RESPONSE}};
  return all;
}

std::array<unsigned char, 16> bytes{};
std::array<unsigned char, 16> enabled{};

void fill(tlm::tlm_generic_payload& payload, const refusal& asked) {
  payload.set_command(asked.command);
  payload.set_address(asked.address);
  payload.set_data_ptr(bytes.data());
  payload.set_data_length(asked.length);
  payload.set_streaming_width(asked.width);
  enabled.fill(TLM_BYTE_ENABLED);
  payload.set_byte_enable_ptr(asked.enables ? enabled.data() : nullptr);
  payload.set_byte_enable_length(asked.enables ? asked.length : 0);
}

TEST_F(message_interface_module_test, what_is_no_register_is_refused) {
  single_node machine;
  machine.processor.takes_every_answer = true;
  for (const refusal& each : refusals()) {
    tlm::tlm_generic_payload& payload = machine.processor.pool.acquire();
    fill(payload, each);
    machine.processor.send(payload);
  }
  machine.run(100);
  // What is refused is answered at once, the first one some cycles later.
  ASSERT_EQ(machine.processor.outcomes.size(), refusals().size());
  std::vector<tlm::tlm_response_status> expected;
  std::vector<tlm::tlm_response_status> found;
  for (const refusal& each : refusals()) expected.push_back(each.response);
  for (const auto& each : machine.processor.outcomes) found.push_back(each.status);
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, expected);
  EXPECT_EQ(machine.processor.monitor.checker().violations(), 0U);

  for (const refusal& each : refusals()) {
    tlm::tlm_generic_payload payload;
    fill(payload, each);
    sc_core::sc_time delay;
    machine.processor.own_socket->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), each.response) << "at " << each.address;
    const bool served = each.response == tlm::TLM_OK_RESPONSE;
    EXPECT_EQ(delay, served ? 4 * machine.network.clock_period() : sc_core::SC_ZERO_TIME);
  }
}

TEST_F(message_interface_module_test, debug_reads_have_no_effect_and_there_are_no_pointers) {
  single_node machine;
  machine.write(registers::interrupt_enable, 9);
  machine.run(20);
  word_t word = 0;
  tlm::tlm_generic_payload payload;
  payload.set_command(reads);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
  const auto look = [&](std::uint64_t address, unsigned length) {
    payload.set_address(address);
    payload.set_data_length(length);
    word = 0;
    return machine.processor.own_socket->transport_dbg(payload);
  };
  EXPECT_EQ(look(registers::interrupt_enable, 8), 8U);
  EXPECT_EQ(word, 9U);
  EXPECT_EQ(look(registers::status + 1, 1), 1U);
  EXPECT_EQ(word, 4U) << "room of the reply channel";
  EXPECT_EQ(look(registers::receive_header, 8), 0U);
  EXPECT_EQ(look(registers::send_header, 8), 0U);
  EXPECT_EQ(look(registers::bytes, 8), 0U);
  payload.set_command(writes);
  EXPECT_EQ(look(registers::interrupt_enable, 8), 0U);
  tlm::tlm_dmi direct;
  payload.set_address(registers::status);
  EXPECT_FALSE(machine.processor.own_socket->get_direct_mem_ptr(payload, direct));
}

TEST_F(message_interface_module_test, what_does_not_fit_is_reported) {
  const message_choice choice = chosen(interface_design::language, false, 2);
  const network_node_place place{node_id{0}, 2, choice.network};
  expect_report(messages::configuration);
  message_interface_module_config config = module_config(choice);
  config.memory_bytes = 5000;
  EXPECT_THROW(message_interface_module("part_of_a_page", config, place), sc_core::sc_report);
  config = module_config(choice);
  config.interface.broadcast = true;  // which the network does not
  EXPECT_THROW(message_interface_module("broadcast", config, place), sc_core::sc_report);
}

// --- what processors see -------------------------------------------------------------------------

/// Loosely timed: no time passes between the stores.
void store(single_node& machine, std::uint64_t at, word_t value) {
  tlm::tlm_generic_payload& payload =
      machine.processor.pool.acquire_word(tlm::TLM_WRITE_COMMAND, at, value);
  sc_core::sc_time delay;
  machine.processor.own_socket->b_transport(payload, delay);
  EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
  payload.release();
}

/// A page of what a node's engines see, from a page of its memory on.
void map(single_node& machine, std::uint32_t node, std::uint64_t page, std::uint64_t place) {
  namespace fills = registers::fill_fields;
  message_interface& there = machine.nodes[node]->core();
  const cycle_t now = machine.nodes[node]->now();
  there.perform(posted_store(registers::translation_page, page), now);
  const word_t fill = fills::valid.put(fills::page.put(0, place), 1);
  there.perform(posted_store(registers::translation_fill, fill), now);
}

/// A write of no word that counts remote counter 5 of node 0, from node 1: its core is asked.
void count_at_node_0(single_node& machine, std::uint16_t initial) {
  interface_header header;
  header.type = communication_message::write;
  header.destination = node_id{0};
  message_interface& from = machine.nodes[1]->core();
  const auto write = [&](std::uint64_t at, word_t value) {
    from.perform(posted_store(at, value), machine.nodes[1]->now());
  };
  write(registers::send_header, registers::header_word(header, header.destination));
  write(registers::send_address, 0);
  write(registers::send_counter, registers::counter_word({true, true, 5, initial}));
  machine.nodes[1]->look();
}

TEST_F(message_interface_module_test, a_line_is_1_while_its_cause_is_there_and_it_is_on) {
  single_node machine;
  std::array<sc_core::sc_signal<bool>, 4> lines;
  for (std::size_t i = 1; i < lines.size(); ++i) machine.nodes[0]->interrupts[i].bind(lines[i]);
  const auto levels = [&] {
    return std::vector<bool>{lines[1].read(), lines[2].read(), lines[3].read()};
  };
  using level = std::vector<bool>;
  machine.run(10);
  count_at_node_0(machine, 1);
  machine.run(200);
  EXPECT_EQ(levels(), (level{false, false, false})) << "the line is off";
  store(machine, registers::interrupt_enable, 0x8);
  machine.run(1);
  EXPECT_EQ(levels(), (level{false, false, true}));
  store(machine, registers::interrupt_cause, 0x8);
  machine.run(1);
  EXPECT_EQ(levels(), (level{false, false, false}));
  store(machine, registers::zeroed, 1U << 5);
  count_at_node_0(machine, 2);
  machine.run(200);
  EXPECT_EQ(levels(), (level{false, false, false})) << "the counter is 1";
  count_at_node_0(machine, 2);
  machine.run(200);
  EXPECT_EQ(levels(), (level{false, false, true}));
}

TEST_F(message_interface_module_test, a_message_of_three_stores_by_b_transport) {
  single_node machine;
  testing::unit_trace trace(machine.nodes[0]->core());
  machine.run(10.5);
  map(machine, 1, 7, 2);
  interface_header header;
  header.type = communication_message::write;
  header.destination = node_id{1};
  header.size = 8;
  store(machine, registers::send_header, registers::header_word(header, header.destination));
  store(machine, registers::send_address, 7 * register_talk::page + 24);
  store(machine, registers::send_counter, 0);
  store(machine, registers::send_data, 12345);
  EXPECT_FALSE(machine.nodes[0]->idle() && machine.network.idle());
  machine.run(200);
  const std::uint64_t place = module_machine::base + 2 * register_talk::page + 24;
  EXPECT_EQ(machine.memories[1]->words.read(place / word_bytes), 12345U);
  EXPECT_EQ(machine.memories[1]->addresses, std::vector<std::uint64_t>{place});
  EXPECT_TRUE(machine.nodes[0]->idle() && machine.nodes[1]->idle());
  const std::vector<trace_event>& told = trace.events();
  EXPECT_EQ(std::count_if(
                told.begin(), told.end(),
                [](const trace_event& each) { return each.kind == &communication_events::sent; }),
            1);
}

// A page goes while DMA waits for a word of it: the message has words of one page only.
TEST_F(message_interface_module_test, a_page_goes_while_dma_waits_for_its_word) {
  constexpr std::uint64_t words = 3;
  constexpr std::uint64_t page = register_talk::page;
  single_node machine;
  machine.memories[0]->way = target_way::four_phases;
  machine.memories[0]->response_time = 20.0 * machine.network.clock_period();
  const auto at = [](std::uint64_t place, std::uint64_t i) {
    return module_machine::base / word_bytes + place * (page / word_bytes) + i;
  };
  for (std::uint64_t i = 0; i < words; ++i) {
    machine.memories[0]->words.write(at(1, i), 100 + i);
    machine.memories[0]->words.write(at(3, i), 300 + i);
  }
  machine.run(1);
  map(machine, 0, 0, 1);
  map(machine, 1, 0, 2);
  interface_header header;
  header.type = communication_message::write;
  header.destination = node_id{1};
  header.size = words * word_bytes;
  store(machine, registers::send_header, registers::header_word(header, header.destination));
  store(machine, registers::send_address, 0);
  store(machine, registers::send_counter, 0);
  store(machine, registers::dma_address, 0);
  store(machine, registers::dma_send, words * word_bytes);
  machine.run(30);
  ASSERT_EQ(machine.memories[0]->reads, 1U) << "the second word is under way";
  store(machine, registers::translation_fill, 0);
  machine.run(40);
  EXPECT_EQ(machine.memories[0]->reads, 2U) << "there is no translation for the third";
  map(machine, 0, 0, 3);
  const auto source = static_cast<unsigned>(registers::fault_source::dma);
  store(machine, registers::translation_retry, word_t{1} << source);
  machine.run(500);
  for (std::uint64_t i = 0; i < words; ++i) {
    EXPECT_EQ(machine.memories[1]->words.read(at(2, i)), 300 + i) << "word " << i;
  }
  EXPECT_TRUE(machine.nodes[0]->idle() && machine.nodes[1]->idle());
}

// A register takes any number of accesses, and the socket 256 of them at a time.
TEST_F(message_interface_module_test, more_accesses_than_a_socket_has_tags_wait_for_a_tag) {
  constexpr std::size_t accesses = 600;
  constexpr std::uint64_t register_cycles = 1000;
  message_choice choice = chosen(interface_design::language, true, 2);
  choice.interface().register_cycles = register_cycles;
  single_node machine(choice);
  for (std::size_t i = 0; i + 1 < accesses; ++i) machine.write(registers::interrupt_enable, i % 16);
  machine.read(registers::interrupt_enable);
  machine.run(900);
  EXPECT_EQ(machine.processor.outcomes.size(), 0U);
  machine.run(3 * register_cycles);
  ASSERT_EQ(machine.processor.outcomes.size(), accesses);
  std::size_t most = 0;
  for (std::size_t i = 0, first = 0; i < accesses; ++i) {
    const auto& each = machine.processor.outcomes[i];
    EXPECT_EQ(each.status, tlm::TLM_OK_RESPONSE) << "access " << i;
    while (machine.processor.outcomes[first].answered <= each.accepted) ++first;
    most = std::max(most, i - first + 1);
  }
  EXPECT_EQ(most, 256U) << "accesses that are accepted and not answered";
  EXPECT_EQ(machine.processor.monitor.checker().violations(), 0U);
  EXPECT_TRUE(machine.nodes[0]->idle());
}

TEST_F(message_interface_module_test, what_software_cannot_mean_is_reported) {
  single_node machine;
  machine.run(1);
  expect_report(messages::simulation, testing::after_report::goes_on);
  tlm::tlm_generic_payload& payload =
      machine.processor.pool.acquire_word(tlm::TLM_READ_COMMAND, registers::receive_header);
  sc_core::sc_time delay;
  machine.processor.own_socket->b_transport(payload, delay);
  EXPECT_EQ(payload.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
  payload.release();
  ASSERT_EQ(reports(messages::simulation).size(), 1U);
  EXPECT_NE(reports(messages::simulation)[0].find("no message has been received"),
            std::string::npos);
}

TEST_F(message_interface_module_test, memory_that_refuses_is_reported) {
  single_node machine;
  machine.memories[0]->refusal = [](const tlm::tlm_generic_payload&) {
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  };
  expect_report(messages::simulation, testing::after_report::goes_on);
  machine.run(1);
  namespace fills = registers::fill_fields;
  store(machine, registers::translation_fill, fills::valid.put(fills::page.put(0, 3), 1));
  interface_header header;
  header.type = communication_message::write;
  header.destination = node_id{1};
  header.size = 8;
  store(machine, registers::send_header, registers::header_word(header, header.destination));
  store(machine, registers::send_address, 0);
  store(machine, registers::send_counter, 0);
  store(machine, registers::dma_address, 8);
  store(machine, registers::dma_send, 8);
  ASSERT_EQ(reports(messages::simulation).size(), 1U);
  EXPECT_NE(reports(messages::simulation)[0].find("0x10003008"), std::string::npos)
      << reports(messages::simulation)[0];
}

}  // namespace
}  // namespace tributary
