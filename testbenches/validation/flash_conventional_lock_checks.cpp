// SPDX-License-Identifier: Apache-2.0
// FLASH's rows of locks that its own are compared with: SV12, SV13, SV15, SV16, SV18 and SV19, by
// the numbers of the synchronization specification.
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/algorithms/ll_sc_lock.h>

#include "flash_chapter_6.h"
#include "flash_checks.h"
#include "lock_measurements.h"
#include "measured_once.h"

namespace tributary::validation {
namespace {

using testing::synchronizing_machine;
using rows_t = std::vector<planned_row>;
using reading = ll_sc_lock::reading;

// --- a free lock ---------------------------------------------------------------------------------

/// Before the turns of Table 6.2 the others have the lock once, so that their caches have their own
/// words.
constexpr std::uint32_t warm_turns = 2;

std::vector<double> free_locks(const measured_lock& lock) {
  std::vector<std::uint32_t> wants{1, 2};
  wants.insert(wants.end(), turns_of_table_6_2.begin(), turns_of_table_6_2.end());
  return acquire_in_turn(conventional_chapter_6(4), lock, wants);
}

rows_t table_6_2(const claims& flash, const std::string& row, const measured_lock& lock) {
  rows_t rows;
  for (const auto& [name, turn] : cases_of_table_6_2) {
    rows.push_back(
        measured_on_blocks(flash["flash." + row + "." + name], {},
                           [lock, at = turn + warm_turns] { return free_locks(lock).at(at); }));
  }
  return rows;
}

// --- contention ----------------------------------------------------------------------------------

/// Whether the caches of all nodes but the home share the lock's line, and read it there.
bool all_share(synchronizing_machine& machine) {
  const auto& layout = machine.nodes().config().node.addresses;
  const std::uint64_t word =
      layout.address_of(node_id{lock_words_place.module}, 0, lock_words_place.row * word_bytes);
  for (std::size_t i = 1; i < machine.nodes().size(); ++i) {
    if (machine.nodes().node(i).caches()->state_of(word) == line_state::invalid) return false;
  }
  return true;
}

template <reading How>
contention ll_sc_contention(const std::uint32_t& nodes) {
  contention_watch watch;
  if (How != reading::exclusive) watch.all_wait = all_share;
  return measured_contention(conventional_chapter_6(nodes), measured_ll_sc_lock(How), watch);
}

contention mcs_contention(const std::uint32_t& nodes) {
  return measured_contention(conventional_chapter_6(nodes), measured_mcs_lock());
}

using contentions = measured_once<std::uint32_t, contention>;

/// Rows that share one measurement of each size.
class contention_rows {
 public:
  contention_rows(const claims& flash, contention (*measure)(const std::uint32_t&))
      : flash_(flash), all_(std::make_shared<contentions>(measure)) {}

  void add(const char* id, double contention::*what) {
    rows_t more = measured_by_processors(
        flash_[id], {}, [all = all_, what](std::uint32_t nodes) { return all->at(nodes).*what; });
    rows.insert(rows.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
  }
  /// What a processor more that waits makes longer.
  void add_slope(const char* id, double contention::*what) {
    const family claim = flash_[id];
    const std::vector<double> sizes = claim.numbers("processors");
    const auto less = static_cast<std::uint32_t>(sizes.at(0));
    const auto more = static_cast<std::uint32_t>(sizes.at(1));
    rows.push_back(measured_on_blocks(claim, {"processors"}, [all = all_, less, more, what] {
      return (all->at(more).*what - all->at(less).*what) / (more - less);
    }));
  }

  rows_t rows;

 private:
  const claims& flash_;
  std::shared_ptr<contentions> all_;
};

rows_t mcs_rows(const claims& flash) {
  contention_rows of(flash, mcs_contention);
  of.add("flash.SV15", &contention::hand_over);
  of.add("flash.SV15.shown", &contention::hand_over);
  of.add("flash.SV18", &contention::all);
  of.add("flash.SV18.shown", &contention::all);
  return std::move(of.rows);
}

/// The table's hand-offs, times the acquisitions, are more than all acquisitions take: on 16
/// processors 15 times 10.1 us against 77.4. So they are no means of one contention, and the first
/// one is taken here, for which all others wait.
rows_t ll_sc_rows(const claims& flash) {
  contention_rows of(flash, ll_sc_contention<reading::first_exclusive>);
  of.add("flash.SV16", &contention::first);
  of.add_slope("flash.SV16.waiter", &contention::first);
  of.add("flash.SV16.shown", &contention::first);
  of.add("flash.SV16.mean", &contention::hand_over);
  of.add("flash.SV19", &contention::all);
  of.add("flash.SV19.fitted", &contention::all);
  of.add("flash.SV19.shown", &contention::all);
  return std::move(of.rows);
}

/// The other ways to read the lock, next to the default.
rows_t reading_rows(const claims& flash) {
  contention_rows shared(flash, ll_sc_contention<reading::shared>);
  shared.add("flash.SV16.shared", &contention::first);
  contention_rows exclusive(flash, ll_sc_contention<reading::exclusive>);
  exclusive.add("flash.SV16.exclusive", &contention::first);
  rows_t rows = table_6_2(flash, "SV12.shared", measured_ll_sc_lock(reading::shared));
  for (rows_t* more : {&shared.rows, &exclusive.rows}) {
    rows.insert(rows.end(), std::make_move_iterator(more->begin()),
                std::make_move_iterator(more->end()));
  }
  return rows;
}

}  // namespace

std::vector<planned_row> flash_conventional_lock_checks(const claims& flash) {
  rows_t rows = table_6_2(flash, "SV12", measured_ll_sc_lock(reading::first_exclusive));
  for (rows_t more : {table_6_2(flash, "SV13", measured_mcs_lock()), mcs_rows(flash),
                      ll_sc_rows(flash), reading_rows(flash)}) {
    rows.insert(rows.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
  }
  return rows;
}

}  // namespace tributary::validation
