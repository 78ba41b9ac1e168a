// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/open_loop.h>

#include <tributary/sim/fixed_size.h>
#include <tributary/sim/for_each_set.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

// Wake-ups of an element whose node keeps its own time.
constexpr std::uint32_t arrival = 0;
constexpr std::uint32_t no_arrival = 1;  // none was drawn so far ahead

}  // namespace

void open_loop_config::bind(parameter_set& parameters) {
  parameters.add("load", load, interval<double>{0, 1}, "requests/element/cycle",
                 "Requests that each element generates per cycle.");
  parameters.add("source_queue", source_queue, interval<std::uint32_t>{0, 1000000}, "requests",
                 "Requests that wait at an element; full, it generates none. 0 is unbounded.");
}

open_loop::open_loop(const open_loop_config& config, const traffic_config& requests,
                     const processing_element_config& elements, const address_map& map,
                     std::uint64_t seed)
    : queued_workload(map.modules(), elements.posted_stores),
      config_(config),
      traffic_(requests, map, seed),
      threshold_(probability_threshold(config.load)) {
  trials_.resize(map.modules());
  for (std::uint32_t pe = 0; pe < map.modules(); ++pe) {
    arrivals_.emplace_back(seed, pe, purpose::arrival);
  }
}

void open_loop::advance(cycle_t now, memory_port& ports) {
  port_ = &ports;
  counts counted;
  begin(now);
  advance({0, trials_.size()}, now, ports, counted);
  take(counted);
}

void open_loop::begin(cycle_t) {
  trial_ = 0;
  if (stopped_) return;
  draws_ = tried_ == random_stream::block;
  if (draws_) tried_ = 0;
  trial_ = static_cast<std::uint8_t>(1U << tried_++);
}

void open_loop::advance(const port_range& elements, cycle_t now, memory_port& port,
                        counts& counted) {
  if (trial_ == 0) return;
  if (draws_) draw_trials(elements);
  for_each_set(trials_.data(), elements, nullptr, trial_,
               [&](std::size_t pe) { generate(pe, now, port, counted); });
}

void open_loop::draw_trials(const port_range& elements) {
  static_assert(random_stream::block <= 8, "bits of a byte");
  for (std::size_t pe = elements.first; pe < elements.last; ++pe) {
    unsigned bits = 0;
    for (std::uint32_t i = 0; i < random_stream::block; ++i) {
      bits |= unsigned{arrivals_[pe].bernoulli(threshold_)} << i;
    }
    trials_[pe] = static_cast<std::uint8_t>(bits);
  }
}

void open_loop::generate(std::size_t element, cycle_t now, memory_port& port, counts& counted) {
  if (config_.source_queue != 0 &&
      queues_.waiting(element) + port.waiting(element) >= config_.source_queue) {
    ++counted.withheld;
    return;
  }
  ++counted.generated;
  queues_.offer(element, traffic_.draw(element), now, port);
}

void open_loop::take(counts& counted) {
  generated_.add(counted.generated);
  withheld_.add(counted.withheld);
  counted = {};
}

// The trials of the cycles between are drawn now: the same stream as cycle by cycle.
void open_loop::await_arrival(std::uint32_t element, cycle_t now) {
  constexpr cycle_t ahead = 4096;
  for (cycle_t at = now + 1; at <= now + ahead; ++at) {
    if (!arrivals_[element].bernoulli(threshold_)) continue;
    clock_->wake_at({element, arrival}, at);
    return;
  }
  clock_->wake_at({element, no_arrival}, now + ahead);
}

void open_loop::wake(const pe_slot& wakeup, cycle_t now) {
  if (stopped_) return;
  if (wakeup.slot == arrival) {
    counts counted;
    generate(wakeup.pe, now, *port_, counted);
    take(counted);
  }
  await_arrival(wakeup.pe, now);
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
  return save_state(traffic_, arrivals_, trials_, tried_, stopped_, generated_, withheld_, queues_);
}

void open_loop::restore(const std::string& state) {
  fixed_size arrivals(arrivals_);
  fixed_size trials(trials_);
  restore_state(state, traffic_, arrivals, trials, tried_, stopped_, generated_, withheld_,
                queues_);
  require_state(tried_ <= random_stream::block, "it has more trials than are drawn at once");
}

}  // namespace tributary
