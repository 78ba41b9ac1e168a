// SPDX-License-Identifier: Apache-2.0
// Random programs that lock and cross barriers of the controllers, on tiny caches, queues and
// pools, so that the states of locks are evicted all the time and requests wait for room. Every
// handler's end is looked at: one token a lock, granted in the order in which the home took the
// requests. Words that a lock protects are incremented one load and one store at a time. The long
// form, 10^5 machines in shards, is shards/synchronization_random_long.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <support/coherence_pools.h>
#include <support/coherent_wanderer.h>
#include <support/failure.h>
#include <support/late_messages.h>
#include <support/random_choice.h>
#include <support/sizes.h>
#include <support/synchronizing_machine.h>

namespace tributary {
namespace {

using testing::between;
using testing::one_of;
using testing::synchronizing_config;
using testing::synchronizing_machine;

/// What has happened in all cases, by names: handlers, and what is rare.
using occurrences = std::map<std::string, std::uint64_t>;

/// Words that a lock protects, on lines of their own.
constexpr std::uint32_t protected_words = 2;
/// Lines of each node that programs load and store only to evict others.
constexpr std::uint32_t other_lines = 4;
constexpr std::uint64_t protected_offset = 0x2000;
constexpr std::uint64_t other_offset = 0x8000;
constexpr std::uint64_t ready_offset = 0x1000;
/// Apart enough for every size of lines.
constexpr std::uint64_t apart = 512;
/// Cycles after which a case hangs.
constexpr cycle_t patience = 5'000'000;

struct lock_choice {
  std::uint64_t number;
  std::uint32_t home;
  std::uint32_t words_on;  ///< the node of the first protected word
};

/// A machine and its programs, drawn at random.
struct random_case {
  explicit random_case(std::uint64_t number) : seed(number), config(2) {
    draw_machine();
    random_stream draws(seed, 18U, 6U);
    const bool times_out = draws.below(2) == 0;
    config.locks.timeout = times_out ? one_of(draws, {500U, 3000U, 20000U}) : 0;
    config.machine.node.timed.period = one_of(draws, {50U, 500U});
    config.processor.turnaround = one_of(draws, {1U, 30U, 60U, 100U});
    std::uint64_t lock = 0;
    const bool one_home = draws.below(2) == 0;
    for (std::uint32_t i = between(draws, 1, 4); i-- > 0;) {
      const std::uint32_t home = one_home ? 0 : between(draws, 0, nodes() - 1);
      locks.push_back({lock, home, between(draws, 0, nodes() - 1)});
      lock += between(draws, 1, 9);
    }
    for (std::uint32_t i = between(draws, 0, 2); i-- > 0;) {
      barriers.push_back(
          {nodes(), between(draws, 1, 5), between(draws, 1, 5), draws.below(4) == 0});
    }
    for (std::uint32_t i = between(draws, 2, 5); i-- > 0;) crosses.push_back(between(draws, 0, 3));
  }

  std::uint32_t nodes() const { return config.machine.nodes; }
  std::string text() const {
    return fmt::format("case {}, {} nodes, {} locks, {} barriers, {}", seed, nodes(), locks.size(),
                       barriers.size(), config.locks.timeout == 0 ? "no time-outs" : "time-outs");
  }
  std::uint64_t address(std::uint32_t node, std::uint64_t offset) const {
    return config.machine.node.addresses.address_of(node_id{node % nodes()}, 0, offset);
  }
  std::uint64_t protected_word(std::size_t lock, std::uint32_t i) const {
    return address(locks[lock].words_on + i,
                   protected_offset + apart * (protected_words * lock + i));
  }
  /// Of all words that programs use.
  std::set<std::uint64_t> addresses() const {
    std::set<std::uint64_t> used;
    for (std::size_t lock = 0; lock < locks.size(); ++lock) {
      for (std::uint32_t i = 0; i < protected_words; ++i) used.insert(protected_word(lock, i));
    }
    for (std::uint32_t node = 0; node < nodes(); ++node) {
      used.insert(address(node, ready_offset));
      for (std::uint32_t i = 0; i < other_lines; ++i) {
        used.insert(address(node, other_offset + apart * i));
      }
    }
    return used;
  }

  std::uint64_t seed;
  synchronizing_config config;
  std::vector<lock_choice> locks;
  std::vector<barrier_trees> barriers;
  std::vector<std::uint32_t> crosses;  ///< of a barrier at the end of each round
  bool is_crowded = false;             ///< hardly any room for what is sent
  std::uint32_t messages_late = 0;     ///< at most, between the network and a node

