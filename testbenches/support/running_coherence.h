// SPDX-License-Identifier: Apache-2.0
// What must hold between any two cycles of a coherent machine, while lines are on their way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tributary/magic/coherence_audit.h>
#include <tributary/sim/error.h>

#include "coherent_machine.h"

namespace tributary::testing {

/// One cache at most has a line exclusive, and the line's home knows of every cache that has it
/// unless the line is pending.
///
/// When relaxed, a sharer acknowledges before its cache loses the line: such a copy may last until
/// all that went to the cache before has arrived. When sequential, no copy outlives its
/// acknowledgement, so an exclusive line is in no other cache. The copy of the home's own processor
/// is an exception: when the protocol processor takes the line from it, no state is waited for.
class running_coherence {
 public:
  running_coherence(const coherent_machine& all, consistency_kind consistency)
      : all_(all),
        audit_(all.machine),
        addresses_(all.machine.config().node.addresses),
        is_sequential_(consistency == consistency_kind::sequential) {}

  /// Between two cycles. Throws `simulation_error`, also for a miss that lasts too long.
  void check() {
    audit_.check_progress();
    // To look through all caches of a large machine takes long.
    if (all_.machine.size() > small && ++calls_ % 1024 != 0) return;
    found_.clear();
    for (std::uint32_t i = 0; i < all_.machine.size(); ++i) {
      all_.machine.node(i).caches()->for_each_line(
          [&](std::uint64_t line, line_state state) { note(i, line, state); });
    }
    for (const cached_line& each : found_) {
      if (each.exclusive > 1 || (is_sequential_ && each.exclusive != 0 && each.shared != 0)) {
        fail("more caches have the line than its writer", each.line);
      }
    }
    // Copies that were lost since, or are known again.
    const cycle_t now = all_.machine.now();
    lingering_.erase(std::remove_if(lingering_.begin(), lingering_.end(),
                                    [&](const lingering& each) { return each.last != now; }),
                     lingering_.end());
  }
  /// The longest time for which a copy outlived its acknowledgement, in cycles.
  cycle_t longest() const { return longest_; }

 private:
  struct cached_line {
    std::uint64_t line;
    std::uint32_t exclusive;
    std::uint32_t shared;
  };
  struct lingering {
    std::uint64_t line;
    std::uint32_t node;
    cycle_t since;
    cycle_t last;
  };

  void note(std::uint32_t node, std::uint64_t line, line_state state) {
    const bool is_shared = state == line_state::shared;
    auto at = std::find_if(found_.begin(), found_.end(),
                           [&](const cached_line& each) { return each.line == line; });
    if (at == found_.end()) at = found_.insert(at, {line, 0, 0});
    const std::uint32_t home = index(addresses_.node_of(line));
    const std::uint64_t offset = addresses_.offset_of(line);
    const coherence::directory_entry entry = all_.entry(home, offset);
    if (is_shared && node == home && !entry.local()) {
      linger(node, line);
      return;
    }
    ++(is_shared ? at->shared : at->exclusive);
    if (entry.pending()) return;
    const bool is_owner = !entry.owned() && entry.owned_by(node_id{node}, node_id{home});
    const bool is_known =
        is_owner || (is_shared && !entry.dirty() && all_.names(home, offset, node_id{node}));
    if (is_known) return;
    if (!is_shared || is_sequential_) {
      fail("the directory does not know node " + std::to_string(node), line);
    }
    linger(node, line);
  }

  void linger(std::uint32_t node, std::uint64_t line) {
    const cycle_t now = all_.machine.now();
    auto at = std::find_if(lingering_.begin(), lingering_.end(), [&](const lingering& each) {
      return each.line == line && each.node == node;
    });
    if (at == lingering_.end()) at = lingering_.insert(at, {line, node, now, now});
    at->last = now;
    longest_ = std::max(longest_, now - at->since);
    if (now - at->since > bound) {
      fail("node " + std::to_string(node) + " has lost the line and keeps it", line);
    }
  }

  [[noreturn]] void fail(const std::string& problem, std::uint64_t line) const {
    throw simulation_error(fmt::format("cycle {}, line {:#x}: {}. {}", all_.machine.now(), line,
                                       problem, audit_.text_of(line)));
  }

  static constexpr cycle_t bound = 500;
  static constexpr std::size_t small = 16;  // nodes

  const coherent_machine& all_;
  coherence_audit audit_;
  const address_layout& addresses_;
  bool is_sequential_;
  std::vector<cached_line> found_;
  std::vector<lingering> lingering_;
  cycle_t longest_ = 0;
  std::uint64_t calls_ = 0;
};

}  // namespace tributary::testing
