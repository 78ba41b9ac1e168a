// SPDX-License-Identifier: Apache-2.0
// Records of protocol state in a node's memory, by named fields.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tributary/controller/handler_context.h>
#include <tributary/memory/word_memory.h>
#include <tributary/sim/error.h>

namespace tributary {

/// Where a record keeps one value: `bits` wide, from bit `bit` of byte `byte` up, within one
/// doubleword. Byte k of a doubleword is its bits 8k to 8k + 7, whatever the host's byte order.
///
/// One that crosses a doubleword does not compile as a constant, and throws `error` else.
struct record_field {
  std::string_view name;
  std::uint32_t byte;
  std::uint32_t bits;
  std::uint32_t bit;

  constexpr record_field(std::string_view called, std::uint32_t at_byte, std::uint32_t width,
                         std::uint32_t at_bit = 0)
      : name(called), byte(at_byte), bits(width), bit(at_bit) {
    if (width == 0 || at_bit > 7 || at_byte % 8 * 8 + at_bit + width > 64) {
      throw error("a field of a record has 1 to 64 bits within one doubleword");
    }
  }

  /// Offset in the record of the doubleword that holds the field.
  constexpr std::uint64_t word_offset() const { return std::uint64_t{byte} / 8 * 8; }
  constexpr std::uint32_t shift() const { return byte % 8 * 8 + bit; }
  /// The largest value.
  constexpr word_t limit() const { return ~word_t{0} >> (64 - bits); }

  constexpr word_t in(word_t word) const { return (word >> shift()) & limit(); }
  /// `word` with another value in the field; the value must not be above `limit`.
  constexpr word_t put(word_t word, word_t value) const {
    return (word & ~(limit() << shift())) | (value << shift());
  }
};

/// Whether the fields of one kind of record share no bit and no name, and none lies in the first
/// `reserved_bytes`, which others use, as the queue of deferred handlers does.
template <std::size_t N>
constexpr bool are_apart(const std::array<record_field, N>& fields, std::uint32_t reserved_bytes) {
  for (std::size_t i = 0; i < N; ++i) {
    const std::uint32_t begin = 8 * fields[i].byte + fields[i].bit;
    if (begin < 8 * reserved_bytes) return false;
    for (std::size_t j = 0; j < i; ++j) {
      const std::uint32_t other = 8 * fields[j].byte + fields[j].bit;
      const bool overlap = begin < other + fields[j].bits && other < begin + fields[i].bits;
      if (overlap || fields[i].name == fields[j].name) return false;
    }
  }
  return true;
}

namespace detail {

inline word_t load_word(handler_context& from, std::uint64_t address) { return from.load(address); }
inline word_t load_word(const word_memory& from, std::uint64_t address) {
  return from.read(address);
}
inline void store_word(handler_context& to, std::uint64_t address, word_t value) {
  to.store(address, value);
}
inline void store_word(word_memory& to, std::uint64_t address, word_t value) {
  to.write(address, value);
}

[[noreturn]] void refuse_value(const record_field& field, word_t value);

}  // namespace detail

/// A record at an address: `record(node, address).get(lines)` in a handler, by loads and stores;
/// the same over a `word_memory`, without time. Each access loads or stores a doubleword; a field
/// narrower than that is stored by a load and a store.
template <class Memory>
class record {
 public:
  /// `address` is a multiple of 8; `memory` must outlive the record.
  record(Memory& memory, std::uint64_t address) : memory_(memory), address_(address) {}

  std::uint64_t address() const { return address_; }

  word_t get(const record_field& field) const {
    return field.in(detail::load_word(memory_, address_ + field.word_offset()));
  }

  /// Throws `simulation_error` for a value that the field cannot hold.
  void set(const record_field& field, word_t value) {
    if (value > field.limit()) detail::refuse_value(field, value);
    const std::uint64_t at = address_ + field.word_offset();
    const word_t old = field.bits == 64 ? 0 : detail::load_word(memory_, at);
    detail::store_word(memory_, at, field.put(old, value));
  }

 private:
  Memory& memory_;
  std::uint64_t address_;
};

}  // namespace tributary
