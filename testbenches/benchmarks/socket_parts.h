// SPDX-License-Identifier: Apache-2.0
// Initiators and targets as a user of TLM-2.0 sockets writes them, for goals G9 and G10.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include <driver/simulation_context.h>
#include <tributary/processor/traffic.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/random_stream.h>
#include <tributary/systemc/combining_network.h>
#include <tributary/systemc/memory_module.h>
#include <tributary/systemc/message_interface_module.h>
#include <tributary/systemc/message_network_module.h>
#include <tributary/systemc/payload_pool.h>
#include <tributary/systemc/systemc.h>
#include <ultracomputer/ultracomputer_config.h>

#include "support/linked_network.h"
#include "support/socket_ultracomputer.h"

namespace tributary::benchmarks {

/// As many approximately timed initiators as a network has ports, with the traffic of `open_loop`.
/// Each begins its oldest request as soon as the request channel is free, and ends a response at
/// once. What they draw in cycle c is seen in c + 1, one cycle later than in `ultracomputer`.
class open_loop_initiators : public sc_core::sc_module {
 public:
  /// `map` must outlive it.
  open_loop_initiators(const sc_core::sc_module_name& name, const workload_config& work,
                       const address_map& map, std::uint64_t seed);

  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_vector<tlm::tlm_initiator_socket<>> sockets;  ///< by element

  /// Transactions that ended.
  std::uint64_t completed() const { return completed_; }

 private:
  TRIBUTARY_HAS_PROCESS(open_loop_initiators);

  class port final : public tlm::tlm_bw_transport_if<> {
   public:
    port(open_loop_initiators& owner, std::size_t pe) : owner_(owner), pe_(pe) {}
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time&) override {
      return owner_.backward(pe_, payload, phase);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

   private:
    open_loop_initiators& owner_;
    std::size_t pe_;
  };

  void draw();
  void begin(std::size_t pe);
  tlm::tlm_sync_enum backward(std::size_t pe, tlm::tlm_generic_payload& payload,
                              const tlm::tlm_phase& phase);

  traffic traffic_;
  std::uint64_t threshold_;
  std::vector<random_stream> arrivals_;
  std::vector<fifo<access>> waiting_;
  std::vector<std::uint8_t> requesting_;
  std::deque<port> ports_;
  payload_pool payloads_;
  std::uint64_t completed_ = 0;
};

/// Pairs of an initiator and a target, bound to each other with nothing between: four phases and a
/// payload event queue on both sides, as the examples of TLM-2.0 have it. Each initiator reads
/// words one after the other.
class bare_pairs {
 public:
  explicit bare_pairs(std::size_t pairs);
  ~bare_pairs();
  bare_pairs(const bare_pairs&) = delete;
  bare_pairs& operator=(const bare_pairs&) = delete;

  /// Runs until each pair has done so many transactions more.
  void run(std::uint64_t transactions);
  std::uint64_t completed() const;

 private:
  struct pair;

  simulation_context context_;
  std::vector<std::unique_ptr<pair>> pairs_;
};

/// `ultracomputer` with sockets on one side: approximately timed initiators, a
/// `network_interface_module`, and behind it network and memory as in `ultracomputer_platform`.
/// `config.workload` must be an open loop of loads.
class processor_socket_machine {
 public:
  processor_socket_machine(const ultracomputer_config& config, std::uint64_t seed);

  void step(std::uint64_t cycles);
  const network_interface& interfaces() const { return linked_.interface.core(); }
  const omega_network& network() const { return linked_.network.core(); }
  std::uint64_t completed() const { return initiators_.completed(); }

 private:
  simulation_context context_;
  address_map map_;
  sc_core::sc_clock clock_;
  open_loop_initiators initiators_;
  testing::linked_network linked_;
  std::uint64_t now_ = 0;
};

/// A loosely timed initiator that reads by b_transport, far ahead of the simulation's time: nothing
/// else happens meanwhile. It reads single words of the interleaved region, or bursts of the region
/// in blocks, each in one module.
class blocking_reader : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  /// `length` bytes a read: 8, or a power of two above; `bytes`: from which it reads.
  blocking_reader(const sc_core::sc_module_name& name, unsigned length,
                  std::uint64_t bytes = 4096 * word_bytes);

  tlm::tlm_initiator_socket<> socket{"socket"};

  /// Reads so many times. Throws `error` if a read was refused.
  void read(std::uint64_t times);

 private:
  TRIBUTARY_HAS_PROCESS(blocking_reader);

  void run();
  bool read_one(sc_core::sc_time& local_time);
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                     sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  tlm::tlm_generic_payload payload_;
  std::vector<unsigned char> data_;
  std::uint64_t base_;
  std::uint64_t bytes_;
  std::uint64_t to_do_ = 0;
  sc_core::sc_event go_;
};

/// A `blocking_reader` at one port of a network with a memory behind each of its ports, or at a
/// memory without a network.
class blocking_machine {
 public:
  blocking_machine(const ultracomputer_config& config, bool through_network, unsigned length);

  void read(std::uint64_t times) { reader_.read(times); }

 private:
  simulation_context context_;
  sc_core::sc_clock clock_;
  blocking_reader reader_;
  std::optional<combining_network> network_;
  std::optional<memory_module> memory_;
  std::optional<testing::memory_bank> memories_;
};

/// A `blocking_reader` of the status of a message interface, or of one word of a memory.
class register_machine {
 public:
  explicit register_machine(bool of_interface);

  void read(std::uint64_t times) { reader_.read(times); }

 private:
  simulation_context context_;
  sc_core::sc_clock clock_;
  blocking_reader reader_;
  std::optional<message_network_module> network_;
  std::vector<std::unique_ptr<message_interface_module>> interfaces_;
  memory_module memory_;
  std::optional<memory_module> other_memory_;
};

}  // namespace tributary::benchmarks
