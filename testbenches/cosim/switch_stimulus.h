// SPDX-License-Identifier: Apache-2.0
// Random traffic for one combining switch and whatever runs beside it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>

#include <tributary/memory/packet.h>
#include <tributary/network/omega/switch_implementation.h>
#include <tributary/sim/random_stream.h>

#include "support/random_choice.h"
#include "support/random_switch.h"

namespace tributary::testing {

/// Random neighbours of one switch: sources that send where they may, sinks that stall, and a
/// memory behind it that answers in any order. Equal seeds make equal traffic as long as the
/// switch behaves equally.
///
/// Phases of 400 cycles in which requests come all the time, leave seldom, responses leave seldom,
/// or hardly anything arrives, fill and empty every buffer. A phase has few words, in some
/// phases one, and one operation more often than others, so that requests meet; every bit of an
/// address, an identity, an operand and a status takes both values over time, and addresses,
/// identities and operands often differ in one bit only.
class switch_stimulus {
 public:
  /// A switch that routes by bit `route_bit` (0 to 15) of the module's number.
  switch_stimulus(unsigned route_bit, std::uint64_t seed)
      : random_(seed, route_bit, 0U), route_bit_(route_bit) {}

  /// By memory-side port, bit o for output o of the block behind it; once a cycle.
  std::array<std::uint8_t, 2> next_request_ready() {
    return {ready_for_requests(0), ready_for_requests(1)};
  }
  /// By input; once a cycle.
  std::array<bool, 2> next_reply_ready() { return {ready_for_reply(), ready_for_reply()}; }

  /// What arrives in this cycle: requests by input, sent only where bit o of `request_ready` of
  /// that input allows output o; responses by memory-side port, to requests that left earlier.
  switch_traffic arrivals(const std::array<std::uint8_t, 2>& request_ready,
                          const std::array<bool, 2>& reply_ready) {
    if (now_ % phase_cycles == 1) choose_words();
    switch_traffic arriving;
    for (unsigned i = 0; i < 2; ++i) {
      if (sends()) arriving.requests[i] = new_request(i, request_ready[i]);
      if (reply_ready[i]) arriving.replies[i] = new_reply(i);
    }
    return arriving;
  }

  /// Ends the cycle: `leaving` left the switch.
  void end_cycle(const switch_traffic& leaving) {
    for (unsigned i = 0; i < 2; ++i) {
      if (leaving.requests[i]) at_memory_[i].push_back(*leaving.requests[i]);
      if (leaving.replies[i]) take_back(leaving.replies[i]->id());
    }
    ++now_;
  }

  /// The switch was reset: what was under way is forgotten.
  void reset() {
    for (auto& pending : at_memory_) pending.clear();
    outstanding_.clear();
    returned_.clear();
  }

  /// The cycle that is under way, from 1.
  std::uint64_t now() const { return now_; }

 private:
  static constexpr std::uint64_t phase_cycles = 400;

  bool once_in(std::uint64_t n) { return random_.below(n) == 0; }
  unsigned phase() const { return static_cast<unsigned>(now_ / phase_cycles % 4); }

  bool sends() { return phase() == 0 || (phase() == 3 ? once_in(8) : !once_in(4)); }
  /// Memory holds few requests in one round of phases, many in the next: wait buffers are seldom
  /// full, then often.
  std::size_t memory_capacity() const { return now_ / phase_cycles / 4 % 2 == 0 ? 8 : 400; }
  std::uint8_t ready_for_requests(unsigned output) {
    if (at_memory_[output].size() >= memory_capacity()) return 0;
    if (phase() == 1) return once_in(8) ? 3 : 0;
    return once_in(4) ? static_cast<std::uint8_t>(random_.below(4)) : 3;
  }
  bool ready_for_reply() { return phase() == 2 ? once_in(6) : !once_in(5); }

  void choose_words() {
    for (std::uint64_t& word : words_) word = random_.next_u64();
    if (once_in(4)) words_.fill(words_[0]);
    operand_ = random_.next_u64();
    close_operand_ = operand_ ^ (std::uint64_t{1} << random_.below(64));
    close_operands_ = once_in(3);
    favourite_ = static_cast<operation>(random_.below(operation_count));
  }

