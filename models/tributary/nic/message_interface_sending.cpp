// SPDX-License-Identifier: Apache-2.0
// How a message interface sends: messages that a processor writes, bodies that DMA fetches, and
// what waits for the network.
#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <tributary/nic/message_interface.h>
#include <tributary/sim/error.h>

#include <tributary/nic/message_interface_wakes.h>

namespace tributary {

namespace registers = interface_registers;
using message_interface_wakes::wake_dma;
using message_interface_wakes::wake_store;

void message_interface::write_message(std::uint64_t offset, word_t value, cycle_t now) {
  if (sending_.active) {
    fail(now, "a message is written while DMA sends the one before; poll the status first");
  }
  interface_message& message = draft_.message;
  if (offset == registers::send_header) {
    draft_ = {};
    draft_.begun = true;
    message.header = registers::header_from(value);
    check_draft(message, now);
    return;
  }
  if (!draft_.begun) fail(now, "a part of a message is written before its header");
  switch (offset) {
    case registers::send_address:
      message.header.address = value;
      draft_.has_address = true;
      break;
    case registers::send_counter:
      message.header.remote = registers::counter_from(value);
      draft_.has_counter = true;
      break;
    case registers::send_answer_to:
      message.header.answer_to = value;
      draft_.has_answer_to = true;
      break;
    default:
      if (message.body.size() == body_words(message.header.size)) {
        fail(now, fmt::format("a body of more than {} bytes is written", message.header.size));
      }
      message.body.push_back(value);
  }
  if (is_whole()) compose(now);
}

/// What software cannot have meant; the message does not leave.
void message_interface::check_draft(const interface_message& message, cycle_t now) const {
  const interface_header& header = message.header;
  const bool reads = header.type == communication_message::read;
  if (header.type > communication_message::tagged ||
      header.purpose > communication_purpose::bookkeeping) {
    fail(now, fmt::format("a message of type {} and purpose {} is written; types are 0 to {}, and "
                          "purposes 0 to {}",
                          static_cast<unsigned>(header.type), static_cast<unsigned>(header.purpose),
                          static_cast<unsigned>(communication_message::tagged),
                          static_cast<unsigned>(communication_purpose::bookkeeping)));
  }
  if (header.size % 4 != 0) {
    fail(now,
         fmt::format("a message of {} bytes is written; bodies are multiples of 4", header.size));
  }
  if (header.size > config_.packet_bytes && (!config_.dma || reads)) {
    fail(now, fmt::format("a message of {} bytes is written; a packet has up to packet_bytes = {}",
                          header.size, config_.packet_bytes));
  }
  if (header.channel == interface_channel::reply && (reads || header.acknowledge)) {
    fail(now, "a message of the reply channel is written that asks for an answer");
  }
  check_receivers(header, now);
}

void message_interface::check_receivers(const interface_header& header, cycle_t now) const {
  if (header.everyone && (!network_.broadcasts() || header.acknowledge || header.has_local ||
                          header.type == communication_message::read)) {
    fail(now, "a broadcast is written, but the network has none, or answers are asked for");
  }
  if (!header.everyone && (index(header.destination) >= nodes_ || header.destination == here_)) {
    fail(now, fmt::format("a message for node {} is written; nodes are 0 to {} without the own one",
                          index(header.destination), nodes_ - 1));
  }
}

bool message_interface::has_control_words() const {
  if (!draft_.has_address) return false;
  const communication_message type = draft_.message.header.type;
  if (type == communication_message::read) return draft_.has_answer_to;
  return type != communication_message::write || !config_.has_engines() || draft_.has_counter;
}

bool message_interface::is_whole() const {
  const interface_header& header = draft_.message.header;
  if (!has_control_words()) return false;
  if (header.type == communication_message::read) return true;
  return draft_.message.body.size() == body_words(header.size);
}

void message_interface::compose(cycle_t now) {
  if (draft_.message.header.size > config_.packet_bytes) {
    fail(now, fmt::format("a body of {} bytes is written word by word; a packet has up to "
                          "packet_bytes = {}, and more is for DMA",
                          draft_.message.header.size, config_.packet_bytes));
  }
  tell(communication_events::composed, draft_.message, now);
  interface_message whole = std::move(draft_.message);
  draft_ = {};
  if (free_places(whole.header.channel, false) == 0) {
    fail(now, "a message is written while its channel has no room; poll the status first");
  }
  enqueue(std::move(whole), false, now);
}

void message_interface::enqueue(interface_message message, bool of_engine, cycle_t now) {
  interface_header& header = message.header;
  header.source = here_;
  header.identity = trace_identity::message(index(here_), static_cast<std::uint32_t>(sent_ever_++));
  const bool asks = header.channel == interface_channel::request;
  if (config_.has_engines() && asks && header.has_local) {
    if (header.local < config_.counters &&
        engine_.state().local[header.local] == std::numeric_limits<std::uint16_t>::max()) {
      fail(now, to_string(message) + ": its local counter is 65535 and is counted up");
    }
    const receive_error error = engine_.sent(header.local);
    if (error != receive_error::none) fail(now, to_string(message) + ": " + name_of(error));
  }
  const std::size_t lane = lane_of(header.channel);
  out_[lane].push({messages_.put(message), now, of_engine});
  if (out_[lane].size() == 1) depart(lane, now);
}

std::size_t message_interface::free_places(interface_channel channel, bool of_engine) const {
  const fifo<leaving>& queue = out_[lane_of(channel)];
  std::size_t taken = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) taken += queue[i].of_engine == of_engine ? 1 : 0;
  return config_.send_messages > taken ? config_.send_messages - taken : 0;
}

