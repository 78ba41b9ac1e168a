// SPDX-License-Identifier: Apache-2.0
#include "event_filter.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

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
};

/// Calls `visit` for each part of a list with commas.
template <class Visit>
void for_each_part(std::string_view list, Visit&& visit) {
  while (true) {
    const std::size_t comma = list.find(',');
    visit(list.substr(0, comma));
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

range read_range(const typed_option& option, std::string_view text, std::uint64_t largest) {
  const std::size_t at = text.find(dots);
  const bool single = at == std::string_view::npos;
  const std::uint64_t low = option.number(text.substr(0, at));
  const std::uint64_t high = single ? low : option.number(text.substr(at + dots.size()));
  if (low > high) {
    option.refuse("the range " + std::string(text) + " ends before it begins");
  }
  if (high > largest) {
    option.refuse(std::to_string(high) + " is beyond the last, " + std::to_string(largest));
  }
  return {low, high};
}

}  // namespace

number_set read_numbers(const std::string& name, const std::string& text, std::uint64_t largest) {
  if (text.empty()) return {};
  const typed_option option{
      name, text,
      "numbers and ranges from 0 to " + std::to_string(largest) + " with commas, as \"0..3,7\""};
  std::vector<range> ranges;
  for_each_part(
      text, [&](std::string_view part) { ranges.push_back(read_range(option, part, largest)); });
  return number_set(std::move(ranges));
}

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

bool number_set::contains(std::uint64_t number) const {
  return everything_ || std::any_of(ranges_.begin(), ranges_.end(), [&](const range& each) {
           return number >= each.first && number <= each.second;
         });
}

event_filter::event_filter(const event_filter_options& options, const machine_shape& shape)
    : switches_(read_numbers("--switches", options.switches, shape.switches() - 1)),
      pes_(read_numbers("--pes", options.pes, shape.processing_elements - 1)) {
  window_ = read_window(options.window);
  if (options.stages.empty()) {
    processor_side_ = memory_side_ = options.switches.empty();
    return;
  }
  const typed_option option{"--stages", options.stages,
                            "numbers and ranges from 0 to " + std::to_string(shape.stages - 1) +
                                ", \"pe\" and \"mm\" with commas, as \"pe,0..3\""};
  std::vector<range> ranges;
  processor_side_ = memory_side_ = false;
  for_each_part(options.stages, [&](std::string_view part) {
    if (part == "pe") {
      processor_side_ = true;
    } else if (part == "mm") {
      memory_side_ = true;
    } else {
      ranges.push_back(read_range(option, part, shape.stages - 1));
    }
  });
  stages_ = number_set(std::move(ranges));
}

bool event_filter::admits_place(const network_event& event, std::uint32_t stages) const {
  if (event.stage == processor_side) return processor_side_;
  const auto stage = static_cast<std::uint32_t>(event.stage);
  return stage == stages ? memory_side_ : admits_switch(stage, event.switch_index);
}

}  // namespace tributary
