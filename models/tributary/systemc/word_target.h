// SPDX-License-Identifier: Apache-2.0
// The end of a socket by which any TLM-2.0 initiator takes the place of a node's processor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include <tributary/memory/port.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/cycle.h>
#include <tributary/systemc/blocking_target_end.h>
#include <tributary/systemc/event_driven_module.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// From transactions of the base protocol to loads and posted stores of words at a
/// `processor_port`, and back.
///
/// BEGIN_REQ is seen in the first cycle strictly after it is effective; END_REQ comes in the cycle
/// in which the port takes the access, BEGIN_RESP in the cycle in which it is complete. b_transport
/// waits as long, and returns with no delay. Refused are other commands (command error), lengths,
/// widths and alignments (burst error), and byte enables.
class word_target : public blocking_target_end, private memory_client, private timed_block {
 public:
  /// `owner` simulates `clock`, on which the port is. References must outlive it.
  word_target(event_driven_module& owner, processor_port& port, agenda& clock);
  virtual ~word_target();

  /// Connects, and becomes the client of the port.
  void serve(tlm::tlm_bw_transport_if<>& initiator, sc_core::sc_event& again);

  /// Whether no transaction is under way.
  bool idle() const;

 protected:
  /// How an access of the right form is answered: TLM_OK_RESPONSE, or the response that refuses it.
  virtual tlm::tlm_response_status check_place(const access& asked) const = 0;
  tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload) const final;

  /// The access of a transaction that was checked.
  static access access_of(const tlm::tlm_generic_payload& payload);

 private:
  struct transaction {
    tlm::tlm_generic_payload* payload = nullptr;
    blocked* thread = nullptr;  // null: of nb_transport
    cycle_t due = 0;
    bool asked = false;  // its tag is in use
  };

  // memory_client
  void completed(const completion& ended, cycle_t now) override;
  void room(std::size_t, cycle_t now) override { issue(now); }
  // timed_block
  void wake(cycle_t now, std::uint64_t) override { issue(now); }

  // blocking_target_end
  void enqueue(tlm::tlm_generic_payload& payload, blocked* thread,
               const sc_core::sc_time& delay) override;
  void forget(const blocked& thread) override;

  void issue(cycle_t now);
  /// A port may take more accesses than there are tags.
  bool has_tag() const { return asked_ < by_tag_.size(); }
  void respond(const transaction& done, word_t value);

  event_driven_module& owner_;
  processor_port& port_;
  agenda& clock_;
  tlm::tlm_bw_transport_if<>* initiator_ = nullptr;
  std::deque<transaction> waiting_;      // in the order in which they are due
  std::array<transaction, 256> by_tag_;  // asked for, without an answer
  std::size_t asked_ = 0;
  mutable tolerated_breach no_streaming_width_;
};

}  // namespace tributary
