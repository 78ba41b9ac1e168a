// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/trace_replay.h>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>

namespace tributary {

void trace_replay_config::bind(parameter_set& parameters) {
  parameters.add("file", file,
                 "Path of the trace that is replayed, relative to the current directory.");
}

trace_replay::trace_replay(const trace_replay_config& config, const address_map& map) {
  if (config.file.empty()) {
    throw configuration_error({"workload.trace.file", "", "no trace is named",
                               "the path of a trace, plain or gzip",
                               "set it, or choose another workload.kind"});
  }
  requests_ = read_trace(config.file, map);
}

void trace_replay::advance(cycle_t now, network_interface& ports) {
  while (!finished() && requests_[next_].cycle <= now) {
    const traced_request& request = requests_[next_++];
    ports.offer(request.pe, {request.address, request.function, 0}, now);
    ++offered_;
  }
}

void trace_replay::reset_statistics() { offered_.reset(); }

void trace_replay::report(statistics_group& group) const {
  group.add("offered", offered_, "requests", "Requests of the trace that were offered.");
}

std::string trace_replay::save() const {
  const std::uint64_t position = next_;
  return save_state(position, stopped_, offered_);
}

void trace_replay::restore(const std::string& state) {
  std::uint64_t position = 0;
  restore_state(state, position, stopped_, offered_);
  if (position > requests_.size()) {
    throw input_error("checkpoint does not fit this trace: it had replayed " +
                      std::to_string(position) + " requests, and the trace has " +
                      std::to_string(requests_.size()));
  }
  next_ = position;
}

}  // namespace tributary
