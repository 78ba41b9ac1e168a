// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/trace_replay.h>

#include <algorithm>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>

namespace tributary {

void trace_replay_config::bind(parameter_set& parameters) {
  parameters.add("file", file,
                 "Path of the trace that is replayed, relative to the current directory.");
}

trace_replay::trace_replay(const trace_replay_config& config,
                           const processing_element_config& elements, const address_map& map)
    : queued_workload(map.modules(), elements.posted_stores),
      of_element_(map.modules()),
      next_(map.modules()) {
  if (config.file.empty()) {
    throw configuration_error({"workload.trace.file", "", "no trace is named",
                               "the path of a trace, plain or gzip",
                               "set it, or choose another workload.kind"});
  }
  requests_ = read_trace(config.file, map);
  for (std::size_t i = 0; i < requests_.size(); ++i) of_element_[requests_[i].pe].push_back(i);
}

// In the order of the file.
void trace_replay::advance(cycle_t now, memory_port& ports) {
  port_ = &ports;
  while (!stopped_ && replayed_ < requests_.size() && requests_[replayed_].cycle <= now) {
    offer_next(requests_[replayed_].pe, now);
  }
}

void trace_replay::offer_next(std::uint32_t element, cycle_t now) {
  const traced_request& request = requests_[of_element_[element][next_[element]++]];
  ++replayed_;
  offer(element, {request.address, request.function}, now);
  ++offered_;
}

void trace_replay::await_next(std::uint32_t element, cycle_t earliest) {
  const std::vector<std::size_t>& mine = of_element_[element];
  if (next_[element] == mine.size()) return;
  clock_->wake_at({element, 0}, std::max(earliest, requests_[mine[next_[element]]].cycle));
}

void trace_replay::wake(const pe_slot& wakeup, cycle_t now) {
  if (stopped_) return;
  const std::vector<std::size_t>& mine = of_element_[wakeup.pe];
  while (next_[wakeup.pe] < mine.size() && requests_[mine[next_[wakeup.pe]]].cycle <= now) {
    offer_next(wakeup.pe, now);
  }
  await_next(wakeup.pe, now + 1);
}

void trace_replay::reset_statistics() { offered_.reset(); }

void trace_replay::report(statistics_group& group) const {
  group.add("offered", offered_, "requests", "Requests of the trace that were offered.");
}

std::string trace_replay::save() const {
  return save_state(replayed_, stopped_, offered_, next_, queues_);
}

void trace_replay::restore(const std::string& state) {
  restore_state(state, replayed_, stopped_, offered_, next_, queues_);
  bool fits = replayed_ <= requests_.size() && next_.size() == of_element_.size();
  for (std::size_t i = 0; fits && i < next_.size(); ++i) fits = next_[i] <= of_element_[i].size();
  if (!fits) {
    throw input_error("checkpoint does not fit this trace: it had replayed " +
                      std::to_string(replayed_) + " requests, and the trace has " +
                      std::to_string(requests_.size()));
  }
}

}  // namespace tributary
