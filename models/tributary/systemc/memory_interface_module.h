// SPDX-License-Identifier: Apache-2.0
// The memory side of a network: from packets to TLM-2.0 transactions on any targets, and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/memory/address_map.h>
#include <tributary/memory/packet.h>
#include <tributary/memory/relative_addresses.h>
#include <tributary/memory/request_events.h>
#include <tributary/sim/statistics.h>
#include <tributary/systemc/any_width.h>
#include <tributary/systemc/clocked_module.h>
#include <tributary/systemc/end_response_queue.h>
#include <tributary/systemc/memory_access.h>
#include <tributary/systemc/packet_link.h>
#include <tributary/systemc/payload_pool.h>

namespace tributary {

class parameter_set;

/// Who performs a fetch-and-phi behind the network.
enum class fetch_op_service : std::uint8_t {
  ask,      ///< the target, by the extension `fetch_op`; the port's own unit where it does not
  own_unit  ///< always the port's own unit, for targets known to ignore extensions
};

/// How a port ends the response of its target, both legal (IEEE 1666-2011, 15.2.4).
enum class response_ending : std::uint8_t {
  completed,  ///< BEGIN_RESP is answered with TLM_COMPLETED
  phase       ///< with TLM_ACCEPTED, and END_RESP follows as a call, for targets that wait for it
};

/// Configuration of the ports to memory.
struct memory_interface_config {
  /// A port gives its target one request every so many cycles at most. A target that responds
  /// before it can take the next request cannot hold it off by a late END_REQ, because in the base
  /// protocol BEGIN_RESP implies END_REQ; 1 leaves the pace to the target.
  std::uint32_t interval = 1;
  /// Requests of one port that the network has given up and whose responses it has not taken.
  std::uint32_t pipeline = 16;
  fetch_op_service fetch_ops = fetch_op_service::ask;
  response_ending end_response = response_ending::completed;
  /// Whether a target sees its own words packed from address 0 (`relative_addresses`), or the
  /// initiators' addresses.
  bool relative_addresses = false;
  /// Cycles after which a port warns, once, of a transaction without END_REQ or BEGIN_RESP
  /// (`messages::unanswered`); 0 is never. More than a busy target needs for `pipeline` requests.
  std::uint32_t patience = 10000;

  void bind(parameter_set& parameters);
};

/// The memory side of a network: one initiator socket per memory module, which any TLM-2.0 target
/// may be bound to.
///
/// A load becomes a read of 8 bytes; every other request asks the target by the extension
/// `fetch_op`. Where the target leaves that undone, the port's own fetch-and-phi unit reads and
/// then writes, with no other request of the port that could change a word between. Target errors
/// go back as `reply::status`.
///
/// A request that the network gives up in cycle m begins in the commit phase of cycle m. A target
/// whose END_REQ is effective in [m + interval - 1, m + interval) periods and whose BEGIN_RESP in
/// [m + latency - 1, m + latency) behaves as one of `memory` does. Responses may come in any order
/// and end when they begin (`response_ending`); the network gets them in the order of the requests.
class memory_interface_module : public clocked_module, public memory_access {
 public:
  /// As many sockets as `map` has modules. `link_cycles`: cycles that a reply occupies its line.
  /// Values out of range are reported as `messages::configuration`.
  memory_interface_module(const sc_core::sc_module_name& name,
                          const memory_interface_config& config, const address_map& map,
                          std::uint32_t link_cycles);
  ~memory_interface_module() override;

  /// Targets of any bus width bind.
  using initiator_socket = any_width_initiator_socket<sc_core::SC_ZERO_OR_MORE_BOUND>;

  link_port<packet> request_in{"request_in"};  ///< by memory module
  link_port<reply> reply_out{"reply_out"};     ///< by memory module
  /// By memory module. Requests to one that is not bound get an address error.
  sc_core::sc_vector<initiator_socket> initiator_sockets;

  const memory_interface_config& config() const { return config_; }
  std::size_t count() const { return count_; }

  /// `sink` learns that a target was given a request (`served`) and that the network took its
  /// response (`replied`), as events of `stage`. It may be null, and must outlive the simulation.
  void observe(request_event_sink* sink, std::int32_t stage);

  /// Whether nothing from the network is inside.
  bool idle() const;

  void reset_statistics() { counters_ = {}; }
  void report(statistics_group& group) const;

