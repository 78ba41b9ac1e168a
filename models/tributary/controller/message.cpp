// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/message.h>

#include <array>
#include <type_traits>

namespace tributary {
namespace {

/// Calls `part(doubleword, bits, value)` for each value of a header, from bit 0 of each up.
template <class Message, class Words, class Part>
void for_each_part(Message& header, Words& words, Part&& part) {
  part(words.first, 16, header.aux);
  part(words.first, 12, header.source);
  part(words.first, 12, header.destination);
  part(words.first, 8, header.type);
  part(words.first, 2, header.over);
  part(words.first, 3, header.origin);
  part(words.first, 2, header.flavor);
  part(words.first, 3, header.tag);
  part(words.second, 40, header.address);
  part(words.second, 16, header.length);
}

constexpr word_t mask(unsigned bits) { return (word_t{1} << bits) - 1; }

}  // namespace

const char* name_of(message_lane lane) {
  constexpr std::array<const char*, message_lanes> names = {"request", "reply", "third", "fourth"};
  return names.at(static_cast<std::size_t>(lane));
}

header_words header_words_of(const message& from) {
  header_words result;
  header_words filled;  // bits so far
  for_each_part(from, result, [&](word_t& word, unsigned bits, auto value) {
    word_t& at = &word == &result.first ? filled.first : filled.second;
    word |= (static_cast<word_t>(value) & mask(bits)) << at;
    at += bits;
  });
  return result;
}

message message_of(const header_words& header) {
  message result;
  header_words rest = header;
  for_each_part(result, rest, [](word_t& word, unsigned bits, auto& value) {
    value = static_cast<std::decay_t<decltype(value)>>(word & mask(bits));
    word >>= bits;
  });
  return result;
}

}  // namespace tributary
