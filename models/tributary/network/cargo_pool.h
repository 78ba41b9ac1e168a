// SPDX-License-Identifier: Apache-2.0
// What the messages of a network carry, while they are on their way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/sim/error.h>
#include <tributary/sim/state.h>

namespace tributary {

/// The messages that are on their way, of all nodes of a machine, as who steps the machine sees
/// them.
class cargo_store {
 public:
  virtual ~cargo_store() = default;

  /// Messages that are on their way.
  virtual std::size_t size() const noexcept = 0;
  /// Of the messages and of what their places will be; between two cycles.
  virtual std::string save() const = 0;
  virtual void restore(const std::string& state) = 0;

 protected:
  cargo_store() = default;
  cargo_store(const cargo_store&) = default;
  cargo_store& operator=(const cargo_store&) = default;
};

/// Messages of a kind by places. The network carries a place as `network_transfer::cargo` and need
/// not know what a message is.
template <class Carried>
class cargo_pool : public cargo_store {
 public:
  cargo_pool() = default;
  cargo_pool(const cargo_pool&) = delete;
  cargo_pool& operator=(const cargo_pool&) = delete;

  /// The place of a new message.
  std::uint64_t put(const Carried& carried) {
    const std::uint64_t place = take_place();
    items_[static_cast<std::size_t>(place)].carried = carried;
    return place;
  }

  /// The message has so many receivers, at least one, each of which removes it: `copies` of the
  /// port over which it is sent to `everyone`. Throws as `at` does.
  void share(std::uint64_t place, std::uint32_t receivers) {
    at(place);
    items_[static_cast<std::size_t>(place)].receivers = receivers;
  }

  /// Throws `simulation_error` for a place without a message. The reference ends with the next put.
  Carried& at(std::uint64_t place) {
    if (place >= items_.size() || items_[static_cast<std::size_t>(place)].receivers == 0) {
      throw simulation_error("no message is on its way at place " + std::to_string(place) +
                             " of the pool; what carries messages lost or doubled one");
    }
    return items_[static_cast<std::size_t>(place)].carried;
  }
  /// The message has arrived, at one of its receivers. Throws as `at` does.
  void remove(std::uint64_t place) {
    at(place);
    if (--items_[static_cast<std::size_t>(place)].receivers == 0) free_.push_back(place);
  }

  std::size_t size() const noexcept final { return items_.size() - free_.size(); }

 protected:
  ~cargo_pool() override = default;

  /// A place, whose message is an older one's.
  std::uint64_t take_place() {
    std::uint64_t place = items_.size();
    if (free_.empty()) {
      items_.emplace_back();
    } else {
      place = free_.back();
      free_.pop_back();
    }
    items_[static_cast<std::size_t>(place)].receivers = 1;
    return place;
  }
  Carried& fresh(std::uint64_t place) { return items_[static_cast<std::size_t>(place)].carried; }

  TRIBUTARY_STATE(items_, free_);

 private:
  struct item {
    Carried carried;
    std::uint32_t receivers = 0;  ///< that have not removed it; 0: the place is free

    TRIBUTARY_STATE(carried, receivers);
  };

  std::vector<item> items_;
  std::vector<std::uint64_t> free_;
};

}  // namespace tributary
