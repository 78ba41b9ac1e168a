// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/processor_target.h>

#include <algorithm>
#include <cstring>

#include <tributary/sim/error.h>
#include <tributary/systemc/magic_node_module.h>

namespace tributary {

/// What a thread in b_transport is waiting with, forgotten if the thread is killed.
class processor_target::blocked_thread {
 public:
  explicit blocked_thread(processor_target& target) : target_(target) {}
  blocked_thread(const blocked_thread&) = delete;
  blocked_thread& operator=(const blocked_thread&) = delete;
  ~blocked_thread() { target_.forget(state); }

  blocked state;

 private:
  processor_target& target_;
};

processor_target::processor_target(magic_node_module& owner) : owner_(owner) {}

processor_target::~processor_target() = default;

void processor_target::serve(tlm::tlm_bw_transport_if<>& initiator, sc_core::sc_event& again) {
  connect(initiator, again);
  owner_.core_->processor().set_client(this);
}

bool processor_target::idle() const { return waiting_.empty() && asked_ == 0 && responses_.idle(); }

tlm::tlm_response_status processor_target::check(const tlm::tlm_generic_payload& payload) const {
  if (!payload.is_read() && !payload.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (lacks_streaming_width(payload)) warn_of_streaming_width(no_streaming_width_, socket_name());
  if (payload.get_data_length() != word_bytes || streaming_width_of(payload) < word_bytes ||
      payload.get_address() % word_bytes != 0) {
    return tlm::TLM_BURST_ERROR_RESPONSE;
  }
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (payload.get_data_ptr() == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  access asked;
  asked.address = payload.get_address();
  if (payload.is_write()) asked = posted_store(asked.address, 0);
  try {
    static_cast<void>(owner_.core_->processor().translate(asked));
  } catch (const simulation_error&) {
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  return tlm::TLM_OK_RESPONSE;
}

void processor_target::enqueue(const transaction& entry) {
  const auto behind =
      std::upper_bound(waiting_.begin(), waiting_.end(), entry,
                       [](const transaction& a, const transaction& b) { return a.due < b.due; });
  waiting_.insert(behind, entry);
  owner_.core_->clockwork().wake(*this, entry.due, 0, wake_rank::processor);
  owner_.look();
}

void processor_target::issue(cycle_t now) {
  processor_interface& port = owner_.core_->processor();
  while (!waiting_.empty() && waiting_.front().due <= now && port.can_take()) {
    const transaction next = waiting_.front();
    waiting_.pop_front();
    access asked;
    asked.address = next.payload->get_address();
    if (next.payload->is_write()) {
      word_t value = 0;
      std::memcpy(&value, next.payload->get_data_ptr(), word_bytes);
      asked = posted_store(asked.address, value);
    }
    while (by_tag_[asked.tag].asked) ++asked.tag;
    by_tag_[asked.tag] = next;
    by_tag_[asked.tag].asked = true;
    port.offer(0, asked, now);
    ++asked_;
    if (next.thread != nullptr) continue;
    requesting_ = nullptr;
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    owner_.processor->nb_transport_bw(*next.payload, phase, delay);
  }
}

void processor_target::completed(const completion& ended, cycle_t) {
  const transaction done = by_tag_[ended.tag];
  by_tag_[ended.tag] = {};
  --asked_;
  if (done.payload == nullptr) return;  // its thread was killed
  if (done.payload->is_read()) {
    std::memcpy(done.payload->get_data_ptr(), &ended.value, word_bytes);
  }
  done.payload->set_response_status(tlm::TLM_OK_RESPONSE);
  if (done.thread == nullptr) {
    responses_.respond(*done.payload, sc_core::sc_time_stamp().value());
  } else {
    done.thread->is_done = true;
    done.thread->done.notify();
  }
}

void processor_target::forget(const blocked& thread) {
  const auto is_its = [&](const transaction& each) { return each.thread == &thread; };
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), is_its), waiting_.end());
  for (transaction& each : by_tag_) {
    if (!is_its(each)) continue;
    each = {};
    each.asked = true;  // its tag comes back
  }
}

// Transport.

const char* processor_target::socket_name() const { return owner_.processor.name(); }

tlm::tlm_sync_enum processor_target::begin_request(tlm::tlm_generic_payload& payload,
                                                   tlm::tlm_phase&, sc_core::sc_time& delay) {
  requesting_ = &payload;
  enqueue({&payload, nullptr, owner_.first_after(delay)});
  return tlm::TLM_ACCEPTED;
}

void processor_target::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const tlm::tlm_response_status status = check(payload);
  if (status != tlm::TLM_OK_RESPONSE) {
    payload.set_response_status(status);
    return;
  }
  blocked_thread waiting(*this);
  enqueue({&payload, &waiting.state, owner_.first_after(delay)});
  while (!waiting.state.is_done) sc_core::wait(waiting.state.done);
  delay = sc_core::SC_ZERO_TIME;
}

unsigned processor_target::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!payload.is_read() && !payload.is_write()) return 0;
  if (!has_debug_data(socket_name(), payload)) return 0;
  const address_layout& layout = owner_.core_->config().addresses;
  word_memory& memory = owner_.core_->memory();
  unsigned char* const data = payload.get_data_ptr();
  unsigned done = 0;
  while (done < payload.get_data_length()) {
    const std::uint64_t address = payload.get_address() + done;
    const std::uint64_t in_word = address % word_bytes;
    access asked;
    asked.address = address - in_word;
    message where;
    try {
      where = owner_.core_->processor().translate(asked);
    } catch (const simulation_error&) {
      break;
    }
    const std::uint64_t offset = layout.offset_of(where.address);
    if (layout.space_of(where.address) != 0 ||
        layout.node_of(where.address) != owner_.place().here ||
        offset >= owner_.core_->config().memory.bytes) {
      break;
    }
    const auto count = static_cast<unsigned>(
        std::min<std::uint64_t>(word_bytes - in_word, payload.get_data_length() - done));
    word_t word = memory.read(offset);
    auto* const bytes = reinterpret_cast<unsigned char*>(&word) + in_word;
    if (payload.is_read()) {
      std::memcpy(data + done, bytes, count);
    } else {
      std::memcpy(bytes, data + done, count);
      memory.write(offset, word);
    }
    done += count;
  }
  return done;
}

}  // namespace tributary
