// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/traffic.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include <tributary/sim/error.h>
#include <tributary/sim/log2.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

std::uint32_t reversed(std::uint32_t p, unsigned bits) {
  std::uint32_t result = 0;
  for (unsigned i = 0; i < bits; ++i) result |= ((p >> i) & 1U) << (bits - 1 - i);
  return result;
}

std::uint32_t rotated(std::uint32_t p, unsigned by, unsigned bits) {
  return ((p << by) | (p >> (bits - by))) & ((1U << bits) - 1);
}

std::uint32_t destination(traffic_pattern pattern, std::uint32_t p, std::uint32_t n) {
  switch (pattern) {
    case traffic_pattern::uniform:
      break;
    case traffic_pattern::shift:
      return (p + 1) & (n - 1);
    case traffic_pattern::transpose:
      return log2_of(n) < 2 ? p : rotated(p, log2_of(n) / 2, log2_of(n));
    case traffic_pattern::bit_reversal:
      return reversed(p, log2_of(n));
    case traffic_pattern::tornado:
      return (p + n / 2 - 1) & (n - 1);
  }
  return p;
}

/// For each hot word how many modules it lies behind the first; n and more are further rows.
std::vector<std::uint64_t> offsets_of(const traffic_config& config, std::uint32_t n,
                                      std::uint64_t seed) {
  std::vector<std::uint64_t> offsets(config.hot_words);
  if (config.placement != hot_placement::random) {
    const std::uint64_t stride = config.placement == hot_placement::stride ? config.hot_stride : 1;
    for (std::size_t word = 0; word < offsets.size(); ++word) offsets[word] = word * stride;
    return offsets;
  }
  std::vector<std::uint32_t> modules(n);
  std::iota(modules.begin(), modules.end(), 0U);
  random_stream stream(seed, 0U, purpose::placement);
  const std::size_t used = std::min<std::size_t>(n, offsets.size());
  for (std::size_t i = 1; i < used; ++i) std::swap(modules[i], modules[i + stream.below(n - i)]);
  for (std::size_t word = 0; word < offsets.size(); ++word) {
    offsets[word] = word / n * n + modules[word % n];
  }
  return offsets;
}

const address_region& region_named(const address_map& map, const std::string& name) {
  std::string known;
  for (const address_region& region : map.regions()) {
    if (region.name == name) return region;
    known += (known.empty() ? "" : ", ") + region.name;
  }
  throw configuration_error({"workload.traffic.region", "", "there is no region \"" + name + "\"",
                             known, "name one of addresses.regions"});
}

std::vector<std::pair<std::string, operation>> operation_choices() {
  std::vector<std::pair<std::string, operation>> choices;
  for (std::size_t i = 0; i < operation_count; ++i) {
    const auto op = static_cast<operation>(i);
    choices.emplace_back(std::string(name_of(op)), op);
  }
  return choices;
}

}  // namespace

void operation_share::bind(parameter_set& parameters) {
  parameters.add_choice("operation", op, operation_choices(), "Operation.");
  parameters.add("weight", weight, interval<std::uint32_t>{1, 1000000}, "",
                 "Probability relative to the other shares.");
}

void traffic_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add_choice("pattern", pattern,
                        {{"uniform", traffic_pattern::uniform},
                         {"shift", traffic_pattern::shift},
                         {"transpose", traffic_pattern::transpose},
                         {"bit_reversal", traffic_pattern::bit_reversal},
                         {"tornado", traffic_pattern::tornado}},
                        "Where requests go that do not go to a hot word.");
  parameters.add("hot_spot", hot_spot, interval<double>{0, 1}, "1",
                 "Fraction of requests that go to a hot word; 1 is busy-wait polling.");
  parameters.add("hot_words", hot_words, u32{1, 65536}, "words", "Hot words.");
  parameters.add_choice("hot_placement", placement,
                        {{"adjacent", hot_placement::adjacent},
                         {"stride", hot_placement::stride},
                         {"random", hot_placement::random}},
                        "Where the hot words after the first lie: in the modules that follow it, "
                        "hot_stride modules apart, or in modules that the seed draws.");
  parameters.add("hot_stride", hot_stride, u32{1, 65535}, "modules",
                 "From one hot word to the next where hot_placement is stride.");
  parameters.add("hot_module", hot_module, u32{0, 65535}, "", "Module of the first hot word.");
  parameters.add("rows", rows, interval<std::uint64_t>{1, std::uint64_t{1} << 40}, "words",
                 "Words per module over which the other requests are spread, fewer if the region "
                 "is smaller.");
  parameters.add("region", region, "Name of the region that traffic goes to.");
  parameters.add("operand_bits", operand_bits, u32{1, 64}, "bits",
                 "Bits of the operands that are drawn; few make compare-and-swaps succeed.");
  parameters.add_list("operations", operations, "Operations drawn by weight; empty means loads.");
}

