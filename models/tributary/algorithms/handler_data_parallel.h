// SPDX-License-Identifier: Apache-2.0
// The data-parallel run-time on nodes whose protocol processors have handlers for its primitives.
#pragma once

#include <cstdint>

#include <tributary/algorithms/data_parallel.h>
#include <tributary/controller/address_layout.h>
#include <tributary/memory/line.h>
#include <tributary/processor/program.h>

namespace tributary {

/// Where a run-time works.
struct handler_runtime_place {
  address_layout addresses;
  line_size line;                  ///< of the nodes' memories
  std::uint64_t memory_place = 0;  ///< offset in each node's memory of the program's data, a line's
  std::uint64_t data_bytes = 0;    ///< of the program
};

/// The processor stores a word for each piece of a transfer and loads one to wait; protocol
/// processors do the rest (`primitives_protocol`). A piece lies within a line where it is taken
/// from.
class handler_data_parallel final : public data_parallel {
 public:
  /// Throws `simulation_error` on a machine of several processes a node.
  handler_data_parallel(program_context& context, const handler_runtime_place& place);

  word_t read(std::uint64_t offset) override;
  void write(std::uint64_t offset, word_t value) override;
  void get(const node_data& from, std::uint64_t to, std::uint32_t bytes) override;
  void send(const node_data& to, std::uint64_t from, std::uint32_t bytes) override;
  void combining_send(const node_data& to, word_t value, combining_operation operation,
                      std::uint32_t bytes) override;
  void broadcast(node_id owner, std::uint64_t offset, std::uint32_t bytes) override;
  word_t reduce(word_t value, combining_operation operation, std::uint32_t bytes) override;
  void barrier() override;

 private:
  /// Of data, in a node's memory.
  std::uint64_t place_of(std::uint64_t offset) const;
  std::uint64_t own(std::uint64_t offset) const;
  void command(node_id node, std::uint64_t at, word_t word);
  word_t await(std::uint64_t what);
  /// Calls `visit(done, bytes)` for each piece of an item that is taken from `offset` on.
  template <class Visit>
  void for_each_piece(std::uint64_t offset, std::uint32_t bytes, Visit&& visit) const;
  void copy(std::uint64_t from, std::uint64_t to, std::uint32_t bytes);

  handler_runtime_place place_;
};

}  // namespace tributary
