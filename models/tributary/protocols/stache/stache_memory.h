// SPDX-License-Identifier: Apache-2.0
// Where a node keeps what Stache knows of blocks: tags, faults, directory, and pages of others.
#pragma once

#include <cstdint>

#include <tributary/controller/handler_request.h>
#include <tributary/controller/protocol.h>
#include <tributary/memory/line.h>
#include <tributary/memory/operation.h>
#include <tributary/sim/bit_field.h>

namespace tributary::stache {

/// Nodes that a word of the directory can name.
inline constexpr std::uint32_t most_nodes = 32;

/// The directory's word of a block whose home this node is.
struct directory_word {
  static constexpr bit_field sharers{0, 32};  ///< other nodes that have it to read, a bit each
  static constexpr bit_field owner{32, 8};    ///< the node that has it to write, 1 more; 0: none
  static constexpr bit_field acks{40, 8};     ///< that are awaited
  static constexpr bit_field asker{48, 8};    ///< for whom they are, 1 more; 0: nothing is awaited
  static constexpr bit_field writes{56, 1};   ///< whether that one wants to write
};
/// The nodes that wait for their turn.
struct turns_word {
  static constexpr bit_field to_read{0, 32};
  static constexpr bit_field to_write{32, 32};
};
/// The faults of this node's processors on a block, and what came too early about it.
struct faults_word {
  static constexpr bit_field waiting{0, 16};  ///< processors, a bit each
  static constexpr bit_field asked{16, 1};    ///< the home
  static constexpr bit_field early{17, 2};    ///< `early_message`
};
/// Processors of a node that can wait for blocks.
inline constexpr std::uint32_t most_processors = faults_word::waiting.width;

/// A message about a copy that is still on its way here.
enum class early_message : std::uint8_t { none, invalidate, recall_to_read, recall_to_write };

/// A message of this node that had no room, with all nodes that it goes to.
struct put_off_word {
  static constexpr bit_field address{0, 40};
  static constexpr bit_field type{40, 8};
};

/// Addresses in a node's memory, from `base`, the start of a line, on. Pages of other nodes lie in
/// frames behind the tables.
struct memory {
  std::uint64_t base = 0;
  line_size line;
  std::uint64_t nodes = 1;
  std::uint64_t shared_bytes = 0;  ///< of each node, from its memory's beginning on
  std::uint64_t page_bytes = 4096;
  std::uint64_t frames = 0;
  /// Messages that can wait for room: a power of two, or none where there always is room.
  std::uint64_t put_off = 0;

  constexpr std::uint64_t home_blocks() const { return line.number(shared_bytes); }
  constexpr std::uint64_t blocks() const {
    return home_blocks() + line.number(frames * page_bytes);
  }
  constexpr std::uint64_t pages() const { return shared_bytes / page_bytes; }

  /// Of a page of any node: its frame here, 1 more; 0: none.
  constexpr std::uint64_t page_entry(std::uint64_t node, std::uint64_t page) const {
    return base + (node * pages() + page) * word_bytes;
  }
  constexpr std::uint64_t frames_in_use() const { return page_entry(nodes, 0); }
  /// By the number of a block here: first those whose home this is, then those of frames.
  constexpr std::uint64_t tag(std::uint64_t block) const {
    return frames_in_use() + word_bytes + block * word_bytes;
  }
  constexpr std::uint64_t faults(std::uint64_t block) const {
    return line.next_start(tag(blocks())) + block * word_bytes;
  }
  constexpr std::uint64_t directory(std::uint64_t block) const {
    return faults(blocks()) + block * 2 * word_bytes;
  }
  constexpr std::uint64_t turns(std::uint64_t block) const { return directory(block) + word_bytes; }
  constexpr std::uint64_t first_frame() const {
    return (directory(home_blocks()) + page_bytes - 1) / page_bytes * page_bytes;
  }
  constexpr std::uint64_t frame(std::uint64_t number) const {
    return first_frame() + number * page_bytes;
  }
  /// Of messages that wait for room: the record by which their handler is queued, how many have
  /// come and gone, and by number a word and the nodes.
  constexpr std::uint64_t put_off_record() const { return frame(frames); }
  constexpr std::uint64_t put_off_come() const { return put_off_record() + deferred_record_bytes; }
  constexpr std::uint64_t put_off_gone() const { return put_off_come() + word_bytes; }
  constexpr std::uint64_t put_off_message(std::uint64_t number) const {
    return put_off_gone() + word_bytes + number % put_off * 2 * word_bytes;
  }
  constexpr std::uint64_t put_off_bytes() const {
    return put_off == 0 ? 0 : deferred_record_bytes + (1 + put_off) * 2 * word_bytes;
  }
  /// From any base on.
  constexpr std::uint64_t bytes() const {
    return frame(frames) + page_bytes + put_off_bytes() - base;
  }

  /// Where a block lies in this node's memory, and the number of the block there.
  constexpr std::uint64_t offset_of(std::uint64_t block) const {
    return block < home_blocks() ? block * line.bytes()
                                 : first_frame() + (block - home_blocks()) * line.bytes();
  }
  constexpr std::uint64_t block_at(std::uint64_t offset) const {
    return offset < shared_bytes ? line.number(offset)
                                 : home_blocks() + line.number(offset - first_frame());
  }
};

}  // namespace tributary::stache
