// SPDX-License-Identifier: Apache-2.0
// Collects what the blocks of a machine report in one cycle, as events in the order of traces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/memory/network_event.h>
#include <tributary/memory/network_event_sink.h>
#include <tributary/nic/network_interface.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/observer.h>

namespace tributary {

/// Collects the events of one cycle, in whatever order blocks report them, and tells its observers
/// at the cycle's end in the order of `network_event`'s operator<. Replies carry neither form nor
/// address: both are looked up by identity in the interfaces, where every request in the network
/// has its record until the cycle in which it is delivered.
class event_recorder final : public network_event_sink {
 public:
  /// For a network of `stages` stages and `lines` lines; `interfaces` must outlive the recorder.
  event_recorder(const network_interface& interfaces, unsigned stages, std::size_t lines);

  observer_list<network_event>& observers() { return observers_; }
  bool observed() const { return !observers_.empty(); }

  /// What is reported from here on happens in cycle `now`; the cycle before ends.
  void begin(cycle_t now) {
    end();
    cycle_ = now;
  }
  /// Tells the observers what the cycle brought. Does nothing the second time.
  void end();

  void request(event_kind kind, std::int32_t stage, std::size_t port, const packet& what,
               const request_id& other) override;
  void response(event_kind kind, std::int32_t stage, std::size_t port, const reply& what,
                const request_id& other) override;
  void reply_departed(std::int32_t stage, std::size_t line, const reply& what) override;

 private:
  /// An event, and the one that follows it at its place.
  struct entry {
    network_event event;
    std::uint32_t next = none;
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  bool inside(std::int32_t stage) const { return stage != processor_side && stage != stages_; }
  std::size_t place_of(std::int32_t stage, std::size_t port) const {
    return static_cast<std::size_t>(stage - processor_side) * lines_ + port;
  }
  network_event& add(event_kind kind, std::int32_t stage, std::size_t port, const request_id& id);
  void link(std::size_t place);
  void join(network_event& event, const reply& what) const;
  asked_request delivered_request(const request_id& id) const;

  const network_interface& interfaces_;
  std::int32_t stages_;
  std::size_t lines_;
  cycle_t cycle_ = 0;
  // A place is a port of a stage; places are numbered in the order of events. Each has a list, in
  // order, of the few events that a cycle brings it, so that no cycle's events need be sorted.
  std::vector<entry> entries_;            // as reported
  std::vector<std::uint32_t> first_;      // by place, index of the first entry
  std::vector<std::uint8_t> has_events_;  // by place
  observer_list<network_event> observers_;
};

}  // namespace tributary
