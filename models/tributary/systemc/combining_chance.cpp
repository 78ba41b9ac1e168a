// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/combining_chance.h>

#include <algorithm>

#include <tributary/systemc/combining_network.h>

namespace tributary {
namespace {

/// Elements with one request under way, times the cycles from one request at a memory module to the
/// next: up to here at most 0.3 % of the requests combined while all elements polled one word, from
/// 24 on up to 24 % did (360 runs, docs/models/sockets.md).
constexpr std::uint64_t hardly_waiting = 16;

bool some_region_combines(const address_map_config& addresses) {
  return std::any_of(addresses.regions.begin(), addresses.regions.end(),
                     [](const address_region& region) { return region.combinable; });
}

}  // namespace

std::string why_nothing_combines(const combining_network_config& config) {
  const combining_switch_config& switches = config.network.switches;
  const std::uint64_t elements = config.network.processing_elements;
  if (!switches.combining) return "";
  if (switches.combining_forms() == 0) {
    return "no request can combine: every form in network.combine is off; turn one on";
  }
  if (!some_region_combines(config.addresses)) {
    return "no request can combine: no region in addresses.regions is combinable; set combinable "
           "where several initiators use one word";
  }
  if (switches.slots < switches.slots_to_combine()) {
    return "no request can combine: network.slots = " + std::to_string(switches.slots) +
           ", and queues of this type and coupling need " +
           std::to_string(switches.slots_to_combine()) + " or more";
  }
  const bool one_a_word =
      config.interface.policy != issue_policy::unordered || config.interface.outstanding == 1;
  if (elements == 2 && switches.type == queue_type::b && one_a_word) {
    return "no request can combine: with 2 elements each queue of network.queue_type B holds the "
           "requests of one element, at most one for a word; use queue_type A";
  }
  const std::uint32_t pace = std::max(config.memory_interface.interval, switches.link_cycles);
  // A port's own unit takes no request between its read and the end of its write; how long that is
  // only the target knows.
  const bool own_unit = config.memory_interface.fetch_ops == fetch_op_service::own_unit;
  if (!own_unit && config.interface.outstanding == 1 && elements * pace <= hardly_waiting) {
    return "hardly any request can combine: " + std::to_string(elements) +
           " elements with interface.outstanding = 1 seldom wait for a memory that takes a request "
           "every " +
           std::to_string(pace) +
           " cycles; set memory_interface.interval to what the memory needs for a request, or "
           "raise outstanding";
  }
  return "";
}

}  // namespace tributary
