// SPDX-License-Identifier: Apache-2.0
#include "cluster_traffic.h"

#include <string>

#include <fmt/format.h>

#include <tributary/network/traffic/fan.h>
#include <tributary/network/traffic/token_pass.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

constexpr std::uint64_t picoseconds = 1000;  // of a nanosecond

cycle_t cycles_in(std::uint64_t nanoseconds, const clock_domain& clock) {
  return nanoseconds * picoseconds / clock.period;
}

void require_whole(const std::string& key, std::uint64_t nanoseconds, const clock_domain& clock) {
  if (nanoseconds * picoseconds % clock.period == 0) return;
  throw configuration_error(
      {key, "",
       fmt::format("{} ns are no whole number of cycles of {} ps", nanoseconds, clock.period),
       "a multiple of clock.period", "round it, or choose another clock.period"});
}

}  // namespace

void cluster_traffic::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  using u64 = tributary::interval<std::uint64_t>;
  constexpr std::uint64_t most_bytes = 1U << 30U;
  constexpr std::uint64_t most_time = 1000000000;  // a second
  parameters.add_choice(
      "kernel", kernel,
      {{"token_pass", cluster_kernel::token_pass},
       {"fan_in", cluster_kernel::fan_in},
       {"fan_out", cluster_kernel::fan_out},
       {"exchange", cluster_kernel::exchange},
       {"torus_exchange", cluster_kernel::torus_exchange}},
      "What hosts send (Chen and Wyckoff): one message around a ring of them, a message of each to "
      "host 0, one of host 0 to each, or messages to the neighbours in a grid or torus of hosts.");
  parameters.add("bytes", bytes, u64{1, most_bytes}, "bytes",
                 "Payload of a message, which leaves in packets of network.payload_bytes.");
  parameters.add("laps", laps, u32{1, 1000000}, "laps",
                 "Of token_pass: how often each host sends.");
  parameters.add("think", think, u64{0, most_time}, "ns",
                 "Of token_pass: from the arrival of a message to the next.");
  parameters.add("stagger", stagger, u64{0, most_time}, "ns",
                 "Of fan_in: between the senders; of fan_out: between the messages. The printed "
                 "times of Gigabit Ethernet come out with 0 (derived).");
  parameters.add("broadcast", broadcast,
                 "Of fan_out: one message for everyone, which switches copy.");
  parameters.add("columns", columns, u32{1, largest_network}, "hosts",
                 "Of exchange and torus_exchange: width of the grid of hosts (16).");
  parameters.add("iterations", iterations, u32{1, 1000000}, "iterations",
                 "Of exchange and torus_exchange: times that each host sends to its neighbours "
                 "(10).");
  parameters.add("compute", compute, u64{0, most_time}, "ns",
                 "Of exchange and torus_exchange: from the last message of an iteration to the "
                 "next (10 us).");
}

grid_exchange::options cluster_traffic::grid(const clock_domain& clock) const {
  grid_exchange::options options;
  options.columns = columns;
  options.wraps = kernel == cluster_kernel::torus_exchange;
  options.bytes = bytes;
  options.iterations = iterations;
  options.compute = cycles_in(compute, clock);
  return options;
}

void cluster_traffic::validate(std::uint32_t hosts, const clock_domain& clock) const {
  require_whole("traffic.think", think, clock);
  require_whole("traffic.stagger", stagger, clock);
  const bool computes =
      kernel == cluster_kernel::exchange || kernel == cluster_kernel::torus_exchange;
  if (computes) require_whole("traffic.compute", compute, clock);
  if (broadcast && kernel != cluster_kernel::fan_out) {
    throw configuration_error({"traffic.broadcast", "", "no other kernel sends to everyone",
                               "true with traffic.kernel = fan_out", "choose that, or clear this"});
  }
  if (computes) grid_exchange::check(grid(clock), hosts);
}

std::unique_ptr<traffic_kernel> cluster_traffic::made(const clock_domain& clock) const {
  switch (kernel) {
    case cluster_kernel::fan_in:
      return std::make_unique<fan_in>(fan_in::options{bytes, cycles_in(stagger, clock)});
    case cluster_kernel::fan_out:
      return std::make_unique<fan_out>(
          fan_out::options{bytes, cycles_in(stagger, clock), broadcast});
    case cluster_kernel::exchange:
    case cluster_kernel::torus_exchange:
      return std::make_unique<grid_exchange>(grid(clock));
    case cluster_kernel::token_pass:
      break;
  }
  return std::make_unique<token_pass>(token_pass::options{bytes, laps, cycles_in(think, clock)});
}

}  // namespace tributary
