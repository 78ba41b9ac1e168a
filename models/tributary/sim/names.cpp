// SPDX-License-Identifier: Apache-2.0
#include <tributary/sim/names.h>

#include <algorithm>

namespace tributary {

namespace {

// Names typed by hand are short; beyond this a comparison only costs time.
constexpr std::size_t longest_compared = 200;

bool ends_in_part(std::string_view name, std::string_view part) {
  return name.size() > part.size() &&
         name.compare(name.size() - part.size(), part.size(), part) == 0 &&
         name[name.size() - part.size() - 1] == '.';
}

// One part in three may differ; with less in common a suggestion misleads.
std::size_t distance_allowed(std::string_view wanted) {
  return std::max<std::size_t>(1, wanted.size() / 3);
}

}  // namespace

bool is_plain_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::string nearest_name(std::string_view wanted, const std::vector<std::string>& known) {
  if (wanted.empty() || wanted.size() > longest_compared) {
    return {};
  }
  const std::string* nearest = nullptr;
  std::size_t least = distance_allowed(wanted) + 1;
  for (const std::string& name : known) {
    const std::size_t distance = ends_in_part(name, wanted) ? 1 : edit_distance(wanted, name);
    if (distance < least) {
      least = distance;
      nearest = &name;
    }
  }
  return nearest == nullptr ? std::string() : *nearest;
}

std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& known,
                         const std::string& otherwise) {
  const std::string nearest = nearest_name(wanted, known);
  return nearest.empty() ? otherwise : "did you mean " + nearest + "?";
}

}  // namespace tributary
