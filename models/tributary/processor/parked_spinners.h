// SPDX-License-Identifier: Apache-2.0
// Elements that spin on a word of their own memory, while nothing can change it.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/memory/memory.h>
#include <tributary/nic/network_interface.h>
#include <tributary/processor/spinner_parking.h>
#include <tributary/sim/cycle.h>

namespace tributary {

class address_map;

/// Parks elements that spin on a word of their own module, as MCS algorithms do (FG 4). While
/// no other element has a request for that module, each poll is like the one before: every latency
/// + turnaround cycles it finds the module free and the word as it was. A parked element does
/// nothing in a cycle; as a request for its module is offered, or a run ends, what its polls would
/// have done to the element, its interface and its module is done at once. Nothing else of a run
/// can tell that it was parked: states and statistics are then those of a machine that polls. A
/// parked element makes no events and no offers, so none is parked while these are observed.
class parked_spinners final : public spinner_parking {
 public:
  /// All must outlive it. `turnaround`: of the elements.
  parked_spinners(memory& memories, network_interface& interfaces, const address_map& map,
                  std::uint32_t turnaround);

  /// Whether any more may be parked from here on.
  void allow(bool parking) { allowed_ = parking && config_.interval <= period_; }

  bool park(std::uint32_t element, local_spinner& owner, const access& load, word_t value,
            cycle_t now) override;
  void wake(std::uint32_t element, cycle_t now) override;
  void wake_all(cycle_t now) override;

  /// At the end of cycle `now`: has those go on for whose module a request was offered in it.
  void wake_called(cycle_t now) {
    if (!interfaces_.watched_offers().empty()) wake_watched(now);
  }

  /// How often an element was parked.
  std::uint64_t times() const { return times_; }

 private:
  struct spinner {
    local_spinner* owner = nullptr;  // null: not parked
    access load;
    cycle_t since = 0;  // of the poll with which it was parked
  };

  void wake_watched(cycle_t now);

  memory& memories_;
  network_interface& interfaces_;
  const address_map& map_;
  memory_config config_;
  std::uint64_t period_;  // cycles from one poll to the next
  bool allowed_ = false;
  std::vector<spinner> parked_;  // by element
  std::size_t count_ = 0;
  std::uint64_t times_ = 0;
};

}  // namespace tributary
