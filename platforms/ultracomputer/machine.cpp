// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include <utility>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

/// First in a checkpoint; the number changes with the layout of what follows.
constexpr const char* checkpoint_schema = "tributary.checkpoint/4";

/// What a checkpoint has to agree with: every parameter by name.
std::string resolved_text(ultracomputer_config config) {
  return parameter_set::of(config).resolved_json();
}

}  // namespace

machine::machine(const ultracomputer_config& config, std::uint64_t seed)
    : config_(config),
      seed_(seed),
      addresses_(config.addresses, config.network.processing_elements) {}

bool machine::drain(const std::function<bool()>& cancelled, std::uint64_t patience) {
  work().stop();
  cycle_t last_delivery = now();
  std::uint64_t delivered = interfaces().latency().count();
  while (!interfaces().idle()) {
    if (cancelled && cancelled()) return false;
    run_until(now() + 1);
    if (interfaces().latency().count() != delivered) last_delivery = now();
    delivered = interfaces().latency().count();
    if (now() - last_delivery > patience) {
      throw simulation_error("drain check: nothing was delivered from cycle " +
                             std::to_string(last_delivery) + " to " + std::to_string(now()) +
                             ", with " + std::to_string(interfaces().total_outstanding()) +
                             " requests in the network and " +
                             std::to_string(interfaces().total_waiting()) + " before it");
    }
  }
  if (!network().idle()) {
    throw simulation_error(
        "drain check: every request was answered, but the network's queues or "
        "wait buffers are not empty");
  }
  if (!memories().idle()) {
    throw simulation_error(
        "drain check: every request was answered, but memory pipelines are not "
        "empty");
  }
  return true;
}

void machine::reset_statistics() {
  measured_from_ = now();
  transit_.reset();
  network().reset_statistics();
  memories().reset_statistics();
  interfaces().reset_statistics();
  work().reset_statistics();
}

statistics_tree machine::statistics() const {
  statistics_tree tree;
  const std::uint64_t cycles = now() - measured_from_;
  tree.group("machine").add("cycles", cycles, "cycles", "Cycles measured, after the warm-up.");
  interfaces().report(tree.group("interface"));
  const double element_cycles =
      static_cast<double>(cycles) * static_cast<double>(network().lines());
  tree.group("interface")
      .add("accepted_load",
           element_cycles == 0
               ? 0.0
               : static_cast<double>(interfaces().accepted().value()) / element_cycles,
           "requests/element/cycle", "Requests that the network took per element and cycle.");
  statistics_group& fabric = tree.group("network");
  fabric.add("transit", transit_, "cycles",
             "From the first switch accepting a request to its module accepting it, of requests "
             "that reached memory.");
  network().report(fabric);
  memories().report(tree.group("memory"));
  work().report(tree.group("workload"));
  return tree;
}

std::string machine::save() const {
  return save_state(std::string(checkpoint_schema), resolved_text(config_), seed_, now(),
                    measured_from_, transit_, network(), memories(), interfaces(), work().save());
}

void machine::restore(const std::string& state) {
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
  cycle_t last = 0;
  std::string workload_state;
  restore_state(state, schema, configuration, seed, last, measured_from_, transit_, network(),
                memories(), interfaces(), workload_state);
  work().restore(workload_state);
  resume_after(last);
}

}  // namespace tributary
