// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/traffic/traffic_run.h>

#include <algorithm>
#include <cmath>
#include <string>

#include <tributary/sim/error.h>

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

traffic_run::traffic_run(message_network& network, traffic_kernel& kernel)
    : network_(network), kernel_(kernel) {
  agenda_.enroll(*this);
  traffic_receiver& receiver = *this;
  for (std::uint32_t n = 0; n < network.nodes(); ++n) {
    const node_id here{n};
    ports_.push_back(std::make_unique<node_port>(network, here));
    hosts_.push_back(
        std::make_unique<traffic_host>(agenda_, *ports_.back(), here, messages_, receiver));
    network.attach(here, hosts_.back()->endpoint());
  }
  kernel.begin(*this);
}

void traffic_run::call(node_id host, cycle_t at) {
  agenda_.wake(*this, at, index(host), wake_rank::processor);
}

void traffic_run::wake(cycle_t now, std::uint64_t host) {
  kernel_.called(*this, node_id{static_cast<std::uint32_t>(host)}, now);
}

void traffic_run::packet_arrived(const traffic_message& message, node_id, cycle_t now) {
  packets_.add(latency(message, now));
}

void traffic_run::message_arrived(const traffic_message& message, node_id at, cycle_t now) {
  whole_.add(latency(message, now));
  received_bytes_ += message.bytes;
  kernel_.arrived(*this, message, at, now);
}

cycle_t traffic_run::next_wakeup() const {
  return std::min(agenda_.next_wakeup(), network_.next_wakeup());
}

void traffic_run::run_until(cycle_t last) {
  for (cycle_t next = next_wakeup(); next <= last && next != never; next = next_wakeup()) {
    network_.advance_to(next);
    agenda_.advance_to(next);
    now_ = next;
  }
}

void traffic_run::run() {
  run_until(never);
  if (kernel_.finished() && network_.idle() && messages_.under_way() == 0) return;
  throw simulation_error("traffic, cycle " + std::to_string(now_) + ": nothing moves, and " +
                         std::to_string(messages_.under_way()) +
                         " messages are not where they should be");
}

}  // namespace tributary
