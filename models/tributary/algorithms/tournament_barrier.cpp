// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/tournament_barrier.h>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include <tributary/memory/operation.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

/// Rounds that an element wins, those without a partner included.
std::uint32_t rounds_won(std::uint32_t rank, std::uint32_t elements, std::uint64_t radix) {
  std::uint32_t won = 0;
  for (std::uint64_t apart = 1; apart < elements && rank / apart % radix == 0; apart *= radix) {
    ++won;
  }
  return won;
}

void check_tournament_range(const char* key, std::uint64_t value, std::uint64_t least,
                            std::uint64_t most) {
  if (value >= least && value <= most) return;
  throw configuration_error({std::string("tournament_barrier.") + key, "",
                             std::to_string(value) + " is out of range",
                             fmt::format("{} to {}", least, most), "choose one that is not"});
}

/// A count lies behind the word of its lock.
constexpr std::uint64_t words_of(tournament_options::signal kind) {
  return kind == tournament_options::signal::senses ? 1 : 2;
}

void check(const tournament_options& options) {
  constexpr std::uint64_t most = 65536;
  check_tournament_range("radix", options.radix, 2, most);
  check_tournament_range("distance", options.distance, words_of(options.signals), most);
  options.back_off.validate("tournament_barrier.back_off");
}

}  // namespace

std::uint64_t tournament_barrier::own_words(std::uint32_t elements,
                                            const tournament_options& options) {
  const std::uint64_t signals =
      1 + std::uint64_t{rounds_won(0, elements, options.radix)} * (options.radix - 1);
  return (signals - 1) * options.distance + words_of(options.signals);
}

tournament_barrier::tournament_barrier(program_context& context, const memory_place& place,
                                       const tournament_options& options)
    : context_(context),
      place_(place),
      options_((check(options), options)),
      won_(rounds_won(context.rank(), context.size(), options.radix)) {}

void tournament_barrier::cross() {
  sense_ ^= 1;
  for (std::uint32_t round = 0; round < won_; ++round) await_losers(round);
  if (context_.rank() != 0) {
    report_to_winner();
    await(wake_signal, 1);
  }
  for (std::uint32_t i = 0; i < won_; ++i) wake_losers(options_.farthest_first ? won_ - 1 - i : i);
}

std::uint64_t tournament_barrier::apart(std::uint32_t round) const {
  std::uint64_t elements = 1;
  for (std::uint32_t i = 0; i < round; ++i) elements *= options_.radix;
  return elements;
}

std::uint64_t tournament_barrier::losers(std::uint32_t round) const {
  const std::uint64_t behind = (context_.size() - 1 - context_.rank()) / apart(round);
  return std::min<std::uint64_t>(behind, options_.radix - 1);
}

void tournament_barrier::await_losers(std::uint32_t round) {
  const std::uint64_t all = losers(round);
  if (options_.signals == signal::locked_counts) {
    if (all != 0) await(arrival_signal(round, 0), all);
  } else {
    for (std::uint64_t loser = 0; loser < all; ++loser) await(arrival_signal(round, loser), 1);
  }
}

void tournament_barrier::report_to_winner() {
  const std::uint64_t place = context_.rank() / apart(won_) % options_.radix;
  send(context_.rank() - place * apart(won_), arrival_signal(won_, place - 1));
}

void tournament_barrier::wake_losers(std::uint32_t round) {
  for (std::uint64_t loser = 1; loser <= losers(round); ++loser) {
    send(context_.rank() + loser * apart(round), wake_signal);
  }
}

void tournament_barrier::send(std::uint64_t element, std::uint64_t number) {
  const std::uint64_t at = address(element, number);
  if (options_.signals == signal::senses) {
    context_.store(at, sense_);
    return;
  }
  ll_sc_lock lock(context_, at, options_.back_off, options_.reading);
  lock.acquire();
  context_.store(at + word_bytes, context_.load(at + word_bytes) + 1);
  lock.release();
}

void tournament_barrier::await(std::uint64_t number, std::uint64_t senders) {
  const std::uint64_t at = address(context_.rank(), number);
  if (options_.signals == signal::senses) {
    context_.spin(at, [this](word_t seen) { return seen == sense_; });
    return;
  }
  context_.spin(at + word_bytes, [senders](word_t count) { return count >= senders; });
  context_.store(at + word_bytes, 0);
}

std::uint64_t tournament_barrier::arrival_signal(std::uint32_t round, std::uint64_t loser) const {
  const std::uint64_t of_round =
      options_.signals == signal::senses ? loser : 0;  // a count is of all
  return 1 + std::uint64_t{round} * (options_.radix - 1) + of_round;
}

std::uint64_t tournament_barrier::address(std::uint64_t element, std::uint64_t number) const {
  return place_.own(context_, static_cast<std::uint32_t>(element), number * options_.distance);
}

}  // namespace tributary
