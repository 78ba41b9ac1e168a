// SPDX-License-Identifier: Apache-2.0
// Envelopes: a page is announced, and gets a receive record at the destination (FLASH 5.2.1).
#include <algorithm>

#include <tributary/protocols/block_transfer/block_transfer.h>
#include <tributary/protocols/block_transfer/places.h>

namespace tributary {
namespace {

// In `aux` of envelopes and their replies: the sender's record, and above it the number of lines or
// the receiver's record.
constexpr std::uint64_t upper_shift = 8;
constexpr std::uint64_t lower_mask = (1U << upper_shift) - 1;
static_assert(block_transfer_config::most_records <= 1U << upper_shift);
static_assert(transfer_portion::most_lines < 1U << (aux_bits - upper_shift));

word_t first_marks(std::uint64_t lines) {
  return lines == transfer_portion::most_lines ? ~word_t{0} : (word_t{1} << lines) - 1;
}

}  // namespace

void block_transfer_protocol::announce(handler_context& context) {
  transfer_record record = state_record(context, context.arrived().aux);
  context.spend(costs_.announce);
  send_envelope(context, record);
  context.done();
}

void block_transfer_protocol::send_envelope(handler_context& context, transfer_record& record) {
  const transfer_portion portion = next_portion(record);
  store_portion(record, portion);
  record.set_phase(transfer_phase::announced);
  context.send(message_to(context.addresses().node_of(portion.destination), message_type::envelope,
                          message_lane::request, portion.destination,
                          record.number() | portion.lines << upper_shift));
}

// The address of the page-th page of a buffer; `first` and `further` are places among the addresses
// that were logged.
std::uint64_t block_transfer_protocol::page_address(const transfer_record& record,
                                                    std::uint64_t first, std::uint64_t further,
                                                    std::uint64_t page) const {
  if (page != 0) return record.logged(further + page - 1);
  const std::uint64_t start = record.logged(first);
  return start - start % config_.page_bytes;
}

transfer_portion block_transfer_protocol::next_portion(const transfer_record& record) const {
  const std::uint64_t page = config_.page_bytes;
  const std::uint64_t length = record.get(transfer_field::length);
  const line_size line = storage_.line;
  const std::uint64_t done = record.get(transfer_field::lines_done) * line.bytes();
  const std::uint64_t from = record.logged(0) % page + done;
  const std::uint64_t to = record.logged(1) % page + done;
  const std::uint64_t further = 2 + block_transfer_command::pages(record.logged(0), length, page);

  transfer_portion portion(line);
  portion.source = page_address(record, 0, 3, from / page) + from % page;
  portion.source_split = line.number(page - from % page + line.offset(from));
  portion.destination = page_address(record, 1, further, to / page) + to % page;
  portion.destination_split = line.number(page - to % page);
  portion.lines =
      std::min(line.number(length - done), line.number(line.next_start(page - from % page)));
  // A mark for every line of the source.
  if (portion.source_lines() > transfer_portion::most_lines) {
    portion.lines -= portion.source_lines() - transfer_portion::most_lines;
  }
  if (portion.source_lines() > portion.source_split) {
    portion.source_next = page_address(record, 0, 3, from / page + 1);
  }
  if (portion.lines > portion.destination_split) {
    portion.destination_next = page_address(record, 1, further, to / page + 1);
  }
  return portion;
}

void block_transfer_protocol::envelope(handler_context& context) {
  const message& arrived = context.arrived();
  const std::uint64_t sender = arrived.aux & lower_mask;
  context.spend(costs_.envelope);
  const auto number =
      take_record(context, transfer_storage::receive_records, config_.receive_records, 0);
  if (!number) {
    context.send(message_to(arrived.source, message_type::envelope_refused, message_lane::reply,
                            arrived.address, sender));
    return;
  }
  record<handler_context> receiver = receive_record(context, *number);
  receiver.set(receive_field::lines_left, arrived.aux >> upper_shift);
  receiver.set(receive_field::sender, sender);
  receiver.set(receive_field::sender_node, index(arrived.source));
  context.send(message_to(arrived.source, message_type::envelope_reply, message_lane::reply,
                          arrived.address, sender | std::uint64_t{*number} << upper_shift));
}

void block_transfer_protocol::envelope_reply(handler_context& context) {
  transfer_record record = state_record(context, context.arrived().aux & lower_mask);
  context.spend(costs_.envelope_reply);
  const transfer_portion portion = portion_of(record);
  const bool is_aligned = portion.shift() == 0;
  record.set(transfer_field::receiver, context.arrived().aux >> upper_shift);
  record.set(transfer_field::next_line, 0);
  record.set(transfer_field::marks, is_aligned ? 0 : first_marks(portion.source_lines()));
  record.set_phase(is_aligned ? transfer_phase::transferring : transfer_phase::collecting);
  defer(context, record, is_aligned ? place::transfer : place::collect);
}

void block_transfer_protocol::envelope_refused(handler_context& context) {
  context.spend(costs_.envelope_reply);
  defer(context, state_record(context, context.arrived().aux), place::announce);
}

}  // namespace tributary
