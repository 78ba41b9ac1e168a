// SPDX-License-Identifier: Apache-2.0
// What the processor side of a network asks of its memory side in addition to the requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <tributary/memory/operation.h>
#include <tributary/sim/ids.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// `reply::status` of a TLM-2.0 response status: 0 for TLM_OK_RESPONSE, 1 to 5 for the errors in
/// the order of their definition. A response that was left incomplete is a generic error.
constexpr std::uint8_t status_of(tlm::tlm_response_status response) {
  if (response == tlm::TLM_INCOMPLETE_RESPONSE) response = tlm::TLM_GENERIC_ERROR_RESPONSE;
  return response == tlm::TLM_OK_RESPONSE ? std::uint8_t{0} : static_cast<std::uint8_t>(-response);
}

/// The inverse of `status_of`.
constexpr tlm::tlm_response_status response_of(std::uint8_t status) {
  return status == 0 ? tlm::TLM_OK_RESPONSE : static_cast<tlm::tlm_response_status>(-int{status});
}

/// The way around the network to the targets behind it: loosely timed, debug and direct accesses.
/// The memory side of the network implements it, the processor side calls it.
///
/// All addresses are the initiators' ones; the memory side translates them where its modules have
/// addresses of their own. All but `transport` lie within one aligned word of 8 bytes, which
/// `module` holds.
class memory_access : public virtual sc_core::sc_interface {
 public:
  /// Told of a range of addresses, both ends included, to which no pointer is valid any more.
  using invalidation = std::function<void(std::uint64_t first, std::uint64_t last)>;

  /// Performs `function` on the word at `address`, a multiple of 8, at once and indivisibly, and
  /// gives the old word in `old`, which it may leave as it was for a write of bytes (a merge whose
  /// mask selects whole bytes), as that needs no read, and where the answer is not OK. What the
  /// target adds to `delay`, which says on entry when the request reaches the module, stays in it.
  /// The caller is a thread process: the call may block, until a request from the network that is
  /// being served is finished or because the target waits. Returns how the target answered; unless
  /// OK, nothing was done.
  virtual tlm::tlm_response_status access(mm_id module, std::uint64_t address,
                                          const word_function& function, word_t& old,
                                          sc_core::sc_time& delay) = 0;

  /// Hands a read or write of bytes that follow each other in `module` to its target, as
  /// b_transport does: `payload` and `delay` come back as the target leaves them, with the address
  /// that `payload` had. The caller is a thread process: the call may block, and a write waits
  /// until a fetch-and-phi that is being served by a read and a write is finished.
  virtual void transport(mm_id module, tlm::tlm_generic_payload& payload,
                         sc_core::sc_time& delay) = 0;

  /// The DMI hint of the response of the module's target that came last by these two. Right after
  /// an access to the module, before its thread waits, it is the hint of that access.
  virtual bool direct_hint(mm_id module) const = 0;

  /// Reads or writes bytes of one word without side effects and without taking time. Returns the
  /// number of bytes that the target read or wrote, 0 if it does not support that. A read sees
  /// requests that the memory side took from the network as done, also where they wait there; one
  /// by `access` is seen as done or not begun.
  virtual std::size_t debug_read(mm_id module, std::uint64_t address, unsigned char* data,
                                 std::size_t length) = 0;
  virtual std::size_t debug_write(mm_id module, std::uint64_t address, const unsigned char* data,
                                  std::size_t length) = 0;

  /// Asks the module's target for a pointer, as get_direct_mem_ptr does; command, address and
  /// extensions are `payload`'s. The range in `dmi`, in initiators' addresses, may be wider than
  /// the region: the caller clips it. The latencies are the target's.
  virtual bool get_direct_mem_ptr(mm_id module, tlm::tlm_generic_payload& payload,
                                  tlm::tlm_dmi& dmi) = 0;

  /// Who is told when a target invalidates pointers; one listener.
  virtual void on_invalidation(invalidation listener) = 0;
};

}  // namespace tributary
