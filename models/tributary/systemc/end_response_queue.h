// SPDX-License-Identifier: Apache-2.0
// The END_RESP of an initiator that ends each response by a call of its own.
#pragma once

#include <cstdint>
#include <map>

#include <tributary/systemc/systemc.h>

namespace tributary {

/// Calls END_RESP from a process of its own, never from within the call of BEGIN_RESP
/// (IEEE 1666-2011, 15.2.4).
class end_response_queue : public sc_core::sc_module {
 public:
  explicit end_response_queue(const sc_core::sc_module_name& name);

  /// `target` gets the END_RESP of `payload` at time `when`, in units of the resolution and not in
  /// the past. The payload is held until then.
  void add(tlm::tlm_fw_transport_if<>& target, tlm::tlm_generic_payload& payload,
           std::uint64_t when);

  const char* kind() const override { return "tributary::end_response_queue"; }

 private:
  TRIBUTARY_HAS_PROCESS(end_response_queue);
  struct response {
    tlm::tlm_fw_transport_if<>* target;
    tlm::tlm_generic_payload* payload;
  };

  void call();
  void await_next();

  std::multimap<std::uint64_t, response> responses_;  // by time
  sc_core::sc_event due_{"due"};
};

}  // namespace tributary
