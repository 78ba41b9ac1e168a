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

/// What a process may do with a page.
enum class page_access : std::uint8_t {
  write,              ///< read and write it
  read,               ///< read it; the kernel is asked when it is to be written
  read_and_no_write,  ///< read it; the kernel has refused that it is written
  none                ///< nothing: the kernel has refused the page
};

/// Bits of a `page_access` in a word with the first byte of a page.
inline constexpr word_t page_access_mask = 3;

/// Where a page lies.
struct translation {
  std::uint64_t address = 0;  ///< of the byte asked for, or of the page's first byte
  page_access access = page_access::write;
};

/// What becomes of an address that is looked up.
enum class translated : std::uint8_t {
  found,
  missing,  ///< only the kernel knows
  refused   ///< the kernel has said no, and is not asked again
};

/// An address that was looked up.
struct translation_lookup {
  translated result = translated::missing;
  translation page;  ///< if found
};

/// A hash table whose buckets are searched in order; an entry is tagged with the virtual page and
/// the process (FLASH 4.2.1). It lies in a node's memory, 16 bytes an entry: the tag with a valid
/// bit, and the page's physical address with its `page_access` in the lowest bits. Behind them is a
/// word a bucket, the entry whose turn it is.
class software_tlb {
 public:
  software_tlb(const software_tlb_config& config, const software_tlb_costs& costs);

  std::uint64_t storage_bytes() const;
  /// Its entries begin at `address` of the node's memory.
  void place(std::uint64_t address) { base_ = address; }

  /// Where the byte at `virtual_address` lies. A write to a page that may only be read is missing,
  /// or refused if the kernel has said so.
  translation_lookup find(handler_context& context, std::uint64_t virtual_address,
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
