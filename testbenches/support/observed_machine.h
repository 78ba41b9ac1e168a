// SPDX-License-Identifier: Apache-2.0
// An Ultracomputer under synthetic traffic whose every request and reply is recorded.
#pragma once

#include <cstdint>
#include <string>

#include <tributary/processor/traffic.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/random_stream.h>
#include <ultracomputer/ultracomputer.h>

#include "history_recorder.h"

namespace tributary::testing {

/// Runs a machine and collects its history. What each request asks for comes from a second
/// instance of the traffic, not from the machine: the i-th draw of an element is its i-th request.
class observed_machine final : public observer<trace_event> {
 public:
  observed_machine(const ultracomputer_config& config, std::uint64_t seed);
  ~observed_machine() override;

  ultracomputer& machine() { return machine_; }

  /// Simulates until so many requests were accepted, or for so many cycles.
  void run(std::uint64_t requests, std::uint64_t cycles);
  std::uint64_t accepted() const { return recorder_.seen().requests.size(); }
  /// How many of these combined with a waiting one.
  std::uint64_t combined() const { return recorder_.joined(); }

  /// Completes the history of a machine that has drained: final memory, what was promised.
  history& finish();
  /// The first event that made no sense, or an empty string.
  const std::string& problem() const { return problem_.empty() ? recorder_.problem() : problem_; }

  void on_event(const trace_event& event) override;

 private:
  void check_request(const trace_event& event, const access& asked);

  ultracomputer machine_;
  traffic asked_;
  history_recorder recorder_;
  std::string problem_;
};

/// A configuration drawn over every axis that validation accepts, 2 to `largest` elements, with
/// traffic that meets at few words.
ultracomputer_config random_configuration(random_stream& random, std::uint32_t largest = 64);

/// The configuration as one line, for messages.
std::string to_string(const ultracomputer_config& config);

}  // namespace tributary::testing
