// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/request_loop.h>

#include <cmath>

#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

class request_loop final : public program {
 public:
  request_loop(const request_loop_config& config, const request_place& place)
      : config_(config),
        requests_(config.requests),
        computing_(config.mean_computing(place.round_trip)),
        place_(place) {}

  void run(program_context& context) override {
    const std::uint32_t processes = context.processes();
    const std::uint64_t own = context.rank() % processes;
    const std::uint64_t mine = requests_ / processes + (own < requests_ % processes ? 1 : 0);
    for (std::uint64_t i = 0; i < mine; ++i) {
      compute(context, computing_time(context));
      const std::uint64_t address = next_address(context);
      const cycle_t since = context.now();
      context.load(address);
      context.sample("round_trip", context.now() - since);
      read_reply(context);
    }
  }

 private:
  /// Where there are caches, every so many cycles with an access of the own segment, of which a hit
  /// takes a cycle.
  void compute(program_context& context, std::uint64_t cycles) const {
    if (place_.segment_bytes == 0) {
      context.delay(cycles);
      return;
    }
    for (; cycles >= config_.touch_cycles; cycles -= config_.touch_cycles) {
      context.delay(config_.touch_cycles - 1);
      touch(context);
    }
    context.delay(cycles);
  }

  void touch(program_context& context) const {
    const std::uint64_t segment = context.rank() % context.processes() * place_.segment_bytes;
    const std::uint64_t offset =
        segment + context.random(place_.segment_bytes / word_bytes) * word_bytes;
    const std::uint64_t address = own(context, offset);
    if (context.random(100) < config_.touch_stores) {
      context.store(address, 1);
    } else {
      context.load(address);
    }
  }

  void read_reply(program_context& context) const {
    const std::uint64_t from =
        place_.replies + context.rank() % context.processes() * place_.reply_bytes;
    for (std::uint32_t i = 0; i < place_.reply_bytes; i += place_.line_bytes) {
      context.load(own(context, from + i));
    }
  }

  std::uint64_t own(const program_context& context, std::uint64_t offset) const {
    return place_.addresses.address_of(context.node(), 0, offset);
  }

  std::uint64_t computing_time(program_context& context) const {
    const std::uint64_t drawn =
        draw_exponential([&](std::uint64_t n) { return context.random(n); });
    // In parts, as the product has more than 64 bits.
    const std::uint64_t whole = (drawn >> 32) * computing_;
    const std::uint64_t rest = ((drawn & 0xffffffff) * (computing_ & 0xffffffff) >> 32) +
                               (drawn & 0xffffffff) * (computing_ >> 32);
    return (whole + rest + (1U << 15)) >> 16;
  }

  std::uint64_t next_address(program_context& context) const {
    const std::uint32_t here = index(context.node());
    const std::uint64_t other = context.nodes() == 2 ? 0 : context.random(context.nodes() - 1);
    const auto target = static_cast<std::uint32_t>(other < here ? other : other + 1);
    const std::uint64_t block = place_.blocks == 1 ? 0 : context.random(place_.blocks);
    return place_.addresses.address_of(node_id{target}, place_.space, block * place_.block_bytes);
  }

  request_loop_config config_;
  std::uint64_t requests_;
  std::uint64_t computing_;
  request_place place_;
};

}  // namespace

std::uint64_t request_loop_config::mean_computing(std::uint64_t machine_round_trip) const {
  if (computing != 0) return computing << 16;
  const auto shortest = static_cast<double>(round_trip == 0 ? machine_round_trip : round_trip);
  return static_cast<std::uint64_t>(
      std::llround(shortest * utilisation / (1 - utilisation) * 65536));
}

void request_loop_config::bind(parameter_set& parameters) {
  using u64 = tributary::interval<std::uint64_t>;
  parameters.add("requests", requests, u64{1, std::uint64_t{1} << 40}, "requests",
                 "Of each node's processors together.");
  parameters.add("utilisation", utilisation, tributary::interval<double>{0, 0.999}, "",
                 "U, the share of computing in a processor's time if nobody waits for others; the "
                 "mean time of computing is L U / (1 - U).");
  parameters.add("touch_cycles", touch_cycles, u64{1, 1000000}, "cycles",
                 "Of computing from one access of the own segment to the next, where there are "
                 "caches (not published; 10 is proposed).");
  parameters.add("touch_stores", touch_stores, tributary::interval<std::uint32_t>{0, 100}, "%",
                 "How many of these accesses are stores (not published).");
  parameters.add("round_trip", round_trip, u64{0, 10000000}, "cycles",
                 "L, the shortest round trip of a request; 0: that of the machine's protocol.");
  parameters.add("computing", computing, u64{0, 1000000000}, "cycles",
                 "C, the mean time of computing between requests, in place of that of U and L; "
                 "0: that of U and L.");
}

std::unique_ptr<program> make_request_loop(const request_loop_config& config,
                                           const request_place& place) {
  return std::make_unique<request_loop>(config, place);
}

}  // namespace tributary
