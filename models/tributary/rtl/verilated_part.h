// SPDX-License-Identifier: Apache-2.0
// What the verilated parts of a switch have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <tributary/memory/packet.h>
#include <tributary/rtl/packed_messages.h>
#include <tributary/rtl/verilated_coverage.h>
#include <tributary/rtl/verilated_options.h>
#include <tributary/rtl/verilated_variable.h>
#include <tributary/rtl/verilator_runtime.h>
#include <tributary/sim/error.h>

namespace tributary {

/// One model with a clock and a reset. `Design` has its type, `model`, and its `parameters`; the
/// CMake function tributary_verilate_part writes one.
template <class Design>
class verilated_part {
 public:
  verilated_part(const verilated_part&) = delete;
  verilated_part& operator=(const verilated_part&) = delete;

  /// Entries, and of these combined ones; none where the model has no probe (rtl/probe).
  std::optional<std::uint32_t> size() const { return count(entries_); }
  std::optional<std::uint32_t> combined() const { return count(combined_); }

  /// One cycle of reset, after which the part is empty.
  void reset() {
    begin_cycle();
    model_->rst_ni = 0;
    settle();
    edge();
    model_->rst_ni = 1;
    settle();
  }

  /// The verilated model itself.
  typename Design::model& rtl() { return *model_; }

 protected:
  static constexpr message_layout layout{};

  /// Registers begin with random contents; the constructor of a part resets it.
  explicit verilated_part(const verilated_options& options)
      : name_(options.name), context_(std::make_unique<VerilatedContext>()) {
    context_->randReset(2);
    context_->randSeed(options.seed);
    context_->threads(1);  // or each context begins threads that nothing uses
    context_->fatalOnError(false);
    model_ = std::make_unique<typename Design::model>(context_.get());
    const VerilatedScope* const probe = find_scope(*context_, "u_probe");
    entries_ = verilated_variable(probe, "entries");
    combined_ = verilated_variable(probe, "combined");
  }
  virtual ~verilated_part() {
    Verilated::threadContextp(context_.get());
    model_->final();
    write_coverage(*context_);
    model_.reset();
  }

  /// Nothing arrives or leaves, until the part is told so.
  virtual void begin_cycle() = 0;

  typename Design::model& model() { return *model_; }
  const typename Design::model& model() const { return *model_; }

  /// Settles the outputs before the edge.
  void settle() { evaluate(0); }

  /// Ends the cycle. Throws `simulation_error` when an assertion of the RTL has failed.
  void edge() {
    evaluate(1);
    ++edges_;
    begin_cycle();
    if (context_->errorCount() == 0) return;
    throw simulation_error(name_ + ": an assertion of the RTL failed at clock edge " +
                           std::to_string(edges_) + "; its message is on standard output");
  }

  /// Throws `simulation_error` for a form that has no number.
  void check(form kind) const {
    const auto number = static_cast<unsigned>(kind);
    if (number < form_count) return;
    throw simulation_error(name_ + ": operation form " + std::to_string(number) +
                           " is undefined; forms are 0 to " + std::to_string(form_count - 1));
  }

 private:
  void evaluate(CData clock) {
    // Where Verilator counts failed assertions; there may be several models in a thread.
    Verilated::threadContextp(context_.get());
    model_->clk_i = clock;
    model_->eval();
  }

  static std::optional<std::uint32_t> count(const verilated_variable& counted) {
    constexpr unsigned count_bits = 16;
    if (!counted) return std::nullopt;
    return static_cast<std::uint32_t>(counted.bits(0, count_bits));
  }

  std::string name_;
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<typename Design::model> model_;
  verilated_variable entries_;
  verilated_variable combined_;
  std::uint64_t edges_ = 0;
};

}  // namespace tributary
