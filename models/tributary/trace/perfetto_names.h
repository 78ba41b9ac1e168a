// SPDX-License-Identifier: Apache-2.0
// Names in a Perfetto trace, found once for many events.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <tributary/trace/catalog.h>
#include <tributary/trace/event.h>
#include <tributary/trace/number_index.h>

namespace tributary {

/// The names that kinds of events bring, with numbers from 0.
class perfetto_names {
 public:
  struct numbered_name {
    std::size_t number = 0;
    std::string_view name;
  };
  struct kind_numbers {
    std::size_t own = 0;
    std::array<numbered_name, 3> stays{};  ///< of `event_kind::changes`
    bool has_joined = false;               ///< whether one of these is of who had joined
    std::size_t asked = 0;                 ///< of the details `asked` and `title`
    std::size_t title = 0;
  };

  explicit perfetto_names(const trace_catalog& catalog) : catalog_(catalog) {}

  const kind_numbers& of(const event_kind& kind) {
    const std::uint64_t key = reinterpret_cast<std::uintptr_t>(&kind);
    std::uint32_t& known = index_[key];
    if (known == number_index::none) {
      known = static_cast<std::uint32_t>(kinds_.size());
      kinds_.push_back(make(kind));
    }
    return kinds_[known];
  }
  std::size_t number_of(std::string_view name) {
    return numbers_.try_emplace(std::string(name), numbers_.size()).first->second;
  }

  /// The name of the value of a detail, which has the number `number`; empty if it has none. The
  /// text stays at its address.
  std::string_view of(const event_detail& detail, std::size_t number, std::uint64_t details) {
    const std::uint64_t value = detail.in(details);
    if (value >= most_values) return find(detail, value);
    std::vector<std::string_view>& known = values_[number];
    if (value >= known.size()) known.resize(value + 1);
    if (known[value].empty()) known[value] = find(detail, value);
    return known[value];
  }

 private:
  static constexpr std::uint64_t most_values = 1024;

  kind_numbers make(const event_kind& kind) {
    kind_numbers made;
    made.own = number_of(kind.name);
    for (std::size_t i = 0; i < made.stays.size() && kind.changes[i].stay != nullptr; ++i) {
      made.stays[i] = {number_of(kind.changes[i].stay), kind.changes[i].stay};
      made.has_joined = made.has_joined || kind.changes[i].of_joined;
    }
    made.asked = number_of(kind.asked);
    made.title = number_of(kind.title);
    return made;
  }
  std::size_t number_of(const event_detail* detail) {
    const auto number = details_.try_emplace(detail, values_.size()).first->second;
    if (number == values_.size()) values_.emplace_back();
    return number;
  }
  std::string_view find(const event_detail& detail, std::uint64_t value) {
    const std::string* const name = catalog_.name_of(detail, value);
    return name == nullptr ? std::string_view() : *texts_.insert(*name).first;
  }

  const trace_catalog& catalog_;
  number_index index_;  // of kinds, by address
  std::vector<kind_numbers> kinds_;
  std::map<std::string, std::size_t> numbers_;  // of kinds and stays, by name
  std::map<const event_detail*, std::size_t> details_;
  std::vector<std::vector<std::string_view>> values_;  // by number of the detail and value
  std::set<std::string> texts_;
};

}  // namespace tributary
