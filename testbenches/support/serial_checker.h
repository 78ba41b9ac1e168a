// SPDX-License-Identifier: Apache-2.0
// Judges whether what processors saw of a shared memory is what some serial order gives.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tributary/memory/packet.h>
#include <tributary/sim/cycle.h>

namespace tributary::testing {

/// All that a processor knows of one of its requests.
struct observed_request {
  request_id id;
  std::uint64_t address = 0;
  word_function function;
  cycle_t accepted = 0;
  cycle_t delivered = 0;
  word_t value = 0;
  /// How often it was answered; 1 in a machine that works.
  unsigned answers = 0;
  /// Fences of its processor that came before it.
  std::uint32_t fences = 0;
};

inline bool is_load(const observed_request& request) {
  return request.function.kind == form::identity;
}

/// A run as seen from outside, and the order that is claimed to explain it.
struct history {
  std::vector<observed_request> requests;
  /// The witness: every request once. Only the order within a word counts.
  std::vector<request_id> order;
  /// Words that are not 0 at the end, by byte address, ascending; all were 0 at the start.
  std::vector<std::pair<std::uint64_t, word_t>> final_memory;
  /// Whether the machine promised to keep the order of one element's requests to one word.
  bool keeps_program_order = false;
  /// Whether a load may find what a write that was answered before it has overwritten.
  bool loads_may_be_late = false;
};

/// The first breach found, as a sentence, or an empty string. Checked: each request was answered
/// exactly once and occurs once in the order; each reply is the word that executing the order one
/// request at a time gives; so is the final memory; what was delivered before another request to
/// the word was accepted comes before it; program order where promised; and one order of all words
/// agrees with that of each word and with the fences.
///
/// If no load may be late, real time alone orders all words: orders of words that agree with real
/// time make one order that does (Herlihy and Wing 1990).
std::string find_violation(const history& seen);

/// For runs of fetch-and-adds of nonzero addends on one word, whose partial sums differ: two equal
/// replies, or a request without exactly one, as a sentence. Looks at no order.
std::string find_repeated_reply(const std::vector<observed_request>& requests);

}  // namespace tributary::testing
