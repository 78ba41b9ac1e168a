// SPDX-License-Identifier: Apache-2.0
// A network and its hosts as an engine steps them.
#pragma once

#include <functional>
#include <memory>

#include <tributary/network/message_network.h>
#include <tributary/network/traffic/traffic_kernel.h>
#include <tributary/network/traffic/traffic_run.h>
#include <tributary/sim/cycle.h>

#include <driver/engine_kind.h>

namespace tributary {

/// What a simulation needs of its engine.
class cluster_engine {
 public:
  cluster_engine() = default;
  cluster_engine(const cluster_engine&) = delete;
  cluster_engine& operator=(const cluster_engine&) = delete;
  virtual ~cluster_engine() = default;

  virtual message_network& network() = 0;
  /// Hosts, as they stand after the last cycle.
  virtual traffic_run& traffic() = 0;

  /// The last cycle that was simulated.
  virtual cycle_t now() const = 0;
  /// Up to and including that cycle, or until the traffic has finished. `tell`, unless it is empty,
  /// is called at the end of each cycle in which something happened. Throws as `traffic_run::run`.
  virtual void run_until(cycle_t last, const std::function<void(cycle_t)>& tell) = 0;
  virtual void reset_statistics() = 0;
};

/// Throws `configuration_error` if the build lacks the engine, and what `traffic_run` throws.
/// `kernel` must outlive what is made. `in_front`: as of `traffic_run`.
std::unique_ptr<cluster_engine> make_cluster_engine(engine_kind engine,
                                                    std::unique_ptr<message_network> network,
                                                    traffic_kernel& kernel,
                                                    const endpoint_in_front& in_front = {});

}  // namespace tributary
