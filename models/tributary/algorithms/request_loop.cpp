// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/request_loop.h>

#include <cmath>
#include <string>

#include <fmt/format.h>

#include <tributary/algorithms/fbcopy.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

/// Whole pages.
std::uint64_t buffer_bytes(std::uint64_t bytes, std::uint64_t page_bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

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
      ask(context, i);
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

  /// The processor's request of this number.
  void ask(program_context& context, std::uint64_t number) const {
    const node_id target = another_node(context);
    const std::uint64_t block =
        place_.way == request_way::transfer ? 0 : next_block(context, number);
    const cycle_t since = context.now();
    if (place_.way == request_way::transfer) {
      transfer(context, target, number);
    } else {
      context.load(place_.addresses.address_of(target, place_.space, block * place_.block_bytes));
    }
    context.sample("round_trip", context.now() - since);
  }

  static node_id another_node(program_context& context) {
    const std::uint32_t here = index(context.node());
    const std::uint64_t other = context.nodes() == 2 ? 0 : context.random(context.nodes() - 1);
    return node_id{static_cast<std::uint32_t>(other < here ? other : other + 1)};
  }

  std::uint64_t next_block(program_context& context, std::uint64_t number) const {
    if (place_.way == request_way::new_load) {
      return number * context.processes() + context.rank() % context.processes();
    }
    return place_.blocks == 1 ? 0 : context.random(place_.blocks);
  }

  void transfer(program_context& context, node_id target, std::uint64_t number) const {
    const std::uint64_t slot = buffer_bytes(config_.bytes, place_.page_bytes);
    const std::uint64_t process = context.rank() % context.processes();
    const std::uint64_t source = own(context, place_.page_bytes + process * slot);
    const std::uint64_t destination = place_.addresses.address_of(
        target, 0, place_.page_bytes + (context.processes() + context.rank()) * slot);
    const std::uint64_t flag = own(context, process * word_bytes);
    program_port port(context);
    const fbcopy_mapping mapping =
        physical_mapping(place_.addresses, context.node(), place_.page_bytes, place_.line);
    // The commands of a node's processors must not mix. The lock is in a line without flags, which
    // a handler reads and writes back as a whole.
    const std::uint64_t lock = own(context, place_.page_bytes - place_.line.bytes());
    const bool shares_node = context.processes() > 1;
    while (shares_node && context.swap(lock, 1) != 0) context.delay(config_.poll);
    const fbcopy_outcome outcome = fbcopy(port, mapping, source, destination, config_.bytes, flag);
    if (shares_node) context.store(lock, 0);
    if (outcome.result != block_transfer_result::accepted || outcome.copied_by_processor != 0) {
      throw simulation_error("a block transfer was refused with result " +
                             std::to_string(static_cast<word_t>(outcome.result)));
    }
    if (place_.rest) context.store(*place_.rest, 1);
    fbcopy_wait(port, flag, number + 1, config_.poll);
    if (place_.rest) context.store(*place_.rest, 0);
  }

  request_loop_config config_;
  std::uint64_t requests_;
  std::uint64_t computing_;
  request_place place_;
};

}  // namespace

void request_place::check_transfers(std::uint64_t bytes, std::uint64_t nodes,
                                    std::uint64_t processes, std::uint64_t user_bytes) const {
  const auto refuse = [&](const std::string& problem, const std::string& allowed,
                          const char* advice) {
    throw configuration_error({"workload.requests.bytes", "", problem, allowed, advice});
  };
  if (line.offset(bytes) != 0) {
    refuse(fmt::format("{} are not whole lines", bytes),
           fmt::format("multiples of {}", line.bytes()), "choose one");
  }
  const std::uint64_t most = block_transfer_command::pages_allowed(line) * page_bytes;
  if (bytes > most) {
    refuse(fmt::format("{} are more pages than a request may have", bytes),
           fmt::format("{} to {}", line.bytes(), most), "lower it");
  }
  if (processes * word_bytes + line.bytes() > page_bytes) {
    throw configuration_error(
        {"block_transfer.page_bytes", "",
         fmt::format("{} are too few for flags of {} processors and a lock", page_bytes, processes),
         fmt::format("{} or more", processes * word_bytes + line.bytes()),
         "raise it, or take fewer processors"});
  }
  const std::uint64_t wanted =
      page_bytes + (1 + nodes) * processes * buffer_bytes(bytes, page_bytes);
  if (wanted <= user_bytes) return;
  refuse(fmt::format("transfers of {} take {} of a node's {} bytes for programs", bytes, wanted,
                     user_bytes),
         fmt::format("at most {} bytes of memory", user_bytes),
         "lower it, or raise node.memory.bytes");
}

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
  parameters.add("bytes", bytes, u64{least_line_bytes, 65536}, "bytes",
                 "Of a request that is a block transfer: whole lines (FLASH 5.4: 4096).");
  parameters.add("poll", poll, u64{1, 1000000}, "cycles",
                 "Between two looks at the flag of a block transfer (not published).");
}

std::unique_ptr<program> make_request_loop(const request_loop_config& config,
                                           const request_place& place) {
  return std::make_unique<request_loop>(config, place);
}

}  // namespace tributary
