// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/lane_gate.h>

#include <algorithm>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

// Wake-ups: lanes that may depart come first, then those on which something has arrived.
constexpr std::uint64_t wake_arrival = most_network_lanes;

}  // namespace

lane_gate::lane_gate(agenda& time, network_port& network, lane_gate_client& client)
    : agenda_(time), network_(network), client_(client) {
  agenda_.enroll(*this);
}

void lane_gate::send(const network_transfer& message, cycle_t now) {
  fifo<leaving>& queue = out_.at(message.lane);
  queue.push({message, now});
  if (queue.size() == 1) depart(message.lane, now);
}

void lane_gate::depart(lane_number lane, cycle_t now) {
  fifo<leaving>& queue = out_[lane];
  while (!queue.empty()) {
    if (!network_.ready(lane, now)) {
      // If it is neither the link nor a place of which `room` has told, `room` will.
      const cycle_t free_at = network_.free_at();
      const cycle_t room_at = next_room(lane, now);
      if (room_at != never && room_at >= free_at) wake_for(lane, room_at, wake_rank::credit);
      if (free_at > now && free_at != never) wake_for(lane, free_at, wake_rank::inside);
      return;
    }
    const leaving first = queue.front();
    queue.pop();
    ++sent_;
    sent_bytes_.add(first.message.bytes);
    waited_.add(now - first.since);
    client_.departs(first.message, now);
    network_.send(first.message, now);
    client_.departed(first.message, now);
  }
}

/// Forgets what has passed.
cycle_t lane_gate::next_room(lane_number lane, cycle_t now) {
  std::vector<cycle_t>& told = room_at_[lane];
  told.erase(std::remove_if(told.begin(), told.end(), [now](cycle_t at) { return at <= now; }),
             told.end());
  return told.empty() ? never : *std::min_element(told.begin(), told.end());
}

void lane_gate::room(std::uint8_t lane, cycle_t at) {
  next_room(lane, agenda_.now());
  room_at_[lane].push_back(at);
  if (!out_[lane].empty()) wake_for(lane, at, wake_rank::credit);
}

/// Once for a cycle: of a queue that never empties wake-ups would become more and more.
void lane_gate::wake_for(lane_number lane, cycle_t at, wake_rank rank) {
  std::vector<wake_up>& asked = asked_[lane];
  const bool for_room = rank == wake_rank::credit;
  const auto same = [&](const wake_up& each) { return each.at == at && each.for_room == for_room; };
  if (std::any_of(asked.begin(), asked.end(), same)) return;
  asked.push_back({at, for_room});
  agenda_.wake(*this, at, lane, rank);
}

/// Whole with its last byte, and behind those of the lane whose heads came before.
void lane_gate::arrive(const network_transfer& transfer, cycle_t head, cycle_t tail) {
  fifo<coming>& queue = in_[transfer.lane];
  cycle_t whole = std::max(head + 1, tail) - 1;
  if (!queue.empty()) whole = std::max(whole, queue[queue.size() - 1].at);
  queue.push({transfer, whole});
  agenda_.wake(*this, whole, wake_arrival + transfer.lane, wake_rank::arrival);
}

void lane_gate::look(std::uint8_t lane, cycle_t now) {
  fifo<coming>& queue = in_.at(lane);
  for (std::size_t i = 0; i < queue.size() && queue[i].at <= now; ++i) {
    if (queue[i].seen) continue;
    queue[i].seen = true;
    ++received_;
    client_.arrived(queue[i].message, now);
  }
  while (!queue.empty() && queue.front().at <= now) {
    if (!client_.take(queue.front().message, now)) return;
    queue.pop();
    network_.give_back(lane, now);
  }
}

network_transfer lane_gate::take_oldest(std::uint8_t lane, cycle_t now) {
  const network_transfer* const first = oldest(lane, now);
  if (first == nullptr) {
    throw simulation_error("cycle " + std::to_string(now) + ": a message of lane " +
                           std::to_string(lane) + " is taken, and none has arrived");
  }
  const network_transfer taken = *first;
  in_[lane].pop();
  network_.give_back(lane, now);
  return taken;
}

void lane_gate::wake(cycle_t now, std::uint64_t tag) {
  if (tag >= wake_arrival) {
    look(static_cast<lane_number>(tag - wake_arrival), now);
  } else {
    std::vector<wake_up>& asked = asked_.at(tag);
    asked.erase(std::remove_if(asked.begin(), asked.end(),
                               [now](const wake_up& each) { return each.at <= now; }),
                asked.end());
    depart(static_cast<lane_number>(tag), now);
  }
}

bool lane_gate::idle() const {
  const auto none = [](const auto& lane) { return lane.empty(); };
  return std::all_of(in_.begin(), in_.end(), none) && std::all_of(out_.begin(), out_.end(), none);
}

void lane_gate::reset_statistics() { reset_all(sent_, sent_bytes_, received_, waited_); }

void lane_gate::report(statistics_group& into, std::uint64_t /*cycles*/) const {
  into.add("sent", sent_, "messages", "Messages that entered the network.");
  into.add("sent_bytes", sent_bytes_, "bytes", "Their payloads.");
  into.add("received", received_, "messages", "Messages that arrived.");
  into.add("wait", waited_, "cycles", "From a message's sending until the network took it.");
}

std::string lane_gate::save() const { return save_state(*this); }
void lane_gate::restore(const std::string& state) {
  restore_state(state, *this);
  for (std::size_t lane = 0; lane < most_network_lanes; ++lane) {
    for (std::size_t i = 0; i < in_[lane].size(); ++i) {
      require_state(in_[lane][i].message.lane == lane, "a message came on another lane");
    }
    for (std::size_t i = 0; i < out_[lane].size(); ++i) {
      require_state(out_[lane][i].message.lane == lane, "a message leaves on another lane");
    }
  }
}

}  // namespace tributary
