// SPDX-License-Identifier: Apache-2.0
// The memory of a node as its controller sees it: lines and words, in time.
#pragma once

#include <cstdint>

#include <tributary/memory/line.h>
#include <tributary/memory/operation.h>
#include <tributary/memory/word_memory.h>
#include <tributary/sim/cycle.h>
#include <tributary/trace/recorder.h>

namespace tributary {

/// The requester is told at once what is read and when each word moves, and may ask again in the
/// same cycle. Offsets are multiples of 8: of a line, the doubleword that the offset names moves
/// first, the others behind it in sub-block order. `now` is the current cycle or later.
class line_memory : public word_memory {
 public:
  /// The line that holds `offset`.
  virtual memory_transfer read_line(std::uint64_t offset, cycle_t now, line_data& out) = 0;
  /// The same of a doubleword, which moves in `first` = `last`.
  virtual memory_transfer read_word(std::uint64_t offset, cycle_t now, word_t& out) = 0;

  /// Word i of `words` can be fetched from cycle `valid[i]` on.
  virtual memory_transfer write_line(std::uint64_t offset, cycle_t now, const line_data& words,
                                     const line_stamps& valid) = 0;
  virtual memory_transfer write_word(std::uint64_t offset, cycle_t now, word_t value,
                                     cycle_t valid) = 0;

  /// For debuggers, without time: the word at an offset behind all writes that were asked for.
  virtual word_t newest(std::uint64_t offset) const { return read(offset); }
  /// The same: replaces it, in writes that have not landed too.
  virtual void replace(std::uint64_t offset, word_t value) { write(offset, value); }

  /// Where those who move lines report it.
  const trace_point& traced() const { return trace_; }

 protected:
  line_memory() = default;
  line_memory(const line_memory&) = default;
  line_memory& operator=(const line_memory&) = default;
  ~line_memory() = default;

  trace_point trace_;
};

}  // namespace tributary
