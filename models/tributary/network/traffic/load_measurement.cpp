// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/traffic/load_measurement.h>

#include <tributary/network/traffic/traffic_run.h>

namespace tributary {

load_sample measure_load(message_network& network, const destination_pattern& destinations,
                         const load_traffic::options& load, const load_window& when) {
  load_traffic kernel(load, destinations);
  traffic_run run(network, kernel);
  run.run_until(when.warm_up);
  run.reset_statistics();
  const std::uint64_t posted_before = kernel.posted_bytes();
  run.run_until(when.warm_up + when.cycles);
  const double measured = static_cast<double>(network.nodes()) * static_cast<double>(when.cycles);
  load_sample found;
  found.offered = static_cast<double>(kernel.posted_bytes() - posted_before) / measured;
  found.accepted = static_cast<double>(run.received_bytes()) / measured;
  found.latency = run.messages().mean();
  found.messages = run.messages().count();
  return found;
}

}  // namespace tributary
