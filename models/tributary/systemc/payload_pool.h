// SPDX-License-Identifier: Apache-2.0
// Payloads with reference counts that are used again and again.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <tributary/systemc/fetch_op.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// A memory manager for generic payloads (IEEE 1666-2011, 14.5): each comes with room for one word
/// and with a fetch_op of its own, and returns to the pool when its last holder releases it. Once
/// as many payloads exist as were ever out at a time, nothing is allocated any more.
///
/// Each initiator owns a pool. It must outlive the use of its payloads, and a holder that still has
/// one when the pool ends, as at the end of a simulation with transactions under way, must not
/// touch it.
class payload_pool final : public tlm::tlm_mm_interface {
 public:
  payload_pool();
  payload_pool(const payload_pool&) = delete;
  payload_pool& operator=(const payload_pool&) = delete;
  ~payload_pool() override;

  /// A payload with reference count 1 and the attributes of a new one: command ignored, address 0,
  /// no data and no byte enables, length and streaming width 0, response incomplete, no fetch_op.
  /// Extensions that others set to stay (sticky ones) are still there.
  tlm::tlm_generic_payload& acquire();

  /// The same for `length` bytes at `data`, which must outlive the transaction.
  tlm::tlm_generic_payload& acquire(tlm::tlm_command command, std::uint64_t address,
                                    unsigned char* data, unsigned length);

  /// The same for the payload's own word, which a write command carries: `value` in host order.
  tlm::tlm_generic_payload& acquire_word(tlm::tlm_command command, std::uint64_t address,
                                         word_t value = 0);

  /// The same for a fetch-and-phi on the word at `address` (set_fetch_op).
  tlm::tlm_generic_payload& acquire_fetch_op(std::uint64_t address, const word_function& function);

  /// The word of a payload that came from `acquire_word` or `acquire_fetch_op` of any pool: after
  /// the response, what was read.
  static word_t word_of(const tlm::tlm_generic_payload& payload);

  /// Payloads that are still held.
  std::size_t outstanding() const { return all_.size() - idle_.size(); }
  /// Payloads that exist, in use or not.
  std::size_t size() const { return all_.size(); }

  /// Called by the payload's last release.
  void free(tlm::tlm_generic_payload* payload) override;

 private:
  class pooled_payload;

  pooled_payload& take();

  std::vector<std::unique_ptr<pooled_payload>> all_;
  std::vector<pooled_payload*> idle_;
};

}  // namespace tributary
