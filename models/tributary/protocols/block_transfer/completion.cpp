// SPDX-License-Identifier: Apache-2.0
// The end of a transfer, and transfers whose source is at another node's (FLASH 5.2.1, 5.3.2).
#include <algorithm>

#include <tributary/protocols/block_transfer/block_transfer.h>
#include <tributary/protocols/block_transfer/places.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

// Words of a delegated request: length, source, destination, then two further pages a word.
constexpr std::uint64_t request_pages = 3;
constexpr std::uint64_t half_word = 32;
static_assert(request_pages + block_transfer_command::pages_allowed(line_size()) - 1 ==
              line_size().words());

}  // namespace

void block_transfer_protocol::page_received(handler_context& context) {
  transfer_record record = state_record(context, context.arrived().aux);
  if (record.phase() != transfer_phase::awaiting) {
    throw simulation_error("a page of a block transfer is acknowledged that has lines left");
  }
  context.spend(costs_.acknowledged);
  const word_t lines = record.get(transfer_field::lines_done) + record.get(transfer_field::lines);
  record.set(transfer_field::lines_done, lines);
  if (lines * storage_.line.bytes() < record.get(transfer_field::length)) {
    defer(context, record, place::announce);
    return;
  }
  record.set_phase(transfer_phase::completing);
  const bool is_remote = record.get(transfer_field::initiator) != 0;
  defer(context, record, is_remote ? place::complete : place::flag_update);
}

void block_transfer_protocol::flag_update(handler_context& context) {
  transfer_record record = state_record(context, context.arrived().aux);
  context.spend(costs_.flag_update);
  const std::uint64_t line = storage_.line.start(record.logged(2));
  const acquired_line owned = ownership_.acquire(context, line);
  if (owned) {
    increment_flag(context, record, *owned);
    ownership_.release(context, line, *owned);
    end_transfer(context, record);
    context.done();
  } else if (owned.is_available) {
    context.again();  // only a data buffer is missing, and the robust path needs one as well
  } else if (ownership_.ask(context, line, id(place::flag_owned), record.number())) {
    context.done();
  } else {
    context.again();
  }
}

/// The flag's line, which others had or another node is the home of.
void block_transfer_protocol::flag_owned(handler_context& context) {
  const auto data = ownership_.take(context);
  if (!data) {
    context.again();
    return;
  }
  transfer_record record = state_record(context, ownership_.argument(context));
  increment_flag(context, record, *data);
  ownership_.give_back(context, *data);
  if (context.is_local(record.logged(2))) {
    end_transfer(context, record);
  } else {
    defer(context, record, place::confirm_flag);
  }
  context.done();
}

/// The write-back of the flag's line is on its way to another node by its physical address, so that
/// translations must not change yet (FLASH 4.2.2). This request follows it on the same lane, and
/// comes back when the home has both.
void block_transfer_protocol::confirm_flag(handler_context& context) {
  const transfer_record record = state_record(context, context.arrived().aux);
  context.spend(costs_.confirm);
  const std::uint64_t flag = record.logged(2);
  context.send(message_to(context.addresses().node_of(flag), message_type::flag_written,
                          message_lane::request, flag, record.number()));
  context.done();
}

void block_transfer_protocol::flag_written(handler_context& context) {
  const message& arrived = context.arrived();
  context.spend(costs_.confirm);
  context.send(message_to(arrived.source, message_type::flag_home, message_lane::reply,
                          arrived.address, arrived.aux));
}

void block_transfer_protocol::flag_home(handler_context& context) {
  transfer_record record = state_record(context, context.arrived().aux);
  context.spend(costs_.confirm);
  end_transfer(context, record);
}

void block_transfer_protocol::increment_flag(handler_context& context,
                                             const transfer_record& record,
                                             payload_handle data) const {
  const std::size_t position = storage_.line.word(record.logged(2));
  context.set_word(data, position, context.word(data, position) + 1);
}

void block_transfer_protocol::end_transfer(handler_context& context,
                                           transfer_record& record) const {
  set_word_at(context, transfer_storage::under_way,
              word_at(context, transfer_storage::under_way) - 1);
  if (kernel_ != nullptr) kernel_->held().end(context);
  free_state_record(context, record);
}

