// SPDX-License-Identifier: Apache-2.0
// The data-parallel run-time on machines that pass messages: what both interfaces have in common.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/algorithms/data_parallel.h>
#include <tributary/algorithms/interface_driver.h>
#include <tributary/algorithms/purpose_scope.h>
#include <tributary/algorithms/request_merger.h>
#include <tributary/algorithms/tree_of_nodes.h>
#include <tributary/sim/fifo.h>

namespace tributary {

/// Where a run-time works.
struct message_runtime_place {
  message_interface_config interface;
  std::uint64_t registers = 0;     ///< byte address of the interface
  std::uint64_t memory = 0;        ///< byte address of what programs have of the own memory
  std::uint64_t memory_place = 0;  ///< where that is in the memory as the interface sees it
  std::uint64_t data_bytes = 0;  ///< of the program, from offset 0 on; the run-time's words follow
  std::uint32_t arity = 2;       ///< of the tree
  bool reorders = false;         ///< messages of the network may overtake each other
  bool own_copy = true;          ///< a hardware broadcast comes to its sender, too
  /// Gets and sends of a parallel statement become one message where their strides are constant
  /// (Klaiber's `MSG_blk`).
  bool merges_requests = false;
  /// Cycles between two looks while it waits.
  std::uint64_t poll_cycles = 16;
};

/// Words of memory that a run-time of a tree of that arity needs behind the program's data.
constexpr std::uint64_t message_runtime_words(std::uint32_t arity) { return 2 * (arity + 3); }

/// Interrupts are served, and messages that were received are taken, while it waits and in
/// interrupts, at no other time. What an answer or a hop of a tree needs is sent from a queue, so
/// that nothing that is taken waits for something that is sent.
class message_data_parallel : public data_parallel {
 public:
  word_t read(std::uint64_t offset) override { return driver_.load(offset); }
  void write(std::uint64_t offset, word_t value) override { driver_.store(offset, value); }
  void get(const node_data& from, std::uint64_t to, std::uint32_t bytes) override;
  void send(const node_data& to, std::uint64_t from, std::uint32_t bytes) override;
  void combining_send(const node_data& to, word_t value, combining_operation operation,
                      std::uint32_t bytes) override;

 protected:
  message_data_parallel(program_context& context, const message_runtime_place& place);

  const message_runtime_place& place() const { return place_; }
  interface_driver& driver() { return driver_; }
  const tree_of_nodes& tree() const { return tree_; }
  std::uint32_t here() const { return index(node()); }
  bool is_root() const { return here() == 0; }
  bool broadcasts() const { return place_.interface.broadcast; }
  /// Greatest body of a message that is composed word by word.
  std::uint32_t packet() const { return place_.interface.packet_bytes; }

  /// Slot `i` of reductions of that parity: 0 is the node's own, the children's follow.
  std::uint64_t slot(std::uint32_t parity, std::uint32_t i) const {
    return words_from_ + (parity * (place_.arity + 3) + i) * word_bytes;
  }
  /// Where the result comes, and where children are counted in memory.
  std::uint64_t result(std::uint32_t parity) const { return slot(parity, place_.arity + 1); }
  std::uint64_t tally(std::uint32_t parity) const { return slot(parity, place_.arity + 2); }

  /// A word of the program's data, or of the run-time's, of which `bytes` count.
  word_t load(std::uint64_t offset, std::uint32_t bytes) {
    return cut(driver_.load(offset), bytes);
  }
  static constexpr word_t cut(word_t word, std::uint32_t bytes) {
    return bytes < word_bytes ? word & 0xffffffff : word;
  }
  /// Copies within this node's memory.
  void copy(std::uint64_t from, std::uint64_t to, std::uint32_t bytes);
  /// Composes it as soon as its channel has room.
  void send_now(const outgoing_message& message);
  /// The same of a body of any length, packet by packet or by DMA.
  void send_body(outgoing_message message);
  void send_by_dma(outgoing_message message);
  /// Composes it from the queue: where interrupts are served, or a message is taken.
  void send_later(const outgoing_message& message) { queue_.push(message); }
  /// What stands in the queue.
  void flush();

  /// Looks and waits until `condition()`.
  template <class Condition>
  void wait_until(const Condition& condition) {
    for (;;) {
      serve(driver_.read(interface_registers::status));
      flush();
      if (condition()) return;
      context().delay(place_.poll_cycles);
    }
  }
  /// The messages of a read, of any length, are under way: until their answers are there.
  virtual void follow_read(interface_header& header) = 0;
  /// The messages of a write are, until they are acknowledged.
  virtual void follow_write(interface_header& header) = 0;
  /// Takes a message whose control words were read.
  virtual void take(const interface_header& header) = 0;
  /// Remote counters that were 0 and interrupted.
  virtual void zeroed(std::uint32_t) {}

  /// Of `combining_send`: at the owner; and answers who sent it.
  void combine(const interface_header& header);
  void acknowledge(const interface_header& header);

 private:
  void begin_statement() override { in_statement_ = place_.merges_requests; }
  void end_statement() override;
  void request(const strided_request& single);
  void issue(const strided_request& whole);
  void issue_read(const strided_request& whole);
  void issue_write(const strided_request& whole);
  void serve(word_t status);
  void drain(word_t status);
  void interrupted();

  message_runtime_place place_;
  interface_driver driver_;
  tree_of_nodes tree_;
  std::uint64_t words_from_;
  std::uint64_t memory_bytes_;
  fifo<outgoing_message> queue_;
  request_merger merger_;
  bool in_statement_ = false;
  bool flushing_ = false;
  bool draining_ = false;
  bool is_interrupted_ = false;
};

}  // namespace tributary
