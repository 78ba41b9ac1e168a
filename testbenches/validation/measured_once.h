// SPDX-License-Identifier: Apache-2.0
// What rows share, measured once by whichever thread needs it first.
#pragma once

#include <map>
#include <mutex>

namespace tributary::validation {

/// `Found` of each `Where`, which has an order.
template <class Where, class Found>
class measured_once {
 public:
  explicit measured_once(Found (*measure)(const Where&)) : measure_(measure) {}

  const Found& at(const Where& where) {
    slot& wanted = slot_of(where);
    std::call_once(wanted.once, [&] { wanted.found = measure_(where); });
    return wanted.found;
  }

 private:
  struct slot {
    std::once_flag once;
    Found found{};
  };
  slot& slot_of(const Where& where) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return slots_[where];
  }

  Found (*measure_)(const Where&);
  std::mutex mutex_;
  std::map<Where, slot> slots_;
};

}  // namespace tributary::validation
