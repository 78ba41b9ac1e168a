// SPDX-License-Identifier: Apache-2.0
// A network of a cluster and its traffic.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tributary/network/message_network.h>
#include <tributary/network/switching/link_tracks.h>
#include <tributary/network/traffic/traffic_kernel.h>
#include <tributary/network/traffic/traffic_run.h>
#include <tributary/nic/predicted_endpoint.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/recorder.h>

#include <driver/engine_kind.h>
#include <driver/simulation.h>

#include "cluster_config.h"
#include "cluster_engine.h"

namespace tributary {

/// The network, from one cycle in which something happens to the next.
class cluster_simulation final : public simulation {
 public:
  /// `seed` is what a load draws by; all else is drawn by seeds of its configuration.
  /// Throws what `cluster_config::validate` does.
  /// `configuration_error` also if the build lacks the engine.
  cluster_simulation(const cluster_config& config, std::uint64_t seed,
                     engine_kind engine = engine_kind::loop);

  const cluster_config& config() const { return config_; }
  const message_network& network() const { return engine_->network(); }
  const traffic_run& traffic() const { return engine_->traffic(); }

  cycle_t now() const override { return engine_->now(); }
  void run_until(cycle_t last) override;
  bool finished() const override { return traffic().finished(); }
  bool drain(const std::function<bool()>& cancelled) override;

  void reset_statistics() override;
  statistics_tree statistics() const override;
  std::optional<average> latency() const override { return traffic().messages().all(); }
  std::uint64_t backlog() const override { return traffic().under_way(); }

  const mapped_network* mapped() const override;
  machine_trace trace() override;

  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  /// A host behind its predictor, if there are any.
  network_endpoint& predicted(network_endpoint& host);
  double microseconds(double cycles) const;
  double accepted_share(cycle_t cycles) const;
  void report_spread(const latency_spread& spread, const std::string& what,
                     statistics_group& group) const;

  cluster_config config_;
  std::uint64_t seed_;
  std::unique_ptr<traffic_kernel> kernel_;
  std::vector<std::unique_ptr<predicted_endpoint>> predictors_;  ///< of all hosts, or none
  std::unique_ptr<cluster_engine> engine_;
  cycle_t measured_from_ = 0;
  std::uint64_t lost_before_ = 0;  ///< messages that were lost before what is measured
  trace_catalog catalog_{"cluster", "host"};
  trace_recorder recorder_;
  std::optional<link_tracks> tracks_;      ///< of a network that tells of its links
  observer_list<offered_request> offers_;  ///< none: no host has requests
};

}  // namespace tributary
