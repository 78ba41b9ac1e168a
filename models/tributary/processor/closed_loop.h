// SPDX-License-Identifier: Apache-2.0
// Closed-loop traffic: each slot of an element issues again after its response.
#pragma once

#include <tributary/processor/processing_elements.h>
#include <tributary/processor/traffic.h>
#include <tributary/processor/workload.h>

namespace tributary {

/// Every element keeps up to `outstanding` requests in flight; a slot whose response was delivered
/// draws its next request a turnaround later (FG 3; busy-wait polling at hot spot 1).
class closed_loop final : public workload {
 public:
  closed_loop(const traffic_config& requests, const processing_element_config& elements,
              std::uint32_t outstanding, const address_map& map, std::uint64_t seed);

  void advance(cycle_t now, network_interface& ports) override;
  void deliver(cycle_t now, const std::vector<memory_response>& responses) override;
  bool finished() const override { return stopped_; }
  void stop() override { stopped_ = true; }
  void report(statistics_group& group) const override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  traffic traffic_;
  processing_elements elements_;
  bool stopped_ = false;
};

}  // namespace tributary
