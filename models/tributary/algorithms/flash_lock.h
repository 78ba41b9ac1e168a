// SPDX-License-Identifier: Apache-2.0
// The lock that the controllers of the nodes keep (FLASH 6.1).
#pragma once

#include <cstdint>

#include <tributary/algorithms/mutual_exclusion_lock.h>
#include <tributary/controller/address_layout.h>
#include <tributary/memory/line.h>
#include <tributary/processor/program.h>
#include <tributary/protocols/locks/lock_commands.h>
#include <tributary/protocols/locks/lock_state.h>

namespace tributary {

/// A lock of the nodes' controllers, by its number, as programs name it.
struct flash_lock_place {
  address_layout addresses;
  line_size line;           ///< of the nodes' memories
  std::uint64_t count = 1;  ///< of the locks that the controllers keep
  std::uint32_t nodes = 1;  ///< of the machine
  std::uint64_t number = 0;
  /// The node that keeps the order of those who ask; the same for all. A machine's locks go round
  /// the nodes, so that no home is asked for more than the others (FLASH 6.3.2).
  node_id home{};
};

/// By the library calls of FLASH 6.1.3. The lock is granted in the order in which requests come to
/// its home. Processes of one node share its token, and get in in any order.
class flash_lock final : public mutual_exclusion_lock {
 public:
  enum class manner : std::uint8_t {
    normal,
    /// Asks for the token before it looks whether it is there already (FLASH 6.1.8): 0.4 us sooner
    /// where it is not, as much later where it is. A controller ignores a command from before the
    /// token last came or was used, as those of several processes often are; then it asks as
    /// `normal`.
    aggressive
  };

  /// Tells the own node its part of the lock. The home's process must have done so before anybody
  /// else asks. Throws `configuration_error` for a number or a home out of range.
  flash_lock(program_context& context, const flash_lock_place& place, manner how = manner::normal);

  /// Throws `simulation_error` for a lock that its home, or this node, was not told of.
  void acquire() override;
  /// As `acquire`, but gives up when it does not hold the lock after so many cycles; whether it
  /// does. The token may come later, and stay until `locks.timeout`.
  bool try_acquire(std::uint64_t cycles);
  /// Throws `simulation_error` if this process does not hold the lock.
  void release() override;
  bool held() const { return held_; }

 private:
  /// The processor's copy of the node's state.
  lock_state look();
  /// One step towards the lock; whether it is held now.
  bool attempt();
  /// Before it has looked.
  void ask_first();
  void ask(lock_state seen);
  /// Until a step may do something.
  void await();
  std::uint64_t address(std::uint64_t offset) const;
  std::uint64_t state() const;
  [[noreturn]] void fail(const char* problem, const char* advice) const;

  program_context& context_;
  flash_lock_place place_;
  manner how_;
  bool held_ = false;
  lock_state seen_;  ///< at its last look
};

}  // namespace tributary
