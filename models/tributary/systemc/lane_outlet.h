// SPDX-License-Identifier: Apache-2.0
// Messages that leave a module by the socket of one lane.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <tributary/sim/fifo.h>
#include <tributary/systemc/network_transfer_extension.h>
#include <tributary/systemc/socket_ends.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// A copy of what a message carries, into a payload that has carried others: allocates only what it
/// has not yet had.
inline void copy_message(const tlm::tlm_generic_payload& from, tlm::tlm_generic_payload& to) {
  to.set_address(from.get_address());
  to.set_streaming_width(std::max(from.get_streaming_width(), 1U));
  for (unsigned i = 0; i < tlm::max_num_extensions(); ++i) {
    const tlm::tlm_extension_base* const carried = from.get_extension(i);
    tlm::tlm_extension_base* const old = to.get_extension(i);
    if (carried != nullptr && old != nullptr) {
      old->copy_from(*carried);
    } else if (carried != nullptr) {
      to.set_extension(i, carried->clone());
    } else if (old != nullptr) {
      to.set_extension(i, nullptr);
      old->free();
    }
  }
}

/// Gives a lane's messages to its target in the order of `send`, each once the request before has
/// ended, and lets go of their payloads.
class lane_outlet : public initiator_end {
 public:
  /// `again` is notified when `resume` has to be called, from a process. Both must outlive it.
  lane_outlet(tlm::tlm_initiator_socket<>& socket, sc_core::sc_event& again)
      : socket_(socket), again_(again) {
    socket_.bind(*this);
  }

  /// BEGIN_REQ is at time `when`, in units of the resolution, or as soon after as it may be.
  void send(tlm::tlm_generic_payload& payload, std::uint64_t when) {
    waiting_.push({&payload, when});
    resume();
  }

  /// Begins what can begin.
  void resume() {
    if (requesting_ != nullptr || waiting_.empty()) return;
    const request next = waiting_.front();
    waiting_.pop();
    const std::uint64_t now = sc_core::sc_time_stamp().value();
    const std::uint64_t when = std::max({next.when, free_from_, now});
    begin(*socket_.operator->(), *next.payload, sc_core::sc_time::from_value(when - now));
  }

 protected:
  ~lane_outlet() = default;

  /// The next message of the lane may be sent, from after the delay on.
  virtual void lane_open(const sc_core::sc_time& /*delay*/) {}
  /// The message has left the place that it had at the target, or will after the delay.
  virtual void message_gone(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) = 0;

  const char* socket_name() const final { return socket_.name(); }

 private:
  struct request {
    tlm::tlm_generic_payload* payload;
    std::uint64_t when;
  };

  void request_ended(const sc_core::sc_time& delay) final {
    free_from_ = sc_core::sc_time_stamp().value() + delay.value();
    lane_open(delay);
    if (!waiting_.empty()) again_.notify(sc_core::SC_ZERO_TIME);
  }
  void message_ended(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) final {
    message_gone(payload, delay);
    payload.release();
  }

  tlm::tlm_initiator_socket<>& socket_;
  sc_core::sc_event& again_;
  std::uint64_t free_from_ = 0;
  fifo<request> waiting_;
};

/// Why a message was refused, for reports.
inline std::string refusal_of(const char* socket, const tlm::tlm_generic_payload& payload) {
  return std::string(socket) + ": a message was refused with " + payload.get_response_string();
}

}  // namespace tributary
