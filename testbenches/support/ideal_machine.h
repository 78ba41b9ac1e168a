// SPDX-License-Identifier: Apache-2.0
// Programs without a network: each reference is served after a random time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>

#include <tributary/memory/address_map.h>
#include <tributary/nic/network_interface.h>
#include <tributary/processor/program_workload.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/random_stream.h>

namespace tributary::testing {

/// What an `ideal_machine` is made of.
struct ideal_config {
  std::uint32_t elements = 4;
  /// Each way of a reference takes 1 to so many cycles, drawn for each.
  std::uint64_t slowest = 40;
  network_interface_config interface { 1, issue_policy::one_per_word };
  program_config programs;
  processing_element_config processor;
};

/// Elements that run a program over one memory that serves everything at once and alone: the
/// reference of what a program may do, and the harshest mixer of its timing.
class ideal_machine {
 public:
  ideal_machine(const ideal_config& config, std::uint64_t seed, std::unique_ptr<program> what);
  ~ideal_machine();

  /// Runs until all programs have ended and everything was answered. Throws `simulation_error` if
  /// that takes more than `at_most` cycles.
  void run(cycle_t at_most = 50000000);

  cycle_t now() const { return now_; }
  word_t word(std::uint64_t address) const;
  program_workload& work() { return work_; }

 private:
  struct way {
    bool served = false;
    packet request;
    word_t value = 0;
  };

  void step();
  void start(const packet& request);
  void arrive(way& what);

  std::uint64_t slowest_;
  address_map map_;
  network_interface ports_;
  program_workload work_;
  random_stream random_;
  cycle_t now_ = 0;
  std::multimap<cycle_t, way> ways_;  // by arrival
  std::unordered_map<std::uint64_t, word_t> words_;
  std::vector<memory_response> responses_;
};

}  // namespace tributary::testing