/// Whoever waits for a place looks again, even if the next message cannot leave yet.
void message_interface::depart(std::size_t lane, cycle_t now) {
  const std::size_t before = out_[lane].size();
  send_oldest(lane, now);
  if (out_[lane].size() == before) return;
  if (sending_.active) make_packet(now);
  if (lane == lane_of(interface_channel::reply)) look(now);
}

void message_interface::send_oldest(std::size_t lane, cycle_t now) {
  fifo<leaving>& queue = out_[lane];
  const auto over = static_cast<std::uint8_t>(lane);
  while (!queue.empty()) {
    if (!network_.ready(over, now)) {
      // If it is neither the link nor a place of which `room` has told, `room` will.
      const cycle_t free_at = network_.free_at();
      if (room_at_[lane] > now && room_at_[lane] >= free_at) {
        agenda_.wake(*this, room_at_[lane], lane, wake_rank::credit);
      } else if (free_at > now) {
        agenda_.wake(*this, free_at, lane);
      }
      return;
    }
    const std::uint64_t cargo = queue.front().cargo;
    const interface_message& message = messages_.at(cargo);
    network_transfer transfer;
    transfer.source = here_;
    transfer.destination = message.header.destination;
    transfer.everyone = message.header.everyone;
    if (transfer.everyone) messages_.share(cargo, network_.copies());
    transfer.lane = over;
    transfer.bytes = message.buffer_bytes();
    transfer.cargo = cargo;
    waited_.add(now - queue.front().since);
    ++sent_;
    if (trace_.on()) {
      const std::uint64_t wire = network_.wire_cycles(transfer.bytes);
      trace_.add(event_of(communication_events::sent, message, now,
                          now + std::max<std::uint64_t>(wire, 1) - 1));
    }
    queue.pop();
    network_.send(transfer, now);
  }
}

void message_interface::room(std::uint8_t lane, cycle_t at) {
  room_at_[lane] = at;
  if (!out_[lane].empty()) agenda_.wake(*this, at, lane, wake_rank::credit);
}

// --- DMA -----------------------------------------------------------------------------------------

