// SPDX-License-Identifier: Apache-2.0
// Where a program's variables lie in the data of a node, and doubles in them.
#pragma once

#include <cstdint>

#include <tributary/algorithms/application_process.h>
#include <tributary/algorithms/data_parallel.h>

namespace tributary::data_parallel_programs {

/// Bytes of a word, and of an item of a program.
inline constexpr std::uint32_t word_bytes = sizeof(word_t);

/// Hands out the places of variables, each from a page of its own on: what a compiler does that
/// knows nothing of how variables are used together.
class variable_places {
 public:
  static constexpr std::uint64_t page = 4096;

  /// The offset of the next variable, of so many words.
  std::uint64_t next(std::uint64_t words) {
    const std::uint64_t place = bytes_;
    bytes_ += (words * word_bytes + page - 1) / page * page;
    return place;
  }
  /// Bytes up to here.
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
};

inline double read_double(data_parallel& here, std::uint64_t offset) {
  return double_of(here.read(offset));
}
inline void write_double(data_parallel& here, std::uint64_t offset, double value) {
  here.write(offset, word_of(value));
}

}  // namespace tributary::data_parallel_programs
