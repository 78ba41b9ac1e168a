// SPDX-License-Identifier: Apache-2.0
// The run-time of a data-parallel language on shared addresses: loads, stores and flags.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/algorithms/data_parallel.h>
#include <tributary/algorithms/exponential_back_off.h>
#include <tributary/algorithms/tree_of_nodes.h>
#include <tributary/memory/operation.h>
#include <tributary/processor/program.h>
#include <tributary/sim/ids.h>
#include <tributary/trace/communication_events.h>

namespace tributary {

class parameter_set;

/// How sends that meet are combined.
enum class combining_way : std::uint8_t {
  lock,      ///< by the sender, under a lock of the target's node (Klaiber 5.2)
  operation  ///< by one fetch-and-phi where the operation is one, else under the lock
};

/// What may differ from one run-time to another; the same for all nodes.
struct flag_data_parallel_options {
  std::uint32_t arity = 2;  ///< no parameter: the machine says it
  std::uint32_t line_bytes = 32;
  std::uint32_t slots = 1;
  std::uint32_t slot_bytes = 1024;
  combining_way combining = combining_way::lock;
  /// Who waits for a lock reads it until it is free: of machines with coherent caches, which say
  /// so. Else it tries again, later and later.
  bool reads_locks = false;
  exponential_back_off back_off{16, 1024};
  /// A fence before each flag: where stores of one node to another may overtake each other.
  bool fenced_flags = false;

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for values out of range.
  void validate() const;
};

/// The run-time as its source has it on remote memory and on coherent caches, written against loads
/// and stores of shared addresses (Klaiber 5.2, and Figure 5.2b): `get` loads words of the other
/// node, `send` stores them. The nodes are a tree in heap order, node 0 the root; what goes along
/// it is stored word by word in the memory of the node that waits for it, and behind it the number
/// of the operation in a flag that this node spins on. A barrier is 2p - 2 flags; a reduction puts
/// a datum before each. A broadcast is handed to the root, and goes down from there.
///
/// Every flag and every datum that goes with one begins a line of its own, written and read in
/// turns. A broadcast has a place of its own among `slots`, which are free again behind a barrier:
/// if all are taken, it begins with one. Longer ones go in pieces. Stores are posted; a barrier
/// waits for them. References are for the primitive that makes them, flags for
/// `communication_purpose::barrier`, which counts all synchronization.
///
/// Of items of 4 bytes, values are below 2^32.
class flag_data_parallel final : public data_parallel {
 public:
  /// On a machine of one process a node, whose nodes have `words` of the region "local", which
  /// start as 0 and begin a line. Throws `configuration_error` for options out of range,
  /// `simulation_error` for a machine that is not like this.
  flag_data_parallel(program_context& context, std::uint64_t data_bytes,
                     const flag_data_parallel_options& options = {});

  /// Of the region "local" of each node, for so many bytes of data.
  static std::uint64_t words(std::uint64_t data_bytes, const flag_data_parallel_options& options);

  /// Of those, the first of the tree's data and flags, which machines with stores that update
  /// update; the words before are data and a lock.
  static std::uint64_t tree_words(std::uint64_t data_bytes,
                                  const flag_data_parallel_options& options);

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
  /// Of a node's part of "local", in words: where what begins.
  struct places {
    places(std::uint64_t data_bytes, const flag_data_parallel_options& options);

    std::uint64_t line;  ///< words
    std::uint64_t slot;  ///< words of one, without its flag
    std::uint64_t lock;
    std::uint64_t arrivals;  ///< of each child a datum and a flag
    std::uint64_t release;   ///< a datum and a flag
    std::uint64_t pieces;    ///< slots, each with its flag behind it
    std::uint64_t end;
  };

  /// Of an item of so many bytes, all of which must be data.
  std::uint64_t data_at(node_id node, std::uint64_t offset, std::uint32_t bytes) const;
  std::uint64_t at(node_id node, std::uint64_t word) const;
  /// Calls `visit(child, its number from 0)`.
  template <class Visit>
  void for_each_child(Visit&& visit) const;

  void put(std::uint64_t address, word_t value, std::uint32_t bytes);
  void set_flag(std::uint64_t address, word_t value);
  void await_flag(std::uint64_t address, word_t value);
  void copy(std::uint64_t from, std::uint64_t to, std::uint32_t bytes);
  void acquire(std::uint64_t lock);
  word_t gather(word_t value, const combining_operation* operation, std::uint32_t bytes);
  word_t spread(word_t value, const combining_operation* operation, std::uint32_t bytes);
  /// A barrier, with data if there is an operation.
  word_t meet(word_t value, const combining_operation* operation, std::uint32_t bytes);
  void broadcast_piece(node_id owner, std::uint64_t offset, std::uint32_t bytes);
  /// Stores a piece of a broadcast in the slot of a node, and sets its flag.
  void hand_to(node_id node, const std::vector<word_t>& piece, std::uint32_t bytes);

  flag_data_parallel_options options_;
  tree_of_nodes tree_;
  places places_;
  word_t meetings_ = 0;           // barriers and reductions so far
  word_t pieces_ = 0;             // of broadcasts, so far
  std::uint32_t slots_used_ = 0;  // since the last of the meetings
};

}  // namespace tributary
