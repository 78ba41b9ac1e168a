// SPDX-License-Identifier: Apache-2.0
// Random programs that lock, cross barriers and reduce, and what they must see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tributary/processor/program.h>
#include <tributary/sim/error.h>

#include "random_choice.h"
#include "synchronization_case.h"
#include "synchronizing_machine.h"
#include "token_watch.h"

namespace tributary::testing {

/// What the programs of all processors do, and what they must see. Throws `error`.
class synchronizing_programs {
 public:
  synchronizing_programs(const synchronization_case& drawn, synchronizing_machine& machine,
                         token_watch& watch)
      : case_(drawn),
        machine_(machine),
        watch_(watch),
        locks_(drawn.locks.size()),
        doing_(drawn.nodes() * drawn.processes()) {
    for (std::size_t i = 0; i < drawn.barriers.size(); ++i) {
      barriers_.push_back({std::vector<std::uint64_t>(drawn.nodes() * drawn.processes())});
    }
  }

  void run(program_context& context) {
    process own = made(context);
    wait_for_all(context);
    for (std::size_t round = 0; round < case_.crosses.size(); ++round) {
      for (std::uint64_t i = own.draws.below(4); i-- > 0;) act(context, own);
      const std::uint32_t crosses = own.barriers.empty() ? 0 : case_.crosses[round];
      for (std::uint32_t i = 0; i < crosses; ++i) {
        cross(context, own, (round + i) % own.barriers.size());
      }
      if (!own.reductions.empty()) reduce(context, own, round);
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
        check_word(i, word, machine_.coherent().newest(case_.protected_word(i, word)),
                   locks_[i].entries);
      }
    }
    for (std::size_t i = 0; i < barriers_.size(); ++i) check_barrier(i);
  }

  /// How often a process gave up.
  occurrences rare;

 private:
  struct process {
    process(const synchronization_case& drawn, std::uint32_t rank) : draws(drawn.seed, rank, 20U) {}

    random_stream draws;
    std::vector<std::unique_ptr<flash_lock>> locks;
    std::vector<std::unique_ptr<flash_barrier>> barriers;
    std::vector<std::unique_ptr<flash_reduction>> reductions;
  };
  struct lock_use {
    std::optional<std::uint32_t> holder;
    word_t entries = 0;
  };
  struct barrier_use {
    std::vector<std::uint64_t> begun;  // episodes, by process
    std::uint64_t released = 0;        // by the master
  };

  process made(program_context& context) const {
    process own(case_, context.rank());
    for (const lock_choice& each : case_.locks) {
      own.locks.push_back(std::make_unique<flash_lock>(
          context, machine_.lock_place(each.number, each.home),
          own.draws.below(2) == 0 ? flash_lock::manner::normal : flash_lock::manner::aggressive));
    }
    for (std::size_t i = 0; i < case_.barriers.size(); ++i) {
      own.barriers.push_back(
          std::make_unique<flash_barrier>(context, machine_.barrier_place(i), case_.barriers[i]));
    }
    for (std::size_t i = 0; i < case_.reductions.size(); ++i) {
      own.reductions.push_back(std::make_unique<flash_reduction>(
          context, machine_.reduction_place(i), case_.reductions[i].trees,
          case_.reductions[i].operation));
    }
    return own;
  }

  /// No home is asked before it knows of its locks.
  void wait_for_all(program_context& context) const {
    context.fence();
    context.fetch_add(case_.address(index(context.node()), ready_offset), 1);
    for (std::uint32_t node = 0; node < case_.nodes(); ++node) {
      context.spin(case_.address(node, ready_offset),
                   [this](word_t ready) { return ready == case_.processes(); });
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
      watch_.fail(lock, fmt::format("process {} gets in while process {} is there", context.rank(),
                                    *of.holder));
    }
    of.holder = context.rank();
    ++of.entries;
    watch_.used(lock);
  }

  void check_word(std::size_t lock, std::uint32_t word, word_t found, word_t expected) const {
    if (found == expected) return;
    watch_.fail(lock, fmt::format("protected word {} is {}, not {}", word, found, expected));
  }

  /// The joins that the protocol counted are over, and all nodes agree.
  void check_barrier(std::size_t number) const {
    const std::uint64_t episodes = barriers_[number].begun[0];
    for (std::uint32_t node = 0; node < case_.nodes(); ++node) {
      const barrier_state state = machine_.barrier(node, number);
      if (state.joined() == 0 && state.told() == 0 && state.sense() == episodes % 2) continue;
      throw error(fmt::format("barrier {}, node {}: joined {}, told {}, sense {} after {} episodes",
                              number, node, state.joined(), state.told(), state.sense(), episodes));
    }
  }

  void increment(program_context& context, process& own, std::size_t lock) const {
    const word_t before = locks_[lock].entries - 1;
    for (std::uint32_t i = 0; i < protected_words; ++i) {
      const std::uint64_t at = case_.protected_word(lock, i);
      const word_t found = context.load(at);
      check_word(lock, i, found, before);
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
    if (rank != 0 && of.released < of.begun[rank]) early(number, rank, 0);
    if (rank != 0) return;
    context.delay(own.draws.below(2000));
    ++of.released;
    own.barriers[number]->release();
  }

  /// What a process gives in a round, as a word of its bits or as a double.
  word_t given(std::uint32_t rank, std::size_t round) const {
    random_stream draws(case_.seed, rank, 22U + static_cast<std::uint32_t>(round));
    return draws.next_u64();
  }
  void reduce(program_context& context, process& own, std::size_t round) {
    const std::size_t number = round % own.reductions.size();
    std::vector<word_t> words;
    for (std::uint32_t rank = 0; rank < case_.nodes(); ++rank) words.push_back(given(rank, round));
    doing_[context.rank()] = fmt::format("joins reduction {}", number);
    const word_t found = own.reductions[number]->reduce(words[context.rank()]);
    doing_[context.rank()] = "runs";
    const reduction_choice& of = case_.reductions[number];
    const word_t expected = reduced(of.trees, of.operation, words.data());
    if (found == expected) return;
    throw error(fmt::format("reduction {}, cycle {}: node {} gets {:#x} and not {:#x}", number,
                            machine_.nodes().now(), context.rank(), found, expected));
  }

  [[noreturn]] void early(std::size_t barrier, std::uint32_t rank, std::uint32_t other) const {
    throw error(fmt::format("barrier {}, cycle {}: process {} comes back before {} was there",
                            barrier, machine_.nodes().now(), rank, other));
  }

  const synchronization_case& case_;
  synchronizing_machine& machine_;
  token_watch& watch_;
  std::vector<lock_use> locks_;
  std::vector<std::string> doing_;  // by process
  std::vector<barrier_use> barriers_;
};

/// A node that has counted as many joins as it waits for has passed them on.
inline void check_joins(synchronizing_machine& machine, const synchronization_case& drawn,
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

}  // namespace tributary::testing
