// SPDX-License-Identifier: Apache-2.0
// A protocol that takes all data buffers of its node away for a while.
#pragma once

#include <string>
#include <vector>

#include <tributary/controller/fiber_protocol.h>
#include <tributary/protocols/block_transfer/command.h>

namespace tributary::testing {

/// An uncached load of byte 0 of the shadow space, which is stored to only, takes all buffers that
/// are free and answers with their number; one of any other byte gives them back.
class buffer_hoarder final : public fiber_protocol {
 public:
  static constexpr std::uint64_t take = 0;
  static constexpr std::uint64_t give = 8;

  std::string name() const override { return "buffer_hoarder"; }
  std::vector<dispatch_rule> rules() const override {
    return {{static_cast<std::uint8_t>(common_type::uncached_read), message_origin::processor,
             locality::local, handler_id{0}, block_transfer_command::shadow_space}};
  }
  std::vector<handler> handlers() override {
    using self = buffer_hoarder;
    static constexpr named_body<self> bodies[] = {{"hoard", &self::hoard}};
    return handlers_from(*this, bodies);
  }
  void initialize(const protocol_storage&, word_memory&) override {}

 private:
  void hoard(handler_context& context) {
    if (context.addresses().offset_of(context.arrived().address) == take) {
      while (const auto data = context.allocate()) {
        context.retain(*data);
        context.release(*data);
        held_.push_back(*data);
      }
      context.answer(held_.size());
      return;
    }
    context.answer(0);
    for (const payload_handle each : held_) context.release(each);
    held_.clear();
  }

  std::vector<payload_handle> held_;
};

}  // namespace tributary::testing
