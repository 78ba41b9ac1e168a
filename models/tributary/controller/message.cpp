// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/message.h>

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

word_t header_word(const message& from) {
  packer header;
  header.put(from.aux, 16);
  header.put(index(from.source), 12);
  header.put(index(from.destination), 12);
  header.put(from.type, 8);
  header.put(static_cast<std::uint64_t>(from.over), 2);
  header.put(static_cast<std::uint64_t>(from.length), 2);
  header.put(static_cast<std::uint64_t>(from.origin), 3);
  header.put(from.flavor, 2);
  header.put(from.tag, 3);
  return header.word();
}

message message_of(word_t header, std::uint64_t address) {
  unpacker from(header);
  message made;
  made.address = address;
  made.aux = from.take<std::uint16_t>(16);
  made.source = from.take<node_id>(12);
  made.destination = from.take<node_id>(12);
  made.type = from.take<std::uint8_t>(8);
  made.over = from.take<message_lane>(2);
  made.length = from.take<payload_length>(2);
  made.origin = from.take<message_origin>(3);
  made.flavor = from.take<std::uint8_t>(2);
  made.tag = from.take<std::uint8_t>(3);
  return made;
}

}  // namespace tributary
