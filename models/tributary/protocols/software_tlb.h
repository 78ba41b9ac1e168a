// SPDX-License-Identifier: Apache-2.0
// Translations of virtual addresses that handlers keep in memory.
#pragma once

#include <cstdint>
#include <optional>

#include <tributary/controller/handler_context.h>

namespace tributary {

class parameter_set;
class word_memory;

/// Occupancy of a lookup (FLASH 4.2.1).
struct software_tlb_costs {
  std::uint64_t lookup = 8;
  std::uint64_t probe = 7;
  void bind(parameter_set& parameters);
};

/// Configuration of the software translation buffer.
struct software_tlb_config {
  std::uint32_t ways = 16;    ///< entries that a lookup searches one after the other
  std::uint32_t buckets = 1;  ///< chosen by the page's low bits; a power of two
  /// A power of two from 512, for an entry keeps two more values below it. The machine's to say, so
  /// it is no parameter.
  std::uint32_t page_bytes = 4096;
  void bind(parameter_set& parameters);
  void validate() const;
};

/// Where a page lies.
struct translation {
  std::uint64_t address = 0;  ///< of the byte asked for, or of the page's first byte
  bool write_protected = false;
};

/// A hash table whose buckets are searched in order; an entry is tagged with the virtual page and
/// the process (FLASH 4.2.1). It lies in a node's memory, 16 bytes an entry: the tag with a valid
/// bit, and the page's physical address with the write-protect bit. Behind them is a word a bucket,
/// the entry whose turn it is.
class software_tlb {
 public:
  software_tlb(const software_tlb_config& config, const software_tlb_costs& costs);

  std::uint64_t storage_bytes() const;
  /// Its entries begin at `address` of the node's memory.
  void place(std::uint64_t address) { base_ = address; }

  /// Where the byte at `virtual_address` lies, or nothing; nothing too for a write to a protected
  /// page.
  std::optional<translation> find(handler_context& context, std::uint64_t virtual_address,
                                  std::uint8_t process, bool write) const;
  /// Enters a page: in place of what was entered for it, in a free entry, or in those of the bucket
  /// by turns.
  void enter(handler_context& context, std::uint64_t virtual_address, std::uint8_t process,
             const translation& page) const;
  /// Takes a page out, as at a TLB shoot-down.
  void remove(handler_context& context, std::uint64_t virtual_address, std::uint8_t process) const;

 private:
  static constexpr std::uint64_t entry_bytes = 16;

  word_t tag(std::uint64_t virtual_address, std::uint8_t process) const;
  std::uint64_t bucket(std::uint64_t virtual_address) const;
  /// The bucket's entry that a page takes if all are in use.
  std::uint64_t next_victim(handler_context& context, std::uint64_t bucket) const;
  std::optional<std::uint64_t> entry_with(handler_context& context, std::uint64_t bucket,
                                          word_t tag) const;

  software_tlb_config config_;
  software_tlb_costs costs_;
  std::uint64_t base_ = 0;
};

}  // namespace tributary
