// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/message.h>

#include <array>

namespace tributary {
namespace {

/// Puts values side by side into a word, from bit 0 up.
class packer {
 public:
  void put(std::uint64_t value, unsigned bits) {
    word_ |= (value & ((std::uint64_t{1} << bits) - 1)) << at_;
    at_ += bits;
  }
  word_t word() const { return word_; }

 private:
  word_t word_ = 0;
  unsigned at_ = 0;
};

/// The reverse, in the same order.
class unpacker {
 public:
  explicit unpacker(word_t word) : word_(word) {}
  template <class T>
  T take(unsigned bits) {
    const std::uint64_t value = word_ & ((std::uint64_t{1} << bits) - 1);
    word_ >>= bits;
    return static_cast<T>(value);
  }

 private:
  word_t word_;
};

}  // namespace

const char* name_of(message_lane lane) {
  constexpr std::array<const char*, message_lanes> names = {"request", "reply", "third", "fourth"};
  return names.at(static_cast<std::size_t>(lane));
}

header_words header_words_of(const message& from) {
  packer first;
  first.put(from.aux, 16);
  first.put(index(from.source), 12);
  first.put(index(from.destination), 12);
  first.put(from.type, 8);
  first.put(static_cast<std::uint64_t>(from.over), 2);
  first.put(static_cast<std::uint64_t>(from.origin), 3);
  first.put(from.flavor, 2);
  first.put(from.tag, 3);
  packer second;
  second.put(from.address, 40);
  second.put(from.length, 16);
  return {first.word(), second.word()};
}

message message_of(const header_words& header) {
  unpacker first(header.first);
  message result;
  result.aux = first.take<std::uint16_t>(16);
  result.source = first.take<node_id>(12);
  result.destination = first.take<node_id>(12);
  result.type = first.take<std::uint8_t>(8);
  result.over = first.take<message_lane>(2);
  result.origin = first.take<message_origin>(3);
  result.flavor = first.take<std::uint8_t>(2);
  result.tag = first.take<std::uint8_t>(3);
  unpacker second(header.second);
  result.address = second.take<std::uint64_t>(40);
  result.length = second.take<std::uint32_t>(16);
  return result;
}

}  // namespace tributary
