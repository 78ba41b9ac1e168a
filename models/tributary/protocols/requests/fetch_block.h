// SPDX-License-Identifier: Apache-2.0
// A request that fetches a block of another node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/controller/fiber_protocol.h>
#include <tributary/protocols/requests/request_costs.h>

namespace tributary {

/// A load of its address space fetches the block that holds the address, a line of the other node's
/// memory, and is answered with the addressed doubleword. Both nodes keep a doubleword for each
/// block in a table, which handlers read and write: how often it was sent, and at the node that
/// asks, whether one is under way (Falsafi and Wood, section 5, fetch-block).
///
/// What is fetched goes to a place of its own for each processor; the processor reads it there.
class fetch_block_protocol final : public fiber_protocol {
 public:
  enum class message_type : std::uint8_t { request = 82, reply };

  /// `space`: the address space whose loads are requests; `processors`: of a node; `blocks`: that
  /// can be fetched, from the beginning of its memory on. Those that were fetched lie behind them.
  fetch_block_protocol(const request_costs& costs, std::uint8_t space, std::uint32_t processors,
                       std::uint64_t blocks)
      : costs_(costs), space_(space), processors_(processors), blocks_(blocks) {}

  std::string name() const override { return "fetch_block"; }
  std::vector<dispatch_rule> rules() const override;
  std::vector<handler> handlers() override;
  std::vector<message_name> message_names() const override;
  std::uint64_t storage_bytes() const override;
  void initialize(const protocol_storage& where, word_memory& memory) override;

  /// Of the node's memory, how often the block at an offset was sent.
  word_t times_sent(const word_memory& memory, std::uint64_t offset) const;
  /// Where a processor's block lies in its node's memory, behind all that can be fetched.
  std::uint64_t place_of(std::uint32_t processor) const;

 private:
  void request(handler_context& context);
  void serve(handler_context& context);
  void reply(handler_context& context);

  /// The entry of the block at an offset, and of the request of a processor.
  std::uint64_t block_entry(std::uint64_t offset) const;
  std::uint64_t request_entry(std::uint64_t processor) const;

  request_costs costs_;
  std::uint8_t space_;
  std::uint32_t processors_;
  std::uint64_t blocks_;
  protocol_storage storage_;
};

}  // namespace tributary
