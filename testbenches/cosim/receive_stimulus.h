// SPDX-License-Identifier: Apache-2.0
// What a receive engine meets: messages, hostile ones among them, stalls, and software that acts at
// random.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <tributary/nic/receive_engine.h>
#include <tributary/sim/random_stream.h>

#include "support/random_choice.h"

namespace tributary::testing {

/// What software does to an engine in a cycle, after the engine.
struct receive_software {
  struct filling {
    std::uint32_t entry = 0;
    page_translation translation;
  };
  std::optional<filling> fill;
  std::uint32_t acknowledge = 0;  ///< zeroed counters, a bit each
  std::optional<counter_command> command;
  std::optional<std::uint8_t> sent;  ///< a local counter
  std::array<bool, interface_channels> retry{};
  std::array<bool, interface_channels> refuse{};
};

/// What came of it.
struct receive_software_results {
  bool zero = false;
  receive_error command = receive_error::none;
  receive_error sent = receive_error::none;
};

/// One cycle of the engine, then what software does, in the order of the RTL's ports. An
/// acknowledged bit that the engine sets anew in this cycle stays.
inline receive_outputs step(receive_engine& engine, const receive_inputs& in,
                            const receive_software& does, receive_software_results& results) {
  const receive_outputs out = engine.step(in);
  std::uint32_t anew = 0;
  if (out.zero) anew = 1U << in.oldest[out.channel]->header.remote.number;
  if (does.fill) engine.fill(does.fill->entry, does.fill->translation);
  engine.acknowledge(does.acknowledge & ~anew);
  if (does.command) results.zero = engine.count(*does.command, results.command);
  if (does.sent) results.sent = engine.sent(*does.sent);
  for (const interface_channel channel : {interface_channel::request, interface_channel::reply}) {
    const auto number = static_cast<std::size_t>(channel);
    if (does.retry[number]) engine.retry(channel);
    if (does.refuse[number]) engine.refuse(channel);
  }
  return out;
}

/// Random traffic: phases in which memory is slow, or buffers are full, or software is.
class receive_stimulus {
 public:
  /// `memory_pages`: of the node.
  receive_stimulus(const receive_engine_config& config, std::uint64_t memory_pages,
                   std::uint64_t seed)
      : random_(seed, 0U, 0U), config_(config), memory_pages_(memory_pages) {}

  /// Of this cycle, from the state at its start.
  receive_inputs next(const receive_state& state) {
    ++now_;
    for (std::optional<interface_message>& each : waiting_) {
      if (!each && !once_in(slow(0) ? 20 : 2)) each = new_message();
    }
    receive_inputs in;
    for (std::size_t i = 0; i < interface_channels; ++i) {
      if (waiting_[i]) in.oldest[i] = &*waiting_[i];
      in.fits[i] = once_in(slow(1) ? 10 : 2);
    }
    in.reply_room = once_in(slow(1) ? 10 : 2);
    in.memory_ready = once_in(slow(2) ? 8 : 2);
    // There is still room for what began.
    if (state.at != receive_state::phase::idle) in.reply_room = in.fits[state.channel] = true;
    return in;
  }

  receive_software software(const receive_state& state) {
    receive_software does;
    const bool calm = slow(3);
    if (once_in(calm ? 40 : 10))
      does.fill = receive_software::filling{new_entry(), new_translation(new_page())};
    if (once_in(calm ? 100 : 20)) does.acknowledge = random_.next_u32() & counter_bits();
    if (once_in(calm ? 60 : 6)) does.command = new_command();
    if (once_in(calm ? 200 : 12)) does.sent = new_number();
    for (std::size_t i = 0; i < interface_channels; ++i) {
      if (once_in(300)) does.retry[i] = true;
      if (once_in(300)) does.refuse[i] = true;
      if (state.blocked[i] == 0 || !waiting_[i] || !once_in(calm ? 20 : 4)) continue;
      serve(i, state, does);
    }
    return does;
  }

