// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/message_data_parallel.h>

#include <algorithm>

namespace tributary {

namespace registers = interface_registers;

namespace {

constexpr std::uint64_t all_lines = (std::uint64_t{1} << registers::interrupt_lines_used) - 1;

constexpr std::uint64_t whole_pages(std::uint64_t bytes, std::uint64_t page) {
  return (bytes + page - 1) / page * page;
}

}  // namespace

message_data_parallel::message_data_parallel(program_context& context,
                                             const message_runtime_place& place)
    : data_parallel(context, place.data_bytes),
      place_(place),
      driver_(context, place.interface, place.registers, place.memory, place.memory_place),
      tree_(context.nodes(), place.arity),
      words_from_(place.data_bytes),
      memory_bytes_(whole_pages(place.data_bytes + message_runtime_words(place.arity) * word_bytes,
                                place.interface.page_bytes)),
      merger_(place.interface.packet_bytes) {
  for (std::uint32_t line = 0; line < registers::interrupt_lines_used; ++line) {
    context.interrupts(line, [this](program_context&) { interrupted(); });
  }
  driver_.write(registers::interrupt_enable, all_lines);
}

void message_data_parallel::interrupted() {
  const purpose_scope nothing(context(), communication_purpose::computing);
  is_interrupted_ = true;
  driver_.write(registers::interrupt_cause, all_lines);
  serve(driver_.read(registers::status));
  // Who drains sends what it needs itself, once it can drain again.
  if (!draining_) flush();
  is_interrupted_ = false;
}

/// Everything that the interface has for software. Nothing here waits.
void message_data_parallel::serve(word_t status) {
  namespace fields = registers::status_fields;
  // All of them: two that come at a time are one interrupt.
  while (fields::faults.in(status) != 0) {
    driver_.serve_fault(memory_bytes_);
    status = driver_.read(registers::status);
  }
  if (fields::zeroed.in(status) != 0) {
    const auto which = static_cast<std::uint32_t>(driver_.read(registers::zeroed));
    driver_.write(registers::zeroed, which);
    zeroed(which);
  }
  drain(status);
}

void message_data_parallel::drain(word_t status) {
  // DMA that stores a body is waited for, and may be interrupted meanwhile.
  if (draining_) return;
  draining_ = true;
  while (registers::status_fields::receive_words.in(status) != 0) {
    const interface_header header = driver_.take_header();
    const purpose_scope purpose(context(), header.purpose);
    take(header);
    status = driver_.read(registers::status);
  }
  draining_ = false;
}

void message_data_parallel::flush() {
  if (flushing_) return;
  flushing_ = true;
  while (!queue_.empty()) {
    const outgoing_message next = queue_.front();
    queue_.pop();
    const purpose_scope purpose(context(), next.header.purpose);
    send_now(next);
  }
  flushing_ = false;
}

void message_data_parallel::send_now(const outgoing_message& message) {
  for (;;) {
    const word_t status = driver_.read(registers::status);
    // A message that DMA sends is still being made.
    const bool is_free = registers::status_fields::dma_sends.in(status) == 0;
    if (is_free && interface_driver::has_room(status, message.header.channel)) break;
    // A program is interrupted meanwhile; an interrupt is not.
    if (is_interrupted_) serve(status);
    context().delay(place_.poll_cycles);
  }
  if (message.header.size > packet() && message.header.type != communication_message::read) {
    driver_.compose_by_dma(message);
  } else {
    driver_.compose(message);
  }
}

void message_data_parallel::send_body(outgoing_message message) {
  const std::uint32_t bytes = message.header.size;
  if (place_.interface.dma && bytes > packet()) {
    send_by_dma(message);
    return;
  }
  const std::uint64_t address = message.header.address;
  const std::uint64_t from = message.from;
  for (std::uint32_t moved = 0; moved < bytes; moved += packet()) {
    message.header.size = std::min(packet(), bytes - moved);
    message.header.address = address + moved;
    message.from = from + moved;
    send_now(message);
  }
}

/// In parts that the header can name. What is sent may change when it has left.
void message_data_parallel::send_by_dma(outgoing_message message) {
  constexpr std::uint32_t most = 1U << 16;
  const std::uint32_t bytes = message.header.size;
  const std::uint64_t address = message.header.address;
  const std::uint64_t from = message.from;
  for (std::uint32_t moved = 0; moved < bytes; moved += most) {
    message.header.size = std::min(most, bytes - moved);
    message.header.address = address + moved;
    message.from = from + moved;
    send_now(message);
  }
  wait_until([this] {
    return registers::status_fields::dma_sends.in(driver_.read(registers::status)) == 0;
  });
}

void message_data_parallel::copy(std::uint64_t from, std::uint64_t to, std::uint32_t bytes) {
  const purpose_scope own(context(), communication_purpose::computing);
  for (std::uint32_t moved = 0; moved < bytes; moved += word_bytes) {
    driver_.store(to + moved, driver_.load(from + moved), bytes - moved);
  }
}

// --- gets and sends ------------------------------------------------------------------------------

void message_data_parallel::get(const node_data& from, std::uint64_t to, std::uint32_t bytes) {
  check_item(from.offset, bytes);
  check_item(to, bytes);
  if (from.node == node()) {
    copy(from.offset, to, bytes);
    return;
  }
  strided_request single;
  single.there = from;
  single.here = to;
  single.item = bytes;
  request(single);
}

void message_data_parallel::send(const node_data& to, std::uint64_t from, std::uint32_t bytes) {
  check_item(to.offset, bytes);
  check_item(from, bytes);
  if (to.node == node()) {
    copy(from, to.offset, bytes);
    return;
  }
  strided_request single;
  single.gets = false;
  single.there = to;
  single.here = from;
  single.item = bytes;
  request(single);
}

void message_data_parallel::request(const strided_request& single) {
  if (!in_statement_ || !merger_.takes(single.item)) {
    issue(single);
  } else if (const std::optional<strided_request> ended = merger_.add(single)) {
    issue(*ended);
  }
}

/// Nothing is held back behind a statement, so barriers find all its messages under way.
void message_data_parallel::end_statement() {
  in_statement_ = false;
  for (const strided_request& each : merger_.take_all()) issue(each);
}

void message_data_parallel::issue(const strided_request& whole) {
  if (whole.gets) {
    issue_read(whole);
  } else {
    issue_write(whole);
  }
}

/// Each answer fits a packet: its reader says so (6.3).
void message_data_parallel::issue_read(const strided_request& whole) {
  const purpose_scope purpose(context(), communication_purpose::get);
  outgoing_message message;
  interface_header& header = message.header;
  header.type = communication_message::read;
  header.destination = whole.there.node;
  header.purpose = communication_purpose::get;
  if (!whole.in_a_row()) {
    header.strided = true;
    header.count = whole.count;
    header.stride = whole.there_stride;
    header.answer_stride = whole.here_stride;
  }
  // What is strided fits a packet as a whole.
  for (std::uint32_t moved = 0; moved < whole.bytes(); moved += packet()) {
    header.size = std::min(packet(), whole.bytes() - moved);
    header.address = whole.there.offset + moved;
    header.answer_to = whole.here + moved;
    follow_read(header);
    send_now(message);
  }
}

void message_data_parallel::issue_write(const strided_request& whole) {
  const purpose_scope purpose(context(), communication_purpose::send);
  outgoing_message message;
  interface_header& header = message.header;
  header.type = communication_message::write;
  header.destination = whole.there.node;
  header.purpose = communication_purpose::send;
  header.acknowledge = true;
  header.size = whole.bytes();
  header.address = whole.there.offset;
  message.from = whole.here;
  if (!whole.in_a_row()) {
    header.strided = true;
    header.count = whole.count;
    header.stride = whole.there_stride;
    message.from_stride = whole.here_stride;
  }
  follow_write(header);
  send_body(message);
}

void message_data_parallel::combining_send(const node_data& to, word_t value,
                                           combining_operation operation, std::uint32_t bytes) {
  check_value(bytes);
  check_place(to.offset, bytes);
  const purpose_scope purpose(context(), communication_purpose::combining_send);
  if (to.node == node()) {
    driver_.store(to.offset, combined(operation, load(to.offset, bytes), cut(value, bytes)), bytes);
    return;
  }
  outgoing_message message;
  message.header.type = communication_message::tagged;
  message.header.destination = to.node;
  message.header.purpose = communication_purpose::combining_send;
  message.header.tag = static_cast<std::uint8_t>(operation);
  message.header.acknowledge = true;
  message.header.size = bytes;
  message.header.address = to.offset;
  message.has_value = true;
  message.value = value;
  follow_write(message.header);
  send_now(message);
}

void message_data_parallel::combine(const interface_header& header) {
  const auto operation = static_cast<combining_operation>(header.tag);
  const word_t value = cut(driver_.take_word(), header.size);
  driver_.store(header.address, combined(operation, load(header.address, header.size), value),
                header.size);
  acknowledge(header);
}

void message_data_parallel::acknowledge(const interface_header& header) {
  outgoing_message answer;
  answer.header.type = communication_message::acknowledgement;
  answer.header.channel = interface_channel::reply;
  answer.header.destination = header.source;
  answer.header.purpose = communication_purpose::bookkeeping;
  answer.header.has_local = header.has_local;
  answer.header.local = header.local;
  send_later(answer);
}

}  // namespace tributary
