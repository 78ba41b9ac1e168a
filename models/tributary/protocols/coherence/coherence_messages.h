// SPDX-License-Identifier: Apache-2.0
// What nodes tell each other about lines.
#pragma once

#include <cstdint>

#include <tributary/controller/message.h>
#include <tributary/sim/ids.h>

namespace tributary::coherence {

/// Types of messages. `aux` is a `requester`.
enum class message_type : std::uint8_t {
  read = 64,               ///< to the home
  read_exclusive,          ///< to the home
  upgrade,                 ///< to the home
  write_back,              ///< to the home, with the line
  replaced,                ///< to the home: a shared line has left
  forward_read,            ///< from the home to the owner
  forward_read_exclusive,  ///< from the home to the owner
  invalidate,              ///< from the home to one who shares the line

  shared,           ///< the line, to the requester
  exclusive,        ///< the line, to the requester
  upgraded,         ///< to the requester
  refused,          ///< to the requester: try again
  all_invalidated,  ///< to the requester, whose write is complete now
  invalidated,      ///< to the home
  shared_back,      ///< from the old owner to the home, with the line
  owner_moved,      ///< from the old owner to the home
  forward_refused,  ///< from who was the owner to the home

  // For a protocol processor that is to own a line as an I/O unit would (FLASH Figure 4.5).
  own,          ///< IOGetX, to the home
  forward_own,  ///< IOGetX, from the home to the owner
  owned,        ///< IOPutX: the line, to the requester
  own_refused   ///< to the requester: try again
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
