// SPDX-License-Identifier: Apache-2.0
// The source's side: lines are collected, sent, and sent again (FLASH 5.2.2 to 5.2.4).
#include <algorithm>

#include <tributary/protocols/block_transfer/block_transfer.h>
#include <tributary/protocols/block_transfer/places.h>
#include <tributary/sim/error.h>

namespace tributary {

/// What an invocation of a transfer handler keeps in registers.
struct block_transfer_protocol::sending {
  static constexpr std::size_t most_lines = 6;
  struct slot {
    payload_handle data = no_payload;
    line_place from = line_place::pending;  ///< which means that the line is marked
  };

  transfer_record record;
  transfer_portion portion;
  std::uint64_t first = 0;  ///< line of the first slot
  std::size_t lines = 0;    ///< slots in use
  std::uint64_t receiver = 0;
  word_t marks = 0;
  std::array<slot, most_lines> slots{};
};

void block_transfer_protocol::stall(handler_context& context) {
  context.spend(costs_.transfer.stalled);
  context.again();
}

/// Takes as many lines as there are buffers and space for.
block_transfer_protocol::sending block_transfer_protocol::begin_sending(handler_context& context,
                                                                        transfer_record& record) {
  sending chunk{record, portion_of(record)};
  chunk.first = record.get(transfer_field::next_line);
  chunk.marks = record.get(transfer_field::marks);
  chunk.receiver = record.get(transfer_field::receiver);
  const std::uint64_t wanted =
      std::min({std::uint64_t{std::max(config_.chunk, 1U)}, chunk.portion.lines - chunk.first,
                context.space(message_lane::request)});
  while (chunk.lines < wanted) {
    const auto data = context.allocate();
    if (!data) break;
    chunk.slots[chunk.lines++].data = *data;
  }
  return chunk;
}

void block_transfer_protocol::transfer(handler_context& context) {
  transfer_record record = state_record(context, context.arrived().aux);
  if (config_.chunk == 0) {
    transfer_one(context, record);
    return;
  }
  sending chunk = begin_sending(context, record);
  if (chunk.lines == 0) {
    stall(context);
    return;
  }
  send_chunk(context, chunk);
  end_invocation(context, chunk);
}

/// A software pipeline: a line is read while the one before it is sent.
void block_transfer_protocol::send_chunk(handler_context& context, sending& chunk) {
  const std::uint64_t behind = std::min(costs_.transfer.base, costs_.transfer.line);
  context.spend(costs_.transfer.base - behind);
  start_line(context, chunk, 0);
  for (std::size_t slot = 0; slot < chunk.lines; ++slot) {
    context.spend(slot == 0 ? behind : costs_.transfer.line);
    if (slot + 1 < chunk.lines) start_line(context, chunk, slot + 1);
    send_line(context, chunk, slot, costs_.transfer.dirty);
  }
  context.spend(costs_.transfer.line);
}

/// Asks for a line where it is, or marks it for the retry handler.
void block_transfer_protocol::start_line(handler_context& context, sending& chunk,
                                         std::size_t slot) {
  const std::uint64_t address = chunk.portion.source_line(chunk.first + slot);
  sending::slot& started = chunk.slots[slot];
  started.from = lines_.place_of(context, address);
  switch (started.from) {
    case line_place::memory:
      context.fill(started.data, address);
      break;
    case line_place::processor:
      lines_.ask_processor(context, address, started.data);
      break;
    case line_place::owner:
      break;
    case line_place::pending:
      mark(chunk, slot);
      context.release(started.data);
      break;
  }
}

/// The retry handler is to send the line.
void block_transfer_protocol::mark(sending& chunk, std::size_t slot) const {
  chunk.marks |= word_t{1} << (chunk.first + slot);
}

/// `dirty`: what a line of this node's caches costs more.
void block_transfer_protocol::send_line(handler_context& context, sending& chunk, std::size_t slot,
                                        std::uint64_t dirty) {
  switch (chunk.slots[slot].from) {
    case line_place::memory:
      send_data(context, chunk, slot);
      break;
    case line_place::processor:
      send_dirty(context, chunk, slot, dirty);
      break;
    case line_place::owner:
      context.spend(costs_.transfer.forward);
      ask_owner(context, chunk, slot);
      break;
    case line_place::pending:
      break;
  }
}

void block_transfer_protocol::send_data(handler_context& context, const sending& chunk,
                                        std::size_t slot) {
  const std::uint64_t to = chunk.portion.destination_line(chunk.first + slot);
  message line = message_to(context.addresses().node_of(to), message_type::line,
                            message_lane::request, to, chunk.receiver);
  line.length = chunk.portion.line.bytes();
  line.data = chunk.slots[slot].data;
  context.send(line);
}

/// The line streams on through its buffer (FLASH 5.2.2).
void block_transfer_protocol::send_dirty(handler_context& context, sending& chunk, std::size_t slot,
                                         std::uint64_t cost) {
  context.spend(cost);
  const std::uint64_t address = chunk.portion.source_line(chunk.first + slot);
  const payload_handle data = chunk.slots[slot].data;
  if (lines_.take_from_processor(context, address, data)) {
    send_data(context, chunk, slot);
  } else {
    mark(chunk, slot);
    context.release(data);
  }
}

/// To forward it, the owner must know the destination: a doubleword (FLASH 5.3.1, Figure 5.13).
void block_transfer_protocol::ask_owner(handler_context& context, const sending& chunk,
                                        std::size_t slot) {
  const std::uint64_t line = chunk.first + slot;
  const std::uint64_t address = chunk.portion.source_line(line);
  const payload_handle data = chunk.slots[slot].data;
  const std::uint64_t request = source_line_request::bits(chunk.record.number(), line);
  const std::uint64_t to = chunk.portion.destination_line(line);
  const node_id owner = lines_.begin_asking_owner(context, address);
  // A node sends nothing to itself.
  if (config_.dirty_elsewhere == remote_lines::collect ||
      owner == context.addresses().node_of(to)) {
    context.release(data);
    context.send(message_to(owner, message_type::fetch, message_lane::request, address, request));
    return;
  }
  context.set_word(data, 0, forwarded_line::bits(to, chunk.receiver));
  message asked = message_to(owner, message_type::forward, message_lane::request, address, request);
  asked.length = word_bytes;
  asked.data = data;
  context.send(asked);
}

void block_transfer_protocol::end_invocation(handler_context& context, sending& chunk) {
  const std::uint64_t next = chunk.first + chunk.lines;
  const bool is_last = next == chunk.portion.lines;
  if (is_last) context.spend(costs_.transfer.last);
  chunk.record.set(transfer_field::next_line, next);
  chunk.record.set(transfer_field::marks, chunk.marks);
  if (is_last) {
    end_sending(context, chunk.record, chunk.marks);
  } else {
    context.again();
  }
}

/// All lines were sent once; marked ones are sent again.
void block_transfer_protocol::end_sending(handler_context& context, transfer_record& record,
                                          word_t marks) {
  context.done();
  if (marks == 0) {
    record.set_phase(transfer_phase::awaiting);
    return;
  }
  record.set_phase(transfer_phase::retrying);
  record.set(transfer_field::next_line, 0);
  defer(context, record, place::retry);
}

/// The handler without chunking: a pending line stops it.
void block_transfer_protocol::transfer_one(handler_context& context, transfer_record& record) {
  sending chunk = begin_sending(context, record);
  if (chunk.lines != 0 &&
      lines_.place_of(context, chunk.portion.source_line(chunk.first)) == line_place::pending) {
    context.release(chunk.slots[0].data);
    chunk.lines = 0;
  }
  if (chunk.lines == 0) {
    stall(context);
    return;
  }
  start_line(context, chunk, 0);
  context.spend(costs_.transfer.unchunked);
  send_line(context, chunk, 0, costs_.transfer.unchunked_dirty);
  chunk.record.set(transfer_field::next_line, chunk.first + 1);
  chunk.record.set(transfer_field::marks, chunk.marks);
  if (chunk.first + 1 == chunk.portion.lines) {
    end_sending(context, chunk.record, chunk.marks);
  } else {
    context.again();
  }
}

/// Brings marked lines of the source to memory, before they are read without a look at their states
/// (FLASH 5.2.4).
void block_transfer_protocol::collect(handler_context& context) {
  transfer_record record = state_record(context, context.arrived().aux);
  const transfer_portion portion = portion_of(record);
  word_t marks = record.get(transfer_field::marks);
  std::uint64_t next = record.get(transfer_field::next_line);
  for (std::uint32_t n = 0; n < std::max(config_.chunk, 1U) && next < portion.source_lines(); ++n) {
    while ((marks >> next & 1) == 0) ++next;
    context.spend(costs_.realigned.collect);
    const std::uint64_t address = portion.source_line(next);
    if (bring_to_memory(context, record, lines_.place_of(context, address), address, next)) {
      marks &= ~(word_t{1} << next);
    }
    ++next;
    if (next < transfer_portion::most_lines && marks >> next == 0) next = portion.source_lines();
  }
  const bool is_over = marks == 0;
  record.set(transfer_field::marks, marks);
  record.set(transfer_field::next_line, next == portion.source_lines() ? 0 : next);
  if (!is_over) {
    context.again();
    return;
  }
  context.done();
  record.set_phase(transfer_phase::transferring);
  defer(context, record, place::transfer_realigned);
}

void block_transfer_protocol::transfer_realigned(handler_context& context) {
  transfer_record record = state_record(context, context.arrived().aux);
  sending chunk = begin_sending(context, record);
  // What is before the first line's first doubleword has to go somewhere.
  std::optional<payload_handle> scratch;
  if (chunk.lines == 1) scratch = context.allocate();
  if (chunk.lines == 1 && !scratch) {
    context.release(chunk.slots[0].data);
    chunk.lines = 0;
  }
  if (chunk.lines == 0) {
    stall(context);
    return;
  }
  send_realigned(context, chunk, scratch ? *scratch : chunk.slots[1].data);
  if (scratch) context.release(*scratch);
  end_invocation(context, chunk);
}

/// n + 1 loads for n lines, each of which ends one line and begins the next (FLASH 5.2.4).
void block_transfer_protocol::send_realigned(handler_context& context, sending& chunk,
                                             payload_handle scratch) {
  const std::uint64_t offset = chunk.portion.line.words() - chunk.portion.shift();
  const std::uint64_t behind = std::min(costs_.realigned.base, costs_.realigned.line);
  context.spend(costs_.realigned.base - behind);
  context.fill_realigned(scratch, chunk.slots[0].data, offset,
                         chunk.portion.source_line(chunk.first));
  for (std::size_t slot = 0; slot < chunk.lines; ++slot) {
    const std::size_t next = std::min(slot + 1, chunk.lines - 1);
    context.fill_realigned(chunk.slots[slot].data, chunk.slots[next].data, offset,
                           chunk.portion.source_line(chunk.first + slot + 1));
    context.spend(slot == 0 ? behind : costs_.realigned.line);
    send_data(context, chunk, slot);
  }
  context.spend(costs_.realigned.line);
}

/// Sends one marked line again (FLASH 6.2, step 8).
void block_transfer_protocol::retry(handler_context& context) {
  transfer_record record = state_record(context, context.arrived().aux);
  word_t marks = record.get(transfer_field::marks);
  std::uint64_t line = record.get(transfer_field::next_line);
  if (line == transfer_portion::most_lines || marks >> line == 0) line = 0;
  while ((marks >> line & 1) == 0) ++line;
  context.spend(costs_.retry);
  if (resend(context, record, line)) marks &= ~(word_t{1} << line);
  record.set(transfer_field::marks, marks);
  record.set(transfer_field::next_line, line + 1);
  if (marks != 0) {
    context.again();
    return;
  }
  context.done();
  record.set_phase(transfer_phase::awaiting);
}

bool block_transfer_protocol::resend(handler_context& context, const transfer_record& record,
                                     std::uint64_t line) {
  sending chunk{record, portion_of(record)};
  chunk.first = line;
  chunk.receiver = record.get(transfer_field::receiver);
  const bool is_aligned = chunk.portion.shift() == 0;
  const bool is_pending = is_aligned && lines_.place_of(context, chunk.portion.source_line(line)) ==
                                            line_place::pending;
  const auto data = is_pending ? std::nullopt : context.allocate();
  if (!data) return false;
  chunk.slots[0].data = *data;
  if (!is_aligned) return resend_realigned(context, chunk);
  start_line(context, chunk, 0);
  send_line(context, chunk, 0, costs_.source.retry_dirty);
  return chunk.marks == 0;
}

bool block_transfer_protocol::resend_realigned(handler_context& context, sending& chunk) {
  const payload_handle data = chunk.slots[0].data;
  const auto scratch = context.allocate();
  if (!scratch) {
    context.release(data);
    return false;
  }
  const std::uint64_t offset = chunk.portion.line.words() - chunk.portion.shift();
  context.fill_realigned(*scratch, data, offset, chunk.portion.source_line(chunk.first));
  context.fill_realigned(data, data, offset, chunk.portion.source_line(chunk.first + 1));
  context.release(*scratch);
  send_data(context, chunk, 0);
  return true;
}

/// Marks a line that the destination could not take (FLASH 6.2, step 7).
void block_transfer_protocol::line_refused(handler_context& context) {
  transfer_record record = state_record(context, context.arrived().aux);
  context.spend(costs_.nak);
  mark_later(context, record, portion_of(record).line_at(context.arrived().address));
}

void block_transfer_protocol::mark_later(handler_context& context, transfer_record& record,
                                         std::uint64_t line) {
  record.set(transfer_field::marks, record.get(transfer_field::marks) | word_t{1} << line);
  if (record.phase() != transfer_phase::awaiting) return;  // a handler is queued that will see it
  record.set_phase(transfer_phase::retrying);
  record.set(transfer_field::next_line, 0);
  defer(context, record, place::retry);
}

}  // namespace tributary
