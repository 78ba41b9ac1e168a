// SPDX-License-Identifier: Apache-2.0
// How the engines of an interface reach the node's memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tributary/memory/operation.h>
#include <tributary/memory/word_memory.h>
#include <tributary/sim/cycle.h>

namespace tributary {

/// Which part of an interface moves a word: the receive engine, or DMA that sends or stores.
enum class memory_user : std::uint8_t { receive, send, store };
/// How many of them there are.
inline constexpr std::size_t memory_users = 3;

/// Lower bytes of a word that are written; the others are 0.
constexpr word_t lower_bytes(std::uint64_t bytes) {
  return bytes >= word_bytes ? ~word_t{0} : (word_t{1} << (8 * bytes)) - 1;
}

/// Words of the node's memory, at offsets that are multiples of 8. A user moves one at a time.
///
/// A memory that takes time returns false: the word moves later, `message_interface::moved` is told
/// when, and the user then calls again with the same arguments. A memory that takes none returns
/// true at once.
class engine_memory {
 public:
  virtual bool read(memory_user user, std::uint64_t offset, word_t& word) = 0;
  /// Writes the lowest `bytes` bytes of a word; its other bytes keep their value.
  virtual bool write(memory_user user, std::uint64_t offset, word_t word, std::uint64_t bytes) = 0;

 protected:
  engine_memory() = default;
  engine_memory(const engine_memory&) = default;
  engine_memory& operator=(const engine_memory&) = default;
  ~engine_memory() = default;
};

/// Words that are there without time, as those of a `node_memory`.
class immediate_memory final : public engine_memory {
 public:
  /// `words` must outlive it.
  explicit immediate_memory(word_memory& words) : words_(words) {}

  bool read(memory_user, std::uint64_t offset, word_t& word) override {
    word = words_.read(offset);
    return true;
  }
  bool write(memory_user, std::uint64_t offset, word_t word, std::uint64_t bytes) override {
    const word_t written = lower_bytes(bytes);
    if (bytes < word_bytes) word = (words_.read(offset) & ~written) | (word & written);
    words_.write(offset, word);
    return true;
  }

 private:
  word_memory& words_;
};

}  // namespace tributary
