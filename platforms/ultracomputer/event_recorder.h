// SPDX-License-Identifier: Apache-2.0
// What the blocks of a machine report in one cycle, as events of the network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/base/cycle.h>
#include <tributary/nic/network_interface.h>
#include <tributary/transaction/network_event.h>

namespace tributary {

/// Sees nothing, at no cost.
struct no_events {
  static constexpr bool enabled = false;
  void request(event_kind, std::int32_t, std::size_t, const packet&, const request_id&) const {}
  void response(event_kind, std::int32_t, std::size_t, const reply&, const request_id&) const {}
  void reply_departed(std::int32_t, std::size_t, const reply&) const {}
};

/// Collects the events of one cycle. Replies carry neither form nor address: both are looked up by
/// identity in the interface, where every request in the network has its record.
struct event_recorder {
  static constexpr bool enabled = true;
  std::vector<network_event>& events;
  const network_interface& interfaces;
  cycle_t cycle;
  std::int32_t stages;
  std::size_t switches;

  bool inside(std::int32_t stage) const { return stage != processor_side && stage != stages; }

  /// `port` counts over the stage; at the ends of the network it is the element or module.
  void request(event_kind kind, std::int32_t stage, std::size_t port, const packet& what,
               const request_id& other) const {
    network_event event = place(kind, stage, port, what.id());
    event.other = other;
    event.function = what.kind;
    event.address = what.address();
    event.value = what.a;
    events.push_back(event);
  }
  void response(event_kind kind, std::int32_t stage, std::size_t port, const reply& what,
                const request_id& other) const {
    network_event event = place(kind, stage, port, what.id());
    event.other = other;
    join(event, what);
    events.push_back(event);
  }
  void reply_departed(std::int32_t stage, std::size_t line, const reply& what) const {
    network_event event = place(event_kind::reply_departed, stage, 0, what.id());
    event.switch_index = static_cast<std::uint32_t>(line % switches);
    event.port = static_cast<std::uint32_t>(line / switches);
    join(event, what);
    events.push_back(event);
  }

 private:
  void join(network_event& event, const reply& what) const {
    event.function = interfaces.form_of(what.id());
    event.address = interfaces.address_of(what.id());
    event.value = what.value;
  }
  network_event place(event_kind kind, std::int32_t stage, std::size_t port,
                      const request_id& id) const {
    network_event event;
    event.cycle = cycle;
    event.stage = stage;
    event.switch_index = static_cast<std::uint32_t>(inside(stage) ? port / 2 : port);
    event.port = static_cast<std::uint32_t>(inside(stage) ? port % 2 : 0);
    event.kind = kind;
    event.id = event.other = id;
    return event;
  }
};

}  // namespace tributary
