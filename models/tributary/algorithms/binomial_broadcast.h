// SPDX-License-Identifier: Apache-2.0
// The binomial tree of point-to-point networks, over a bill board: every message is written anew.
#pragma once

#include <cstdint>

#include <tributary/algorithms/reflective_broadcast.h>
#include <tributary/sim/log2.h>

namespace tributary {

/// In step s each node below 2^s sends the message to the node 2^s behind it, from a buffer for
/// that step. Source: Moorthy et al., CANPC 2000, section 3.1; McKinley et al., TPDS 5(12), 1994.
class binomial_broadcast final : public reflective_broadcast {
 public:
  /// Buffers that each of so many nodes needs.
  static std::uint32_t buffers(std::uint32_t nodes) { return log2_of(nodes); }

  /// The layout has `buffers` buffers.
  binomial_broadcast(program_context& context, const bill_board_layout& layout)
      : context_(context), board_(context, layout), steps_(buffers(context.size())) {
    while (std::uint64_t{1} << first_ <= context.rank()) ++first_;
  }

  words broadcast(const words& data) override {
    const std::uint32_t own = context_.rank();
    words message = data;
    if (own != 0) {
      board_.await(sender(), first_ - 1);
      message = board_.read(sender(), first_ - 1, data.size());
    }
    for (std::uint32_t step = first_; step < steps_; ++step) {
      const std::uint64_t receiver = own + (std::uint64_t{1} << step);
      if (receiver >= context_.size()) break;
      board_.write(step, message, {static_cast<std::uint32_t>(receiver)});
      board_.notify(static_cast<std::uint32_t>(receiver), step);
    }
    return message;
  }

  void release() override {
    if (context_.rank() != 0) board_.acknowledge(sender(), first_ - 1);
    for (std::uint32_t step = first_; step < steps_; ++step) board_.reclaim(step);
  }

 private:
  std::uint32_t sender() const { return context_.rank() - (std::uint32_t{1} << (first_ - 1)); }

  program_context& context_;
  bill_board board_;
  std::uint32_t steps_;
  std::uint32_t first_ = 0;  // step in which the node sends first
};

}  // namespace tributary
