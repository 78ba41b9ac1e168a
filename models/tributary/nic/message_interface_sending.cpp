// SPDX-License-Identifier: Apache-2.0
// How a message interface sends: messages that a processor writes, bodies that DMA fetches, and
// what waits for the network.
#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <tributary/nic/message_interface.h>
#include <tributary/sim/error.h>
#include <tributary/sim/on_exit.h>

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
    draft_.clear();
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
    case registers::send_strides:
      take_strides(value, now);
      break;
    default:
      if (message.body.size() == body_words(message.header.size)) {
        fail(now, fmt::format("a body of more than {} bytes is written", message.header.size));
      }
      message.body.push_back(value);
  }
  if (is_whole()) compose(now);
}

void message_interface::take_strides(word_t value, cycle_t now) {
  interface_header& header = draft_.message.header;
  registers::set_strides(header, value);
  draft_.has_strides = true;
  if (header.strided && has_whole_items(header)) return;
  fail(now, fmt::format("a message of {} bytes is written as {} items at equal distances; its "
                        "header must be strided, with at least 2 items of whole words",
                        header.size, header.count));
}

void message_interface::write_sticky(std::uint64_t offset, word_t value, cycle_t now) {
  if (!config_.sticky_header) {
    fail(now, fmt::format("register {:#x} is written, and no header is kept; set sticky_header",
                          offset));
  }
  if (offset == registers::kept_counter) {
    kept_counter_ = value;
  } else if (offset == registers::send_like) {
    begin_like(value, now);
  } else if (registers::header_fields::is_template.in(value) != 0 && !config_.header_template) {
    fail(now, "a header without a node is to be kept; set header_template");
  } else {
    kept_header_ = value;
    keeps_header_ = true;
  }
}

/// A message with the header and the counter that are kept.
void message_interface::begin_like(word_t target, cycle_t now) {
  namespace fields = registers::target_fields;
  if (!keeps_header_)
    fail(now, "a message like the one before is written before any header is kept");
  word_t header = kept_header_;
  if (registers::header_fields::is_template.in(header) != 0) {
    header = registers::header_fields::node.put(header, fields::node.in(target));
    target = fields::address.in(target);
  }
  write_message(registers::send_header, header, now);
  if (draft_.message.header.type == communication_message::write && config_.has_engines()) {
    draft_.message.header.remote = registers::counter_from(kept_counter_);
    draft_.has_counter = true;
  }
  write_message(registers::send_address, target, now);
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
  if (header.strided && !reads && header.type != communication_message::write) {
    fail(now, "a strided message is written that is neither a read nor a write");
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
  if (!draft_.has_address || draft_.has_strides != draft_.message.header.strided) return false;
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
  const on_exit begins_anew([this] { draft_.clear(); });
  if (free_places(draft_.message.header.channel, false) == 0) {
    fail(now, "a message is written while its channel has no room; poll the status first");
  }
  enqueue(draft_.message, false, now);
}

void message_interface::enqueue(interface_message& message, bool of_engine, cycle_t now) {
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
    if (local_trace_.shown()) tell_sent(message, now);
  }
  network_transfer transfer;
  transfer.source = here_;
  transfer.destination = header.destination;
  transfer.everyone = header.everyone;
  transfer.lane = lane_of(header.channel);
  transfer.bytes = message.buffer_bytes();
  transfer.cargo = messages_.put(message);
  if (transfer.everyone) messages_.share(transfer.cargo, network_.copies());
  of_engine_[transfer.lane].push(of_engine ? 1 : 0);
  ++unsent_[transfer.lane][of_engine ? 1 : 0];
  gate_.send(transfer, now);
}

void message_interface::departs(const network_transfer& message, cycle_t now) {
  if (!trace_.on()) return;
  const std::uint64_t wire = network_.wire_cycles(message.bytes);
  trace_.add(event_of(communication_events::sent, messages_.at(message.cargo), now,
                      now + std::max<std::uint64_t>(wire, 1) - 1));
}

/// Whoever waits for a place looks again.
void message_interface::departed(const network_transfer& message, cycle_t now) {
  fifo<std::uint8_t>& queue = of_engine_[message.lane];
  --unsent_[message.lane][queue.front() == 1 ? 1 : 0];
  queue.pop();
  if (sending_.active) make_packet(now);
  if (message.lane == lane_of(interface_channel::reply)) look(now);
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
  if (draft_.message.header.strided) {
    fail(now, "DMA is to send a strided message; the words of its body are written one by one");
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
  draft_.clear();
  fetched_.clear();
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
  if (!fetch(body_words(bytes), now)) return;
  packet.body = std::move(fetched_);
  fetched_.clear();
  sending_.from += bytes;
  sending_.to += bytes;
  sending_.left -= bytes;
  sending_.active = sending_.left != 0;
  if (!sending_.active) draft_.clear();
  sending_.due = now + std::uint64_t{body_words(bytes)} * config_.memory_cycles;
  if (sending_.active) agenda_.wake(*this, sending_.due, wake_dma);
  enqueue(packet, false, now);
}

/// The words of the next packet; false if a page has no translation or memory takes time.
bool message_interface::fetch(std::uint32_t words, cycle_t now) {
  while (fetched_.size() < words) {
    if (!fetching_ && !find_next_word(now)) return false;
    word_t word = 0;
    if (!memory_.read(memory_user::send, *fetching_, word)) return false;
    fetching_.reset();
    fetched_.push_back(word);
  }
  return true;
}

/// Translates once a word: what memory was asked for is taken even if the page has gone since.
bool message_interface::find_next_word(cycle_t now) {
  std::uint64_t offset = sending_.from + fetched_.size() * word_bytes;
  if (config_.has_engines() && !engine_.translate(offset, offset)) {
    fetched_.clear();
    fault(registers::fault_source::dma, offset / config_.page_bytes, draft_.message.header.purpose,
          now);
    return false;
  }
  fetching_ = offset;
  return true;
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
  const interface_message& message = messages_.at(received_.front());
  for (; words_stored_ < message.body.size(); ++words_stored_) {
    const std::uint64_t before = std::uint64_t{words_stored_} * word_bytes;
    if (!memory_.write(memory_user::store, storing_.to + before, message.body[words_stored_],
                       message.header.size - before)) {
      return;
    }
  }
  words_stored_ = 0;
  storing_.active = false;
  take_received(now);
}

}  // namespace tributary
