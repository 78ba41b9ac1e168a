// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/traffic/destination_pattern.h>

#include <cstddef>
#include <string>
#include <utility>

#include <tributary/network/graph/distances.h>
#include <tributary/sim/error.h>
#include <tributary/sim/log2.h>

namespace tributary {
namespace {

bool is_power_of_two(std::uint32_t number) { return number != 0 && (number & (number - 1)) == 0; }

std::uint32_t side_of_square(std::uint32_t hosts) {
  std::uint32_t side = 1;
  while (side * side < hosts) ++side;
  return side;
}

void refuse_pattern(const std::string& key, const std::string& problem, const std::string& allowed,
                    const std::string& advice) {
  throw configuration_error({key, "", problem, allowed, advice});
}

void check_destinations(const destination_config& config, std::uint32_t hosts) {
  const bool is_square = side_of_square(hosts) * side_of_square(hosts) == hosts;
  const auto refuse_hosts = [&](const char* allowed) {
    refuse_pattern("traffic.pattern", "it has no partners for " + std::to_string(hosts) + " hosts",
                   allowed, "choose another pattern, or another network.graph");
  };
  switch (config.kind) {
    case destination_kind::transpose:
      if (!is_power_of_two(hosts) && !is_square) refuse_hosts("a power of two, or a square");
      break;
    case destination_kind::bit_reversal:
    case destination_kind::shuffle:
      if (!is_power_of_two(hosts)) refuse_hosts("a power of two");
      break;
    case destination_kind::hot_spot:
    case destination_kind::local:
      if (config.share >= 0 && config.share <= 1) break;
      refuse_pattern("traffic.share", std::to_string(config.share) + " is no share", "0 to 1",
                     "choose a value in the range");
      break;
    case destination_kind::uniform:
    case destination_kind::permutation:
      break;
  }
}

std::uint32_t rotated_left(std::uint32_t value, unsigned by, unsigned bits) {
  if (bits == 0 || by == 0) return value;
  return ((value << by) | (value >> (bits - by))) & ((std::uint32_t{1} << bits) - 1);
}

std::uint32_t reversed(std::uint32_t value, unsigned bits) {
  std::uint32_t made = 0;
  for (unsigned bit = 0; bit < bits; ++bit) {
    made = made << 1U | (value >> bit & 1U);
  }
  return made;
}

/// The partner of a host in a pattern of its bits.
std::uint32_t partner(destination_kind kind, std::uint32_t host, std::uint32_t hosts) {
  if (!is_power_of_two(hosts)) {
    const std::uint32_t side = side_of_square(hosts);
    return host % side * side + host / side;
  }
  const unsigned bits = log2_of(hosts);
  if (kind == destination_kind::transpose) return rotated_left(host, bits / 2, bits);
  if (kind == destination_kind::shuffle) return rotated_left(host, bits == 0 ? 0 : 1, bits);
  return reversed(host, bits);
}

}  // namespace

destination_pattern::destination_pattern(const destination_config& config,
                                         const network_graph& graph)
    : hosts_((check_destinations(config, graph.hosts()), graph.hosts())),
      kind_(config.kind),
      share_(probability_threshold(config.share)) {
  switch (config.kind) {
    case destination_kind::transpose:
    case destination_kind::bit_reversal:
    case destination_kind::shuffle:
      for (std::uint32_t h = 0; h < hosts_; ++h) {
        to_.push_back(node_id{partner(config.kind, h, hosts_)});
      }
      break;
    case destination_kind::permutation:
      draw_circle(config.seed);
      break;
    case destination_kind::local:
      find_near(graph, config.radius);
      break;
    case destination_kind::uniform:
    case destination_kind::hot_spot:
      break;
  }
}

/// Source: Sattolo, "An algorithm to generate a random cyclic permutation", Information Processing
/// Letters 22(6), 1986.
void destination_pattern::draw_circle(std::uint64_t seed) {
  random_stream draws(seed, 0U, static_cast<std::uint32_t>(purpose::permutation));
  for (std::uint32_t h = 0; h < hosts_; ++h) to_.push_back(node_id{h});
  for (std::size_t last = to_.size(); --last != 0;) {
    std::swap(to_[last], to_[static_cast<std::size_t>(draws.below(last))]);
  }
}

void destination_pattern::find_near(const network_graph& graph, std::uint32_t radius) {
  const distance_table between(graph);
  const std::uint32_t of_hosts = 2;
  near_.resize(graph.switches());
  for (std::uint32_t h = 0; h < hosts_; ++h) {
    switch_of_.push_back(index(graph.switch_of(host_id{h})));
  }
  for (std::uint32_t s = 0; s < graph.switches(); ++s) {
    for (std::uint32_t h = 0; h < hosts_; ++h) {
      const std::uint32_t links = between(switch_id{s}, switch_id{switch_of_[h]}) + of_hosts;
      if (switch_of_[h] == s || links <= radius) near_[s].push_back(node_id{h});
    }
  }
}

node_id destination_pattern::other_of(const std::vector<node_id>& hosts, node_id from,
                                      random_stream& draws) {
  const auto which = static_cast<std::size_t>(draws.below(hosts.size() - 1));
  return hosts[hosts[which] < from ? which : which + 1];
}

node_id destination_pattern::draw(node_id from, random_stream& draws) const {
  if (!to_.empty()) return to_[index(from)];
  if (kind_ == destination_kind::hot_spot && from != node_id{0} && draws.bernoulli(share_)) {
    return node_id{0};
  }
  if (kind_ == destination_kind::local && draws.bernoulli(share_)) {
    const std::vector<node_id>& near = near_[switch_of_[index(from)]];
    // A host that is alone has none near.
    if (near.size() > 1) return other_of(near, from, draws);
  }
  const auto which = static_cast<std::uint32_t>(draws.below(hosts_ - 1));
  return node_id{which < index(from) ? which : which + 1};
}

}  // namespace tributary
