// SPDX-License-Identifier: Apache-2.0
// The words of a memory, sparse: a word that was never written is 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <tributary/memory/operation.h>
#include <tributary/memory/packet.h>
#include <tributary/sim/fixed_size.h>
#include <tributary/sim/state.h>

namespace tributary {

/// A map from word locations (`packet::location`) to words, by open addressing: one probe a memory
/// access, and a value that is copied and stored with the machine. Threads may share it by blocks
/// of `block_modules` memory modules.
class word_store {
 public:
  static constexpr std::size_t block_modules = 256;

  /// Of one block for all modules.
  word_store() : blocks_(1) {}
  /// Of a block for every `block_modules` of the modules, whose number is a power of two.
  explicit word_store(std::size_t modules)
      : blocks_(std::max<std::size_t>(1, modules / block_modules)) {}

  /// The word at a location, 0 if it was never written.
  word_t read(std::uint64_t location) const { return block_of(location).read(location); }
  void write(std::uint64_t location, word_t value) {
    blocks_[number_of(location)].write(location, value);
  }

  /// All words that were written and are not 0, ascending by location.
  std::vector<std::pair<std::uint64_t, word_t>> contents() const;

  friend bool operator==(const word_store& x, const word_store& y) {
    return x.contents() == y.contents();
  }

  TRIBUTARY_STATE(fixed_size(blocks_));

 private:
  static constexpr std::size_t minimum_cells = 64;
  static constexpr std::uint64_t free_cell = ~std::uint64_t{0};

  struct cell {
    std::uint64_t location = free_cell;
    word_t value = 0;

    TRIBUTARY_STATE(location, value);
  };

  class block {
   public:
    block() : cells_(minimum_cells) {}

    word_t read(std::uint64_t location) const {
      const cell& found = cells_[probe(location)];
      return found.location == location ? found.value : 0;
    }
    void write(std::uint64_t location, word_t value) {
      cell* found = &cells_[probe(location)];
      if (found->location != location) {
        if (2 * (used_ + 1) > cells_.size()) {
          grow();
          found = &cells_[probe(location)];
        }
        found->location = location;
        ++used_;
      }
      found->value = value;
    }
    const std::vector<cell>& cells() const { return cells_; }

    template <class Archive>
    void serialize(Archive& archive) {
      archive(cells_, used_);
      if constexpr (Archive::is_loading::value) check();
    }

   private:
    /// The cell of a location, or the free cell where it belongs.
    std::size_t probe(std::uint64_t location) const {
      const std::size_t mask = cells_.size() - 1;
      // Fibonacci hashing: the golden ratio spreads neighbouring words.
      std::size_t at = static_cast<std::size_t>((location * 0x9e3779b97f4a7c15ULL) >> 32) & mask;
      while (cells_[at].location != location && cells_[at].location != free_cell) {
        at = (at + 1) & mask;
      }
      return at;
    }
    void grow();
    /// Refuses restored cells in which a probe would not end. Throws `input_error`.
    void check() const;

    std::vector<cell> cells_;
    std::size_t used_ = 0;
  };

  std::size_t number_of(std::uint64_t location) const {
    return static_cast<std::size_t>(location >> location_word_bits) / block_modules &
           (blocks_.size() - 1);
  }
  const block& block_of(std::uint64_t location) const { return blocks_[number_of(location)]; }

  std::vector<block> blocks_;
};

}  // namespace tributary
