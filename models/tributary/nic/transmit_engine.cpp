// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/transmit_engine.h>

#include <algorithm>

#include <fmt/format.h>

#include <tributary/nic/host_interface_events.h>
#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>
#include <tributary/trace/catalog.h>

namespace tributary {
namespace {

constexpr std::uint64_t enter_network = 0;
constexpr std::uint64_t end_of_stage = 1;

}  // namespace

transmit_engine::transmit_engine(const host_interface_config& config, agenda& time, node_id here,
                                 network_port& network, lane_gate& gate, host_packet_pool& packets,
                                 transmit_client& client)
    : byte_cycles_(config.transmit_byte),
      agenda_(time),
      here_(here),
      network_(network),
      gate_(gate),
      packets_(packets),
      client_(client) {
  agenda_.enroll(*this);
}

void transmit_engine::send(const message& header, const std::vector<word_t>& words, cycle_t now) {
  if (header.destination == here_) {
    throw simulation_error(fmt::format(
        "interface of node {}, cycle {}: its firmware sends a packet to its own node, to which no "
        "link leads; the host copies within its memory",
        index(here_), now));
  }
  host_packet packet{header, words};
  packet.header.identity = trace_identity::message(index(here_), numbered_++);
  packets_waiting_.push({packets_.put(packet), header.length, index(header.destination),
                         static_cast<std::uint8_t>(header.over)});
  if (packets_waiting_.size() == 1) begin(now);
}

void transmit_engine::begin(cycle_t now) {
  const leaving& first = packets_waiting_.front();
  began_ = now;
  ends_ = now + byte_cycles_ * first.bytes;
  const std::uint64_t wire = network_.wire_cycles(first.bytes);
  agenda_.wake(*this, std::max(now, ends_ > wire ? ends_ - wire : 0), enter_network);
}

void transmit_engine::wake(cycle_t now, std::uint64_t tag) {
  if (tag == end_of_stage) {
    end(now);
    return;
  }
  const leaving& first = packets_waiting_.front();
  network_transfer transfer;
  transfer.source = here_;
  transfer.destination = node_id{first.destination};
  transfer.lane = first.lane;
  transfer.bytes = first.bytes;
  transfer.cargo = first.cargo;
  gate_.send(transfer, now);
}

/// The link has had the last byte when the network's time for it has passed.
void transmit_engine::departed(cycle_t now) {
  ends_ = std::max(ends_, now + network_.wire_cycles(packets_waiting_.front().bytes));
  agenda_.wake(*this, std::max(ends_, now + 1), end_of_stage);
}

void transmit_engine::end(cycle_t now) {
  namespace events = host_interface_events;
  const leaving first = packets_waiting_.front();
  packets_waiting_.pop();
  ++sent_;
  sent_bytes_.add(first.bytes);
  stage_.add(now - began_);
  if (trace_.on()) {
    trace_event event;
    event.cycle = began_;
    event.last = now - 1;
    event.kind = &events::transmitted;
    event.details = events::destination.put(first.destination) | events::bytes.put(first.bytes);
    trace_.add(event);
  }
  if (packets_waiting_.empty()) {
    client_.transmitter_free(now);
  } else {
    begin(now);
  }
}

void transmit_engine::reset_statistics() { reset_all(sent_, sent_bytes_, stage_); }

void transmit_engine::report(statistics_group& into, std::uint64_t /*cycles*/) const {
  into.add("sent", sent_, "packets", "Packets that left.");
  into.add("sent_bytes", sent_bytes_, "bytes", "Their payloads.");
  into.add("stage", stage_, "cycles", "From a packet's turn until its last byte had left.");
}

void transmit_engine::trace(const trace_scope& scope) { trace_ = scope.below(name()).add(); }

std::string transmit_engine::save() const { return save_state(*this); }
void transmit_engine::restore(const std::string& state) { restore_state(state, *this); }

}  // namespace tributary
