// SPDX-License-Identifier: Apache-2.0
// A message between interfaces that know words, addresses and counters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/memory/operation.h>
#include <tributary/network/cargo_pool.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>
#include <tributary/trace/communication_events.h>
#include <tributary/trace/identity.h>

namespace tributary {

/// The two channels, lanes of the network: a reply never waits for a request (Klaiber 6.3).
enum class interface_channel : std::uint8_t { request, reply };
inline constexpr std::size_t interface_channels = 2;

/// What a message does to a counter of the node where it arrives, in one step: if the counter is 0
/// it becomes `initial`, then it is counted down (Klaiber 6.3).
struct counter_command {
  bool counts = false;
  bool interrupts = false;  ///< if it is 0 then
  std::uint8_t number = 0;
  std::uint16_t initial = 0;

  TRIBUTARY_STATE(counts, interrupts, number, initial);
};

/// The header, in the clear; how processors write it is in interface_registers.h.
struct interface_header {
  communication_message type = communication_message::tagged;
  interface_channel channel = interface_channel::request;
  node_id source{};
  node_id destination{};
  bool everyone = false;      ///< by hardware broadcast; `destination` has no meaning
  bool acknowledge = false;   ///< of a write
  bool look_at_once = false;  ///< of a message for the processor: it is interrupted
  bool has_local = false;     ///< a counter of the node that asked, until the answer is there
  std::uint8_t local = 0;     ///< which
  std::uint8_t tag = 0;       ///< for programs
  communication_purpose purpose = communication_purpose::computing;
  std::uint32_t size = 0;          ///< bytes of body: a multiple of 4; of a read those it asks for
  std::uint64_t address = 0;       ///< where it writes or reads; of `tagged` a word for programs
  std::uint64_t answer_to = 0;     ///< of a read: where the data go
  bool strided = false;            ///< of a read or write: items at equal distances, not in a row
  std::uint32_t count = 0;         ///< then: how many items, each of `size / count` bytes
  std::int32_t stride = 0;         ///< bytes from one to the next at `address`: a multiple of 8
  std::int32_t answer_stride = 0;  ///< of a read: the same at `answer_to`
  counter_command remote;
  trace_identity identity;

  TRIBUTARY_STATE(type, channel, source, destination, everyone, acknowledge, look_at_once,
                  has_local, local, tag, purpose, size, address, answer_to, strided, count, stride,
                  answer_stride, remote, identity);
};

/// Bytes from a message's address to where a word of its body goes or comes from; of a body whose
/// items lie `stride` bytes apart if the header is strided.
std::uint64_t place_of_word(const interface_header& header, std::uint32_t word,
                            std::int32_t stride);
/// The same at the header's own stride: at `address`, on the receiver's side.
inline std::uint64_t place_of_word(const interface_header& header, std::uint32_t word) {
  return place_of_word(header, word, header.stride);
}
/// Whether a strided header's count divides its body into at least two items of whole words.
bool has_whole_items(const interface_header& header);
/// Whether a strided header's strides, of a read on both sides, are multiples of 8.
bool has_whole_strides(const interface_header& header);

/// Words that hold so many bytes.
constexpr std::uint32_t body_words(std::uint32_t bytes) {
  return static_cast<std::uint32_t>((bytes + word_bytes - 1) / word_bytes);
}

struct interface_message {
  interface_header header;
  std::vector<word_t> body;  ///< `body_words(size)` words; none of a read

  /// Words that processors write or read in front of the body: what it does, where; a read also
  /// says where the answer goes; a strided one, its count and strides.
  std::uint32_t control_words() const {
    return (header.type == communication_message::read ? 3 : 2) + (header.strided ? 1 : 0);
  }
  /// Of a receive buffer that it takes.
  std::uint32_t buffer_bytes() const {
    return (control_words() + static_cast<std::uint32_t>(body.size())) *
           static_cast<std::uint32_t>(word_bytes);
  }

  TRIBUTARY_STATE(header, body);
};

/// "write 3.m17 of 32 bytes from node 3 to node 5", for messages.
std::string to_string(const interface_message& message);

/// The messages that are on their way.
class interface_pool final : public cargo_pool<interface_message> {
 public:
  std::string save() const override;
  void restore(const std::string& state) override;
};

}  // namespace tributary
