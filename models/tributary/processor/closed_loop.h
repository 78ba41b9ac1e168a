// SPDX-License-Identifier: Apache-2.0
// Closed-loop traffic: each slot of an element issues again after its response.
#pragma once

#include <tributary/processor/processing_elements.h>
#include <tributary/processor/queued_workload.h>
#include <tributary/processor/traffic.h>

namespace tributary {

/// Every element keeps up to `outstanding` requests in flight; a slot whose response was delivered
/// draws its next request a turnaround later (FG 3; busy-wait polling at hot spot 1).
class closed_loop final : public queued_workload {
 public:
  closed_loop(const traffic_config& requests, const processing_element_config& elements,
              std::uint32_t outstanding, const address_map& map, std::uint64_t seed);

  void advance(cycle_t now, memory_port& ports) override;
  void join(element_clock& clock, memory_port& port) override;
  void start(std::uint32_t element) override { elements_.start(element); }
  void wake(const pe_slot& wakeup, cycle_t now) override;
  void completed(const completion& ended, cycle_t now) override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  void issue(const pe_slot& slot, cycle_t now);

  traffic traffic_;
  processing_elements elements_;
};

}  // namespace tributary
