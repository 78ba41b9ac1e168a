// SPDX-License-Identifier: Apache-2.0
// Numbers and texts as bytes of a binary file: little-endian on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tributary/sim/error.h>

namespace tributary {

/// Appends numbers and texts.
class byte_writer {
 public:
  template <class Number>
  void number(Number value) {
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
      bytes_.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i)));
    }
  }
  void flag(bool value) { number(static_cast<std::uint8_t>(value)); }
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    bytes_.append(value);
  }

  const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  std::string bytes_;
};

/// Takes them out again. Throws `input_error` that begins with `place` where bytes are missing.
class byte_reader {
 public:
  byte_reader(std::string_view bytes, std::string place)
      : bytes_(bytes), place_(std::move(place)) {}

  template <class Number>
  Number number() {
    const std::string_view from = take(sizeof(Number));
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(from[i])} << (8 * i);
    }
    return static_cast<Number>(value);
  }
  bool flag() { return number<std::uint8_t>() != 0; }
  std::string text() { return std::string(take(number<std::uint32_t>())); }
  /// How many entries follow: at most `most`, and each takes at least `least_bytes`.
  std::size_t count(std::size_t most, std::size_t least_bytes) {
    const auto entries = number<std::uint32_t>();
    if (entries > most) refuse("a list is longer than is allowed");
    if (entries > bytes_.size() / least_bytes) refuse("a list is longer than what follows");
    return entries;
  }
  std::string_view take(std::size_t bytes) {
    if (bytes > bytes_.size()) refuse("a value is missing");
    const std::string_view taken = bytes_.substr(0, bytes);
    bytes_.remove_prefix(bytes);
    return taken;
  }
  /// Nothing may follow.
  void end() const {
    if (!bytes_.empty()) refuse("there is more than expected");
  }
  [[noreturn]] void refuse(const std::string& problem) const {
    throw input_error(place_ + ": the file is damaged: " + problem + "; copy or write it again");
  }

 private:
  std::string_view bytes_;
  std::string place_;
};

}  // namespace tributary
