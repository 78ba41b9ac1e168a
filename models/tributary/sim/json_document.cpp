// SPDX-License-Identifier: Apache-2.0
#include <tributary/sim/json_document.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include <tributary/sim/error.h>
#include <tributary/sim/text_file.h>

namespace tributary {

namespace {

constexpr std::size_t deepest_nesting = 100;
constexpr std::size_t longest_described = 60;

std::string quoted(const std::string& text) {
  using parser = nlohmann::json;
  return parser(text).dump(-1, ' ', false, parser::error_handler_t::replace);
}

struct text_place {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

// Walks through the text along with the parser, which does not tell where its tokens were: between
// two tokens there is nothing but white space, commas, colons and a byte order mark.
class token_locator {
 public:
  explicit token_locator(std::string_view text) : text_(text) {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") {
      at_ = line_start_ = 3;
    }
  }

  text_place next_token() {
    while (at_ < text_.size() && is_between_tokens(text_[at_])) {
      step();
    }
    const text_place start = place();
    skip_token();
    return start;
  }

  text_place place_of(std::size_t offset) {
    while (at_ < offset && at_ < text_.size()) {
      step();
    }
    return place();
  }

 private:
  static bool is_between_tokens(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',' || c == ':';
  }
  static bool is_bracket(char c) { return c == '{' || c == '}' || c == '[' || c == ']'; }

  text_place place() const { return {line_, static_cast<std::uint32_t>(at_ - line_start_ + 1)}; }

  void step() {
    if (text_[at_++] == '\n') {
      ++line_;
      line_start_ = at_;
    }
  }

  void skip_token() {
    if (at_ >= text_.size()) {
      return;
    }
    if (text_[at_] == '"') {
      skip_string();
    } else if (is_bracket(text_[at_])) {
      ++at_;
    } else {
      while (at_ < text_.size() && !is_between_tokens(text_[at_]) && !is_bracket(text_[at_])) {
        ++at_;
      }
    }
  }

  void skip_string() {
    ++at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::uint32_t line_ = 1;
};

// What the parser says behind its own name and its own way of giving the place.
std::string plain_reason(const std::string& message) {
  std::string reason = message.substr(std::min(message.find("] ") + 2, message.size()));
  if (reason.rfind("parse error", 0) == 0) {
    const std::size_t colon = reason.find(": ");
    reason = colon == std::string::npos ? reason : reason.substr(colon + 2);
  }
  return reason;
}

// Builds a value from the parser's events; its member functions have the names it asks for.
class value_builder {
 public:
  value_builder(std::string_view text, const std::string& source_name)
      : locator_(text), source_name_(source_name) {}

  json_value take_root() { return std::move(root_); }