/// The message that was begun is sent with a body of so many bytes from memory, as packets that
/// follow each other at its address.
void message_interface::begin_dma(std::uint32_t bytes, cycle_t now) {
  if (!config_.dma || sending_.active)
    fail(now, "DMA is to send, but there is none, or it is at work");
  if (!draft_.begun || !has_control_words() || !draft_.message.body.empty() ||
      draft_.message.header.type == communication_message::read) {
    fail(now, "DMA is to send, but no message without a body was begun, or it is a read");
  }
  check_dma(dma_address_, bytes, now);
  tell(communication_events::composed, draft_.message, now);
  sending_ = {true, dma_address_, draft_.message.header.address, bytes, now};
  make_packet(now);
}

/// Without engines its addresses are those of the memory.
void message_interface::check_dma(std::uint64_t address, std::uint32_t bytes, cycle_t now) const {
  const bool is_outside =
      !config_.has_engines() &&
      (address > memory_bytes_ || body_words(bytes) * word_bytes > memory_bytes_ - address);
  if (bytes != 0 && bytes % 4 == 0 && address % word_bytes == 0 && !is_outside) return;
  fail(now, fmt::format("DMA of {} bytes at {:#x}; bytes are multiples of 4, addresses of 8, and "
                        "the memory has {:#x} bytes",
                        bytes, address, memory_bytes_));
}

/// Software has no translation for the page that it reads.
void message_interface::give_dma_up(cycle_t now) {
  if (config_.strict) {
    fail(now,
         fmt::format("DMA reads at {:#x}: {}", sending_.from, name_of(receive_error::refused)));
  }
  ++dropped_;
  sending_ = {};
  draft_ = {};
}

/// Fetches the next packet's words if there is a place for it: a `memory_cycles` a word behind the
/// one before.
void message_interface::make_packet(cycle_t now) {
  const std::uint32_t bytes = std::min(sending_.left, config_.packet_bytes);
  if (!sending_.active || now < sending_.due ||
      free_places(draft_.message.header.channel, false) == 0) {
    return;
  }
  if (faults_[static_cast<std::size_t>(registers::fault_source::dma)] != 0) return;
  interface_message packet = draft_.message;
  packet.header.size = bytes;
  packet.header.address = sending_.to;
  for (std::uint32_t i = 0; i < body_words(bytes); ++i) {
    std::uint64_t offset = sending_.from + std::uint64_t{i} * word_bytes;
    if (config_.has_engines() && !engine_.translate(offset, offset)) {
      fault(registers::fault_source::dma, offset / config_.page_bytes, packet.header.purpose, now);
      return;
    }
    packet.body.push_back(memory_.read(offset));
  }
  sending_.from += bytes;
  sending_.to += bytes;
  sending_.left -= bytes;
  sending_.active = sending_.left != 0;
  if (!sending_.active) draft_ = {};
  sending_.due = now + std::uint64_t{body_words(bytes)} * config_.memory_cycles;
  if (sending_.active) agenda_.wake(*this, sending_.due, wake_dma);
  enqueue(std::move(packet), false, now);
}

/// The oldest message's body goes to memory, in a traditional interface.
void message_interface::store_by_dma(std::uint32_t bytes, cycle_t now) {
  if (!config_.dma || config_.has_engines() || received_.empty() || storing_.active) {
    fail(now, "DMA is to store, but there is none, no message has been received, or it is at work");
  }
  const interface_message& message = messages_.at(received_.front());
  if (bytes != message.header.size || body_read_ != 0) {
    fail(now, fmt::format("DMA is to store {} bytes of {}; it stores whole bodies", bytes,
                          to_string(message)));
  }
  check_dma(dma_address_, bytes, now);
  storing_ = {true, dma_address_};
  agenda_.wake(*this, now + message.body.size() * config_.memory_cycles, wake_store);
}

void message_interface::finish_store(cycle_t now) {
  storing_.active = false;
  const interface_message& message = messages_.at(received_.front());
  for (std::size_t i = 0; i < message.body.size(); ++i) {
    store_word(storing_.to + i * word_bytes, message.body[i], message.header.size - i * word_bytes);
  }
  take_received(now);
}

}  // namespace tributary