  /// The channel's oldest message is done with.
  void taken(std::size_t channel) { waiting_[channel].reset(); }
  void reset() { waiting_ = {}; }

 private:
  bool once_in(std::uint64_t n) { return random_.below(n) == 0; }
  /// In turn, so that what is slow meets all else.
  bool slow(unsigned what) const { return (now_ / 256 >> what & 1) != 0; }
  std::uint32_t counter_bits() const { return (1U << config_.counters) - 1; }

  /// A message whose page was not found: mostly it gets one, or there is none, or software errs.
  void serve(std::size_t channel, const receive_state& state, receive_software& does) {
    const std::uint64_t address =
        waiting_[channel]->header.address + std::uint64_t{state.moved[channel]} * word_bytes;
    does.refuse[channel] = once_in(5);
    does.retry[channel] = !does.refuse[channel];
    if (once_in(5)) return;
    does.fill =
        receive_software::filling{new_entry(), new_translation(address / config_.page_bytes)};
    does.fill->translation.valid = true;
  }

  std::uint32_t new_entry() {
    return static_cast<std::uint32_t>(random_.below(config_.translations));
  }
  /// One of few, at both ends of the address space; neighbours among them.
  std::uint64_t new_page() {
    const std::uint64_t last = ~std::uint64_t{0} / config_.page_bytes;
    return once_in(4) ? last - random_.below(2) : random_.below(6);
  }
  page_translation new_translation(std::uint64_t page) {
    return {!once_in(4), page, random_.below(memory_pages_)};
  }

  std::uint8_t new_number() {
    if (once_in(12)) return static_cast<std::uint8_t>(random_.next_u32());
    if (once_in(24)) return static_cast<std::uint8_t>(config_.counters);  // the first beyond
    return static_cast<std::uint8_t>(random_.below(config_.counters));
  }
  counter_command new_command() {
    const std::uint16_t initial = once_in(30) ? static_cast<std::uint16_t>(random_.next_u32())
                                              : one_of<std::uint16_t>(random_, {0, 1, 1, 1, 2, 3});
    return {!once_in(3), !once_in(4), new_number(), initial};
  }

  std::uint32_t new_size() {
    if (once_in(16)) return random_.next_u32() & 0x1ffff;
    if (once_in(16)) return config_.packet_bytes + 4;
    if (once_in(16)) return static_cast<std::uint32_t>(random_.below(config_.packet_bytes));
    if (once_in(4)) return 0;
    return static_cast<std::uint32_t>(random_.below(config_.packet_bytes / 4 + 1)) * 4;
  }
  std::uint64_t new_address() {
    std::uint64_t offset = random_.below(config_.page_bytes / word_bytes) * word_bytes;
    if (once_in(2)) offset = config_.page_bytes - word_bytes * (1 + random_.below(2));
    if (once_in(16)) offset = random_.below(config_.page_bytes);
    return new_page() * config_.page_bytes + offset;
  }

  interface_message new_message() {
    interface_message message;
    interface_header& header = message.header;
    const auto kind = static_cast<std::uint8_t>(random_.below(once_in(16) ? 16 : 4));
    header.type = static_cast<communication_message>(kind);
    header.everyone = once_in(8);
    header.acknowledge = once_in(2);
    header.has_local = once_in(2);
    header.local = new_number();
    header.size = new_size();
    header.address = new_address();
    header.remote = new_command();
    std::uint32_t words = body_words(header.size);
    if (header.type == communication_message::read) words = 0;
    if (once_in(24)) words += 1;
    message.body.resize(words);
    return message;
  }

  random_stream random_;
  receive_engine_config config_;
  std::uint64_t memory_pages_;
  std::uint64_t now_ = 0;
  std::array<std::optional<interface_message>, interface_channels> waiting_;
};

}  // namespace tributary::testing
