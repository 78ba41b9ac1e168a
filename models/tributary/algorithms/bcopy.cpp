// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/bcopy.h>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

void check_words(std::uint64_t source, std::uint64_t destination, std::uint64_t length) {
  if ((source | destination | length) % word_bytes == 0) return;
  throw simulation_error(fmt::format(
      "a copy of {} bytes from {:#x} to {:#x}: a processor copies doublewords; choose multiples of "
      "{}",
      length, source, destination, word_bytes));
}

void copy_word(program_context& context, const copy_loop& loop, std::uint64_t source,
               std::uint64_t destination) {
  context.store(destination, context.load(source));
  context.delay(loop.doubleword_cycles);
}

/// The lines of a buffer that a copy has not asked for yet, in their order. The first and the last
/// may belong to the buffer only in part.
class lines_to_ask {
 public:
  lines_to_ask(line_size line, std::uint64_t start, std::uint64_t length)
      : line_(line), start_(start), end_(start + length), next_(start) {}

  /// Whether the next one is at most `ahead` lines ahead of that with byte `at` of the buffer.
  bool is_due(std::uint64_t at, std::uint32_t ahead) const {
    return next_ < end_ && line_.number(next_) <= line_.number(start_ + at) + ahead;
  }
  /// The first byte of the buffer in the next one, which is asked for now.
  std::uint64_t take() {
    const std::uint64_t taken = next_;
    next_ = line_.start(next_) + line_.bytes();
    return taken;
  }

 private:
  line_size line_;
  std::uint64_t start_;
  std::uint64_t end_;
  std::uint64_t next_;
};

}  // namespace

std::vector<std::pair<std::string, copy_method>> copy_methods() {
  return {{"bcopy", copy_method::bcopy},
          {"prefetched_bcopy", copy_method::prefetched_bcopy},
          {"fbcopy", copy_method::fbcopy}};
}

void copy_loop::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add("doubleword_cycles", doubleword_cycles, u32{0, 10000}, "cycles",
                 "Of the processor, that a copy's loop spends on a doubleword in addition to its "
                 "load and its store (not published; fitted to the 65.8 us of bcopy in FLASH "
                 "Table 5.2).");
  parameters.add("lines_ahead", lines_ahead, u32{1, 4}, "lines",
                 "Of each buffer, that a copy with prefetches asks for before it needs them; 2 "
                 "keep the 4 requests of FLASH 2.3.3 outstanding.");
}

void bcopy(program_context& context, const copy_loop& loop, std::uint64_t source,
           std::uint64_t destination, std::uint64_t length) {
  check_words(source, destination, length);
  for (std::uint64_t at = 0; at < length; at += word_bytes) {
    copy_word(context, loop, source + at, destination + at);
  }
}

void prefetched_bcopy(program_context& context, const copy_loop& loop, line_size line,
                      std::uint64_t source, std::uint64_t destination, std::uint64_t length) {
  check_words(source, destination, length);
  lines_to_ask read(line, source, length);
  lines_to_ask written(line, destination, length);
  const auto ask_for = [&](std::uint64_t at, std::uint32_t ahead) {
    while (read.is_due(at, ahead) || written.is_due(at, ahead)) {
      if (read.is_due(at, ahead)) context.prefetch(read.take());
      if (written.is_due(at, ahead)) context.prefetch_exclusive(written.take());
    }
  };
  ask_for(0, loop.lines_ahead - 1);
  for (std::uint64_t at = 0; at < length; at += word_bytes) {
    copy_word(context, loop, source + at, destination + at);
    // The lines of this word are there by now, so that the next ones find room.
    ask_for(at, loop.lines_ahead);
  }
}

void read_buffer(program_context& context, const copy_loop& loop, std::uint64_t from,
                 std::uint64_t length) {
  // Half of a copy's cycles a doubleword, in whole ones: two doublewords take an odd number.
  const auto spent_before = [&](std::uint64_t at) {
    return at / word_bytes * loop.doubleword_cycles / 2;
  };
  for (std::uint64_t at = 0; at < length; at += word_bytes) {
    context.load(from + at);
    context.delay(spent_before(at + word_bytes) - spent_before(at));
  }
}

}  // namespace tributary
