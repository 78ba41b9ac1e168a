// SPDX-License-Identifier: Apache-2.0
#include "ultracomputer_model.h"

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tributary/processor/trace_file.h>
#include <tributary/sim/error.h>

#include <ultracomputer/event_sink.h>

#include "engine.h"
#include "rtl_switches.h"
#include "ultracomputer.h"

namespace tributary {
namespace {

/// Sinks that are attached to a machine.
class machine_observation final : public event_observation {
 public:
  machine_observation(const event_files& files, machine& observed) : machine_(observed) {
    const event_filter filter(files.filter, shape_of(observed));
    if (!files.log.empty()) sinks_.push_back(open_text_log(files.log, filter, observed));
    if (!files.vcd.empty()) sinks_.push_back(open_vcd(files.vcd, filter, observed));
    if (!files.perfetto.empty()) sinks_.push_back(open_perfetto(files.perfetto, filter, observed));
    if (!files.record.empty()) recording_ = std::make_unique<trace_writer>(files.record);
    for (const std::unique_ptr<event_sink>& sink : sinks_) attach(*sink);
    if (recording_ != nullptr) observed.interfaces().offers().attach(*recording_);
  }

  void finish(bool partial) override {
    for (const std::unique_ptr<event_sink>& sink : sinks_) {
      detach(*sink);
      sink->finish(partial);
    }
    sinks_.clear();
    if (recording_ == nullptr) return;
    machine_.interfaces().offers().detach(*recording_);
    recording_->finish(partial);
    recording_.reset();
  }

 private:
  void attach(event_sink& sink) {
    machine_.observers().attach(sink);
    if (takes_intervals(sink)) machine_.work().intervals()->attach(*sink.intervals());
  }
  void detach(event_sink& sink) {
    machine_.observers().detach(sink);
    if (takes_intervals(sink)) machine_.work().intervals()->detach(*sink.intervals());
  }
  bool takes_intervals(event_sink& sink) const {
    return sink.intervals() != nullptr && machine_.work().intervals() != nullptr;
  }

  machine& machine_;
  std::vector<std::unique_ptr<event_sink>> sinks_;
  std::unique_ptr<trace_writer> recording_;
};

/// The machine in either engine, with the occupancy of its network's stages.
class ultracomputer_simulation final : public simulation, private occupancy_source {
 public:
  explicit ultracomputer_simulation(std::unique_ptr<machine> simulated)
      : machine_(std::move(simulated)) {}

  cycle_t now() const override { return machine_->now(); }
  void run_until(cycle_t last) override { machine_->run_until(last); }
  bool finished() const override { return machine_->finished(); }
  bool drain(const std::function<bool()>& cancelled) override { return machine_->drain(cancelled); }

  void reset_statistics() override { machine_->reset_statistics(); }
  statistics_tree statistics() const override { return machine_->statistics(); }
  const average* latency() const override { return &interfaces().latency(); }
  std::uint64_t count_at(const std::string& path) const override;
  const occupancy_source* occupancy() const override { return this; }

  std::unique_ptr<event_observation> observe(const event_files& files) override {
    return std::make_unique<machine_observation>(files, *machine_);
  }

  std::string save() const override { return machine_->save(); }
  void restore(const std::string& state) override { machine_->restore(state); }

 private:
  const network_interface& interfaces() const { return std::as_const(*machine_).interfaces(); }
  const omega_network& network() const { return std::as_const(*machine_).network(); }

  // The samples come from counters that switches keep anyway, so they cost little, and every
  // engine gives the same.
  std::vector<occupancy_sample> look() const override;
  std::size_t queues(std::size_t stage) const override {
    return network().column(stage).queues().count();
  }
  std::size_t buffers(std::size_t stage) const override {
    return network().column(stage).wait_buffers().count();
  }
  void report_occupancy(std::size_t stage, const occupancy_series& series,
                        statistics_tree& statistics) const override;

  std::unique_ptr<machine> machine_;
};

std::uint64_t ultracomputer_simulation::count_at(const std::string& path) const {
  const std::string_view prefix = "workload.";
  if (path.rfind(prefix, 0) == 0) {
    const workload& work = std::as_const(*machine_).work();
    const counter* found = work.find_counter(std::string_view(path).substr(prefix.size()));
    if (found != nullptr) return found->value();
  }
  return simulation::count_at(path);
}

std::vector<occupancy_sample> ultracomputer_simulation::look() const {
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

void ultracomputer_simulation::report_occupancy(std::size_t stage, const occupancy_series& series,
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

template <class Model>
auto& config_in(Model& model) {
  // One class a platform, so its name says which it is.
  if (model.platform() != ultracomputer_model::name) {
    throw error("this is a machine of the platform " + model.platform() + ", not of " +
                ultracomputer_model::name);
  }
  using chosen =
      std::conditional_t<std::is_const_v<Model>, const ultracomputer_model, ultracomputer_model>;
  return static_cast<chosen&>(model).config;
}

}  // namespace

std::unique_ptr<platform_model> ultracomputer_model::clone() const {
  return std::make_unique<ultracomputer_model>(*this);
}

platform_offers ultracomputer_model::offers() const {
  platform_offers all;
  all.log = all.vcd = all.perfetto = all.record = all.waveforms = true;
  all.checkpoints = all.steady = all.occupancy = all.systemc = true;
  return all;
}

void ultracomputer_model::require_built() const { require_rtl(config.network); }

void ultracomputer_model::require_checkpoints() const {
  if (rtl().empty()) return;
  throw configuration_error(
      "--checkpoint and --resume cannot hold the state of RTL, and network.rtl is \"" +
      config.network.rtl + "\"; run with network.rtl = none, or without checkpoints");
}

void ultracomputer_model::check_filter(const event_filter_options& filter) const {
  if (!filter.nodes.empty()) {
    throw configuration_error({"--nodes", "", "an ultracomputer has no nodes",
                               "--stages, --switches, --pes", "choose events by these"});
  }
  event_filter(filter, {config.network.processing_elements, config.network.stages()});
}

bool ultracomputer_model::endless() const {
  return config.workload.endless(address_map(config.addresses, config.network.processing_elements));
}

std::uint64_t ultracomputer_model::size() const {
  return std::uint64_t{config.network.processing_elements} / 2 *
         std::max(1U, config.network.stages());
}

std::string ultracomputer_model::rtl() const { return describe_rtl(config.network); }

table_layout ultracomputer_model::usual_table() const {
  table_layout usual;
  usual.title = "Mean latency, cycles";
  usual.value = "interface.latency.mean";
  return usual;
}

std::unique_ptr<simulation> ultracomputer_model::make(engine_kind engine,
                                                      std::uint64_t seed) const {
  return std::make_unique<ultracomputer_simulation>(make_machine(engine, config, seed));
}

statistics_tree ultracomputer_model::statistics() const {
  return ultracomputer(config, 1).statistics();  // RTL has the same
}

bool ultracomputer_model::is_known_before_run(const std::string& statistic) const {
  // Those of a workload depend on what a program marks.
  return statistic.rfind("workload.", 0) != 0;
}

ultracomputer_config& ultracomputer_in(machine_choice& machine) { return config_in(*machine); }
const ultracomputer_config& ultracomputer_in(const machine_choice& machine) {
  return config_in(*machine);
}

}  // namespace tributary
