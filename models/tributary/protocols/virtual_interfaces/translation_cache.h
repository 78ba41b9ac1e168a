// SPDX-License-Identifier: Apache-2.0
// A cache of translations in an interface's memory, as its firmware keeps one.
#pragma once

#include <cstdint>
#include <optional>

#include <tributary/controller/record.h>
#include <tributary/memory/operation.h>

namespace tributary {

/// Where it lies, and its size: both powers of two.
struct translation_cache_place {
  std::uint64_t address = 0;  ///< of `bytes()` that are 0 at first
  std::uint32_t entries = 1024;
  std::uint32_t ways = 1;

  std::uint32_t sets() const { return entries / ways; }
  /// Two doublewords an entry, and one a set, in which the next way to give up stands.
  std::uint64_t bytes() const { return word_bytes * (2 * std::uint64_t{entries} + sets()); }
};

/// Over a `handler_context`, whose loads and stores it is, or a `word_memory`. Of a full set the
/// way that was filled first is given up.
template <class Memory>
class translation_cache {
 public:
  translation_cache(Memory& memory, const translation_cache_place& place)
      : memory_(memory), place_(place) {}

  /// What was kept for a key, which is not 0.
  std::optional<word_t> find(std::uint64_t key) {
    const std::uint64_t set = key % place_.sets();
    for (std::uint32_t way = 0; way < place_.ways; ++way) {
      const std::uint64_t at = entry(set, way);
      if (detail::load_word(memory_, at) == key) return detail::load_word(memory_, at + word_bytes);
    }
    return std::nullopt;
  }
  /// Keeps a value for a key that is not there.
  void fill(std::uint64_t key, word_t value) {
    const std::uint64_t set = key % place_.sets();
    const std::uint64_t turn = place_.address + word_bytes * (2 * place_.entries + set);
    const word_t next = detail::load_word(memory_, turn);
    detail::store_word(memory_, turn, (next + 1) % place_.ways);
    const std::uint64_t at = entry(set, static_cast<std::uint32_t>(next));
    detail::store_word(memory_, at, key);
    detail::store_word(memory_, at + word_bytes, value);
  }
  /// Forgets a key, as when its page is no longer registered.
  void drop(std::uint64_t key) {
    const std::uint64_t set = key % place_.sets();
    for (std::uint32_t way = 0; way < place_.ways; ++way) {
      const std::uint64_t at = entry(set, way);
      if (detail::load_word(memory_, at) == key) detail::store_word(memory_, at, 0);
    }
  }

 private:
  std::uint64_t entry(std::uint64_t set, std::uint32_t way) const {
    return place_.address + 2 * word_bytes * (set * place_.ways + way);
  }

  Memory& memory_;
  translation_cache_place place_;
};

}  // namespace tributary
