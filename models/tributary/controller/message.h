// SPDX-License-Identifier: Apache-2.0
// Messages between nodes and between the units of a node, as handlers see them.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tributary/memory/operation.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>
#include <tributary/trace/identity.h>

namespace tributary {

/// Virtual lanes of the network, each with queues of its own at both ends (FLASH 2.2.1, 2.3.6).
enum class message_lane : std::uint8_t {
  request,
  reply,  ///< what can always be accepted without sending anything
  third,  ///< the publications give the other two no use
  fourth
};
/// The name of a lane, that of the enumerator.
const char* name_of(message_lane lane);
/// How many lanes there are.
inline constexpr std::size_t message_lanes = 4;

/// Doublewords in which a payload of so many bytes lies.
constexpr std::size_t words_of(std::uint32_t bytes) { return (bytes + 7) / 8; }

/// A staging buffer of the controller that holds a payload; what the number means is the
/// controller's own affair, and it means nothing on another node.
enum class payload_handle : std::uint16_t {};
/// No buffer.
inline constexpr payload_handle no_payload{0xffff};

/// How a message came to the controller.
enum class message_origin : std::uint8_t {
  processor,  ///< of this node
  network,
  deferred,  ///< asked for by a handler of this node: software queue
  timed      ///< asked for by a handler of this node for a later time: idle handler
};

/// A message: a header of two doublewords and a payload.
struct message {
  std::uint64_t address = 0;  ///< 40 bits: node, address space, offset (`address_layout`)
  node_id source{};
  node_id destination{};
  std::uint16_t aux = 0;  ///< the protocol's own, as the number of a record at the destination
  std::uint8_t type = 0;  ///< 256 are divided among protocols
  message_lane over = message_lane::request;
  std::uint32_t length = 0;  ///< bytes of payload, up to a line
  // What follows stays within the node.
  message_origin origin = message_origin::network;
  std::uint8_t flavor = 0;   ///< attribute of an uncached access, 0 to 3 (FLASH 4.1.1)
  std::uint8_t process = 0;  ///< identity of the process, by address window
  std::uint8_t tag = 0;      ///< which outstanding access of the processor an answer is for
  payload_handle data = no_payload;
  trace_identity identity{};  ///< for traces: no hardware carries or compares it

  TRIBUTARY_STATE(address, source, destination, aux, type, over, length, origin, flavor, process,
                  tag, data, identity);

  friend bool operator==(const message& a, const message& b) {
    return a.address == b.address && a.source == b.source && a.destination == b.destination &&
           a.aux == b.aux && a.type == b.type && a.over == b.over && a.length == b.length &&
           a.origin == b.origin && a.flavor == b.flavor && a.process == b.process &&
           a.tag == b.tag && a.data == b.data;
  }
  friend bool operator!=(const message& a, const message& b) { return !(a == b); }
};

/// A message of one of a protocol's own types, without payload.
template <class Type>
message message_to(node_id destination, Type type, message_lane over, std::uint64_t address,
                   std::uint64_t aux) {
  message result;
  result.address = address;
  result.destination = destination;
  result.aux = static_cast<std::uint16_t>(aux);
  result.type = static_cast<std::uint8_t>(type);
  result.over = over;
  return result;
}

/// The two doublewords of a header as a handler keeps it in memory. From bit 0, the first: aux 16,
/// source 12, destination 12, type 8, lane 2, origin 3, flavor 2, tag 3; the second: address 40,
/// length 16.
struct header_words {
  word_t first = 0;
  word_t second = 0;
};
/// The header of a message, without what stays with its payload's buffer.
header_words header_words_of(const message& from);
/// The message that a header tells; without payload.
message message_of(const header_words& header);

/// Types that every controller knows; a protocol's own begin at `first_protocol_type`.
enum class common_type : std::uint8_t {
  uncached_read = 1,   ///< from the processor; wants an answer
  uncached_write = 2,  ///< from the processor, with a doubleword
  /// From the processor, wants the word before it: `aux` is the form of a function of the addressed
  /// word, its operands a and b are words 0 and 1 of the payload, b = 0 if that is a doubleword
  /// only.
  uncached_operation = 3,
  // From the processor's caches (FLASH 2.3.3). Each of the first three wants one of the replies
  // below, with its tag.
  line_read,            ///< a line, to be read
  line_read_exclusive,  ///< a line, to be written
  line_upgrade,         ///< the right to write a line that the cache has shared
  line_write_back,      ///< an exclusive line has left the caches, here it is
  line_replaced,        ///< a shared line has left the caches
  // To the caches of this node, which a handler sends to itself (FLASH Table A.2). `aux` is 1 with
  // the right to write while others are still being invalidated.
  line_shared,           ///< Put: the line, shared
  line_exclusive,        ///< PutX: the line, exclusive
  line_upgraded,         ///< the shared line is exclusive
  line_all_invalidated,  ///< to a write that was granted before: no other has the line any more
  line_refused,          ///< NAK
  /// Between nodes, a function of the addressed word, as `uncached_operation` has it; bits 8 to 15
  /// of `aux` are the tag of the access at the node that asks. A network of combining switches
  /// knows both types: two requests for one word become one.
  operation_request,
  operation_answer  ///< to it: word 0 is the word before, `aux` has the tag
};
/// The form in `aux` of both.
inline constexpr std::uint16_t operation_form_mask = 0xff;
/// Where the tag begins there.
inline constexpr unsigned operation_tag_shift = 8;
/// Whether the processor waits for a handler to answer the message.
inline bool wants_answer(const message& header) {
  return header.origin == message_origin::processor &&
         (header.type == static_cast<std::uint8_t>(common_type::uncached_read) ||
          header.type == static_cast<std::uint8_t>(common_type::uncached_operation));
}
/// Whether a type is of a message to the caches, which needs no lane.
constexpr bool is_line_reply(std::uint8_t type) {
  return type >= static_cast<std::uint8_t>(common_type::line_shared) &&
         type <= static_cast<std::uint8_t>(common_type::line_refused);
}
/// The first type that belongs to one protocol only.
inline constexpr std::uint8_t first_protocol_type = 16;

}  // namespace tributary
