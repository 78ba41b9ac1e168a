// SPDX-License-Identifier: Apache-2.0
// The Bill-Board Protocol: messages through memories that reflect each other.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/processor/program.h>

namespace tributary {

/// Where a bill board has its flags and messages, in words of the ring: for each node a partition
/// of control, with a message flag for each source and buffer and an acknowledgement flag for each
/// destination and buffer; then for each node its buffers. A flag is a word, as each has another
/// writer and the ring shares words (the source packs bits).
struct bill_board_layout {
  std::uint32_t nodes = 2;
  std::uint32_t buffers = 2;  ///< of each node
  std::uint64_t words = 0;    ///< of a buffer
  std::uint64_t first = 0;    ///< of the bill board

  std::uint64_t flags() const { return std::uint64_t{2} * nodes * nodes * buffers; }
  std::uint64_t size() const { return flags() + std::uint64_t{nodes} * buffers * words; }

  // Byte addresses.
  std::uint64_t message_flag(std::uint32_t source, std::uint32_t destination,
                             std::uint32_t buffer) const;
  std::uint64_t acknowledgement_flag(std::uint32_t source, std::uint32_t destination,
                                     std::uint32_t buffer) const;
  std::uint64_t message(std::uint32_t source, std::uint32_t buffer, std::uint64_t word) const;
};

/// One node's end of a bill board; each node makes one, over the same words, which start as 0.
///
/// A message is written to a buffer once and then announced by toggling a flag for each receiver.
/// The ring keeps a writer's order, so who sees the flag turn has the message. A receiver toggles
/// an acknowledgement flag; when all have, the buffer is free. There are no locks.
/// Source: V. Moorthy, D. Panda, P. Sadayappan, CANPC 2000, section 2; M. Jacunski et al., CANPC
/// 1999.
class bill_board {
 public:
  using words = std::vector<word_t>;  ///< each below 2^32
  using ranks = std::vector<std::uint32_t>;

  bill_board(program_context& context, const bill_board_layout& layout);

  void send(std::uint32_t destination, const words& data) { multicast({destination}, data); }
  /// One message and a flag for each destination, in the order of `destinations`.
  void multicast(const ranks& destinations, const words& data);
  /// Waits for a message of `source` of so many words, and acknowledges it. Of several that wait in
  /// different buffers any may come first.
  words receive(std::uint32_t source, std::uint64_t size);

  // The pieces.
  /// Waits until all acknowledgements of the buffer are there.
  void reclaim(std::uint32_t buffer);
  /// Writes a message into a buffer of its own that `readers` will acknowledge, once it is free.
  void write(std::uint32_t buffer, const words& data, const ranks& readers);
  /// Toggles a message flag of its own: of a message in that buffer, whoever wrote it.
  void notify(std::uint32_t destination, std::uint32_t buffer);
  /// Waits until `source` has toggled the message flag of the buffer.
  void await(std::uint32_t source, std::uint32_t buffer);
  words read(std::uint32_t source, std::uint32_t buffer, std::uint64_t size);
  void acknowledge(std::uint32_t source, std::uint32_t buffer);

 private:
  std::size_t place(std::uint32_t other, std::uint32_t buffer) const {
    return std::size_t{other} * layout_.buffers + buffer;
  }
  void check(const words& data) const;

  program_context& context_;
  bill_board_layout layout_;
  std::uint32_t next_ = 0;  // buffer of the next `multicast`
  // By the other node and the buffer: what each flag was last, or shall become.
  std::vector<word_t> notified_;
  std::vector<word_t> seen_;
  std::vector<word_t> acknowledged_;
  std::vector<word_t> awaited_;
  std::vector<ranks> readers_;  // by buffer: whose acknowledgements are to come
};

}  // namespace tributary
