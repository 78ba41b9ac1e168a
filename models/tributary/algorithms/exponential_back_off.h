// SPDX-License-Identifier: Apache-2.0
// How long who failed to get a lock keeps away from it.
#pragma once

#include <cstdint>
#include <string>

#include <tributary/processor/program.h>

namespace tributary {

/// How long an element keeps away after a failure: 1 to `bound` cycles, drawn from its own stream,
/// where `bound` begins at `least` and doubles with each failure up to `most`. What the draw costs
/// (`program.random_cycles`) comes on top.
struct exponential_back_off {
  std::uint64_t least = 16;
  std::uint64_t most = 1024;

  /// Throws `configuration_error` for a `least` of 0 or above `most`. `lock`: whose it is.
  void validate(const std::string& lock) const;
};

/// The failures of one acquisition.
class back_off_delays {
 public:
  explicit back_off_delays(const exponential_back_off& config)
      : bound_(config.least), most_(config.most) {}

  void keep_away(program_context& context);

 private:
  std::uint64_t bound_;
  std::uint64_t most_;
};

}  // namespace tributary
