// SPDX-License-Identifier: Apache-2.0
// FLASH's rows of barriers that its own are compared with: SV27 to SV31, SV35 and SV51, by the
// numbers of the synchronization specification.
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <tributary/algorithms/ll_sc_barrier.h>
#include <tributary/algorithms/master_slave_barrier.h>
#include <tributary/algorithms/mcs_tree_barrier.h>
#include <tributary/algorithms/tournament_barrier.h>

#include "barrier_measurements.h"
#include "flash_chapter_6.h"
#include "flash_checks.h"
#include "measured_once.h"

namespace tributary::validation {
namespace {

using testing::synchronizing_machine;
using rows_t = std::vector<planned_row>;

// --- the barriers --------------------------------------------------------------------------------

/// Central words lie on node 0, the words of each element on its own.
constexpr memory_place place{0, 4, 4};

std::uint64_t central(const program_context& context, std::uint64_t row) {
  return context.shared_address(mm_id{place.module}, row);
}
/// Rows of words in lines of their own.
constexpr std::uint64_t count_row = 16;
constexpr std::uint64_t crossing_row = 48;

/// Appendix B of the publication: both trees have the same radix, or arrivals 4 and wake-ups 2.
mcs_tree_options mcs_options(std::uint32_t arrivals, std::uint32_t wakes) {
  mcs_tree_options options;
  options.arrival_fan = arrivals;
  options.wake_fan = wakes;
  options.clears_bytes = true;
  return options;
}

/// Appendix B: counts under locks, each on a page of its own. Who goes on wakes the losers of his
/// first round first: the table's releases grow with the square of the rounds. Here and in the
/// central barrier, load-linked asks for the line to be read, as the appendix has it.
tournament_options tournament_of(std::uint32_t radix) {
  constexpr std::uint64_t page_words = 512;
  tournament_options options;
  options.radix = radix;
  options.signals = tournament_options::signal::locked_counts;
  options.distance = page_words;
  options.farthest_first = false;
  options.back_off = fitted_back_off;
  options.reading = ll_sc_lock::reading::shared;
  return options;
}

using maker = std::function<std::unique_ptr<barrier>(program_context&)>;

maker mcs(std::uint32_t arrivals, std::uint32_t wakes) {
  return [options = mcs_options(arrivals, wakes)](program_context& context) {
    return std::make_unique<mcs_tree_barrier>(context, place, options);
  };
}
maker tournament(std::uint32_t radix) {
  return [options = tournament_of(radix)](program_context& context) {
    return std::make_unique<tournament_barrier>(context, place, options);
  };
}
maker ll_sc(ll_sc_barrier::reading how) {
  return [how](program_context& context) {
    return std::make_unique<ll_sc_barrier>(context, central(context, count_row),
                                           central(context, crossing_row), how);
  };
}

/// By the names that families have in "barrier".
const std::map<std::string, maker>& barriers() {
  static const std::map<std::string, maker> all{
      {"ll_sc", ll_sc(ll_sc_barrier::reading::shared)},
      {"ll_sc_exclusive", ll_sc(ll_sc_barrier::reading::first_exclusive)},
      {"tournament_2", tournament(2)},
      {"tournament_4", tournament(4)},
      {"mcs_2", mcs(2, 2)},
      {"mcs_4_2", mcs(4, 2)},
      {"mcs_4", mcs(4, 4)}};
  return all;
}

// --- episodes by themselves ----------------------------------------------------------------------

/// Where an episode is measured.
struct setting {
  std::string name;
  std::uint32_t nodes = 0;
  arrival pattern = arrival::together;

  bool operator<(const setting& other) const {
    return std::tie(name, nodes, pattern) < std::tie(other.name, other.nodes, other.pattern);
  }
};

/// Who comes last comes 100 us after all others. Of LL/SC barriers not all others wait by then.
constexpr cycle_t lateness = 40'000;

episode_latencies episode_at(const setting& where) {
  constexpr cycle_t least = 60'000;
  constexpr cycle_t a_node = 5000;
  measured_barrier of;
  of.make = [&where](program_context& context, const synchronizing_machine&) {
    return barriers().at(where.name)(context);
  };
  of.joins = lateness;
  of.episode = least + a_node * where.nodes;
  return measured_episode(conventional_chapter_6(where.nodes), of, where.pattern);
}

using episodes = measured_once<setting, episode_latencies>;
using shared_episodes = std::shared_ptr<episodes>;

/// A column of one of the tables: FLASH Tables 6.5, 6.6 and 6.7.
struct column {
  arrival pattern;
  double episode_latencies::*what;
};
constexpr column late{arrival::root_last, &episode_latencies::fall_through};
constexpr column together{arrival::together, &episode_latencies::fall_through};
constexpr column release{arrival::together, &episode_latencies::release};

class tables {
 public:
  explicit tables(const claims& flash)
      : flash_(flash), all_(std::make_shared<episodes>(episode_at)) {}

