// SPDX-License-Identifier: Apache-2.0
// The destination's side: lines are written to memory and counted (FLASH 5.2.2).
#include <algorithm>

#include <tributary/protocols/block_transfer/block_transfer.h>
#include <tributary/protocols/block_transfer/places.h>

namespace tributary {

void block_transfer_protocol::receive(handler_context& context) {
  const message& arrived = context.arrived();
  record<handler_context> receiver = receive_record(context, arrived.aux);
  const line_holders holders = lines_.holders_of(context, arrived.address);
  if (holders.place == line_place::pending) {
    refuse_line(context, receiver);
  } else if (holders.place == line_place::processor) {
    receive_dirty(context, receiver);
  } else if (holders.place == line_place::owner) {
    receive_owned(context, receiver);
  } else if (holders.others != 0) {
    receive_shared(context, receiver, holders);
  } else {
    context.spill(arrived.data, arrived.address);
    if (holders.local) lines_.take_sharing(context, arrived.address);
    context.spend(holders.local ? costs_.destination.shared : costs_.receive);
    count_line(context, receiver);
  }
}

/// Memory is written without owning the line. If its write-back is on the way, that will overwrite
/// the line, which must come again.
void block_transfer_protocol::receive_dirty(handler_context& context,
                                            record<handler_context>& receiver) {
  const message& arrived = context.arrived();
  context.spill(arrived.data, arrived.address);
  lines_.drop_dirty(context, arrived.address);
  context.spend(costs_.destination.dirty);
  if (lines_.dropped(context, arrived.address)) {
    count_line(context, receiver);
  } else {
    refuse_line(context, receiver);
  }
}

void block_transfer_protocol::receive_owned(handler_context& context,
                                            record<handler_context>& receiver) {
  const std::uint64_t address = context.arrived().address;
  const payload_handle data = keep_line(context);
  if (context.space(message_lane::request) == 0) {
    context.release(data);
    refuse_line(context, receiver);
    return;
  }
  write_awaiting(context, receiver, data);
  context.spend(costs_.destination.owned);
  ask_to_drop(context, receiver, address, message_type::drop_dirty, 1);
}

/// If there is not room to tell all who share the line, some are told, and the line comes again.
void block_transfer_protocol::receive_shared(handler_context& context,
                                             record<handler_context>& receiver,
                                             const line_holders& holders) {
  const std::uint64_t address = context.arrived().address;
  const payload_handle data = keep_line(context);
  const std::uint64_t room = context.space(message_lane::request);
  if (room < holders.others) {
    context.release(data);
    ask_to_drop(context, receiver, address, message_type::drop, room);
    refuse_line(context, receiver);
    return;
  }
  if (holders.local) lines_.take_sharing(context, address);
  write_awaiting(context, receiver, data);
  const block_transfer_costs::destination_costs& costs = costs_.destination;
  context.spend(holders.others == 1
                    ? costs.one_sharer
                    : costs.two_sharers + (holders.others - 2) * costs.further_sharer);
  if (holders.local) context.spend(costs.shared - std::min(costs.shared, costs_.receive));
  ask_to_drop(context, receiver, address, message_type::drop, holders.others);
}

/// Takes the arrived line over from the handler: what the handler sends does not carry it, so the
/// rule about requests that go on in the last buffer (D10) is not about them.
payload_handle block_transfer_protocol::keep_line(handler_context& context) {
  const payload_handle data = context.arrived().data;
  context.retain(data);
  context.release(data);
  return data;
}

/// Writes a line to memory that counts when others have acknowledged.
void block_transfer_protocol::write_awaiting(handler_context& context,
                                             record<handler_context>& receiver,
                                             payload_handle data) {
  const message& arrived = context.arrived();
  context.spill(data, arrived.address);
  context.release(data);
  lines_.await(context, arrived.address, arrived.aux + word_t{1});
  receiver.set(receive_field::last_line, arrived.address);
}

/// Tells so many of those who have the line.
void block_transfer_protocol::ask_to_drop(handler_context& context,
                                          const record<handler_context>& receiver,
                                          std::uint64_t address, message_type type,
                                          std::uint64_t nodes) {
  const node_id sender{static_cast<std::uint32_t>(receiver.get(receive_field::sender_node))};
  const std::uint64_t refused = drop_request::bits(sender, receiver.get(receive_field::sender));
  for (std::uint64_t i = 0; i < nodes; ++i) {
    context.send(message_to(lines_.next_holder(context, address), type, message_lane::request,
                            address, refused));
  }
}

/// At one who has the line. An owner without it tells the sender itself, because the destination
/// learns of it by a reply, which may send nothing (rule D3).
void block_transfer_protocol::drop(handler_context& context) {
  const message& arrived = context.arrived();
  const bool owned = arrived.type == static_cast<std::uint8_t>(message_type::drop_dirty);
  const bool had = lines_.drop(context, arrived.address, owned);
  context.spend(costs_.destination.drop);
  context.send(message_to(
      arrived.source, message_type::dropped, message_lane::reply, arrived.address,
      static_cast<std::uint64_t>((owned ? owner_dropped : 0) | (had ? line_was_there : 0))));
  if (owned && !had) {
    refuse_to(context, drop_request::node(arrived.aux), drop_request::record(arrived.aux));
  }
}

/// The sender of the arrived message's line may be this node.
void block_transfer_protocol::refuse_to(handler_context& context, node_id sender,
                                        std::uint64_t number) {
  const std::uint64_t address = context.arrived().address;
  if (sender != context.here()) {
    context.send(
        message_to(sender, message_type::line_refused, message_lane::reply, address, number));
    return;
  }
  transfer_record record = state_record(context, number);
  mark_later(context, record, portion_of(record).line_at(address));
}

void block_transfer_protocol::dropped(handler_context& context) {
  const message& arrived = context.arrived();
  const bool owned = (arrived.aux & owner_dropped) != 0;
  const bool had = (arrived.aux & line_was_there) != 0;
  context.spend(owned ? costs_.destination.disowned : costs_.destination.invalidated);
  const word_t written_for = lines_.acknowledged(context, arrived.address, had);
  if (written_for == 0 || (owned && !had)) return;
  const std::uint64_t number = written_for - 1;
  record<handler_context> receiver = receive_record(context, number);
  const word_t left = receiver.get(receive_field::lines_left) - 1;
  receiver.set(receive_field::lines_left, left);
  if (left != 0) return;
  // A reply may send nothing (rule D3).
  message with;
  with.address = arrived.address;
  with.aux = static_cast<std::uint16_t>(number);
  context.later(receiver.address(), id(place::page_complete), with);
}

/// Waits for the line that arrived last, behind whose write memory reads it.
void block_transfer_protocol::page_complete(handler_context& context) {
  const auto data = context.allocate();
  if (!data) {
    stall(context);
    return;
  }
  const record<handler_context> receiver = receive_record(context, context.arrived().aux);
  context.fill(*data, receiver.get(receive_field::last_line));
  static_cast<void>(context.word(*data, storage_.line.words() - 1));
  context.release(*data);
  end_page(context, receiver);
  context.done();
}

void block_transfer_protocol::count_line(handler_context& context,
                                         record<handler_context>& receiver) {
  receiver.set(receive_field::last_line, context.arrived().address);
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
