// SPDX-License-Identifier: Apache-2.0
// An initiator: a thread that takes numbers from a shared counter and keeps a log of them.
#pragma once

#include <cstddef>
#include <cstdint>

// A plain part: of the library it knows the extension only.
#include <tributary/systemc/fetch_op.h>

#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "heap_manager.h"

namespace soc {

/// Where a processor finds what it works on; byte addresses.
struct cpu_config {
  std::uint64_t counter = 0;  ///< the doubleword that the processors share
  std::uint64_t log = 0;      ///< `rounds` doublewords of its own
  std::uint64_t timer = 0;    ///< a doubleword that counts ticks
  std::size_t rounds = 0;
};

/// Takes numbers by fetch-and-add and stores each in its log, without waiting for the store; looks
/// at the timer before and after. Base protocol, four phases of nb_transport, up to `rounds`
/// stores and one other access under way.
class cpu : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<cpu> initiator_socket{"initiator_socket"};

  cpu(const sc_core::sc_module_name& name, const cpu_config& config);

  /// What the timer counted in between.
  std::uint64_t ticks() const { return ticks_; }
  /// Whether the thread came to its end, and every access was answered, and with OK.
  bool finished() const { return ended_ && under_way_ == 0 && !failed_; }

 private:
  TRIBUTARY_HAS_PROCESS(cpu);
  void run();
  std::uint64_t load(std::uint64_t address);
  std::uint64_t fetch_and_add(std::uint64_t address, std::uint64_t increment);
  void post_store(std::uint64_t address, std::uint64_t data);

  void send(tlm::tlm_generic_payload& payload);
  void send_and_wait(tlm::tlm_generic_payload& payload);
  void take_phase(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase);
  void finish(tlm::tlm_generic_payload& payload);
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);

  cpu_config config_;
  heap_manager memory_manager_;
  tlm_utils::peq_with_cb_and_phase<cpu> phases_{this, &cpu::take_phase};
  tlm::tlm_generic_payload* requesting_ = nullptr;  // between BEGIN_REQ and END_REQ
  tlm::tlm_generic_payload* awaited_ = nullptr;     // whose response the thread waits for
  sc_core::sc_event request_ended_;
  sc_core::sc_event response_;
  std::size_t under_way_ = 0;
  std::uint64_t ticks_ = 0;
  bool failed_ = false;
  bool ended_ = false;
};

}  // namespace soc