  void add(const std::string& id, const column& of) {
    const family claim = flash_[id];
    for (planned_row& each : measured_by_processors(
             claim, {"barrier"},
             [all = all_, name = claim.text("barrier"), of](std::uint32_t nodes) {
               return all->at({name, nodes, of.pattern}).*of.what;
             })) {
      rows.push_back(std::move(each));
    }
  }
  /// What the greater machine takes, by what the smaller one does.
  void add_ratio(const std::string& id, const column& of) {
    const family claim = flash_[id];
    const std::vector<double> sizes = claim.numbers("processors");
    rows.push_back(measured_on_blocks(
        claim, {"barrier", "processors"}, [all = all_, name = claim.text("barrier"), sizes, of] {
          const auto at = [&](double size) {
            return all->at({name, static_cast<std::uint32_t>(size), of.pattern}).*of.what;
          };
          return at(sizes.at(1)) / at(sizes.at(0));
        }));
  }

  rows_t rows;

 private:
  const claims& flash_;
  shared_episodes all_;
};

rows_t table_rows(const claims& flash) {
  tables all(flash);
  for (const char* id :
       {"flash.SV28.2", "flash.SV28.4", "flash.SV28.shown.mcs_4_2", "flash.SV28.shown.mcs_2",
        "flash.SV28.shown.mcs_4", "flash.SV51.shown", "flash.SV31.late.2", "flash.SV31.late.4"}) {
    all.add(id, late);
  }
  all.add_ratio("flash.SV51", late);
  for (const char* id :
       {"flash.SV30", "flash.SV30.shown", "flash.SV31.together", "flash.SV31.together.shown.2",
        "flash.SV31.together.shown.4", "flash.SV30.exclusive", "flash.SV30.mcs.2",
        "flash.SV30.mcs.4_2", "flash.SV30.mcs.4"}) {
    all.add(id, together);
  }
  for (const char* id : {"flash.SV27", "flash.SV27.shown.mcs_4_2", "flash.SV27.shown.mcs_4",
                         "flash.SV29", "flash.SV29.shown", "flash.SV31.release",
                         "flash.SV31.release.shown.2", "flash.SV31.release.shown.4"}) {
    all.add(id, release);
  }
  return std::move(all.rows);
}

// --- a master and its slaves ---------------------------------------------------------------------

enum class master_kind : std::uint8_t { basic, mcs };
using master_setting = std::pair<std::uint32_t, master_kind>;

/// One processor's end of a barrier whose master releases the others.
template <class Barrier, class... Options>
void iterate(program_context& context, std::uint32_t iterations, const Options&... options) {
  Barrier own(context, options...);
  for (std::uint32_t i = 0; i < iterations; ++i) {
    own.cross();
    if (context.rank() == 0) own.release();
  }
}

/// Of 32 episodes in microseconds, from the master's first arrival to its last release.
double mean_iteration(const master_setting& where) {
  constexpr std::uint32_t iterations = 32;
  mcs_tree_options binary = mcs_options(2, 2);
  binary.two_phase = true;
  synchronizing_machine machine(conventional_chapter_6(where.first));
  cycle_t begin = 0;
  cycle_t end = 0;
  machine.run(
      [&](program_context& context) {
        if (context.rank() == 0) begin = context.now();
        if (where.second == master_kind::basic) {
          iterate<master_slave_barrier>(context, iterations, central(context, count_row),
                                        central(context, crossing_row));
        } else {
          iterate<mcs_tree_barrier>(context, iterations, place, binary);
        }
        if (context.rank() == 0) end = context.now();
      },
      patience);
  return microseconds(end - begin) / iterations;
}

using iterations_t = measured_once<master_setting, double>;

/// Sizes at which the basic barrier is not the faster one up to 8 processors, or is from 16 on.
double out_of_order(iterations_t& all, const std::vector<double>& sizes) {
  constexpr double last_of_basic = 8;
  double wrong = 0;
  for (const double size : sizes) {
    const auto nodes = static_cast<std::uint32_t>(size);
    const bool basic_is_faster =
        all.at({nodes, master_kind::basic}) < all.at({nodes, master_kind::mcs});
    if (basic_is_faster != (size <= last_of_basic)) ++wrong;
  }
  return wrong;
}

rows_t master_rows(const claims& flash) {
  const auto all = std::make_shared<iterations_t>(mean_iteration);
  const family order = flash["flash.SV35"];
  rows_t rows{measured_on_blocks(order, {"processors"}, [all, sizes = order.numbers("processors")] {
    return out_of_order(*all, sizes);
  })};
  const std::array<std::pair<const char*, master_kind>, 2> shown{
      {{"flash.SV35.basic", master_kind::basic}, {"flash.SV35.mcs", master_kind::mcs}}};
  for (const auto& [id, kind] : shown) {
    for (planned_row& each :
         measured_by_processors(flash[id], {}, [all, of = kind](std::uint32_t nodes) {
           return all->at({nodes, of});
         })) {
      rows.push_back(std::move(each));
    }
  }
  return rows;
}

}  // namespace

std::vector<planned_row> flash_conventional_barrier_checks(const claims& flash) {
  rows_t rows = table_rows(flash);
  rows_t masters = master_rows(flash);
  rows.insert(rows.end(), std::make_move_iterator(masters.begin()),
              std::make_move_iterator(masters.end()));
  return rows;
}

}  // namespace tributary::validation