 private:
  /// As for coherence, with more nodes, and sometimes hardly any room for what is sent.
  void draw_machine() {
    const testing::random_case drawn(seed);
    const std::uint32_t space_bits = config.machine.node.addresses.space_bits;
    static_cast<testing::coherent_config&>(config) = drawn.config;
    config.machine.node.addresses.space_bits = space_bits;
    messages_late = drawn.messages_late;
    random_stream draws(seed, 19U, 6U);
    if (draws.below(4) == 0) {
      // Protected words stay, so that a copy may be read that is older than the lock.
      for (cache_level_config& level : config.machine.node.caches.levels.levels) level.bytes *= 32;
    }
    if (draws.below(4) == 0) config.machine.node.buffers.buffers = 4;
    message_network_config& network = config.machine.network;
    const bool power_of_two =
        network.topology == topology_kind::hypercube || network.topology == topology_kind::omega;
    config.machine.nodes = power_of_two ? 1U << between(draws, 1, 3) : between(draws, 2, 8);
    is_crowded = draws.below(2) == 0;
    if (!is_crowded) return;
    config.machine.node.network_interface.out_depth = 3;
    network.bandwidth = 20;
    // Readers that invalidate each other for want of a list element may do so for ever where
    // invalidations overtake all lines.
    config.coherence.elements = 64;
  }
};

/// Looks at the locks of all nodes whenever one of their handlers has ended. Throws `error`.
class token_watch {
 public:
  token_watch(const random_case& drawn, synchronizing_machine& machine)
      : case_(drawn), machine_(machine), locks_(drawn.locks.size()) {}

  void ended(const std::string& handler, handler_context& context) {
    const std::uint32_t node = index(context.here());
    for (std::size_t i = 0; i < locks_.size(); ++i) {
      if (handler != "check" && case_.locks[i].number != number_of(context)) continue;
      note_request(i, handler, node, context.arrived());
      note_tokens(i, handler, node);
    }
  }

  /// A process holds a lock.
  void used(std::size_t lock) { locks_[lock].used = true; }

  /// Of a machine at rest.
  void check_rest() const {
    for (std::size_t i = 0; i < locks_.size(); ++i) {
      if (locks_[i].here == 0) fail(i, "no node has the token at the end");
      if (!locks_[i].accepted.empty()) fail(i, "a request was never granted");
      for (std::uint32_t node = 0; node < case_.nodes(); ++node) {
        const lock_state state = state_of(i, node);
        if (state.awaited() || state.requested() || state.deferring()) {
          fail(i, fmt::format("node {} still waits", node));
        }
        if (!state.cached() && is_in_caches(i, node)) {
          fail(i, fmt::format("node {} does not know that its caches have the state", node));
        }
      }
    }
  }

  [[noreturn]] void fail(std::size_t lock, const std::string& problem) const {
    throw error(fmt::format("{} in cycle {}: {}", text_of(lock), machine_.nodes().now(), problem));
  }

  /// What all nodes know of all locks.
  std::string text() const {
    std::string all;
    for (std::size_t i = 0; i < locks_.size(); ++i) all += text_of(i) + "; ";
    return all;
  }

  /// What all nodes know of a lock.
  std::string text_of(std::size_t lock) const {
    std::string text =
        fmt::format("lock {} (home {}", case_.locks[lock].number, case_.locks[lock].home);
    for (std::uint32_t node = 0; node < case_.nodes(); ++node) {
      text += fmt::format("; node {}:{}", node, text_of(state_of(lock, node)));
      const cache& caches = *machine_.nodes().node(node).caches();
      if (caches.state_of(copy_of(lock, node)) == line_state::invalid) continue;
      text += ", copy:" + text_of(lock_state(caches.word_at(copy_of(lock, node))));
    }
    return text + ")";
  }

  /// Tokens that were taken from a processor that had not used them, and that a write-back gave.
  occurrences rare;

 private:
  struct lock_history {
    std::uint32_t here = 0;   ///< nodes that have the token, a bit each
    bool made = false;        ///< at its home
    bool home_asked = false;  ///< `requested` there
    bool used = true;  ///< since the token came; the home may give the first one away at once
    std::uint32_t on_way = 0;            ///< tokens that left a node and did not come to another
    std::deque<std::uint32_t> accepted;  ///< nodes whose requests the home took
  };

