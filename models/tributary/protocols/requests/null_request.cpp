// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/requests/null_request.h>

#include <tributary/protocols/requests/request_rules.h>

namespace tributary {

std::vector<dispatch_rule> null_request_protocol::rules() const {
  return request_rules(space_, message_type::request, message_type::reply);
}

std::vector<message_name> null_request_protocol::message_names() const {
  return {{static_cast<std::uint8_t>(message_type::request), "null_request"},
          {static_cast<std::uint8_t>(message_type::reply), "null_reply"}};
}

std::vector<handler> null_request_protocol::handlers() {
  using self = null_request_protocol;
  static constexpr named_body<self> bodies[] = {
      {"request", &self::request}, {"serve", &self::serve}, {"reply", &self::reply}};
  return handlers_from(*this, bodies);
}

void null_request_protocol::request(handler_context& context) {
  const std::uint64_t address = context.arrived().address;
  context.spend(costs_.request);
  context.send(message_to(context.addresses().node_of(address), message_type::request,
                          message_lane::request, address, context.keep_read()));
}

void null_request_protocol::serve(handler_context& context) {
  const message& arrived = context.arrived();
  context.spend(costs_.serve);
  context.send(message_to(arrived.source, message_type::reply, message_lane::reply, arrived.address,
                          arrived.aux));
}

void null_request_protocol::reply(handler_context& context) {
  context.spend(costs_.reply);
  context.answer(static_cast<std::uint8_t>(context.arrived().aux), 0);
}

}  // namespace tributary
