// SPDX-License-Identifier: Apache-2.0
// The ticket lock: first come, first served, by one fetch-and-add.
#pragma once

#include <cstdint>

#include <tributary/algorithms/memory_place.h>
#include <tributary/algorithms/mutual_exclusion_lock.h>
#include <tributary/processor/program.h>

namespace tributary {

/// A fetch-and-add draws a ticket, and all poll the number that is being served, which lies
/// in another module. The lock is granted in the order of the fetch-and-adds. Tickets, and polls,
/// combine. None pauses between polls, where Mellor-Crummey and Scott pause in proportion to the
/// elements ahead: polls that meet combine.
/// Source: D. Reed and R. Kanodia, "Synchronization with eventcounts and sequencers", CACM 22(2),
/// 1979; Mellor-Crummey and Scott, TOCS 9(1), 1991.
class ticket_lock final : public mutual_exclusion_lock {
 public:
  static constexpr std::uint32_t central_words = 2;
  static constexpr std::uint32_t own_words(std::uint32_t /*elements*/) { return 0; }

  ticket_lock(program_context& context, const memory_place& place);

  void acquire() override;
  void release() override;

 private:
  program_context& context_;
  std::uint64_t next_;
  std::uint64_t serving_;
  word_t ticket_ = 0;
};

}  // namespace tributary
