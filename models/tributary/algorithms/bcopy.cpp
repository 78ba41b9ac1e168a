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
  const std::uint64_t ahead = std::uint64_t{loop.lines_ahead} * line.bytes();
  const auto ask_for = [&](std::uint64_t at) {
    if (at >= length) return;
    context.prefetch(source + at);
    context.prefetch_exclusive(destination + at);
  };
  for (std::uint64_t at = 0; at < ahead; at += line.bytes()) ask_for(at);
  for (std::uint64_t at = 0; at < length; at += word_bytes) {
    copy_word(context, loop, source + at, destination + at);
    // The lines of this word are there by now, so that the next ones find room.
    if (at % line.bytes() == 0) ask_for(at + ahead);
  }
}

void read_buffer(program_context& context, const copy_loop& loop, std::uint64_t from,
                 std::uint64_t length) {
  for (std::uint64_t at = 0; at < length; at += word_bytes) {
    context.load(from + at);
    context.delay(loop.doubleword_cycles / 2);
  }
}

}  // namespace tributary
