// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/multi_send_driver.h>

#include <algorithm>
#include <string>

#include <tributary/sim/error.h>

namespace tributary {

namespace {

namespace frame = multi_send_frame;
namespace entry = multi_send_entry;

}  // namespace

multi_send_driver::multi_send_driver(program_context& context, const multi_send_access& where,
                                     const multi_send_times& times)
    : context_(context),
      where_(where),
      times_(times),
      credits_(context.nodes(), where.protocol.window),
      owed_(context.nodes()) {}

void multi_send_driver::delay_until(cycle_t when) {
  const cycle_t now = context_.now();
  if (when > now) context_.delay(when - now);
}

void multi_send_driver::check(const std::vector<std::uint32_t>& to, std::uint32_t bytes) const {
  const bool fits = !to.empty() && to.size() <= frame::most_destinations;
  const bool exist = std::all_of(to.begin(), to.end(), [this](std::uint32_t host) {
    return host < context_.nodes() && host != index(context_.node());
  });
  if (fits && exist && bytes != 0 && bytes <= where_.protocol.packet_bytes) return;
  throw simulation_error(
      "a packet of " + std::to_string(bytes) + " bytes to " + std::to_string(to.size()) +
      " hosts (allowed: 1 to " + std::to_string(where_.protocol.packet_bytes) + " bytes to 1 to " +
      std::to_string(frame::most_destinations) + " hosts that exist, without the sender)");
}

void multi_send_driver::send(const std::vector<std::uint32_t>& to, std::uint64_t from,
                             std::uint32_t bytes, std::uint16_t tag) {
  check(to, bytes);
  await_credits(to);
  for (const std::uint32_t host : to) --credits_[host];
  post(to, from, bytes, tag);
}

void multi_send_driver::send_message(const std::vector<std::uint32_t>& to, std::uint64_t from,
                                     std::uint64_t bytes, std::uint16_t tag) {
  const std::uint32_t most = where_.protocol.packet_bytes;
  for (std::uint64_t done = 0; done < bytes; done += most) {
    send(to, from + done, static_cast<std::uint32_t>(std::min<std::uint64_t>(most, bytes - done)),
         tag);
  }
}

bool multi_send_driver::has_credits(const std::vector<std::uint32_t>& to) const {
  return std::all_of(to.begin(), to.end(),
                     [this](std::uint32_t host) { return credits_[host] != 0; });
}

bool multi_send_driver::can_send(const std::vector<std::uint32_t>& to) {
  look();
  return has_credits(to);
}

bool multi_send_driver::has_packet() {
  look();
  return !packets_.empty();
}

void multi_send_driver::await_credits(const std::vector<std::uint32_t>& to) {
  if (!has_credits(to)) ++waited_;
  while (!has_credits(to)) {
    if (!look()) rest();
  }
}

/// Reads how many frames were sent only when all places seem to be taken.
void multi_send_driver::await_frame() {
  while (posted_ - known_sent_ == where_.protocol.frames) {
    known_sent_ = context_.load(where_.frames_window + where_.places.sent);
  }
}

word_t multi_send_driver::destination(std::uint32_t host) {
  const std::uint32_t returned = std::min(owed_[host], frame::most_credits);
  owed_[host] -= returned;
  return frame::credits.put(frame::node.put(0, host), returned);
}

/// All but the first of the list; returns the words written.
std::uint64_t multi_send_driver::write_list(const std::vector<std::uint32_t>& to,
                                            std::uint64_t frame) {
  std::uint64_t words = 0;
  for (std::size_t i = 1; i < to.size(); i += frame::in_word) {
    word_t word = 0;
    for (std::size_t j = 0; j < frame::in_word && i + j < to.size(); ++j) {
      word |= destination(to[i + j]) << (16 * j);
    }
    context_.store(frame + word_bytes * ++words, word);
  }
  return words;
}

/// The host reads the packet while it assembles the frame, then writes all of it.
void multi_send_driver::post(const std::vector<std::uint32_t>& to, std::uint64_t from,
                             std::uint32_t bytes, std::uint16_t tag) {
  await_frame();
  const cycle_t began = context_.now();
  std::vector<word_t> words;
  for (std::uint32_t at = 0; at < bytes; at += word_bytes)
    words.push_back(context_.load(from + at));
  // Three writes of 4 bytes are of the control word and the doorbell.
  delay_until(began + times_.send - std::min(times_.send, 3 * where_.write_cycles));
  const std::uint64_t at = where_.frames_window + where_.places.frames +
                           posted_ % where_.protocol.frames * where_.protocol.frame_bytes();
  word_t control = frame::length.put(0, bytes);
  control = frame::count.put(control, to.size());
  control = frame::first.put(control, destination(to.front()));
  context_.store(at, frame::tag.put(control, tag));
  write_list(to, at);
  for (std::size_t i = 0; i < words.size(); ++i) {
    context_.store(at + frame::control_bytes + word_bytes * i, words[i]);
  }
  const word_t number = posted_ % where_.protocol.frames;
  if (where_.narrow_doorbell) {
    context_.store_bytes(where_.doorbell, number, 0x0f);
  } else {
    context_.store(where_.doorbell, number);
  }
  ++posted_;
}

/// Takes the next entry of the queue, if it is there.
bool multi_send_driver::look() {
  const std::uint64_t entries = where_.protocol.entries(context_.nodes());
  const std::uint64_t at =
      where_.queue_memory + where_.protocol.queue_at + taken_ % entries * word_bytes;
  const word_t word = context_.load(at);
  if (entry::is_there.in(word) == 0) return false;
  context_.store(at, 0);
  ++taken_;
  credits_[entry::source.in(word)] += static_cast<std::uint32_t>(entry::credits.in(word));
  if (entry::only_credits.in(word) == 0) packets_.push(word);
  return true;
}

received_packet multi_send_driver::receive(std::uint64_t to) {
  while (packets_.empty()) {
    if (!look()) rest();
  }
  const word_t word = packets_.front();
  packets_.pop();
  const auto bytes = static_cast<std::uint32_t>(entry::length.in(word));
  const cycle_t began = context_.now();
  const std::uint64_t from = where_.queue_memory + where_.protocol.queue_at +
                             where_.protocol.packets_at(context_.nodes()) +
                             entry::slot.in(word)*where_.protocol.unit();
  for (std::uint32_t at = 0; at < bytes; at += word_bytes) {
    context_.store(to + at, context_.load(from + at));
  }
  delay_until(began + times_.copy + times_.copy_byte * bytes);
  const auto source = static_cast<std::uint32_t>(entry::source.in(word));
  give_back(source);
  return {source, bytes, static_cast<std::uint16_t>(entry::tag.in(word))};
}

std::uint32_t multi_send_driver::receive_message(std::uint64_t to, std::uint64_t bytes) {
  std::uint64_t done = 0;
  std::uint32_t source = 0;
  while (done < bytes) {
    const received_packet packet = receive(to + done);
    done += packet.bytes;
    source = packet.source;
  }
  return source;
}

/// With half of the window owed, credits go back by themselves.
void multi_send_driver::give_back(std::uint32_t source) {
  ++owed_[source];
  if (2 * owed_[source] > where_.protocol.window) post({source}, 0, 0, 0);
}

void multi_send_driver::return_credits() {
  for (std::uint32_t host = 0; host < owed_.size(); ++host) {
    if (owed_[host] != 0) post({host}, 0, 0, 0);
  }
}

}  // namespace tributary
