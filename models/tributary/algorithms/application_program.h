// SPDX-License-Identifier: Apache-2.0
// The program of an application, whose processes check what they leave in memory.
#pragma once

#include <optional>
#include <utility>

#include <tributary/algorithms/application_process.h>
#include <tributary/processor/program.h>

namespace tributary {

/// Runs a `Process` on each processor, and lets it compare what it left with what one processor
/// computes. `Process` has `run()`, `compare(expected)`, and of a `Config` the static functions
/// `locks`, how many it needs, and `expected`, which is called once at most.
template <class Process, class Config>
class application_program final : public program {
 public:
  application_program(const Config& config, const kept_synchronization& machine)
      : config_(config), machine_(machine) {}

  void reset() override {
    figures_.locks.reset(Process::locks(config_));
    figures_.crossings.reset();
  }

  void run(program_context& context) override {
    Process process(context, config_, machine_, figures_);
    process.run();
    if (!expected_) expected_ = Process::expected(config_);
    process.compare(*expected_);
  }

 private:
  Config config_;
  kept_synchronization machine_;
  application_figures figures_;
  std::optional<decltype(Process::expected(std::declval<const Config&>()))> expected_;
};

}  // namespace tributary
