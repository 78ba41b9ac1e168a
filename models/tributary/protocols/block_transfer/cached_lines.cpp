// SPDX-License-Identifier: Apache-2.0
// Lines of the source that caches have (FLASH 5.2.2, 5.3.1).
#include <algorithm>

#include <tributary/protocols/block_transfer/block_transfer.h>
#include <tributary/protocols/block_transfer/places.h>

namespace tributary {

/// Whether memory has the line; else its owner may have been asked.
bool block_transfer_protocol::bring_to_memory(handler_context& context,
                                              const transfer_record& record, line_place found,
                                              std::uint64_t address, std::uint64_t line) {
  if (found == line_place::memory) return true;
  if (found == line_place::processor) {
    const auto data = context.allocate();
    if (!data) return false;
    lines_.ask_processor(context, address, *data);
    context.spend(costs_.realigned.collect_dirty);
    const bool given = lines_.take_from_processor(context, address, *data);
    context.release(*data);
    return given;
  }
  if (found == line_place::owner && context.space(message_lane::request) != 0) {
    context.spend(costs_.transfer.forward);
    const node_id owner = lines_.begin_asking_owner(context, address);
    context.send(message_to(owner, message_type::fetch, message_lane::request, address,
                            source_line_request::bits(record.number(), line)));
  }
  return false;
}

// --- at the owner --------------------------------------------------------------------------------

/// Two messages, for which nothing is promised (FLASH 5.4.3: the queue's being full is what refuses
/// lines in Figure 5.17).
void block_transfer_protocol::forward(handler_context& context) {
  constexpr std::uint64_t messages = 2;
  const message arrived = context.arrived();
  const word_t where = context.word(arrived.data, 0);
  if (context.space(message_lane::request) < messages) {
    refuse_forward(context);
    return;
  }
  lines_.ask_processor(context, arrived.address, arrived.data);
  context.spend(costs_.source.forward / 2);
  if (!lines_.was_there(context, arrived.address)) {
    refuse_forward(context);
    return;
  }
  context.retain(arrived.data);
  const std::uint64_t to = forwarded_line::to(where);
  message line = message_to(context.addresses().node_of(to), message_type::line,
                            message_lane::request, to, forwarded_line::receiver(where));
  line.length = storage_.line.bytes();
  line.data = arrived.data;
  context.send(line);
  context.spend(costs_.source.forward - costs_.source.forward / 2);
  message back = message_to(arrived.source, message_type::line_back, message_lane::request,
                            arrived.address, 0);
  back.length = storage_.line.bytes();
  back.data = arrived.data;
  context.send(back);
}

void block_transfer_protocol::refuse_forward(handler_context& context) {
  const message& arrived = context.arrived();
  context.spend(costs_.nak);
  context.send(message_to(arrived.source, message_type::forward_refused, message_lane::reply,
                          arrived.address, arrived.aux));
}

/// The answer is a request, because its handler sends the line on (rule D3).
void block_transfer_protocol::fetch(handler_context& context) {
  const message& arrived = context.arrived();
  const bool has_room = context.space(message_lane::request) != 0;
  const auto data = has_room ? context.allocate() : std::nullopt;
  if (!data) {
    refuse_forward(context);
    return;
  }
  lines_.ask_processor(context, arrived.address, *data);
  context.spend(costs_.source.fetch);
  if (!lines_.was_there(context, arrived.address)) {
    context.release(*data);
    refuse_forward(context);
    return;
  }
  message line = message_to(arrived.source, message_type::fetched, message_lane::request,
                            arrived.address, arrived.aux);
  line.length = storage_.line.bytes();
  line.data = *data;
  context.send(line);
}

// --- at the home ---------------------------------------------------------------------------------

void block_transfer_protocol::forward_refused(handler_context& context) {
  const message& arrived = context.arrived();
  lines_.end_asking_owner(context, arrived.address);
  context.spend(costs_.nak);
  transfer_record record = state_record(context, source_line_request::record(arrived.aux));
  mark_later(context, record, source_line_request::line(arrived.aux));
}

void block_transfer_protocol::line_back(handler_context& context) {
  lines_.take_from_owner(context, context.arrived().address, context.arrived().data);
  context.spend(costs_.source.line_back);
}

/// Without room in the queue the line, which memory has now, is sent by the retry handler.
void block_transfer_protocol::fetched(handler_context& context) {
  const message arrived = context.arrived();
  lines_.take_from_owner(context, arrived.address, arrived.data);
  const std::uint64_t home = std::min(costs_.source.line_back, costs_.source.fetched);
  context.spend(home);
  transfer_record record = state_record(context, source_line_request::record(arrived.aux));
  if (record.phase() == transfer_phase::collecting) return;
  const std::uint64_t line = source_line_request::line(arrived.aux);
  if (context.space(message_lane::request) == 0) {
    mark_later(context, record, line);
    return;
  }
  context.spend(costs_.source.fetched - home);
  const std::uint64_t to = portion_of(record).destination_line(line);
  message sent = message_to(context.addresses().node_of(to), message_type::line,
                            message_lane::request, to, record.get(transfer_field::receiver));
  sent.length = storage_.line.bytes();
  sent.data = arrived.data;
  context.send(sent);
}

}  // namespace tributary