  static std::string text_of(const lock_state& state) {
    std::string text;
    if (state.token()) text += " token";
    if (state.locked()) text += " locked";
    if (state.seen()) text += " seen";
    if (state.cached()) text += " cached";
    if (state.requested()) text += " requested";
    if (state.awaited()) text += fmt::format(" next {}", index(state.next()));
    return text;
  }
  std::uint64_t number_of(handler_context& context) const {
    const magic_node_config& node = case_.config.machine.node;
    return lock_command::number(node.addresses.offset_of(context.arrived().address),
                                node.memory.line());
  }
  lock_state state_of(std::size_t lock, std::uint32_t node) const {
    return machine_.lock(node, case_.locks[lock].number);
  }
  /// The address of the processor's copy.
  std::uint64_t copy_of(std::size_t lock, std::uint32_t node) const {
    const magic_node_config& config = case_.config.machine.node;
    return lock_command::address(
        config.addresses, node_id{node},
        lock_command::state(case_.locks[lock].number, config.memory.line()));
  }
  bool is_in_caches(std::size_t lock, std::uint32_t node) const {
    const cache& caches = *machine_.nodes().node(node).caches();
    return caches.state_of(copy_of(lock, node)) != line_state::invalid;
  }

  /// The home takes requests in the order of its handlers, whether it passes them on at once.
  void note_request(std::size_t lock, const std::string& handler, std::uint32_t node,
                    const message& arrived) {
    if (node != case_.locks[lock].home) return;
    lock_history& of = locks_[lock];
    const bool asked = state_of(lock, node).requested();
    if (handler == "request_token") of.accepted.push_back(arrived.aux);
    if (handler == "processor_write" && asked && !of.home_asked) of.accepted.push_back(node);
    of.home_asked = asked;
  }

  void note_tokens(std::size_t lock, const std::string& handler, std::uint32_t node) {
    lock_history& of = locks_[lock];
    std::uint32_t now = 0;
    for (std::uint32_t i = 0; i < case_.nodes(); ++i) {
      now |= std::uint32_t{state_of(lock, i).token()} << i;
    }
    const std::uint32_t left = of.here & ~now;
    const std::uint32_t came = now & ~of.here;
    of.here = now;
    if (!of.made) {
      of.made = came != 0;
      return;
    }
    if ((now & (now - 1)) != 0) fail(lock, "two nodes have the token");
    of.on_way += left != 0 ? 1 : 0;
    if (came != 0 && of.on_way == 0) fail(lock, fmt::format("node {} makes a token", node));
    of.on_way -= came != 0 ? 1 : 0;
    if (of.on_way + (now != 0 ? 1 : 0) != 1) fail(lock, "there is not one token");
    if (came != 0) of.used = false;
    if (left != 0 && !of.used && case_.config.locks.timeout == 0) {
      fail(lock, fmt::format("node {} gives away what its processor has not used", node));
    }
    if (handler == "grant_token") note_grant(lock, node, (came >> node & 1) != 0);
    if (left != 0) rare[handler + " gives a token"] += 1;
  }

  void note_grant(std::size_t lock, std::uint32_t node, bool is_new) {
    std::deque<std::uint32_t>& accepted = locks_[lock].accepted;
    if (!is_new) fail(lock, fmt::format("node {} has the token that comes to it", node));
    if (accepted.empty() || accepted.front() != node) {
      fail(lock, fmt::format("node {} gets the token, not node {}, which asked before it", node,
                             accepted.empty() ? -1 : static_cast<int>(accepted.front())));
    }
    accepted.pop_front();
  }

  const random_case& case_;
  synchronizing_machine& machine_;
  std::vector<lock_history> locks_;
};

/// What the programs of all processors do, and what they must see. Throws `error`.
class synchronizing_programs {
 public:
  synchronizing_programs(const random_case& drawn, synchronizing_machine& machine,
                         token_watch& watch)
      : case_(drawn),
        machine_(machine),
        watch_(watch),
        locks_(drawn.locks.size()),
        doing_(drawn.nodes()) {
    for (std::size_t i = 0; i < drawn.barriers.size(); ++i) {
      barriers_.push_back({std::vector<std::uint64_t>(drawn.nodes())});
    }
  }

