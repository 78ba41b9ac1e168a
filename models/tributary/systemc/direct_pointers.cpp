// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/direct_pointers.h>

#include <algorithm>
#include <limits>

namespace tributary {
namespace {

bool allows_pointers(const address_region& region) {
  const bool whole =
      region.mapping == region_mapping::blocked || region.mapping == region_mapping::module;
  return whole && !region.combinable;
}

}  // namespace

direct_pointers::direct_pointers(const address_map& addresses)
    : addresses_(addresses),
      some_(std::any_of(addresses.regions().begin(), addresses.regions().end(), allows_pointers)) {}

void direct_pointers::pass_hint_of_region(tlm::tlm_generic_payload& payload,
                                          const memory_access& memory) const {
  const address_region* const region = addresses_.region_of(payload.get_address());
  if (region == nullptr || !allows_pointers(*region)) return;
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return;  // no pointer can do that
  const mm_id module = addresses_.module_of(*region, payload.get_address());
  if (memory.direct_hint(module)) payload.set_dmi_allowed(true);
}

bool direct_pointers::grant(tlm::tlm_generic_payload& payload, memory_access& memory,
                            const sc_core::sc_time& way, tlm::tlm_dmi& dmi) const {
  dmi.init();
  const std::uint64_t address = payload.get_address();
  const address_region* const region = addresses_.region_of(address);
  if (region == nullptr) {
    set_gap(address, dmi);
    dmi.allow_read_write();  // what is refused
    return false;
  }
  if (!allows_pointers(*region)) {
    dmi.allow_read_write();
    dmi.set_start_address(region->base);
    dmi.set_end_address(region->base + region->size - 1);
    return false;
  }
  const mm_id module = addresses_.module_of(*region, address);
  const bool granted = memory.get_direct_mem_ptr(module, payload, dmi);
  if (!granted && dmi.is_none_allowed()) dmi.allow_read_write();
  clip_to_module(*region, module, dmi);
  dmi.set_read_latency(dmi.get_read_latency() + way);
  dmi.set_write_latency(dmi.get_write_latency() + way);
  return granted;
}

void direct_pointers::clip_to_module(const address_region& region, mm_id module,
                                     tlm::tlm_dmi& dmi) const {
  const std::uint64_t size = addresses_.rows(region) * word_bytes;
  const std::uint64_t first = addresses_.address_in(region, module, 0);
  const std::uint64_t start = std::max<std::uint64_t>(dmi.get_start_address(), first);
  if (dmi.get_dmi_ptr() != nullptr) {
    dmi.set_dmi_ptr(dmi.get_dmi_ptr() + (start - dmi.get_start_address()));
  }
  dmi.set_start_address(start);
  dmi.set_end_address(std::min<std::uint64_t>(dmi.get_end_address(), first + size - 1));
}

void direct_pointers::set_gap(std::uint64_t address, tlm::tlm_dmi& dmi) const {
  std::uint64_t first = 0;
  std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  for (const address_region& region : addresses_.regions()) {
    if (region.base > address) {
      last = region.base - 1;
      break;
    }
    first = region.base + region.size;
  }
  dmi.set_start_address(first);
  dmi.set_end_address(last);
}

}  // namespace tributary
