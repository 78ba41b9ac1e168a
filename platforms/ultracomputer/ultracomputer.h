// SPDX-License-Identifier: Apache-2.0
// The NYU Ultracomputer: processing elements, omega network of combining switches, memory modules.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <tributary/processor/parked_spinners.h>
#include <tributary/processor/program.h>

#include "faster_way.h"
#include "ultracomputer_machine.h"
#include "ultracomputer_threads.h"

namespace tributary {

/// The machine in a plain loop: every block of a cycle answers `depart` before any commits.
class ultracomputer final : public ultracomputer_machine {
 public:
  /// `seed` names every random stream of the run. Throws `configuration_error` or `input_error` but
  /// does not check ranges: call `config.validate()` first for values that no file has set.
  ultracomputer(const ultracomputer_config& config, std::uint64_t seed);
  /// A machine whose elements run `own_program`, in place of the workload that the configuration
  /// chooses; how they run it is `config.workload.program.run`.
  ultracomputer(const ultracomputer_config& config, std::uint64_t seed,
                std::unique_ptr<program> own_program);
  ~ultracomputer() override;

  cycle_t now() const override { return now_; }
  /// Parks elements that spin on their own memory while events and offers are not observed.
  void run_until(cycle_t last) override;
  /// They are used where the network has parts enough, and while events are not observed.
  void use_threads(std::size_t most, thread_use use = thread_use::always) override;
  /// Parts of a cycle take the place of blocks, as blocks take turns within each.
  bool show(current_activity* activity) override;

  /// Simulates one cycle, or `cycles`; parks none.
  void step();
  void step(std::uint64_t cycles) {
    for (std::uint64_t i = 0; i < cycles; ++i) step();
  }

  const omega_network& network() const override { return whole_network(); }
  const memory& memories() const override { return memory_; }
  const network_interface& interfaces() const override { return interface_; }
  const workload& work() const override { return *workload_; }
  const parked_spinners& parked() const { return parked_; }
  omega_network& network() override { return whole_network(), network_; }
  memory& memories() override { return memory_; }
  network_interface& interfaces() override { return interface_; }
  workload& work() override { return *workload_; }

 private:
  ultracomputer(const ultracomputer_config& config, std::uint64_t seed,
                const std::function<std::unique_ptr<workload>(const address_map&)>& make);

  request_trace& events() override { return trace_; }
  void resume_after(cycle_t now) override { now_ = now; }

  /// The network, which threads leave in parts.
  const omega_network& whole_network() const {
    if (threads_ != nullptr) threads_->unite();
    return network_;
  }
  void step_on_threads();
  /// The way that is measured to be the faster one.
  void step_faster(cycle_t last);
  /// Up to cycle `last`, or until it has finished.
  void step_until(cycle_t last, bool on_threads);
  template <class Observer>
  void step_observed(Observer& observer);
  template <class Observer>
  void deliver(std::size_t pe, const reply& response, Observer& observer);

  omega_network network_;
  memory memory_;
  network_interface interface_;
  std::unique_ptr<workload> workload_;
  parked_spinners parked_;
  request_trace trace_;
  cycle_t now_ = 0;
  current_activity* activity_ = nullptr;
  std::vector<memory_response> responses_;          // of the current cycle
  std::unique_ptr<ultracomputer_threads> threads_;  // null for one
  std::optional<faster_way> faster_;                // of one and several; empty: always several
};

}  // namespace tributary
