// SPDX-License-Identifier: Apache-2.0
#include <tributary/smp/message_gate.h>

#include <algorithm>

#include <tributary/controller/operation_message.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

// Wake-ups: lanes that may depart come first.
constexpr std::uint64_t wake_arrival = message_lanes;
constexpr std::uint64_t wake_own = message_lanes + 1;

}  // namespace

message_gate::message_gate(agenda& time, node_id here, network_port& network,
                           message_pool& messages)
    : agenda_(time), here_(here), network_(network), messages_(messages) {
  agenda_.enroll(*this);
}

void message_gate::send(const network_message& sent, cycle_t now) {
  const auto lane = static_cast<std::size_t>(sent.header.over);
  const std::uint64_t cargo = messages_.put(sent);
  messages_.at(cargo).header.identity = trace_identity::message(index(here_), messages_sent_++);
  ++sent_;
  sent_bytes_.add(sent.header.length);
  if (sent.header.destination == here_) {
    own_.push({cargo, now + 1, static_cast<std::uint8_t>(lane), true});
    agenda_.wake(*this, now + 1, wake_own, wake_rank::arrival);
    return;
  }
  out_[lane].push({cargo, now});
  if (out_[lane].size() == 1) depart(lane, now);
}

void message_gate::depart(std::size_t lane, cycle_t now) {
  fifo<leaving>& queue = out_[lane];
  const auto over = static_cast<std::uint8_t>(lane);
  while (!queue.empty()) {
    if (!network_.ready(over, now)) {
      // If it is neither the link nor a place of which `room` has told, `room` will.
      const cycle_t free_at = network_.free_at();
      const cycle_t room_at = next_room(lane, now);
      if (room_at != never && room_at >= free_at) {
        agenda_.wake(*this, room_at, lane, wake_rank::credit);
      } else if (free_at > now) {
        agenda_.wake(*this, free_at, lane);
      }
      return;
    }
    const std::uint64_t cargo = queue.front().cargo;
    const message header = messages_.at(cargo).header;
    network_transfer transfer;
    if (network_.combines()) transfer.operation = operation_of(header, messages_.at(cargo).words);
    transfer.source = here_;
    transfer.destination = header.destination;
    transfer.lane = over;
    transfer.bytes = header.length;
    if (transfer.operation.is == operation_part::none) {
      transfer.cargo = cargo;
    } else {
      messages_.remove(cargo);
    }
    waited_.add(now - queue.front().since);
    queue.pop();
    network_.send(transfer, now);
  }
}

/// Forgets what has passed.
cycle_t message_gate::next_room(std::size_t lane, cycle_t now) {
  std::vector<cycle_t>& told = room_at_[lane];
  told.erase(std::remove_if(told.begin(), told.end(), [now](cycle_t at) { return at <= now; }),
             told.end());
  return told.empty() ? never : *std::min_element(told.begin(), told.end());
}

void message_gate::room(std::uint8_t lane, cycle_t at) {
  next_room(lane, agenda_.now());
  room_at_[lane].push_back(at);
  if (!out_[lane].empty()) agenda_.wake(*this, at, lane, wake_rank::credit);
}

/// Whole with its last byte, and behind those whose heads came before.
void message_gate::arrive(const network_transfer& transfer, cycle_t head, cycle_t tail) {
  cycle_t whole = std::max(head + 1, tail) - 1;
  if (!in_.empty()) whole = std::max(whole, in_[in_.size() - 1].at);
  const bool is_operation = transfer.operation.is != operation_part::none;
  const std::uint64_t cargo =
      is_operation ? messages_.put(operation_message(transfer)) : transfer.cargo;
  in_.push({cargo, whole, transfer.lane, false});
  agenda_.wake(*this, whole, wake_arrival, wake_rank::arrival);
}

void message_gate::take(fifo<coming>& from, cycle_t now) {
  const coming first = from.front();
  from.pop();
  const network_message message = messages_.at(first.cargo);
  messages_.remove(first.cargo);
  if (!first.own && !keeps_places_) network_.give_back(first.lane, now);
  ++received_;
  taker_->arrived(message, now);
}

void message_gate::has_begun(const message& header, cycle_t now) {
  if (!keeps_places_ || header.source == here_) return;
  network_.give_back(static_cast<std::uint8_t>(header.over), now);
}

std::size_t message_gate::unsent() const {
  std::size_t all = own_.size();
  for (const fifo<leaving>& lane : out_) all += lane.size();
  return all;
}

void message_gate::wake(cycle_t now, std::uint64_t tag) {
  if (tag == wake_arrival) {
    take(in_, now);
  } else if (tag == wake_own) {
    take(own_, now);
  } else {
    depart(static_cast<std::size_t>(tag), now);
  }
}

bool message_gate::idle() const {
  return in_.empty() && own_.empty() &&
         std::all_of(out_.begin(), out_.end(), [](const auto& lane) { return lane.empty(); });
}

void message_gate::reset_statistics() { reset_all(sent_, sent_bytes_, received_, waited_); }

void message_gate::report(statistics_group& into, std::uint64_t /*cycles*/) const {
  into.add("sent", sent_, "messages", "Messages that handlers sent.");
  into.add("sent_bytes", sent_bytes_, "bytes", "Their payloads.");
  into.add("received", received_, "messages", "Messages that arrived.");
  into.add("wait", waited_, "cycles", "From a message's sending until the network took it.");
}

std::string message_gate::save() const { return save_state(*this); }
void message_gate::restore(const std::string& state) {
  restore_state(state, *this);
  for (const auto* const from : {&in_, &own_}) {
    for (std::size_t i = 0; i < from->size(); ++i) {
      require_state((*from)[i].lane < message_lanes, "a lane does not exist");
    }
  }
}

}  // namespace tributary
