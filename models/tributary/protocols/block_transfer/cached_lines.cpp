// SPDX-License-Identifier: Apache-2.0
// Lines of the source, and of the flag, that caches have (FLASH 5.2.2, 5.3.1).
#include <tributary/protocols/block_transfer/block_transfer.h>
#include <tributary/protocols/block_transfer/places.h>

namespace tributary {

/// Whether memory has the line; else its owner may have been asked.
bool block_transfer_protocol::bring_to_memory(handler_context& context,
                                              const transfer_record& record, line_place found,
                                              std::uint64_t address, std::uint64_t line,
                                              const block_transfer_costs::bringing_costs& costs) {
  if (found == line_place::memory) return true;
  if (found == line_place::processor) {
    const auto data = context.allocate();
    if (!data) return false;
    lines_.ask_processor(context, address, *data);
    context.spend(costs.dirty);
    const bool given = lines_.take_from_processor(context, address, *data);
    context.release(*data);
    return given;
  }
  if (found == line_place::owner && context.space(message_lane::request) != 0) {
    context.spend(costs.owned);
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

void block_transfer_protocol::fetch(handler_context& context) {
  const message& arrived = context.arrived();
  const auto data = context.allocate();
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
  message line = message_to(arrived.source, message_type::fetched, message_lane::reply,
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
  if (record.phase() == transfer_phase::completing) return;  // it was the flag's line
  mark_later(context, record, source_line_request::line(arrived.aux));
}

void block_transfer_protocol::line_back(handler_context& context) {
  lines_.take_from_owner(context, context.arrived().address, context.arrived().data);
  context.spend(costs_.source.line_back);
}

/// A reply may send nothing (rule D3), so the retry handler sends the line, which memory has now.
void block_transfer_protocol::fetched(handler_context& context) {
  const message& arrived = context.arrived();
  lines_.take_from_owner(context, arrived.address, arrived.data);
  context.spend(costs_.source.fetched);
  transfer_record record = state_record(context, source_line_request::record(arrived.aux));
  const transfer_phase phase = record.phase();
  if (phase == transfer_phase::collecting || phase == transfer_phase::completing) return;
  mark_later(context, record, source_line_request::line(arrived.aux));
}

// --- the flag ------------------------------------------------------------------------------------

/// Whether nobody has the flag's line any more; else others were asked to give it up.
bool block_transfer_protocol::take_flag(handler_context& context, const transfer_record& record,
                                        std::uint64_t line) {
  const line_holders holders = lines_.holders_of(context, line);
  if (holders.place != line_place::memory) {
    bring_to_memory(context, record, holders.place, line, 0, costs_.flag);
    return false;
  }
  if (holders.local) lines_.take_sharing(context, line);
  const std::uint64_t room = context.space(message_lane::request);
  for (std::uint64_t i = 0; i < holders.others && i < room; ++i) {
    context.send(message_to(lines_.next_holder(context, line), message_type::drop,
                            message_lane::request, line, 0));
  }
  return holders.others == 0;
}

}  // namespace tributary
