// SPDX-License-Identifier: Apache-2.0
// The socket of a snooping bus by which any TLM-2.0 initiator is a master without a cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>

#include <tributary/bus/uncached_master.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/cycle.h>
#include <tributary/systemc/any_width.h>
#include <tributary/systemc/blocking_target_end.h>
#include <tributary/systemc/event_driven_module.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// From transactions of the base protocol to accesses of an `uncached_master`, and back.
///
/// Reads and writes of memory have any address, length and byte enables, and are split into one
/// access a line, in the order of addresses; a line of whose bytes none is enabled is left out.
/// TLM_IGNORE_COMMAND with a `fetch_op` is an operation on a word of memory. A word of a device is
/// read and written alone and as a whole.
///
/// BEGIN_REQ is seen in the first cycle strictly after it is effective; END_REQ comes in the cycle
/// in which the master takes the last access of the transaction, BEGIN_RESP in the cycle in which
/// the last one ends. b_transport waits as long, and returns with no delay. Refused are other
/// commands (command error), no bytes, streaming, and parts of words of devices or operations that
/// are no word (burst error), byte enables of devices (byte enable error), addresses of nothing or
/// of memory only in part (address error), and what a watcher of the bus refuses (generic error).
/// There are no direct accesses. Debug accesses see memory as the next transaction would, and reach
/// no device.
class bus_target final : public blocking_target_end, private uncached_client, private timed_block {
 public:
  using socket = any_width_target_socket<sc_core::SC_ZERO_OR_MORE_BOUND>;

  /// References must outlive it; `owner` simulates `clock`, on which the bus and the master are.
  bus_target(event_driven_module& owner, socket& at, agenda& clock, snooping_bus& bus,
             uncached_master& master);
  ~bus_target() override;

  /// At the end of elaboration: connects, if the socket is bound. `again`: see `response_channel`.
  void serve(sc_core::sc_event& again);
  /// Whether no transaction is under way.
  bool idle() const { return open_.empty() && responses_.idle(); }

  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;

 private:
  /// A transaction under way.
  struct transaction {
    tlm::tlm_generic_payload* payload = nullptr;  // null: its thread was killed
    blocked* thread = nullptr;                    // null: of nb_transport
    cycle_t due = 0;
    unsigned length = 0;  // bytes
    unsigned begun = 0;   // of them
    unsigned pieces = 0;  // accesses under way
    bool refused = false;
  };
  /// The bytes of a transaction that an access is about.
  struct piece {
    transaction* of = nullptr;  // null: the tag is free
    unsigned from = 0;
    unsigned bytes = 0;
    std::uint64_t address = 0;
  };

  // uncached_client
  void answered(const uncached_answer& answer, cycle_t now) override;
  // timed_block
  void wake(cycle_t now, std::uint64_t) override { issue(now); }

  // target_end
  const char* socket_name() const override { return socket_.name(); }
  tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload) const override;
  // blocking_target_end
  void enqueue(tlm::tlm_generic_payload& payload, blocked* thread,
               const sc_core::sc_time& delay) override;
  void forget(const blocked& thread) override;

  tlm::tlm_response_status check_place(const tlm::tlm_generic_payload& payload) const;
  void issue(cycle_t now);
  /// Begins the access of the next line; false if the master takes none.
  bool begin_piece(transaction& next, cycle_t now);
  uncached_access access_of(const tlm::tlm_generic_payload& payload, const piece& about) const;
  static void take_words(const uncached_answer& answer, const piece& about, line_size line);
  void end_request(transaction& begun);
  /// Answers it if all of it has ended.
  void end_if_over(transaction& over);

  event_driven_module& owner_;
  socket& socket_;
  agenda& clock_;
  snooping_bus& bus_;
  uncached_master& master_;
  line_size line_;
  std::list<transaction> open_;       // stay where they are
  std::deque<transaction*> waiting_;  // not begun in full, in the order in which they are due
  std::array<piece, snooping_bus::most_requests> by_tag_;
  mutable tolerated_breach no_streaming_width_;
};

}  // namespace tributary
