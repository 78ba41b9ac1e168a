// SPDX-License-Identifier: Apache-2.0
// One memory module with a fetch-and-phi unit as a TLM-2.0 target.
#pragma once

#include <cstdint>

#include <tributary/memory/byte_store.h>
#include <tributary/memory/memory.h>
#include <tributary/memory/packet.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/statistics.h>
#include <tributary/systemc/any_width.h>
#include <tributary/systemc/payload_checks.h>
#include <tributary/systemc/timed_module.h>

namespace tributary {

class parameter_set;

/// Configuration of a memory with a socket.
struct memory_module_config {
  memory_config timing;
  /// First byte address, a multiple of 8.
  std::uint64_t address = 0;
  /// In bytes, a multiple of 8. Words that were never written take no space unless `dmi` is set.
  std::uint64_t size = address_limit;
  /// Whether initiators may have a pointer to its bytes.
  bool dmi = false;

  void bind(parameter_set& parameters);
};

/// A memory that reads, writes and performs fetch-and-phis: one module of `memory` behind a TLM-2.0
/// socket, and an ordinary memory for initiators that know no extension.
///
/// nb_transport: one request every `interval` cycles, responses in order and `latency` cycles after
/// their requests, `pipeline` requests at a time. A request that is effective at T and finds the
/// memory free gets END_REQ at T + (interval - 1) periods and BEGIN_RESP at T + (latency - 1);
/// where the response comes first, it is TLM_COMPLETED at once with that delay. Each is seen at a
/// clock edge after, hence the 1. A request that comes too early starts when the memory is free.
/// b_transport: `latency` periods, however busy the memory is.
/// Takes any length, byte enables and streaming width (0 means the length, with a warning); a
/// fetch_op is 8 aligned bytes.
/// Errors: TLM_ADDRESS_ERROR_RESPONSE beyond the memory, burst and byte enable errors for
/// attributes that mean nothing, a command error for unknown commands and a fetch_op with a read or
/// write. A breach of the base protocol is reported as `messages::protocol`. A fetch-and-phi is
/// done at the call of its BEGIN_REQ, as is everything else.
class memory_module : public timed_module, private tlm::tlm_fw_transport_if<> {
 public:
  /// Values out of range are reported as `messages::configuration`.
  explicit memory_module(const sc_core::sc_module_name& name,
                         const memory_module_config& config = {});

  any_width_target_socket<> target_socket{"target_socket"};

  const memory_module_config& config() const { return config_; }

  /// The word at a byte address within the memory, a multiple of 8.
  word_t word(std::uint64_t address) const { return bytes_.word(address - config_.address); }
  void set_word(std::uint64_t address, word_t value) {
    bytes_.set_word(address - config_.address, value);
  }

  /// Whether no transaction of nb_transport is inside.
  bool idle() const { return held_ == nullptr && responses_.empty(); }

  void reset_statistics() { counters_ = {}; }
  void report(statistics_group& group) const;

  const char* kind() const override { return "tributary::memory_module"; }

 private:
  TRIBUTARY_HAS_PROCESS(memory_module);
  struct pending_response {
    tlm::tlm_generic_payload* payload;
    ticks due;
  };
  /// A request that was started.
  struct schedule {
    ticks request_ends;
    ticks response_begins;
  };
  struct statistics {
    counter reads, writes, fetch_ops, refused;
  };

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;

  void begin() override { event_.notify(sc_core::SC_ZERO_TIME); }
  tlm::tlm_sync_enum begin_request(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay);
  const char* problem_of(const tlm::tlm_generic_payload& payload) const;
  schedule start(tlm::tlm_generic_payload& payload, ticks when);
  void start_held();
  void answer(tlm::tlm_generic_payload& payload, ticks due);
  void end_response(ticks when);
  void progress();
  void respond();
  void wake();

  void perform(tlm::tlm_generic_payload& payload);
  tlm::tlm_response_status perform_fetch_op_on_word(tlm::tlm_generic_payload& payload);
  tlm::tlm_response_status transfer(tlm::tlm_generic_payload& payload);
  bool holds(std::uint64_t address, std::uint64_t length) const {
    return address >= config_.address && address - config_.address < config_.size &&
           length <= config_.size - (address - config_.address);
  }

  memory_module_config config_;
  byte_store bytes_;
  ticks free_from_ = 0;                       // when the next request can start
  tlm::tlm_generic_payload* held_ = nullptr;  // a request that waits to start
  ticks held_from_ = 0;
  fifo<pending_response> responses_;
  tlm::tlm_generic_payload* responding_ = nullptr;  // until its END_RESP
  ticks response_free_from_ = 0;
  sc_core::sc_event event_;
  tolerated_breach no_streaming_width_;
  statistics counters_;
};

}  // namespace tributary