/// Sends the whole request to the source's home.
void block_transfer_protocol::delegate(handler_context& context) {
  transfer_record record = state_record(context, context.arrived().aux);
  const auto data = context.allocate();
  if (!data) {
    stall(context);
    return;
  }
  pack_request(context, record, *data);
  context.spend(costs_.delegate);
  const std::uint64_t source = record.logged(0);
  message request = message_to(context.addresses().node_of(source), message_type::delegation,
                               message_lane::request, source, record.number());
  request.length = storage_.line.bytes();
  request.data = *data;
  context.send(request);
  context.done();
}

void block_transfer_protocol::pack_request(handler_context& context, const transfer_record& record,
                                           payload_handle data) {
  const std::uint64_t length = record.get(transfer_field::length);
  const std::uint64_t page = config_.page_bytes;
  context.set_word(data, 0, length);
  context.set_word(data, 1, record.logged(0));
  context.set_word(data, 2, record.logged(1));
  const std::uint64_t addresses = 1 +
                                  block_transfer_command::pages(record.logged(0), length, page) +
                                  block_transfer_command::pages(record.logged(1), length, page);
  const auto line_number = [&](std::uint64_t i) {
    return i < addresses ? storage_.line.number(context.addresses().offset_of(record.logged(i)))
                         : 0;
  };
  for (std::uint64_t word = request_pages; word < storage_.line.words(); ++word) {
    const std::uint64_t i = 3 + 2 * (word - request_pages);
    context.set_word(data, word, line_number(i) | line_number(i + 1) << half_word);
  }
}

void block_transfer_protocol::delegated(handler_context& context) {
  const message& arrived = context.arrived();
  context.spend(costs_.delegated);
  const auto number =
      take_record(context, transfer_storage::state_records, config_.state_records, 0);
  if (!number) {
    context.send(message_to(arrived.source, message_type::delegation_refused, message_lane::reply,
                            arrived.address, arrived.aux));
    return;
  }
  transfer_record record = state_record(context, *number);
  unpack_request(context, record);
  record.set(transfer_field::lines_done, 0);
  record.set(transfer_field::initiator,
             (index(arrived.source) + word_t{1}) | word_t{arrived.aux} << 16);
  record.set_phase(transfer_phase::announced);
  defer(context, record, place::announce);
}

void block_transfer_protocol::unpack_request(handler_context& context, transfer_record& record) {
  const payload_handle data = context.arrived().data;
  const address_layout& layout = context.addresses();
  const std::uint64_t length = context.word(data, 0);
  const std::uint64_t source = context.word(data, 1);
  const std::uint64_t destination = context.word(data, 2);
  record.set(transfer_field::length, length);
  record.set_logged(0, source);
  record.set_logged(1, destination);
  const std::uint64_t from = block_transfer_command::pages(source, length, config_.page_bytes) - 1;
  const std::uint64_t to =
      block_transfer_command::pages(destination, length, config_.page_bytes) - 1;
  for (std::uint64_t i = 0; i < from + to; ++i) {
    const word_t pair = context.word(data, request_pages + i / 2);
    const std::uint64_t line = i % 2 == 0 ? pair & 0xffffffff : pair >> half_word;
    const node_id home = layout.node_of(i < from ? source : destination);
    record.set_logged(3 + i, layout.address_of(home, 0, line * storage_.line.bytes()));
  }
}

void block_transfer_protocol::delegation_refused(handler_context& context) {
  context.spend(costs_.completion);
  defer(context, state_record(context, context.arrived().aux), place::delegate);
}

/// Tells the initiator that the transfer is complete.
void block_transfer_protocol::complete(handler_context& context) {
  transfer_record record = state_record(context, context.arrived().aux);
  const word_t initiator = record.get(transfer_field::initiator);
  context.spend(costs_.completion);
  const node_id asked{static_cast<std::uint32_t>((initiator & 0xffff) - 1)};
  context.send(message_to(asked, message_type::completion, message_lane::reply, record.logged(0),
                          initiator >> 16));
  free_state_record(context, record);
  context.done();
}

void block_transfer_protocol::completed(handler_context& context) {
  transfer_record record = state_record(context, context.arrived().aux);
  context.spend(costs_.completion);
  set_word_at(context, transfer_storage::delegations, 0);
  record.set_phase(transfer_phase::completing);
  defer(context, record, place::flag_update);
}

}  // namespace tributary
