// SPDX-License-Identifier: Apache-2.0
// Turns what a machine reports into a history for the serial checker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/memory/packet.h>

#include "serial_checker.h"

namespace tributary::testing {

/// Collects requests and replies, and the witness: the order in which memory served requests, each
/// expanded to the group that combined into it. Who joins comes after all who are in the group it
/// joins: group(first) ++ group(second) (Kruskal, Rudolph and Snir).
class history_recorder {
 public:
  /// A request left its element. Sequence numbers of an element must be consecutive from 0.
  void accepted(const request_id& id, std::uint64_t address, const word_function& function,
                cycle_t now);
  /// `second` joined the waiting request `first`.
  void combined(const request_id& second, const request_id& first);
  void served(const request_id& id);
  void delivered(const request_id& id, word_t value, cycle_t now);

  /// The history so far; `final_memory` and `keeps_program_order` are the caller's.
  history& seen() { return seen_; }
  const history& seen() const { return seen_; }
  /// How many requests joined another.
  std::uint64_t joined() const { return joined_; }
  /// The first event that made no sense, or an empty string.
  const std::string& problem() const { return problem_; }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  struct group_link {
    std::size_t next = none;  ///< who comes after this one in its group
    std::size_t last = 0;     ///< of the first of a group: its last
  };

  std::size_t find(const request_id& id, const char* what);

  history seen_;
  std::vector<std::vector<std::size_t>> index_;  // by element and sequence number
  std::vector<group_link> groups_;               // by position in seen_.requests
  std::uint64_t joined_ = 0;
  std::string problem_;
};

}  // namespace tributary::testing
