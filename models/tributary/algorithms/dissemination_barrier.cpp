// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/dissemination_barrier.h>

namespace tributary {

dissemination_barrier::dissemination_barrier(program_context& context, const memory_place& place,
                                             bool posted_signals)
    : context_(context),
      place_(place),
      posted_signals_(posted_signals),
      rounds_(rounds(context.size())) {}

void dissemination_barrier::cross() {
  const std::uint64_t first = std::uint64_t{parity_} * rounds_;
  for (std::uint32_t round = 0; round < rounds_; ++round) {
    const std::uint64_t distance = std::uint64_t{1} << round;
    const auto partner = static_cast<std::uint32_t>((context_.rank() + distance) % context_.size());
    signal(place_.own(context_, partner, first + round));
    context_.spin(place_.own(context_, context_.rank(), first + round),
                  [this](word_t seen) { return seen == sense_; });
  }
  // A partner may be one crossing ahead, and its signals then go to the other set of flags; it
  // cannot be two ahead. So flags of one set may turn with every second crossing.
  if (parity_ == 1) sense_ ^= 1;
  parity_ ^= 1;
}

void dissemination_barrier::signal(std::uint64_t address) {
  if (posted_signals_) {
    context_.post(operation::store, address, sense_);
  } else {
    context_.store(address, sense_);
  }
}

}  // namespace tributary
