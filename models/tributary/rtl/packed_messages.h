// SPDX-License-Identifier: Apache-2.0
// Messages as the RTL packs them (rtl/tributary_pkg.sv), in ports and registers of verilated
// models.
#pragma once

#include <cstdint>

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

/// Where the fields of messages lie, at the widths of a switch; by default those of `packet`.
class message_layout {
 public:
  constexpr explicit message_layout(const switch_parameters& widths = {}) : widths_(widths) {}

  constexpr unsigned id_bits() const { return widths_.SequenceWidth + widths_.ElementWidth; }
  constexpr unsigned operation_bits() const { return form_bits + 2 * widths_.DataWidth; }
  constexpr unsigned partner_bits() const { return id_bits() + operation_bits(); }
  constexpr unsigned request_bits() const {
    return widths_.ModuleWidth + widths_.AddressWidth + operation_bits() + id_bits() + 1;
  }
  constexpr unsigned response_bits() const {
    return widths_.StatusWidth + widths_.DataWidth + id_bits();
  }

  // The message of this place in a port that holds several.

  template <class Bits>
  request_id id_at(Bits& port, unsigned place = 0) const {
    packed_fields fields(port, id_bits() * place);
    return id(fields);
  }
  template <class Bits>
  packet request_at(Bits& port, unsigned place = 0) const {
    packed_fields fields(port, request_bits() * place);
    return request(fields);
  }
  template <class Bits>
  reply response_at(Bits& port, unsigned place = 0) const {
    packed_fields fields(port, response_bits() * place);
    return response(fields);
  }
  template <class Port>
  void set_request(Port& port, unsigned place, const packet& request) const {
    packed_fields fields(port, request_bits() * place);
    fields.set_next(1, request.combinable);
    set(fields, request.id());
    set(fields, request.function());
    fields.set_next(widths_.AddressWidth, request.location);
    fields.set_next(widths_.ModuleWidth, request.location >> location_word_bits);
  }
  template <class Port>
  void set_response(Port& port, unsigned place, const reply& response) const {
    packed_fields fields(port, response_bits() * place);
    set(fields, response.id());
    fields.set_next(widths_.DataWidth, response.value);
    fields.set_next(widths_.StatusWidth, response.status);
  }

  // A part of a message, from the fields that come next.

  template <class Bits>
  request_id id(packed_fields<Bits>& fields) const {
    const auto pe = static_cast<std::uint16_t>(fields.next(widths_.ElementWidth));
    return {static_cast<std::uint32_t>(fields.next(widths_.SequenceWidth)), pe};
  }
  template <class Bits>
  word_function operation(packed_fields<Bits>& fields) const {
    const word_t b = fields.next(widths_.DataWidth);
    const word_t a = fields.next(widths_.DataWidth);
    return {static_cast<form>(fields.next(form_bits)), a, b};
  }
  template <class Bits>
  packet request(packed_fields<Bits>& fields) const {
    packet read;
    read.combinable = static_cast<std::uint8_t>(fields.next(1));
    const request_id sender = id(fields);
    read.sequence = sender.sequence;
    read.pe = sender.pe;
    read.set_function(operation(fields));
    const std::uint64_t word = fields.next(widths_.AddressWidth);
    read.location = fields.next(widths_.ModuleWidth) << location_word_bits | word;
    return read;
  }
  template <class Bits>
  reply response(packed_fields<Bits>& fields) const {
    const request_id asker = id(fields);
    const word_t value = fields.next(widths_.DataWidth);
    return {value, asker.sequence, asker.pe,
            static_cast<std::uint8_t>(fields.next(widths_.StatusWidth))};
  }

  template <class Port>
  void set(packed_fields<Port>& fields, const request_id& id) const {
    fields.set_next(widths_.ElementWidth, id.pe);
    fields.set_next(widths_.SequenceWidth, id.sequence);
  }
  template <class Port>
  void set(packed_fields<Port>& fields, const word_function& operation) const {
    fields.set_next(widths_.DataWidth, operation.b);
    fields.set_next(widths_.DataWidth, operation.a);
    fields.set_next(form_bits, static_cast<std::uint64_t>(operation.kind));
  }

 private:
  static constexpr unsigned form_bits = 3;

  switch_parameters widths_;
};

}  // namespace tributary
