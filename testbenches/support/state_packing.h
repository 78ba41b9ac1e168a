// SPDX-License-Identifier: Apache-2.0
// What states of explored machines are made of, and packed into few bytes with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <tributary/memory/operation.h>

namespace tributary::testing {

/// Something that no handler, unit or network of an explored machine may do.
class broken_rule final : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A queue of few places.
template <class Entry, std::size_t Places>
class short_queue {
 public:
  static constexpr std::size_t places = Places;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Entry& operator[](std::size_t place) { return entries_[place]; }
  const Entry& operator[](std::size_t place) const { return entries_[place]; }
  void push(const Entry& added) {
    if (size_ == Places) throw broken_rule("a queue holds more than was thought possible");
    entries_[size_++] = added;
  }
  Entry take(std::size_t place) {
    const Entry taken = entries_[place];
    for (std::size_t i = place + 1; i < size_; ++i) entries_[i - 1] = entries_[i];
    entries_[--size_] = {};
    return taken;
  }
  void resize(std::size_t size) { size_ = static_cast<std::uint8_t>(size); }

 private:
  std::array<Entry, Places> entries_{};
  std::uint8_t size_ = 0;
};

/// Writes bytes over those that are there, and over the rest of their memory. Most values are zero:
/// of each eight bytes come a mask, and those that are not.
class state_packer {
 public:
  explicit state_packer(std::vector<unsigned char>& into) : into_(into) {
    into_.resize(into_.capacity());
  }

  template <class Value>
  void operator()(const Value& value) {
    put(static_cast<unsigned char>(value));
  }
  void word(word_t value) {
    unsigned mask = 0;
    for (unsigned i = 0; i < word_bytes; ++i) {
      if ((value >> 8 * i & 0xff) != 0) mask |= 1U << i;
    }
    put(static_cast<unsigned char>(mask));
    for (; value != 0; value >>= 8) {
      if ((value & 0xff) != 0) put(static_cast<unsigned char>(value));
    }
  }
  template <class Queue>
  void size(const Queue& queue) {
    (*this)(queue.size());
  }
  /// Behind the last byte: leaves nothing else.
  void finish() { into_.resize(size_); }

 private:
  void put(unsigned char byte) {
    if (bit_ == 0x100) begin_mask();
    if (byte != 0) {
      into_[mask_] = static_cast<unsigned char>(into_[mask_] | bit_);
      into_[size_++] = byte;
    }
    bit_ <<= 1;
  }
  void begin_mask() {
    if (size_ + 9 > into_.size()) into_.resize(2 * size_ + 64);
    mask_ = size_++;
    into_[mask_] = 0;
    bit_ = 1;
  }

  std::vector<unsigned char>& into_;
  std::size_t size_ = 0;
  std::size_t mask_ = 0;  // its place
  unsigned bit_ = 0x100;  // of the next byte
};

/// Takes them again.
class state_unpacker {
 public:
  explicit state_unpacker(const unsigned char* from) : from_(from) {}

  template <class Value>
  void operator()(Value& value) {
    value = static_cast<Value>(take());
  }
  void word(word_t& value) {
    const unsigned mask = take();
    value = 0;
    for (unsigned i = 0; mask >> i != 0; ++i) {
      if ((mask >> i & 1U) != 0) value |= word_t{take()} << 8 * i;
    }
  }
  template <class Queue>
  void size(Queue& queue) {
    queue.resize(take());
  }

 private:
  unsigned char take() {
    if (bit_ == 0x100) {
      mask_ = *from_++;
      bit_ = 1;
    }
    const bool is_zero = (mask_ & bit_) == 0;
    bit_ <<= 1;
    return is_zero ? 0 : *from_++;
  }

  const unsigned char* from_;
  unsigned mask_ = 0;
  unsigned bit_ = 0x100;
};

}  // namespace tributary::testing
