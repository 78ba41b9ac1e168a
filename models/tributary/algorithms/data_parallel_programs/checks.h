// SPDX-License-Identifier: Apache-2.0
// What programs on the data-parallel run-time check of the data that they got.
#pragma once

#include <cstdint>

#include <tributary/algorithms/data_parallel.h>

namespace tributary::data_parallel_programs {

/// A word that says where it comes from: generators move these, so that a lost, late or stray one
/// is found. No two are the same for fewer than 2^16 phases and nodes, and 2^32 items.
word_t stamp(node_id of, std::uint64_t item, std::uint64_t phase);
/// Reads the word and throws `simulation_error` that says what it is instead of that stamp.
void expect_stamp(data_parallel& here, std::uint64_t offset, node_id of, std::uint64_t item,
                  std::uint64_t phase);

/// Reduces a number of this phase's from each node; throws `simulation_error` if it is not the sum.
void expect_reduced(data_parallel& here, std::uint64_t phase, std::uint32_t bytes);

/// Throws `simulation_error` unless the doubles are the same bit by bit. `what` they are, and of
/// which number.
void expect_same(const data_parallel& here, const char* what, std::uint64_t number, double found,
                 double expected);

}  // namespace tributary::data_parallel_programs
