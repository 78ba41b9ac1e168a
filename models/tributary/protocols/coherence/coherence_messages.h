// SPDX-License-Identifier: Apache-2.0
// What nodes tell each other about lines.
#pragma once

#include <cstdint>

#include <tributary/controller/message.h>
#include <tributary/sim/ids.h>

namespace tributary::coherence {

/// Type of the first message.
inline constexpr std::uint8_t first_message_type = 64;

/// Where each message is in the list of all.
enum class message_number : std::uint8_t {
#define TRIBUTARY_COHERENCE_MESSAGE(name, lane, payload, from, to, meaning) name,
#include <tributary/protocols/coherence/coherence_messages.def>
};

/// Types of messages, which the table describes. `aux` is a `requester`.
enum class message_type : std::uint8_t {
#define TRIBUTARY_COHERENCE_MESSAGE(name, lane, payload, from, to, meaning) \
  name = first_message_type + static_cast<std::uint8_t>(message_number::name),
#include <tributary/protocols/coherence/coherence_messages.def>
};

/// What a message takes along.
enum class message_payload : std::uint8_t { nothing, line };

/// A message as the table has it.
struct message_description {
  message_type type;
  const char* name;
  message_lane lane;
  message_payload payload;
  const char* from;
  const char* to;
  const char* meaning;
};

/// All messages, by their types.
inline constexpr message_description message_descriptions[] = {
#define TRIBUTARY_COHERENCE_MESSAGE(name, lane, payload, from, to, meaning) \
  {message_type::name, #name, message_lane::lane, message_payload::payload, from, to, meaning},
#include <tributary/protocols/coherence/coherence_messages.def>
};

/// Who asked for a line, in 16 bits of a header.
struct requester {
  node_id node{};
  std::uint8_t tag = 0;
  /// Of a forwarded read: the owner gives the line up, for the directory has no room for both.
  /// Of a reply: invalidations are under way. Of `owner_moved`: see `owns`.
  bool flag = false;
  /// The protocol processor asks, for its entry `tag` of owned lines. No part of the header, whose
  /// type tells it.
  bool owns = false;

  static constexpr requester of(std::uint16_t bits) {
    return {node_id{static_cast<std::uint32_t>(bits >> 4)},
            static_cast<std::uint8_t>(bits >> 1 & 7), (bits & 1) != 0, false};
  }
  constexpr std::uint16_t bits() const {
    return static_cast<std::uint16_t>(index(node) << 4 | std::uint32_t{tag} << 1 |
                                      (flag ? 1U : 0U));
  }
};

/// A requester in a word of a record, which has room for `owns`.
constexpr word_t remembered(const requester& by) { return by.bits() | word_t{by.owns} << 16; }
constexpr requester remembered_request(word_t word) {
  requester by = requester::of(static_cast<std::uint16_t>(word));
  by.owns = (word >> 16 & 1) != 0;
  return by;
}

}  // namespace tributary::coherence
