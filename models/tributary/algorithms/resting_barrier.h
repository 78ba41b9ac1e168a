// SPDX-License-Identifier: Apache-2.0
// A barrier at which a processor says that it has nothing to compute.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <tributary/algorithms/barrier.h>
#include <tributary/processor/program.h>

namespace tributary {

/// Crosses another barrier at rest, so that its processor acts for its node meanwhile and is not
/// interrupted (Falsafi and Wood, section 3: a processor that waits for synchronization).
class resting_barrier final : public barrier {
 public:
  /// `rest`: the address of the register to which 1 is stored before and 0 behind it.
  resting_barrier(program_context& context, std::uint64_t rest, std::unique_ptr<barrier> crossed)
      : context_(context), rest_(rest), crossed_(std::move(crossed)) {}

  void cross() override {
    context_.store(rest_, 1);
    crossed_->cross();
    context_.store(rest_, 0);
  }

 private:
  program_context& context_;
  std::uint64_t rest_;
  std::unique_ptr<barrier> crossed_;
};

}  // namespace tributary
