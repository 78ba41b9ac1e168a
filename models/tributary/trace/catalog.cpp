// SPDX-License-Identifier: Apache-2.0
#include <tributary/trace/catalog.h>

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <regex>
#include <utility>

namespace tributary {

track_id trace_catalog::add(track_group group) {
  const std::size_t first = tracks_;
  tracks_ += group.tracks();
  groups_.push_back({std::move(group), first});
  return static_cast<track_id>(first);
}

const trace_catalog::added_group& trace_catalog::group_of(track_id track) const {
  const auto behind = std::upper_bound(
      groups_.begin(), groups_.end(), static_cast<std::size_t>(track),
      [](std::size_t place, const added_group& each) { return place < each.first; });
  return *std::prev(behind);
}

const track_part& trace_catalog::part_of(track_id track) const {
  const auto& [group, first] = group_of(track);
  return group.parts[(static_cast<std::size_t>(track) - first) % group.parts.size()];
}

std::string trace_catalog::name_of(track_id track) const {
  const auto& [group, first] = group_of(track);
  std::string name;
  const auto append = [&name](const std::string& part) {
    if (!name.empty() && !part.empty()) name += '.';
    name += part;
  };
  append(group.prefix);
  if (!group.repeated.empty()) {
    const std::size_t number = (static_cast<std::size_t>(track) - first) / group.parts.size();
    append(group.repeated);
    append(std::to_string(number));
  }
  append(part_of(track).name);
  return name;
}

std::string trace_catalog::forms() const {
  const std::regex number("\\.[0-9]+");
  std::vector<std::string> forms;
  for (const added_group& each : groups_) {
    for (std::size_t part = 0; part < each.group.parts.size(); ++part) {
      const auto track = static_cast<track_id>(each.first + part);
      std::string form = std::regex_replace(name_of(track), number, ".N");
      if (std::find(forms.begin(), forms.end(), form) == forms.end()) forms.push_back(form);
    }
  }
  return fmt::format("{}", fmt::join(forms, ", "));
}

const std::string* trace_catalog::name_of(const event_detail& detail, std::uint64_t value) const {
  const auto found = names_.find(std::string_view(detail.name));
  return found == names_.end() || value >= found->second.size() ? nullptr : &found->second[value];
}

std::uint64_t trace_catalog::value_of(const event_detail& detail, std::string_view name) {
  std::vector<std::string>& names = names_[detail.name];
  const auto found = std::find(names.begin(), names.end(), name);
  const auto value = static_cast<std::uint64_t>(found - names.begin());
  if (found == names.end()) add(added_name{detail.name, std::string(name)});
  return value;
}

void trace_catalog::add(const added_name& added) {
  names_[added.detail].push_back(added.name);
  added_names_.push_back(added);
}

std::string to_string(trace_identity identity) {
  if (identity.none()) return "-";
  return fmt::format(FMT_COMPILE("{}.{}{}"), identity.origin(), identity.is_message() ? "m" : "",
                     identity.sequence());
}

}  // namespace tributary
