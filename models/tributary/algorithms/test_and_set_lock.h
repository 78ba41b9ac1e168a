// SPDX-License-Identifier: Apache-2.0
// The test-and-set lock with exponential back-off: the simplest lock, and not fair.
#pragma once

#include <cstdint>

#include <tributary/algorithms/exponential_back_off.h>
#include <tributary/algorithms/memory_place.h>
#include <tributary/algorithms/mutual_exclusion_lock.h>
#include <tributary/processor/program.h>

namespace tributary {

/// One word that is 1 while the lock is held. It promises exclusion, and that some element gets
/// in; not which: an element can be passed by without bound.
/// Source: T. Anderson, "The performance of spin lock alternatives for shared-memory
/// multiprocessors", TPDS 1(1), 1990.
class test_and_set_lock final : public mutual_exclusion_lock {
 public:
  static constexpr std::uint32_t central_words = 1;
  static constexpr std::uint32_t own_words(std::uint32_t /*elements*/) { return 0; }

  /// Throws `configuration_error` for a `least` of 0 or above `most`.
  test_and_set_lock(program_context& context, const memory_place& place,
                    const exponential_back_off& back_off = {});

  void acquire() override;
  void release() override;

 private:
  program_context& context_;
  std::uint64_t taken_;
  exponential_back_off back_off_;
};

}  // namespace tributary
