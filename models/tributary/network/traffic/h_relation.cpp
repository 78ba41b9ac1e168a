// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/traffic/h_relation.h>

#include <tributary/sim/state_archive.h>

namespace tributary {

void h_relation::begin(traffic_hosts& hosts) {
  places_.assign(hosts.count(), {});
  left_ = std::uint64_t{options_.messages} * options_.supersteps * hosts.count();
  came_ = 0;
  last_ = first_traffic_cycle;
  if (left_ == 0) return;
  for (std::uint32_t h = 0; h < hosts.count(); ++h) hosts.call(node_id{h}, first_traffic_cycle);
}

void h_relation::called(traffic_hosts& hosts, node_id host, cycle_t now) {
  ++places_[index(host)].supersteps;
  const std::uint32_t count = hosts.count();
  for (std::uint32_t m = 0; m < options_.messages; ++m) {
    const std::uint32_t to = (index(host) + 1 + m % (count - 1)) % count;
    hosts.host(host).post(node_id{to}, options_.bytes, now);
  }
}

void h_relation::arrived(traffic_hosts& hosts, const traffic_message&, node_id host, cycle_t now) {
  last_ = now + 1;
  if (--left_ == 0) return;
  if (!options_.barrier) {
    place& here = places_[index(host)];
    const std::uint64_t due = std::uint64_t{here.supersteps} * options_.messages;
    if (++here.received == due && here.supersteps != options_.supersteps) {
      hosts.call(host, now + options_.pause);
    }
    return;
  }
  if (++came_ != std::uint64_t{options_.messages} * hosts.count()) return;
  came_ = 0;
  for (std::uint32_t h = 0; h < hosts.count(); ++h) hosts.call(node_id{h}, now + options_.pause);
}

double h_relation::superstep_cycles() const {
  return static_cast<double>(last_ - first_traffic_cycle) / options_.supersteps;
}

std::string h_relation::save() const { return save_state(places_, left_, came_, last_); }
void h_relation::restore(const std::string& state) {
  restore_state(state, places_, left_, came_, last_);
}

}  // namespace tributary
