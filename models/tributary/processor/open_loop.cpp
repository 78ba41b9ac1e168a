// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/open_loop.h>

#include <tributary/sim/parameters.h>
#include <tributary/sim/purpose.h>
#include <tributary/sim/state_archive.h>

namespace tributary {

void open_loop_config::bind(parameter_set& parameters) {
  parameters.add("load", load, interval<double>{0, 1}, "requests/element/cycle",
                 "Requests that each element generates per cycle.");
  parameters.add("source_queue", source_queue, interval<std::uint32_t>{0, 1000000}, "requests",
                 "Requests that wait at an element; full, it generates none. 0 is unbounded.");
}

open_loop::open_loop(const open_loop_config& config, const traffic_config& requests,
                     const address_map& map, std::uint64_t seed)
    : config_(config),
      traffic_(requests, map, seed),
      threshold_(probability_threshold(config.load)) {
  for (std::uint32_t pe = 0; pe < map.modules(); ++pe) {
    arrivals_.emplace_back(seed, pe, purpose::arrival);
  }
}

void open_loop::advance(cycle_t now, network_interface& ports) {
  if (stopped_) return;
  for (std::size_t pe = 0; pe < arrivals_.size(); ++pe) {
    if (!arrivals_[pe].bernoulli(threshold_)) continue;
    if (config_.source_queue != 0 && ports.waiting(pe) >= config_.source_queue) {
      ++withheld_;
      continue;
    }
    ++generated_;
    ports.offer(pe, traffic_.draw(pe), now);
  }
}

void open_loop::reset_statistics() {
  generated_.reset();
  withheld_.reset();
}

void open_loop::report(statistics_group& group) const {
  group.add("generated", generated_, "requests", "Requests generated into source queues.");
  group.add("withheld", withheld_, "requests",
            "Requests that were not generated because the source queue was full.");
}

std::string open_loop::save() const {
  return save_state(traffic_, arrivals_, stopped_, generated_, withheld_);
}

void open_loop::restore(const std::string& state) {
  restore_state(state, traffic_, arrivals_, stopped_, generated_, withheld_);
}

}  // namespace tributary
