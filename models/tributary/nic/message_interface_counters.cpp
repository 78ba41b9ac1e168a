// SPDX-License-Identifier: Apache-2.0
// What observers see of the counters of a message interface: a track each, and an event for each
// change.
#include <tributary/nic/message_interface.h>

#include <utility>

namespace tributary {

namespace registers = interface_registers;

namespace {

trace_event event_of_counter(std::uint16_t value, counter_change change, trace_identity by,
                             cycle_t now) {
  trace_event event;
  event.cycle = event.last = now;
  event.kind = &communication_events::counter_value;
  event.parent = by;
  event.value = value;
  event.details = communication_events::change.put(static_cast<std::uint64_t>(change));
  return event;
}

/// Of a counter that was counted down.
counter_change change_of(std::uint16_t value, bool was_loaded) {
  if (value == 0) return counter_change::zero;
  return was_loaded ? counter_change::loaded : counter_change::counted;
}

}  // namespace

void message_interface::trace_counters(const trace_scope& engine) {
  const auto bank = [&](const char* name, const counter_bank& values) {
    track_group group;
    group.repeated = name;
    group.count = config_.counters;
    group.parts.front().signals = {{communication_events::counter_value.name, false}};
    const trace_point point = engine.add(std::move(group));
    for (std::size_t i = 0; i < config_.counters; ++i) {
      engine.hold(point, i, communication_events::counter_value.name, values[i]);
    }
    return point;
  };
  local_trace_ = bank("local_counter", engine_.state().local);
  remote_trace_ = bank("remote_counter", engine_.state().remote);
}

message_interface::counters_seen message_interface::counters_of(
    const interface_message& message) const {
  const interface_header& header = message.header;
  counters_seen seen;
  if (header.has_local) seen.local = engine_.state().local.at(header.local);
  if (header.remote.counts) seen.remote = engine_.state().remote.at(header.remote.number);
  return seen;
}

/// `error`: of the engine, which then has not counted the remote counter.
void message_interface::tell_counted(const counters_seen& before, const interface_message& message,
                                     receive_error error, cycle_t now) const {
  const interface_header& header = message.header;
  const counters_seen after = counters_of(message);
  if (after.local != before.local) {
    trace_event event =
        event_of_counter(after.local, change_of(after.local, false), header.identity, now);
    tell_counter(local_trace_, header.local, event);
  }
  if (!header.remote.counts || error != receive_error::none) return;
  trace_event event = event_of_counter(after.remote, change_of(after.remote, before.remote == 0),
                                       header.identity, now);
  tell_counter(remote_trace_, header.remote.number, event);
}

void message_interface::tell_sent(const interface_message& message, cycle_t now) const {
  const interface_header& header = message.header;
  trace_event event = event_of_counter(engine_.state().local.at(header.local),
                                       counter_change::counted, header.identity, now);
  tell_counter(local_trace_, header.local, event);
}

void message_interface::tell_command(std::uint16_t before, const counter_command& command,
                                     cycle_t now) const {
  const std::uint16_t value = engine_.state().remote.at(command.number);
  trace_event event = event_of_counter(value, change_of(value, before == 0), {}, now);
  tell_counter(remote_trace_, command.number, event);
}

void message_interface::tell_set(std::uint64_t offset, cycle_t now) const {
  const bool is_remote = offset >= registers::remote_counters;
  const std::size_t number =
      (offset - (is_remote ? registers::remote_counters : registers::local_counters)) / word_bytes;
  if (number >= config_.counters) return;
  const counter_bank& bank = is_remote ? engine_.state().remote : engine_.state().local;
  trace_event event = event_of_counter(bank.at(number), counter_change::set, {}, now);
  tell_counter(is_remote ? remote_trace_ : local_trace_, number, event);
}

void message_interface::tell_counter(const trace_point& bank, std::size_t number,
                                     trace_event& event) const {
  if (event.cycle != counters_told_in_) counters_told_ = 0;
  counters_told_in_ = event.cycle;
  event.address = counters_told_++;
  bank.add(event, number);
}

}  // namespace tributary
