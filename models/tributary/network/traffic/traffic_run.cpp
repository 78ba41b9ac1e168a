// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/traffic/traffic_run.h>

#include <algorithm>
#include <cmath>
#include <string>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

/// The last byte takes the cycle in which it arrives.
cycle_t latency(const traffic_message& message, cycle_t now) { return now + 1 - message.posted; }

}  // namespace

void latency_spread::add(cycle_t latency) {
  all_.add(latency);
  const auto value = static_cast<double>(latency);
  const double off = value - running_mean_;
  running_mean_ += off / static_cast<double>(all_.count());
  squares_ += off * (value - running_mean_);
}

double latency_spread::standard_deviation() const {
  return count() == 0 ? 0.0 : std::sqrt(squares_ / static_cast<double>(count()));
}

traffic_run::traffic_run(message_network& network, traffic_kernel& kernel,
                         const endpoint_in_front& in_front)
    : network_(network), kernel_(kernel) {
  agenda_.enroll(*this);
  traffic_receiver& receiver = *this;
  for (std::uint32_t n = 0; n < network.nodes(); ++n) {
    const node_id here{n};
    ports_.push_back(std::make_unique<node_port>(network, here));
    hosts_.push_back(
        std::make_unique<traffic_host>(agenda_, *ports_.back(), here, messages_, receiver));
    network_endpoint& host = hosts_.back()->endpoint();
    network.attach(here, in_front ? in_front(here, host) : host);
  }
  kernel.begin(*this);
}

void traffic_run::call(node_id host, cycle_t at) {
  agenda_.wake(*this, at, index(host), wake_rank::processor);
}

void traffic_run::wake(cycle_t now, std::uint64_t host) {
  if (!stopped_) kernel_.called(*this, node_id{static_cast<std::uint32_t>(host)}, now);
}

void traffic_run::packet_arrived(const traffic_message& message, node_id, cycle_t now) {
  packets_.add(latency(message, now));
}

void traffic_run::message_arrived(const traffic_message& message, node_id at, cycle_t now) {
  whole_.add(latency(message, now));
  received_bytes_ += message.bytes;
  last_byte_ = now + 1;
  if (!stopped_) kernel_.arrived(*this, message, at, now);
}

cycle_t traffic_run::next_wakeup() const {
  return std::min(agenda_.next_wakeup(), network_.next_wakeup());
}

bool traffic_run::finished() const {
  return messages_.under_way() == 0 && (stopped_ || kernel_.finished()) && network_.idle();
}

void traffic_run::run_until(cycle_t last) {
  while (!finished()) {
    const cycle_t next = next_wakeup();
    if (next == never) fail_stuck();
    if (next > last) break;
    advance_to(next);
  }
  if (!finished() && now_ < last) advance_to(last);
}

void traffic_run::advance_to(cycle_t cycle) {
  network_.advance_to(cycle);
  agenda_.advance_to(cycle);
  now_ = cycle;
}

void traffic_run::run() { run_until(never); }

void traffic_run::fail_stuck() const {
  const std::string circle = network_.circle();
  throw stuck_traffic(
      "traffic, cycle " + std::to_string(now_) + ": nothing moves, and " +
      std::to_string(messages_.under_way()) + " messages are not where they should be" +
      (circle.empty() ? "" : "; channels wait for each other in a circle: ") + circle);
}

void traffic_run::reset_statistics() {
  packets_ = {};
  whole_ = {};
  received_bytes_ = 0;
  measured_from_ = now_ + 1;
  last_byte_ = 0;
  network_.reset_statistics();
}

std::string traffic_run::save() const {
  std::vector<std::string> hosts;
  hosts.reserve(hosts_.size());
  for (const auto& each : hosts_) hosts.push_back(each->save());
  return save_state(network_.save(), kernel_.save(), agenda_.save(), hosts, messages_, now_,
                    stopped_, measured_from_, last_byte_, packets_, whole_, received_bytes_);
}

void traffic_run::restore(const std::string& state) {
  std::string network;
  std::string kernel;
  std::string time;
  std::vector<std::string> hosts;
  restore_state(state, network, kernel, time, hosts, messages_, now_, stopped_, measured_from_,
                last_byte_, packets_, whole_, received_bytes_);
  if (hosts.size() != hosts_.size()) {
    throw input_error("checkpoint does not fit this machine: it has another number of hosts");
  }
  network_.restore(network);
  kernel_.restore(kernel);
  agenda_.restore(time);
  for (std::size_t h = 0; h < hosts.size(); ++h) hosts_[h]->restore(hosts[h]);
}

}  // namespace tributary
