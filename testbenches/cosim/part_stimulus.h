// SPDX-License-Identifier: Apache-2.0
// Random messages for the parts of a switch, alone.
#pragma once

#include <array>
#include <cstdint>

#include <tributary/memory/operation.h>
#include <tributary/memory/packet.h>
#include <tributary/sim/random_stream.h>

#include "support/random_choice.h"
#include "support/random_switch.h"

namespace tributary::testing {

/// Draws words, identities and requests. Words are often at their extremes; addresses and
/// identities often differ in one bit only.
class part_stimulus {
 public:
  explicit part_stimulus(std::uint64_t seed) : random_(seed, 0U, 0U) { choose_words(); }

  bool once_in(std::uint64_t n) { return random_.below(n) == 0; }
  std::uint64_t below(std::uint64_t n) { return random_.below(n); }

  /// Other addresses from now on; there are few at a time, so that requests meet.
  void choose_words() {
    for (std::uint64_t& word : words_) word = random_.next_u64();
  }

  word_t word() {
    const word_t sign = word_t{1} << 63;
    const word_t random = random_.next_u64();
    return one_of<word_t>(random_, {0, ~word_t{0}, sign, sign - 1, random, random, random});
  }

  request_id id() {
    if (once_in(2)) {
      last_ = {static_cast<std::uint32_t>(random_.next_u64()),
               static_cast<std::uint16_t>(random_.next_u64())};
    } else if (once_in(2)) {
      last_.sequence ^= std::uint32_t{1} << random_.below(32);
    } else {
      last_.pe = static_cast<std::uint16_t>(last_.pe ^ (1U << random_.below(16)));
    }
    return last_;
  }

  packet request() {
    packet drawn = random_request(random_, 1);
    drawn.location = words_[random_.below(words_.size())];
    if (once_in(16)) drawn.location ^= std::uint64_t{1} << random_.below(64);
    if (once_in(2)) drawn.a = word();
    if (once_in(2)) drawn.b = word();
    const request_id id = this->id();
    drawn.pe = id.pe;
    drawn.sequence = id.sequence;
    return drawn;
  }

  reply response() {
    const request_id id = this->id();
    const auto status = static_cast<std::uint8_t>(once_in(4) ? random_.next_u64() : 0);
    return {word(), id.sequence, id.pe, status};
  }

 private:
  random_stream random_;
  std::array<std::uint64_t, 3> words_{};
  request_id last_;
};

}  // namespace tributary::testing