traffic::traffic(const traffic_config& config, const address_map& map, std::uint64_t seed)
    : config_(config),
      map_(&map),
      region_(region_named(map, config.region)),
      hot_threshold_(probability_threshold(config.hot_spot)),
      rows_(std::min(config.rows, map.rows(region_))),
      total_weight_(0),
      hot_addresses_(place_hot_words(seed)) {
  const std::uint32_t n = map.modules();
  for (const operation_share& share : config_.operations) total_weight_ += share.weight;
  if (config.pattern != traffic_pattern::uniform) {
    for (std::uint32_t p = 0; p < n; ++p) {
      permutation_.push_back(destination(config.pattern, p, n));
    }
  }
  for (std::uint32_t pe = 0; pe < n; ++pe) streams_.emplace_back(seed, pe, purpose::traffic);
}

void traffic::check() const {
  const std::uint32_t n = map_->modules();
  if (config_.hot_module >= n) {
    throw configuration_error({"workload.traffic.hot_module", "",
                               std::to_string(config_.hot_module) + " is no module of this machine",
                               "0 to " + std::to_string(n - 1), "choose a module that exists"});
  }
  const bool strides = config_.placement == hot_placement::stride && config_.hot_words > 1 &&
                       region_.mapping != region_mapping::module;
  if (strides && config_.hot_stride >= n) {
    throw configuration_error({"workload.traffic.hot_stride", "",
                               std::to_string(config_.hot_stride) + " reaches round the machine",
                               "1 to " + std::to_string(n - 1), "choose a smaller stride"});
  }
}

std::vector<std::uint64_t> traffic::place_hot_words(std::uint64_t seed) const {
  check();
  const bool one_module = region_.mapping == region_mapping::module;
  std::vector<std::uint64_t> places = offsets_of(config_, map_->modules(), seed);
  if (one_module) std::iota(places.begin(), places.end(), std::uint64_t{0});
  const std::uint64_t holders = one_module ? 1 : map_->modules();
  if (*std::max_element(places.begin(), places.end()) / holders >= map_->rows(region_)) {
    throw configuration_error({"workload.traffic.hot_words", "",
                               std::to_string(config_.hot_words) + " do not fit in the region", "",
                               "enlarge the region, lower hot_words, or place them adjacent"});
  }
  for (std::uint64_t& place : places) place = hot_address(place);
  return places;
}

// A program that lays out its words knows their addresses, not the hash of the region: a hot word
// of a hashed region is in the module that the hash gives.
std::uint64_t traffic::hot_address(std::uint64_t place) const {
  const std::uint64_t n = map_->modules();
  if (region_.mapping == region_mapping::module) return map_->address_in(region_, {}, place);
  const std::uint64_t module = (config_.hot_module + place) % n;
  if (region_.mapping == region_mapping::hashed) return map_->word(region_, place / n * n + module);
  return map_->address_in(region_, mm_id{static_cast<std::uint32_t>(module)}, place / n);
}

access traffic::draw(std::size_t pe) {
  random_stream& stream = streams_[pe];
  access request;
  if (stream.bernoulli(hot_threshold_)) {
    request.warmth = heat::hot;
    const std::size_t words = hot_addresses_.size();
    request.address = hot_addresses_[words == 1 ? 0 : stream.below(words)];
  } else {
    request.warmth = heat::cold;
    request.address = cold_address(pe, stream);
  }
  if (total_weight_ != 0) request.function = function_for(stream);
  return request;
}

std::uint64_t traffic::cold_address(std::size_t pe, random_stream& stream) const {
  const std::uint32_t n = map_->modules();
  const auto module =
      permutation_.empty() ? static_cast<std::uint32_t>(stream.below(n)) : permutation_[pe];
  return map_->address_in(region_, mm_id{module}, stream.below(rows_));
}

word_t traffic::operand(random_stream& stream) const {
  return stream.next_u64() >> (64 - config_.operand_bits);
}

word_function traffic::function_for(random_stream& stream) const {
  std::uint64_t ticket = stream.below(total_weight_);
  for (const operation_share& share : config_.operations) {
    if (ticket >= share.weight) {
      ticket -= share.weight;
      continue;
    }
    const word_t e = operand_count(share.op) > 0 ? operand(stream) : 0;
    if (share.op == operation::narrow_store) {
      const auto byte_enables = static_cast<std::uint8_t>(stream.next_u32());
      return function_of(share.op, e, byte_mask(byte_enables));
    }
    const word_t f = operand_count(share.op) > 1 ? operand(stream) : 0;
    return function_of(share.op, e, f);
  }
  return {};
}

}  // namespace tributary
