// SPDX-License-Identifier: Apache-2.0
#include "seed_list.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

constexpr std::uint64_t most_seeds = 10000;

[[noreturn]] void refuse(const std::string& option, const std::string& text) {
  throw configuration_error({option, "", "\"" + text + "\" is no list of seeds",
                             "whole numbers from 0 to 18446744073709551615, as 3, 1..5 (or "
                             "1-5) or 1,4,7..9, each once, at most 10000",
                             "correct the option"});
}

bool read_number(const std::string& text, std::uint64_t& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  return problem == std::errc() && stop == end;
}

}  // namespace

std::vector<std::uint64_t> parse_seeds(const std::string& text, const std::string& option) {
  std::vector<std::uint64_t> seeds;
  std::vector<std::string> parts;
  for (const std::string& part : boost::split(parts, text, boost::is_any_of(","))) {
    const std::size_t dash = part.find('-');
    const std::size_t dots = dash != std::string::npos ? dash : part.find("..");
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    const bool is_range = dots != std::string::npos;
    if (!read_number(part.substr(0, dots), first)) refuse(option, text);
    if (!read_number(is_range ? part.substr(dots + (dots == dash ? 1 : 2)) : part, last))
      refuse(option, text);
    if (last < first || last - first >= most_seeds - seeds.size()) refuse(option, text);
    for (std::uint64_t seed = first;; ++seed) {
      if (std::find(seeds.begin(), seeds.end(), seed) != seeds.end()) refuse(option, text);
      seeds.push_back(seed);
      if (seed == last) break;
    }
  }
  return seeds;
}

}  // namespace tributary
