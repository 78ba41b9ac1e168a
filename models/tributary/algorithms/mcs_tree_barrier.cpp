// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/mcs_tree_barrier.h>

#include <string>

#include <fmt/format.h>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

/// First child of an element in the tree whose nodes have so many.
std::uint64_t first_child(std::uint32_t rank, std::uint32_t fan) {
  return std::uint64_t{rank} * fan + 1;
}

word_t in_byte(std::uint32_t byte, word_t value) { return value << (8 * byte); }

void check_fan(const char* key, std::uint32_t fan, std::uint32_t most) {
  if (fan >= 1 && fan <= most) return;
  throw configuration_error({std::string("mcs_tree_barrier.") + key, "",
                             std::to_string(fan) + " is out of range", fmt::format("1 to {}", most),
                             "choose one that is not"});
}

}  // namespace

mcs_tree_barrier::mcs_tree_barrier(program_context& context, const memory_place& place,
                                   const mcs_tree_options& options)
    : context_(context), place_(place), options_(options) {
  constexpr std::uint32_t most_woken = 65536;
  check_fan("arrival_fan", options.arrival_fan, most_arrivals);
  check_fan("wake_fan", options.wake_fan, most_woken);
  const std::uint64_t first = first_child(context.rank(), options.arrival_fan);
  for (std::uint32_t i = 0; i < options.arrival_fan; ++i) {
    if (first + i < context.size()) children_ |= in_byte(i, 1);
  }
}

void mcs_tree_barrier::cross() {
  sense_ ^= 1;
  if (children_ != 0) await_children();
  if (context_.rank() != 0) {
    report_to_parent();
    context_.spin(place_.own(context_, context_.rank(), wake_word),
                  [this](word_t seen) { return seen == sense_; });
  } else if (options_.two_phase) {
    may_release_ = true;
    return;
  }
  wake_children();
}

void mcs_tree_barrier::release() {
  if (!may_release_) {
    throw simulation_error(fmt::format(
        "element {} releases an MCS tree barrier in cycle {}; only element 0 does so, once after "
        "each crossing, where the barrier has two phases",
        context_.rank(), context_.now()));
  }
  may_release_ = false;
  wake_children();
}

void mcs_tree_barrier::await_children() {
  const word_t all = children_ * arrived();
  const std::uint64_t bytes = place_.own(context_, context_.rank(), children_word);
  context_.spin(bytes, [all](word_t seen) { return seen == all; });
  // No child comes again before it is woken, which is later.
  if (options_.clears_bytes) context_.store(bytes, 0);
}

void mcs_tree_barrier::report_to_parent() {
  const std::uint32_t parent = (context_.rank() - 1) / options_.arrival_fan;
  const std::uint32_t byte = (context_.rank() - 1) % options_.arrival_fan;
  context_.store_bytes(place_.own(context_, parent, children_word), in_byte(byte, arrived()),
                       static_cast<std::uint8_t>(1U << byte));
}

void mcs_tree_barrier::wake_children() {
  const std::uint64_t first = first_child(context_.rank(), options_.wake_fan);
  const std::uint64_t end = first + options_.wake_fan;
  for (std::uint64_t child = first; child < end && child < context_.size(); ++child) {
    context_.store(place_.own(context_, static_cast<std::uint32_t>(child), wake_word), sense_);
  }
}

}  // namespace tributary
