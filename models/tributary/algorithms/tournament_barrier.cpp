// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/tournament_barrier.h>

namespace tributary {
namespace {

/// Rounds that an element wins, those without a partner included.
std::uint32_t rounds_won(std::uint32_t rank, std::uint32_t elements) {
  std::uint32_t won = 0;
  while ((std::uint64_t{1} << won) < elements && (rank >> won) % 2 == 0) ++won;
  return won;
}

}  // namespace

std::uint32_t tournament_barrier::own_words(std::uint32_t elements) {
  return 1 + rounds_won(0, elements);
}

tournament_barrier::tournament_barrier(program_context& context, const memory_place& place)
    : context_(context), place_(place), won_(rounds_won(context.rank(), context.size())) {}

void tournament_barrier::cross() {
  sense_ ^= 1;
  for (std::uint32_t round = 0; round < won_; ++round) {
    if (loser(round) < context_.size()) await(arrival_word(round));
  }
  if (context_.rank() != 0) {
    signal(context_.rank() - (std::uint32_t{1} << won_), arrival_word(won_));
    await(wake_word);
  }
  for (std::uint32_t round = won_; round-- > 0;) {
    if (loser(round) < context_.size()) signal(loser(round), wake_word);
  }
}

void tournament_barrier::signal(std::uint64_t element, std::uint64_t word) {
  context_.store(place_.own(context_, static_cast<std::uint32_t>(element), word), sense_);
}

void tournament_barrier::await(std::uint64_t word) {
  context_.spin(place_.own(context_, context_.rank(), word),
                [this](word_t seen) { return seen == sense_; });
}

}  // namespace tributary
