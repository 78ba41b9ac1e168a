// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/handler_context.h>

namespace tributary {
namespace {

handler_request asking(handler_operation operation) {
  handler_request made;
  made.operation = operation;
  return made;
}

handler_request asking(handler_operation operation, payload_handle data, std::uint64_t number = 0) {
  handler_request made = asking(operation);
  made.data = data;
  made.number = number;
  return made;
}

}  // namespace

handler_answer handler_context::asked(handler_request& what) {
  what.spent = spent_;
  return ask(what);
}

cycle_t handler_context::now() {
  handler_request what = asking(handler_operation::look);
  return asked(what).at;
}

std::uint64_t handler_context::space(message_lane over) {
  handler_request what = asking(handler_operation::space);
  what.number = static_cast<std::uint64_t>(over);
  return asked(what).value;
}

void handler_context::send(message what) {
  handler_request sent = asking(handler_operation::send);
  what.source = here_;
  sent.what = what;
  sent.data = what.data;
  asked(sent);
}

void handler_context::answer(std::uint8_t tag, word_t value) {
  handler_request what = asking(handler_operation::answer);
  what.number = tag;
  what.value = value;
  asked(what);
}

std::uint8_t handler_context::keep_read() {
  handler_request what = asking(handler_operation::keep_read);
  return static_cast<std::uint8_t>(asked(what).value);
}

std::optional<payload_handle> handler_context::allocate() {
  handler_request what = asking(handler_operation::allocate);
  const payload_handle found = asked(what).data;
  if (found == no_payload) return std::nullopt;
  return found;
}

void handler_context::retain(payload_handle data) {
  handler_request what = asking(handler_operation::retain, data);
  asked(what);
}

void handler_context::release(payload_handle data) {
  handler_request what = asking(handler_operation::release, data);
  asked(what);
}

word_t handler_context::word(payload_handle data, std::uint64_t which) {
  handler_request what = asking(handler_operation::word, data, which);
  return asked(what).value;
}

void handler_context::set_word(payload_handle data, std::uint64_t which, word_t value) {
  handler_request what = asking(handler_operation::set_word, data, which);
  what.value = value;
  asked(what);
}

void handler_context::fill(payload_handle data, std::uint64_t line) {
  handler_request what = asking(handler_operation::fill, data);
  what.address = line;
  asked(what);
}

void handler_context::fill_realigned(payload_handle first, payload_handle second,
                                     std::uint64_t offset, std::uint64_t line) {
  handler_request what = asking(handler_operation::fill_realigned, first, offset);
  what.second = second;
  what.address = line;
  asked(what);
}

void handler_context::spill(payload_handle data, std::uint64_t line) {
  handler_request what = asking(handler_operation::spill, data);
  what.address = line;
  asked(what);
}

void handler_context::spill_word(payload_handle data, std::uint64_t which, std::uint64_t address) {
  handler_request what = asking(handler_operation::spill_word, data, which);
  what.address = address;
  asked(what);
}

void handler_context::settle() {
  handler_request what = asking(handler_operation::settle);
  asked(what);
}

word_t handler_context::load(std::uint64_t address) {
  handler_request what = asking(handler_operation::load);
  what.address = address;
  return asked(what).value;
}

void handler_context::store(std::uint64_t address, word_t value) {
  handler_request what = asking(handler_operation::store);
  what.address = address;
  what.value = value;
  asked(what);
}

void handler_context::later(std::uint64_t record, handler_id run, const message& with) {
  handler_request what = asking(handler_operation::later);
  what.address = record;
  what.run = run;
  what.what = with;
  asked(what);
}

void handler_context::again(const message& with) {
  handler_request what = asking(handler_operation::again);
  what.what = with;
  asked(what);
}

void handler_context::done() {
  handler_request what = asking(handler_operation::done);
  asked(what);
}

void handler_context::after(std::uint64_t cycles, handler_id run, const message& with) {
  handler_request what = asking(handler_operation::after);
  what.number = cycles;
  what.run = run;
  what.what = with;
  asked(what);
}

}  // namespace tributary
