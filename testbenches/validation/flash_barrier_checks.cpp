// SPDX-License-Identifier: Apache-2.0
// FLASH's rows of barriers that the controllers keep: SV6, SV7, SV21 to SV26 and SV32 to SV34, by
// the numbers of the synchronization specification.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <tributary/sim/statistics.h>

#include "barrier_measurements.h"
#include "flash_chapter_6.h"
#include "flash_checks.h"
#include "measured_once.h"

namespace tributary::validation {
namespace {

using testing::synchronizing_config;
using testing::synchronizing_machine;
using rows_t = std::vector<planned_row>;

constexpr std::array<std::uint32_t, 5> radices{1, 2, 3, 4, 5};
constexpr std::array<std::uint32_t, 6> machine_sizes{4, 8, 16, 32, 64, 128};

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// --- episodes by themselves ----------------------------------------------------------------------

/// Where an episode is measured.
struct setting {
  std::uint32_t nodes = 0;
  std::uint32_t radix = 0;
  arrival pattern = arrival::together;

  bool operator<(const setting& other) const {
    return std::tie(nodes, radix, pattern) < std::tie(other.nodes, other.radix, other.pattern);
  }
};

/// What an episode takes, and whether each node but the root joins its parent and is released,
/// once.
struct episode : episode_latencies {
  bool exact = false;
};

/// The chain takes longest. Before processors arrive together they cross once, so that their caches
/// have the status line. Where the root is last, all other joins have come, and all caches the line
/// but the root's, which it loses in the episode anyway.
measured_barrier barrier_of(const setting& where) {
  measured_barrier flash;
  flash.make = [where](program_context& context, const synchronizing_machine& machine) {
    return std::make_unique<flash_barrier>(context, machine.barrier_place(),
                                           barrier_trees{where.nodes, where.radix, where.radix});
  };
  flash.before = where.pattern == arrival::together ? 1 : 0;
  const bool is_chain = where.radix == 1;
  flash.joins = 3000 + (is_chain ? 250 * where.nodes : 0);
  flash.episode = 10'000 + (is_chain ? 500 * where.nodes : 0);
  return flash;
}

/// Whether each node but the root joined its parent once an episode, and was released once, and no
/// cache was refused its line.
bool has_exact_messages(synchronizing_machine& machine, std::uint64_t rounds) {
  statistics_tree tree;
  machine.nodes().report(tree.root());
  std::map<std::string, double> sums;
  for (const flat_statistic& each : tree.flatten()) {
    for (const char* counted :
         {".barriers.child_joined.count", ".barriers.released.count", ".cache.refused"}) {
      if (ends_with(each.path, counted)) sums[counted] += each.value;
    }
  }
  const auto messages = static_cast<double>(rounds * (machine.nodes().size() - 1));
  return sums[".barriers.child_joined.count"] == messages &&
         sums[".barriers.released.count"] == messages && sums[".cache.refused"] == 0;
}

episode episode_at(const setting& where) {
  const measured_barrier of = barrier_of(where);
  episode found;
  static_cast<episode_latencies&>(found) = measured_episode(
      chapter_6(where.nodes), of, where.pattern, [&](synchronizing_machine& machine) {
        found.exact = has_exact_messages(machine, of.before + 1);
      });
  return found;
}

using episodes = measured_once<setting, episode>;
using shared_episodes = std::shared_ptr<episodes>;

/// Radices and sizes at which messages are missing or too many, or somebody is refused.
double inexact(episodes& all) {
  double wrong = 0;
  for (const std::uint32_t nodes : machine_sizes) {
    for (const std::uint32_t radix : radices) {
      for (const arrival pattern : {arrival::together, arrival::root_last}) {
        if (!all.at({nodes, radix, pattern}).exact) ++wrong;
      }
    }
  }
  return wrong;
}

/// Sizes, from 8 on, at which the root of radix 5 is not later than that of radix 1.
double not_rising(episodes& all) {
  double wrong = 0;
  for (const std::uint32_t nodes : machine_sizes) {
    const auto late = [&](std::uint32_t radix) {
      return all.at({nodes, radix, arrival::root_last}).fall_through;
    };
    if (nodes >= 8 && late(5) <= late(1)) ++wrong;
  }
  return wrong;
}

// --- their rows ----------------------------------------------------------------------------------

double late_fall_through(episodes& all, std::uint32_t nodes, std::uint32_t radix) {
  return all.at({nodes, radix, arrival::root_last}).fall_through;
}
double fall_through(episodes& all, std::uint32_t nodes, std::uint32_t radix) {
  return all.at({nodes, radix, arrival::together}).fall_through;
}
double release(episodes& all, std::uint32_t nodes, std::uint32_t radix) {
  return all.at({nodes, radix, arrival::together}).release;
}

using latency = double (*)(episodes&, std::uint32_t nodes, std::uint32_t radix);

/// A row for each of the family's "processors".
rows_t by_size(const family& claim, const std::function<double(std::uint32_t nodes)>& number) {
  return measured_by_processors(claim, {"radix"}, number);
}

rows_t column(const family& claim, const shared_episodes& all, latency of) {
  const auto radix = static_cast<std::uint32_t>(claim.number("radix"));
  return by_size(claim, [all, of, radix](std::uint32_t nodes) { return of(*all, nodes, radix); });
}

/// Between two sizes of the chain, a node more.
planned_row hop(const family& claim, const shared_episodes& all, latency of) {
  return measured_on_blocks(claim, {"radix"}, [all, of] {
    constexpr std::uint32_t least = machine_sizes.front();
    constexpr std::uint32_t most = machine_sizes.back();
    return (of(*all, most, 1) - of(*all, least, 1)) / (most - least);
  });
}

/// What the greater machine's release takes longer.
planned_row step(const family& claim, const shared_episodes& all) {
  const auto radix = static_cast<std::uint32_t>(claim.number("radix"));
  const std::vector<double> sizes = claim.numbers("processors");
  const auto smaller = static_cast<std::uint32_t>(sizes.at(0));
  const auto greater = static_cast<std::uint32_t>(sizes.at(1));
  return measured_on_blocks(claim, {"radix", "processors"}, [=] {
    return release(*all, greater, radix) - release(*all, smaller, radix);
  });
}

rows_t table_rows(const claims& flash) {
  const auto all = std::make_shared<episodes>(episode_at);
  rows_t rows{measured_on_blocks(flash["flash.SV6"], {}, [all] { return inexact(*all); })};
  const auto add = [&](const std::string& id, latency of) {
    for (planned_row& each : column(flash[id], all, of)) rows.push_back(std::move(each));
  };
  for (const char* radix : {"1", "2", "3", "4", "5"}) {
    add(std::string("flash.SV21.") + radix, late_fall_through);
  }
  rows.push_back(
      measured_on_blocks(flash["flash.SV21.rising"], {}, [all] { return not_rising(*all); }));
  add("flash.SV22", fall_through);
  rows.push_back(hop(flash["flash.SV22.hop"], all, fall_through));
  for (const char* radix : {"2", "3", "4", "5"}) {
    add(std::string("flash.SV23.") + radix, fall_through);
  }
  add("flash.SV24", release);
  rows.push_back(hop(flash["flash.SV24.hop"], all, release));
  for (const char* radix : {"2", "3", "4", "5"}) add(std::string("flash.SV25.") + radix, release);
  rows.push_back(step(flash["flash.SV26.3"], all));
  rows.push_back(step(flash["flash.SV26.4"], all));
  return rows;
}

// --- episodes back to back -----------------------------------------------------------------------

/// The columns of FLASH Table 6.8 for its own barriers; not a master's at all, then by two
/// barriers, by one barrier and a flag in shared memory, and by the controllers.
enum class master_slave : std::uint8_t { conventional, naive, flag, custom };

constexpr std::uint32_t master_radix = 4;

/// Processors and who releases them.
using master_setting = std::pair<std::uint32_t, master_slave>;
using iterations_t = measured_once<master_setting, double>;

/// All have come; the master says so to the others by a word that they have in their caches. It is
/// in a line of its own, on the master's node.
void pass_flag(program_context& context, std::uint32_t iteration) {
  constexpr std::uint64_t row = 48;
  const std::uint64_t flag = context.shared_address(mm_id{0}, row);
  if (context.rank() == 0) {
    context.store(flag, iteration);
  } else {
    context.spin(flag, [iteration](word_t seen) { return seen == iteration; });
  }
}

/// Of 32 episodes in microseconds, from the master's first arrival to its last return or release.
double mean_iteration(const master_setting& where) {
  const std::uint32_t nodes = where.first;
  const master_slave kind = where.second;
  constexpr std::uint32_t iterations = 32;
  constexpr cycle_t begin = 5000;  // all have told their nodes of the trees
  synchronizing_machine machine(chapter_6(nodes));
  cycle_t end = 0;
  machine.run(
      [&](program_context& context) {
        const bool is_master = context.rank() == 0;
        flash_barrier barrier(context, machine.barrier_place(),
                              {nodes, master_radix, master_radix, kind == master_slave::custom});
        context.delay(begin - context.now());
        for (std::uint32_t i = 1; i <= iterations; ++i) {
          barrier.cross();
          if (kind == master_slave::naive) barrier.cross();
          if (kind == master_slave::flag) pass_flag(context, i);
          if (kind == master_slave::custom && is_master) barrier.release();
        }
        if (is_master) end = context.now();
      },
      patience);
  return microseconds(end - begin) / iterations;
}

rows_t master_slave_rows(const claims& flash) {
  rows_t rows;
  const auto add = [&](const char* id, const std::function<double(std::uint32_t)>& number) {
    for (planned_row& each : by_size(flash[id], number)) rows.push_back(std::move(each));
  };
  const auto all = std::make_shared<iterations_t>(mean_iteration);
  const auto plain = [all](std::uint32_t nodes) {
    return all->at({nodes, master_slave::conventional});
  };
  add("flash.SV32", [all, plain](std::uint32_t nodes) {
    return all->at({nodes, master_slave::custom}) - plain(nodes);
  });
  add("flash.SV33", [all, plain](std::uint32_t nodes) {
    return all->at({nodes, master_slave::naive}) / plain(nodes);
  });
  add("flash.SV34", plain);
  constexpr std::array<std::pair<const char*, master_slave>, 3> shown{
      {{"flash.SV34.naive", master_slave::naive},
       {"flash.SV34.flag", master_slave::flag},
       {"flash.SV34.custom", master_slave::custom}}};
  for (const auto& [id, kind] : shown) {
    add(id, [all, of = kind](std::uint32_t nodes) { return all->at({nodes, of}); });
  }
  return rows;
}

// --- trees of two radices ------------------------------------------------------------------------

/// Links so slow that a node can join again before its parent in the join tree is released.
synchronizing_config slow_links(const family& claim) {
  synchronizing_config config(static_cast<std::uint32_t>(claim.number("processors")));
  config.machine.network.bandwidth = static_cast<std::uint32_t>(claim.number("bandwidth"));
  config.processor.turnaround = 100;  // polls seldom, for no time is measured
  return config;
}

/// Processes that come back before all have come, and nodes that count a join too many or too few.
double wrong_in_skewed_episodes(const family& claim) {
  const synchronizing_config config = slow_links(claim);
  const std::uint32_t nodes = config.machine.nodes;
  const auto rounds = static_cast<std::uint64_t>(claim.number("episodes"));
  const auto join_radix = static_cast<std::uint32_t>(claim.number("join_radix"));
  const auto release_radix = static_cast<std::uint32_t>(claim.number("release_radix"));
  constexpr std::uint64_t skew = 600;
  synchronizing_machine machine(config);
  std::vector<std::uint64_t> begun(nodes);
  double wrong = 0;
  const auto body = [&](program_context& context) {
    flash_barrier barrier(context, machine.barrier_place(), {nodes, join_radix, release_radix});
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      if (context.random(4) == 0) context.delay(context.random(skew));
      begun[context.rank()] = round;
      barrier.cross();
      if (*std::min_element(begun.begin(), begun.end()) < round) ++wrong;
    }
  };
  machine.run(body, patience);
  if (machine.runs("barriers.child_joined") != rounds * (nodes - 1)) ++wrong;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    const barrier_state state = machine.barrier(i, 0);
    if (state.joined() != 0 || state.sense() != rounds % 2) ++wrong;
  }
  return wrong;
}

}  // namespace

std::vector<planned_row> flash_barrier_checks(const claims& flash) {
  rows_t rows = table_rows(flash);
  const family skewed = flash["flash.SV7"];
  rows.push_back(measured_on_blocks(
      skewed, {"processors", "join_radix", "release_radix", "episodes", "bandwidth"},
      [skewed] { return wrong_in_skewed_episodes(skewed); }));
  for (planned_row& each : master_slave_rows(flash)) rows.push_back(std::move(each));
  return rows;
}

}  // namespace tributary::validation