  void run(program_context& context) {
    process own(case_, context.rank());
    for (std::size_t i = 0; i < case_.locks.size(); ++i) {
      const lock_choice& chosen = case_.locks[i];
      own.locks.push_back(std::make_unique<flash_lock>(
          context, machine_.lock_place(chosen.number, chosen.home),
          own.draws.below(2) == 0 ? flash_lock::manner::normal : flash_lock::manner::aggressive));
    }
    for (std::size_t i = 0; i < case_.barriers.size(); ++i) {
      own.barriers.push_back(
          std::make_unique<flash_barrier>(context, machine_.barrier_place(i), case_.barriers[i]));
    }
    wait_for_all(context);
    for (std::size_t round = 0; round < case_.crosses.size(); ++round) {
      for (std::uint64_t i = own.draws.below(4); i-- > 0;) act(context, own);
      if (own.barriers.empty()) continue;
      for (std::uint32_t i = 0; i < case_.crosses[round]; ++i) {
        cross(context, own, (round + i) % own.barriers.size());
      }
    }
    doing_[context.rank()] = "has ended";
  }

  /// What processes do now.
  std::string text() const {
    std::string all;
    for (std::size_t rank = 0; rank < doing_.size(); ++rank) {
      all += fmt::format("process {} {}; ", rank, doing_[rank]);
    }
    return all;
  }

  /// Of a machine at rest: words, and what the nodes know of barriers.
  void check_rest() const {
    for (std::size_t i = 0; i < locks_.size(); ++i) {
      for (std::uint32_t word = 0; word < protected_words; ++word) {
        const word_t left = machine_.coherent().newest(case_.protected_word(i, word));
        if (left != locks_[i].entries) {
          watch_.fail(i, fmt::format("protected word {} ends as {}, not as {}", word, left,
                                     locks_[i].entries));
        }
      }
    }
    for (std::size_t i = 0; i < barriers_.size(); ++i) {
      const std::uint64_t episodes = barriers_[i].begun[0];
      for (std::uint32_t node = 0; node < case_.nodes(); ++node) {
        const barrier_state state = machine_.barrier(node, i);
        if (state.joined() != 0 || state.told() != 0 || state.sense() != episodes % 2) {
          throw error(
              fmt::format("barrier {}, node {}: joined {}, told {}, sense {} after {} "
                          "episodes",
                          i, node, state.joined(), state.told(), state.sense(), episodes));
        }
      }
    }
  }

  occurrences rare;

 private:
  struct process {
    process(const random_case& drawn, std::uint32_t rank) : draws(drawn.seed, rank, 20U) {}

    random_stream draws;
    std::vector<std::unique_ptr<flash_lock>> locks;
    std::vector<std::unique_ptr<flash_barrier>> barriers;
  };
  struct lock_use {
    std::optional<std::uint32_t> holder;
    word_t entries = 0;
  };
  struct barrier_use {
    std::vector<std::uint64_t> begun;  // episodes, by process
    std::uint64_t released = 0;        // by the master
  };

  /// No home is asked before it knows of its locks.
  void wait_for_all(program_context& context) const {
    context.fence();
    context.store(case_.address(context.rank(), ready_offset), 1);
    for (std::uint32_t node = 0; node < case_.nodes(); ++node) {
      context.spin(case_.address(node, ready_offset), [](word_t ready) { return ready == 1; });
    }
  }

  void act(program_context& context, process& own) {
    if (case_.is_crowded && own.draws.below(2) == 0) {
      use_all(context, own);
      return;
    }
    switch (own.draws.below(8)) {
      case 0:
        context.delay(own.draws.below(one_of(own.draws, {10U, 1000U, 5000U})));
        break;
      case 1:
      case 2:
        wander(context, own);
        break;
      default:
        const auto lock = static_cast<std::size_t>(own.draws.below(case_.locks.size()));
        // An unlock may be followed by a lock at once, before the controller knows of it.
        for (std::uint64_t times = 1 + own.draws.below(3); times-- > 0;) use(context, own, lock);
        break;
    }
  }

  /// Evicts lines, and leaves copies of protected words that a holder must not find later.
  void wander(program_context& context, process& own) const {
    for (std::uint64_t i = 1 + own.draws.below(4); i-- > 0;) {
      const std::uint64_t at = case_.address(between(own.draws, 0, case_.nodes() - 1),
                                             other_offset + apart * own.draws.below(other_lines));
      switch (own.draws.below(4)) {
        case 0:
          context.load(
              case_.protected_word(static_cast<std::size_t>(own.draws.below(case_.locks.size())),
                                   between(own.draws, 0, protected_words - 1)));
          break;
        case 1:
          context.load(at);
          break;
        default:
          context.store(at, i);
          break;
      }
    }
  }

