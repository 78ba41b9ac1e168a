// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/graph/random_graph.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tributary/network/graph/plan_builder.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

namespace tributary {
namespace {

using pairs_t = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

void check_random_config(const random_graph_config& config) {
  const auto refuse = [](const std::string& key, const std::string& problem,
                         const std::string& allowed, const std::string& advice) {
    throw configuration_error(
        configuration_problem{"network.graph." + key, "", problem, allowed, advice});
  };
  const std::uint32_t degree = config.degree;
  // Both may be anything yet: their sum needs 64 bits.
  if (degree == 0 || std::uint64_t{degree} + config.hosts_per_switch > most_ports) {
    refuse("degree",
           std::to_string(degree) + " links and " + std::to_string(config.hosts_per_switch) +
               " hosts do not fit a switch",
           "1 or more links, together at most " + std::to_string(most_ports) + " ports",
           "lower degree or hosts_per_switch");
  }
  if (config.switches <= degree || config.switches > most_switches) {
    refuse("switches", std::to_string(config.switches) + " is out of range",
           std::to_string(degree + 1) + " to " + std::to_string(most_switches),
           "choose a number in the range");
  }
  if (config.switches % 2 != 0 && degree % 2 != 0) {
    refuse("switches",
           std::to_string(config.switches) + " switches of " + std::to_string(degree) +
               " links leave a port open",
           "an even number of switches, or an even degree",
           "change one of them, or read the network from a file");
  }
  if (degree == 1 && config.switches != 2) {
    refuse("degree", "switches of one link make pairs that are not joined", "2 or more",
           "raise degree");
  }
}

/// Pairs of switches drawn so far, and the free ports, each as its switch.
class pairing {
 public:
  pairing(std::uint32_t switches, std::uint32_t degree)
      : switches_(switches), joined_(std::size_t{switches} * switches) {
    for (std::uint32_t s = 0; s < switches; ++s) free_.insert(free_.end(), degree, s);
  }

  /// Draws until no port is free; false if none of the free ones may be joined.
  bool finish(random_stream& draws) {
    while (!free_.empty()) {
      const std::size_t a = draws.below(free_.size());
      const std::size_t b = draws.below(free_.size());
      if (may_join(a, b)) {
        join(a, b);
      } else if (!has_pair()) {
        return false;
      }
    }
    return true;
  }

  const pairs_t& pairs() const { return pairs_; }

 private:
  bool may_join(std::size_t a, std::size_t b) const {
    return free_[a] != free_[b] && !joined_[std::size_t{free_[a]} * switches_ + free_[b]];
  }

  // Finds one at once while many ports are free, and compares all when few are left.
  bool has_pair() const {
    for (std::size_t a = 0; a < free_.size(); ++a) {
      for (std::size_t b = a + 1; b < free_.size(); ++b) {
        if (may_join(a, b)) return true;
      }
    }
    return false;
  }

  void join(std::size_t a, std::size_t b) {
    pairs_.emplace_back(free_[a], free_[b]);
    joined_[std::size_t{free_[a]} * switches_ + free_[b]] = true;
    joined_[std::size_t{free_[b]} * switches_ + free_[a]] = true;
    if (a < b) std::swap(a, b);
    for (const std::size_t each : {a, b}) {
      free_[each] = free_.back();
      free_.pop_back();
    }
  }

  std::uint32_t switches_;
  std::vector<std::uint32_t> free_;
  std::vector<bool> joined_;
  pairs_t pairs_;
};

bool is_connected(std::uint32_t switches, const pairs_t& pairs) {
  std::vector<std::uint32_t> part(switches);
  for (std::uint32_t s = 0; s < switches; ++s) part[s] = s;
  const auto root_of = [&](std::uint32_t s) {
    while (part[s] != s) s = part[s] = part[part[s]];
    return s;
  };
  std::uint32_t parts = switches;
  for (const auto& [a, b] : pairs) {
    const std::uint32_t first = root_of(a);
    const std::uint32_t second = root_of(b);
    if (first == second) continue;
    part[first] = second;
    --parts;
  }
  return parts == 1;
}

/// The pairs that are not among `pairs`, ascending.
pairs_t other_pairs(std::uint32_t switches, const pairs_t& pairs) {
  std::vector<bool> taken(std::size_t{switches} * switches);
  for (const auto& [a, b] : pairs) {
    taken[std::size_t{a} * switches + b] = taken[std::size_t{b} * switches + a] = true;
  }
  pairs_t others;
  for (std::uint32_t a = 0; a < switches; ++a) {
    for (std::uint32_t b = a + 1; b < switches; ++b) {
      if (!taken[std::size_t{a} * switches + b]) others.emplace_back(a, b);
    }
  }
  return others;
}

/// Pairs in ascending order, so that ports ascend with the neighbour's number. Of more than half of
/// all pairs those are drawn that are not joined, since a draw of nearly all seldom comes to its
/// end. Then the network is connected anyway: two switches that are not joined share a neighbour.
pairs_t drawn_pairs(const random_graph_config& config) {
  random_stream draws(config.seed, 0U, static_cast<std::uint32_t>(purpose::graph));
  const bool dense = config.degree > config.switches / 2;
  const std::uint32_t degree = dense ? config.switches - 1 - config.degree : config.degree;
  for (;;) {
    pairing drawing(config.switches, degree);
    if (!drawing.finish(draws)) continue;
    pairs_t pairs = drawing.pairs();
    if (dense) return other_pairs(config.switches, pairs);
    if (!is_connected(config.switches, pairs)) continue;
    for (auto& [a, b] : pairs) {
      if (a > b) std::swap(a, b);
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }
}

}  // namespace

network_graph random_regular_graph(const random_graph_config& config) {
  check_random_config(config);
  network_plan plan;
  plan.name =
      "random " + std::to_string(config.degree) + "-regular, seed " + std::to_string(config.seed);
  plan.ports.assign(config.switches,
                    std::max(config.degree + config.hosts_per_switch, least_ports));
  plan_builder made(std::move(plan));
  for (const auto& [a, b] : drawn_pairs(config)) made.join(a, b);
  for (std::uint32_t s = 0; s < config.switches; ++s) made.add_hosts(s, config.hosts_per_switch);
  return made.graph();
}

}  // namespace tributary
