// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/routing/genetic_orientation.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <tributary/network/routing/dfs_orientation.h>
#include <tributary/network/routing/up_down_routes.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

namespace tributary {
namespace {

void check_genetic(const genetic_config& config, const network_graph& graph) {
  const auto require = [](const std::string& key, double value, double least, double most) {
    if (value >= least && value <= most) return;
    throw configuration_error(configuration_problem{
        "network.routing.genetic." + key, "", std::to_string(value) + " is out of range",
        std::to_string(least) + " to " + std::to_string(most), "choose a value in the range"});
  };
  require("population", config.population, 4, 10000);
  require("replaced", config.replaced, 1, config.population - 2.0);
  require("mutations", config.mutations, 0, graph.links());
  require("patience", config.patience, 1, 1e9);
  require("most_generations", config.most_generations, 1, 1e9);
  require("attempts", config.attempts, 1, 1e9);
}

/// Links in the order of a scan over switches and ports.
std::vector<std::uint32_t> scanned_links(const network_graph& graph) {
  std::vector<std::uint32_t> order;
  std::vector<bool> seen(graph.links());
  for (std::uint32_t s = 0; s < graph.switches(); ++s) {
    for (const neighbour_link& each : graph.neighbours(switch_id{s})) {
      const std::uint32_t link = each.channel / 2;
      if (!seen[link]) order.push_back(link);
      seen[link] = true;
    }
  }
  return order;
}

/// An orientation of the population.
struct individual {
  orientation ends;
  double fitness;
};

/// The search, generation by generation.
class genetic_search {
 public:
  genetic_search(const network_graph& graph, const orientation_fitness& fitness,
                 const genetic_config& config)
      : graph_(graph),
        fitness_(fitness),
        config_(config),
        order_(scanned_links(graph)),
        mutates_(graph.links() == 0 ? 0 : probability_threshold(config.mutations / graph.links())),
        draws_(config.seed, 0U, static_cast<std::uint32_t>(purpose::orientation)) {}

  genetic_result run() {
    begin();
    std::uint32_t idle = 0;
    std::uint32_t generations = 0;
    while (idle < config_.patience && generations < config_.most_generations) {
      const double before = population_.front().fitness;
      breed();
      sort();
      ++generations;
      idle = population_.front().fitness > before ? 0 : idle + 1;
    }
    return {population_.front().ends, population_.front().fitness, generations, rejected_};
  }

 private:
  void begin() {
    add(mdst_orientation(graph_));
    add(post_orientation(graph_, switch_id{0}));
    add(bfs_orientation(graph_));
    add(dfs_orientation(graph_));
    for (std::uint32_t root = 1; population_.size() < config_.population; ++root) {
      add(orientation_from_root(graph_, switch_id{root % graph_.switches()}));
    }
    sort();
  }

  void add(orientation ends) {
    const double fitness = fitness_(ends);
    population_.push_back({std::move(ends), fitness});
  }

  // Of equals the older one is the better one.
  void sort() {
    std::stable_sort(
        population_.begin(), population_.end(),
        [](const individual& a, const individual& b) { return a.fitness > b.fitness; });
  }

  void breed() {
    population_.erase(population_.end() - config_.replaced, population_.end());
    const orientation first = population_[0].ends;
    const orientation second = population_[1].ends;
    for (std::uint32_t c = 0; c < config_.replaced; ++c) {
      add(c % 2 == 0 ? child_of(first, second) : child_of(second, first));
    }
  }

  orientation child_of(const orientation& begins, const orientation& ends) {
    for (std::uint32_t attempt = 0; attempt < config_.attempts; ++attempt) {
      orientation child = crossed(begins, ends);
      for (const std::uint32_t link : order_) {
        if (draws_.bernoulli(mutates_)) child.turn(link);
      }
      if (child.is_correct()) return child;
      ++rejected_;
    }
    return with_one_turned(begins);
  }

  orientation crossed(const orientation& begins, const orientation& ends) {
    orientation child = begins;
    for (std::size_t place = draws_.below(order_.size() + 1); place < order_.size(); ++place) {
      const std::uint32_t link = order_[place];
      if (child.second_is_up(link) != ends.second_is_up(link)) child.turn(link);
    }
    return child;
  }

  // The parent itself if no single link may be turned.
  orientation with_one_turned(const orientation& parent) {
    for (std::uint32_t attempt = 0; attempt < config_.attempts; ++attempt) {
      orientation child = parent;
      child.turn(order_[draws_.below(order_.size())]);
      if (child.is_correct()) return child;
      ++rejected_;
    }
    return parent;
  }

  const network_graph& graph_;
  const orientation_fitness& fitness_;
  const genetic_config config_;
  const std::vector<std::uint32_t> order_;
  const std::uint64_t mutates_;
  random_stream draws_;
  std::vector<individual> population_;
  std::uint64_t rejected_ = 0;
};

/// Orientations of a small graph as bit masks: bit l set means that link l's second end is up.
class orientation_counter {
 public:
  explicit orientation_counter(const network_graph& graph) : switches_(graph.switches()) {
    for (std::uint32_t l = 0; l < graph.links(); ++l) {
      ends_.emplace_back(index(graph.link(l).first.at), index(graph.link(l).second.at));
    }
  }

  bool is_correct(std::uint64_t second_is_up) {
    above_.assign(switches_, 0);
    for (std::size_t l = 0; l < ends_.size(); ++l) {
      const auto& [first, second] = ends_[l];
      if ((second_is_up >> l & 1U) != 0) {
        above_[first] |= std::uint32_t{1} << second;
      } else {
        above_[second] |= std::uint32_t{1} << first;
      }
    }
    return std::count(above_.begin(), above_.end(), 0U) == 1 && is_acyclic();
  }

 private:
  // Takes away switches that have nothing above them but what is gone.
  bool is_acyclic() const {
    std::uint32_t left = switches_ == 32 ? ~0U : (1U << switches_) - 1;
    for (bool some = true; some;) {
      some = false;
      for (std::uint32_t s = 0; s < switches_; ++s) {
        const std::uint32_t bit = 1U << s;
        if ((left & bit) == 0 || (above_[s] & left) != 0) continue;
        left &= ~bit;
        some = true;
      }
    }
    return left == 0;
  }

  std::uint32_t switches_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends_;
  std::vector<std::uint32_t> above_;
};

}  // namespace

genetic_result genetic_orientation(const network_graph& graph, const orientation_fitness& fitness,
                                   const genetic_config& config) {
  check_genetic(config, graph);
  return genetic_search(graph, fitness, config).run();
}

double least_crossing_fitness(const orientation& ends) {
  const std::vector<double> over = routes_over_channels(up_down_routes(ends), route_count::divided);
  return over.empty() ? 0 : -*std::max_element(over.begin(), over.end());
}

orientation_count count_orientations(const network_graph& graph) {
  if (graph.links() > most_counted_links) {
    throw configuration_error(configuration_problem{
        "network.routing", "",
        "the orientations of " + std::to_string(graph.links()) + " links are too many to count",
        "up to " + std::to_string(most_counted_links) + " links",
        "count those of a smaller network"});
  }
  // A connected graph of so many links has at most one switch more than links, below 32.
  orientation_count found;
  found.all = std::uint64_t{1} << graph.links();
  orientation_counter counter(graph);
  for (std::uint64_t each = 0; each < found.all; ++each) {
    if (counter.is_correct(each)) ++found.correct;
  }
  return found;
}

}  // namespace tributary
