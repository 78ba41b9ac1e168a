// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/end_response_queue.h>

namespace tributary {

end_response_queue::end_response_queue(const sc_core::sc_module_name& name) : sc_module(name) {
  SC_METHOD(call);
  sensitive << due_;
  dont_initialize();
}

void end_response_queue::add(tlm::tlm_fw_transport_if<>& target, tlm::tlm_generic_payload& payload,
                             std::uint64_t when) {
  payload.acquire();
  responses_.insert({when, {&target, &payload}});
  await_next();
}

void end_response_queue::call() {
  const std::uint64_t now = sc_core::sc_time_stamp().value();
  while (!responses_.empty() && responses_.begin()->first <= now) {
    const response ended = responses_.begin()->second;
    responses_.erase(responses_.begin());
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    ended.target->nb_transport_fw(*ended.payload, phase, delay);
    ended.payload->release();
  }
  if (!responses_.empty()) await_next();
}

void end_response_queue::await_next() {
  const std::uint64_t now = sc_core::sc_time_stamp().value();
  due_.notify(sc_core::sc_time::from_value(responses_.begin()->first - now));
}

}  // namespace tributary
