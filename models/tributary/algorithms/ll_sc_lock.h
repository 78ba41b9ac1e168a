// SPDX-License-Identifier: Apache-2.0
// The test-and-test-and-set lock of a processor with caches, by load-linked and store-conditional.
#pragma once

#include <cstdint>

#include <tributary/algorithms/exponential_back_off.h>
#include <tributary/algorithms/memory_place.h>
#include <tributary/algorithms/mutual_exclusion_lock.h>
#include <tributary/processor/program.h>

namespace tributary {

/// One word that is 1 while the lock is held. Elements read it in their caches until it is
/// 0, and store a 1 there if no other has. It promises what `test_and_set_lock` does, to none
/// in particular. Who fails to store keeps away for a while; who sees a 1 does not.
///
/// Machines whose processors have no caches refuse it with a `simulation_error`.
/// Source: J. Heinlein's dissertation (FLASH), section 6.1.2 and appendix B.
class ll_sc_lock final : public mutual_exclusion_lock {
 public:
  /// How the line of the word is asked for. A lock that is free is one miss if it is asked for to
  /// be written at once, and one more if it is read first: FLASH Table 6.2 has one, and yet says
  /// that those who wait share the line.
  enum class reading : std::uint8_t {
    first_exclusive,  ///< to be written by an acquisition's first access, to be read by others
    shared,           ///< to be read
    exclusive         ///< to be written
  };

  static constexpr std::uint32_t central_words = 1;
  static constexpr std::uint32_t own_words(std::uint32_t /*elements*/) { return 0; }

  /// Throws `configuration_error` for a `least` of 0 or above `most`.
  ll_sc_lock(program_context& context, const memory_place& place,
             const exponential_back_off& back_off = {}, reading how = reading::first_exclusive);
  /// The word at a byte address.
  ll_sc_lock(program_context& context, std::uint64_t taken,
             const exponential_back_off& back_off = {}, reading how = reading::first_exclusive);

  void acquire() override;
  void release() override;

 private:
  /// Returns when the word has been seen to be 0. `is_first`: of an acquisition.
  void await_free(bool is_first);

  program_context& context_;
  std::uint64_t taken_;
  exponential_back_off back_off_;
  reading how_;
};

}  // namespace tributary
