// SPDX-License-Identifier: Apache-2.0
#include <tributary/sim/parameters.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <system_error>
#include <type_traits>

#include <tributary/sim/names.h>

namespace tributary {

namespace {

// An assignment that has been checked and cannot fail any more.
using change = std::function<void()>;

std::string quoted(const std::string& text) { return json_value(text).to_text(0); }

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += text.empty() ? name : " | " + name;
  }
  return text;
}

/// The unit 1 is no word: "0 to 1", not "0 to 1 1".
std::string with_unit(const std::string& range, const std::string& unit) {
  return unit.empty() || unit == "1" ? range : range + " " + unit;
}

template <class T>
std::string range_text(const interval<T>& range) {
  if constexpr (std::is_floating_point_v<T>) {
    const bool no_low = range.low <= std::numeric_limits<T>::lowest();
    const bool no_high = range.high >= std::numeric_limits<T>::max();
    if (no_low) {
      return no_high ? "any finite number" : fmt::format("{} or less", range.high);
    }
    return no_high ? fmt::format("{} or more", range.low)
                   : fmt::format("{} to {}", range.low, range.high);
  } else {
    return range.high == std::numeric_limits<T>::max()
               ? fmt::format("{} or more", range.low)
               : fmt::format("{} to {}", range.low, range.high);
  }
}

template <class T>
std::optional<T> parsed(std::string_view text) {
  T value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || text.empty()) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::uint64_t> parsed_hexadecimal(std::string_view text) {
  if (text.substr(0, 2) != "0x" && text.substr(0, 2) != "0X") {
    return std::nullopt;
  }
  std::uint64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, problem] = std::from_chars(text.data() + 2, last, value, 16);
  if (problem != std::errc() || end != last || text.size() == 2) {
    return std::nullopt;
  }
  return value;
}

// What was typed as a number, as the JSON value it would be in a file; a string if it is none.
json_value number_from_text(const std::string& text) {
  if (const auto value = parsed<std::uint64_t>(text)) {
    return json_value(*value);
  }
  if (const auto value = parsed<std::int64_t>(text)) {
    return json_value(*value);
  }
  if (const auto value = parsed<double>(text)) {
    return json_value(*value);
  }
  return json_value(text);
}

// Puts a value into nested objects, "network.slots" into {"network": {"slots": ...}}.
void set_nested(json_value& object, const std::string& name, json_value value) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) {
    object.set(name, std::move(value));
    return;
  }
  const std::string group = name.substr(0, dot);
  json_value* inner = object.find(group);
  if (inner == nullptr) {
    inner = &object.set(group, json_value::make_object());
  }
  set_nested(*inner, name.substr(dot + 1), std::move(value));
}

}  // namespace

struct parameter_set::implementation {
  class parameter;
  template <class T>
  class number_parameter;
  class flag_parameter;
  class text_parameter;
  class choice_parameter;
  class list_parameter;
  struct staged_change;

  explicit implementation(std::string names_begin_with)
      : root(std::move(names_begin_with)), prefix(root) {}

  template <class Parameter, class... Arguments>
  void add(const std::string& name, const std::string& unit, const std::string& description,
           Arguments&&... arguments);
  parameter* own(const std::string& name) const;
  parameter* find(const std::string& name) const;
  parameter& need(const std::string& name, const std::string& source) const;
  bool is_group(const std::string& name) const;
  std::vector<std::string> own_names() const;
  std::vector<std::string> all_names() const;
  [[noreturn]] void fail_unknown(const std::string& name, const std::string& source,
                                 const std::vector<std::string>& known) const;
  void stage(const json_value& object, const std::string& inside, const std::string& source,
             std::vector<staged_change>& changes) const;
  void stage_member(const json_member& member, const std::string& name, const std::string& source,
                    std::vector<staged_change>& changes) const;

  const std::string root;  ///< what all names begin with: empty, or "regions.0." in a list
  std::string prefix;      ///< the root and the groups being bound
  std::vector<std::unique_ptr<parameter>> parameters;
  std::vector<group_description> groups;
};

// One named member of a configuration struct.
class parameter_set::implementation::parameter {
 public:
  /// What a struct's bind says of every kind of parameter.
  struct declaration {
    std::string name;
    std::string unit;
    std::string description;
  };

  explicit parameter(declaration declared) : declared_(std::move(declared)) {}
  parameter(const parameter&) = delete;
  parameter& operator=(const parameter&) = delete;
  virtual ~parameter() = default;

  const std::string& name() const noexcept { return declared_.name; }
  const std::string& unit() const noexcept { return declared_.unit; }
  const std::string& origin() const noexcept { return origin_; }
  void set_origin(const std::string& origin) { origin_ = origin; }

