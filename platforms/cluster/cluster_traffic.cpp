// SPDX-License-Identifier: Apache-2.0
#include "cluster_traffic.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <tributary/network/traffic/fan.h>
#include <tributary/network/traffic/token_pass.h>
#include <tributary/network/traffic/traffic_replay.h>
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

constexpr std::uint64_t most_bytes = 1U << 30U;
constexpr std::uint64_t most_time = 1000000000;  // a second

}  // namespace

double traffic_place::link_bytes() const {
  constexpr double megabytes_and_picoseconds = 1e6;
  return bandwidth * static_cast<double>(clock.period) / megabytes_and_picoseconds;
}

void cluster_traffic::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  using u64 = tributary::interval<std::uint64_t>;
  parameters.add_choice(
      "kernel", kernel,
      {{"token_pass", cluster_kernel::token_pass},
       {"fan_in", cluster_kernel::fan_in},
       {"fan_out", cluster_kernel::fan_out},
       {"exchange", cluster_kernel::exchange},
       {"torus_exchange", cluster_kernel::torus_exchange},
       {"load", cluster_kernel::load},
       {"h_relation", cluster_kernel::h_relation},
       {"replay", cluster_kernel::replay}},
      "What hosts send: one message around a ring of them, a message of each to host 0, one of "
      "host "
      "0 to each, or messages to the neighbours in a grid or torus of hosts (Chen and Wyckoff); "
      "messages at a rate (Sancho et al.); the same number from and to each host, again and again "
      "(Martin and Wilson); or those of a file.");
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
  bind_load(parameters);
  bind_others(parameters);
}

void cluster_traffic::bind_load(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  using u64 = tributary::interval<std::uint64_t>;
  using real = tributary::interval<double>;
  parameters.add(
      "load", load, real{0.000001, 1}, "1",
      "Of load: payload that each host sends, mean, as a share of what its link carries. "
      "In each cycle a host sends with the same probability, whatever the network takes.");
  parameters.add_choice(
      "pattern", destinations.kind,
      {{"uniform", destination_kind::uniform},
       {"transpose", destination_kind::transpose},
       {"bit_reversal", destination_kind::bit_reversal},
       {"shuffle", destination_kind::shuffle},
       {"permutation", destination_kind::permutation},
       {"hot_spot", destination_kind::hot_spot},
       {"local", destination_kind::local}},
      "Of load: to whom. transpose rotates a host's bits by half of their number, or exchanges row "
      "and column of a square of hosts; shuffle rotates them by one. permutation is drawn once, "
      "hot_spot sends a share to host 0, local a share to hosts that are near.");
  parameters.add("share", destinations.share, real{0, 1}, "1",
                 "Of patterns hot_spot and local: share of the messages; the others are uniform "
                 "(Sancho et al., local: 0.6).");
  parameters.add("radius", destinations.radius, u32{2, most_switches}, "links",
                 "Of pattern local: links to the farthest host that is near, those of both hosts "
                 "included (Sancho et al.: 5).");
  parameters.add("permutation_seed", destinations.seed, u64{0, 0xFFFFFFFF}, "",
                 "Of pattern permutation: what is drawn.");
  parameters.add("long_bytes", long_bytes, u64{1, most_bytes}, "bytes",
                 "Of load: payload of long messages (Sancho et al.: 512 flits with the header).");
  parameters.add("long_share", long_share, real{0, 1}, "1",
                 "Of load: share of messages that are long (Sancho et al., bimodal: 0.25).");
}

void cluster_traffic::bind_others(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  using u64 = tributary::interval<std::uint64_t>;
  parameters.add("messages", messages, u32{1, 1000000}, "messages",
                 "Of h_relation: messages that each host sends, and receives, in a superstep.");
  parameters.add("supersteps", supersteps, u32{1, 1000000}, "supersteps", "Of h_relation.");
  parameters.add("barrier", barrier,
                 "Of h_relation: whether all hosts begin a superstep when the last message of the "
                 "one before is there; otherwise each begins when it has received as many messages "
                 "as it has sent.");
  parameters.add("pause", pause, u64{0, most_time}, "ns",
                 "Of h_relation: from the last message of a superstep to the next.");
  parameters.add("path", path,
                 "Of replay: a file with a message a line, cycle,source,destination,bytes, under a "
                 "line with these names.");
}

load_traffic::options cluster_traffic::load_options(const traffic_place& where,
                                                    std::uint64_t seed) const {
  load_traffic::options options;
  options.load = load * where.link_bytes();
  options.bytes = bytes;
  options.long_bytes = long_bytes;
  options.long_share = long_share;
  options.seed = seed;
  return options;
}

h_relation::options cluster_traffic::relation(const clock_domain& clock) const {
  return {messages, bytes, supersteps, barrier, cycles_in(pause, clock)};
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

void cluster_traffic::validate(const traffic_place& where) const {
  require_whole("traffic.think", think, where.clock);
  require_whole("traffic.stagger", stagger, where.clock);
  require_whole("traffic.pause", pause, where.clock);
  const bool computes =
      kernel == cluster_kernel::exchange || kernel == cluster_kernel::torus_exchange;
  if (computes) require_whole("traffic.compute", compute, where.clock);
  if (broadcast && kernel != cluster_kernel::fan_out) {
    throw configuration_error({"traffic.broadcast", "", "no other kernel sends to everyone",
                               "true with traffic.kernel = fan_out", "choose that, or clear this"});
  }
  if (computes) grid_exchange::check(grid(where.clock), where.graph.hosts());
  if (kernel == cluster_kernel::load || kernel == cluster_kernel::replay) made(where, 1);
}

std::unique_ptr<traffic_kernel> cluster_traffic::made(const traffic_place& where,
                                                      std::uint64_t seed) const {
  const clock_domain& clock = where.clock;
  switch (kernel) {
    case cluster_kernel::fan_in:
      return std::make_unique<fan_in>(fan_in::options{bytes, cycles_in(stagger, clock)});
    case cluster_kernel::fan_out:
      return std::make_unique<fan_out>(
          fan_out::options{bytes, cycles_in(stagger, clock), broadcast});
    case cluster_kernel::exchange:
    case cluster_kernel::torus_exchange:
      return std::make_unique<grid_exchange>(grid(clock));
    case cluster_kernel::load:
      return std::make_unique<load_traffic>(load_options(where, seed),
                                            destination_pattern(destinations, where.graph));
    case cluster_kernel::h_relation:
      return std::make_unique<h_relation>(relation(clock));
    case cluster_kernel::replay: {
      if (path.empty()) {
        throw configuration_error({"traffic.path", "", "no file is named",
                                   "the path of a file of messages",
                                   "name it, or choose another traffic.kernel"});
      }
      std::vector<replayed_message> listed = read_replay(path);
      traffic_replay::check(listed, where.graph.hosts());
      return std::make_unique<traffic_replay>(std::move(listed));
    }
    case cluster_kernel::token_pass:
      break;
  }
  return std::make_unique<token_pass>(token_pass::options{bytes, laps, cycles_in(think, clock)});
}

}  // namespace tributary
