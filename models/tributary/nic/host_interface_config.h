// SPDX-License-Identifier: Apache-2.0
// How a host interface is built, and what its stages cost.
#pragma once

#include <cstdint>

namespace tributary {

class parameter_set;

/// How the interface learns of a posted descriptor (Banikazemi et al., CANPC 2000).
enum class doorbell_kind : std::uint8_t {
  per_queue,  ///< D1: a page for each queue, which the firmware looks at in turn
  central     ///< D2: one queue, into which the kernel writes
};

/// Moves of data over the I/O bus: `startup` + `byte` for each byte, in cycles.
struct dma_cost {
  std::uint64_t startup = 0;
  std::uint64_t byte = 0;

  std::uint64_t of(std::uint64_t bytes) const { return startup + byte * bytes; }
  void bind(parameter_set& parameters);
};

/// Configuration of a host interface. Cycles are of the machine's clock. The defaults are those of
/// a LANai 4.3 with FM 2.1 (Buntinas et al., CANPC 2000), in cycles of 100 ps.
struct host_interface_config {
  /// What the interface puts before a packet's data; no packet is shorter.
  static constexpr std::uint32_t header_bytes = 24;

  std::uint32_t packet_bytes = 1536;  ///< of a staging buffer, and of the longest packet
  std::uint32_t staging = 64;         ///< buffers
  std::uint64_t memory_bytes = std::uint64_t{1} << 20;  ///< of the interface's own memory
  /// 1: one processor runs the loops that send and receive in turn. 2: each has one of its own, for
  /// which the model of Buntinas et al. takes the stages.
  std::uint32_t processors = 2;

  // Accesses of the host, each of 4 bytes.
  std::uint64_t write_cycles = 1204;
  std::uint64_t read_cycles = 4900;

  doorbell_kind doorbells = doorbell_kind::per_queue;
  std::uint32_t queues = 1;          ///< that have a doorbell
  std::uint32_t posts = 64;          ///< that a doorbell holds; a write to a full one waits
  std::uint64_t scan_cycles = 5000;  ///< of a look at one doorbell, or at the central queue

  std::uint64_t transmit_byte = 75;  ///< cycles a byte from a staging buffer to the link
  dma_cost to_host{0, 138};
  dma_cost from_host{17200, 76};

  /// Where in the interface's memory the pages of doorbells lie, behind all else.
  std::uint64_t pages_at() const { return memory_bytes - std::uint64_t{queues} * 4096; }

  void bind(parameter_set& parameters);
  /// Throws `configuration_error`.
  void validate() const;
};

}  // namespace tributary
