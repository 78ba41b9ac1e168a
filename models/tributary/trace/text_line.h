// SPDX-License-Identifier: Apache-2.0
// Lines of text that are made for every event, and so in few instructions.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <tributary/trace/identity.h>

namespace tributary {

/// A line in the making. Room must be asked for before it is filled.
class text_line {
 public:
  /// Begins a line, with room for so many characters.
  void begin(std::size_t most) {
    if (room_.size() < most) room_.resize(most);
    end_ = room_.data();
  }
  std::string_view text() const {
    return {room_.data(), static_cast<std::size_t>(end_ - room_.data())};
  }

  void append(char character) { *end_++ = character; }
  void append(std::string_view text) { end_ = std::copy(text.begin(), text.end(), end_); }
  void decimal(std::uint64_t number) { end_ = std::to_chars(end_, end_ + most_digits, number).ptr; }
  /// "0x1f"
  void hexadecimal(std::uint64_t number) {
    append("0x");
    end_ = std::to_chars(end_, end_ + most_digits, number, 16).ptr;
  }
  /// As `to_string`.
  void append(trace_identity identity) {
    if (identity.none()) {
      append('-');
      return;
    }
    decimal(identity.origin());
    append('.');
    if (identity.is_message()) append('m');
    decimal(identity.sequence());
  }

  /// Of a number.
  static constexpr std::size_t most_digits = 20;
  /// Of an identity.
  static constexpr std::size_t most_of_identity = 2 * most_digits + 2;

 private:
  std::vector<char> room_;
  char* end_ = nullptr;
};

}  // namespace tributary