  /// Asks for all before it awaits the first, so that requests crowd at homes. It awaits them in
  /// their order, as all processes do.
  void use_all(program_context& context, process& own) {
    for (const auto& each : own.locks) each->try_acquire(0);
    for (std::size_t lock = 0; lock < own.locks.size(); ++lock) {
      doing_[context.rank()] = fmt::format("acquires lock {} of all", case_.locks[lock].number);
      if (!own.locks[lock]->held()) own.locks[lock]->acquire();
      hold(context, own, lock);
    }
  }

  void use(program_context& context, process& own, std::size_t lock) {
    flash_lock& asked = *own.locks[lock];
    const bool may_give_up = case_.config.locks.timeout != 0 && own.draws.below(3) == 0;
    std::string& doing = doing_[context.rank()];
    doing = fmt::format("acquires lock {}", case_.locks[lock].number);
    if (!may_give_up) {
      asked.acquire();
    } else if (!asked.try_acquire(one_of(own.draws, {0U, 100U, 1000U, 10000U}))) {
      rare["a process gives up"] += 1;
      doing = "gave up";
      context.delay(own.draws.below(one_of(own.draws, {1U, 5000U})));
      return;
    }
    hold(context, own, lock);
    if (own.draws.below(2) == 0) wander(context, own);
  }

  /// A lock that this process has acquired.
  void hold(program_context& context, process& own, std::size_t lock) {
    std::string& doing = doing_[context.rank()];
    enter(context, lock);
    doing = fmt::format("holds lock {}", case_.locks[lock].number);
    increment(context, own, lock);
    locks_[lock].holder.reset();
    doing = fmt::format("releases lock {}", case_.locks[lock].number);
    own.locks[lock]->release();
    doing = "runs";
  }

  void enter(program_context& context, std::size_t lock) {
    lock_use& of = locks_[lock];
    if (of.holder) {
      watch_.fail(
          lock, fmt::format("node {} gets in while node {} is there", context.rank(), *of.holder));
    }
    of.holder = context.rank();
    ++of.entries;
    watch_.used(lock);
  }

  void increment(program_context& context, process& own, std::size_t lock) const {
    const word_t before = locks_[lock].entries - 1;
    for (std::uint32_t i = 0; i < protected_words; ++i) {
      const std::uint64_t at = case_.protected_word(lock, i);
      const word_t found = context.load(at);
      if (found != before) {
        watch_.fail(lock, fmt::format("node {} finds {} in protected word {}, not {}",
                                      context.rank(), found, i, before));
      }
      if (own.draws.below(4) == 0) wander(context, own);
      if (own.draws.below(4) == 0) context.delay(own.draws.below(300));
      context.store(at, found + 1);
    }
  }

  void cross(program_context& context, process& own, std::size_t number) {
    barrier_use& of = barriers_[number];
    const std::uint32_t rank = context.rank();
    ++of.begun[rank];
    doing_[rank] = fmt::format("crosses barrier {}", number);
    own.barriers[number]->cross();
    doing_[rank] = "runs";
    for (std::uint32_t other = 0; other < of.begun.size(); ++other) {
      if (of.begun[other] < of.begun[rank]) early(number, rank, other);
    }
    if (!case_.barriers[number].two_phase) return;
    if (rank != 0) {
      if (of.released < of.begun[rank]) early(number, rank, 0);
      return;
    }
    context.delay(own.draws.below(2000));
    ++of.released;
    own.barriers[number]->release();
  }

  [[noreturn]] void early(std::size_t barrier, std::uint32_t node, std::uint32_t other) const {
    throw error(fmt::format("barrier {}, cycle {}: node {} comes back before node {} was there",
                            barrier, machine_.nodes().now(), node, other));
  }

