// SPDX-License-Identifier: Apache-2.0
#include <tributary/memory/byte_store.h>

#include <algorithm>
#include <array>
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

void byte_store::read_words(std::uint64_t offset, std::size_t count, word_t* out) const {
  if (flat_ != nullptr) {
    std::memcpy(out, flat_.get() + offset, count * word_bytes);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) out[i] = words_.read(offset / word_bytes + i);
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

namespace {

/// Bytes that are compared with 0 at once: most of a memory was never written.
constexpr std::size_t page_bytes = 4096;

/// Calls `part(first byte, bytes)` for each page of a flat store that is not all 0.
template <class Part>
void for_each_used_page(unsigned char* bytes, std::uint64_t size, Part&& part) {
  static constexpr std::array<unsigned char, page_bytes> zeroes{};
  for (std::uint64_t at = 0; at < size; at += page_bytes) {
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(page_bytes, size - at));
    if (std::memcmp(bytes + at, zeroes.data(), length) != 0) part(at, length);
  }
}

}  // namespace

std::vector<std::pair<std::uint64_t, word_t>> byte_store::contents() const {
  std::vector<std::pair<std::uint64_t, word_t>> found;
  if (flat_ == nullptr) {
    found = words_.contents();
    for (auto& each : found) each.first *= word_bytes;
    return found;
  }
  for_each_used_page(flat_.get(), size_, [&](std::uint64_t at, std::size_t length) {
    for (std::uint64_t offset = at; offset < at + length; offset += word_bytes) {
      if (const word_t value = word(offset); value != 0) found.emplace_back(offset, value);
    }
  });
  return found;
}

void byte_store::set_contents(const std::vector<std::pair<std::uint64_t, word_t>>& words) {
  if (flat_ == nullptr) {
    words_ = word_store();
  } else {
    for_each_used_page(flat_.get(), size_, [&](std::uint64_t at, std::size_t length) {
      std::memset(flat_.get() + at, 0, length);
    });
  }
  for (const auto& [offset, value] : words) {
    if (offset % word_bytes != 0 || offset >= size_) {
      throw input_error("checkpoint does not fit this machine: a memory of " +
                        std::to_string(size_) + " bytes has no word at " + std::to_string(offset));
    }
    set_word(offset, value);
  }
}

}  // namespace tributary
