// SPDX-License-Identifier: Apache-2.0
// Which references the elements of a machine make while a program runs on all of them.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/sim/observer.h>
#include <ultracomputer/ultracomputer.h>

namespace tributary::testing {

/// References of one element: through the network those that only look and those that change a
/// word, and those to its own memory.
struct reference_kinds {
  std::uint64_t network_loads = 0;
  std::uint64_t network_updates = 0;
  std::uint64_t own_loads = 0;
  std::uint64_t own_updates = 0;
};

/// Counts the references of each element of a machine for as long as it lives.
class reference_kinds_counter final : public observer<offered_request> {
 public:
  explicit reference_kinds_counter(ultracomputer& machine)
      : machine_(machine), counts_(machine.config().network.processing_elements) {
    machine_.interfaces().offers().attach(*this);
  }
  ~reference_kinds_counter() override { machine_.interfaces().offers().detach(*this); }

  void on_event(const offered_request& offered) override {
    const address_map& map = machine_.addresses();
    const std::uint64_t address = offered.request.address;
    const auto element = static_cast<std::uint32_t>(offered.pe);
    const bool own = map.region_of(address)->local_port &&
                     static_cast<std::uint32_t>(map.module_of(address)) == element;
    const bool load = offered.request.function == function_of(operation::load);
    reference_kinds& kinds = counts_[element];
    ++(own ? (load ? kinds.own_loads : kinds.own_updates)
           : (load ? kinds.network_loads : kinds.network_updates));
  }

  const std::vector<reference_kinds>& counts() const { return counts_; }

 private:
  ultracomputer& machine_;
  std::vector<reference_kinds> counts_;  // by element
};

}  // namespace tributary::testing
