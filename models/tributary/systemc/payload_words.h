// SPDX-License-Identifier: Apache-2.0
// A transaction of an initiator as the requests for single words that a network carries.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tributary/memory/address_map.h>
#include <tributary/nic/alias_map.h>
#include <tributary/nic/network_interface.h>
#include <tributary/systemc/fetch_op.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// What remains of a `payload_words` when its requests are under way: puts the answers back
/// together.
class payload_answers {
 public:
  /// Takes the word that answers the request of a place.
  void answer(std::size_t place, word_t word) const;

 protected:
  enum class kind : std::uint8_t {
    nothing,
    word_read,  ///< of one whole word: the most frequent of all
    read,
    write,
    fetch,
    alias_load,
    alias_store
  };

  /// Bytes of the data array in one word.
  struct piece {
    std::uint64_t word_address;
    std::size_t in_word;  ///< first byte within the word
    std::size_t in_data;  ///< first byte within the data array
    std::size_t size;
  };

  void answer_bytes(std::size_t place, word_t word) const;
  piece piece_of(std::size_t place) const;
  word_t enabled_mask(const piece& bytes) const;

  tlm::tlm_generic_payload* payload_ = nullptr;
  fetch_op* extension_ = nullptr;
  std::uint64_t address_ = 0;
  std::uint32_t length_ = 0;
  std::uint32_t beat_ = 0;  // bytes
  std::uint32_t words_per_beat_ = 0;
  kind kind_ = kind::nothing;
};

/// Splits a generic payload into words of 8 bytes, as many as it touches (IEEE 1666-2011, 14.11 to
/// 14.18).
///
/// A read asks for whole words and takes the bytes that it wants; a write of a whole word is a
/// store, of less a narrow one. Where requests do not combine every write is a narrow one, as the
/// memory side can then write without reading, which devices may tell apart. Byte enables select
/// bytes, and a word without any is left out. With a streaming width below the length the data goes
/// to, or comes from, the same addresses again and again, beat by beat; a streaming width of 0
/// means the length. TLM_IGNORE_COMMAND asks for its fetch_op extension, and without one for
/// nothing. In the window of aliases an access is what `alias_map` makes of it.
class payload_words : public payload_answers {
 public:
  /// Looks at a transaction, which must outlive its use here as `map` must. Returns
  /// TLM_OK_RESPONSE, or the response that refuses it: address error where a byte is in no region
  /// or an operation is not aligned, burst error for a length of 0 and for an operation on anything
  /// but one word, byte enable error for other values than TLM_BYTE_ENABLED and TLM_BYTE_DISABLED
  /// and for an operation with byte enables, command error where an alias cannot do it, for an
  /// unknown command and for a fetch_op with a read or write, generic error without data.
  /// `registers` are those of the port; an access to them is done on return.
  tlm::tlm_response_status open(tlm::tlm_generic_payload& payload, const address_map& map,
                                const alias_map& aliases, alias_registers& registers);

  /// Number of places for requests, in the order in which they act.
  std::size_t count() const { return count_; }
  /// Number of places for requests after which the same addresses come again.
  std::size_t words_per_beat() const { return words_per_beat_; }

  /// The request of a place, all but its tag. Returns false if there is none, as all its bytes are
  /// disabled.
  bool request(std::size_t place, access& asked) const;

 private:
  tlm::tlm_response_status open_alias(const alias_map& aliases, alias_registers& registers);
  tlm::tlm_response_status open_fetch();
  tlm::tlm_response_status open_access();
  tlm::tlm_response_status check_attributes() const;
  word_function write_function(const piece& bytes, word_t mask) const;

  const address_map* map_ = nullptr;
  std::size_t count_ = 0;
  word_function function_;  // of an operation
};

}  // namespace tributary