  // Called once the value is bound: keeps it as the default and checks it.
  void keep_default() {
    default_ = value_text();
    accept(value(), "");
  }

  virtual const char* type() const = 0;
  virtual std::string range() const = 0;
  virtual json_value value() const = 0;
  // Checks a value and returns how to take it over; `source` is what messages say it came from.
  virtual change accept(const json_value& value, const std::string& source) = 0;
  // What was typed in a shell, as the value that it would be in a file.
  virtual json_value from_text(const std::string& text, const std::string& /*source*/) const {
    return json_value(text);
  }
  virtual std::string value_text() const { return value().to_text(0); }
  // The set that holds `name`, if this is a list and has it in one of its elements.
  virtual parameter* find_inside(const std::string&) const { return nullptr; }
  virtual void append_names(std::vector<std::string>& names) const { names.push_back(name()); }
  virtual void append_descriptions(std::vector<parameter_description>& rows) const {
    rows.push_back({name(), type(), unit(), default_, range(), declared_.description});
  }

 protected:
  [[noreturn]] void fail(const json_value& found, const std::string& source,
                         const std::string& problem, const std::string& advice) const {
    throw configuration_error(
        configuration_problem{name(), json_place(source, found.line(), found.column()), problem,
                              with_unit(range(), unit()), advice});
  }
  [[noreturn]] void fail_kind(const json_value& found, const std::string& source,
                              const char* expected, const char* advice) const {
    fail(found, source, fmt::format("expected {}, found {}", expected, found.describe()), advice);
  }

 private:
  declaration declared_;
  std::string default_;
  std::string origin_ = "default";
};

template <class T>
class parameter_set::implementation::number_parameter final : public parameter {
 public:
  number_parameter(declaration declared, T& member, interval<T> range)
      : parameter(std::move(declared)), member_(member), range_(range) {}

  const char* type() const override { return is_real ? "number" : "integer"; }
  std::string range() const override { return range_text(range_); }
  json_value value() const override { return json_value(member_); }

  json_value from_text(const std::string& text, const std::string&) const override {
    return number_from_text(text);
  }

  change accept(const json_value& value, const std::string& source) override {
    const T accepted = is_real ? real(value, source) : integer(value, source);
    return [this, accepted] { member_ = accepted; };
  }

 private:
  static constexpr bool is_real = std::is_floating_point_v<T>;

  T real(const json_value& value, const std::string& source) const {
    if (!value.is_number()) {
      fail_kind(value, source, "a number", "write a number without quotes");
    }
    const double number = value.as_number();
    if (!std::isfinite(number)) {
      fail(value, source, number_text(number) + " is not a finite number",
           "choose a value in the range");
    }
    return in_range(number, value, source);
  }

  T integer(const json_value& value, const std::string& source) const {
    if (value.is_unsigned()) {
      return in_range(value.as_unsigned(), value, source);
    }
    if (value.is_negative()) {
      fail_range(value, source);
    }
    if (value.is_string()) {
      if (const auto number = parsed_hexadecimal(value.as_string())) {
        return in_range(*number, value, source);
      }
    }
    fail_kind(value, source, "an integer",
              "write a whole number without quotes or decimal point, or \"0x...\" in hexadecimal");
  }

  template <class Number>
  T in_range(Number number, const json_value& value, const std::string& source) const {
    if (!(number >= static_cast<Number>(range_.low) &&
          number <= static_cast<Number>(range_.high))) {
      fail_range(value, source);
    }
    return static_cast<T>(number);
  }

  [[noreturn]] void fail_range(const json_value& value, const std::string& source) const {
    fail(value, source,
         with_unit(value.is_string() ? value.as_string() : value.to_text(0), unit()) +
             " is out of range",
         "choose a value in the range");
  }

  T& member_;
  interval<T> range_;
};

class parameter_set::implementation::flag_parameter final : public parameter {
 public:
  flag_parameter(declaration declared, bool& member)
      : parameter(std::move(declared)), member_(member) {}

  const char* type() const override { return "boolean"; }
  std::string range() const override { return "true | false"; }
  json_value value() const override { return json_value(member_); }

  json_value from_text(const std::string& text, const std::string&) const override {
    return text == "true" || text == "false" ? json_value(text == "true") : json_value(text);
  }

  change accept(const json_value& value, const std::string& source) override {
    if (!value.is_boolean()) {
      fail_kind(value, source, "true or false", "write true or false, without quotes");
    }
    const bool accepted = value.as_boolean();
    return [this, accepted] { member_ = accepted; };
  }

