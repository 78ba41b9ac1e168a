// SPDX-License-Identifier: Apache-2.0
// What travels through the network: a request towards memory, a reply towards its processor.
#pragma once

#include <cstdint>
#include <string>

#include <tributary/memory/operation.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>

namespace tributary {

/// Identity of a request: its processing element and that element's own sequence number, so that
/// no counter is shared between elements.
struct request_id {
  std::uint32_t sequence = 0;
  std::uint16_t pe = 0;

  TRIBUTARY_STATE(sequence, pe);
};

constexpr bool operator==(const request_id& x, const request_id& y) {
  return x.sequence == y.sequence && x.pe == y.pe;
}
constexpr bool operator!=(const request_id& x, const request_id& y) { return !(x == y); }
constexpr bool operator<(const request_id& x, const request_id& y) {
  return x.pe != y.pe ? x.pe < y.pe : x.sequence < y.sequence;
}

/// Highest byte address that a packet can carry, exclusive: 48 bits of word address. The last word
/// of them is left out, so that no location is all ones (`word_store` marks free cells so).
inline constexpr std::uint64_t address_limit = (std::uint64_t{1} << 51) - word_bytes;

/// Bits of `packet::location` below the memory module.
inline constexpr unsigned location_word_bits = 48;

/// The byte address of the word at a location, a multiple of 8.
constexpr std::uint64_t address_of(std::uint64_t location) {
  return (location & ((std::uint64_t{1} << location_word_bits) - 1)) * word_bytes;
}

/// A request inside the network; 32 bytes in one cache line, because the cache footprint bounds
/// large machines.
struct alignas(32) packet {
  /// Memory module in the upper 16 bits, word address (byte address / 8) in the lower 48. The
  /// module is a function of the address, so two requests address one word iff these are equal.
  std::uint64_t location = 0;
  word_t a = 0;
  word_t b = 0;
  std::uint32_t sequence = 0;
  std::uint16_t pe = 0;
  form kind = form::identity;
  std::uint8_t combinable = 1;

  constexpr request_id id() const { return {sequence, pe}; }
  constexpr word_function function() const { return {kind, a, b}; }
  constexpr void set_function(const word_function& f) {
    kind = f.kind;
    a = f.a;
    b = f.b;
  }
  constexpr mm_id module() const {
    return mm_id{static_cast<std::uint32_t>(location >> location_word_bits)};
  }
  /// Byte address of the word, a multiple of 8.
  constexpr std::uint64_t address() const { return address_of(location); }

  TRIBUTARY_STATE(location, a, b, sequence, pe, kind, combinable);
};

static_assert(sizeof(packet) == 32);

/// The location of a word: its module and its byte address, which must be a multiple of 8 below
/// `address_limit`.
constexpr std::uint64_t location_of(mm_id module, std::uint64_t address) {
  return (static_cast<std::uint64_t>(index(module)) << location_word_bits) | (address / word_bytes);
}

constexpr bool operator==(const packet& x, const packet& y) {
  return x.location == y.location && x.function() == y.function() && x.id() == y.id() &&
         x.combinable == y.combinable;
}
constexpr bool operator!=(const packet& x, const packet& y) { return !(x == y); }

/// A response on its way back: the word that memory held, for the request of that identity.
struct reply {
  word_t value = 0;
  std::uint32_t sequence = 0;
  std::uint16_t pe = 0;
  /// 0 if it was served, else why the memory side refused it (`status_of`,
  /// systemc/memory_access.h); a response that a wait buffer yields has that of the response that
  /// brought it.
  std::uint8_t status = 0;

  constexpr request_id id() const { return {sequence, pe}; }

  TRIBUTARY_STATE(value, sequence, pe, status);
};

static_assert(sizeof(reply) == 16);

constexpr bool operator==(const reply& x, const reply& y) {
  return x.value == y.value && x.id() == y.id() && x.status == y.status;
}
constexpr bool operator!=(const reply& x, const reply& y) { return !(x == y); }

/// For people: "request 17 of element 5".
std::string to_string(const request_id& id);
/// The same with all fields of the request.
std::string to_string(const packet& request);
/// The same with all fields of the response.
std::string to_string(const reply& response);

}  // namespace tributary
