// SPDX-License-Identifier: Apache-2.0
// Verilated RTL of a whole omega network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <tributary/memory/packet.h>
#include <tributary/rtl/packed_messages.h>
#include <tributary/rtl/switch_parameters.h>
#include <tributary/rtl/verilated_bits.h>
#include <tributary/rtl/verilated_coverage.h>
#include <tributary/rtl/verilated_options.h>
#include <tributary/rtl/verilated_waveform.h>
#include <tributary/rtl/verilator_runtime.h>
#include <tributary/sim/error.h>

namespace tributary {

/// RTL with the ports of rtl/omega_network.sv as one model, stepped as an `omega_network` is.
/// `Design` names what was verilated: a type `model`, Verilator's class, and the constants `stages`
/// (log2 of the elements) and `parameters`, the `switch_parameters` of every switch; the CMake
/// function tributary_verilate_network writes one.
///
/// One cycle: `depart`; what leaves, by `for_each_departing_request` and `_reply`; `accept_request`
/// and `accept_reply`; `settle`. Nothing may arrive where the network is not ready. `settle` throws
/// `simulation_error` when an assertion of the RTL has failed.
template <class Design>
class verilated_network {
 public:
  /// Processing elements, and memory modules.
  static constexpr std::size_t lines = std::size_t{1} << Design::stages;

  /// Registers begin with random contents, then come out of reset. Throws `configuration_error` for
  /// a waveform that the model was not verilated for, `input_error` for one that cannot be written.
  explicit verilated_network(const verilated_options& options = {})
      : name_(options.name),
        context_(std::make_unique<VerilatedContext>()),
        waveform_(*context_, options) {
    context_->randReset(2);
    context_->randSeed(options.seed);
    context_->threads(1);
    context_->fatalOnError(false);
    model_ =
        std::make_unique<model>(context_.get(), verilated_waveform::scope_of(options.name).c_str());
    waveform_.open(*model_, options.fst);
    reset();
  }
  ~verilated_network() {
    show();
    Verilated::threadContextp(context_.get());
    model_->final();
    write_coverage(*context_);
    model_.reset();
  }
  verilated_network(const verilated_network&) = delete;
  verilated_network& operator=(const verilated_network&) = delete;

  /// By processing element: bit o for output o of its switch.
  std::uint8_t request_ready(std::size_t element) const {
    return static_cast<std::uint8_t>(bits(model_->request_ready_o, at(2 * element), 2));
  }
  /// By memory module.
  bool reply_ready(std::size_t module) const {
    return bits(model_->response_ready_o, at(module), 1) != 0;
  }

  /// Decides what leaves: `memory_ready` by module, `element_ready` by element, `lines` bytes each,
  /// other than 0 if it takes a request or a reply in this cycle.
  void depart(const std::uint8_t* memory_ready, const std::uint8_t* element_ready) {
    for (std::size_t line = 0; line < lines; ++line) {
      set_bits(model_->request_ready_i, at(line), 1, memory_ready[line] != 0 ? 1 : 0);
      set_bits(model_->response_ready_i, at(line), 1, element_ready[line] != 0 ? 1 : 0);
    }
    evaluate(level());
  }

  /// What leaves in this cycle, ascending: `visit(module, const packet&)`.
  template <class Visit>
  void for_each_departing_request(Visit&& visit) const {
    for_each_departing<packet>(model_->request_valid_o, model_->request_o, visit);
  }
  /// `visit(element, const reply&)`.
  template <class Visit>
  void for_each_departing_reply(Visit&& visit) const {
    for_each_departing<reply>(model_->response_valid_o, model_->response_o, visit);
  }

  /// A request that a processing element sends.
  void accept_request(std::size_t element, const packet& request) {
    set_bits(model_->request_valid_i, at(element), 1, 1);
    layout.set_at(model_->request_i, at(element), request);
  }
  /// A reply that a memory module sends.
  void accept_reply(std::size_t module, const reply& response) {
    set_bits(model_->response_valid_i, at(module), 1, 1);
    layout.set_at(model_->response_i, at(module), response);
  }

  /// Ends the cycle.
  void settle() {
    ++now_;
    clock_edge();
    nothing_arrives();
    if (context_->errorCount() == 0) return;
    throw simulation_error(name_ + ": an assertion of the RTL failed in cycle " +
                           std::to_string(now_) + "; its message is on standard output");
  }

  bool idle() const { return model_->idle_o != 0; }

  /// One cycle of reset.
  void reset() {
    model_->rst_ni = 0;
    nothing_arrives();
    evaluate(0);
    clock_edge();
    model_->rst_ni = 1;
    context_->errorCount(0);
    now_ = 0;
  }

 private:
  using model = typename Design::model;
  static constexpr message_layout layout{Design::parameters};

  static unsigned at(std::size_t place) { return static_cast<unsigned>(place); }

  template <class Message, class Valid, class Port, class Visit>
  static void for_each_departing(const Valid& valid, Port& port, Visit& visit) {
    for (std::size_t line = 0; line < lines; ++line) {
      if (bits(valid, at(line), 1) == 0) continue;
      visit(line, layout.template read_at<Message>(port, at(line)));
    }
  }

  void nothing_arrives() {
    for (std::size_t line = 0; line < lines; ++line) {
      set_bits(model_->request_valid_i, at(line), 1, 0);
      set_bits(model_->response_valid_i, at(line), 1, 0);
    }
  }

  void evaluate(unsigned clock) {
    // Where Verilator counts failed assertions; there may be several models in a thread.
    Verilated::threadContextp(context_.get());
    model_->clk_i = static_cast<CData>(clock);
    model_->eval();
  }

  /// Of the clock before the edge: in a waveform outputs have their values from the last edge on,
  /// so with a high clock; without one the edge to come is prepared at once.
  unsigned level() const { return waveform_.on() && edges_ != 0 ? 1 : 0; }

  void clock_edge() {
    show();
    evaluate(1);
    ++edges_;
  }

  /// The waveform of the cycle under way, as of a `verilated_switch`.
  void show() {
    if (!waveform_.on()) return;
    evaluate(level());  // with what arrived
    waveform_.dump(edges_, 0);
    evaluate(0);
    waveform_.dump(edges_, 1);
  }

  std::string name_;
  std::unique_ptr<VerilatedContext> context_;
  verilated_waveform waveform_;
  std::unique_ptr<model> model_;
  std::uint64_t edges_ = 0;  // of the clock; the first is that of the first reset
  std::uint64_t now_ = 0;    // cycles since reset
};

}  // namespace tributary
