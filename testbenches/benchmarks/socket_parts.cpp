// SPDX-License-Identifier: Apache-2.0
#include "socket_parts.h"

#include <array>
#include <cstring>
#include <string>

#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include "support/socket_ultracomputer.h"

namespace tributary::benchmarks {
namespace {

sc_core::sc_time period() { return {1, sc_core::SC_NS}; }

}  // namespace

// --- initiators at a network -------------------------------------------------------------------

open_loop_initiators::open_loop_initiators(const sc_core::sc_module_name& name,
                                           const workload_config& work, const address_map& map,
                                           std::uint64_t seed)
    : sc_module(name),
      sockets("sockets", map.modules()),
      traffic_(work.traffic, map, seed),
      threshold_(probability_threshold(work.open_loop.load)),
      waiting_(map.modules()),
      requesting_(map.modules()) {
  for (std::uint32_t pe = 0; pe < map.modules(); ++pe) {
    arrivals_.emplace_back(seed, pe, purpose::arrival);
    ports_.emplace_back(*this, pe);
    sockets[pe].bind(ports_.back());
  }
  SC_METHOD(draw);
  sensitive << clock.pos();
  dont_initialize();
}

void open_loop_initiators::draw() {
  for (std::size_t pe = 0; pe < arrivals_.size(); ++pe) {
    if (!arrivals_[pe].bernoulli(threshold_)) continue;
    waiting_[pe].push(traffic_.draw(pe));
    if (requesting_[pe] == 0) begin(pe);
  }
}

void open_loop_initiators::begin(std::size_t pe) {
  tlm::tlm_generic_payload& payload =
      payloads_.acquire_word(tlm::TLM_READ_COMMAND, waiting_[pe].front().address);
  waiting_[pe].pop();
  requesting_[pe] = 1;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  if (sockets[pe]->nb_transport_fw(payload, phase, delay) != tlm::TLM_ACCEPTED) {
    throw error("the network did not only accept a BEGIN_REQ");
  }
}

tlm::tlm_sync_enum open_loop_initiators::backward(std::size_t pe, tlm::tlm_generic_payload& payload,
                                                  const tlm::tlm_phase& phase) {
  if (phase == tlm::END_REQ) {
    requesting_[pe] = 0;
    if (!waiting_[pe].empty()) begin(pe);
    return tlm::TLM_ACCEPTED;
  }
  if (!payload.is_response_ok()) throw error("a read was refused");
  payload.release();
  ++completed_;
  return tlm::TLM_COMPLETED;
}

// --- bare pairs --------------------------------------------------------------------------------

namespace {

class lone_initiator : public sc_core::sc_module {
 public:
  explicit lone_initiator(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_nb_transport_bw(this, &lone_initiator::backward);
  }

  tlm_utils::simple_initiator_socket<lone_initiator> socket{"socket"};

  /// Reads so many words more, the first one now.
  void start(std::uint64_t transactions) {
    to_do_ += transactions;
    begin();
  }
  std::uint64_t completed() const { return completed_; }

 private:
  void begin() {
    tlm::tlm_generic_payload& payload =
        payloads_.acquire_word(tlm::TLM_READ_COMMAND, word_bytes * (completed_ % 64));
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    socket->nb_transport_fw(payload, phase, delay);
  }
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay) {
    queue_.notify(payload, phase, delay);
    return tlm::TLM_ACCEPTED;
  }
  void take(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
    if (phase != tlm::BEGIN_RESP) return;
    tlm::tlm_phase end = tlm::END_RESP;
    sc_core::sc_time delay;
    socket->nb_transport_fw(payload, end, delay);
    payload.release();
    ++completed_;
    if (--to_do_ != 0) begin();
  }

  tlm_utils::peq_with_cb_and_phase<lone_initiator> queue_{this, &lone_initiator::take};
  payload_pool payloads_;
  std::uint64_t to_do_ = 0;
  std::uint64_t completed_ = 0;
};

class lone_target : public sc_core::sc_module {
 public:
  explicit lone_target(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_nb_transport_fw(this, &lone_target::forward);
  }

  tlm_utils::simple_target_socket<lone_target> socket{"socket"};

 private:
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) payload.acquire();
    queue_.notify(payload, phase, delay);
    return tlm::TLM_ACCEPTED;
  }
  void take(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
    if (phase == tlm::BEGIN_REQ) {
      send(payload, tlm::END_REQ);
      queue_.notify(payload, tlm::BEGIN_RESP, period());
    } else if (phase == tlm::BEGIN_RESP) {
      std::memcpy(payload.get_data_ptr(), &words_[payload.get_address() / word_bytes % 64],
                  word_bytes);
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
      send(payload, tlm::BEGIN_RESP);
    } else {
      payload.release();
    }
  }
  void send(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase) {
    sc_core::sc_time delay;
    socket->nb_transport_bw(payload, phase, delay);
  }

  tlm_utils::peq_with_cb_and_phase<lone_target> queue_{this, &lone_target::take};
  std::array<word_t, 64> words_{};
};

}  // namespace

