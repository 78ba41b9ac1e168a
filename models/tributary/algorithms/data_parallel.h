// SPDX-License-Identifier: Apache-2.0
// The run-time of a data-parallel language: what a compiler's programs call, whatever the machine.
#pragma once

#include <cstdint>

#include <tributary/memory/operation.h>
#include <tributary/processor/program.h>
#include <tributary/sim/ids.h>

namespace tributary {

/// How contributions become one: of a reduction, and of sends that meet in one place.
enum class combining_operation : std::uint8_t {
  sum,         ///< of words, modulo 2^64
  maximum,     ///< of words as two's complement
  minimum,     ///< likewise
  sum_double,  ///< of doubles, in the order of the tree: own, then child by child
  maximum_double
};
/// The result of an operation on two words.
word_t combined(combining_operation operation, word_t x, word_t y);

/// Some bytes in the memory of a node.
struct node_data {
  node_id node{};
  std::uint64_t offset = 0;  ///< a multiple of 8
};

/// One node's side of the run-time (Klaiber 4.2.2). Every node runs the same program.
///
/// Data of a program are at byte offsets, multiples of 8, that mean the same on every node: from 0
/// to `data_bytes` on each. Items are of 4 bytes, the lower half of a word, or of whole words.
///
/// Any number of `get`, `send` and `combining_send` may be under way between two barriers: what
/// they bring is there behind the next `barrier` or `reduce` of all nodes, and what they take must
/// not change before it. Of `send` and `combining_send` the target's old value is lost, or
/// combined. Two that write one word between two barriers must be combining.
class data_parallel {
 public:
  data_parallel(const data_parallel&) = delete;
  data_parallel& operator=(const data_parallel&) = delete;
  virtual ~data_parallel() = default;

  node_id node() const { return context_.node(); }
  std::uint32_t nodes() const { return context_.nodes(); }
  /// To compute for some cycles, to draw random numbers, to mark where the program is.
  program_context& context() const { return context_; }
  /// Bytes of data on each node.
  std::uint64_t data_bytes() const { return data_bytes_; }

  /// A word of this node's data. Only what other nodes have written or will get need be in memory:
  /// what a node keeps for itself may be in variables of the program.
  virtual word_t read(std::uint64_t offset) = 0;
  virtual void write(std::uint64_t offset, word_t value) = 0;

  /// Fetches `bytes` from there to `to` in this node's data.
  virtual void get(const node_data& from, std::uint64_t to, std::uint32_t bytes) = 0;
  /// Deposits `bytes` from `from` in this node's data there.
  virtual void send(const node_data& to, std::uint64_t from, std::uint32_t bytes) = 0;
  /// Runs `requests()`: gets and sends that the virtual processors of this node make in one
  /// parallel statement. A run-time may make fewer messages of them (Klaiber's `MSG_blk`). They
  /// have no order: one may be done at once, before another that was made earlier, so what one
  /// takes none may bring. Other primitives are not called there. What `requests` throws ends the
  /// run, as some may not have left.
  template <class Requests>
  void statement(const Requests& requests) {
    begin_statement();
    requests();
    end_statement();
  }
  /// Combines a value with the word there. `bytes`: 4 or 8, that travel.
  virtual void combining_send(const node_data& to, word_t value, combining_operation operation,
                              std::uint32_t bytes) = 0;

  // All nodes call these, in the same order.
  /// `bytes` of `owner`'s data from `offset` on are at that offset of every node when it returns.
  virtual void broadcast(node_id owner, std::uint64_t offset, std::uint32_t bytes) = 0;
  /// What the operation makes of all nodes' values; a barrier, too. `bytes`: 4 or 8, that travel.
  virtual word_t reduce(word_t value, combining_operation operation, std::uint32_t bytes) = 0;
  virtual void barrier() = 0;

 protected:
  data_parallel(program_context& context, std::uint64_t data_bytes)
      : context_(context), data_bytes_(data_bytes) {}

  // They throw `simulation_error`, with the node.
  /// Whether some bytes are within the data of a node, and begin at a multiple of 8.
  void check_place(std::uint64_t offset, std::uint64_t bytes) const;
  /// The same, of what a primitive may move: 4 bytes or whole words.
  void check_item(std::uint64_t offset, std::uint32_t bytes) const;
  /// Whether a value that is combined has 4 or 8 bytes.
  void check_value(std::uint32_t bytes) const;

  // Around the gets and sends of a parallel statement.
  virtual void begin_statement() {}
  virtual void end_statement() {}

 private:
  program_context& context_;
  std::uint64_t data_bytes_;
};

}  // namespace tributary
