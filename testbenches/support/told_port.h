// SPDX-License-Identifier: Apache-2.0
// What is below a unit on a processor's port: it does what the test says, when the test says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <tributary/memory/port.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/error.h>

namespace tributary::testing {

/// A port that answers when the test says so.
class told_port final : public processor_port {
 public:
  void set_client(memory_client* client) override { client_ = client; }
  void check(std::size_t, const access& request) const override {
    if (request.address % word_bytes != 0) throw simulation_error("no word");
  }
  bool can_take(std::size_t) const override { return room; }
  void offer(std::size_t element, const access& request, cycle_t now) override {
    taken.emplace_back(now, request);
    if (room_for != 0 && --left_ == 0) room = false;
    open_.push_back({pe_id{static_cast<std::uint32_t>(element)}, request.tag, 0});
  }
  std::size_t waiting(std::size_t) const override { return 0; }
  std::size_t outstanding(std::size_t) const override { return open_.size(); }
  bool serves_pairs() const override { return true; }
  std::uint64_t incomplete_stores(std::size_t) const override { return incomplete; }

  /// Completes the oldest access.
  void answer(cycle_t now) {
    const completion told = open_.front();
    open_.erase(open_.begin());
    client_->completed(told, now);
  }
  void tell_room(cycle_t now) {
    room = true;
    left_ = room_for;
    client_->room(0, now);
  }
  void settle(cycle_t now, std::size_t element = 0) {
    incomplete = 0;
    client_->settled(element, now);
  }

  bool room = true;
  std::uint64_t room_for = 0;  ///< accesses at a time; 0: any number
  std::uint64_t incomplete = 0;
  std::vector<std::pair<cycle_t, access>> taken;

 private:
  memory_client* client_ = nullptr;
  std::vector<completion> open_;
  std::uint64_t left_ = 0;
};

}  // namespace tributary::testing
