// SPDX-License-Identifier: Apache-2.0
// Which of many ports may have something to do: idle ports are skipped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <tributary/sim/small_number.h>

namespace tributary {

/// Ports side by side, in groups of `width`; a group is active or quiet. What steps the ports looks
/// at active groups only, and makes one quiet when nothing in it would change; whatever gives one
/// of its ports something to do makes it active again. All are active at first.
class active_groups {
 public:
  static constexpr std::size_t width = 128;

  explicit active_groups(std::size_t ports) : ports_(ports), active_((ports + width - 1) / width) {
    set_all();
  }

  void set(std::size_t port) { active_[port / width] = 1; }
  void set_all() { std::fill(active_.begin(), active_.end(), small_number(1)); }

  /// `port` if its group is active, else the first port of the next group that is, or the end.
  std::size_t next_port(std::size_t port) const {
    const std::size_t group = port / width;
    return active_[group] != 0 ? port : std::min(next_active(group) * width, ports_);
  }

  /// Calls `visit(first, last)` for the ports of the active groups, `last` excluded, ascending, and
  /// once for groups side by side. `visit` makes no group active that is behind those it got.
  template <class Visit>
  void for_each(Visit&& visit) const {
    const std::size_t groups = active_.size();
    for (std::size_t first = next_active(0); first < groups;) {
      std::size_t last = first + 1;
      while (last < groups && active_[last] != 0) ++last;
      visit(first * width, std::min(last * width, ports_));
      first = next_active(last);
    }
  }

  /// Calls `visit(first, last)` for each active group; it says whether the group stays active.
  template <class Visit>
  void for_each_and_keep(Visit&& visit) {
    const std::size_t groups = active_.size();
    for (std::size_t group = next_active(0); group < groups; group = next_active(group + 1)) {
      const bool stays = visit(group * width, std::min((group + 1) * width, ports_));
      active_[group] = static_cast<std::uint8_t>(stays);
    }
  }

 private:
  /// The first active group from `group` on, or the number of groups.
  std::size_t next_active(std::size_t group) const {
    const std::size_t groups = active_.size();
    while (group < groups && active_[group] == 0) {
      std::uint64_t eight = 1;
      if (group + 8 <= groups) std::memcpy(&eight, active_.data() + group, 8);
      group += eight == 0 ? 8 : 1;
    }
    return group;
  }

  std::size_t ports_;
  std::vector<small_number> active_;  // by group, a byte each: setting one waits for nothing
};

}  // namespace tributary
