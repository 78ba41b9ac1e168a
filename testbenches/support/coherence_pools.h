// SPDX-License-Identifier: Apache-2.0
// Whether the list elements and the records of a coherent machine are where they belong, at rest.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "coherent_machine.h"

namespace tributary::testing {

/// The pools of one node's directory, as its memory has them while all is at rest.
class directory_pools {
 public:
  directory_pools(const coherent_machine& all, std::uint32_t home)
      : memory_(all.machine.node(home).memory()),
        at_(static_cast<const coherence_protocol&>(all.machine.node(home).protocols().at(0))
                .layout()),
        elements_(static_cast<std::size_t>(at_.elements) + 1),
        records_(static_cast<std::size_t>(at_.records) + 1) {}

  /// What is wrong if the lists of these lines, by offsets in the node, are all that hold elements.
  /// Each element is in one list, or free, or was never used. Each record is free or was never
  /// used, and so is the table of lines that the protocol processor owns.
  std::string fault(const std::set<std::uint64_t>& lines) {
    using layout = coherence::directory_layout;
    bool ends = count(own(layout::free_element), elements_, [this](word_t each) {
      return coherence::list_element::next.in(memory_.read(at_.element(each)));
    });
    for (const std::uint64_t line : lines) {
      const coherence::directory_entry entry(memory_.read(at_.entry(line)));
      if (entry.record() != 0) return "a line at rest has a record";
      ends = ends && count(entry.list(), elements_, [this](word_t each) {
               ++in_lists_;
               return coherence::list_element::next.in(memory_.read(at_.element(each)));
             });
    }
    ends = ends && count(own(layout::free_record), records_, [this](word_t each) {
             return memory_.read(at_.record(each) + layout::record_next);
           });
    if (!ends) return "a list of elements or records has no end";
    count_fresh(own(layout::fresh_elements), elements_);
    count_fresh(own(layout::fresh_records), records_);
    if (!are_all_one(elements_)) return "a list element is lost, or is in two places";
    if (!are_all_one(records_)) return "a record is lost, or is in two places";
    if (own(layout::owned_lines) != 0) return "the protocol processor owns a line";
    return "";
  }
  /// Elements in lists of lines, after `fault`.
  std::uint64_t in_lists() const { return in_lists_; }

 private:
  using places = std::vector<int>;

  word_t own(std::uint64_t offset) const { return memory_.read(at_.base + offset); }

  /// False for a list without an end.
  template <class Next>
  static bool count(word_t first, places& by_number, Next&& next) {
    std::size_t looked_at = 0;
    for (word_t each = first; each != 0; each = next(each)) {
      if (each >= by_number.size() || ++looked_at >= by_number.size()) return false;
      ++by_number[static_cast<std::size_t>(each)];
    }
    return true;
  }
  static void count_fresh(word_t used_once, places& by_number) {
    for (auto i = static_cast<std::size_t>(used_once) + 1; i < by_number.size(); ++i) {
      ++by_number[i];
    }
  }
  static bool are_all_one(const places& by_number) {
    for (std::size_t i = 1; i < by_number.size(); ++i) {
      if (by_number[i] != 1) return false;
    }
    return true;
  }

  const memory_controller& memory_;
  const coherence::directory_layout& at_;
  places elements_;
  places records_;
  std::uint64_t in_lists_ = 0;
};

/// All that a node's protocols and queues have handed out, at rest; `lines`: all that were used.
inline void check_pools(const coherent_machine& all, const std::set<std::uint64_t>& lines,
                        const std::string& text, bool nothing_in_lists = false) {
  const address_layout& layout = all.machine.config().node.addresses;
  for (std::uint32_t home = 0; home < all.machine.size(); ++home) {
    const magic_node& node = all.machine.node(home);
    const line_size line = node.config().memory.line();
    std::set<std::uint64_t> here;
    for (const std::uint64_t each : lines) {
      if (index(layout.node_of(each)) == home) here.insert(line.start(layout.offset_of(each)));
    }
    directory_pools pools(all, home);
    EXPECT_EQ(pools.fault(here), "") << text << ": node " << home;
    if (nothing_in_lists) {
      EXPECT_EQ(pools.in_lists(), 0U) << text << ": node " << home;
    }
    EXPECT_EQ(node.buffers().in_use(), 0U) << text << ": node " << home;
    EXPECT_EQ(node.deferred().size(), 0U) << text << ": node " << home;
    for (std::uint32_t lane = 0; lane < message_lanes; ++lane) {
      EXPECT_EQ(node.network().space(static_cast<message_lane>(lane)),
                node.config().network_interface.out_depth)
          << text << ": node " << home;
    }
  }
}

/// The same when one node has taken all lines to write: then every list element is free.
inline void check_pools_without_sharers(coherent_machine& all, const std::set<std::uint64_t>& lines,
                                        const std::string& text) {
  // Who asked before is done, and would not know these accesses.
  all.processors[0]->on_answer = nullptr;
  for (const std::uint64_t each : lines) all.write(0, each, all.newest(each));
  all.machine.run_until(all.machine.now() + 1000);  // until words that nobody waits for have come
  check_pools(all, lines, text, true);
}

}  // namespace tributary::testing
