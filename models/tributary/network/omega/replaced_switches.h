// SPDX-License-Identifier: Apache-2.0
// The switches of a network that are not the core's.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <tributary/network/omega/entering_traffic.h>
#include <tributary/network/omega/switch_implementation.h>
#include <tributary/network/omega/switch_levels.h>
#include <tributary/sim/error.h>

namespace tributary {

/// A switch that is implemented elsewhere, with what leaves and arrives in the current cycle.
struct replaced_switch {
  switch_place place;
  std::unique_ptr<switch_implementation> implementation;
  switch_traffic leaving;
  switch_traffic arriving;
  entering_traffic entering;
  switch_levels levels;
};

/// Those of a network of `switches` a stage, found by their place.
class replaced_switches {
 public:
  explicit replaced_switches(std::size_t switches) : switches_(switches) {}

  /// Throws `error` unless it is empty: what an implementation holds cannot be copied.
  replaced_switches(const replaced_switches& other) : switches_(other.switches_) {
    if (other.empty()) return;
    throw error("a network with switches that are not the core's cannot be copied");
  }
  replaced_switches& operator=(const replaced_switches& other) {
    return *this = replaced_switches(other);
  }
  replaced_switches(replaced_switches&&) = default;
  replaced_switches& operator=(replaced_switches&&) = default;

  bool empty() const { return list_.empty(); }
  /// Throws `error` unless it is empty.
  void refuse_to_save() const {
    if (empty()) return;
    throw error(
        "a checkpoint cannot hold the state of RTL; run with network.rtl = none, or without "
        "checkpoints");
  }
  /// In ascending order of places.
  std::vector<replaced_switch>& list() { return list_; }
  const std::vector<replaced_switch>& list() const { return list_; }

  /// Places in ascending order.
  void add(const switch_place& place, std::unique_ptr<switch_implementation> implementation,
           const entering_traffic& entering, const switch_levels& levels) {
    list_.push_back({place, std::move(implementation), {}, {}, entering, levels});
    const std::size_t at = place.stage * switches_ + place.index;
    if (index_.size() <= at) index_.resize(at + 1);
    index_[at] = list_.size();
  }

  /// The one that stands behind memory-side port `port` of a stage, or at the end of processor-side
  /// line `line`; null where the core's stands.
  replaced_switch* at_port(std::size_t stage, std::size_t port) {
    return empty() ? nullptr : find(stage, port / 2);
  }
  replaced_switch* at_line(std::size_t stage, std::size_t line) {
    return empty() ? nullptr : find(stage, line % switches_);
  }
  const replaced_switch* at_port(std::size_t stage, std::size_t port) const {
    return const_cast<replaced_switches*>(this)->at_port(stage, port);
  }
  const replaced_switch* at_line(std::size_t stage, std::size_t line) const {
    return const_cast<replaced_switches*>(this)->at_line(stage, line);
  }

 private:
  replaced_switch* find(std::size_t stage, std::size_t index) {
    const std::size_t at = stage * switches_ + index;
    return at < index_.size() && index_[at] != 0 ? &list_[index_[at] - 1] : nullptr;
  }

  std::size_t switches_;
  std::vector<replaced_switch> list_;
  std::vector<std::size_t> index_;  // by stage and switch: place in the list, from 1; 0: not there
};

}  // namespace tributary
