// SPDX-License-Identifier: Apache-2.0
// Verilated RTL of a combining switch as a switch implementation.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tributary/network/omega/entering_traffic.h>
#include <tributary/network/omega/switch_contents.h>
#include <tributary/network/omega/switch_implementation.h>
#include <tributary/rtl/packed_messages.h>
#include <tributary/rtl/switch_parameters.h>
#include <tributary/rtl/switch_probe.h>
#include <tributary/rtl/verilated_bits.h>
#include <tributary/rtl/verilated_coverage.h>
#include <tributary/rtl/verilated_options.h>
#include <tributary/rtl/verilated_waveform.h>
#include <tributary/rtl/verilator_runtime.h>
#include <tributary/sim/error.h>

namespace tributary {

/// RTL with the ports of rtl/combining_switch.sv. `Design` names what was verilated: a type
/// `model`, Verilator's class, and a constant `parameters` of type `switch_parameters`; the CMake
/// function tributary_verilate_switch writes one. Any RTL with these ports will do.
///
/// `depart` evaluates the combinational outputs; `commit` sets what arrives, reads the events and
/// makes the clock's edge. Throws `simulation_error` when an assertion of the RTL has failed, and
/// for an arrival that does not fit the ports: an operation that has no number, a value wider than
/// its port.
template <class Design>
class verilated_switch final : public switch_implementation {
 public:
  /// Registers begin with random contents, then come out of reset. Throws `configuration_error` for
  /// a waveform that the models were not verilated for, `input_error` for one that cannot be
  /// written.
  explicit verilated_switch(unsigned route_bit, const verilated_options& options = {})
      : name_(options.name),
        route_bit_(route_bit),
        context_(std::make_unique<VerilatedContext>()),
        waveform_(*context_, options) {
    context_->randReset(2);
    context_->randSeed(options.seed);
    context_->threads(1);  // or each context begins threads that nothing uses
    context_->fatalOnError(false);
    model_ =
        std::make_unique<model>(context_.get(), verilated_waveform::scope_of(options.name).c_str());
    probe_.emplace(*context_, widths);
    waveform_.open(*model_, options.fst);
    model_->route_bit_i = static_cast<CData>(route_bit);
    reset();
  }
  ~verilated_switch() override {
    show();  // the cycle that did not come to its end
    Verilated::threadContextp(context_.get());
    model_->final();
    write_coverage(*context_);
    model_.reset();
  }

  std::uint8_t request_ready(unsigned input) const override {
    return static_cast<std::uint8_t>(bits(model_->request_ready_o, 2 * input, 2));
  }
  bool reply_ready(unsigned output) const override {
    return bits(model_->response_ready_o, output, 1) != 0;
  }

  const switch_traffic& depart(const std::array<std::uint8_t, 2>& next_request_ready,
                               const std::array<bool, 2>& next_reply_ready) override {
    for (unsigned i = 0; i < 2; ++i) {
      set_bits(model_->request_ready_i, 2 * i, 2, next_request_ready[i]);
      set_bits(model_->response_ready_i, i, 1, next_reply_ready[i] ? 1 : 0);
    }
    settle();
    for (unsigned i = 0; i < 2; ++i) {
      departed_.requests[i].reset();
      departed_.replies[i].reset();
      if (bits(model_->request_valid_o, i, 1) != 0) {
        departed_.requests[i] = layout.read_at<packet>(model_->request_o, i);
      }
      if (bits(model_->response_valid_o, i, 1) != 0) {
        departed_.replies[i] = layout.read_at<reply>(model_->response_o, i);
      }
    }
    return departed_;
  }

  const switch_activity& commit(const switch_traffic& arriving) override {
    ++now_;
    bool arrived = false;
    for (unsigned i = 0; i < 2; ++i) {
      if (arriving.requests[i]) drive(i, *arriving.requests[i]), arrived = true;
      if (arriving.replies[i]) drive(i, *arriving.replies[i]), arrived = true;
    }
    if (arrived) settle();
    read_activity(entering_.after(arriving));
    clock_edge();
    model_->request_valid_i = 0;
    model_->response_valid_i = 0;
    if (context_->errorCount() != 0) {
      throw simulation_error(name_ + ": an assertion of the RTL failed in cycle " +
                             std::to_string(now_) + "; its message is on standard output");
    }
    return activity_;
  }

  bool idle() const override { return model_->idle_o != 0; }

  /// One cycle of reset.
  void reset() override {
    model_->rst_ni = 0;
    model_->request_valid_i = 0;
    model_->response_valid_i = 0;
    settle();
    clock_edge();
    model_->rst_ni = 1;
    departed_ = {};
    entering_.reset();
    inserted_.clear();
    context_->errorCount(0);
    now_ = 0;
  }

  /// Where the model has the probe of rtl/probe, as the project's own RTL does.
  std::optional<switch_occupancy> occupancy() const override {
    return probe_->bound() ? std::optional(probe_->occupancy()) : std::nullopt;
  }
  std::string state() const override {
    return probe_->bound() ? to_string(probe_->contents()) : switch_implementation::state();
  }

  /// The verilated model itself, for what this interface does not show.
  typename Design::model& rtl() { return *model_; }

 private:
  using model = typename Design::model;
  static constexpr switch_parameters widths = Design::parameters;
  static constexpr message_layout layout{widths};
  /// A systolic queue joins requests that arrived in an earlier cycle.
  static constexpr bool late_joining = widths.Microarchitecture != 0;

