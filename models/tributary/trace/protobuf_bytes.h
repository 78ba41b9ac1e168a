// SPDX-License-Identifier: Apache-2.0
// Messages of protocol buffers that are made for every event, and so in few instructions.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <protozero/types.hpp>
#include <protozero/varint.hpp>

#include <tributary/sim/text_file.h>

namespace tributary {

/// A few fields that are the same in many messages.
class protobuf_prefix {
 public:
  bool empty() const { return size_ == 0; }

 private:
  friend class protobuf_cursor;
  static constexpr std::size_t most = 32;

  std::array<char, most> bytes_{};
  std::size_t size_ = 0;
};

/// Fields that go one behind the other into room that is there. Protozero's own writers ask for
/// room byte by byte, and move what is in a message when it ends: five times the instructions.
/// Here a message leaves room for its length, which is padded; every reader takes that.
class protobuf_cursor {
 public:
  explicit protobuf_cursor(char* begin) : at_(begin) {}
  const char* at() const { return at_; }

  /// What `fill(cursor)` adds, at most 32 bytes.
  template <class Fill>
  static protobuf_prefix prefix(Fill&& fill) {
    protobuf_prefix made;
    protobuf_cursor into(made.bytes_.data());
    fill(into);
    made.size_ = static_cast<std::size_t>(into.at_ - made.bytes_.data());
    return made;
  }

  /// Fields that were made before.
  void append(const protobuf_prefix& fields) {
    std::memcpy(at_, fields.bytes_.data(), protobuf_prefix::most);  // of a size that is known
    at_ += fields.size_;
  }
  void append(std::string_view fields) { at_ = std::copy(fields.begin(), fields.end(), at_); }
  template <class Field>
  void varint(Field field, std::uint64_t value) {
    tag(field, protozero::pbf_wire_type::varint);
    at_ += protozero::add_varint_to_buffer(at_, value);
  }
  template <class Field>
  void fixed64(Field field, std::uint64_t value) {
    tag(field, protozero::pbf_wire_type::fixed64);
    for (unsigned bit = 0; bit < 64; bit += 8) *at_++ = static_cast<char>(value >> bit);
  }
  template <class Field>
  void text(Field field, std::string_view value) {
    tag(field, protozero::pbf_wire_type::length_delimited);
    at_ += protozero::add_varint_to_buffer(at_, value.size());
    append(value);
  }

  /// What `fill` adds to the cursor is the message: less than 128^`Bytes` bytes.
  template <std::size_t Bytes, class Field, class Fill>
  void message(Field field, Fill&& fill) {
    tag(field, protozero::pbf_wire_type::length_delimited);
    char* const length = at_;
    at_ += Bytes;
    fill();
    auto left = static_cast<std::size_t>(at_ - length) - Bytes;
    for (std::size_t i = 0; i + 1 < Bytes; ++i, left >>= 7U) {
      length[i] = static_cast<char>(left | 0x80U);
    }
    length[Bytes - 1] = static_cast<char>(left);
  }

 private:
  template <class Field>
  void tag(Field field, protozero::pbf_wire_type type) {
    const std::uint32_t tag =
        static_cast<protozero::pbf_tag_type>(field) << 3U | static_cast<std::uint32_t>(type);
    if (tag < 128) {  // known to the compiler, which leaves one or two stores
      *at_++ = static_cast<char>(tag);
    } else {
      at_ += protozero::add_varint_to_buffer(at_, tag);
    }
  }

  char* at_;
};

/// Messages on their way to a file, many at a time.
class protobuf_file {
 public:
  explicit protobuf_file(const std::string& path) : file_(path) {}

  /// Where the next message goes, with room for so many bytes.
  protobuf_cursor begin(std::size_t most) {
    if (room_.size() < used_ + most) {
      flush();
      if (room_.size() < most) room_.resize(most);
    }
    return protobuf_cursor(room_.data() + used_);
  }
  void end(const protobuf_cursor& end) {
    used_ = static_cast<std::size_t>(end.at() - room_.data());
  }
  void write(std::string_view message) {
    protobuf_cursor into = begin(message.size());
    into.append(message);
    end(into);
  }
  void commit() {
    flush();
    file_.commit();
  }

  /// Of a field with a number, tag included; of a message without what is in it.
  static constexpr std::size_t most_of_field = 12;

 private:
  void flush() {
    file_.write({room_.data(), used_});
    used_ = 0;
  }

  static constexpr std::size_t usual_room = std::size_t{1} << 16;
  text_writer file_;
  std::vector<char> room_ = std::vector<char>(usual_room);
  std::size_t used_ = 0;
};

}  // namespace tributary
