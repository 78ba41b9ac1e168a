// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/omega/switch_selection.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

bool before(const switch_place& x, const switch_place& y) {
  return x.stage != y.stage ? x.stage < y.stage : x.index < y.index;
}

/// A decimal number below `limit`, or nothing.
std::optional<std::size_t> number_below(const std::string& word, std::size_t limit) {
  const bool digits =
      !word.empty() && word.size() < 9 && word.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || std::stoul(word) >= limit) return std::nullopt;
  return std::stoul(word);
}

std::vector<std::string> words_of(const std::string& clause) {
  std::istringstream text(clause);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

class selection {
 public:
  selection(std::size_t stages, std::size_t switches) : stages_(stages), switches_(switches) {}

  /// Adds what one clause names; false if it names nothing that exists.
  bool add(const std::string& clause) {
    const std::vector<std::string> words = words_of(clause);
    if (words.size() == 1 && words[0] == "none") return true;
    if (words.size() == 1 && words[0] == "all") {
      for (std::size_t stage = 0; stage < stages_; ++stage) add_stage(stage);
      return true;
    }
    if (words.size() != 2 && words.size() != 4) return false;
    const auto stage = number_below(words[1], stages_);
    if (words[0] != "stage" || !stage) return false;
    if (words.size() == 2) {
      add_stage(*stage);
      return true;
    }
    const auto index = number_below(words[3], switches_);
    if (words[2] != "switch" || !index) return false;
    places_.push_back({*stage, *index});
    return true;
  }

  std::vector<switch_place> places() {
    std::sort(places_.begin(), places_.end(), before);
    places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
    return places_;
  }

 private:
  void add_stage(std::size_t stage) {
    for (std::size_t index = 0; index < switches_; ++index) places_.push_back({stage, index});
  }

  std::size_t stages_;
  std::size_t switches_;
  std::vector<switch_place> places_;
};

}  // namespace

std::vector<switch_place> select_switches(const std::string& key, std::string_view text,
                                          std::size_t stages, std::size_t switches) {
  selection chosen(stages, switches);
  std::vector<std::string> clauses;
  for (const std::string& clause : boost::split(clauses, text, boost::is_any_of(","))) {
    if (chosen.add(clause)) continue;
    throw configuration_error(
        {key, "", fmt::format("\"{}\" names no switch of this network", clause),
         fmt::format("none, all, \"stage S\" or \"stage S switch I\" with S from 0 to {} and I "
                     "from 0 to {}, or a list of these with commas",
                     stages - 1, switches - 1),
         "name a stage from the processing elements (0) to the memory"});
  }
  return chosen.places();
}

std::string describe_selection(const std::vector<switch_place>& places, std::size_t stages,
                               std::size_t switches) {
  if (places.empty()) return "none";
  if (places.size() == stages * switches) return fmt::format("all {}", places.size());
  std::string text;
  for (std::size_t i = 0; i < places.size();) {
    if (!text.empty()) text += ", ";
    const auto end = std::find_if(places.begin() + static_cast<std::ptrdiff_t>(i), places.end(),
                                  [&](const auto& p) { return p.stage != places[i].stage; });
    const auto count = static_cast<std::size_t>(end - places.begin()) - i;
    if (count == switches) {
      text += fmt::format("stage {} ({})", places[i].stage, count);
      i += count;
    } else {
      text += to_string(places[i++]);
    }
  }
  return text;
}

}  // namespace tributary
