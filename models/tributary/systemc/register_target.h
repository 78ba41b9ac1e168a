// SPDX-License-Identifier: Apache-2.0
// The socket of a message interface by which any TLM-2.0 initiator reaches its registers.
#pragma once

#include <tributary/memory/port.h>
#include <tributary/systemc/systemc.h>
#include <tributary/systemc/word_target.h>

namespace tributary {

class message_interface_module;

/// By nb_transport, accesses take the time that they take for a processor in the plain loop. By
/// b_transport they have their effect in the call, and `delay` grows by that time. Refused are, in
/// addition to what `word_target` refuses, offsets without a register (address error), reads of
/// registers that are only written and writes of those that are only read (command error). Debug
/// reads see registers that can be read without an effect.
class register_target final : public word_target {
 public:
  /// `owner` has the interface and the socket.
  explicit register_target(message_interface_module& owner);
  ~register_target() override;

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;

 private:
  const char* socket_name() const override;
  tlm::tlm_response_status check_place(const access& asked) const override;

  message_interface_module& owner_;
};

}  // namespace tributary
