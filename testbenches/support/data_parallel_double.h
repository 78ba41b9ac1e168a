// SPDX-License-Identifier: Apache-2.0
// The data-parallel run-time without a machine: it holds programs to its rules, and counts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <tributary/algorithms/data_parallel.h>
#include <tributary/algorithms/data_parallel_programs/data_parallel_program.h>

namespace tributary::testing {

/// Calls of all nodes; those that all nodes make together count once.
struct data_parallel_counts {
  std::uint64_t gets = 0;
  std::uint64_t get_bytes = 0;
  std::uint64_t sends = 0;
  std::uint64_t send_bytes = 0;
  std::uint64_t combining_sends = 0;
  std::uint64_t broadcasts = 0;
  std::uint64_t broadcast_bytes = 0;
  std::uint64_t reduces = 0;
  std::uint64_t barriers = 0;
};

/// One call that goes wrong: the n-th of its kind, in the order in which nodes make them.
struct data_parallel_fault {
  enum class call : std::uint8_t { none, get, send, combining_send, broadcast, barrier };
  call which = call::none;
  std::uint64_t number = 0;
  /// It takes its data from elsewhere; else it does nothing. Barriers are always left out.
  bool astray = false;
};

/// The data of all nodes. Data of `get` and the sends are there behind the next barrier and not
/// before; a broadcast is there as soon as its owner has made it. Whatever a program may not rely
/// on throws `simulation_error`, in whatever order nodes run.
class data_parallel_world {
 public:
  data_parallel_world(std::uint32_t nodes, std::uint64_t bytes,
                      const data_parallel_fault& fault = {});
  ~data_parallel_world();

  /// What programs get as their run-time; the world must outlive it.
  data_parallel_maker maker();
  const data_parallel_counts& counts() const { return counts_; }

 private:
  class side;

  /// What befell a word, by the last phase in which it did.
  struct history {
    std::uint64_t read = 0;
    std::uint64_t written = 0;
    std::uint64_t taken = 0;           // by a send of its node
    std::uint64_t taken_remotely = 0;  // by a get of another
    std::uint64_t landing = 0;
    std::uint64_t combining = 0;
    std::uint64_t broadcasts = 0;  // up to the last that landed here, whatever the phase
  };
  struct transfer {
    node_data from;
    node_data to;
    std::uint32_t bytes;
  };
  struct contribution {
    node_data to;
    word_t value;
    combining_operation operation;
    std::uint32_t bytes;
  };
  /// What all nodes call together.
  struct meeting {
    std::uint32_t arrived = 0;
    std::optional<combining_operation> operation;  // none: a barrier
    std::uint32_t bytes = 0;
    std::vector<word_t> values;
  };
  struct cast {
    node_id owner;
    std::uint64_t offset;
    std::uint32_t bytes;
  };

  history& history_of(const node_data& where);
  word_t& word(const node_data& where);
  void check_range(const node_data& where, std::uint32_t bytes, const char* what) const;
  [[noreturn]] void refuse(const node_data& where, const char* what) const;
  bool strikes(data_parallel_fault::call which);
  /// Where a call that goes astray takes its data from: a word further on, or from the beginning.
  node_data astray(const node_data& from, std::uint32_t bytes) const;

  void take(const node_data& from, std::uint32_t bytes, node_id by);
  void let_land(const node_data& to, std::uint32_t bytes, node_id by);
  void let_combine(const node_data& to, node_id by);
  void move(const transfer& what);
  void deliver();
  void meet();
  void cast_now(const cast& what);
  word_t reduced(std::uint32_t node) const;

  std::uint32_t nodes_;
  std::uint64_t words_;
  data_parallel_fault fault_;
  std::uint64_t struck_ = 0;  // calls of the faulty kind so far
  data_parallel_counts counts_;
  std::uint64_t phase_ = 1;
  std::vector<word_t> data_;
  std::vector<history> histories_;
  std::vector<transfer> transfers_;
  std::vector<contribution> contributions_;
  meeting meeting_;
  word_t result_ = 0;
  std::vector<cast> casts_;
};

}  // namespace tributary::testing