 private:
  bool& member_;
};

class parameter_set::implementation::text_parameter final : public parameter {
 public:
  text_parameter(declaration declared, std::string& member)
      : parameter(std::move(declared)), member_(member) {}

  const char* type() const override { return "text"; }
  std::string range() const override { return "any text"; }
  json_value value() const override { return json_value(member_); }

  change accept(const json_value& value, const std::string& source) override {
    if (!value.is_string()) {
      fail_kind(value, source, "a text", "write it between double quotes");
    }
    const auto accepted = std::make_shared<std::string>(value.as_string());
    return [this, accepted] { member_.swap(*accepted); };
  }

 private:
  std::string& member_;
};

class parameter_set::implementation::choice_parameter final : public parameter {
 public:
  choice_parameter(declaration declared, detail::choice_access access)
      : parameter(std::move(declared)), access_(std::move(access)) {}

  const char* type() const override { return "choice"; }
  std::string range() const override { return joined(access_.names); }

  json_value value() const override {
    const std::size_t at = access_.get();
    return at < access_.names.size() ? json_value(access_.names[at]) : json_value();
  }

  change accept(const json_value& value, const std::string& source) override {
    if (!value.is_string()) {
      fail_kind(value, source, "the name of a choice",
                "write one of the names between double quotes");
    }
    const std::string& wanted = value.as_string();
    const auto found = std::find(access_.names.begin(), access_.names.end(), wanted);
    if (found == access_.names.end()) {
      fail(value, source, quoted(wanted) + " is not a choice",
           did_you_mean(wanted, access_.names, "choose one of the names"));
    }
    const auto at = static_cast<std::size_t>(found - access_.names.begin());
    return [this, at] { access_.set(at); };
  }

 private:
  detail::choice_access access_;
};

class parameter_set::implementation::list_parameter final : public parameter {
 public:
  list_parameter(declaration declared, std::unique_ptr<detail::list_access> access)
      : parameter(std::move(declared)),
        access_(std::move(access)),
        elements_(bind_elements(*access_)) {}

  const char* type() const override { return "list"; }
  std::string range() const override { return "an array of objects"; }
  std::string value_text() const override {
    return fmt::format("{} element{}", elements_.size(), elements_.size() == 1 ? "" : "s");
  }

  json_value value() const override {
    json_value array = json_value::make_array();
    for (const parameter_set& element : elements_) {
      array.push_back(element.resolved());
    }
    return array;
  }

  json_value from_text(const std::string& text, const std::string& source) const override {
    return json_document::from_text(text, source).root();
  }

  change accept(const json_value& value, const std::string& source) override {
    if (!value.is_array()) {
      fail_kind(value, source, "an array", "write objects between [ and ]");
    }
    const json_value::array_type& objects = value.as_array();
    const std::shared_ptr<detail::list_access> list = access_->fresh(objects.size());
    const auto sets = std::make_shared<std::vector<parameter_set>>(bind_elements(*list));
    for (std::size_t i = 0; i < objects.size(); ++i) {
      (*sets)[i].read(objects[i], source);
    }
    return [this, list, sets] {
      access_->swap(*list);
      elements_.swap(*sets);
    };
  }

  parameter* find_inside(const std::string& name) const override {
    for (const parameter_set& element : elements_) {
      if (parameter* const found = element.implementation_->find(name)) {
        return found;
      }
    }
    return nullptr;
  }

  void append_names(std::vector<std::string>& names) const override {
    parameter::append_names(names);
    for (const parameter_set& element : elements_) {
      for (const auto& each : element.implementation_->parameters) {
        each->append_names(names);
      }
    }
  }

  void append_descriptions(std::vector<parameter_description>& rows) const override {
    parameter::append_descriptions(rows);
    const std::unique_ptr<detail::list_access> example = access_->fresh(1);
    const parameter_set element = bind_element(*example, 0, name() + "[].");
    for (const auto& each : element.implementation_->parameters) {
      each->append_descriptions(rows);
    }
  }

 private:
  static parameter_set bind_element(detail::list_access& list, std::size_t at,
                                    const std::string& names_begin_with) {
    parameter_set set;
    set.implementation_ = std::make_unique<implementation>(names_begin_with);
    list.bind(at, set);
    return set;
  }

  std::vector<parameter_set> bind_elements(detail::list_access& list) const {
    std::vector<parameter_set> sets;
    for (std::size_t i = 0; i < list.size(); ++i) {
      sets.push_back(bind_element(list, i, fmt::format("{}.{}.", name(), i)));
    }
    return sets;
  }

