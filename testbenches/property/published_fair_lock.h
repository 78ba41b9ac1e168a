// SPDX-License-Identifier: Apache-2.0
// The fair MCS readers-writers lock with the waiting writer in a word of its own, to show why the
// library's differs.
#pragma once

#include <cstdint>

#include <tributary/algorithms/memory_place.h>
#include <tributary/algorithms/readers_writers_lock.h>
#include <tributary/processor/program.h>

namespace tributary::testing {

/// As published in 1991: the last reader takes its count off and then looks for a writer. With
/// `corrected`, as the authors have it since: it then looks whether readers have come, and takes
/// the writer by compare-and-swap. All else is as in `mcs_fair_readers_writers_lock`.
class published_fair_lock final : public readers_writers_lock {
 public:
  published_fair_lock(program_context& context, const memory_place& place, bool corrected)
      : context_(context),
        place_(place),
        corrected_(corrected),
        tail_(place.central(context, 0)),
        count_(place.central(context, 1)),
        next_writer_(place.central(context, 2)),
        reader_((word_t{context.rank()} + 1) * 2),
        writer_(reader_ + 1) {}

  void acquire_read() override {
    word_t grant = granted;
    const word_t ahead = context_.swap(tail_, reader_);
    const bool waits =
        ahead % 2 != 0 ||
        (ahead != 0 && context_.compare_and_swap(node(ahead, 0), 0, behind) % 2 == 0);
    if (!waits) context_.fetch_add(count_, 1);
    if (ahead != 0) context_.store(node(ahead, 1), reader_);
    if (waits) {
      grant = context_.spin(node(reader_, 0), [](word_t word) { return word % 2 != 0; });
    } else {
      grant = context_.fetch_or(node(reader_, 0), granted);
    }
    if ((grant & behind) == 0) return;
    const word_t next = await_next();
    context_.fetch_add(count_, 1);
    context_.fetch_or(node(next, 0), granted);
  }

  void release_read() override {
    context_.fence();
    const word_t next = leave_queue(reader_);
    if (next % 2 != 0) context_.store(next_writer_, next);
    if (context_.fetch_add(count_, word_t{0} - 1) == 1) let_writer_in();
    context_.store(node(reader_, 1), 0);
    context_.store(node(reader_, 0), 0);
  }

  void acquire_write() override {
    const word_t ahead = context_.swap(tail_, writer_);
    if (ahead == 0) {
      context_.store(next_writer_, writer_);
      if (context_.load(count_) == 0 && context_.swap(next_writer_, 0) == writer_) return;
    } else {
      context_.store(node(ahead, 1), writer_);
    }
    context_.spin(node(writer_, 0), [](word_t word) { return word % 2 != 0; });
  }

  void release_write() override {
    context_.fence();
    const word_t next = leave_queue(writer_);
    if (next != 0) {
      if (next % 2 == 0) context_.fetch_add(count_, 1);
      context_.fetch_or(node(next, 0), granted);
    }
    context_.store(node(writer_, 1), 0);
    context_.store(node(writer_, 0), 0);
  }

 private:
  static constexpr word_t granted = 1;
  static constexpr word_t behind = 2;

  std::uint64_t node(word_t pointer, std::uint64_t word) const {
    return place_.own(context_, static_cast<std::uint32_t>(pointer / 2 - 1), word);
  }
  word_t await_next() {
    return context_.spin(node(reader_, 1), [](word_t word) { return word != 0; });
  }
  word_t leave_queue(word_t pointer) {
    return context_.compare_and_swap(tail_, pointer, 0) == pointer ? 0 : await_next();
  }
  void let_writer_in() {
    word_t writer = 0;
    if (corrected_) {
      writer = context_.load(next_writer_);
      if (writer == 0 || context_.load(count_) != 0 ||
          context_.compare_and_swap(next_writer_, writer, 0) != writer) {
        return;
      }
    } else {
      writer = context_.swap(next_writer_, 0);
    }
    if (writer != 0) context_.fetch_or(node(writer, 0), granted);
  }

  program_context& context_;
  memory_place place_;
  bool corrected_;
  std::uint64_t tail_;
  std::uint64_t count_;
  std::uint64_t next_writer_;
  word_t reader_;
  word_t writer_;
};

}  // namespace tributary::testing