  tlm::tlm_response_status access(mm_id module, std::uint64_t address,
                                  const word_function& function, word_t& old,
                                  sc_core::sc_time& delay) override;
  void transport(mm_id module, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  bool direct_hint(mm_id module) const override;
  std::size_t debug_read(mm_id module, std::uint64_t address, unsigned char* data,
                         std::size_t length) override;
  std::size_t debug_write(mm_id module, std::uint64_t address, const unsigned char* data,
                          std::size_t length) override;
  bool get_direct_mem_ptr(mm_id module, tlm::tlm_generic_payload& payload,
                          tlm::tlm_dmi& dmi) override;
  void on_invalidation(invalidation listener) override { invalidated_ = std::move(listener); }

  const char* kind() const override { return "tributary::memory_interface_module"; }

 private:
  using ticks = std::uint64_t;  // time in units of the resolution
  static constexpr ticks not_yet = ~ticks{0};

  /// What a request from the network is doing.
  enum class step : std::uint8_t {
    held,        // it waits for a thread that has the unit, or what a reset left at the target
    reading,     // a load is at the target
    asking,      // its fetch_op is at the target
    undone,      // the target did nothing: it waits for the unit
    unit_reads,  // the unit reads its word
    unit_read,   // the unit knows its word
    unit_writes,
    done
  };
  struct entry {
    packet request;
    tlm::tlm_generic_payload* payload = nullptr;
    ticks due = not_yet;  // when its transaction ended
    cycle_t begun = 0;    // when its transaction began
    word_t value = 0;
    step now = step::held;
    std::uint8_t status = 0;
  };
  /// A transaction that a reset left at a target; it counts as begun at the reset.
  struct stray {
    std::size_t module;
    entry left;
  };
  enum class unit_user : std::uint8_t { nobody, network, thread };
  class port;
  struct statistics {
    counter requests, own_unit, refused, loosely_timed;
  };

  void end_of_elaboration() override;
  void ready() override;
  void depart() override;
  void commit() override;
  void reset() override;

  entry& oldest(port& socket);
  entry& in_order(port& socket, std::size_t place);
  entry* find(port& socket, const tlm::tlm_generic_payload& payload);
  template <class Wanted>
  entry* first(port& socket, Wanted&& wanted);

  void watch();
  const entry* longest_at_target(port& socket);
  void watch_entry(port& socket, const entry& item, const char* since);
  void warn_unanswered(port& socket, const entry& item, const char* since);
  static std::string likely_causes(bool completed, const entry& item);
  void refresh(port& socket, ticks time);
  bool can_start(port& socket, ticks time);
  void accept(port& socket, const packet& request);
  void release_reply(port& socket);
  /// Whether a request that changes its word may begin, by the target or the unit.
  bool can_change(const port& socket) const;
  /// Whether no operation asks the target.
  bool never_asks(const port& socket) const;
  void begin(port& socket, entry& item);
  void begin_unit(port& socket, entry& item);
  void write_result(port& socket, entry& item);
  void resume(port& socket);
  void send(port& socket, entry& item, step next, tlm::tlm_generic_payload& payload);
  tlm::tlm_sync_enum call_target(port& socket, const entry& item, tlm::tlm_generic_payload& payload,
                                 tlm::tlm_phase& phase_now, sc_core::sc_time& delay);
  void take_refusal(port& socket, tlm::tlm_generic_payload& payload,
                    const sc_core::sc_report& refusal);

  tlm::tlm_sync_enum backward(port& socket, tlm::tlm_generic_payload& payload,
                              tlm::tlm_phase& phase_now, const sc_core::sc_time& delay);
  void end_request(port& socket, const tlm::tlm_generic_payload& payload, ticks when);
  void end_transaction(port& socket, tlm::tlm_generic_payload& payload, ticks when);
  void take_answer(port& socket, entry& item);
  tlm::tlm_response_status response_from(port& socket, const tlm::tlm_generic_payload& payload);
  std::vector<stray>::iterator find_stray(const tlm::tlm_generic_payload& payload);
  bool end_stray(port& socket, tlm::tlm_generic_payload& payload);
  void finish(port& socket, entry& item, tlm::tlm_response_status response);
  void drop(entry& item);
  void complain(const port& socket, const char* problem) const;

  tlm::tlm_response_status transport_word(port& socket, tlm::tlm_command command,
                                          std::uint64_t address, word_t& word, word_t byte_enables,
                                          sc_core::sc_time& delay);
  void call_by_thread(port& socket, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void change_by_thread(port& socket, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  bool ask_by_thread(port& socket, std::uint64_t address, const word_function& function,
                     word_t& old, sc_core::sc_time& delay, tlm::tlm_response_status& response);
  tlm::tlm_response_status unit_by_thread(port& socket, std::uint64_t address,
                                          const word_function& function, word_t& old,
                                          sc_core::sc_time& delay);
  std::size_t debug(mm_id module, tlm::tlm_command command, std::uint64_t address,
                    unsigned char* data, std::size_t length);
  word_t settled(port& socket, std::uint64_t address, word_t word);
  void invalidate(std::size_t module, std::uint64_t first, std::uint64_t last);
  std::uint64_t target_address(std::uint64_t address) const;

  memory_interface_config config_;
  address_map map_;
  relative_addresses relative_;
  std::uint32_t link_cycles_;
  std::size_t count_;
  payload_pool payloads_;
  end_response_queue end_responses_{"end_responses"};
  std::unique_ptr<port[]> ports_;
  std::vector<entry> entries_;         // a ring of `pipeline` per port
  std::vector<std::uint8_t> active_;   // by module: it has to be looked at
  std::vector<std::uint8_t> ready_;    // takes a request
  std::vector<std::uint8_t> offered_;  // has a response for the network
  std::vector<std::uint8_t> leaving_;  // whose response the network takes
  std::vector<std::uint8_t> resumes_;  // begins something that is not new
  std::vector<stray> strays_;
  cycle_t next_watch_ = 0;
  sc_core::sc_event unit_free_;
  invalidation invalidated_;
  request_event_sink* sink_ = nullptr;
  std::int32_t stage_ = 0;
  statistics counters_;
};

}  // namespace tributary
