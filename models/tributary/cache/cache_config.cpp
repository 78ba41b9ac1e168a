// SPDX-License-Identifier: Apache-2.0
#include <tributary/cache/cache_config.h>

#include <string>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

constexpr bool is_power_of_two(std::uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

[[noreturn]] void refuse(std::size_t level, const char* key, const std::string& problem,
                         const std::string& allowed, const std::string& advice) {
  throw configuration_error(
      {fmt::format("levels.{}.{}", level, key), "", problem, allowed, advice});
}

void check_level(const cache_level_config& level, std::size_t number) {
  if (!line_size::allows(level.line_bytes)) {
    refuse(number, "line_bytes", fmt::format("{} bytes are no line", level.line_bytes),
           fmt::format("powers of two from {} to {}", least_line_bytes, most_line_bytes),
           "choose one of them");
  }
  const std::uint64_t way = std::uint64_t{level.ways} * level.line_bytes;
  if (level.bytes % way != 0 || !is_power_of_two(level.bytes / way)) {
    refuse(number, "bytes",
           fmt::format("{} bytes do not divide into sets of {} ways of {} bytes", level.bytes,
                       level.ways, level.line_bytes),
           "a power of two times ways times line_bytes", "change size, ways or line");
  }
}

}  // namespace

void cache_level_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add("bytes", bytes, {least_line_bytes, std::uint64_t{1} << 32}, "bytes", "Size.");
  parameters.add("ways", ways, u32{1, 64}, "", "Lines of a set.");
  parameters.add("line_bytes", line_bytes, u32{least_line_bytes, most_line_bytes}, "bytes",
                 "A line, a power of two; in the last level the line of memory.");
  parameters.add("hit_cycles", hit_cycles, u32{0, 10000}, "cycles",
                 "Of the processor, until it has a word that is found here and in no level before; "
                 "0 in the first: a word an access.");
  parameters.add_choice(
      "replacement", replacement,
      {{"least_recent", replacement_policy::least_recent},
       {"first_in", replacement_policy::first_in},
       {"random", replacement_policy::random}},
      "Which line of a full set leaves: the one that was used least recently, the "
      "one that has been there longest, or any (not published; least_recent is "
      "proposed).");
}

cache_config::cache_config() : levels(2) { levels.front() = {std::uint64_t{32} << 10, 2, 64, 0}; }

void cache_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add_list(
      "levels", levels,
      "Levels from the processor outward (FLASH 5.4.1: 32 KB of 64-byte lines, 1 MB "
      "of 128-byte lines, both two-way).");
  parameters.add("outstanding", outstanding, u32{1, 8}, "lines",
                 "Lines that may be asked for at once, prefetches included (FLASH: 4).");
  parameters.add("accesses", accesses, u32{1, 1024}, "accesses",
                 "Accesses of the processor that may be under way (not published; 16 is proposed, "
                 "the address queue of the R10000).");
  parameters.add("miss_cycles", miss_cycles, u32{0, 10000}, "cycles",
                 "Of the processor, until what is in no level is asked for (not published; 20 is "
                 "calibration, 5 of the controller).");
  parameters.add("retry_cycles", retry_cycles, u32{0, 1000000}, "cycles",
                 "Of the processor, from a negative answer until the line is asked for again (not "
                 "published; 40 is proposed).");
  parameters.add("prefetches_wait", prefetches_wait,
                 "Whether a prefetch, and what is behind it, waits while too many lines are asked "
                 "for, else it is dropped (not published; Mowry 1994, 2.8.1, whom FLASH names for "
                 "its prefetches, stalls the processor).");
  parameters.add("replacement_hints", replacement_hints,
                 "Whether a cache informs the home of a shared line that it replaces.");
}

void cache_config::bind_states(parameter_set& parameters) {
  parameters.add_choice("states", states,
                        {{"mesi", cache_states::mesi}, {"moesi", cache_states::moesi}},
                        "What a cache may have of a line: with moesi the owner of a changed line "
                        "supplies it to readers and keeps it, with mesi memory gets it then.");
}

void cache_config::validate() const {
  check_ranges(*this);
  if (levels.empty()) {
    throw configuration_error({"levels", "", "there is no level", "one or more", "name one"});
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    check_level(levels[i], i);
    if (i == 0) continue;
    const cache_level_config& inner = levels[i - 1];
    if (levels[i].line_bytes % inner.line_bytes != 0) {
      refuse(i, "line_bytes",
             fmt::format("lines of {} bytes do not hold whole ones of {} of the level before",
                         levels[i].line_bytes, inner.line_bytes),
             fmt::format("multiples of {}", inner.line_bytes), "choose a longer line");
    }
    if (levels[i].bytes < inner.bytes) {
      refuse(i, "bytes",
             fmt::format("{} bytes cannot hold what the level before has", levels[i].bytes),
             fmt::format("at least {}", inner.bytes), "choose a larger one");
    }
  }
}

}  // namespace tributary
