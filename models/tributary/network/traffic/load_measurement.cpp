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
  run.run_until(when.warm_up + when.cycles);
  std::uint32_t senders = 0;
  for (std::uint32_t h = 0; h < network.nodes(); ++h) {
    if (destinations.sends(node_id{h})) ++senders;
  }
  const double all = static_cast<double>(network.nodes());
  load_sample found;
  found.offered = load.load * senders / all;
  found.accepted =
      static_cast<double>(run.received_bytes()) / (all * static_cast<double>(when.cycles));
  found.latency = run.messages().mean();
  found.messages = run.messages().count();
  return found;
}

}  // namespace tributary
