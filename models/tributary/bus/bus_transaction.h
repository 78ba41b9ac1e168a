// SPDX-License-Identifier: Apache-2.0
// What passes over a node's bus, and who may have a say in it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tributary/memory/operation.h>
#include <tributary/sim/cycle.h>

namespace tributary {

/// Kinds of transactions.
enum class bus_transaction : std::uint8_t {
  read,            ///< a line, to read it
  read_exclusive,  ///< a line, to write it; all others lose it
  upgrade,         ///< the same for a line that the master has: no data move
  write_back,      ///< a line that leaves its owner for memory
  uncached_read,   ///< a word of a device
  uncached_write
};
/// How many there are.
inline constexpr std::size_t bus_transaction_count = 6;
/// "read_exclusive", as in the names of statistics.
const char* name_of(bus_transaction kind);

/// Addresses from `base` on, so many bytes.
struct bus_range {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;

  bool contains(std::uint64_t address) const { return address - base < bytes; }
  bool meets(const bus_range& other) const { return contains(other.base) || other.contains(base); }
};

/// What a device says to an access: the word and when it can move, or that it must come again.
struct device_answer {
  bool retry = false;
  cycle_t ready = 0;  ///< of the processors; earlier than the asking is at once
  word_t value = 0;   ///< of a read

  static device_answer later() { return {true, 0, 0}; }
  static device_answer word(word_t value, cycle_t ready = 0) { return {false, ready, value}; }
};

/// A device with words of its own, which no cache keeps: a network interface, an arbiter.
class bus_device {
 public:
  /// Told when the address has been answered, in cycle `now` of the processors; a read that is not
  /// retried has happened.
  virtual device_answer read(std::uint64_t address, cycle_t now) = 0;
  /// Told when the word has moved. True if it was taken; false if it must come again.
  virtual bool write(std::uint64_t address, word_t value, cycle_t now) = 0;

 protected:
  bus_device() = default;
  bus_device(const bus_device&) = default;
  bus_device& operator=(const bus_device&) = default;
  ~bus_device() = default;
};

/// A transaction for a line, as its watcher sees it.
struct watched_transaction {
  bus_transaction kind = bus_transaction::read;
  std::uint64_t line = 0;
  std::uint64_t address = 0;  ///< of the word that was missed
  std::size_t master = 0;
};

/// What a watcher decides.
enum class watch_verdict : std::uint8_t {
  pass,
  defer,       ///< the master waits until `snooping_bus::resume`
  retry,       ///< the master asks again by itself
  refuse,      ///< its cache is told so, and asks anew if an access still wants the line
  pass_shared  ///< it passes, and its cache has no right to write, though it be the only one
};

/// Who watches the transactions for the lines that have bytes in a range, as a board of access tags
/// does.
class transaction_watcher {
 public:
  /// Asked once for every address phase of a read, a read_exclusive or an upgrade, before any cache
  /// is; write-backs are never put off, and it does not see them.
  virtual watch_verdict watch(const watched_transaction& seen, cycle_t now) = 0;

 protected:
  transaction_watcher() = default;
  transaction_watcher(const transaction_watcher&) = default;
  transaction_watcher& operator=(const transaction_watcher&) = default;
  ~transaction_watcher() = default;
};

}  // namespace tributary
