// SPDX-License-Identifier: Apache-2.0
// JSON values that know where they were written, for messages that name the place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace tributary {

struct json_member;

/// A JSON value that keeps the order of its members and remembers where it was written.
/// Accessors throw `error` when the value is of another kind: ask first.
class json_value {
 public:
  using array_type = std::vector<json_value>;
  using object_type = std::vector<json_member>;

  // Those that make or destroy contents are defined in json_document.cpp, where `json_member` is
  // complete: C++20 compilers ask for it.
  json_value();  ///< null
  json_value(const json_value& other);
  json_value(json_value&& other) noexcept;
  json_value& operator=(const json_value& other);
  json_value& operator=(json_value&& other) noexcept;
  ~json_value();
  explicit json_value(bool value);
  template <class T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
  explicit json_value(T value)
      : json_value(whole_number{value < T{0}, static_cast<std::uint64_t>(value)}) {}
  explicit json_value(double value);
  explicit json_value(std::string value);
  explicit json_value(const char* value);

  static json_value make_array();
  static json_value make_object();

  bool is_null() const noexcept { return holds<std::monostate>(); }
  bool is_boolean() const noexcept { return holds<bool>(); }
  /// A whole number from 0 to 2^64 - 1.
  bool is_unsigned() const noexcept { return holds<std::uint64_t>(); }
  /// A whole number below 0.
  bool is_negative() const noexcept { return holds<std::int64_t>(); }
  /// Written with a point or exponent, or beyond 64 bits.
  bool is_real() const noexcept { return holds<double>(); }
  /// Any of the three.
  bool is_number() const noexcept { return is_unsigned() || is_negative() || is_real(); }
  bool is_string() const noexcept { return holds<std::string>(); }
  bool is_array() const noexcept { return holds<array_type>(); }
  bool is_object() const noexcept { return holds<object_type>(); }

  bool as_boolean() const;
  std::uint64_t as_unsigned() const;
  std::int64_t as_negative() const;
  double as_number() const;  ///< any number, rounded to double
  const std::string& as_string() const;
  const array_type& as_array() const;
  const object_type& as_object() const;

  /// The member of an object, or nullptr; nullptr too if this is no object.
  const json_value* find(std::string_view key) const noexcept;
  json_value* find(std::string_view key) noexcept;

  /// Gives an object's member a value: replaces it, or appends it at the end. Returns the member.
  json_value& set(std::string key, json_value value);

  /// Appends a member with its place to an object that does not have its key yet.
  void append_member(json_member member);

  /// Appends to an array.
  void push_back(json_value value);

  /// JSON text, ending without a newline; `indent` spaces a level, or one line for indent 0.
  /// A number that is not finite is written as null, which is what JSON has for it.
  std::string to_text(int indent = 2) const;

  /// For messages: `the string "4"`, `the number 4.0`, `an object`; long ones are cut.
  std::string describe() const;

  /// Where the value begins, from 1; 0 for values made in code.
  std::uint32_t line() const noexcept { return line_; }
  std::uint32_t column() const noexcept { return column_; }
  void set_place(std::uint32_t line, std::uint32_t column) noexcept {
    line_ = line;
    column_ = column;
  }

  /// Equal content; places do not count, the order of members does.
  bool operator==(const json_value& other) const;
  bool operator!=(const json_value& other) const { return !(*this == other); }

 private:
  // Any whole number, as its 64 bits in two's complement.
  struct whole_number {
    bool is_negative;
    std::uint64_t bits;
  };
  explicit json_value(whole_number value);

  template <class T>
  bool holds() const noexcept {
    return std::holds_alternative<T>(content_);
  }

  std::variant<std::monostate, bool, std::uint64_t, std::int64_t, double, std::string, array_type,
               object_type>
      content_;
  std::uint32_t line_ = 0;
  std::uint32_t column_ = 0;
};

/// One member of an object; the place of the key is that of the member.
struct json_member {
  std::string key;
  json_value value;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

bool operator==(const json_member& a, const json_member& b);

/// A parsed JSON text and the name of its source, which every message about it begins with.
/// Strict: no comments, no duplicate keys, nothing after the value, at most 100 levels deep.
class json_document {
 public:
  /// Throws `input_error` with path, line and column.
  static json_document from_file(const std::string& path);
  /// `source_name` stands in messages for the file's path.
  static json_document from_text(std::string_view text, std::string source_name);

  const json_value& root() const noexcept { return root_; }
  const std::string& source_name() const noexcept { return source_name_; }

  /// "run.json, line 4, column 12"
  std::string place(const json_value& value) const;

 private:
  json_document(json_value root, std::string source_name)
      : root_(std::move(root)), source_name_(std::move(source_name)) {}

  json_value root_;
  std::string source_name_;
};

/// "run.json, line 4, column 12", or only the source's name if the line is 0.
std::string json_place(const std::string& source_name, std::uint32_t line, std::uint32_t column);

/// The shortest text that reads back as the same number, always with a point or an exponent;
/// "nan", "inf" or "-inf" if it is not finite.
std::string number_text(double value);

}  // namespace tributary