  std::unique_ptr<detail::list_access> access_;
  std::vector<parameter_set> elements_;
};

struct parameter_set::implementation::staged_change {
  parameter* target;
  change apply;
  std::string origin;
};

template <class Parameter, class... Arguments>
void parameter_set::implementation::add(const std::string& name, const std::string& unit,
                                        const std::string& description, Arguments&&... arguments) {
  const std::string full_name = prefix + name;
  if (!is_plain_name(name)) {
    throw error(quoted(full_name) +
                " cannot be a parameter's name; use lower case letters, digits and underscores");
  }
  if (own(full_name) != nullptr || is_group(full_name)) {
    throw error("parameter " + full_name + " is bound twice; give one of the two another name");
  }
  auto added = std::make_unique<Parameter>(parameter::declaration{full_name, unit, description},
                                           std::forward<Arguments>(arguments)...);
  added->keep_default();
  parameters.push_back(std::move(added));
}

auto parameter_set::implementation::own(const std::string& name) const -> parameter* {
  for (const auto& each : parameters) {
    if (each->name() == name) {
      return each.get();
    }
  }
  return nullptr;
}

auto parameter_set::implementation::find(const std::string& name) const -> parameter* {
  for (const auto& each : parameters) {
    if (each->name() == name) {
      return each.get();
    }
    if (name.compare(0, each->name().size() + 1, each->name() + ".") == 0) {
      return each->find_inside(name);
    }
  }
  return nullptr;
}

auto parameter_set::implementation::need(const std::string& name, const std::string& source) const
    -> parameter& {
  parameter* const found = find(name);
  if (found == nullptr) {
    fail_unknown(name, source, all_names());
  }
  return *found;
}

bool parameter_set::implementation::is_group(const std::string& name) const {
  return std::any_of(groups.begin(), groups.end(),
                     [&name](const group_description& each) { return each.name == name; });
}

std::vector<std::string> parameter_set::implementation::own_names() const {
  std::vector<std::string> names;
  for (const group_description& each : groups) {
    names.push_back(each.name);
  }
  for (const auto& each : parameters) {
    names.push_back(each->name());
  }
  return names;
}

std::vector<std::string> parameter_set::implementation::all_names() const {
  std::vector<std::string> names;
  for (const auto& each : parameters) {
    each->append_names(names);
  }
  return names;
}

void parameter_set::implementation::fail_unknown(const std::string& name, const std::string& source,
                                                 const std::vector<std::string>& known) const {
  if (is_group(name)) {
    throw configuration_error(
        configuration_problem{name, source, "is a group of parameters", "",
                              "set one of its members, named " + name + ".member"});
  }
  throw configuration_error(configuration_problem{
      name, source, "unknown parameter", "",
      did_you_mean(name, known, "choose one of the names that `tributary describe` prints")});
}

void parameter_set::implementation::stage(const json_value& object, const std::string& inside,
                                          const std::string& source,
                                          std::vector<staged_change>& changes) const {
  if (!object.is_object()) {
    std::string key = inside;
    if (!key.empty()) {
      key.pop_back();
    }
    throw configuration_error(
        configuration_problem{key, json_place(source, object.line(), object.column()),
                              "expected an object of parameters, found " + object.describe(), "",
                              "write the parameters between { and }"});
  }
  for (const json_member& member : object.as_object()) {
    stage_member(member, inside + member.key, source, changes);
  }
}

void parameter_set::implementation::stage_member(const json_member& member, const std::string& name,
                                                 const std::string& source,
                                                 std::vector<staged_change>& changes) const {
  if (is_group(name)) {
    stage(member.value, name + ".", source, changes);
    return;
  }
  const std::string place = json_place(source, member.line, member.column);
  parameter* const found = own(name);
  if (found == nullptr && find(name) != nullptr) {
    throw configuration_error(
        configuration_problem{name, place, "an element of a list cannot be named in a file", "",
                              "write the whole list as an array of objects"});
  }
  if (found == nullptr) {
    fail_unknown(name, place, own_names());
  }
  for (const staged_change& each : changes) {
    if (each.target == found) {
      throw configuration_error(configuration_problem{
          name, place, "was given already (" + each.origin + ")", "", "keep one of the two"});
    }
  }
  changes.push_back({found, found->accept(member.value, source),
                     json_place(source, member.value.line(), member.value.column())});
}

parameter_set::parameter_set() : implementation_(std::make_unique<implementation>(std::string())) {}
parameter_set::~parameter_set() = default;
parameter_set::parameter_set(parameter_set&& other) noexcept = default;
parameter_set& parameter_set::operator=(parameter_set&& other) noexcept = default;

