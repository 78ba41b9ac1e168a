// SPDX-License-Identifier: Apache-2.0
#include "ultracomputer_machine.h"

#include <string_view>
#include <type_traits>

#include <tributary/sim/block.h>
#include <tributary/sim/checkpoint.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

/// The number changes with the layout of the state.
constexpr const char* checkpoint_layout = "tributary.checkpoint/11";

/// What a checkpoint has to agree with: every parameter by name.
std::string resolved_text(ultracomputer_config config) {
  return parameter_set::of(config).resolved_json();
}

/// A part of the machine, which is a value where an engine keeps it, as a block.
template <class Part>
class machine_part final : public block {
 public:
  machine_part(const char* name, ultracomputer_machine& owner,
               Part& (ultracomputer_machine::*get)())
      : name_(name), owner_(owner), get_(get) {}

  const char* name() const override { return name_; }
  void reset_statistics() override { part().reset_statistics(); }
  void report(statistics_group& into, std::uint64_t) const override { part().report(into); }
  std::string save() const override {
    if constexpr (is_value) {
      return save_state(part());
    } else {
      return part().save();
    }
  }
  void restore(const std::string& state) override {
    if constexpr (is_value) {
      restore_state(state, part());
    } else {
      part().restore(state);
    }
  }

 private:
  static constexpr bool is_value = !std::is_same_v<Part, workload>;

  Part& part() const { return (owner_.*get_)(); }

  const char* name_;
  ultracomputer_machine& owner_;
  Part& (ultracomputer_machine::*get_)();
};

}  // namespace

/// The parts of any engine, in the order of their statistics.
class ultracomputer_machine::parts {
 public:
  explicit parts(ultracomputer_machine& owner)
      : interfaces_("interface", owner, &ultracomputer_machine::interfaces),
        network_("network", owner, &ultracomputer_machine::network),
        memories_("memory", owner, &ultracomputer_machine::memories),
        work_("workload", owner, &ultracomputer_machine::work),
        all({&interfaces_, &network_, &memories_, &work_}) {}

 private:
  machine_part<network_interface> interfaces_;
  machine_part<omega_network> network_;
  machine_part<memory> memories_;
  machine_part<workload> work_;

 public:
  block_list all;
};

ultracomputer_machine::ultracomputer_machine(const ultracomputer_config& config, std::uint64_t seed)
    : config_(config),
      seed_(seed),
      addresses_(config.addresses, config.network.processing_elements),
      parts_(std::make_unique<parts>(*this)) {}

ultracomputer_machine::~ultracomputer_machine() = default;

bool ultracomputer_machine::drain(const std::function<bool()>& cancelled, std::uint64_t patience) {
  work().stop();
  cycle_t last_delivery = now();
  const auto answered = [&] {
    return interfaces().accepted().value() - interfaces().total_outstanding();
  };
  std::uint64_t delivered = answered();
  while (!interfaces().idle()) {
    if (cancelled && cancelled()) return false;
    run_until(now() + 1);
    if (answered() != delivered) last_delivery = now();
    delivered = answered();
    if (now() - last_delivery > patience) {
      throw drain_error("drain check: nothing was delivered from cycle " +
                        std::to_string(last_delivery) + " to " + std::to_string(now()) + ", with " +
                        std::to_string(interfaces().total_outstanding()) +
                        " requests in the network and " +
                        std::to_string(interfaces().total_waiting()) + " before it");
    }
  }
  if (!network().idle()) {
    throw drain_error(
        "drain check: every request was answered, but the network's queues or "
        "wait buffers are not empty");
  }
  if (!memories().idle()) {
    throw drain_error(
        "drain check: every request was answered, but memory pipelines are not "
        "empty");
  }
  return true;
}

void ultracomputer_machine::reset_statistics() {
  measured_from_ = now();
  transit_.reset();
  parts_->all.reset_statistics();
}

statistics_tree ultracomputer_machine::statistics() const {
  statistics_tree tree;
  const std::uint64_t cycles = now() - measured_from_;
  tree.group("machine").add("cycles", cycles, "cycles", "Cycles measured, after the warm-up.");
  statistics_group& interface = tree.group("interface");
  tree.group("network").add(
      "transit", transit_, "cycles",
      "From the first switch accepting a request to its module accepting it, of requests "
      "that reached memory.");
  parts_->all.report(tree.root(), cycles);
  interfaces().report_load(interface, cycles);
  return tree;
}

std::string ultracomputer_machine::save() const {
  return seal_checkpoint(checkpoint_layout, resolved_text(config_), seed_,
                         save_state(now(), measured_from_, transit_, parts_->all.save()));
}

void ultracomputer_machine::restore(const std::string& state) {
  cycle_t last = 0;
  std::string blocks;
  restore_state(open_checkpoint(checkpoint_layout, resolved_text(config_), seed_, state), last,
                measured_from_, transit_, blocks);
  parts_->all.restore(blocks);
  resume_after(last);
}

std::vector<occupancy_sample> ultracomputer_machine::look() const {
  std::vector<occupancy_sample> now(network().stages());
  for (std::size_t stage = 0; stage < now.size(); ++stage) {
    const switch_column& column = network().column(stage);
    now[stage].waiting = column.counters().waiting_cycles;
    now[stage].held = column.counters().held_cycles;
    now[stage].most_waiting = network().fullest_queue(stage);
    now[stage].most_held = network().fullest_wait_buffer(stage);
  }
  return now;
}

void ultracomputer_machine::report_occupancy(std::size_t stage, const occupancy_series& series,
                                             statistics_tree& statistics) const {
  statistics_group& group = statistics.group("network.stage").group(std::to_string(stage));
  group.add("queue_occupancy_over_time", series.waiting, "requests",
            "Mean number of entries in a combining queue in each window of "
            "run.occupancy_window cycles, over all queues of the stage.");
  group.add("wait_buffer_occupancy_over_time", series.held, "requests",
            "Mean number of entries in a wait buffer in each window of run.occupancy_window "
            "cycles, over all wait buffers of the stage.");
  group.add("fullest_queue_over_time", series.most_waiting, "requests",
            "Entries in the fullest combining queue of the stage at the end of each window.");
  group.add("fullest_wait_buffer_over_time", series.most_held, "requests",
            "Entries in the fullest wait buffer of the stage at the end of each window.");
}

machine_trace ultracomputer_machine::trace() {
  return {events().catalog(),
          events().recorder(),
          start_of(network(), now()),
          interfaces().offers(),
          work().intervals(),
          [tracks = events().tracks()](std::uint32_t element) { return tracks.element(element); }};
}

}  // namespace tributary
