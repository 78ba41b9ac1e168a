// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/blocking_target_end.h>

#include <tributary/sim/on_exit.h>

namespace tributary {

tlm::tlm_sync_enum blocking_target_end::begin_request(tlm::tlm_generic_payload& payload,
                                                      tlm::tlm_phase& /*phase*/,
                                                      sc_core::sc_time& delay) {
  requesting_ = &payload;
  enqueue(payload, nullptr, delay);
  return tlm::TLM_ACCEPTED;
}

void blocking_target_end::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const tlm::tlm_response_status status = check(payload);
  if (status != tlm::TLM_OK_RESPONSE) {
    payload.set_response_status(status);
    return;
  }
  blocked waiting;
  const on_exit leaves([&] { forget(waiting); });
  enqueue(payload, &waiting, delay);
  while (!waiting.is_done) sc_core::wait(waiting.done);
  delay = sc_core::SC_ZERO_TIME;
}

void blocking_target_end::end(tlm::tlm_generic_payload& payload, blocked* thread) {
  if (thread == nullptr) {
    responses_.respond(payload, sc_core::sc_time_stamp().value());
  } else {
    thread->end();
  }
}

}  // namespace tributary
