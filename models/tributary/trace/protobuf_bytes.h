// SPDX-License-Identifier: Apache-2.0
// Messages of protocol buffers that are made for every event, and so in few instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include <protozero/types.hpp>
#include <protozero/varint.hpp>

namespace tributary {

/// Fields one behind the other. Room must be asked for before it is filled. Protozero's own writers
/// move what is in a message when it ends, and ask for room byte by byte; here a length has two
/// bytes whatever it is, which every reader takes.
class protobuf_bytes {
 public:
  /// Where a message began.
  enum class message_begin : std::size_t {};

  /// Begins anew, with room for so many bytes.
  void begin(std::size_t most) {
    if (room_.size() < most) room_.resize(most);
    end_ = room_.data();
  }
  std::string_view bytes() const {
    return {room_.data(), static_cast<std::size_t>(end_ - room_.data())};
  }

  /// Fields that were made before.
  void append(std::string_view fields) {
    std::memcpy(end_, fields.data(), fields.size());
    end_ += fields.size();
  }
  template <class Field>
  void varint(Field field, std::uint64_t value) {
    tag(field, protozero::pbf_wire_type::varint);
    end_ += protozero::add_varint_to_buffer(end_, value);
  }
  template <class Field>
  void fixed64(Field field, std::uint64_t value) {
    tag(field, protozero::pbf_wire_type::fixed64);
    for (unsigned bit = 0; bit < 64; bit += 8) *end_++ = static_cast<char>(value >> bit);
  }
  template <class Field>
  void text(Field field, std::string_view value) {
    tag(field, protozero::pbf_wire_type::length_delimited);
    end_ += protozero::add_varint_to_buffer(end_, value.size());
    append(value);
  }

  /// What follows, up to `end`, is the message: at most 16,383 bytes.
  template <class Field>
  message_begin begin_message(Field field) {
    tag(field, protozero::pbf_wire_type::length_delimited);
    end_ += bytes_of_length;
    return static_cast<message_begin>(end_ - room_.data());
  }
  void end(message_begin begin) {
    char* const first = room_.data() + static_cast<std::size_t>(begin);
    const auto length = static_cast<std::size_t>(end_ - first);
    first[-2] = static_cast<char>(length | 0x80U);
    first[-1] = static_cast<char>(length >> 7U);
  }

  /// Of a field with a number, tag included; of a message without what is in it.
  static constexpr std::size_t most_of_field = 12;

 private:
  static constexpr std::ptrdiff_t bytes_of_length = 2;

  template <class Field>
  void tag(Field field, protozero::pbf_wire_type type) {
    const auto number = static_cast<protozero::pbf_tag_type>(field);
    end_ += protozero::add_varint_to_buffer(end_, number << 3U | static_cast<std::uint32_t>(type));
  }

  std::vector<char> room_;
  char* end_ = nullptr;
};

}  // namespace tributary
