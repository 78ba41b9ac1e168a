// SPDX-License-Identifier: Apache-2.0
// The socket of a node by which any TLM-2.0 initiator takes the place of its processor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include <tributary/magic/processor_interface.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/cycle.h>
#include <tributary/systemc/socket_ends.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

class magic_node_module;

/// From transactions of the base protocol to uncached accesses of a `processor_interface`, and
/// back.
class processor_target final : public target_end, private memory_client, private timed_block {
 public:
  /// `owner` has the node and the socket.
  explicit processor_target(magic_node_module& owner);
  ~processor_target() override;

  /// Connects, and becomes the listener of the processor interface.
  void serve(tlm::tlm_bw_transport_if<>& initiator, sc_core::sc_event& again);

  /// Whether no transaction is under way.
  bool idle() const;

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;

 private:
  /// A thread in b_transport.
  struct blocked {
    sc_core::sc_event done;
    bool is_done = false;
  };
  struct transaction {
    tlm::tlm_generic_payload* payload = nullptr;
    blocked* thread = nullptr;  // null: of nb_transport
    cycle_t due = 0;
    bool asked = false;  // its tag is in use
  };
  class blocked_thread;

  // memory_client
  void completed(const completion& ended, cycle_t now) override;
  void room(std::size_t, cycle_t now) override { issue(now); }
  // timed_block
  void wake(cycle_t now, std::uint64_t) override { issue(now); }

  // target_end
  const char* socket_name() const override;
  tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload) const override;
  tlm::tlm_sync_enum begin_request(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay) override;

  void enqueue(const transaction& entry);
  void issue(cycle_t now);
  void forget(const blocked& thread);

  magic_node_module& owner_;
  std::deque<transaction> waiting_;      // in the order in which they are due
  std::array<transaction, 256> by_tag_;  // asked for, without an answer
  std::size_t asked_ = 0;
  mutable tolerated_breach no_streaming_width_;
};

}  // namespace tributary
