// SPDX-License-Identifier: Apache-2.0
#include "ultracomputer.h"

#include <algorithm>
#include <utility>

#include <tributary/base/error.h>
#include <tributary/base/parameters.h>
#include <tributary/base/state_archive.h>
#include <tributary/workload/program_workload.h>

#include "event_recorder.h"

namespace tributary {
namespace {

network_interface_config interface_for(const ultracomputer_config& config) {
  network_interface_config chosen = config.interface;
  if (chosen.policy == issue_policy::automatic) chosen.policy = config.workload.usual_policy();
  return chosen;
}

/// The configuration of a machine whose program is not one of the configuration's.
ultracomputer_config with_programs(ultracomputer_config config) {
  config.workload.kind = workload_kind::program;
  return config;
}

/// First in a checkpoint; the number changes with the layout of what follows.
constexpr const char* checkpoint_schema = "tributary.checkpoint/1";

/// What a checkpoint has to agree with: every parameter by name.
std::string resolved_text(ultracomputer_config config) {
  return parameter_set::of(config).resolved_json();
}

}  // namespace

void ultracomputer_config::bind(parameter_set& parameters) {
  parameters.add_group("network", network, "The omega network and its combining switches.");
  parameters.add_group("memory", memory, "The memory modules.");
  parameters.add_group("addresses", addresses, "Which module holds an address.");
  parameters.add_group("interface", interface, "The network interfaces of the elements.");
  parameters.add_group("processor", processor, "The processing elements.");
  parameters.add_group("workload", workload, "What the processing elements do.");
}

void ultracomputer_config::validate() const {
  network.validate();
  check_ranges(*this);
  const address_map map(addresses, network.processing_elements);
  make_workload(workload, processor, interface, map, 0);
}

std::vector<std::string> ultracomputer_config::warnings() const {
  std::vector<std::string> found;
  const combining_switch_config& switches = network.switches;
  const std::uint32_t needed = switches.slots_to_combine();
  if (switches.combining && switches.slots < needed) {
    found.push_back("network.slots = " + std::to_string(switches.slots) +
                    ": nothing can ever combine in a queue of this type and coupling with fewer "
                    "than " +
                    std::to_string(needed) + " slots");
  }
  if (switches.combining && switches.combining_forms() == 0) {
    found.push_back("network.combining is on, but every form in network.combine is off");
  }
  // An arrival needs room for all writers, so at most the other slots can ever have combined.
  if (switches.adaptive_limit + switches.writers() > switches.slots &&
      switches.adaptive_limit != 0) {
    found.push_back("network.adaptive_limit = " + std::to_string(switches.adaptive_limit) +
                    " is never reached in a queue of " + std::to_string(switches.slots) +
                    " slots; 0 turns adaptive queues off");
  }
  return found;
}

ultracomputer::ultracomputer(const ultracomputer_config& config, std::uint64_t seed)
    : ultracomputer(config, seed, [&](const address_map& map) {
        return make_workload(config.workload, config.processor, config.interface, map, seed);
      }) {}

ultracomputer::ultracomputer(const ultracomputer_config& config, std::uint64_t seed,
                             std::unique_ptr<program> what)
    : ultracomputer(with_programs(config), seed, [&](const address_map& map) {
        return std::make_unique<program_workload>(config.workload.program.run, std::move(what),
                                                  config.processor, map, seed);
      }) {}

ultracomputer::ultracomputer(
    const ultracomputer_config& config, std::uint64_t seed,
    const std::function<std::unique_ptr<workload>(const address_map&)>& make)
    : config_(config),
      seed_(seed),
      addresses_(config.addresses, config.network.processing_elements),
      network_(config.network),
      memory_(config.memory, config.network.switches.link_cycles,
              config.network.processing_elements),
      interface_(interface_for(config), addresses_, network_.first_route_bit(),
                 config.network.switches.link_cycles, config.network.processing_elements),
      workload_(make(addresses_)) {}

ultracomputer::~ultracomputer() = default;

void ultracomputer::step() {
  if (observers_.empty()) {
    no_events nobody;
    step_observed(nobody);
    return;
  }
  events_.clear();
  event_recorder recorder{events_, interface_, now_ + 1,
                          static_cast<std::int32_t>(network_.stages()), network_.lines() / 2};
  step_observed(recorder);
  std::sort(events_.begin(), events_.end());
  for (const network_event& event : events_) observers_.notify(event);
}

template <class Observer>
void ultracomputer::step_observed(Observer& observer) {
  ++now_;
  responses_.clear();
  workload_->advance(now_, interface_);

  network_.depart(memory_.request_ready());
  interface_.depart(network_.request_ready(), memory_.local_ready());
  memory_.depart(network_.reply_ready());

  network_.advance();
  interface_.advance();
  memory_.advance();

  const auto memory_side = static_cast<std::int32_t>(network_.stages());
  network_.move_requests(
      [&](std::size_t module, const packet& request) {
        memory_.serve(module, request, now_);
        transit_.add(now_ - interface_.accepted_cycle(request.id()));
        observer.request(event_kind::served, memory_side, module, request, request.id());
      },
      observer);
  interface_.release_requests(
      now_,
      [&](std::size_t pe, const packet& request) {
        observer.request(event_kind::accepted, processor_side, pe, request, request.id());
        network_.accept_request(pe, request, observer);
      },
      [&](std::size_t pe, const packet& request) {
        observer.request(event_kind::accepted, processor_side, pe, request, request.id());
        memory_.accept_local(pe, request);
      });
  memory_.serve_local(now_, [&](std::size_t module, const packet& request, word_t) {
    observer.request(event_kind::served, memory_side, module, request, request.id());
  });

  network_.move_replies(
      [&](std::size_t pe, const reply& response) { deliver(pe, response, observer); }, observer);
  memory_.release_replies(now_, [&](std::size_t module, const reply& response) {
    observer.response(event_kind::replied, memory_side, module, response, response.id());
    network_.accept_reply(module, response, observer);
  });
  memory_.release_local_replies(now_, [&](std::size_t module, const reply& response) {
    deliver(module, response, observer);
  });
  memory_.settle();

  workload_->deliver(now_, responses_);
}

template <class Observer>
void ultracomputer::deliver(std::size_t pe, const reply& response, Observer& observer) {
  observer.response(event_kind::delivered, processor_side, pe, response, response.id());
  responses_.push_back(interface_.deliver(pe, response, now_));
}

bool ultracomputer::drain(const std::function<bool()>& cancelled, std::uint64_t patience) {
  workload_->stop();
  cycle_t last_delivery = now_;
  while (!interface_.idle()) {
    if (cancelled && cancelled()) return false;
    step();
    if (!responses_.empty()) last_delivery = now_;
    if (now_ - last_delivery > patience) {
      throw simulation_error("drain check: nothing was delivered from cycle " +
                             std::to_string(last_delivery) + " to " + std::to_string(now_) +
                             ", with " + std::to_string(interface_.total_outstanding()) +
                             " requests in the network and " +
                             std::to_string(interface_.total_waiting()) + " before it");
    }
  }
  if (!network_.idle()) {
    throw simulation_error(
        "drain check: every request was answered, but the network's queues or "
        "wait buffers are not empty");
  }
  if (!memory_.idle()) {
    throw simulation_error(
        "drain check: every request was answered, but memory pipelines are not "
        "empty");
  }
  return true;
}

void ultracomputer::reset_statistics() {
  measured_from_ = now_;
  transit_.reset();
  network_.reset_statistics();
  memory_.reset_statistics();
  interface_.reset_statistics();
  workload_->reset_statistics();
}

statistics_tree ultracomputer::statistics() const {
  statistics_tree tree;
  const std::uint64_t cycles = now_ - measured_from_;
  statistics_group& machine = tree.group("machine");
  machine.add("cycles", cycles, "cycles", "Cycles measured, after the warm-up.");
  interface_.report(tree.group("interface"));
  const double element_cycles = static_cast<double>(cycles) * static_cast<double>(network_.lines());
  tree.group("interface")
      .add("accepted_load",
           element_cycles == 0
               ? 0.0
               : static_cast<double>(interface_.accepted().value()) / element_cycles,
           "requests/element/cycle", "Requests that the network took per element and cycle.");
  statistics_group& network = tree.group("network");
  network.add("transit", transit_, "cycles",
              "From the first switch accepting a request to its module accepting it, of requests "
              "that reached memory.");
  network_.report(network);
  memory_.report(tree.group("memory"));
  workload_->report(tree.group("workload"));
  return tree;
}

std::string ultracomputer::save() const {
  return save_state(std::string(checkpoint_schema), resolved_text(config_), seed_, now_,
                    measured_from_, transit_, network_, memory_, interface_, workload_->save());
}

void ultracomputer::restore(const std::string& state) {
  std::string schema;
  std::string configuration;
  std::uint64_t seed = 0;
  restore_beginning(state, schema, configuration, seed);
  if (schema != checkpoint_schema) {
    throw input_error("checkpoint does not fit: its schema is not " +
                      std::string(checkpoint_schema) + "; make it with this version");
  }
  if (configuration != resolved_text(config_)) {
    throw input_error(
        "checkpoint does not fit: it was made with another configuration; resume "
        "with the same parameters");
  }
  if (seed != seed_) {
    throw input_error("checkpoint does not fit: it was made with seed " + std::to_string(seed) +
                      ", not " + std::to_string(seed_));
  }
  std::string work;
  restore_state(state, schema, configuration, seed, now_, measured_from_, transit_, network_,
                memory_, interface_, work);
  workload_->restore(work);
}

}  // namespace tributary
