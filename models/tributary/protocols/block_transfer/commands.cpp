// SPDX-License-Identifier: Apache-2.0
// The processor's commands: arguments are logged, and verified at the end (FLASH 4.1.1, 5.2.1).
#include <algorithm>

#include <tributary/protocols/block_transfer/block_transfer.h>
#include <tributary/protocols/block_transfer/places.h>

namespace tributary {
namespace {

using result = block_transfer_result;
using command = block_transfer_command;

/// The same byte in the normal space.
std::uint64_t normal(handler_context& context, std::uint64_t address) {
  const address_layout& layout = context.addresses();
  return layout.address_of(layout.node_of(address), 0, layout.offset_of(address));
}

/// A request to increment a flag and do nothing else.
bool is_flag_alone(const transfer_record& record) {
  return record.get(transfer_field::length) == 0 && record.get(transfer_field::written) == 1 &&
         record.get(transfer_field::broken) == 0;
}

void break_sequence(transfer_record& record, result why) {
  record.set(transfer_field::broken, static_cast<word_t>(why));
}

}  // namespace

void block_transfer_protocol::log_argument(handler_context& context) {
  const std::uint64_t offset = context.addresses().offset_of(context.arrived().address);
  const word_t value = context.word(context.arrived().data, 0);
  if (offset == command::context_switch) {
    forget_sequence(context, value);
    return;
  }
  context.spend(costs_.argument);
  if (offset == command::length) {
    begin_sequence(context, value);
  } else if (kernel_ != nullptr && offset < command::commit_virtual) {
    log_virtual(context, offset / word_bytes - 1, value);
  } else if (auto record = sequence(context)) {
    break_sequence(*record, result::bad_sequence);
  }
}

void block_transfer_protocol::begin_sequence(handler_context& context, word_t length) {
  auto record = sequence(context);
  if (!record) {
    // The last one stays free for requests of other nodes: two that wait for each other's records
    // would wait for ever.
    const auto number =
        take_record(context, transfer_storage::state_records, config_.state_records, 1);
    set_word_at(context, transfer_storage::sequence,
                number ? *number + word_t{1} : transfer_storage::no_record);
    if (!number) return;
    record.emplace(state_record(context, *number));
  }
  unlist_addresses(context, *record);
  record->set_phase(transfer_phase::assembling);
  record->set(transfer_field::length, length);
  record->set(transfer_field::lines_done, 0);
  record->set(transfer_field::initiator, 0);
  record->set(transfer_field::process, context.arrived().process);
  record->set(transfer_field::changes, kernel_ == nullptr ? 0 : kernel_->held().changes(context));
  record->set(transfer_field::written, 0);
  record->set(transfer_field::named, 0);
  record->set(transfer_field::broken, 0);
  if (translations_change(context)) break_sequence(*record, result::interrupted);
}

/// Arguments keep their order (FLASH 4.1.1).
void block_transfer_protocol::log_virtual(handler_context& context, std::uint64_t argument,
                                          word_t address) {
  auto record = sequence(context);
  if (!record || !is_of_process(context, *record)) return;
  if (record->get(transfer_field::named) != argument || record->get(transfer_field::written) != 0) {
    break_sequence(*record, result::bad_sequence);
    return;
  }
  record->set_logged(argument, address);
  record->set(transfer_field::named, argument + 1);
}

bool block_transfer_protocol::is_of_process(handler_context& context,
                                            transfer_record& record) const {
  if (record.get(transfer_field::process) == context.arrived().process) return true;
  break_sequence(record, result::interrupted);
  return false;
}

void block_transfer_protocol::forget_sequence(handler_context& context, word_t process) {
  context.spend(costs_.context_switch);
  if (auto record = sequence(context)) {
    unlist_addresses(context, *record);
    free_state_record(context, *record);
  }
  set_word_at(context, transfer_storage::sequence, 0);
  set_word_at(context, transfer_storage::process, process);
}

std::optional<transfer_record> block_transfer_protocol::sequence(handler_context& context) const {
  const word_t number = word_at(context, transfer_storage::sequence);
  if (number == 0 || number == transfer_storage::no_record) return std::nullopt;
  return state_record(context, number - 1);
}

void block_transfer_protocol::log_address(handler_context& context) {
  context.spend(costs_.argument);
  auto record = sequence(context);
  if (!record) return;  // the end of the sequence will be told
  if (!is_of_process(context, *record)) return;
  if (record->get(transfer_field::named) != 0) {
    break_sequence(*record, result::bad_sequence);
    return;
  }
  const std::uint64_t count = record->get(transfer_field::written);
  if (count == transfer_field::most_addresses) {
    break_sequence(*record, result::bad_length);
    return;
  }
  record->set_logged(count, normal(context, context.arrived().address));
  record->set(transfer_field::written, count + 1);
  list_address(context, *record, count);
  // The page may be what the change is about.
  if (translations_change(context)) break_sequence(*record, result::interrupted);
}

void block_transfer_protocol::setup(handler_context& context) {
  const std::uint64_t offset = context.addresses().offset_of(context.arrived().address);
  if (offset == command::commit) {
    commit(context, false);
  } else if (kernel_ != nullptr && offset == command::commit_virtual) {
    commit(context, true);
  } else if (offset == command::context_switch) {
    context.spend(costs_.context_switch);
    context.answer(word_at(context, transfer_storage::process));
  } else {
    context.spend(costs_.refusal);
    context.answer(static_cast<word_t>(result::bad_sequence));
  }
}

void block_transfer_protocol::commit(handler_context& context, bool is_virtual) {
  const bool no_record =
      word_at(context, transfer_storage::sequence) == transfer_storage::no_record;
  auto record = sequence(context);
  set_word_at(context, transfer_storage::sequence, 0);
  result found = no_record ? result::no_record : result::interrupted;
  if (record && !is_obsolete(context, *record) && is_of_process(context, *record)) {
    found = is_virtual ? translate(context, *record) : renew(context, *record);
    if (found == result::accepted) found = verify(context, *record);
  }
  if (record) unlist_addresses(context, *record);
  context.spend(found == result::accepted ? costs_.setup : costs_.refusal);
  context.answer(static_cast<word_t>(found));
  if (found == result::accepted) {
    begin(context, *record);
  } else if (record) {
    free_state_record(context, *record);
  }
}

/// Replaces the virtual addresses by those that a shadow mapping would have named.
block_transfer_result block_transfer_protocol::translate(handler_context& context,
                                                         transfer_record& record) const {
  // Translations of a sequence that is refused anyway would be asked for in vain.
  const word_t broken = record.get(transfer_field::broken);
  if (broken != 0) return static_cast<result>(broken);
  const std::uint64_t length = record.get(transfer_field::length);
  const std::uint64_t named = record.get(transfer_field::named);
  if (length == 0 && named == 1) {
    record.set(transfer_field::written, 1);
    return translate_pages(context, record, 0, 0, 1);
  }
  if (named != 3) return result::bad_sequence;
  record.set(transfer_field::written, 3);
  const std::uint64_t page = config_.page_bytes;
  const std::uint64_t most_pages = command::pages_allowed(storage_.line);
  if (length == 0 || length > most_pages * page) return result::bad_length;
  const std::uint64_t from = command::pages(record.logged(0), length, page);
  const std::uint64_t to = command::pages(record.logged(1), length, page);
  if (from > most_pages || to > most_pages) return result::bad_length;
  record.set(transfer_field::written, 1 + from + to);
  const result source = translate_pages(context, record, 0, 3, from);
  if (source != result::accepted) return source;
  const result destination = translate_pages(context, record, 1, 2 + from, to);
  return destination == result::accepted ? translate_pages(context, record, 2, 0, 1) : destination;
}

// `first` and `further` are places among the addresses that were logged. Only the source is read
// and not written.
block_transfer_result block_transfer_protocol::translate_pages(handler_context& context,
                                                               transfer_record& record,
                                                               std::uint64_t first,
                                                               std::uint64_t further,
                                                               std::uint64_t pages) const {
  const bool writes = first != 0 || record.get(transfer_field::length) == 0;
  std::uint64_t address = record.logged(first);
  for (std::uint64_t i = 0; i < pages; ++i) {
    const std::uint64_t number = i == 0 ? first : further + i - 1;
    const result found = translate_address(context, record, address, number, writes);
    if (found != result::accepted) return found;
    address = address - address % config_.page_bytes + config_.page_bytes;
  }
  return result::accepted;
}

/// Logs where a virtual address lies as the record's address `number`.
block_transfer_result block_transfer_protocol::translate_address(handler_context& context,
                                                                 transfer_record& record,
                                                                 std::uint64_t virtual_address,
                                                                 std::uint64_t number,
                                                                 bool writes) const {
  const translation_lookup found =
      kernel_->translate(context, virtual_address, context.arrived().process, writes);
  if (found.result == translated::missing) return result::no_translation;
  if (found.result == translated::refused) return result::no_access;
  record.set_logged(number, found.page.address);
  return result::accepted;
}

block_transfer_result block_transfer_protocol::verify(handler_context& context,
                                                      const transfer_record& record) const {
  if (is_flag_alone(record)) {
    return is_flag(context, record.logged(0)) ? result::accepted : result::bad_flag;
  }
  const result form = verify_form(record);
  if (form != result::accepted) return form;
  const result pages = verify_pages(context, record);
  if (pages != result::accepted) return pages;
  if (!is_flag(context, record.logged(2))) return result::bad_flag;
  const bool is_busy =
      !context.is_local(record.logged(0)) && word_at(context, transfer_storage::delegations) != 0;
  return is_busy ? result::busy : result::accepted;
}

block_transfer_result block_transfer_protocol::verify_form(const transfer_record& record) const {
  const word_t broken = record.get(transfer_field::broken);
  if (broken != 0) return static_cast<result>(broken);
  const std::uint64_t length = record.get(transfer_field::length);
  const std::uint64_t page = config_.page_bytes;
  const std::uint64_t most_pages = command::pages_allowed(storage_.line);
  if (length == 0 || storage_.line.offset(length) != 0 || length > most_pages * page) {
    return result::bad_length;
  }
  const std::uint64_t count = record.get(transfer_field::written);
  if (count < 3) return result::bad_sequence;
  const std::uint64_t source = record.logged(0);
  const std::uint64_t destination = record.logged(1);
  if (source % 8 != 0 || storage_.line.offset(destination) != 0) return result::bad_alignment;
  const std::uint64_t from = command::pages(source, length, page);
  const std::uint64_t to = command::pages(destination, length, page);
  if (from > most_pages || to > most_pages) return result::bad_length;
  return count == 1 + from + to ? result::accepted : result::bad_sequence;
}

block_transfer_result block_transfer_protocol::verify_pages(handler_context& context,
                                                            const transfer_record& record) const {
  const address_layout& layout = context.addresses();
  if (layout.node_of(record.logged(0)) == layout.node_of(record.logged(1))) {
    return result::same_node;
  }
  const std::uint64_t from =
      command::pages(record.logged(0), record.get(transfer_field::length), config_.page_bytes);
  const result source = verify_buffer(context, record, 0, 3);
  return source == result::accepted ? verify_buffer(context, record, 1, 2 + from) : source;
}

// `first` and `further` are places among the addresses that were logged.
block_transfer_result block_transfer_protocol::verify_buffer(handler_context& context,
                                                             const transfer_record& record,
                                                             std::uint64_t first,
                                                             std::uint64_t further) const {
  const std::uint64_t page = config_.page_bytes;
  std::uint64_t left = record.get(transfer_field::length);
  std::uint64_t address = record.logged(first);
  const node_id home = context.addresses().node_of(address);
  for (;;) {
    const std::uint64_t here = std::min(left, page - address % page);
    if (context.addresses().node_of(address) != home) return result::bad_range;
    if (!in_range(context, address, here)) return result::bad_range;
    left -= here;
    if (left == 0) return result::accepted;
    address = record.logged(further++);
    if (address % page != 0) return result::bad_alignment;
  }
}

bool block_transfer_protocol::in_range(handler_context& context, std::uint64_t address,
                                       std::uint64_t bytes) const {
  const address_layout& layout = context.addresses();
  const std::uint64_t end = config_.user_bytes != 0 ? config_.user_bytes : layout.bytes_a_node();
  return index(layout.node_of(address)) < storage_.nodes &&
         layout.offset_of(address) + bytes <= end;
}

bool block_transfer_protocol::is_flag(handler_context& context, std::uint64_t address) const {
  const bool is_reached = context.is_local(address) || ownership_.reaches_others();
  return is_reached && address % 8 == 0 && in_range(context, address, 8);
}

void block_transfer_protocol::begin(handler_context& context, transfer_record& record) {
  set_word_at(context, transfer_storage::under_way,
              word_at(context, transfer_storage::under_way) + 1);
  if (kernel_ != nullptr) kernel_->held().begin(context);
  if (is_flag_alone(record)) {
    record.set_logged(2, record.logged(0));
    record.set_phase(transfer_phase::completing);
    defer(context, record, place::flag_update);
    return;
  }
  if (context.is_local(record.logged(0))) {
    send_envelope(context, record);
    return;
  }
  set_word_at(context, transfer_storage::delegations, 1);
  record.set_phase(transfer_phase::delegating);
  defer(context, record, place::delegate);
}

}  // namespace tributary
