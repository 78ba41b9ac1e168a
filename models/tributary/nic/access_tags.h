// SPDX-License-Identifier: Apache-2.0
// Fine-grain access control: whether a processor may read or write a block of shared memory.
#pragma once

#include <cstdint>

#include <tributary/controller/address_layout.h>
#include <tributary/controller/protocol.h>
#include <tributary/memory/word_memory.h>

namespace tributary {

/// Looks up the tag of the block that an access is about (Falsafi and Wood, section 2: the
/// Typhoon-1 board). Tags, and where pages of other nodes lie, are words of the node's memory that
/// handlers write (`checked_blocks`).
class access_tags {
 public:
  /// `memory` must outlive it.
  access_tags(const checked_blocks& blocks, const address_layout& addresses, node_id here,
              const word_memory& memory)
      : blocks_(blocks), addresses_(addresses), here_(here), memory_(memory) {}

  /// Whether the address is in memory that it checks, on whatever node.
  bool checks(std::uint64_t address) const {
    return addresses_.space_of(address) == 0 &&
           addresses_.offset_of(address) < blocks_.shared_bytes;
  }

  /// What the tag of an access says.
  struct result {
    bool allowed = false;
    std::uint64_t offset = 0;  ///< in this node's memory, if it is allowed
  };
  /// Of an address that it checks.
  result look_up(std::uint64_t address, bool store) const {
    const node_id home = addresses_.node_of(address);
    const std::uint64_t at_home = addresses_.offset_of(address);
    const bool is_home = home == here_;
    std::uint64_t offset = at_home;
    std::uint64_t block = blocks_.line.number(at_home);
    if (!is_home) {
      const std::uint64_t page = at_home / blocks_.page_bytes;
      const std::uint64_t pages = blocks_.shared_bytes / blocks_.page_bytes;
      const word_t frame =
          memory_.read(blocks_.page_table + (index(home) * pages + page) * word_bytes);
      if (frame == 0) return {};
      const std::uint64_t in_frames =
          (frame - 1) * blocks_.page_bytes + at_home % blocks_.page_bytes;
      offset = blocks_.first_frame + in_frames;
      block = blocks_.line.number(blocks_.shared_bytes) + blocks_.line.number(in_frames);
    }
    const auto tag = static_cast<block_tag>(memory_.read(blocks_.tags + block * word_bytes));
    const bool readable = tag == block_tag::read_only || tag == block_tag::read_write;
    const bool untouched = tag == block_tag::untouched && is_home;
    return {untouched || (store ? tag == block_tag::read_write : readable), offset};
  }

 private:
  checked_blocks blocks_;
  address_layout addresses_;
  node_id here_;
  const word_memory& memory_;
};

}  // namespace tributary
