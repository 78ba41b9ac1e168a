// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/receive_engine.h>

#include <algorithm>

namespace tributary {
namespace {

using phase = receive_state::phase;

constexpr std::size_t reply_channel = static_cast<std::size_t>(interface_channel::reply);
constexpr std::size_t request_channel = static_cast<std::size_t>(interface_channel::request);

}  // namespace

const char* name_of(receive_error error) {
  switch (error) {
    case receive_error::type:
      return "its type is none that an interface serves";
    case receive_error::length:
      return "its length is above the packet's, or no multiple of 4, or no whole items";
    case receive_error::address:
      return "its address or a stride is no multiple of 8, or a broadcast reads";
    case receive_error::counter:
      return "its counter is beyond the bank";
    case receive_error::underflow:
      return "its counter was 0 and is counted down";
    case receive_error::refused:
      return "its page is not mapped on this node";
    case receive_error::none:
      break;
  }
  return "nothing is wrong";
}

bool operator==(const receive_state& x, const receive_state& y) {
  return x.at == y.at && x.channel == y.channel && x.moved == y.moved && x.blocked == y.blocked &&
         x.refused == y.refused && x.place == y.place && x.local == y.local &&
         x.remote == y.remote && x.zeroed == y.zeroed && x.translations == y.translations;
}

receive_engine::receive_engine(const receive_engine_config& config) : config_(config) {
  state_.translations.resize(config.translations);
}

bool receive_engine::is_for_processor(const interface_message& message) const {
  return !config_.engines || message.header.type == communication_message::tagged;
}

bool receive_engine::is_answered(const interface_message& message) {
  return message.header.type == communication_message::read ||
         (message.header.type == communication_message::write && message.header.acknowledge);
}

bool receive_engine::is_reply(const interface_message& message, std::size_t channel) const {
  return config_.one_channel ? message.header.channel == interface_channel::reply
                             : channel == reply_channel;
}

/// A counter whose 0 software has not seen yet is not loaded again. Replies wait for nothing.
bool receive_engine::must_wait(const interface_message& message, std::size_t channel) const {
  const counter_command& remote = message.header.remote;
  return !is_reply(message, channel) && remote.counts && remote.number < config_.counters &&
         (state_.zeroed >> remote.number & 1) != 0;
}

bool receive_engine::may_begin(const receive_inputs& in, std::size_t channel) const {
  const interface_message* const oldest = in.oldest[channel];
  if (oldest == nullptr || state_.blocked[channel] != 0) return false;
  if (is_for_processor(*oldest)) return in.fits[channel];
  return (in.reply_room || !is_answered(*oldest)) && !must_wait(*oldest, channel);
}

bool receive_engine::waits(const receive_inputs& in) const {
  return state_.at == phase::idle && !may_begin(in, reply_channel) &&
         !may_begin(in, request_channel);
}

void receive_engine::choose(const receive_inputs& in) {
  for (const std::size_t channel : {reply_channel, request_channel}) {
    if (!may_begin(in, channel)) continue;
    state_.channel = static_cast<std::uint8_t>(channel);
    state_.at = phase::decode;
    return;
  }
}

/// What is wrong with a header that asks for more than there is. Nothing has been done for it yet.
receive_error receive_engine::fault_of(const interface_message& message) const {
  const interface_header& header = message.header;
  const bool reads = header.type == communication_message::read;
  if (!reads && header.type != communication_message::write &&
      header.type != communication_message::acknowledgement) {
    return receive_error::type;
  }
  if (header.size > config_.packet_bytes || header.size % 4 != 0) return receive_error::length;
  if (!reads && message.body.size() != body_words(header.size)) return receive_error::length;
  if (header.strided && !has_whole_items(header)) return receive_error::length;
  if (header.address % word_bytes != 0 || (reads && header.everyone)) {
    return receive_error::address;
  }
  if (header.strided && !has_whole_strides(header)) return receive_error::address;
  if (header.remote.counts && header.remote.number >= config_.counters) {
    return receive_error::counter;
  }
  if (header.has_local && header.local >= config_.counters) return receive_error::counter;
  return receive_error::none;
}

void receive_engine::take(receive_outputs& out) {
  out.takes = true;
  state_.moved[state_.channel] = 0;
  state_.at = phase::idle;
}

void receive_engine::drop(receive_error error, receive_outputs& out) {
  out.error = error;
  take(out);
}

void receive_engine::decode(const interface_message& message, receive_outputs& out) {
  if (is_for_processor(message)) {
    state_.at = phase::store;
    return;
  }
  if (state_.refused[state_.channel] != 0) {
    state_.refused[state_.channel] = 0;
    drop(receive_error::refused, out);
    return;
  }
  const receive_error fault = fault_of(message);
  if (fault != receive_error::none) {
    drop(fault, out);
    return;
  }
  const bool moves =
      message.header.size != 0 && message.header.type != communication_message::acknowledgement;
  state_.at = moves ? phase::translate : is_answered(message) ? phase::answer : phase::count;
}

std::uint64_t receive_engine::next_address(const interface_message& message) const {
  return message.header.address + place_of_word(message.header, state_.moved[state_.channel]);
}

bool receive_engine::translate(std::uint64_t address, std::uint64_t& offset) const {
  const std::uint64_t page = address / config_.page_bytes;
  for (const page_translation& each : state_.translations) {
    if (!each.valid || each.page != page) continue;
    offset = each.place * config_.page_bytes + address % config_.page_bytes;
    return true;
  }
  return false;
}

void receive_engine::look_up(const interface_message& message, receive_outputs& out) {
  const std::uint64_t address = next_address(message);
  std::uint64_t offset = 0;
  if (translate(address, offset)) {
    state_.place = offset - address % config_.page_bytes;
    state_.at = phase::move;
    return;
  }
  out.misses = true;
  out.missed_page = address / config_.page_bytes;
  state_.blocked[state_.channel] = 1;
  state_.at = phase::idle;
}

receive_outputs::memory_request receive_engine::asks(const receive_inputs& in) const {
  receive_outputs::memory_request asked;
  if (state_.at != phase::move) return asked;
  const interface_message& message = *in.oldest[state_.channel];
  const std::uint32_t moved = state_.moved[state_.channel];
  asked.valid = true;
  asked.writes = message.header.type == communication_message::write;
  asked.offset = state_.place + next_address(message) % config_.page_bytes;
  asked.word = moved;
  asked.bytes = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(message.header.size - moved * word_bytes, word_bytes));
  return asked;
}

