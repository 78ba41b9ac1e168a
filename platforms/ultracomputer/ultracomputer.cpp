// SPDX-License-Identifier: Apache-2.0
#include "ultracomputer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <tributary/processor/program_workload.h>

namespace tributary {
ultracomputer::ultracomputer(const ultracomputer_config& config, std::uint64_t seed)
    : ultracomputer(config, seed, [&](const address_map& map) {
        return make_workload(config.workload, config.processor, config.interface.outstanding, map,
                             seed);
      }) {}

ultracomputer::ultracomputer(const ultracomputer_config& config, std::uint64_t seed,
                             std::unique_ptr<program> own_program)
    : ultracomputer(config.with_programs(), seed, [&](const address_map& map) {
        return std::make_unique<program_workload>(
            config.workload.program.run, std::move(own_program), config.processor, map, seed);
      }) {}

ultracomputer::ultracomputer(
    const ultracomputer_config& config, std::uint64_t seed,
    const std::function<std::unique_ptr<workload>(const address_map&)>& make)
    : ultracomputer_machine(config, seed),
      network_(config.network),
      memory_(config.memory, config.network.switches.link_cycles,
              config.network.processing_elements),
      interface_(config.resolved_interface(), addresses(), network_.first_route_bit(),
                 config.network.switches.link_cycles, config.network.processing_elements),
      workload_(make(addresses())),
      parked_(memory_, interface_, addresses(), config.processor.turnaround),
      trace_(interface_, config.network, "ultracomputer") {}

ultracomputer::~ultracomputer() = default;

void ultracomputer::run_until(cycle_t last) {
  // A switch of another implementation shows its memory's ready bit, as in a waveform.
  const bool seen = trace_.observed() || !interface_.offers().empty();
  parked_.allow(!seen && network_.replaced().empty());
  workload_->let_park(&parked_);
  const bool choose = threads_ != nullptr && !trace_.observed() && threads_->worth_it(last - now_);
  if (choose && faster_) {
    step_faster(last);
  } else {
    step_until(last, choose);
  }
  workload_->let_park(nullptr);
  parked_.wake_all(now_);
}

void ultracomputer::step_faster(cycle_t last) {
  using clock = std::chrono::steady_clock;
  constexpr std::uint64_t shortest = 16;  // cycles that tell something
  const bool on_threads = faster_->second();
  if (!on_threads) threads_->unite();
  const clock::time_point begun = clock::now();
  const cycle_t before = now_;
  step_until(last, on_threads);
  const double seconds = std::chrono::duration<double>(clock::now() - begun).count();
  const std::uint64_t cycles = now_ - before;
  if (cycles >= shortest) faster_->took(seconds / static_cast<double>(cycles));
}

void ultracomputer::step_until(cycle_t last, bool on_threads) {
  while (now_ < last && !finished()) {
    on_threads ? step_on_threads() : step();
    parked_.wake_called(now_);
  }
  if (on_threads) threads_->settle();
}

void ultracomputer::use_threads(std::size_t most, thread_use use) {
  const std::size_t limit = std::min(most, divided_network::most_parts(network_));
  std::size_t used = 1;
  while (2 * used <= limit) used *= 2;
  whole_network();
  threads_.reset();
  if (used > 1) {
    threads_ = std::make_unique<ultracomputer_threads>(used, network_, interface_, memory_);
    faster_.reset();
    if (use == thread_use::while_faster) faster_.emplace();
  }
}

bool ultracomputer::show(current_activity* activity) {
  activity_ = activity;
  return true;
}

void ultracomputer::step_on_threads() {
  ++now_;
  responses_.clear();
  set_activity(activity_, "elements");
  independent_elements* const elements =
      interface_.offers().empty() ? workload_->independent() : nullptr;
  if (elements == nullptr) workload_->advance(now_, interface_);
  threads_->step(now_, elements, responses_, transit(), activity_);
  set_activity(activity_, "elements");
  workload_->deliver(now_, responses_);
  set_activity(activity_, nullptr);
}

void ultracomputer::step() {
  whole_network();
  if (!trace_.observed()) {
    no_events nobody;
    step_observed(nobody);
    return;
  }
  trace_.begin(now_ + 1);
  try {
    step_observed(trace_);
  } catch (...) {
    trace_.end();  // what led there
    throw;
  }
  set_activity(activity_, "events");
  trace_.end();
  set_activity(activity_, nullptr);
}

template <class Observer>
void ultracomputer::step_observed(Observer& observer) {
  ++now_;
  responses_.clear();
  set_activity(activity_, "elements");
  workload_->advance(now_, interface_);

  set_activity(activity_, "departures");
  network_.depart(memory_.request_ready());
  interface_.depart(network_.request_ready(), memory_.local_ready());
  memory_.depart(network_.reply_ready());

  network_.advance();
  interface_.advance();
  memory_.advance();

  set_activity(activity_, "requests");
  const auto memory_side = static_cast<std::int32_t>(network_.stages());
  network_.move_requests(
      [&](std::size_t module, const packet& request) {
        memory_.serve(module, request, now_);
        count_transit(request, now_);
        observer.request(request_events::served, memory_side, module, request, request.id());
      },
      observer);
  interface_.release_requests(
      now_,
      [&](std::size_t pe, const packet& request) {
        observer.request(request_events::accepted, processor_side, pe, request, request.id());
        network_.accept_request(pe, request, observer);
      },
      [&](std::size_t pe, const packet& request) {
        observer.request(request_events::accepted, processor_side, pe, request, request.id());
        memory_.accept_local(pe, request);
      });
  memory_.serve_local(now_, [&](std::size_t module, const packet& request, word_t) {
    observer.request(request_events::served, memory_side, module, request, request.id());
  });

  set_activity(activity_, "replies");
  network_.move_replies(
      [&](std::size_t pe, const reply& response) { deliver(pe, response, observer); }, observer);
  memory_.release_replies(now_, [&](std::size_t module, const reply& response) {
    observer.response(request_events::replied, memory_side, module, response, response.id());
    network_.accept_reply(module, response, observer);
  });
  network_.settle(observer);
  memory_.release_local_replies(now_, [&](std::size_t module, const reply& response) {
    deliver(module, response, observer);
  });
  memory_.settle();

  set_activity(activity_, "elements");
  workload_->deliver(now_, responses_);
  set_activity(activity_, nullptr);
}

template <class Observer>
void ultracomputer::deliver(std::size_t pe, const reply& response, Observer& observer) {
  observer.response(request_events::delivered, processor_side, pe, response, response.id());
  responses_.push_back(interface_.deliver(pe, response, now_));
}

}  // namespace tributary
