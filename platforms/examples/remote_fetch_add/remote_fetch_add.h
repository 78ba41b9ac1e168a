// SPDX-License-Identifier: Apache-2.0
// A protocol of one's own: fetch-and-add on the memory of any node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/controller/fiber_protocol.h>

namespace example {

/// A processor writes the addend to a word in address space 3, on whatever node, and then reads any
/// word of its own node in that space: the read returns what the word was before the addition. A
/// processor has one operation under way at a time.
// [class]
class remote_fetch_add final : public tributary::fiber_protocol {
 public:
  static constexpr std::uint8_t space = 3;                ///< address space that is its own
  enum message_type : std::uint8_t { add = 200, added };  ///< and types of messages

  std::string name() const override { return "remote_fetch_add"; }
  std::vector<tributary::dispatch_rule> rules() const override;
  std::vector<tributary::handler> handlers() override;
  std::uint64_t storage_bytes() const override { return 16; }
  void initialize(const tributary::protocol_storage& where, tributary::word_memory&) override {
    state_ = where.address;
  }

 private:
  void deliver(tributary::handler_context& node, std::uint64_t old) const;
  void read_result(tributary::handler_context& node) const;

  std::uint64_t state_ = 0;  // where its record is in the node's memory
};
// [end]

}  // namespace example