template <class Number>
void parameter_set::add(const std::string& name, Number& value, interval<Number> range,
                        const std::string& unit, const std::string& description) {
  using parameter = implementation::number_parameter<Number>;
  implementation_->add<parameter>(name, unit, description, value, range);
}
template void parameter_set::add(const std::string&, std::uint32_t&, interval<std::uint32_t>,
                                 const std::string&, const std::string&);
template void parameter_set::add(const std::string&, std::uint64_t&, interval<std::uint64_t>,
                                 const std::string&, const std::string&);
template void parameter_set::add(const std::string&, double&, interval<double>, const std::string&,
                                 const std::string&);

void parameter_set::add(const std::string& name, bool& value, const std::string& description) {
  implementation_->add<implementation::flag_parameter>(name, "", description, value);
}

void parameter_set::add(const std::string& name, std::string& value,
                        const std::string& description) {
  implementation_->add<implementation::text_parameter>(name, "", description, value);
}

void parameter_set::add_bound_choice(const std::string& name, detail::choice_access access,
                                     const std::string& description) {
  implementation_->add<implementation::choice_parameter>(name, "", description, std::move(access));
}

void parameter_set::add_bound_list(const std::string& name,
                                   std::unique_ptr<detail::list_access> access,
                                   const std::string& description) {
  implementation_->add<implementation::list_parameter>(name, "", description, std::move(access));
}

std::size_t parameter_set::begin_group(const std::string& name, const std::string& description) {
  const std::string full_name = implementation_->prefix + name;
  if (!is_plain_name(name)) {
    throw error(quoted(full_name) +
                " cannot be a group's name; use lower case letters, digits and underscores");
  }
  if (implementation_->own(full_name) != nullptr) {
    throw error(full_name + " is bound as a parameter and as a group; rename one of the two");
  }
  if (!implementation_->is_group(full_name)) {
    implementation_->groups.push_back({full_name, description});
  }
  const std::size_t outer = implementation_->prefix.size();
  implementation_->prefix = full_name + ".";
  return outer;
}

void parameter_set::end_group(std::size_t outer) noexcept { implementation_->prefix.erase(outer); }

void parameter_set::read_json_file(const std::string& path) {
  const json_document document = json_document::from_file(path);
  read(document.root(), document.source_name());
}

void parameter_set::read_json_text(std::string_view text, const std::string& source_name) {
  read(json_document::from_text(text, source_name).root(), source_name);
}

void parameter_set::read(const json_value& object, const std::string& source_name) {
  std::vector<implementation::staged_change> changes;
  implementation_->stage(object, implementation_->root, source_name, changes);
  for (const implementation::staged_change& each : changes) {
    each.apply();
    each.target->set_origin(each.origin);
  }
}

void parameter_set::set(const std::string& name, const std::string& value_text,
                        const std::string& source) {
  implementation::parameter& parameter = implementation_->need(name, source);
  parameter.accept(parameter.from_text(value_text, source), source)();
  parameter.set_origin(source);
}

void parameter_set::set_assignment(const std::string& assignment, const std::string& source) {
  const std::size_t sign = assignment.find('=');
  if (sign == std::string::npos || sign == 0) {
    throw configuration_error(
        configuration_problem{"", source, quoted(assignment) + " is not an assignment", "key=value",
                              "write the parameter's name, an equals sign and its value"});
  }
  set(assignment.substr(0, sign), assignment.substr(sign + 1), source);
}

bool parameter_set::contains(const std::string& name) const {
  return implementation_->find(name) != nullptr;
}

std::vector<std::string> parameter_set::names() const { return implementation_->all_names(); }

std::vector<parameter_description> parameter_set::describe() const {
  std::vector<parameter_description> rows;
  for (const auto& each : implementation_->parameters) {
    each->append_descriptions(rows);
  }
  return rows;
}

std::vector<group_description> parameter_set::groups() const { return implementation_->groups; }

json_value parameter_set::value(const std::string& name) const {
  return implementation_->need(name, "").value();
}

json_value parameter_set::resolved() const {
  json_value object = json_value::make_object();
  for (const auto& each : implementation_->parameters) {
    set_nested(object, each->name().substr(implementation_->root.size()), each->value());
  }
  return object;
}

std::string parameter_set::origin(const std::string& name) const {
  return implementation_->need(name, "").origin();
}

std::string parameter_set::assignment(const std::string& name) const {
  const implementation::parameter& parameter = implementation_->need(name, "");
  return fmt::format("{} = {} ({})", name, parameter.value_text(), parameter.origin());
}

}  // namespace tributary
