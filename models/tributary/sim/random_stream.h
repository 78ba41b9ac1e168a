// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers: a stream for each seed, element and purpose.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include <tributary/sim/state.h>

namespace tributary {

/// What an element draws random numbers for; each purpose has a stream of its own, so that a new
/// use never changes the draws of another.
enum class purpose : std::uint32_t {
  start = 1,         ///< first cycle of a processing element
  traffic = 2,       ///< address and operation of a request
  arrival = 3,       ///< open loop: whether a request is generated in a cycle
  program = 4,       ///< what a program asks for
  placement = 5,     ///< where the hot words of a workload lie
  replacement = 6,   ///< which line leaves a set of a cache
  service = 7,       ///< how long a service takes
  overtaking = 8,    ///< how long a message of a network lets others pass
  graph = 9,         ///< which switches of a random network are joined
  routes = 10,       ///< which of several shortest routes is taken
  orientation = 11,  ///< crossings and mutations of a search for the up ends of links
  permutation = 12,  ///< which host sends to which other
  contention = 13    ///< which of several nodes gets a medium that they share
};

/// One block of the counter-based generator Philox4x32-10: four words from a counter and a key.
/// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> counter,
                                           std::array<std::uint32_t, 2> key) noexcept;

/// The threshold, on a scale of 2^32, under which a 32-bit draw falls with probability p.
/// p = 0 never happens and p = 1 always does; p outside 0 to 1 (or not a number) throws `error`.
std::uint64_t probability_threshold(double p);

/// The random numbers of one element for one purpose: independent of every other stream of the
/// seed, and of how often those are drawn from. A value: it can be copied, compared and stored.
class random_stream {
 public:
  /// Draws of 32 bits that are computed together.
  static constexpr std::uint32_t block = 4;

  random_stream() : random_stream(0, 0U, 0U) {}

  /// `seed` is the run's; `element` and `purpose` are any 32-bit numbers, identifiers or
  /// enumerations that together name the stream.
  random_stream(std::uint64_t seed, std::uint32_t element, std::uint32_t purpose) noexcept
      : seed_(seed), element_(element), purpose_(purpose) {}

  template <class Element, class Purpose,
            class = std::enable_if_t<std::is_enum_v<Element> || std::is_enum_v<Purpose>>>
  random_stream(std::uint64_t seed, Element element, Purpose purpose) noexcept
      : random_stream(seed, word(element), word(purpose)) {}

  /// The next 32 bits.
  std::uint32_t next_u32() noexcept {
    if (used_ == words_.size()) {
      refill();
    }
    return words_[used_++];
  }

  /// The next 64 bits; the earlier word is the lower half.
  std::uint64_t next_u64() noexcept {
    const std::uint64_t low = next_u32();
    return (static_cast<std::uint64_t>(next_u32()) << 32U) | low;
  }

  /// True with probability threshold / 2^32; one draw, whatever the threshold.
  bool bernoulli(std::uint64_t threshold) noexcept { return next_u32() < threshold; }

  /// A number from 0 to n - 1, each exactly as likely as the others; 0 for n = 0.
  /// Source: Lemire, "Fast random integer generation in an interval", TOMACS 29(1), 2019.
  std::uint64_t below(std::uint64_t n) noexcept {
    wide product = static_cast<wide>(next_u64()) * n;
    if (static_cast<std::uint64_t>(product) < n) {
      const std::uint64_t unfair = (0 - n) % n;
      while (static_cast<std::uint64_t>(product) < unfair) {
        product = static_cast<wide>(next_u64()) * n;
      }
    }
    return static_cast<std::uint64_t>(product >> 64U);
  }

  bool operator==(const random_stream& other) const noexcept {
    return seed_ == other.seed_ && element_ == other.element_ && purpose_ == other.purpose_ &&
           block_ == other.block_ && used_ == other.used_ && words_ == other.words_;
  }
  bool operator!=(const random_stream& other) const noexcept { return !(*this == other); }

  TRIBUTARY_STATE(seed_, element_, purpose_, used_, block_, words_[0], words_[1], words_[2],
                  words_[3]);

 private:
  __extension__ using wide = unsigned __int128;

  template <class T>
  static constexpr std::uint32_t word(T value) noexcept {
    static_assert(sizeof(T) <= sizeof(std::uint32_t), "an element or purpose is a 32-bit number");
    return static_cast<std::uint32_t>(value);
  }

  void refill() noexcept;

  std::uint64_t seed_;
  std::uint32_t element_;
  std::uint32_t purpose_;
  std::uint64_t block_ = 0;  ///< the next block to compute
  std::array<std::uint32_t, 4> words_{};
  std::uint32_t used_ = 4;  ///< words of the current block already handed out
};

}  // namespace tributary
