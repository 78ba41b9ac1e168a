// SPDX-License-Identifier: Apache-2.0
#include <tributary/memory/byte_store.h>

#include <algorithm>
#include <cstring>
#include <string>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

/// Calls `part(offset of a word, first byte in it, bytes of it, bytes before)` for each word that
/// a range of bytes touches.
template <class Part>
void for_each_word(std::uint64_t offset, std::size_t length, Part&& part) {
  for (std::size_t done = 0; done < length;) {
    const std::uint64_t within = (offset + done) % word_bytes;
    const auto bytes =
        std::min(length - done, static_cast<std::size_t>(std::uint64_t{word_bytes} - within));
    part(offset + done - within, within, bytes, done);
    done += bytes;
  }
}

}  // namespace

byte_store::byte_store(std::uint64_t size, bool flat) : size_(size) {
  if (!flat) return;
  // Pages of zeroes that the system provides on first use.
  flat_.reset(static_cast<unsigned char*>(std::calloc(size, 1)));
  if (flat_ == nullptr) {
    throw configuration_error({"size", "", "no room for an array of " + std::to_string(size),
                               "as many bytes as the system has",
                               "lower it, or turn dmi off, which needs no array"});
  }
}

word_t byte_store::word(std::uint64_t offset) const {
  if (flat_ == nullptr) return words_.read(offset / word_bytes);
  word_t value = 0;
  std::memcpy(&value, flat_.get() + offset, word_bytes);
  return value;
}

void byte_store::set_word(std::uint64_t offset, word_t value) {
  if (flat_ == nullptr) {
    words_.write(offset / word_bytes, value);
  } else {
    std::memcpy(flat_.get() + offset, &value, word_bytes);
  }
}

void byte_store::read(std::uint64_t offset, unsigned char* data, std::size_t length) const {
  for_each_word(offset, length,
                [&](std::uint64_t at, std::size_t within, std::size_t bytes, std::size_t done) {
                  const word_t value = word(at);
                  std::memcpy(data + done, reinterpret_cast<const char*>(&value) + within, bytes);
                });
}

void byte_store::write(std::uint64_t offset, const unsigned char* data, std::size_t length) {
  for_each_word(offset, length,
                [&](std::uint64_t at, std::size_t within, std::size_t bytes, std::size_t done) {
                  word_t value = bytes == word_bytes ? 0 : word(at);
                  std::memcpy(reinterpret_cast<char*>(&value) + within, data + done, bytes);
                  set_word(at, value);
                });
}

}  // namespace tributary
