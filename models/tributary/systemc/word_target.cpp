// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/word_target.h>

#include <algorithm>
#include <cstring>

namespace tributary {

word_target::word_target(event_driven_module& owner, processor_port& port, agenda& clock)
    : owner_(owner), port_(port), clock_(clock) {}

word_target::~word_target() = default;

void word_target::serve(tlm::tlm_bw_transport_if<>& initiator, sc_core::sc_event& again) {
  initiator_ = &initiator;
  connect(initiator, again);
  port_.set_client(this);
}

bool word_target::idle() const { return waiting_.empty() && asked_ == 0 && responses_.idle(); }

access word_target::access_of(const tlm::tlm_generic_payload& payload) {
  access asked;
  asked.address = payload.get_address();
  if (payload.is_read()) return asked;
  word_t value = 0;
  std::memcpy(&value, payload.get_data_ptr(), word_bytes);
  return posted_store(asked.address, value);
}

tlm::tlm_response_status word_target::check(const tlm::tlm_generic_payload& payload) const {
  if (!payload.is_read() && !payload.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (lacks_streaming_width(payload)) warn_of_streaming_width(no_streaming_width_, socket_name());
  if (payload.get_data_length() != word_bytes || streaming_width_of(payload) < word_bytes ||
      payload.get_address() % word_bytes != 0) {
    return tlm::TLM_BURST_ERROR_RESPONSE;
  }
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (payload.get_data_ptr() == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  return check_place(access_of(payload));
}

void word_target::enqueue(tlm::tlm_generic_payload& payload, blocked* thread,
                          const sc_core::sc_time& delay) {
  const transaction entry{&payload, thread, owner_.first_after(delay), false};
  const auto behind =
      std::upper_bound(waiting_.begin(), waiting_.end(), entry,
                       [](const transaction& a, const transaction& b) { return a.due < b.due; });
  waiting_.insert(behind, entry);
  clock_.wake(*this, entry.due, 0, wake_rank::processor);
  owner_.look();
}

void word_target::issue(cycle_t now) {
  while (!waiting_.empty() && waiting_.front().due <= now && has_tag() && port_.can_take(0)) {
    const transaction next = waiting_.front();
    waiting_.pop_front();
    access asked = access_of(*next.payload);
    while (by_tag_[asked.tag].asked) ++asked.tag;
    by_tag_[asked.tag] = next;
    by_tag_[asked.tag].asked = true;
    port_.offer(0, asked, now);
    ++asked_;
    if (next.thread != nullptr) continue;
    requesting_ = nullptr;
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    initiator_->nb_transport_bw(*next.payload, phase, delay);
  }
}

void word_target::completed(const completion& ended, cycle_t now) {
  const transaction done = by_tag_[ended.tag];
  const bool tags_ran_out = !has_tag();
  by_tag_[ended.tag] = {};
  --asked_;
  if (done.payload != nullptr) respond(done, ended.value);  // else its thread was killed
  if (tags_ran_out) issue(now);
}

void word_target::respond(const transaction& done, word_t value) {
  if (done.payload->is_read()) {
    std::memcpy(done.payload->get_data_ptr(), &value, word_bytes);
  }
  done.payload->set_response_status(tlm::TLM_OK_RESPONSE);
  end(*done.payload, done.thread);
}

void word_target::forget(const blocked& thread) {
  const auto is_its = [&](const transaction& each) { return each.thread == &thread; };
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), is_its), waiting_.end());
  for (transaction& each : by_tag_) {
    if (!is_its(each)) continue;
    each = {};
    each.asked = true;  // its tag comes back
  }
}

}  // namespace tributary