  /// A location of this phase for one of the outputs, now and then with one other bit.
  std::uint64_t location() {
    const std::uint64_t route = std::uint64_t{1} << (location_word_bits + route_bit_);
    std::uint64_t where = words_[random_.below(words_.size())];
    if (once_in(16)) where ^= std::uint64_t{1} << random_.below(64);
    return once_in(2) ? where | route : where & ~route;
  }

  /// An identity that nothing under way has: a new one, the last one but for one bit (an end of
  /// the number often), or one that came back. Bit `route_bit` of the element says from which
  /// input.
  request_id new_id(unsigned input) {
    constexpr unsigned id_bits = 48;
    std::uint64_t id = random_.next_u64();
    do {
      const std::uint64_t draw = random_.below(8);
      if (draw < 3) {
        const auto any = static_cast<unsigned>(random_.below(id_bits));
        id = last_id_ ^ (std::uint64_t{1} << one_of(random_, {0U, id_bits - 1, any}));
      } else if (draw < 4 && !returned_.empty()) {
        id = returned_[random_.below(returned_.size())];
      } else {
        id = random_.next_u64() & ((std::uint64_t{1} << id_bits) - 1);
      }
      id &= ~(std::uint64_t{1} << route_bit_);
      id |= std::uint64_t{input} << route_bit_;
    } while (!outstanding_.insert(id).second);
    last_id_ = id;
    return {static_cast<std::uint32_t>(id >> 16), static_cast<std::uint16_t>(id)};
  }
  static std::uint64_t number(const request_id& id) {
    return std::uint64_t{id.sequence} << 16 | id.pe;
  }
  void take_back(const request_id& id) {
    outstanding_.erase(number(id));
    returned_.push_back(number(id));
    if (returned_.size() > 8) returned_.pop_front();
  }

  std::optional<packet> new_request(unsigned input, std::uint8_t request_ready) {
    packet request = random_request(random_, 1);
    request.location = location();
    const unsigned output = (index(request.module()) >> route_bit_) & 1U;
    if (((request_ready >> output) & 1U) == 0) return std::nullopt;
    if (once_in(2)) request.set_function(function_of(favourite_, any_word(), any_word()));
    if (close_operands_ || once_in(2)) request.a = any_word();
    if (close_operands_ || once_in(2)) request.b = any_word();
    const request_id id = new_id(input);
    request.pe = id.pe;
    request.sequence = id.sequence;
    return request;
  }

  /// A word, at its extremes often; in some phases one of two that differ in one bit.
  word_t any_word() {
    if (close_operands_ && !once_in(8)) return once_in(2) ? operand_ : close_operand_;
    const word_t sign = word_t{1} << 63;
    const word_t random = random_.next_u64();
    return one_of<word_t>(random_, {0, ~word_t{0}, sign, sign - 1, random, random, random});
  }

  std::optional<reply> new_reply(unsigned output) {
    std::deque<packet>& pending = at_memory_[output];
    if (pending.empty() || once_in(3)) return std::nullopt;
    const auto which = static_cast<std::ptrdiff_t>(random_.below(pending.size()));
    const packet request = pending[static_cast<std::size_t>(which)];
    pending.erase(pending.begin() + which);
    const auto status = static_cast<std::uint8_t>(once_in(4) ? random_.next_u64() : 0);
    return reply{any_word(), request.sequence, request.pe, status};
  }

  random_stream random_;
  unsigned route_bit_;
  std::uint64_t now_ = 1;
  std::array<std::uint64_t, 4> words_{};  // locations of this phase
  word_t operand_ = 0;
  word_t close_operand_ = 0;
  bool close_operands_ = false;
  operation favourite_ = operation::load;
  std::uint64_t last_id_ = 0;
  std::set<std::uint64_t> outstanding_;
  std::deque<std::uint64_t> returned_;  // the last few
  std::array<std::deque<packet>, 2> at_memory_;
};

}  // namespace tributary::testing