  const random_case& case_;
  synchronizing_machine& machine_;
  token_watch& watch_;
  std::vector<lock_use> locks_;
  std::vector<std::string> doing_;  // by process
  std::vector<barrier_use> barriers_;
};

/// A node that has counted as many joins as it waits for has passed them on.
void check_joins(synchronizing_machine& machine, const random_case& drawn,
                 handler_context& context) {
  const magic_node_config& config = drawn.config.machine.node;
  const std::uint64_t number = barrier_command::number(
      config.addresses.offset_of(context.arrived().address), config.memory.line());
  const barrier_state state = machine.barrier(index(context.here()), number);
  if (!state.initialized() || state.joined() < state.joins()) return;
  throw error(fmt::format("barrier {}, node {}, cycle {}: {} joins of {}", number,
                          index(context.here()), machine.nodes().now(), state.joined(),
                          state.joins()));
}

/// Runs a case, of which `failure` names what was wrong.
void run_checked(const random_case& drawn, occurrences& all) {
  std::unique_ptr<synchronizing_machine> machine;
  std::unique_ptr<token_watch> watch;
  synchronizing_config config = drawn.config;
  config.lock_handler_ended = [&](const std::string& handler, handler_context& context) {
    watch->ended(handler, context);
  };
  config.barrier_handler_ended = [&](const std::string&, handler_context& context) {
    check_joins(*machine, drawn, context);
  };
  machine = std::make_unique<synchronizing_machine>(config);
  watch = std::make_unique<token_watch>(drawn, *machine);
  std::vector<std::unique_ptr<testing::late_arrivals>> late;
  for (std::uint32_t i = 0; i < drawn.nodes(); ++i) {
    const random_stream draws(drawn.seed, i, 15U);
    late.push_back(std::make_unique<testing::late_arrivals>(
        machine->nodes(), i, testing::random_delays(draws, drawn.messages_late)));
  }
  synchronizing_programs programs(drawn, *machine, *watch);
  const std::string problem = testing::failure(
      [&] { machine->run([&](program_context& context) { programs.run(context); }, patience); });
  if (!problem.empty()) throw error(problem + "; " + programs.text() + watch->text());
  machine->nodes().run_until(machine->nodes().now() +
                             1000);  // until words that nobody waits for have come
  std::uint64_t& longest = all["cycles of the longest case"];
  longest = std::max<std::uint64_t>(longest, machine->nodes().now());
  watch->check_rest();
  programs.check_rest();
  testing::check_pools(machine->coherent(), drawn.addresses(), drawn.text());
  for (const auto& [handler, times] : testing::handler_totals(machine->nodes())) {
    all[handler] += times;
  }
  for (const auto& [what, times] : watch->rare) all[what] += times;
  for (const auto& [what, times] : programs.rare) all[what] += times;
}

void run_case(const random_case& drawn, occurrences& all) {
  SCOPED_TRACE(drawn.text());
  EXPECT_EQ(testing::failure([&] { run_checked(drawn, all); }), "");
}

/// Handlers of locks and barriers, and what is rare. No lock is unknown to its home.
std::set<std::string> must_occur() {
  std::set<std::string> names = {"a process gives up", "processor_write gives a token",
                                 "request_token gives a token", "write_back gives a token",
                                 "check gives a token"};
  synchronizing_machine any(2);
  for (const std::string& name : any.nodes().node(0).protocols().handler_names()) {
    const bool is_of_coherence = name.rfind("coherence.", 0) == 0;
    if (!is_of_coherence && name != "locks.unknown_lock") names.insert(name);
  }
  return names;
}

/// Runs the cases of these seeds, after which every handler must have run.
void run_cases(std::uint64_t first, std::uint64_t count) {
  occurrences all;
  for (std::uint64_t seed = first; seed < first + count && !::testing::Test::HasFailure(); ++seed) {
    run_case(random_case(seed), all);
  }
  if (testing::sanitized) return;
  for (const auto& [name, times] : all) std::cout << name << " " << times << "\n";
  for (const std::string& name : must_occur()) EXPECT_GT(all[name], 0U) << name << " never occurs";
}

/// TRIBUTARY_SEED=n runs case n alone.
TEST(synchronization_random, tokens_are_granted_in_order_and_barriers_hold) {
  if (const char* asked = std::getenv("TRIBUTARY_SEED")) {
    occurrences found;
    run_case(random_case(std::strtoull(asked, nullptr, 10)), found);
    return;
  }
  run_cases(0, testing::quartered(300));
}

// --- the long form -------------------------------------------------------------------------------

constexpr std::uint64_t shards = 100;

class synchronization_random_long : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(synchronization_random_long, tokens_are_granted_in_order_and_barriers_hold) {
  constexpr std::uint64_t seeds = testing::scaled(100000 / shards);
  run_cases(GetParam() * seeds, testing::sanitized ? 4 : seeds);
}

INSTANTIATE_TEST_SUITE_P(shards, synchronization_random_long,
                         ::testing::Range(std::uint64_t{0}, shards));

}  // namespace
}  // namespace tributary
