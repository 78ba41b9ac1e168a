// SPDX-License-Identifier: Apache-2.0
// Replay of a trace: requests at the cycles that a file names.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <tributary/processor/processing_elements.h>
#include <tributary/processor/queued_workload.h>
#include <tributary/processor/trace_file.h>
#include <tributary/sim/statistics.h>

namespace tributary {

class parameter_set;

/// Configuration of a replay.
struct trace_replay_config {
  /// Path of the trace, relative to the current directory.
  std::string file;

  void bind(parameter_set& parameters);
};

/// Offers each request of a trace in its cycle at its element, where it waits first in, first out,
/// whatever the network does.
class trace_replay final : public queued_workload {
 public:
  /// Throws `configuration_error` if no file is named, `input_error` for what `read_trace` refuses.
  trace_replay(const trace_replay_config& config, const processing_element_config& elements,
               const address_map& map);

  void advance(cycle_t now, memory_port& ports) override;
  void deliver(cycle_t, const std::vector<memory_response>&) override {}
  void start(std::uint32_t element) override { await_next(element, 1); }
  void wake(const pe_slot& wakeup, cycle_t now) override;
  void completed(const completion&, cycle_t) override {}
  bool finished() const override {
    return (stopped_ || replayed_ == requests_.size()) && queues_.empty();
  }
  void reset_statistics() override;
  void report(statistics_group& group) const override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  void offer_next(std::uint32_t element, cycle_t now);
  /// Has the clock wake the element for its next request, in cycle `earliest` or later.
  void await_next(std::uint32_t element, cycle_t earliest);

  std::vector<traced_request> requests_;
  std::vector<std::vector<std::size_t>> of_element_;  // places in `requests_`
  std::vector<std::uint64_t> next_;                   // by element, in `of_element_`
  std::uint64_t replayed_ = 0;
  counter offered_;
};

}  // namespace tributary
