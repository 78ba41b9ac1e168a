// SPDX-License-Identifier: Apache-2.0
// Typed parameters with unit, range and description, bound to plain structs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tributary/sim/error.h>
#include <tributary/sim/json_document.h>

namespace tributary {

/// The values a number may take, both ends included.
template <class T>
struct interval {
  T low;
  T high;
};

/// What `tributary describe` prints of one parameter; everything as text.
struct parameter_description {
  std::string name;
  std::string type;  ///< integer, number, boolean, text, choice or list
  std::string unit;  ///< empty if it has none
  std::string default_value;
  std::string range;
  std::string description;
};

/// A group of parameters by its dotted name.
struct group_description {
  std::string name;
  std::string description;
};

class parameter_set;

namespace detail {

/// A choice among named values of an enumeration that the set need not know.
struct choice_access {
  std::vector<std::string> names;
  std::function<std::size_t()> get;  ///< index of the current value's name; names.size() if none
  std::function<void(std::size_t)> set;
};

/// A list of configuration structs that the set need not know.
class list_access {
 public:
  list_access() = default;
  list_access(const list_access&) = delete;
  list_access& operator=(const list_access&) = delete;
  virtual ~list_access() = default;

  virtual std::size_t size() const = 0;
  virtual void bind(std::size_t element, parameter_set& set) = 0;
  /// A list of its own with `size` elements at their defaults.
  virtual std::unique_ptr<list_access> fresh(std::size_t size) const = 0;
  /// Exchanges the elements with a list made by `fresh`; references to elements stay valid.
  virtual void swap(list_access& made_by_fresh) noexcept = 0;
};

template <class S>
class vector_access;

}  // namespace detail

/// The parameters of a plain configuration struct by their names, bound to its members.
///
/// A struct says what it has in `void bind(parameter_set& set)`; the set then reads the members
/// from JSON and from `--set key=value`, checks them, and describes and prints them. A member's
/// value at binding is its default, and is checked then. The struct must outlive the set and stay
/// where it is, and only it may resize its bound vectors.
/// Nothing is half read: on an error no member has changed.
/// Errors: `configuration_error` for keys and values, `input_error` for files and broken JSON,
/// `error` for a struct that binds one name twice.
class parameter_set {
 public:
  parameter_set();
  ~parameter_set();
  parameter_set(parameter_set&& other) noexcept;
  parameter_set& operator=(parameter_set&& other) noexcept;

  /// A set with everything that `configuration` binds.
  template <class S>
  static parameter_set of(S& configuration) {
    parameter_set set;
    configuration.bind(set);
    return set;
  }

  // What a struct's bind calls. Names are lower case, digits and underscores; no dots.
  /// `Number`: std::uint32_t, std::uint64_t or double.
  template <class Number>
  void add(const std::string& name, Number& value, interval<Number> range, const std::string& unit,
           const std::string& description);
  void add(const std::string& name, bool& value, const std::string& description);
  void add(const std::string& name, std::string& value, const std::string& description);

  /// A value of an enumeration, by name: `add_choice("queue", q, {{"A", queue::a}, ...}, "...")`.
  template <class E>
  void add_choice(const std::string& name, E& value,
                  const std::vector<std::pair<std::string, E>>& choices,
                  const std::string& description);

  /// A struct within the struct: its names get `name` and a dot in front.
  template <class S>
  void add_group(const std::string& name, S& group, const std::string& description) {
    const std::size_t outer = begin_group(name, description);
    group.bind(*this);
    end_group(outer);
  }

  /// A list of structs, in JSON an array of objects, which sets its length; an element that is not
  /// mentioned keeps S's defaults. Its names are `name.0.member`, which --set may address.
  template <class S>
  void add_list(const std::string& name, std::vector<S>& list, const std::string& description);

  /// Reads an object whose members are parameters, groups (nested or dotted names) and lists.
  void read_json_file(const std::string& path);
  void read_json_text(std::string_view text, const std::string& source_name);
  /// The same from a part of a document; messages name `source_name` and the place in it.
  void read(const json_value& object, const std::string& source_name);

  /// Sets one parameter from text as typed in a shell; a list takes a JSON array.
  void set(const std::string& name, const std::string& value_text,
           const std::string& source = "--set");
  /// The same from "name=value".
  void set_assignment(const std::string& assignment, const std::string& source = "--set");

  bool contains(const std::string& name) const;
  /// Every name that can be set, in order of declaration, elements of lists included.
  std::vector<std::string> names() const;
  /// Every parameter in order of declaration; a list's members once, as `regions[].base`.
  std::vector<parameter_description> describe() const;
  /// Every group in order of declaration.
  std::vector<group_description> groups() const;
  /// The current value of a parameter or list.
  json_value value(const std::string& name) const;
  /// All current values as nested objects, in order of declaration.
  json_value resolved() const;
  std::string resolved_json() const { return resolved().to_text(); }

  /// Where the value came from: "default", "run.json, line 4, column 12", "--set".
  std::string origin(const std::string& name) const;
  /// "network.slots = 4 (run.json, line 4, column 12)", to name a value in messages about
  /// combinations of parameters that cannot work.
  std::string assignment(const std::string& name) const;

 private:
  struct implementation;

  std::size_t begin_group(const std::string& name, const std::string& description);
  void end_group(std::size_t outer) noexcept;
  void add_bound_choice(const std::string& name, detail::choice_access access,
                        const std::string& description);
  void add_bound_list(const std::string& name, std::unique_ptr<detail::list_access> access,
                      const std::string& description);

  std::unique_ptr<implementation> implementation_;
};

/// Throws `configuration_error` if a value that was set in code is out of its range.
template <class S>
void check_ranges(S configuration) {
  parameter_set::of(configuration);
}

namespace detail {

template <class S>
class vector_access final : public list_access {
 public:
  explicit vector_access(std::vector<S>& list) : list_(&list) {}
  explicit vector_access(std::size_t size) : own_(size), list_(&own_) {}

  std::size_t size() const override { return list_->size(); }
  void bind(std::size_t element, parameter_set& set) override { (*list_)[element].bind(set); }
  std::unique_ptr<list_access> fresh(std::size_t size) const override {
    return std::make_unique<vector_access>(size);
  }
  void swap(list_access& made_by_fresh) noexcept override {
    list_->swap(*static_cast<vector_access&>(made_by_fresh).list_);
  }

 private:
  std::vector<S> own_;
  std::vector<S>* list_;
};

}  // namespace detail

template <class E>
void parameter_set::add_choice(const std::string& name, E& value,
                               const std::vector<std::pair<std::string, E>>& choices,
                               const std::string& description) {
  detail::choice_access access;
  std::vector<E> values;
  for (const auto& [choice_name, choice_value] : choices) {
    access.names.push_back(choice_name);
    values.push_back(choice_value);
  }
  E* const member = &value;
  access.get = [member, values] {
    std::size_t at = 0;
    while (at < values.size() && values[at] != *member) {
      ++at;
    }
    return at;
  };
  access.set = [member, values](std::size_t at) { *member = values[at]; };
  add_bound_choice(name, std::move(access), description);
}

template <class S>
void parameter_set::add_list(const std::string& name, std::vector<S>& list,
                             const std::string& description) {
  add_bound_list(name, std::make_unique<detail::vector_access<S>>(list), description);
}

}  // namespace tributary
