// SPDX-License-Identifier: Apache-2.0
// The processor side of a network: a TLM-2.0 target socket per port.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include <tributary/network/omega/omega_network.h>
#include <tributary/nic/alias_map.h>
#include <tributary/nic/latency_estimate.h>
#include <tributary/nic/network_interface.h>
#include <tributary/nic/word_pace.h>
#include <tributary/sim/fifo.h>
#include <tributary/systemc/any_width.h>
#include <tributary/systemc/core_module.h>
#include <tributary/systemc/direct_pointers.h>
#include <tributary/systemc/memory_access.h>
#include <tributary/systemc/packet_link.h>
#include <tributary/systemc/payload_checks.h>
#include <tributary/systemc/payload_pool.h>
#include <tributary/systemc/payload_words.h>
#include <tributary/systemc/timed_module.h>

namespace tributary {

struct byte_run;

/// What the ports of the processor side are made of.
struct network_interface_module_config {
  /// `issue_policy::automatic` means one_per_word here (cycle contract, rule 3).
  network_interface_config interface;
  alias_config aliases;
  latency_estimate_config estimate;
};

/// N ports, to each of which one initiator of the TLM-2.0 base protocol binds; it may use
/// nb_transport and b_transport, debug and direct accesses. docs/models/sockets.md has the timing.
///
/// nb_transport: a BEGIN_REQ that is effective at time T is offered to the network at the first
/// edge strictly after T. END_REQ comes in the cycle in which the first switch accepts the last
/// word, BEGIN_RESP in the cycle in which the last link delivers the last word, both without delay;
/// a response that waits for the END_RESP of the one before keeps its place in the interface and
/// holds that port only. `outstanding` bounds the words under way, not the transactions.
///
/// b_transport acts at memory at once, in the order of calls, and never combines: a read or write
/// is one call of memory for the bytes that follow each other in a module. Its delay is that of a
/// lone request and what the load of late adds to it (`latency_estimate`). It must not be called
/// while the port has an nb_transport transaction under way.
///
/// A transaction that cannot be carried out gets the TLM-2.0 error response that says why
/// (`payload_words`); one that memory refuses gets memory's response. What breaks the base protocol
/// is reported as `messages::protocol`. Reset answers everything under way with a generic error,
/// and what begins during it, by either transport.
class network_interface_module : public core_module<network_interface> {
 public:
  /// `addresses` must outlive the module; local ports in it are no use to sockets and must be off.
  /// Refuses values out of range as `messages::configuration`.
  network_interface_module(const sc_core::sc_module_name& name,
                           const network_interface_module_config& config,
                           const address_map& addresses, const omega_network_config& network);

  /// Initiators of any bus width bind. A port may stay unbound.
  using target_socket = any_width_target_socket<sc_core::SC_ZERO_OR_MORE_BOUND>;

  sc_core::sc_vector<target_socket> target_sockets;  ///< by element
  link_port<packet> request_out{"request_out"};      ///< by element
  link_port<reply> reply_in{"reply_in"};             ///< by element
  /// The way around the network.
  sc_core::sc_port<memory_access> memory{"memory"};

  /// Lets debug accesses see what requests that wait in `network` will have done to memory.
  void look_into(const omega_network& network) { network_ = &network; }

  /// Whether no transaction is under way.
  bool idle() const { return transactions_.size() == free_.size(); }

  void reset_statistics();
  void report(statistics_group& group) const;

  const char* kind() const override { return "tributary::network_interface_module"; }

 private:
  /// A socket's interface to the module, and the state of its port.
  class socket_port final : public tlm::tlm_fw_transport_if<> {
   public:
    socket_port(network_interface_module& owner, std::uint32_t index)
        : owner_(owner), index_(index) {}
    // Out of line, so that its tables are in the library only and other compilers can link to them.
    ~socket_port() override;

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& begun,
                                       sc_core::sc_time& delay) override {
      return owner_.forward(index_, payload, begun, delay);
    }
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
      owner_.blocking(index_, payload, delay);
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override {
      return owner_.direct(payload, dmi);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
      return owner_.debug(index_, payload);
    }

   private:
    network_interface_module& owner_;
    std::uint32_t index_;
  };

  using transaction_index = std::uint32_t;
  static constexpr transaction_index none = ~transaction_index{0};

