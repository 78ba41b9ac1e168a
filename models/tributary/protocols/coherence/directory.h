// SPDX-License-Identifier: Apache-2.0
// The directory of a node: an entry a line, and the list elements that entries share.
#pragma once

#include <cstdint>

#include <tributary/memory/operation.h>
#include <tributary/sim/bit_field.h>
#include <tributary/sim/ids.h>

namespace tributary::coherence {

/// The entry of a line, one word, by dynamic pointer allocation (FLASH 2.2.3): who has the line,
/// the home's own processor apart from one remote node, and from the others, which are in a list.
///
/// Of a dirty line one has it: the home's processor if `local`, else the remote node. While it is
/// pending no other node gets it. Then the list may hold who is still to be invalidated, or the
/// reader for whom the line has been asked of its owner.
class directory_entry {
 public:
  /// The highest number of a record.
  static constexpr word_t most_records() { return record_field.limit(); }

  constexpr directory_entry() = default;
  constexpr explicit directory_entry(word_t word) : word_(word) {}
  constexpr word_t word() const { return word_; }

  constexpr bool local() const { return flag(local_bit); }
  constexpr bool pending() const { return flag(pending_bit); }
  constexpr bool dirty() const { return flag(dirty_bit); }
  /// The protocol processor of the owner has the line, as its I/O unit would. No other gets it
  /// until it is written back.
  constexpr bool owned() const { return flag(owned_bit); }
  /// The new owner has written the line back before the old one told who it is.
  constexpr bool early() const { return flag(early_bit); }
  constexpr bool uncached() const { return !dirty() && !local() && !has_remote() && list() == 0; }
  constexpr bool has_remote() const { return flag(remote_bit); }
  constexpr node_id remote() const {
    return node_id{static_cast<std::uint32_t>(remote_field.in(word_))};
  }
  /// While it is pending, invalidations that have not been acknowledged.
  constexpr word_t acknowledgements() const { return count_field.in(word_); }
  /// Number of the first list element, from 1; 0 for none.
  constexpr word_t list() const { return list_field.in(word_); }
  /// Number of the record that follows the invalidations, from 1; 0 for none.
  constexpr word_t record() const { return record_field.in(word_); }

  constexpr void set_local(bool value) { set_flag(local_bit, value); }
  constexpr void set_pending(bool value) { set_flag(pending_bit, value); }
  constexpr void set_dirty(bool value) { set_flag(dirty_bit, value); }
  constexpr void set_owned(bool value) { set_flag(owned_bit, value); }
  constexpr void set_early(bool value) { set_flag(early_bit, value); }
  constexpr void set_remote(node_id node) {
    set_flag(remote_bit, true);
    word_ = remote_field.put(word_, index(node));
  }
  constexpr void clear_remote() {
    set_flag(remote_bit, false);
    word_ = remote_field.put(word_, 0);
  }
  constexpr void set_acknowledgements(word_t count) { word_ = count_field.put(word_, count); }
  constexpr void set_list(word_t first) { word_ = list_field.put(word_, first); }
  constexpr void set_record(word_t number) { word_ = record_field.put(word_, number); }

  /// Whether a node, of which `home` is the line's, has the dirty line.
  constexpr bool owned_by(node_id node, node_id home) const {
    if (!dirty()) return false;
    return node == home ? local() : !local() && has_remote() && remote() == node;
  }
  /// Makes a node the only one that has the line, dirty.
  constexpr void set_owner(node_id node, node_id home) {
    set_dirty(true);
    set_owned(false);
    set_local(node == home);
    clear_remote();
    if (node != home) set_remote(node);
  }
  /// No cache has the line any more; what is pending stays so.
  constexpr void clear_owner() {
    set_dirty(false);
    set_owned(false);
    set_local(false);
    clear_remote();
  }

 private:
  static constexpr unsigned local_bit = 0;
  static constexpr unsigned pending_bit = 1;
  static constexpr unsigned dirty_bit = 2;
  static constexpr unsigned early_bit = 3;
  static constexpr unsigned remote_bit = 4;
  static constexpr unsigned owned_bit = 5;
  static constexpr bit_field record_field{6, 8};
  static constexpr bit_field remote_field{14, 12};
  static constexpr bit_field count_field{26, 14};
  static constexpr bit_field list_field{40, 24};

  constexpr bool flag(unsigned bit) const { return (word_ >> bit & 1) != 0; }
  constexpr void set_flag(unsigned bit, bool value) {
    word_ = (word_ & ~(word_t{1} << bit)) | word_t{value} << bit;
  }

  word_t word_ = 0;
};

/// An element of a list, one word.
struct list_element {
  static constexpr bit_field node{0, 12};
  static constexpr bit_field next{16, 24};
};

/// Where a node keeps its directory, by bytes of its memory: words of its own, the entries, the
/// list elements, the records of writes whose invalidations are under way, and the table of lines
/// that its protocol processor owns (FLASH Figure 4.4): their records, then the lines themselves.
struct directory_layout {
  std::uint64_t base = 0;
  std::uint64_t lines = 0;     ///< of the memory that has entries
  std::uint64_t elements = 0;  ///< up to 2^24 - 1
  std::uint64_t records = 0;   ///< up to 255
  std::uint64_t owned = 0;     ///< entries of the table, up to 8
  unsigned line_shift = 0;

  static constexpr std::uint64_t own_words = 8;
  /// Words of `base`.
  static constexpr std::uint64_t free_element = 0;    ///< number of the first, from 1
  static constexpr std::uint64_t fresh_elements = 8;  ///< elements that were used once
  static constexpr std::uint64_t free_record = 16;
  static constexpr std::uint64_t fresh_records = 24;
  static constexpr std::uint64_t unexpected = 32;   ///< write-backs of nodes that own nothing
  static constexpr std::uint64_t owned_lines = 40;  ///< entries of the table in use, a bit each

  static constexpr std::uint64_t record_bytes = 64;
  /// Behind what a queue of deferred handlers uses: who asked for the line, and how.
  static constexpr std::uint64_t record_request = 40;
  static constexpr std::uint64_t record_next = 48;  ///< of the free ones
  /// In a record of the table: the line, who is told, and what it gets to know.
  static constexpr std::uint64_t owned_address = 40;
  static constexpr std::uint64_t owned_handler = 48;
  static constexpr std::uint64_t owned_argument = 56;

  std::uint64_t entry(std::uint64_t offset) const {
    return base + own_words * 8 + (offset >> line_shift) * 8;
  }
  std::uint64_t element(word_t number) const { return base + (own_words + lines + number - 1) * 8; }
  std::uint64_t record(word_t number) const { return first_record() + (number - 1) * record_bytes; }
  std::uint64_t first_record() const {
    return (base + (own_words + lines + elements) * 8 + record_bytes - 1) / record_bytes *
           record_bytes;
  }
  /// Of the table's entries, which are numbered from 0.
  std::uint64_t owned_record(std::uint64_t entry) const {
    return record(records + 1) + entry * record_bytes;
  }
  std::uint64_t owned_line(std::uint64_t entry) const {
    const std::uint64_t first = owned_record(owned) + line_bytes() - 1;
    return (first >> line_shift << line_shift) + entry * line_bytes();
  }
  std::uint64_t line_bytes() const { return std::uint64_t{1} << line_shift; }
  std::uint64_t line_start(std::uint64_t address) const {
    return address >> line_shift << line_shift;
  }
  std::uint64_t bytes() const { return (owned == 0 ? owned_record(0) : owned_line(owned)) - base; }
};

}  // namespace tributary::coherence
