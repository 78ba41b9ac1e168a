// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/engine_initiator.h>

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include <tributary/systemc/message_interface_module.h>

namespace tributary {

bool engine_initiator::take(asked_word& own) const {
  if (!own.is_there || own.from > owner_.now()) return false;
  own.is_there = false;
  return true;
}

bool engine_initiator::read(memory_user user, std::uint64_t offset, word_t& word) {
  asked_word& own = asked_[static_cast<std::size_t>(user)];
  if (own.payload == nullptr && !own.is_there) {
    ask(own, payloads_.acquire_word(tlm::TLM_READ_COMMAND, owner_.address_of(offset)));
  }
  if (!take(own)) return false;
  word = own.word;
  return true;
}

bool engine_initiator::write(memory_user user, std::uint64_t offset, word_t word,
                             std::uint64_t bytes) {
  asked_word& own = asked_[static_cast<std::size_t>(user)];
  if (own.payload == nullptr && !own.is_there) {
    tlm::tlm_generic_payload& payload =
        payloads_.acquire_word(tlm::TLM_WRITE_COMMAND, owner_.address_of(offset), word);
    const auto length = static_cast<unsigned>(std::min<std::uint64_t>(bytes, word_bytes));
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    ask(own, payload);
  }
  return take(own);
}

void engine_initiator::ask(asked_word& own, tlm::tlm_generic_payload& payload) {
  own.payload = &payload;
  ++under_way_;
  if (requesting_ == nullptr && waiting_.empty()) {
    calling_ = &payload;
    send(payload);
    calling_ = nullptr;
  } else {
    waiting_.push(&payload);
  }
}

void engine_initiator::send(tlm::tlm_generic_payload& payload) {
  const std::uint64_t now = sc_core::sc_time_stamp().value();
  begin(*owner_.memory.operator->(), payload,
        sc_core::sc_time::from_value(std::max(free_from_, now) - now));
}

void engine_initiator::resume() {
  while (requesting_ == nullptr && !waiting_.empty()) {
    tlm::tlm_generic_payload& next = *waiting_.front();
    waiting_.pop();
    send(next);
  }
}

const char* engine_initiator::socket_name() const { return owner_.memory.name(); }

void engine_initiator::request_ended(const sc_core::sc_time& delay) {
  free_from_ = (sc_core::sc_time_stamp() + delay).value();
  if (!waiting_.empty()) owner_.resume_soon();
}

void engine_initiator::message_ended(tlm::tlm_generic_payload& payload,
                                     const sc_core::sc_time& delay) {
  const auto own = std::find_if(asked_.begin(), asked_.end(),
                                [&](const asked_word& each) { return each.payload == &payload; });
  own->payload = nullptr;
  own->is_there = true;
  own->word = payload_pool::word_of(payload);
  --under_way_;
  const bool at_once = calling_ == &payload && delay == sc_core::SC_ZERO_TIME;
  own->from = at_once ? owner_.now() : owner_.first_after(delay);
  if (payload.is_response_error()) {
    owner_.memory_failed(fmt::format("memory answers with {} at {:#x}",
                                     payload.get_response_string(), payload.get_address()));
  }
  payload.release();
  if (!at_once) owner_.word_moves(static_cast<memory_user>(own - asked_.begin()), own->from);
}

}  // namespace tributary
