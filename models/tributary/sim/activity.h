// SPDX-License-Identifier: Apache-2.0
// What a simulation is at, for a thread that looks now and then.
#pragma once

#include <atomic>

namespace tributary {

/// The block whose turn it is in a simulation, by name. A thread writes it, and another looks
/// (`tributary run --profile`).
class current_activity {
 public:
  /// `name` must stay as long as anybody looks; null: of no block.
  void set(const char* name) noexcept { name_.store(name, std::memory_order_relaxed); }
  const char* name() const noexcept { return name_.load(std::memory_order_relaxed); }

 private:
  std::atomic<const char*> name_{nullptr};
};

/// Sets it, unless nobody looks, where that is null.
inline void set_activity(current_activity* activity, const char* name) noexcept {
  if (activity != nullptr) activity->set(name);
}

}  // namespace tributary
