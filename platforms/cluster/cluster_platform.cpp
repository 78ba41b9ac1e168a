// SPDX-License-Identifier: Apache-2.0
#include "cluster_platform.h"

#include <utility>

namespace tributary {

cluster_platform::top_module::top_module(const sc_core::sc_module_name& name,
                                         std::unique_ptr<message_network> core,
                                         traffic_kernel& kernel, const endpoint_in_front& in_front)
    : sc_module(name),
      scheduler("scheduler", sc_period(core->config().clock)),
      network("network", std::move(core)),
      hosts("hosts", network.core().config(), network.core().nodes(), kernel, in_front) {
  network.follow(scheduler);
  hosts.join(network);
  hosts.follow(scheduler);
}

cluster_platform::cluster_platform(std::unique_ptr<message_network> network, traffic_kernel& kernel,
                                   const endpoint_in_front& in_front)
    : top_("cluster", std::move(network), kernel, in_front), steps_(top_.scheduler) {}

/// The module advances its network only where something happens.
message_network& cluster_platform::network() {
  message_network& core = top_.network.core();
  if (core.now() < now()) core.advance_to(now());
  return core;
}

void cluster_platform::run_until(cycle_t last, const std::function<void(cycle_t)>& tell) {
  const traffic_module& hosts = top_.hosts;
  if (last <= now() || hosts.finished()) return;
  steps_.run_until(
      last, [&hosts] { return hosts.finished(); }, tell);
  if (!hosts.finished() && !sc_core::sc_pending_activity()) hosts.run().fail_stuck();
}

void cluster_platform::reset_statistics() {
  top_.network.reset_statistics();
  top_.hosts.reset_statistics();
}

}  // namespace tributary
