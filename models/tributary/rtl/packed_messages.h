// SPDX-License-Identifier: Apache-2.0
// Messages as the RTL packs them (rtl/tributary_pkg.sv), in ports and registers of verilated
// models.
#pragma once

#include <cstdint>
#include <type_traits>

#include <tributary/memory/operation.h>
#include <tributary/memory/packet.h>
#include <tributary/network/omega/partner_pool.h>
#include <tributary/rtl/switch_parameters.h>
#include <tributary/rtl/verilated_bits.h>

namespace tributary {

/// Fields of a packed structure, read or written from its last one on. `Bits`: a port, or a
/// verilated_variable to read.
template <class Bits>
class packed_fields {
 public:
  packed_fields(Bits& port, unsigned first) : port_(port), at_(first) {}

  std::uint64_t next(unsigned width) { return bits(port_, advance(width), width); }
  void set_next(unsigned width, std::uint64_t value) {
    set_bits(port_, advance(width), width, value);
  }

 private:
  unsigned advance(unsigned width) {
    at_ += width;
    return at_ - width;
  }

  Bits& port_;
  unsigned at_;
};

/// Where the fields of messages lie, at the widths of a switch; by default those of `packet`. A
/// message is a `packet`, a `reply`, or a part of one: a `request_id` or a `word_function`.
class message_layout {
 public:
  constexpr explicit message_layout(const switch_parameters& widths = {}) : widths_(widths) {}

  template <class Message>
  constexpr unsigned bits_of() const {
    unsigned bits = 0;
    Message any{};
    for_each_field(any, [&bits](unsigned width, auto&) { bits += width; });
    return bits;
  }
  constexpr unsigned partner_bits() const {
    return bits_of<request_id>() + bits_of<word_function>();
  }

  /// The message of this place in a port that holds several.
  template <class Message, class Bits>
  Message read_at(Bits& port, unsigned place) const {
    packed_fields fields(port, bits_of<Message>() * place);
    return read<Message>(fields);
  }
  template <class Message, class Port>
  void set_at(Port& port, unsigned place, const Message& message) const {
    packed_fields fields(port, bits_of<Message>() * place);
    set(fields, message);
  }

  /// The message of the fields that come next.
  template <class Message, class Bits>
  Message read(packed_fields<Bits>& fields) const {
    Message message{};
    for_each_field(message, [&fields](unsigned width, auto& value) {
      value = static_cast<std::decay_t<decltype(value)>>(fields.next(width));
    });
    return message;
  }
  template <class Message, class Port>
  void set(packed_fields<Port>& fields, const Message& said) const {
    Message message = said;
    for_each_field(message, [&fields](unsigned width, auto value) {
      fields.set_next(width, static_cast<std::uint64_t>(value));
    });
  }

 private:
  static constexpr unsigned form_bits = 3;

  // Call `field(width, value)` from the last field on.

  template <class Field>
  constexpr void for_each_field(request_id& id, Field&& field) const {
    sender_fields(id, field);
  }
  template <class Field>
  constexpr void for_each_field(word_function& function, Field&& field) const {
    function_fields(function, field);
  }
  template <class Field>
  constexpr void for_each_field(packet& request, Field&& field) const {
    field(1, request.combinable);
    sender_fields(request, field);
    function_fields(request, field);
    std::uint64_t word = request.location;
    std::uint64_t module = request.location >> location_word_bits;
    field(widths_.AddressWidth, word);
    field(widths_.ModuleWidth, module);
    request.location = module << location_word_bits | word;
  }
  template <class Field>
  constexpr void for_each_field(reply& response, Field&& field) const {
    sender_fields(response, field);
    field(widths_.DataWidth, response.value);
    field(widths_.StatusWidth, response.status);
  }
  template <class Message, class Field>
  constexpr void sender_fields(Message& message, Field& field) const {
    field(widths_.ElementWidth, message.pe);
    field(widths_.SequenceWidth, message.sequence);
  }
  template <class Message, class Field>
  constexpr void function_fields(Message& message, Field& field) const {
    field(widths_.DataWidth, message.b);
    field(widths_.DataWidth, message.a);
    field(form_bits, message.kind);
  }

  switch_parameters widths_;
};

}  // namespace tributary
