// SPDX-License-Identifier: Apache-2.0
// One processing element as a TLM-2.0 initiator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <tributary/nic/network_interface.h>
#include <tributary/processor/processing_elements.h>
#include <tributary/sim/event_queue.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/statistics.h>
#include <tributary/systemc/any_width.h>
#include <tributary/systemc/payload_pool.h>
#include <tributary/systemc/timed_module.h>

namespace tributary {

class parameter_set;

/// Configuration of a processing element with a socket.
struct processing_element_module_config {
  processing_element_config timing;
  /// Requests under way at a time: slots, each of which waits for its response.
  std::uint32_t outstanding = 1;

  void bind(parameter_set& parameters);
};

/// What an element got for a request.
struct element_response {
  access request;
  word_t value = 0;  ///< the word before, of a load its value; nothing if it was not served
  /// Not OK if the target refused, and TLM_INCOMPLETE_RESPONSE if it left the operation undone.
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
};

/// A processing element of a closed loop, as `processing_elements` has them, that speaks the
/// approximately timed base protocol: each slot makes a request, waits for its response and makes
/// the next one a turnaround later. A load is a TLM_READ_COMMAND of 8 bytes, every other function
/// the extension `fetch_op`.
///
/// BEGIN_REQ for cycle c is called at the edge c - 1 without a delay, so that the network sees it
/// at its edge c: after a response in cycle d that is d + turnaround. While one request is refused,
/// the others of the element wait, and the next begins with the END_REQ. Every response is ended at
/// once. First requests start at the cycles that `processing_elements` draws for the element.
class processing_element_module : public timed_module, private tlm::tlm_bw_transport_if<> {
 public:
  /// The element's next request, or nothing: then the slot never asks again.
  using request_source = std::function<std::optional<access>()>;

  /// Values out of range are reported as `messages::configuration`.
  processing_element_module(const sc_core::sc_module_name& name,
                            const processing_element_module_config& config, pe_id element,
                            std::uint64_t seed, request_source next_request);

  any_width_initiator_socket<> initiator_socket{"initiator_socket"};

  /// `told` is called for every response, in the cycle of its delivery.
  void on_response(std::function<void(const element_response&)> told) { told_ = std::move(told); }

  /// From now on it makes no request.
  void stop() { stopped_ = true; }
  /// Whether no request is under way.
  bool idle() const { return outstanding_ == 0; }

  /// Cycles from the END_REQ to the BEGIN_RESP of a request.
  const average& latency() const { return statistics_.latency; }
  /// Responses, whatever their status.
  const counter& responses() const { return statistics_.responses; }
  void reset_statistics() { statistics_ = {}; }
  void report(statistics_group& group) const;

  const char* kind() const override { return "tributary::processing_element_module"; }

 private:
  TRIBUTARY_HAS_PROCESS(processing_element_module);
  static constexpr ticks not_yet = ~ticks{0};

  struct slot {
    tlm::tlm_generic_payload* payload = nullptr;  // while its request is under way
    access request;
    ticks begun = 0;
    ticks accepted = not_yet;
  };
  struct statistics {
    average latency, request_phase;
    counter responses, refused, undone;
  };

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  void begin() override;
  void issue();
  void make_request(std::size_t number);
  void send(slot& entry);
  slot* find(const tlm::tlm_generic_payload& payload);
  void end_request(slot& entry, ticks when);
  void end_transaction(slot& entry, ticks when);
  element_response response_of(const slot& entry) const;
  void count(const slot& entry, ticks when, tlm::tlm_response_status status);

  processing_element_module_config config_;
  pe_id element_;
  std::uint64_t seed_;
  request_source next_request_;
  std::function<void(const element_response&)> told_;
  payload_pool payloads_;
  std::vector<slot> slots_;
  event_queue<std::uint32_t> wakeups_;  // of slots, by time in place of cycles
  slot* requesting_ = nullptr;          // until its END_REQ
  ticks request_free_from_ = 0;
  std::size_t outstanding_ = 0;
  bool stopped_ = false;
  sc_core::sc_event event_;
  statistics statistics_;
};

}  // namespace tributary
