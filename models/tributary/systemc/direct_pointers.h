// SPDX-License-Identifier: Apache-2.0
// Direct memory pointers (DMI) through a network.
#pragma once

#include <cstdint>

#include <tributary/memory/address_map.h>
#include <tributary/systemc/memory_access.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// Who may have a pointer: an initiator that asks for a region that lies whole in its modules
/// (blocked, or in one module) and whose requests do not combine. A store past the network to a
/// word that combines would pass requests that wait for it in a switch.
class direct_pointers {
 public:
  /// `addresses` must outlive it.
  explicit direct_pointers(const address_map& addresses);

  /// Sets the DMI hint of a transaction that was answered, if it would be granted a pointer.
  void pass_hint(tlm::tlm_generic_payload& payload, const memory_access& memory) const {
    if (some_) pass_hint_of_region(payload, memory);
  }

  /// What get_direct_mem_ptr does: asks the target and clips the range to what one module holds;
  /// where it refuses, the range is the one for which it would refuse again. `way` is how long an
  /// access is under way to memory and back, and is added to the target's latencies.
  bool grant(tlm::tlm_generic_payload& payload, memory_access& memory, const sc_core::sc_time& way,
             tlm::tlm_dmi& dmi) const;

 private:
  void pass_hint_of_region(tlm::tlm_generic_payload& payload, const memory_access& memory) const;
  void clip_to_module(const address_region& region, mm_id module, tlm::tlm_dmi& dmi) const;
  void set_gap(std::uint64_t address, tlm::tlm_dmi& dmi) const;

  const address_map& addresses_;
  bool some_;  // whether any region allows pointers
};

}  // namespace tributary
