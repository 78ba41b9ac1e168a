// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/mcs_tree_barrier.h>

namespace tributary {
namespace {

/// First child of an element in the tree whose nodes have so many.
std::uint64_t first_child(std::uint32_t rank, std::uint32_t fan) {
  return std::uint64_t{rank} * fan + 1;
}

word_t in_byte(std::uint32_t byte, word_t value) { return value << (8 * byte); }

}  // namespace

mcs_tree_barrier::mcs_tree_barrier(program_context& context, const memory_place& place)
    : context_(context), place_(place) {
  for (std::uint32_t i = 0; i < arrival_fan; ++i) {
    if (first_child(context.rank(), arrival_fan) + i < context.size()) children_ |= in_byte(i, 1);
  }
}

void mcs_tree_barrier::cross() {
  sense_ ^= 1;
  if (children_ != 0) await_children();
  if (context_.rank() != 0) {
    report_to_parent();
    context_.spin(place_.own(context_, context_.rank(), wake_word),
                  [this](word_t seen) { return seen == sense_; });
  }
  wake_children();
}

void mcs_tree_barrier::await_children() {
  const word_t all = children_ * sense_;
  context_.spin(place_.own(context_, context_.rank(), children_word),
                [all](word_t seen) { return seen == all; });
}

void mcs_tree_barrier::report_to_parent() {
  const std::uint32_t parent = (context_.rank() - 1) / arrival_fan;
  const std::uint32_t byte = (context_.rank() - 1) % arrival_fan;
  context_.store_bytes(place_.own(context_, parent, children_word), in_byte(byte, sense_),
                       static_cast<std::uint8_t>(1U << byte));
}

void mcs_tree_barrier::wake_children() {
  const std::uint64_t first = first_child(context_.rank(), wake_fan);
  for (std::uint64_t child = first; child < first + wake_fan && child < context_.size(); ++child) {
    context_.store(place_.own(context_, static_cast<std::uint32_t>(child), wake_word), sense_);
  }
}

}  // namespace tributary
