// SPDX-License-Identifier: Apache-2.0
// A request whose reply is empty: what messages cost by themselves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/controller/fiber_protocol.h>
#include <tributary/protocols/requests/request_costs.h>

namespace tributary {

/// A load of any word of its address space is a request to the node of the address, which answers
/// it with 0; handlers only send (Falsafi and Wood, section 5, null-handler).
class null_request_protocol final : public fiber_protocol {
 public:
  enum class message_type : std::uint8_t { request = 80, reply };

  /// `space`: the address space whose loads are requests.
  null_request_protocol(const request_costs& costs, std::uint8_t space)
      : costs_(costs), space_(space) {}

  std::string name() const override { return "null_request"; }
  std::vector<dispatch_rule> rules() const override;
  std::vector<handler> handlers() override;
  std::vector<message_name> message_names() const override;
  void initialize(const protocol_storage&, word_memory&) override {}

 private:
  void request(handler_context& context);
  void serve(handler_context& context);
  void reply(handler_context& context);

  request_costs costs_;
  std::uint8_t space_;
};

}  // namespace tributary
