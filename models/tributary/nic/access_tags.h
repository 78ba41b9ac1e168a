// SPDX-License-Identifier: Apache-2.0
// Fine-grain access control: whether a processor may read or write a block of shared memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <tributary/controller/address_layout.h>
#include <tributary/controller/protocol.h>
#include <tributary/memory/word_memory.h>
#include <tributary/sim/error.h>

namespace tributary {

/// Looks up the tag of the block that an access is about (Falsafi and Wood, section 2: the
/// Typhoon-1 board). Tags, and where pages of other nodes lie, are words of the node's memory that
/// handlers write (`checked_blocks`).
class access_tags {
 public:
  /// `memory` must outlive it.
  access_tags(const checked_blocks& blocks, const address_layout& addresses, node_id here,
              const word_memory& memory)
      : blocks_(blocks),
        pages_(blocks.shared_bytes / blocks.page_bytes),
        addresses_(addresses),
        here_(here),
        memory_(memory) {}

  /// Whether the address is in memory that it checks, on whatever node.
  bool checks(std::uint64_t address) const {
    return addresses_.space_of(address) == 0 &&
           addresses_.offset_of(address) < blocks_.shared_bytes;
  }

  /// Whether the offset is of the tables of tags and pages.
  bool is_of_tables(std::uint64_t offset) const {
    return offset >= blocks_.page_table && offset < blocks_.tables_end;
  }
  /// The block whose tag lies there, by its offset; nothing if that is no tag's.
  std::optional<std::uint64_t> block_of_tag(std::uint64_t offset) const {
    if (offset < blocks_.tags || offset >= blocks_.tables_end) return std::nullopt;
    const std::uint64_t block = (offset - blocks_.tags) / word_bytes;
    const std::uint64_t home_blocks = blocks_.line.number(blocks_.shared_bytes);
    return block < home_blocks ? block * blocks_.line.bytes()
                               : blocks_.first_frame + (block - home_blocks) * blocks_.line.bytes();
  }
  line_size line() const { return blocks_.line; }

  /// Where the word of an address that it checks lies in this node's memory; nothing if its page
  /// has no frame. Throws `simulation_error` for an address of a node that does not exist, and
  /// where memory has no page table.
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const {
    const node_id home = addresses_.node_of(address);
    const std::uint64_t at_home = addresses_.offset_of(address);
    if (home == here_) return at_home;
    const word_t frame = frame_of(address);
    if (frame == 0) return std::nullopt;
    return blocks_.first_frame + (frame - 1) * blocks_.page_bytes + at_home % blocks_.page_bytes;
  }

  /// Whether the tag of the block that holds an offset allows an access.
  bool allows(std::uint64_t offset, bool store) const {
    const bool is_home = offset < blocks_.shared_bytes;
    const std::uint64_t block = is_home ? blocks_.line.number(offset)
                                        : blocks_.line.number(blocks_.shared_bytes) +
                                              blocks_.line.number(offset - blocks_.first_frame);
    const auto tag = static_cast<block_tag>(memory_.read(blocks_.tags + block * word_bytes));
    const bool readable = tag == block_tag::read_only || tag == block_tag::read_write;
    const bool untouched = tag == block_tag::untouched && is_home;
    return untouched || (store ? tag == block_tag::read_write : readable);
  }

  /// What the tag of an access says.
  struct result {
    bool allowed = false;
    std::uint64_t offset = 0;  ///< in this node's memory, if it is allowed
  };
  /// Of an address that it checks. Throws as `offset_of` does.
  result look_up(std::uint64_t address, bool store) const {
    const std::optional<std::uint64_t> offset = offset_of(address);
    if (!offset || !allows(*offset, store)) return {};
    return {true, *offset};
  }

 private:
  /// Where a page of another node lies, 1 more; 0: nowhere. Throws for a node that the table has
  /// not, and for a frame without tags, as memory of a checkpoint could name.
  word_t frame_of(std::uint64_t address) const {
    const std::uint64_t page = addresses_.offset_of(address) / blocks_.page_bytes;
    const std::uint64_t node = index(addresses_.node_of(address));
    // The table ends before the tags, with less between them than a node has.
    if ((node + 1) * pages_ * word_bytes > blocks_.tags - blocks_.page_table) {
      refuse(address, "is of a node that does not exist");
    }
    const word_t frame = memory_.read(blocks_.page_table + (node * pages_ + page) * word_bytes);
    if (frame > blocks_.frames) refuse(address, "is in a frame that does not exist");
    return frame;
  }
  [[noreturn]] void refuse(std::uint64_t address, const char* problem) const {
    throw simulation_error("node " + std::to_string(index(here_)) + ": the access at " +
                           std::to_string(address) + " " + problem +
                           "; its page table is not that of this protocol");
  }

  checked_blocks blocks_;
  std::uint64_t pages_;  ///< of a node
  address_layout addresses_;
  node_id here_;
  const word_memory& memory_;
};

}  // namespace tributary