  bool null() { return place(json_value()); }
  bool boolean(bool value) { return place(json_value(value)); }
  bool number_integer(std::int64_t value) { return place(json_value(value)); }
  bool number_unsigned(std::uint64_t value) { return place(json_value(value)); }
  bool number_float(double value, const std::string&) { return place(json_value(value)); }
  bool string(std::string& value) { return place(json_value(std::move(value))); }
  bool binary(const nlohmann::json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(json_value::make_object()); }
  bool start_array(std::size_t) { return open(json_value::make_array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(const std::string& key) {
    const text_place at = locator_.next_token();
    const auto [known, is_new] = open_.back().lines.emplace(key, at.line);
    if (!is_new) {
      fail(at, "key " + quoted(key) + " was given already in line " +
                   std::to_string(known->second) + "; keep one of the two");
    }
    open_.back().key = key;
    open_.back().key_place = at;
    return true;
  }

  template <class Exception>
  bool parse_error(std::size_t characters_read, const std::string&, const Exception& exception) {
    fail(locator_.place_of(characters_read == 0 ? 0 : characters_read - 1),
         "broken JSON: " + plain_reason(exception.what()) + "; correct the text there");
    return false;
  }

 private:
  // A container whose end has not been read, and where it goes then.
  struct container {
    json_value value;
    std::string key;
    text_place key_place;
    std::unordered_map<std::string, std::uint32_t> lines;  // of its keys so far
  };

  [[noreturn]] void fail(text_place at, const std::string& problem) const {
    throw input_error(json_place(source_name_, at.line, at.column) + ": " + problem);
  }

  bool open(json_value value) {
    const text_place at = locator_.next_token();
    if (open_.size() == deepest_nesting) {
      fail(at, fmt::format("values are nested more than {} deep; nest them less", deepest_nesting));
    }
    value.set_place(at.line, at.column);
    open_.push_back({std::move(value), {}, {}, {}});
    return true;
  }

  bool close() {
    locator_.next_token();
    json_value value = std::move(open_.back().value);
    open_.pop_back();
    insert(std::move(value));
    return true;
  }

  bool place(json_value value) {
    const text_place at = locator_.next_token();
    value.set_place(at.line, at.column);
    insert(std::move(value));
    return true;
  }

  void insert(json_value value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().value.is_array()) {
      open_.back().value.push_back(std::move(value));
    } else {
      container& parent = open_.back();
      parent.value.append_member(
          {parent.key, std::move(value), parent.key_place.line, parent.key_place.column});
    }
  }

  token_locator locator_;
  const std::string& source_name_;
  json_value root_;
  std::vector<container> open_;
};

[[noreturn]] void fail_kind(const json_value& value, const char* wanted) {
  throw error(value.describe() + " was taken for " + wanted + "; ask for its kind first");
}

template <class T, class Variant>
const T& content_as(const json_value& value, const Variant& content, const char* wanted) {
  const T* const held = std::get_if<T>(&content);
  if (held == nullptr) {
    fail_kind(value, wanted);
  }
  return *held;
}

void write_text(const json_value& value, int indent, int level, std::string& text);

void start_line(int indent, int level, std::string& text) {
  if (indent > 0) {
    text += '\n';
    text.append(static_cast<std::size_t>(indent) * static_cast<std::size_t>(level), ' ');
  }
}

void write_array(const json_value& value, int indent, int level, std::string& text) {
  // Numbers side by side: a histogram's bins are one line, not a page.
  const json_value::array_type& elements = value.as_array();
  const bool one_line = std::none_of(elements.begin(), elements.end(), [](const json_value& each) {
    return each.is_array() || each.is_object();
  });
  text += '[';
  const char* separator = "";
  for (const json_value& element : elements) {
    text += separator;
    separator = one_line && indent > 0 ? ", " : ",";
    if (!one_line) {
      start_line(indent, level + 1, text);
    }
    write_text(element, indent, level + 1, text);
  }
  if (!one_line) {
    start_line(indent, level, text);
  }
  text += ']';
}

void write_object(const json_value& value, int indent, int level, std::string& text) {
  text += '{';
  const char* separator = "";
  for (const json_member& member : value.as_object()) {
    text += separator;
    separator = ",";
    start_line(indent, level + 1, text);
    text += quoted(member.key) + (indent > 0 ? ": " : ":");
    write_text(member.value, indent, level + 1, text);
  }
  if (!value.as_object().empty()) {
    start_line(indent, level, text);
  }
  text += '}';
}

void write_text(const json_value& value, int indent, int level, std::string& text) {
  if (value.is_object()) {
    write_object(value, indent, level, text);
  } else if (value.is_array()) {
    write_array(value, indent, level, text);
  } else if (value.is_string()) {
    text += quoted(value.as_string());
  } else if (value.is_boolean()) {
    text += value.as_boolean() ? "true" : "false";
  } else if (value.is_unsigned()) {
    text += std::to_string(value.as_unsigned());
  } else if (value.is_negative()) {
    text += std::to_string(value.as_negative());
  } else if (value.is_real() && std::isfinite(value.as_number())) {
    text += number_text(value.as_number());
  } else {
    text += "null";
  }
}

std::string shortened(std::string text) {
  if (text.size() > longest_described) {
    // Not within a letter: bytes 10xxxxxx continue one in UTF-8.
    std::size_t end = longest_described;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
      --end;
    }
    text.resize(end);
    text += "...";
  }
  return text;
}

}  // namespace

json_value::json_value() = default;
json_value::json_value(const json_value& other) = default;
json_value::json_value(json_value&& other) noexcept = default;
json_value& json_value::operator=(const json_value& other) = default;
json_value& json_value::operator=(json_value&& other) noexcept = default;
json_value::~json_value() = default;

json_value::json_value(bool value) : content_(value) {}
json_value::json_value(double value) : content_(value) {}
json_value::json_value(std::string value) : content_(std::move(value)) {}
json_value::json_value(const char* value) : content_(std::string(value)) {}

json_value::json_value(whole_number value) {
  if (value.is_negative) {
    content_.emplace<std::int64_t>(static_cast<std::int64_t>(value.bits));
  } else {
    content_.emplace<std::uint64_t>(value.bits);
  }
}

json_value json_value::make_array() {
  json_value value;
  value.content_.emplace<array_type>();
  return value;
}

json_value json_value::make_object() {
  json_value value;
  value.content_.emplace<object_type>();
  return value;
}

bool json_value::as_boolean() const { return content_as<bool>(*this, content_, "true or false"); }
std::uint64_t json_value::as_unsigned() const {
  return content_as<std::uint64_t>(*this, content_, "an unsigned integer");
}
std::int64_t json_value::as_negative() const {
  return content_as<std::int64_t>(*this, content_, "a negative integer");
}
double json_value::as_number() const {
  if (is_unsigned()) {
    return static_cast<double>(as_unsigned());
  }
  return is_negative() ? static_cast<double>(as_negative())
                       : content_as<double>(*this, content_, "a number");
}
const std::string& json_value::as_string() const {
  return content_as<std::string>(*this, content_, "a string");
}
const json_value::array_type& json_value::as_array() const {
  return content_as<array_type>(*this, content_, "an array");
}
const json_value::object_type& json_value::as_object() const {
  return content_as<object_type>(*this, content_, "an object");
}

const json_value* json_value::find(std::string_view key) const noexcept {
  const object_type* const members = std::get_if<object_type>(&content_);
  if (members == nullptr) {
    return nullptr;
  }
  const auto found = std::find_if(members->begin(), members->end(),
                                  [key](const json_member& each) { return each.key == key; });
  return found == members->end() ? nullptr : &found->value;
}

json_value* json_value::find(std::string_view key) noexcept {
  return const_cast<json_value*>(std::as_const(*this).find(key));
}

json_value& json_value::set(std::string key, json_value value) {
  object_type* const members = std::get_if<object_type>(&content_);
  if (members == nullptr) {
    fail_kind(*this, "an object");
  }
  for (json_member& member : *members) {
    if (member.key == key) {
      member.value = std::move(value);
      return member.value;
    }
  }
  members->push_back({std::move(key), std::move(value), 0, 0});
  return members->back().value;
}

void json_value::append_member(json_member member) {
  std::get<object_type>(content_).push_back(std::move(member));
}

void json_value::push_back(json_value value) {
  array_type* const elements = std::get_if<array_type>(&content_);
  if (elements == nullptr) {
    fail_kind(*this, "an array");
  }
  elements->push_back(std::move(value));
}

std::string json_value::to_text(int indent) const {
  std::string text;
  write_text(*this, indent, 0, text);
  return text;
}

std::string json_value::describe() const {
  if (is_null()) {
    return "null";
  }
  if (is_object()) {
    return "an object";
  }
  if (is_array()) {
    return "an array";
  }
  const char* const kind = is_string() ? "the string " : is_number() ? "the number " : "";
  return kind + shortened(to_text(0));
}

bool json_value::operator==(const json_value& other) const { return content_ == other.content_; }

bool operator==(const json_member& a, const json_member& b) {
  return a.key == b.key && a.value == b.value;
}

json_document json_document::from_file(const std::string& path) {
  return from_text(read_whole_file(path), path);
}

json_document json_document::from_text(std::string_view text, std::string source_name) {
  value_builder builder(text, source_name);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return json_document(builder.take_root(), std::move(source_name));
}

std::string json_document::place(const json_value& value) const {
  return json_place(source_name_, value.line(), value.column());
}

std::string json_place(const std::string& source_name, std::uint32_t line, std::uint32_t column) {
  return line == 0 ? source_name : fmt::format("{}, line {}, column {}", source_name, line, column);
}

std::string number_text(double value) {
  std::string text = fmt::format("{}", value);
  if (std::isfinite(value) && text.find_first_of(".e") == std::string::npos) {
    text += ".0";
  }
  return text;
}

}  // namespace tributary