  /// What waits until the initiator has ended the response before: a word that arrived, or a
  /// transaction that is answered without the network.
  struct held_response {
    reply word;
    cycle_t delivered = 0;
    transaction_index finished = none;
  };
  enum class response_channel : std::uint8_t { free, begun, ended };
  struct port_state {
    transaction_index requesting = none;  // between BEGIN_REQ and END_REQ
    transaction_index responding = none;  // between BEGIN_RESP and END_RESP
    response_channel channel = response_channel::free;
    tolerated_breach no_streaming_width;
    std::uint32_t under_way = 0;  // transactions
    fifo<held_response> held;
    alias_registers registers;
  };
  /// One cache line: thousands are under way in a large machine.
  struct alignas(64) transaction {
    tlm::tlm_generic_payload* payload = nullptr;
    payload_answers answers;
    std::uint32_t port = 0;
    std::uint32_t to_accept = 0;
    std::uint32_t to_deliver = 0;
    tlm::tlm_response_status response = tlm::TLM_OK_RESPONSE;
  };
  static_assert(sizeof(transaction) == 64);
  /// A word that belongs to a transaction.
  struct arrival {
    transaction_index transaction = none;
    std::uint32_t place = 0;
    word_t value = 0;
    std::uint8_t status = 0;
  };
  /// A phase that an initiator began, seen at the first edge strictly after `time`.
  struct call {
    sc_dt::uint64 time = 0;
    std::uint32_t port = 0;
    bool request = false;  ///< BEGIN_REQ, else END_RESP

    bool operator<(const call& other) const { return time > other.time; }  // a heap's top is first
  };
  struct counters {
    counter refused;
    average loosely_timed_delay;  // in units of the time resolution
    counter debug;
    counter direct;
  };

  void end_of_elaboration() override;
  void ready() override;
  void depart() override;
  void commit() override;
  void reset() override;

  // Calls of initiators.
  tlm::tlm_sync_enum forward(std::uint32_t pe, tlm::tlm_generic_payload& payload,
                             const tlm::tlm_phase& begun, const sc_core::sc_time& delay);
  /// At any port.
  bool is_under_way(const tlm::tlm_generic_payload& payload) const;
  const char* problem_of(std::uint32_t pe, const tlm::tlm_generic_payload& payload) const;
  tlm::tlm_sync_enum begin_request(std::uint32_t pe, tlm::tlm_generic_payload& payload,
                                   const sc_core::sc_time& delay);
  void end_response(std::uint32_t pe, const sc_core::sc_time& delay);
  void blocking(std::uint32_t pe, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  bool direct(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  unsigned debug(std::uint32_t pe, tlm::tlm_generic_payload& payload);
  tlm::tlm_response_status open(payload_words& words, std::uint32_t pe,
                                tlm::tlm_generic_payload& payload);
  void warn_of_streaming_width(std::uint32_t pe);
  void complain(std::uint32_t pe, const char* problem) const;

  // What they come to at an edge.
  void take_calls();
  void take(const call& begun);
  void offer(std::uint32_t pe);
  void end_requests();
  void release_held();
  void receive_replies();
  arrival take_word(std::uint32_t pe, const reply& word, cycle_t delivered);
  void deliver(const arrival& word);
  void finish(transaction_index number);
  void respond(transaction_index number);
  void abandon_all();
  transaction_index open_transaction(std::uint32_t pe, tlm::tlm_generic_payload& payload);

  // Loosely timed accesses. Times are in units of the time resolution.
  using ticks = sc_dt::uint64;
  word_pace pace_from(ticks start, const payload_words& words) const;
  ticks operate(const payload_words& words, word_pace& pace, tlm::tlm_response_status& response);
  ticks transfer(tlm::tlm_generic_payload& payload, word_pace& pace,
                 tlm::tlm_response_status& response);
  ticks forward_whole(tlm::tlm_generic_payload& payload, const byte_run& run, word_pace& pace);
  ticks forward_run(const tlm::tlm_generic_payload& payload, const byte_run& run, word_pace& pace,
                    tlm::tlm_response_status& response);
  template <class Call>
  ticks at_memory(word_pace& pace, std::uint64_t words, Call&& call);
  void find_clock();
  void see_edge();
  /// How many edges after `edge_` the first one strictly after `time` is.
  cycle_t edges_until_after(ticks time) const;

  const address_map& addresses_;
  alias_map aliases_;
  latency_estimate estimate_;
  direct_pointers pointers_;
  payload_pool payloads_;  // of accesses that more than one module answers
  unsigned stages_;
  std::uint32_t link_cycles_;
  const omega_network* network_ = nullptr;

  std::deque<socket_port> interfaces_;
  std::vector<tlm::tlm_bw_transport_if<>*> initiators_;  // null where none is bound
  std::vector<port_state> ports_;
  std::vector<transaction> transactions_;
  std::vector<transaction_index> free_;
  std::vector<call> calls_;              // since the last edge
  std::vector<call> later_;              // a heap of those that were not yet due
  std::vector<std::uint32_t> accepted_;  // ports whose request ends in this cycle
  std::vector<std::uint32_t> released_;  // ports that may respond again
  std::vector<arrival> arrivals_;        // of this cycle
  std::vector<std::uint8_t> no_local_;

  ticks edge_ = 0;  // one edge, the last if there was one
  clock_period period_;
  bool resetting_ = false;
  counters counters_;
};

}  // namespace tributary
