// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/bus_target.h>

#include <algorithm>
#include <cstring>

#include <tributary/systemc/fetch_op.h>

namespace tributary {
namespace {

using action = uncached_access::action;

/// Whether the byte at an offset of the data is one that moves.
bool is_enabled(const tlm::tlm_generic_payload& payload, unsigned at) {
  const unsigned char* const enables = payload.get_byte_enable_ptr();
  return enables == nullptr || enables[at % payload.get_byte_enable_length()] == TLM_BYTE_ENABLED;
}

tlm::tlm_response_status check_enables(const tlm::tlm_generic_payload& payload) {
  const unsigned char* const enables = payload.get_byte_enable_ptr();
  if (enables == nullptr) return tlm::TLM_OK_RESPONSE;
  const unsigned length = payload.get_byte_enable_length();
  const bool usable = length != 0 && std::all_of(enables, enables + length, [](unsigned char each) {
                        return each == TLM_BYTE_ENABLED || each == TLM_BYTE_DISABLED;
                      });
  return usable ? tlm::TLM_OK_RESPONSE : tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
}

const fetch_op* operation_of(const tlm::tlm_generic_payload& payload) {
  return payload.is_read() || payload.is_write() ? nullptr : payload.get_extension<fetch_op>();
}

}  // namespace

bus_target::bus_target(event_driven_module& owner, socket& at, agenda& clock, snooping_bus& bus,
                       uncached_master& master)
    : owner_(owner),
      socket_(at),
      clock_(clock),
      bus_(bus),
      master_(master),
      line_(bus.config().line()) {
  socket_.bind(*this);
  master_.set_client(*this);
}

bus_target::~bus_target() = default;

void bus_target::serve(sc_core::sc_event& again) {
  if (socket_.get_base_port().size() != 0) connect(*socket_.operator->(), again);
}

tlm::tlm_response_status bus_target::check(const tlm::tlm_generic_payload& payload) const {
  if (operation_of(payload) != nullptr) {
    const tlm::tlm_response_status status = fetch_op_status(payload);
    if (status != tlm::TLM_OK_RESPONSE) return status;
    return bus_.memory_at().contains(payload.get_address()) ? tlm::TLM_OK_RESPONSE
                                                            : tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  if (!payload.is_read() && !payload.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (payload.get_extension<fetch_op>() != nullptr) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (lacks_streaming_width(payload)) warn_of_streaming_width(no_streaming_width_, socket_name());
  if (payload.get_data_length() == 0 || streaming_width_of(payload) < payload.get_data_length()) {
    return tlm::TLM_BURST_ERROR_RESPONSE;
  }
  if (payload.get_data_ptr() == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  const tlm::tlm_response_status enables = check_enables(payload);
  return enables == tlm::TLM_OK_RESPONSE ? check_place(payload) : enables;
}

tlm::tlm_response_status bus_target::check_place(const tlm::tlm_generic_payload& payload) const {
  const std::uint64_t address = payload.get_address();
  const std::uint64_t last = address + payload.get_data_length() - 1;
  const bus_range& memory = bus_.memory_at();
  if (memory.contains(address) && memory.contains(last)) return tlm::TLM_OK_RESPONSE;
  if (!bus_.has_device_word(address - address % word_bytes)) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (address % word_bytes != 0 || payload.get_data_length() != word_bytes) {
    return tlm::TLM_BURST_ERROR_RESPONSE;
  }
  return payload.get_byte_enable_ptr() == nullptr ? tlm::TLM_OK_RESPONSE
                                                  : tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
}

void bus_target::enqueue(tlm::tlm_generic_payload& payload, blocked* thread,
                         const sc_core::sc_time& delay) {
  transaction entry;
  entry.payload = &payload;
  entry.thread = thread;
  entry.due = owner_.first_after(delay);
  entry.length = payload.get_data_length();
  open_.push_back(entry);
  const auto behind =
      std::upper_bound(waiting_.begin(), waiting_.end(), entry.due,
                       [](cycle_t due, const transaction* each) { return due < each->due; });
  waiting_.insert(behind, &open_.back());
  clock_.wake(*this, entry.due, 0, wake_rank::processor);
  owner_.look();
}

void bus_target::issue(cycle_t now) {
  while (!waiting_.empty() && waiting_.front()->due <= now) {
    transaction& next = *waiting_.front();
    while (next.begun < next.length) {
      if (!begin_piece(next, now)) return;
    }
    waiting_.pop_front();
    if (next.thread == nullptr) end_request(next);
    end_if_over(next);
  }
}

bool bus_target::begin_piece(transaction& next, cycle_t now) {
  if (!master_.can_take()) return false;
  const tlm::tlm_generic_payload& payload = *next.payload;
  piece about;
  about.of = &next;
  about.from = next.begun;
  about.address = payload.get_address() + next.begun;
  about.bytes = static_cast<unsigned>(std::min<std::uint64_t>(
      line_.bytes() - line_.offset(about.address), next.length - next.begun));
  next.begun += about.bytes;
  bool moves = false;
  for (unsigned i = 0; i < about.bytes && !moves; ++i) moves = is_enabled(payload, about.from + i);
  if (!moves) return true;
  uncached_access asked = access_of(payload, about);
  while (by_tag_[asked.tag].of != nullptr) ++asked.tag;
  by_tag_[asked.tag] = about;
  ++next.pieces;
  master_.offer(asked, now);
  return true;
}

uncached_access bus_target::access_of(const tlm::tlm_generic_payload& payload,
                                      const piece& about) const {
  uncached_access asked;
  asked.address = about.address - about.address % word_bytes;
  if (const fetch_op* const operation = operation_of(payload)) {
    asked.does = action::operation;
    asked.function = operation->function();
    return asked;
  }
  const std::size_t in_line = line_.offset(about.address);
  if (payload.is_read()) {
    const std::size_t last = line_.word(about.address + about.bytes - 1);
    for (std::size_t i = line_.word(about.address); i <= last; ++i) asked.wanted |= 1U << i;
    return asked;
  }
  asked.does = action::write;
  auto* const words = reinterpret_cast<unsigned char*>(asked.words.data()) + in_line;
  auto* const mask = reinterpret_cast<unsigned char*>(asked.mask.data()) + in_line;
  std::memcpy(words, payload.get_data_ptr() + about.from, about.bytes);
  for (unsigned i = 0; i < about.bytes; ++i) {
    mask[i] = is_enabled(payload, about.from + i) ? 0xff : 0;
  }
  return asked;
}

void bus_target::take_words(const uncached_answer& answer, const piece& about, line_size line) {
  tlm::tlm_generic_payload& payload = *about.of->payload;
  if (operation_of(payload) != nullptr) {
    const word_t old = answer.words[line.word(about.address)];
    payload.get_extension<fetch_op>()->answer(old);
    std::memcpy(payload.get_data_ptr(), &old, word_bytes);
    return;
  }
  if (!payload.is_read()) return;
  const auto* const words =
      reinterpret_cast<const unsigned char*>(answer.words.data()) + line.offset(about.address);
  unsigned char* const data = payload.get_data_ptr() + about.from;
  for (unsigned i = 0; i < about.bytes; ++i) {
    if (is_enabled(payload, about.from + i)) data[i] = words[i];
  }
}

void bus_target::answered(const uncached_answer& answer, cycle_t now) {
  const piece about = by_tag_[answer.tag];
  by_tag_[answer.tag] = {};
  transaction& of = *about.of;
  --of.pieces;
  of.refused = of.refused || answer.refused;
  if (!answer.refused && of.payload != nullptr) take_words(answer, about, line_);
  end_if_over(of);
  issue(now);
}

void bus_target::end_request(transaction& begun) {
  requesting_ = nullptr;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket_->nb_transport_bw(*begun.payload, phase, delay);
}

void bus_target::end_if_over(transaction& over) {
  if (over.begun < over.length || over.pieces != 0) return;
  tlm::tlm_generic_payload* const payload = over.payload;
  blocked* const thread = over.thread;
  const bool refused = over.refused;
  open_.remove_if([&](const transaction& each) { return &each == &over; });
  if (payload == nullptr) return;  // its thread was killed
  payload->set_response_status(refused ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
  end(*payload, thread);
}

void bus_target::forget(const blocked& thread) {
  for (transaction& each : open_) {
    if (each.thread != &thread) continue;
    waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), &each), waiting_.end());
    each.payload = nullptr;
    each.begun = each.length;
    end_if_over(each);
    return;
  }
}

unsigned bus_target::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!payload.is_read() && !payload.is_write()) return 0;
  if (!has_debug_data(socket_name(), payload)) return 0;
  unsigned char* const data = payload.get_data_ptr();
  // Who watches a word is told in a cycle that has not begun.
  const cycle_t next = owner_.now() + 1;
  unsigned done = 0;
  while (done < payload.get_data_length()) {
    const std::uint64_t address = payload.get_address() + done;
    if (!bus_.memory_at().contains(address)) break;
    const std::uint64_t in_word = address % word_bytes;
    const auto count = static_cast<unsigned>(
        std::min<std::uint64_t>(word_bytes - in_word, payload.get_data_length() - done));
    word_t word = bus_.peek(address - in_word);
    auto* const bytes = reinterpret_cast<unsigned char*>(&word) + in_word;
    if (payload.is_read()) {
      std::memcpy(data + done, bytes, count);
    } else {
      std::memcpy(bytes, data + done, count);
      bus_.poke(address - in_word, word, next);
    }
    done += count;
  }
  if (payload.is_write()) owner_.look();
  return done;
}

}  // namespace tributary
