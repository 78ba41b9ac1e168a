// SPDX-License-Identifier: Apache-2.0
// A loop whose iterations the elements share out among themselves by fetch-and-add.
#pragma once

#include <algorithm>
#include <cstdint>

#include <tributary/algorithms/memory_place.h>
#include <tributary/processor/program.h>

namespace tributary {

/// One element's end of loops that all elements run together: each element makes one, over the same
/// word, which starts as 0, and runs the same loops in the same order. It is not made anew over
/// that word: a new one expects tickets from 0 on, and its loops would silently do nothing.
///
/// A fetch-and-add draws a ticket, which is a chunk of consecutive iterations. Tickets are numbered
/// through from loop to loop: one that lies beyond the end of a loop is kept, and is the element's
/// first chunk of the loop that it belongs to. So nothing is ever reset, loops need no barrier
/// between them for the index's sake, and where all elements run a loop its chunks take one
/// reference each, plus one for each element in the first. The price: from the second loop on,
/// up to as many chunks as there are elements are assigned beforehand, and wait for who kept their
/// tickets.
/// Source: loops over a shared index, A. Gottlieb, B. Lubachevsky and L. Rudolph, TOPLAS 5(2),
/// 1983; the tickets kept from loop to loop are this project's.
class self_scheduled_loop {
 public:
  static constexpr std::uint32_t central_words = 1;
  static constexpr std::uint32_t own_words(std::uint32_t /*elements*/) { return 0; }

  self_scheduled_loop(program_context& context, const memory_place& place);

  /// Calls `body(i)` for those of the iterations 0 to `iterations` - 1 that this element takes,
  /// `chunk` (1 or more; else `configuration_error`) at a time; no order among elements. Returns
  /// when none are left and this element's own are over, posted references too; others may still be
  /// at theirs, for which a barrier waits.
  template <class Body>
  void run(std::uint64_t iterations, std::uint64_t chunk, const Body& body) {
    open(iterations, chunk);
    for (; ticket_ < end_; draw()) {
      const std::uint64_t from = (ticket_ - begin_) * chunk;
      const std::uint64_t past = from + std::min(chunk, iterations - from);
      for (std::uint64_t i = from; i < past; ++i) body(i);
    }
    begin_ = end_;
    context_.fence();
  }

 private:
  void open(std::uint64_t iterations, std::uint64_t chunk);
  void draw();

  program_context& context_;
  std::uint64_t index_;
  // Tickets of the loop, from begin_ to before end_, and the one that this element holds.
  word_t begin_ = 0;
  word_t end_ = 0;
  word_t ticket_ = 0;
  bool drawn_ = false;
};

}  // namespace tributary
