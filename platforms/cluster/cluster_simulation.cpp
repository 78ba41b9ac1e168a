// SPDX-License-Identifier: Apache-2.0
#include "cluster_simulation.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include <tributary/network/switching/link_event.h>
#include <tributary/network/switching/mapped_network.h>
#include <tributary/sim/checkpoint.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

/// First in a checkpoint; the number changes with the layout of what follows.
constexpr const char* cluster_checkpoint_layout = "tributary.cluster_checkpoint/3";

std::string cluster_text(cluster_config config) {
  return parameter_set::of(config).resolved_json();
}

}  // namespace

cluster_simulation::cluster_simulation(const cluster_config& config, std::uint64_t seed,
                                       engine_kind engine)
    : config_((config.validate(), config)),
      seed_(seed),
      kernel_(config_.kernel(seed)),
      engine_(make_cluster_engine(engine, config_.network.made(), *kernel_,
                                  [this](node_id, network_endpoint& host) -> network_endpoint& {
                                    return predicted(host);
                                  })) {
  if (const network_links* const links = engine_->network().links()) {
    tracks_.emplace(*links, catalog_, recorder_);
  }
  recorder_.reset(catalog_.tracks());
}

network_endpoint& cluster_simulation::predicted(network_endpoint& host) {
  if (config_.predictor.kind == predictor_kind::none) return host;
  predictors_.push_back(std::make_unique<predicted_endpoint>(host, config_.predictor));
  return *predictors_.back();
}

void cluster_simulation::run_until(cycle_t last) {
  if (!recorder_.observed() || !tracks_) {
    engine_->run_until(last, {});
    return;
  }
  observer_list<link_event>& observers = engine_->network().links()->observers;
  observers.attach(*tracks_);
  try {
    engine_->run_until(last, [this](cycle_t now) { recorder_.tell(now); });
  } catch (...) {
    observers.detach(*tracks_);
    throw;
  }
  observers.detach(*tracks_);
}

bool cluster_simulation::drain(const std::function<bool()>& cancelled) {
  constexpr std::uint64_t step = 100000;
  engine_->traffic().stop();
  while (!finished()) {
    if (cancelled && cancelled()) return false;
    try {
      run_until(now() + step);
    } catch (const stuck_traffic& stuck) {
      throw drain_error(fmt::format("drain check: {}", stuck.what()));
    }
  }
  return true;
}

void cluster_simulation::reset_statistics() {
  measured_from_ = now();
  lost_before_ = traffic().lost_messages();
  for (const auto& each : predictors_) each->reset_statistics();
  engine_->reset_statistics();
}

double cluster_simulation::microseconds(double cycles) const {
  return cycles * static_cast<double>(config_.clock().period) / 1e6;
}

/// Of what the links of all hosts carry in these cycles.
double cluster_simulation::accepted_share(cycle_t cycles) const {
  const double links =
      static_cast<double>(engine_->network().nodes()) * config_.network.links.megabytes_a_second();
  return config_.clock().megabytes_a_second(traffic().received_bytes(), cycles) / links;
}

void cluster_simulation::report_spread(const latency_spread& spread, const std::string& what,
                                       statistics_group& group) const {
  group.add("count", counter(spread.count()), what, "Those that arrived.");
  group.add("min", microseconds(static_cast<double>(spread.min())), "us",
            "Latency from when its host sent the message to the last byte: the least.");
  group.add("mean", microseconds(spread.all().mean()), "us", "The same: mean.");
  group.add("max", microseconds(static_cast<double>(spread.max())), "us",
            "The same: the greatest.");
  group.add("standard_deviation", microseconds(spread.standard_deviation()), "us",
            "The same: standard deviation.");
}

statistics_tree cluster_simulation::statistics() const {
  statistics_tree tree;
  const cycle_t cycles = now() - measured_from_;
  const traffic_run& run = traffic();
  tree.group("machine").add("cycles", cycles, "cycles", "Cycles measured, after the warm-up.");
  statistics_group& traffic = tree.group("traffic");
  report_spread(run.packets(), "packets", traffic.group("packets"));
  report_spread(run.messages(), "messages", traffic.group("messages"));
  traffic.add("bytes", counter(run.received_bytes()), "bytes", "Payload that arrived.");
  traffic.add("completion", microseconds(static_cast<double>(run.completion())), "us",
              "From the first message to the last byte of the last.");
  traffic.add("throughput",
              config_.clock().megabytes_a_second(run.received_bytes(), run.completion()), "MB/s",
              "Payload by that time.");
  if (config_.traffic.kernel == cluster_kernel::load) {
    traffic.add(
        "accepted", accepted_share(cycles), "1",
        "Payload that arrived in the measured cycles, as a share of what the links of hosts "
        "carry: less than traffic.load where the network is saturated.");
    traffic.add(
        "under_way", counter(run.under_way()), "messages",
        "Messages that were posted and have not arrived, those that wait at hosts included.");
  }
  if (!predictors_.empty()) {
    prediction_counts all;
    for (const auto& each : predictors_) all += each->predictor().counts();
    all.report(tree.group("predictor"));
  }
  if (config_.network.changes.present()) {
    traffic.add("lost", counter(run.lost_messages() - lost_before_), "messages",
                "Messages that did not come whole, since switches were off or tables changed.");
  }
  engine_->network().report(tree.group("network"), cycles);
  return tree;
}

const mapped_network* cluster_simulation::mapped() const {
  return dynamic_cast<const mapped_network*>(&engine_->network());
}

machine_trace cluster_simulation::trace() {
  trace_start start;
  start.now = now();
  const auto track_of = [this](std::uint32_t host) {
    return tracks_ ? tracks_->out_of(node_id{host}) : track_id{0};
  };
  return {catalog_, recorder_, start, offers_, nullptr, track_of, 1};
}

std::string cluster_simulation::save() const {
  std::vector<std::string> predictors;
  predictors.reserve(predictors_.size());
  for (const auto& each : predictors_) predictors.push_back(each->save());
  return seal_checkpoint(
      cluster_checkpoint_layout, cluster_text(config_), seed_,
      save_state(engine_->traffic().save(), predictors, measured_from_, lost_before_));
}

void cluster_simulation::restore(const std::string& state) {
  std::string run;
  std::vector<std::string> predictors;
  restore_state(open_checkpoint(cluster_checkpoint_layout, cluster_text(config_), seed_, state),
                run, predictors, measured_from_, lost_before_);
  require_state(predictors.size() == predictors_.size(), "it has another number of predictors");
  engine_->traffic().restore(run);
  for (std::size_t h = 0; h < predictors.size(); ++h) predictors_[h]->restore(predictors[h]);
}

}  // namespace tributary