struct bare_pairs::pair {
  pair(const std::string& initiator_name, const std::string& target_name)
      : initiator(initiator_name.c_str()), target(target_name.c_str()) {
    initiator.socket.bind(target.socket);
  }

  lone_initiator initiator;
  lone_target target;
};

bare_pairs::bare_pairs(std::size_t pairs) {
  for (std::size_t i = 0; i < pairs; ++i) {
    pairs_.push_back(
        std::make_unique<pair>("initiator_" + std::to_string(i), "target_" + std::to_string(i)));
  }
}

bare_pairs::~bare_pairs() = default;

void bare_pairs::run(std::uint64_t transactions) {
  for (const std::unique_ptr<pair>& each : pairs_) each->initiator.start(transactions);
  sc_core::sc_start();
}

std::uint64_t bare_pairs::completed() const {
  std::uint64_t sum = 0;
  for (const std::unique_ptr<pair>& each : pairs_) sum += each->initiator.completed();
  return sum;
}

// --- machines with sockets ---------------------------------------------------------------------

processor_socket_machine::processor_socket_machine(const ultracomputer_config& config,
                                                   std::uint64_t seed)
    : map_(config.addresses, config.network.processing_elements),
      clock_("clock", period(), 0.5, period()),
      initiators_("initiators", config.workload, map_, seed),
      linked_(config, config.resolved_interface(), {}, map_, clock_) {
  initiators_.clock(clock_);
  for (std::size_t pe = 0; pe < initiators_.sockets.size(); ++pe) {
    initiators_.sockets[pe].bind(linked_.interface.target_sockets[pe]);
  }
}

void processor_socket_machine::step(std::uint64_t cycles) {
  now_ += cycles;
  // Half a period behind the edge of the last cycle.
  const sc_core::sc_time end = (static_cast<double>(now_) + 0.5) * period();
  sc_core::sc_start(end - sc_core::sc_time_stamp());
}

// --- loosely timed -----------------------------------------------------------------------------

blocking_reader::blocking_reader(const sc_core::sc_module_name& name, unsigned length,
                                 std::uint64_t bytes)
    : sc_module(name),
      data_(length),
      base_(length == word_bytes ? 0 : address_map_config().regions[1].base),
      bytes_(bytes) {
  socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  payload_.set_command(tlm::TLM_READ_COMMAND);
  payload_.set_data_ptr(data_.data());
  payload_.set_data_length(length);
  payload_.set_streaming_width(length);
  SC_THREAD(run);
}

void blocking_reader::read(std::uint64_t times) {
  to_do_ = times;
  go_.notify(sc_core::SC_ZERO_TIME);
  sc_core::sc_start(period());
  if (to_do_ != 0) throw error("a read was refused");
}

void blocking_reader::run() {
  for (;;) {
    while (to_do_ == 0) wait(go_);
    sc_core::sc_time local_time;
    while (to_do_ != 0) {
      if (!read_one(local_time)) return;
      --to_do_;
    }
  }
}

bool blocking_reader::read_one(sc_core::sc_time& local_time) {
  payload_.set_address(base_ + to_do_ * data_.size() % bytes_);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  socket->b_transport(payload_, local_time);
  return payload_.is_response_ok();
}

blocking_machine::blocking_machine(const ultracomputer_config& config, bool through_network,
                                   unsigned length)
    : clock_("clock", period(), 0.5, period()), reader_("reader", length) {
  const memory_module_config memory = testing::memory_of(config);
  if (!through_network) {
    memory_.emplace("memory", memory);
    memory_->clock(clock_);
    reader_.socket.bind(memory_->target_socket);
    return;
  }
  combining_network_config network = testing::network_of(config);
  network.interface = config.resolved_interface();
  network_.emplace("network", network);
  network_->clock(clock_);
  reader_.socket.bind(network_->target_sockets[0]);
  memories_.emplace(*network_, memory, false);
}

register_machine::register_machine(bool of_interface)
    : clock_("clock", period(), 0.5, period()),
      reader_("reader", word_bytes, word_bytes),
      memory_("memory", memory_module_config()) {
  static_assert(interface_registers::status == 0, "the word that is read");
  memory_.clock(clock_);
  if (!of_interface) {
    reader_.socket.bind(memory_.target_socket);
    return;
  }
  message_network_config config;
  config.lanes = 2;
  network_.emplace("network", config, 2);
  other_memory_.emplace("other_memory", memory_module_config());
  other_memory_->clock(clock_);
  memory_module* const memories[] = {&memory_, &*other_memory_};
  for (std::uint32_t i = 0; i < 2; ++i) {
    interfaces_.push_back(std::make_unique<message_interface_module>(
        ("interface_" + std::to_string(i)).c_str(), message_interface_module_config(),
        network_node_place{node_id{i}, 2, config}));
    interfaces_[i]->join(*network_);
    interfaces_[i]->memory.bind(memories[i]->target_socket);
  }
  reader_.socket.bind(interfaces_[0]->registers);
}

}  // namespace tributary::benchmarks
