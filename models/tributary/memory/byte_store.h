// SPDX-License-Identifier: Apache-2.0
// The bytes of one memory module behind a socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include <tributary/memory/word_store.h>

namespace tributary {

/// `size` bytes from offset 0 on, all 0 at first. A flat store is one array, to which others may
/// have pointers; else words that were never written take no space. A word has the host's byte
/// order. Offsets and lengths must lie within the size, which is not checked here.
class byte_store {
 public:
  /// A flat store of a size that the system does not grant throws `configuration_error`.
  byte_store(std::uint64_t size, bool flat);

  std::uint64_t size() const { return size_; }
  /// The array of a flat store, else null.
  unsigned char* data() { return flat_.get(); }

  /// The word at an offset that is a multiple of 8.
  word_t word(std::uint64_t offset) const;
  /// So many words from there on.
  void read_words(std::uint64_t offset, std::size_t count, word_t* out) const;
  void set_word(std::uint64_t offset, word_t value);

  void read(std::uint64_t offset, unsigned char* data, std::size_t length) const;
  void write(std::uint64_t offset, const unsigned char* data, std::size_t length);

  /// All words that are not 0 with their offsets, ascending.
  std::vector<std::pair<std::uint64_t, word_t>> contents() const;
  /// Becomes these words, and 0 everywhere else. An offset of no word throws `input_error`.
  void set_contents(const std::vector<std::pair<std::uint64_t, word_t>>& words);

 private:
  struct give_back {
    void operator()(unsigned char* array) const { std::free(array); }
  };

  std::uint64_t size_;
  std::unique_ptr<unsigned char, give_back> flat_;
  word_store words_;
};

}  // namespace tributary
