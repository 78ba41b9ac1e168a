// SPDX-License-Identifier: Apache-2.0
// Two processors with language-oriented network interfaces: a remote write that interrupts its
// receiver, and a get whose data interrupt who asked.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>

#include <tributary/nic/interface_registers.h>
#include <tributary/systemc/message_interface_module.h>
#include <tributary/systemc/message_network_module.h>

#include "cpu.h"

namespace registers = tributary::interface_registers;
using example::cpu;
using tributary::communication_message;
using tributary::interface_header;
using tributary::node_id;

namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t memory_bytes = 16 * page;
// Virtual pages, which each node maps to another place of its memory.
constexpr std::uint64_t mailbox = 5 * page;
constexpr std::uint64_t mailbox_in_memory = 2 * page;
// Remote counters.
constexpr std::uint8_t arrived = 3;
constexpr std::uint8_t answered = 4;

void tell(const cpu& who, const std::string& what) {
  std::cout << sc_core::sc_time_stamp() << "  " << who.name() << ' ' << what << '\n';
}

/// Page tables and interrupts are software's: one entry, and the line of counters that are 0.
void prepare(cpu& own) {
  namespace fills = registers::fill_fields;
  own.store(own.registers, registers::translation_page, mailbox / page);
  const std::uint64_t fill = fills::page.put(0, mailbox_in_memory / page);
  own.store(own.registers, registers::translation_fill, fills::valid.put(fill, 1));
  own.store(own.registers, registers::interrupt_enable,
            1U << static_cast<unsigned>(registers::interrupt_line::counter_zero));
}

/// Until one message has counted that counter to 0. Clears the line, and says that it knows.
void await_counter(cpu& own, std::uint8_t number) {
  own.await_interrupt();
  own.store(own.registers, registers::interrupt_cause, ~std::uint64_t{0});
  const std::uint64_t zeroed = own.load(own.registers, registers::zeroed);
  own.store(own.registers, registers::zeroed, zeroed);
  if (zeroed != std::uint64_t{1} << number) throw std::runtime_error("another counter is 0");
}

interface_header header_to(std::uint32_t node, communication_message type) {
  interface_header header;
  header.type = type;
  header.destination = node_id{node};
  header.size = sizeof(std::uint64_t);
  return header;
}

/// The word of a counter that is 1 at first, and interrupts at 0.
std::uint64_t counts(std::uint8_t number) {
  return registers::counter_word({true, true, number, 1});
}

/// Three stores say what, where and what to count; with the word of the body the message leaves.
void write_remotely(cpu& own, std::uint32_t node, std::uint64_t value) {
  const interface_header header = header_to(node, communication_message::write);
  own.store(own.registers, registers::send_header, registers::header_word(header, node_id{node}));
  own.store(own.registers, registers::send_address, mailbox);
  own.store(own.registers, registers::send_counter, counts(arrived));
  own.store(own.registers, registers::send_data, value);
}

/// The other interface answers; its processor has no part in it.
void get(cpu& own, std::uint32_t node, std::uint64_t from, std::uint64_t to) {
  const interface_header header = header_to(node, communication_message::read);
  own.store(own.registers, registers::send_header, registers::header_word(header, node_id{node}));
  own.store(own.registers, registers::send_address, from);
  own.store(own.registers, registers::send_counter, counts(answered));
  own.store(own.registers, registers::send_answer_to, to);
}

std::uint64_t result = 0;

/// Node 0: sends a word, waits for an answer, and gets the word next to it.
void ask(cpu& own) {
  prepare(own);
  sc_core::wait(1, sc_core::SC_US);  // the other one is ready
  tell(own, "writes 21 into the mailbox of node 1");
  write_remotely(own, 1, 21);
  await_counter(own, arrived);
  tell(own, "finds " + std::to_string(own.load(own.memory, mailbox_in_memory)) +
                " in its own mailbox, and gets the word behind node 1's");
  get(own, 1, mailbox + 8, mailbox + 8);
  await_counter(own, answered);
  result = own.load(own.memory, mailbox_in_memory + 8);
  tell(own, "has got " + std::to_string(result));
}

/// Node 1: is interrupted by the word, leaves its double in memory, and says so.
void answer(cpu& own) {
  prepare(own);
  await_counter(own, arrived);
  const std::uint64_t value = own.load(own.memory, mailbox_in_memory);
  tell(own, "is interrupted and finds " + std::to_string(value));
  own.store(own.memory, mailbox_in_memory + 8, 2 * value);
  write_remotely(own, 0, 1);
}

struct node {
  node(const std::string& name, std::uint32_t here,
       const tributary::message_network_config& network, void (*program)(cpu&))
      : processor((name + "_cpu").c_str(), program),
        memory((name + "_memory").c_str(), memory_bytes),
        interface((name + "_interface").c_str(), config(), {node_id{here}, 2, network}) {
    processor.registers.bind(interface.registers);
    processor.memory.bind(memory.from_cpu);
    interface.memory.bind(memory.from_interface);
    const auto line = static_cast<std::size_t>(registers::interrupt_line::counter_zero);
    interface.interrupts[line].bind(wire);
    processor.interrupt.bind(wire);
  }

  static tributary::message_interface_module_config config() {
    tributary::message_interface_module_config chosen;
    chosen.memory_bytes = memory_bytes;
    return chosen;
  }

  cpu processor;
  example::shared_memory memory;
  tributary::message_interface_module interface;
  sc_core::sc_signal<bool> wire;
};

}  // namespace

int sc_main(int, char**) {
  tributary::message_network_config config;
  config.lanes = 2;  // requests and replies
  tributary::message_network_module network("network", config, 2);
  node first("first", 0, config, ask);
  node second("second", 1, config, answer);
  first.interface.join(network);
  second.interface.join(network);

  sc_core::sc_start(100, sc_core::SC_US);
  std::cout << (result == 42 ? "All went well.\n" : "Something is wrong.\n");
  return result == 42 ? EXIT_SUCCESS : EXIT_FAILURE;
}
