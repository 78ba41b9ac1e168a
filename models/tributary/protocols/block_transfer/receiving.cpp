// SPDX-License-Identifier: Apache-2.0
// The destination's side: lines are written to memory and counted (FLASH 5.2.2).
#include <tributary/protocols/block_transfer/block_transfer.h>
#include <tributary/protocols/block_transfer/places.h>

namespace tributary {

void block_transfer_protocol::receive(handler_context& context) {
  const message& arrived = context.arrived();
  record<handler_context> receiver = receive_record(context, arrived.aux);
  if (!lines_.is_uncached(context, arrived.address)) {
    refuse_line(context, receiver);
    return;
  }
  context.spill(arrived.data, arrived.address);
  context.spend(costs_.receive);
  const word_t left = receiver.get(receive_field::lines_left) - 1;
  receiver.set(receive_field::lines_left, left);
  if (left == 0) end_page(context, receiver);
}

void block_transfer_protocol::refuse_line(handler_context& context,
                                          const record<handler_context>& receiver) {
  context.spend(costs_.nak);
  tell_sender(context, receiver, message_type::line_refused);
}

/// The acknowledgement must not overtake the data: it waits until the last doubleword is in memory.
void block_transfer_protocol::end_page(handler_context& context,
                                       const record<handler_context>& receiver) {
  context.spend(costs_.receive_cleanup);
  free_record(context, transfer_storage::receive_records, context.arrived().aux);
  context.settle();
  tell_sender(context, receiver, message_type::page_received);
}

void block_transfer_protocol::tell_sender(handler_context& context,
                                          const record<handler_context>& receiver,
                                          message_type type) const {
  const node_id node{static_cast<std::uint32_t>(receiver.get(receive_field::sender_node))};
  context.send(message_to(node, type, message_lane::reply, context.arrived().address,
                          receiver.get(receive_field::sender)));
}

}  // namespace tributary