void receive_engine::move(const interface_message& message, bool ready) {
  if (!ready) return;
  std::uint32_t& moved = state_.moved[state_.channel];
  const std::uint64_t page = next_address(message) / config_.page_bytes;
  ++moved;
  if (moved == body_words(message.header.size)) {
    state_.at = is_answered(message) ? phase::answer : phase::count;
  } else if (next_address(message) / config_.page_bytes != page) {
    state_.at = phase::translate;
  }
}

void receive_engine::answer(const interface_message& message, receive_outputs& out) {
  out.answers = true;
  if (message.header.type == communication_message::read) {
    take(out);
  } else {
    state_.at = phase::count;
  }
}

bool receive_engine::count(const counter_command& command, receive_error& error) {
  error = receive_error::none;
  if (command.number >= config_.counters) {
    error = receive_error::counter;
    return false;
  }
  std::uint16_t& counter = state_.remote[command.number];
  if (counter == 0) counter = command.initial;
  if (counter == 0) {
    error = receive_error::underflow;
    return false;
  }
  --counter;
  if (counter != 0 || !command.interrupts) return false;
  state_.zeroed |= 1U << command.number;
  return true;
}

receive_error receive_engine::sent(std::uint8_t local) {
  if (local >= config_.counters) return receive_error::counter;
  ++state_.local[local];
  return receive_error::none;
}

void receive_engine::count(const interface_message& message, receive_outputs& out) {
  const interface_header& header = message.header;
  // An answer counts for who asked; a request's local counter is another node's.
  const bool is_answer =
      header.type == communication_message::acknowledgement || is_reply(message, state_.channel);
  if (is_answer && header.has_local) {
    std::uint16_t& counter = state_.local[header.local];
    if (counter == 0) {
      out.error = receive_error::underflow;
    } else {
      --counter;
    }
  }
  if (header.remote.counts && out.error == receive_error::none) {
    out.zero = count(header.remote, out.error);
  }
  take(out);
}

receive_outputs receive_engine::step(const receive_inputs& in) {
  receive_outputs out;
  out.memory = asks(in);
  if (state_.at == phase::idle) {
    choose(in);
    out.channel = state_.channel;
    return out;
  }
  const interface_message& message = *in.oldest[state_.channel];
  out.channel = state_.channel;
  switch (state_.at) {
    case phase::decode:
      decode(message, out);
      break;
    case phase::translate:
      look_up(message, out);
      break;
    case phase::move:
      move(message, in.memory_ready);
      break;
    case phase::answer:
      answer(message, out);
      break;
    case phase::count:
      count(message, out);
      break;
    case phase::store:
      out.stores = true;
      take(out);
      break;
    case phase::idle:
      break;
  }
  return out;
}

void receive_engine::fill(std::uint32_t entry, const page_translation& translation) {
  state_.translations.at(entry) = translation;
}

void receive_engine::refuse(interface_channel channel) {
  const auto number = static_cast<std::size_t>(channel);
  state_.refused[number] = 1;
  state_.blocked[number] = 0;
}

}  // namespace tributary