  void evaluate(unsigned clock) {
    // Where Verilator counts failed assertions; there may be several models in a thread.
    Verilated::threadContextp(context_.get());
    model_->clk_i = static_cast<CData>(clock);
    model_->eval();
  }

  /// Settles the outputs. In a waveform they have their values from the edge on, so with a high
  /// clock; without one the edge to come is prepared at once.
  void settle() { evaluate(waveform_.on() && edges_ != 0 ? 1 : 0); }

  /// Ends the cycle.
  void clock_edge() {
    show();
    evaluate(1);
    ++edges_;
  }

  /// The waveform of the cycle under way.
  void show() {
    if (!waveform_.on()) return;
    waveform_.dump(edges_, 0);
    evaluate(0);
    waveform_.dump(edges_, 1);
  }

  /// Throws unless `value` has at most `width` bits.
  void check_width(const char* field, const char* side, unsigned port, std::uint64_t value,
                   unsigned width) const {
    if (width >= 64 || (value >> width) == 0) return;
    throw simulation_error(name_ + ", cycle " + std::to_string(now_) + ", " + side + " " +
                           std::to_string(port) + ": " + field + " " + std::to_string(value) +
                           " does not fit the " + std::to_string(width) + " bits of the port");
  }

  void check(unsigned input, const packet& request) const {
    if (static_cast<unsigned>(request.kind) >= form_count) {
      throw simulation_error(name_ + ", cycle " + std::to_string(now_) + ", input " +
                             std::to_string(input) + ": operation form " +
                             std::to_string(static_cast<unsigned>(request.kind)) +
                             " is undefined; forms are 0 to " + std::to_string(form_count - 1));
    }
    check_width("module", "input", input, index(request.module()), widths.ModuleWidth);
    check_width("word address", "input", input, request.address() / word_bytes,
                widths.AddressWidth);
    check_width("operand a", "input", input, request.a, widths.DataWidth);
    check_width("operand b", "input", input, request.b, widths.DataWidth);
    check_width("element", "input", input, request.pe, widths.ElementWidth);
    check_width("sequence number", "input", input, request.sequence, widths.SequenceWidth);
  }

  void check(unsigned output, const reply& response) const {
    check_width("value", "output", output, response.value, widths.DataWidth);
    check_width("element", "output", output, response.pe, widths.ElementWidth);
    check_width("sequence number", "output", output, response.sequence, widths.SequenceWidth);
    check_width("status", "output", output, response.status, widths.StatusWidth);
  }

  void drive(unsigned input, const packet& request) {
    check(input, request);
    set_bits(model_->request_valid_i, input, 1, 1);
    layout.set_at(model_->request_i, input, request);
  }

  void drive(unsigned output, const reply& response) {
    check(output, response);
    set_bits(model_->response_valid_i, output, 1, 1);
    layout.set_at(model_->response_i, output, response);
  }

  /// What happened by the event ports, before the edge.
  void read_activity(const switch_traffic& entered) {
    activity_ = {};
    for (unsigned i = 0; i < 2; ++i) {
      activity_.inserted[i] = bits(model_->event_inserted_o, i, 1) != 0;
      activity_.held[i] = bits(model_->event_held_o, i, 1) != 0;
      if (bits(model_->event_decombined_o, i, 1) != 0) {
        activity_.decombined[i] = layout.read_at<reply>(model_->event_second_o, i);
      }
      if constexpr (late_joining) {
        if (activity_.inserted[i] && entered.requests[i]) {
          inserted_.push_back(*entered.requests[i]);
        }
        if (departed_.requests[i]) forget(departed_.requests[i]->id());
      }
    }
    for (unsigned event = 0; event < join_events_of(widths); ++event) {
      if (bits(model_->event_combined_o, event, 1) == 0) continue;
      read_joining(event, entered);
    }
  }

  void read_joining(unsigned event, const switch_traffic& entered) {
    const request_id first = layout.read_at<request_id>(model_->event_joined_id_o, event);
    const request_id joining = layout.read_at<request_id>(model_->event_joining_id_o, event);
    packet request;
    for (const auto& each : entered.requests) {
      if (each && each->id() == joining) request = *each;
    }
    if constexpr (late_joining) {
      for (const packet& waiting : inserted_) {
        if (waiting.id() == joining) request = waiting;
      }
      forget(joining);
    }
    activity_.combined.push_back({output_of(request), request, first});
  }

  void forget(const request_id& id) {
    inserted_.erase(std::remove_if(inserted_.begin(), inserted_.end(),
                                   [&](const packet& each) { return each.id() == id; }),
                    inserted_.end());
  }

  unsigned output_of(const packet& request) const {
    return (index(request.module()) >> route_bit_) & 1U;
  }

  std::string name_;
  unsigned route_bit_;
  std::unique_ptr<VerilatedContext> context_;
  verilated_waveform waveform_;
  std::unique_ptr<model> model_;
  std::optional<switch_probe> probe_;
  std::uint64_t edges_ = 0;  // of the clock; the first is that of the first reset
  std::uint64_t now_ = 0;    // cycles since reset
  switch_traffic departed_;
  entering_traffic entering_{widths.ArrivalRegisters != 0};
  switch_activity activity_;
  std::vector<packet> inserted_;  // where joining is late: what arrived and neither joined nor left
};

}  // namespace tributary
