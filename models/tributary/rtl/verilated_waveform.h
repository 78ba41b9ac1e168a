// SPDX-License-Identifier: Apache-2.0
// The waveform of one verilated model.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <tributary/rtl/verilator_runtime.h>
#if VM_TRACE_FST
#include <verilated_fst_c.h>
#endif

#include <tributary/rtl/verilated_options.h>
#include <tributary/sim/error.h>

namespace tributary {

/// A file in FST with all signals of a model, or nothing. The clock rises at the end of cycle n at
/// time 10 n, and the signals have the values of cycle n from time 10 (n - 1) on: what stands left
/// of an edge is what the registers take.
class verilated_waveform {
 public:
  /// Time units of a cycle.
  static constexpr std::uint64_t period = 10;

  /// Name of the model's scope.
  static std::string scope_of(std::string name) {
    for (char& each : name) {
      if (each == ' ' || each == ',') each = '_';
    }
    return name;
  }

  /// Throws `configuration_error` where models are verilated without waveforms.
  static void require() {
#if !VM_TRACE_FST
    throw configuration_error(
        "this program's RTL was verilated without waveforms; build the preset rtl-trace "
        "(./dev build rtl-trace) and run build/rtl-trace/tools/tributary, or set "
        "-DTRIBUTARY_RTL_TRACE=ON in a project of your own");
#endif
  }

#if VM_TRACE_FST
  /// Before the model is made.
  verilated_waveform(VerilatedContext& context, const verilated_options& options)
      : first_(options.fst_first), last_(options.fst_last) {
    context.traceEverOn(!options.fst.empty());
  }

  /// Throws `input_error` for a file that cannot be written.
  template <class Model>
  void open(Model& model, const std::string& path) {
    if (path.empty()) return;
    file_ = std::make_unique<VerilatedFstC>();
    constexpr int all_levels = 99;
    model.trace(file_.get(), all_levels);
    file_->open(path.c_str());
    if (!file_->isOpen()) {
      throw input_error(path +
                        ": the waveform cannot be written; name a folder that exists and "
                        "can be written to");
    }
  }

  bool on() const { return file_ != nullptr; }

  /// The signals in a half of a cycle: in the first the clock is high.
  void dump(std::uint64_t cycle, unsigned half) {
    if (cycle < first_ || cycle > last_ || cycle == 0) return;
    file_->dump(period * (cycle - 1) + period / 2 * half);
  }

 private:
  std::unique_ptr<VerilatedFstC> file_;
  std::uint64_t first_;
  std::uint64_t last_;
#else
  /// Throws `configuration_error` if a waveform is asked for.
  verilated_waveform(VerilatedContext&, const verilated_options& options) {
    if (!options.fst.empty()) require();
  }
  template <class Model>
  void open(Model&, const std::string&) {}
  static constexpr bool on() { return false; }
  void dump(std::uint64_t, unsigned) {}
#endif
};

}  // namespace tributary
