// SPDX-License-Identifier: Apache-2.0
// Targets at which a thread in b_transport waits as long as nb_transport would take.
#pragma once

#include <tributary/systemc/socket_ends.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// A target's end of a socket that puts transactions of both interfaces into one queue: BEGIN_REQ
/// is accepted, and b_transport waits until the transaction has ended, then returns with no delay.
class blocking_target_end : public target_end {
 public:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;

 protected:
  /// A thread in b_transport.
  struct blocked {
    sc_core::sc_event done;
    bool is_done = false;

    /// Its transaction has ended, with its response.
    void end() {
      is_done = true;
      done.notify();
    }
  };

  ~blocking_target_end() = default;

  /// Takes a transaction that was checked, `delay` from now; `thread` is null of nb_transport.
  virtual void enqueue(tlm::tlm_generic_payload& payload, blocked* thread,
                       const sc_core::sc_time& delay) = 0;
  /// The thread leaves b_transport. If it was killed its transaction is under way, and neither its
  /// payload nor `thread` is there any longer.
  virtual void forget(const blocked& thread) = 0;

  tlm::tlm_sync_enum begin_request(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay) final;
  /// Gives the response of a transaction, whose status is set.
  void end(tlm::tlm_generic_payload& payload, blocked* thread);
};

}  // namespace tributary
