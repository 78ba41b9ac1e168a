// SPDX-License-Identifier: Apache-2.0
// The barrier of the first bill board: all report to the root, which tells all.
#pragma once

#include <cstdint>

#include <tributary/algorithms/barrier.h>
#include <tributary/nic/reflective_ring.h>
#include <tributary/processor/program.h>

namespace tributary {

/// Each node stores its own flag; node 0 polls all of them and then sets a flag for each node.
/// Source: Moorthy et al., CANPC 2000, section 3.2 ("naive").
class root_collect_barrier final : public barrier {
 public:
  /// Words of the ring: a flag by and one for each node.
  static constexpr std::uint64_t words(std::uint32_t nodes) { return std::uint64_t{2} * nodes; }

  /// Over the words from `first` on.
  root_collect_barrier(program_context& context, std::uint64_t first)
      : context_(context), first_(first) {}

  void cross() override {
    sense_ ^= 1;
    const auto turned = [this](word_t flag) { return flag == sense_; };
    if (context_.rank() != 0) {
      context_.store(arrival(context_.rank()), sense_);
      context_.spin(release(context_.rank()), turned);
      return;
    }
    for (std::uint32_t i = 1; i < context_.size(); ++i) context_.spin(arrival(i), turned);
    for (std::uint32_t i = 1; i < context_.size(); ++i) context_.store(release(i), sense_);
  }

 private:
  std::uint64_t arrival(std::uint32_t node) const { return reflected_address(first_ + node); }
  std::uint64_t release(std::uint32_t node) const {
    return reflected_address(first_ + context_.size() + node);
  }

  program_context& context_;
  std::uint64_t first_;
  word_t sense_ = 0;
};

}  // namespace tributary
