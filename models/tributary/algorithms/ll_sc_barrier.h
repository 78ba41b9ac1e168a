// SPDX-License-Identifier: Apache-2.0
// The central barrier of processors with caches, by load-linked and store-conditional.
#pragma once

#include <cstdint>

#include <tributary/algorithms/barrier.h>
#include <tributary/algorithms/ll_sc_lock.h>
#include <tributary/processor/program.h>

namespace tributary {

/// One word counts who has come, another which crossing it is. The last one to come sets the count
/// back with the same store, and turns to the next crossing, for which all others wait in their
/// caches. Who fails to store tries again at once.
///
/// Machines whose processors have no caches refuse it with a `simulation_error`.
/// Source: J. Heinlein's dissertation (FLASH), section 6.2.2 and appendix B.
class ll_sc_barrier final : public barrier {
 public:
  /// How the line of the count is asked for, as that of a lock.
  using reading = ll_sc_lock::reading;

  /// Byte addresses of the two words, in lines of their own.
  ll_sc_barrier(program_context& context, std::uint64_t count, std::uint64_t crossing,
                reading how = reading::first_exclusive);

  void cross() override;

 private:
  /// Counts this element in; whether all have come.
  bool is_last();

  program_context& context_;
  std::uint64_t count_;
  std::uint64_t crossing_;
  reading how_;
};

}  // namespace tributary
