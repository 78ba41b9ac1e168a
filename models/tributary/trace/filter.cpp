// SPDX-License-Identifier: Apache-2.0
#include <tributary/trace/filter.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

using range = std::pair<std::uint64_t, std::uint64_t>;

constexpr std::string_view dots = "..";

/// One option as typed, and what it allows, for messages.
struct typed_option {
  std::string name;
  std::string value;
  std::string allowed;

  [[noreturn]] void refuse(const std::string& problem) const {
    throw configuration_error({name, "", "\"" + value + "\": " + problem, allowed, ""});
  }

  std::uint64_t number(std::string_view text) const {
    std::uint64_t result = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, problem] = std::from_chars(text.data(), end, result);
    if (text.empty() || problem != std::errc() || rest != end) {
      refuse("\"" + std::string(text) + "\" is not a whole number");
    }
    return result;
  }

  /// A number, or two with `separator` between them.
  range numbers(std::string_view text, std::string_view separator) const {
    const std::size_t at = text.find(separator);
    const bool single = at == std::string_view::npos;
    const std::uint64_t low = number(text.substr(0, at));
    const std::uint64_t high = single ? low : number(text.substr(at + separator.size()));
    if (low > high) refuse("the range " + std::string(text) + " ends before it begins");
    return {low, high};
  }
};

/// The parts of a text between separators.
std::vector<std::string> split(const std::string& text, const char* separator) {
  std::vector<std::string> parts;
  return boost::split(parts, text, boost::is_any_of(separator));
}

bool is_number(std::string_view text) { return !text.empty() && text[0] >= '0' && text[0] <= '9'; }

/// The beginning of a track's name: words, numbers and ranges of numbers.
class track_pattern {
 public:
  track_pattern(const typed_option& option, const std::string& text) {
    for (const std::string& each : split(text, ".")) {
      if (each.empty()) option.refuse("\"" + text + "\" has an empty part");
      if (is_number(each)) {
        parts_.push_back({"", option.numbers(each, "-")});
      } else {
        parts_.push_back({each, {}});
      }
    }
  }

  bool matches(const std::vector<std::string>& name) const {
    return parts_.size() <= name.size() &&
           std::equal(parts_.begin(), parts_.end(), name.begin(), &track_pattern::fits);
  }

 private:
  struct part {
    std::string word;
    range numbers;
  };

  static bool fits(const part& wanted, const std::string& found) {
    if (!wanted.word.empty()) return wanted.word == found;
    if (!is_number(found)) return false;
    std::uint64_t number = 0;
    const auto result = std::from_chars(found.data(), found.data() + found.size(), number);
    return result.ec == std::errc() && number >= wanted.numbers.first &&
           number <= wanted.numbers.second;
  }

  std::vector<part> parts_;
};

std::vector<bool> read_tracks(const std::string& text, const trace_catalog& catalog) {
  std::vector<bool> admitted(catalog.tracks());
  const typed_option option{"--trace", text,
                            "beginnings of the names of tracks with commas, numbers as ranges "
                            "where wanted, as \"0-2\": " +
                                catalog.forms()};
  std::vector<std::vector<std::string>> names;
  for (std::size_t track = 0; track < admitted.size(); ++track) {
    names.push_back(split(catalog.name_of(static_cast<track_id>(track)), "."));
  }
  for (const std::string& each : split(text, ",")) {
    const track_pattern pattern(option, each);
    bool found = false;
    for (std::size_t track = 0; track < names.size(); ++track) {
      if (!pattern.matches(names[track])) continue;
      found = admitted[track] = true;
    }
    if (!found) option.refuse("no track begins with \"" + each + "\"");
  }
  return admitted;
}

std::vector<range> read_origins(const std::string& text, const trace_catalog& catalog) {
  const typed_option option{"--origins", text,
                            "numbers and ranges of elements or nodes with commas, as \"0..3,7\""};
  std::vector<range> ranges;
  for (const std::string& each : split(text, ",")) {
    ranges.push_back(option.numbers(each, dots));
    if (ranges.back().second < catalog.origins) continue;
    option.refuse(fmt::format("the last {} is {}", catalog.origin(), catalog.origins - 1));
  }
  return ranges;
}

}  // namespace

cycle_window read_window(const std::string& text) {
  if (text.empty()) return {};
  const typed_option option{"--window", text,
                            "cycles \"first..last\", \"first..\" or \"..last\", as \"1000..2000\""};
  const std::string_view all = text;
  const std::size_t at = all.find(dots);
  if (at == std::string_view::npos) option.refuse("there is no \"..\" in it");
  const std::string_view first = all.substr(0, at);
  const std::string_view last = all.substr(at + dots.size());
  if (first.empty() && last.empty()) option.refuse("it has neither a first nor a last cycle");
  const cycle_window window{first.empty() ? 0 : option.number(first),
                            last.empty() ? never : option.number(last)};
  if (window.first > window.last) option.refuse("the last cycle is before the first");
  return window;
}

trace_filter::trace_filter(const trace_filter_options& options, const trace_catalog& catalog)
    : window_(read_window(options.window)) {
  if (!options.tracks.empty()) tracks_ = read_tracks(options.tracks, catalog);
  if (!options.origins.empty()) origins_ = read_origins(options.origins, catalog);
}

bool trace_filter::admits_origin_of(trace_identity identity) const {
  return identity.none() || std::any_of(origins_.begin(), origins_.end(), [&](const range& each) {
           return identity.origin() >= each.first && identity.origin() <= each.second;
         });
}

}  // namespace tributary
