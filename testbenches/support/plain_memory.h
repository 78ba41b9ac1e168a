// SPDX-License-Identifier: Apache-2.0
// A memory that is a list of words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/controller/handler_context.h>

namespace tributary::testing {

class plain_memory final : public word_memory {
 public:
  explicit plain_memory(std::size_t bytes) : words(bytes / 8) {}

  word_t read(std::uint64_t address) const override { return words.at(address / 8); }
  void write(std::uint64_t address, word_t value) override { words.at(address / 8) = value; }

  std::vector<word_t> words;
};

}  // namespace tributary::testing
