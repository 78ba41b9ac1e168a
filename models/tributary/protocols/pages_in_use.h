// SPDX-License-Identifier: Apache-2.0
// Physical addresses that handlers keep, and that a change of a translation makes obsolete.
#pragma once

#include <cstdint>

#include <tributary/controller/handler_context.h>
#include <tributary/memory/word_memory.h>

namespace tributary {

class parameter_set;

/// Occupancy of the lists (FLASH 4.2.2: 8 to 9 cycles to add an address).
struct pages_in_use_costs {
  std::uint64_t add = 8;
  std::uint64_t add_before = 1;
  std::uint64_t remove = 8;
  std::uint64_t search = 8;
  std::uint64_t look = 4;
  std::uint64_t test = 1;
  void bind(parameter_set& parameters);
};

/// Configuration of the lists.
struct pages_in_use_config {
  std::uint32_t buckets = 16;  ///< lists, a power of two
  /// A power of two. The machine's to say, so it is no parameter.
  std::uint32_t page_bytes = 4096;
  void bind(parameter_set& parameters);
  void validate() const;
};

/// The data structure of the invalidation technique (FLASH 4.2.2, Figure 4.3): the copies of
/// physical addresses that state records hold, in doubly linked lists hashed by the page. When a
/// translation changes, each copy of an address in the page becomes 0, which the next handler that
/// uses it finds by one test. It cannot reach copies of other nodes, nor addresses in messages.
///
/// It lies in a node's memory: the heads of the lists, then an entry for each place that a copy may
/// have. Who uses it numbers the places.
class pages_in_use {
 public:
  /// How many copies there may be.
  static constexpr std::uint64_t places = 32;

  pages_in_use(const pages_in_use_config& config, const pages_in_use_costs& costs);

  std::uint64_t storage_bytes() const;
  /// Its words begin at `address` of the node's memory.
  void place(std::uint64_t address) { base_ = address; }

  /// Enters the copy in the doubleword at `copy` of the node's memory under a place that has none.
  /// `virtual_address` is what the process calls it, 0 if that is not known.
  void add(handler_context& context, std::uint64_t number, std::uint64_t copy,
           std::uint64_t virtual_address) const;
  /// Whether a place has a copy that is valid.
  bool has(handler_context& context, std::uint64_t number) const;
  /// Tests a copy for the 0 of an obsolete address. Address 0 of the machine is none while its
  /// place has it.
  bool is_obsolete(handler_context& context, std::uint64_t number, word_t copied) const;
  /// What `add` was given for the place last.
  std::uint64_t virtual_address(handler_context& context, std::uint64_t number) const;
  /// Takes the copy of a place out, if it has one.
  void remove(handler_context& context, std::uint64_t number) const;
  /// Writes 0 into every copy of an address in a physical page, and takes it out.
  void invalidate(handler_context& context, std::uint64_t physical_page) const;

  /// The same, for tests and debuggers.
  bool has(const word_memory& memory, std::uint64_t number) const {
    return memory.read(entry(number) + copy_word) != 0;
  }

 private:
  // Words of an entry. Places are named by their numbers + 1.
  static constexpr std::uint64_t copy_word = 0;  ///< address of the copy, 0 without one
  static constexpr std::uint64_t virtual_word = 8;
  static constexpr std::uint64_t next_word = 16;
  static constexpr std::uint64_t previous_word = 24;  ///< 0 for the first of a list
  static constexpr std::uint64_t entry_bytes = 32;

  std::uint64_t page_of(std::uint64_t address) const { return address / config_.page_bytes; }
  std::uint64_t head(std::uint64_t address) const;
  std::uint64_t entry(std::uint64_t number) const;
  void unlink(handler_context& context, std::uint64_t entry, std::uint64_t head) const;

  pages_in_use_config config_;
  pages_in_use_costs costs_;
  std::uint64_t base_ = 0;
};

}  // namespace tributary
