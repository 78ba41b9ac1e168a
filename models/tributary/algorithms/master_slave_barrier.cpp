// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/master_slave_barrier.h>

#include <fmt/format.h>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

/// The flag of an element in its word: the half that it has.
constexpr word_t flag_of(std::uint32_t element) {
  constexpr unsigned half = 32;
  return element % 2 == 0 ? 1 : word_t{1} << half;
}

}  // namespace

void master_slave_barrier::cross() {
  if (context_.rank() == 0) {
    await_all();
    may_release_ = true;
    return;
  }
  constexpr std::uint8_t low_half = 0x0f;
  constexpr std::uint8_t high_half = 0xf0;
  const std::uint32_t own = context_.rank();
  const word_t now = context_.load(crossing_);
  context_.store_bytes(flag_word(own), flag_of(own), own % 2 == 0 ? low_half : high_half);
  context_.spin(crossing_, [now](word_t seen) { return seen != now; });
}

void master_slave_barrier::await_all() {
  for (std::uint32_t each = 1; each < context_.size(); ++each) {
    context_.spin(flag_word(each), [each](word_t seen) { return (seen & flag_of(each)) != 0; });
  }
  for (std::uint64_t i = 0; i < flag_words(context_.size()); ++i) {
    context_.store(flags_ + i * word_bytes, 0);
  }
}

void master_slave_barrier::release() {
  if (!may_release_) {
    throw simulation_error(
        fmt::format("element {} releases a master-slave barrier in cycle {}; only element 0 does "
                    "so, once after each crossing",
                    context_.rank(), context_.now()));
  }
  may_release_ = false;
  context_.store(crossing_, ++crossings_);
}

std::uint64_t master_slave_barrier::flag_word(std::uint32_t element) const {
  return flags_ + element / 2 * word_bytes;
}

}  // namespace tributary
