// SPDX-License-Identifier: Apache-2.0
// The words of a memory, as those see them who need no time for it.
#pragma once

#include <cstdint>

#include <tributary/memory/operation.h>

namespace tributary {

/// The words of a node's memory, without time. Addresses are offsets in it, multiples of 8.
class word_memory {
 public:
  virtual word_t read(std::uint64_t address) const = 0;
  virtual void write(std::uint64_t address, word_t value) = 0;

 protected:
  word_memory() = default;
  word_memory(const word_memory&) = default;
  word_memory& operator=(const word_memory&) = default;
  ~word_memory() = default;
};

}  // namespace tributary
