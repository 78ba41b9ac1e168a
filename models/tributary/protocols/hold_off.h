// SPDX-License-Identifier: Apache-2.0
// Translations of addresses that must stay as they are while operations use them.
#pragma once

#include <cstdint>

#include <tributary/controller/handler_context.h>
#include <tributary/memory/word_memory.h>

namespace tributary {

/// The hold-off technique (FLASH 4.2.2): a counter of the operations that physical addresses are in
/// use by. While it is not 0, the kernel's request to change a translation waits, and no new
/// operation begins. It is for operations that end without the processor's help.
class hold_off {
 public:
  static constexpr std::uint64_t storage_bytes = 32;
  /// Its words begin at `address` of the node's memory.
  void place(std::uint64_t address) { base_ = address; }

  // For operations.

  /// Whether a change of translations waits, so that no operation may begin.
  bool refuses(handler_context& context) const { return context.load(base_ + waits) != 0; }
  /// Another number after each change that makes addresses obsolete that were logged before it.
  /// Those that are logged while a change waits are obsolete anyway.
  std::uint32_t changes(handler_context& context) const {
    return static_cast<std::uint32_t>(context.load(base_ + changed));
  }
  void begin(handler_context& context) const;
  /// The last one answers the kernel.
  void end(handler_context& context) const;

  // For the kernel.

  /// A translation is to change. `obsoletes`: so that every address that was logged before may be
  /// obsolete.
  void change(handler_context& context, bool obsoletes) const;
  /// In the handler of a read: answers it with 1 once no operation uses translations; with 0 at
  /// once if another read waits.
  void answer_when_free(handler_context& context) const;

  /// Operations under way, for tests and debuggers.
  word_t operations(const word_memory& memory) const { return memory.read(base_ + count); }

 private:
  static constexpr std::uint64_t count = 0;
  static constexpr std::uint64_t waits = 8;
  static constexpr std::uint64_t reader = 16;  ///< tag of the read that waits + 1, or 0
  static constexpr std::uint64_t changed = 24;

  std::uint64_t base_ = 0;
};

}  // namespace tributary
