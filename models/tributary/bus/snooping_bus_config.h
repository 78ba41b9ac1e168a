// SPDX-License-Identifier: Apache-2.0
// Configuration of a node's snooping bus.
#pragma once

#include <cstdint>

#include <tributary/memory/line.h>

namespace tributary {

class parameter_set;

/// A bus of the class of the SPARCstation 20's, which the source names and gives no times of. Times
/// are bus cycles, and all of them are assumptions of this project, but for the clocks (200 MHz
/// processors, a bus of 100 MHz; Falsafi and Wood, HPCA 1997, section 2).
struct snooping_bus_config {
  /// Cycles of the processors in one of the bus.
  std::uint32_t ratio = 2;
  std::uint32_t line_bytes = 32;
  /// From winning the address bus to the address phase; it overlaps the phase before.
  std::uint32_t arbitration = 1;
  std::uint32_t address = 1;
  /// From the end of the address phase until the snoopers' answer is known.
  std::uint32_t snoop = 2;
  /// From then until a cache that owns the line has its first word on the bus.
  std::uint32_t supply = 2;
  /// Until a transaction that was retried asks for the bus again.
  std::uint32_t retry = 8;
  /// Transactions between address phase and last word.
  std::uint32_t outstanding = 8;
  /// Lines of a master's write-back buffer.
  std::uint32_t write_backs = 2;
  /// Uncached accesses that a master holds.
  std::uint32_t uncached = 4;

  /// Of a validated configuration.
  line_size line() const { return line_size(line_bytes); }

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for values out of range.
  void validate() const;
};

}  // namespace tributary
