// SPDX-License-Identifier: Apache-2.0
// Processors that load, store and exchange words of few blocks, and what they have seen of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <tributary/processor/program.h>

#include "support/location_history.h"

namespace tributary::testing {

/// Addresses, and how often and how soon after each other a processor comes to them.
struct busy_words {
  std::vector<std::uint64_t> words;
  std::uint32_t accesses = 12;  ///< of each processor
  std::uint64_t pause = 200;
};

/// Loads, stores and exchanges of random words, each write of a value of its own.
class busy_program final : public program {
 public:
  explicit busy_program(const busy_words& what) : what_(what) {}

  void run(program_context& context) override {
    for (std::uint32_t i = 0; i < what_.accesses; ++i) {
      context.delay(context.random(what_.pause));
      const std::uint64_t word =
          what_.words[static_cast<std::size_t>(context.random(what_.words.size()))];
      const word_t value = std::uint64_t{context.rank()} * what_.accesses + i + 1;
      location_history::event event;
      event.processor = context.rank();
      event.number = i;
      event.begun = context.now();
      switch (context.random(4)) {
        case 0:
          seen_[word].will_write(value);
          event.found = event.left = value;
          context.store(word, value);
          break;
        case 1:
          seen_[word].will_write(value);
          event.left = value;
          event.found = context.swap(word, value);
          break;
        default:
          event.found = event.left = context.load(word);
          break;
      }
      event.ended = context.now();
      seen_[word].add(event);
    }
  }

  std::map<std::uint64_t, location_history>& seen() { return seen_; }

 private:
  const busy_words& what_;
  std::map<std::uint64_t, location_history> seen_;
};

}  // namespace tributary::testing
