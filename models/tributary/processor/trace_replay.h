// SPDX-License-Identifier: Apache-2.0
// Replay of a trace: requests at the cycles that a file names.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <tributary/processor/trace_file.h>
#include <tributary/processor/workload.h>
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
class trace_replay final : public workload {
 public:
  /// Throws `configuration_error` if no file is named, `input_error` for what `read_trace` refuses.
  trace_replay(const trace_replay_config& config, const address_map& map);

  void advance(cycle_t now, network_interface& ports) override;
  void deliver(cycle_t, const std::vector<memory_response>&) override {}
  bool finished() const override { return stopped_ || next_ == requests_.size(); }
  void stop() override { stopped_ = true; }
  void reset_statistics() override;
  void report(statistics_group& group) const override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  std::vector<traced_request> requests_;
  std::size_t next_ = 0;
  bool stopped_ = false;
  counter offered_;
};

}  // namespace tributary
