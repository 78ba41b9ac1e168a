// SPDX-License-Identifier: Apache-2.0
// The user-level routine of the block transfer (FLASH 5.1).
#pragma once

#include <cstdint>

#include <tributary/controller/address_layout.h>
#include <tributary/memory/line.h>
#include <tributary/memory/operation.h>
#include <tributary/processor/program.h>
#include <tributary/protocols/block_transfer/command.h>
#include <tributary/sim/ids.h>

namespace tributary {

/// A processor that loads and stores doublewords in program order; past its caches, if it has any,
/// what they do not keep.
class uncached_port {
 public:
  uncached_port() = default;
  uncached_port(const uncached_port&) = delete;
  uncached_port& operator=(const uncached_port&) = delete;
  virtual ~uncached_port() = default;

  virtual word_t load(std::uint64_t address) = 0;
  virtual void store(std::uint64_t address, word_t value) = 0;
  /// Computes for so many cycles.
  virtual void delay(std::uint64_t cycles) = 0;
};

/// The port of a program.
class program_port final : public uncached_port {
 public:
  explicit program_port(program_context& context) : context_(context) {}

  word_t load(std::uint64_t address) override { return context_.load(address); }
  void store(std::uint64_t address, word_t value) override { context_.store(address, value); }
  void delay(std::uint64_t cycles) override { context_.delay(cycles); }

 private:
  program_context& context_;
};

/// How a process sees the block transfer, by its own addresses.
struct fbcopy_mapping {
  /// The shadow of the byte at a is at a + this.
  std::uint64_t shadow_distance = 0;
  /// First byte of the command space of its node.
  std::uint64_t commands = 0;
  /// Of the machine: `block_transfer_config::page_bytes`.
  std::uint64_t page_bytes = 4096;
  /// Of the nodes' memories.
  line_size line;
  /// Whether the controller translates: then commands name addresses as data, and need no shadow.
  bool translated = false;
  /// Cycles between two attempts.
  std::uint64_t retry_delay = 200;
};

/// The mapping of a process on node `here` whose addresses are physical ones.
fbcopy_mapping physical_mapping(const address_layout& addresses, node_id here,
                                std::uint64_t page_bytes = 4096, line_size line = {});

/// What became of a request.
struct fbcopy_outcome {
  /// What the controller said of the copy, or of the flag if it objected to that.
  block_transfer_result result = block_transfer_result::accepted;
  std::uint64_t refusals = 0;             ///< attempts that were repeated
  std::uint64_t copied_by_processor = 0;  ///< bytes, of `length`
};

/// Copies `length` bytes from `source` to `destination` and increments the doubleword at `flag`
/// when they are there, perhaps after this returns. Whole lines of the destination go to the
/// controller; partial ones, and everything if the controller cannot do it (one node, another
/// alignment within a doubleword, too long), the processor copies itself, as FLASH 5.1 and 5.3.3
/// have it. The buffers must not overlap. `flag` must be on this processor's node and a multiple
/// of 8; if the controller objects to it or to the addresses, nothing is copied but partial lines,
/// and the flag stays as it is.
fbcopy_outcome fbcopy(uncached_port& port, const fbcopy_mapping& mapping, std::uint64_t source,
                      std::uint64_t destination, std::uint64_t length, std::uint64_t flag);

/// Polls until the doubleword at `flag` is at least `value`, with `interval` cycles in between.
void fbcopy_wait(uncached_port& port, std::uint64_t flag, word_t value,
                 std::uint64_t interval = 100);

}  // namespace tributary
