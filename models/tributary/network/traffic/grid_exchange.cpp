// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/traffic/grid_exchange.h>

#include <algorithm>
#include <string>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {

void grid_exchange::check(const options& wanted, std::uint32_t hosts) {
  const std::uint32_t columns = wanted.columns;
  const std::uint32_t least = wanted.wraps ? 3 : 1;
  const std::uint32_t rows = columns == 0 ? 0 : hosts / columns;
  if (columns >= least && rows >= least && rows * columns == hosts && hosts != 1) return;
  throw configuration_error(
      {"traffic.columns", "",
       std::to_string(columns) + " columns do not make a grid of " + std::to_string(hosts) +
           " hosts",
       "a divisor of the number of hosts, which are two or more; of a torus three at least, with "
       "three rows",
       "choose another width, or another number of hosts"});
}

void grid_exchange::begin(traffic_hosts& hosts) {
  check(options_, hosts.count());
  const std::uint32_t columns = options_.columns;
  places_.clear();
  completion_ = 0;
  most_apart_ = 0;
  const std::uint32_t rows = hosts.count() / columns;
  left_ = options_.iterations == 0 ? 0 : hosts.count();
  for (std::uint32_t h = 0; h < hosts.count(); ++h) {
    const std::uint32_t x = h % columns;
    const std::uint32_t y = h / columns;
    place here;
    const auto add = [&](bool exists, std::uint32_t to_x, std::uint32_t to_y) {
      if (exists || options_.wraps) here.neighbours.push_back(node_id{to_y * columns + to_x});
    };
    add(x + 1 < columns, (x + 1) % columns, y);
    add(x != 0, (x + columns - 1) % columns, y);
    add(y + 1 < rows, x, (y + 1) % rows);
    add(y != 0, x, (y + rows - 1) % rows);
    here.received.resize(here.neighbours.size());
    places_.push_back(here);
    if (left_ != 0) hosts.call(node_id{h}, first_traffic_cycle);
  }
}

void grid_exchange::called(traffic_hosts& hosts, node_id host, cycle_t now) {
  place& here = places_[index(host)];
  ++here.sent;
  for (const node_id each : here.neighbours) {
    hosts.host(host).post(each, options_.bytes, now);
    const std::uint32_t theirs = places_[index(each)].sent;
    most_apart_ = std::max(most_apart_, std::max(here.sent, theirs) - std::min(here.sent, theirs));
  }
  advance(hosts, host, now);
}

void grid_exchange::arrived(traffic_hosts& hosts, const traffic_message& message, node_id host,
                            cycle_t now) {
  place& here = places_[index(host)];
  const auto from = std::find(here.neighbours.begin(), here.neighbours.end(), message.from);
  const auto which = static_cast<std::size_t>(from - here.neighbours.begin());
  // Two messages of an iteration come from the same host only in a torus two hosts wide, which is
  // refused.
  if (++here.received[which] == here.sent) advance(hosts, host, now);
}

std::string grid_exchange::save() const {
  return save_state(places_, left_, completion_, most_apart_);
}

void grid_exchange::restore(const std::string& state) {
  restore_state(state, places_, left_, completion_, most_apart_);
}

void grid_exchange::advance(traffic_hosts& hosts, node_id host, cycle_t now) {
  const place& here = places_[index(host)];
  const std::uint32_t complete = *std::min_element(here.received.begin(), here.received.end());
  if (complete < here.sent) return;
  if (here.sent < options_.iterations) {
    hosts.call(host, now + options_.compute);
    return;
  }
  completion_ = std::max(completion_, now - first_traffic_cycle);
  --left_;
}

}  // namespace tributary
