// SPDX-License-Identifier: Apache-2.0
// The board that checks access tags at a node's bus, and moves blocks for handlers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/bus/bus_transaction.h>
#include <tributary/bus/snooping_bus.h>
#include <tributary/memory/word_memory.h>
#include <tributary/nic/access_tags.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/smp/bus_processor.h>

namespace tributary {

/// Who is told what the board finds and has done.
class tag_board_client {
 public:
  /// A processor's access is refused, as its tag forbids it.
  virtual void forbidden(std::uint32_t processor, std::uint64_t line, cycle_t now) = 0;
  /// What a handler has asked for is done; `found`: the words of a block that was read.
  virtual void board_done(const std::vector<word_t>& found, cycle_t now) = 0;

 protected:
  ~tag_board_client() = default;
};

/// The board has the tables of tags and pages as uncached words (Falsafi and Wood, section 2: the
/// Typhoon-1 board). It sees every transaction of a processor for a block that it checks, and
/// refuses one that the tag forbids; the processor does the access again when a handler says so.
/// Where a tag is lowered, it takes from the caches what the tag forbids from then on, before the
/// handler goes on.
///
/// It moves blocks between memory and the network interface by itself, through a cache of its own
/// that holds two of them (assumed: with uncached words alone a block would take longer than the
/// round trip of section 6).
class tag_board final : public bus_device,
                        public transaction_watcher,
                        private bus_processor_client {
 public:
  /// References must outlive it. `at`: of its words on the bus. `number`: of the bus' masters,
  /// behind the processors.
  tag_board(const access_tags& tags, const cache_config& caches, agenda& time, snooping_bus& bus,
            std::uint32_t number, word_memory& memory, std::uint64_t at);

  void set_client(tag_board_client& client) { client_ = &client; }

  /// Whether a word of memory is one of the board's tables.
  bool has(std::uint64_t offset) const { return tags_.is_of_tables(offset); }
  /// Where it lies on the bus then.
  std::uint64_t address_of(std::uint64_t offset) const { return at_ + offset; }
  bool is_at(std::uint64_t address) const { return address >= at_; }

  /// Reads or writes a block.
  void move(const processor_steps& steps, cycle_t now);

  // bus_device
  device_answer read(std::uint64_t address, cycle_t now) override;
  bool write(std::uint64_t address, word_t value, cycle_t now) override;
  // transaction_watcher
  watch_verdict watch(const watched_transaction& seen, cycle_t now) override;

  block& unit() { return mover_; }
  const cache& caches() const { return mover_.caches(); }

 private:
  // bus_processor_client
  void steps_done(std::uint32_t processor, std::uint64_t tag, const std::vector<word_t>& found,
                  cycle_t now) override;
  void access_done(std::uint32_t, word_t, cycle_t) override {}

  /// What takes from the caches what a new tag forbids.
  processor_steps purge(std::uint64_t block, block_tag before, block_tag after) const;

  const access_tags& tags_;
  std::uint32_t processors_;
  word_memory& memory_;
  std::uint64_t at_;
  line_size line_;  ///< of the bus
  bus_processor mover_;
  tag_board_client* client_ = nullptr;
};

}  // namespace tributary
