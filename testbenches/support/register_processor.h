// SPDX-License-Identifier: Apache-2.0
// A processor at the registers of a message interface, whatever engine it runs on.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <tributary/memory/operation.h>
#include <tributary/nic/message_attachment.h>
#include <tributary/processor/program.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/error.h>
#include <tributary/systemc/payload_pool.h>
#include <tributary/systemc/protocol_monitor.h>
#include <tributary/systemc/systemc.h>

namespace tributary::testing {

/// Notes every access with its last cycle and value.
class register_processor {
 public:
  struct note {
    cycle_t cycle = 0;
    std::uint64_t offset = 0;
    word_t value = 0;
    friend bool operator==(const note& x, const note& y) {
      return x.cycle == y.cycle && x.offset == y.offset && x.value == y.value;
    }
  };

  word_t read(std::uint64_t offset) {
    const word_t value = load(offset);
    notes.push_back({now(), offset, value});
    return value;
  }
  void write(std::uint64_t offset, word_t value) {
    store(offset, value);
    notes.push_back({now(), offset, value});
  }
  virtual void delay(std::uint64_t cycles) = 0;

  std::vector<note> notes;

 protected:
  register_processor() = default;
  ~register_processor() = default;

 private:
  virtual word_t load(std::uint64_t offset) = 0;
  virtual void store(std::uint64_t offset, word_t value) = 0;
  virtual cycle_t now() const = 0;
};

/// A program in the plain loop.
class program_processor final : public register_processor {
 public:
  explicit program_processor(program_context& context) : context_(context) {}
  void delay(std::uint64_t cycles) override { context_.delay(cycles); }

 private:
  word_t load(std::uint64_t offset) override { return context_.load(interface_space + offset); }
  void store(std::uint64_t offset, word_t value) override {
    context_.store(interface_space + offset, value);
  }
  /// A program goes on in the cycle behind the completion.
  cycle_t now() const override { return context_.now() - 1; }

  program_context& context_;
};

/// A thread with a socket, which begins an access as soon as it knows the end of the one before.
class socket_processor final : public sc_core::sc_module,
                               public register_processor,
                               private tlm::tlm_bw_transport_if<> {
 public:
  using body = std::function<void(register_processor&)>;

  socket_processor(const sc_core::sc_module_name& name, const sc_core::sc_time& period, body run)
      : sc_module(name), period_(period), run_(std::move(run)) {
    own_socket_.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    own_socket_.bind(monitor.target_socket);
    SC_THREAD(run);
  }

  protocol_monitor<> monitor{"monitor"};
  bool finished = false;
  /// Loosely timed: by b_transport, and it waits for the time that this adds.
  bool blocking = false;

  void delay(std::uint64_t cycles) override {
    sc_core::wait(static_cast<double>(cycles) * period_);
  }

 private:
  TRIBUTARY_HAS_PROCESS(socket_processor);

  void run() {
    run_(*this);
    finished = true;
  }

  cycle_t now() const override { return sc_core::sc_time_stamp().value() / period_.value(); }
  word_t load(std::uint64_t offset) override {
    return serve(pool_.acquire_word(tlm::TLM_READ_COMMAND, offset));
  }
  void store(std::uint64_t offset, word_t value) override {
    serve(pool_.acquire_word(tlm::TLM_WRITE_COMMAND, offset, value));
  }

  word_t serve(tlm::tlm_generic_payload& payload) {
    sc_core::sc_time delay;
    if (blocking) {
      own_socket_->b_transport(payload, delay);
      sc_core::wait(delay);
    } else {
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      own_socket_->nb_transport_fw(payload, phase, delay);
      sc_core::wait(answered_);
    }
    if (!payload.is_response_ok()) {
      throw simulation_error("a register answers with " + payload.get_response_string());
    }
    const word_t value = payload_pool::word_of(payload);
    payload.release();
    return value;
  }

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    answered_.notify(delay);
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  sc_core::sc_time period_;
  body run_;
  tlm::tlm_initiator_socket<> own_socket_{"own_socket"};
  payload_pool pool_;
  sc_core::sc_event answered_;
};

}  // namespace tributary::testing
