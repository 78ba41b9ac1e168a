// SPDX-License-Identifier: Apache-2.0
// Which of many ports may have something to do: idle ports are skipped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/sim/small_number.h>

namespace tributary {

/// Ports side by side, `last` excluded.
struct port_range {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// Ports side by side, in groups of `width`; a group is active or quiet. What steps the ports looks
/// at active groups only, and makes one quiet when nothing in it would change; whatever gives one
/// of its ports something to do makes it active again. All are active at first.
class active_groups {
 public:
  static constexpr std::size_t width = 128;

  explicit active_groups(std::size_t ports) : ports_(ports), active_((ports + width - 1) / width) {
    set_all();
  }

  void set(std::size_t port) { write(port / width, true); }
  void set_all() { std::fill(active_.begin(), active_.end(), small_number(1)); }

  /// `port` if its group is active, else the first port of the next group that is, or `end`.
  std::size_t next_port(std::size_t port, std::size_t end) const {
    const std::size_t group = port / width;
    return active(group) ? port : std::min(next_active(group, groups_before(end)) * width, end);
  }

  /// Calls `visit(first, last)` for the ports of the active groups, `last` excluded, ascending, and
  /// once for groups side by side. `visit` makes no group active that is behind those it got.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for_each(all(), visit);
  }
  /// The same of some ports, which begin and end with groups.
  template <class Visit>
  void for_each(const port_range& ports, Visit&& visit) const {
    const std::size_t end = groups_before(ports.last);
    for (std::size_t first = next_active(ports.first / width, end); first < end;) {
      std::size_t last = first + 1;
      while (last < end && active(last)) ++last;
      visit(first * width, std::min(last * width, ports_));
      first = next_active(last, end);
    }
  }

  /// Calls `visit(first, last)` for each active group; it says whether the group stays active.
  template <class Visit>
  void for_each_and_keep(Visit&& visit) {
    for_each_and_keep(all(), visit);
  }
  /// The same of some ports, which begin and end with groups.
  template <class Visit>
  void for_each_and_keep(const port_range& ports, Visit&& visit) {
    const std::size_t end = groups_before(ports.last);
    for (std::size_t group = next_active(ports.first / width, end); group < end;
         group = next_active(group + 1, end)) {
      write(group, visit(group * width, std::min((group + 1) * width, ports_)));
    }
  }

 private:
  static std::size_t groups_before(std::size_t port) { return (port + width - 1) / width; }
  port_range all() const { return {0, ports_}; }

  // Threads that move requests look at groups of others, which may become active meanwhile:
  // either answer does, for nothing leaves there in that cycle. So each access is one by itself.
  bool active(std::size_t group) const {
    return __atomic_load_n(bytes_of(active_) + group, __ATOMIC_RELAXED) != 0;
  }
  void write(std::size_t group, bool active) {
    __atomic_store_n(bytes_of(active_) + group, std::uint8_t{active}, __ATOMIC_RELAXED);
  }

  /// The first active group from `group` on, or `end`.
  std::size_t next_active(std::size_t group, std::size_t end) const {
    while (group < end && !active(group)) {
      const bool eight = group % 8 == 0 && group + 8 <= end;
      group += eight && no_active_of_eight(group) ? 8 : 1;
    }
    return group;
  }
  bool no_active_of_eight(std::size_t group) const {
    using bytes [[gnu::may_alias]] = std::uint64_t;
    const auto* const eight = reinterpret_cast<const bytes*>(bytes_of(active_) + group);
    return __atomic_load_n(eight, __ATOMIC_RELAXED) == 0;
  }

  std::size_t ports_;
  std::vector<small_number> active_;  // by group, a byte each: setting one waits for nothing
};

}  // namespace tributary
