// SPDX-License-Identifier: Apache-2.0
// Which processor of a node is interrupted.
#pragma once

#include <cstdint>
#include <optional>

#include <tributary/sim/state.h>

namespace tributary {

/// Gives interrupts to the processors of a node in turn (Falsafi and Wood, section 2: a
/// memory-mapped device, round robin), but not to those that are masked.
class interrupt_arbiter {
 public:
  /// `masked`: a bit for each processor that gets none.
  interrupt_arbiter(std::uint32_t processors, std::uint64_t masked)
      : processors_(processors), masked_(masked) {}

  /// The next processor for which `may_have(processor)`; nothing if there is none.
  template <class MayHave>
  std::optional<std::uint32_t> choose(MayHave&& may_have) {
    for (std::uint32_t i = 0; i < processors_; ++i) {
      const std::uint32_t processor = (next_ + i) % processors_;
      if ((masked_ >> processor & 1) != 0 || !may_have(processor)) continue;
      next_ = (processor + 1) % processors_;
      return processor;
    }
    return std::nullopt;
  }

  TRIBUTARY_STATE(next_);

 private:
  std::uint32_t processors_;
  std::uint64_t masked_;
  std::uint32_t next_ = 0;
};

}  // namespace tributary
