// SPDX-License-Identifier: Apache-2.0
// The RTL of a combining switch with the ports of the golden model.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include <tributary/transaction/packet.h>

#include "support/golden_switch.h"
#include "verilated_bits.h"

namespace tributary::testing {

/// A verilated `combining_switch`, stepped by `depart` and `commit`. `depart` evaluates the
/// combinational outputs, `commit` makes the clock's edge.
template <class Model>
class verilated_switch {
 public:
  /// Registers begin with random contents drawn from `seed`, then come out of reset.
  verilated_switch(unsigned route_bit, int seed) : context_(std::make_unique<VerilatedContext>()) {
    context_->randReset(2);
    context_->randSeed(seed);
    context_->fatalOnError(false);
    model_ = std::make_unique<Model>(context_.get());
    model_->route_bit_i = static_cast<CData>(route_bit);
    model_->clk_i = 0;
    reset();
  }

  std::uint8_t request_ready(unsigned input) const {
    return static_cast<std::uint8_t>(bits(model_->request_ready_o, 2 * input, 2));
  }
  bool reply_ready() const { return model_->response_ready_o == 3; }

  switch_traffic depart(const std::array<std::uint8_t, 2>& next_request_ready,
                        const std::array<bool, 2>& next_reply_ready) {
    drive_ready(next_request_ready, next_reply_ready);
    model_->eval();
    switch_traffic traffic;
    for (unsigned i = 0; i < 2; ++i) {
      if (bits(model_->request_valid_o, i, 1) != 0) traffic.requests[i] = request(i);
      if (bits(model_->response_valid_o, i, 1) != 0) traffic.replies[i] = response(i);
    }
    return traffic;
  }

  void commit(const switch_traffic& arriving) {
    for (unsigned i = 0; i < 2; ++i) {
      set_bits(model_->request_valid_i, i, 1, arriving.requests[i] ? 1 : 0);
      set_bits(model_->response_valid_i, i, 1, arriving.replies[i] ? 1 : 0);
      if (arriving.requests[i]) drive(i, *arriving.requests[i]);
      if (arriving.replies[i]) drive(i, *arriving.replies[i]);
    }
    model_->eval();
    for (unsigned input = 0; input < 2; ++input) {
      combined_ += bits(model_->event_combined_o, input, 1);
    }
    model_->clk_i = 1;
    model_->eval();
    model_->clk_i = 0;
    model_->request_valid_i = 0;
    model_->response_valid_i = 0;
    model_->eval();
  }

  /// One cycle of reset; forgets the count of combined requests.
  void reset() {
    model_->rst_ni = 0;
    drive_ready({}, {});
    commit({});
    model_->rst_ni = 1;
    model_->eval();
    combined_ = 0;
  }

  bool idle() const { return model_->idle_o != 0; }
  /// Arrivals that joined a waiting request, by the event port.
  std::uint64_t combined() const { return combined_; }
  /// Assertions that failed.
  int failed_assertions() const { return context_->errorCount(); }

 private:
  static constexpr unsigned pe_bits = 16;
  static constexpr unsigned id_bits = 48;
  static constexpr unsigned form_bits = 3;
  static constexpr unsigned status_bits = 8;

  static std::uint64_t number(const request_id& id) {
    return std::uint64_t{id.sequence} << pe_bits | id.pe;
  }

  void drive_ready(const std::array<std::uint8_t, 2>& requests,
                   const std::array<bool, 2>& replies) {
    for (unsigned i = 0; i < 2; ++i) {
      set_bits(model_->request_ready_i, 2 * i, 2, requests[i]);
      set_bits(model_->response_ready_i, i, 1, replies[i] ? 1 : 0);
    }
  }

  void drive(unsigned input, const packet& request) {
    set_bits(model_->request_location_i, 64 * input, 64, request.location);
    set_bits(model_->request_form_i, form_bits * input, form_bits,
             static_cast<std::uint64_t>(request.kind));
    set_bits(model_->request_a_i, 64 * input, 64, request.a);
    set_bits(model_->request_b_i, 64 * input, 64, request.b);
    set_bits(model_->request_id_i, id_bits * input, id_bits, number(request.id()));
    set_bits(model_->request_combinable_i, input, 1, request.combinable);
  }

  void drive(unsigned output, const reply& response) {
    set_bits(model_->response_value_i, 64 * output, 64, response.value);
    set_bits(model_->response_id_i, id_bits * output, id_bits, number(response.id()));
    set_bits(model_->response_status_i, status_bits * output, status_bits, response.status);
  }

  packet request(unsigned output) const {
    packet read;
    read.location = bits(model_->request_location_o, 64 * output, 64);
    read.kind = static_cast<form>(bits(model_->request_form_o, form_bits * output, form_bits));
    read.a = bits(model_->request_a_o, 64 * output, 64);
    read.b = bits(model_->request_b_o, 64 * output, 64);
    const std::uint64_t id = bits(model_->request_id_o, id_bits * output, id_bits);
    read.sequence = static_cast<std::uint32_t>(id >> pe_bits);
    read.pe = static_cast<std::uint16_t>(id);
    read.combinable = static_cast<std::uint8_t>(bits(model_->request_combinable_o, output, 1));
    return read;
  }

  reply response(unsigned input) const {
    reply read;
    read.value = bits(model_->response_value_o, 64 * input, 64);
    const std::uint64_t id = bits(model_->response_id_o, id_bits * input, id_bits);
    read.sequence = static_cast<std::uint32_t>(id >> pe_bits);
    read.pe = static_cast<std::uint16_t>(id);
    read.status = static_cast<std::uint8_t>(
        bits(model_->response_status_o, status_bits * input, status_bits));
    return read;
  }

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Model> model_;
  std::uint64_t combined_ = 0;
};

}  // namespace tributary::testing
