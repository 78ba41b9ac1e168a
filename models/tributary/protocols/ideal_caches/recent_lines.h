// SPDX-License-Identifier: Apache-2.0
// Lines in the order in which they were used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include <tributary/sim/state.h>

namespace tributary {

/// Which line of a fully associative cache leaves for another: the one that was used least
/// recently. Lines are addresses.
class recent_lines {
 public:
  std::size_t size() const { return by_use_.size(); }

  /// It is now the most recently used one.
  void use(std::uint64_t line) {
    remove(line);
    uses_of_[line] = ++uses_;
    by_use_[uses_] = line;
  }

  void remove(std::uint64_t line) {
    const auto found = uses_of_.find(line);
    if (found == uses_of_.end()) return;
    by_use_.erase(found->second);
    uses_of_.erase(found);
  }

  /// The one that was used least recently of those that `may_leave(line)`; nothing if there is
  /// none.
  template <class MayLeave>
  std::optional<std::uint64_t> oldest(MayLeave&& may_leave) const {
    for (const auto& [use, line] : by_use_) {
      if (may_leave(line)) return line;
    }
    return std::nullopt;
  }

  TRIBUTARY_STATE(uses_of_, by_use_, uses_);

 private:
  std::map<std::uint64_t, std::uint64_t> uses_of_;  ///< by line: when it was used last
  std::map<std::uint64_t, std::uint64_t> by_use_;   ///< lines by that
  std::uint64_t uses_ = 0;
};

}  // namespace tributary
