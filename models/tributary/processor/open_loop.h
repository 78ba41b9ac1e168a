// SPDX-License-Identifier: Apache-2.0
// Open-loop traffic: requests are generated whatever the network does.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/processor/processing_elements.h>
#include <tributary/processor/queued_workload.h>
#include <tributary/processor/traffic.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// Configuration of an open loop.
struct open_loop_config {
  /// Requests that each element generates per cycle, a Bernoulli trial in each.
  double load = 0.2;
  /// Requests that wait at an element; full, it generates none. 0 is unbounded.
  std::uint32_t source_queue = 0;

  void bind(parameter_set& parameters);
};

/// Each element generates a request with probability `load` in each cycle into its
/// first-in-first-out source queue; a request that is refused stays drawn.
class open_loop final : public queued_workload, private independent_elements {
 public:
  open_loop(const open_loop_config& config, const traffic_config& requests,
            const processing_element_config& elements, const address_map& map, std::uint64_t seed);

  void advance(cycle_t now, memory_port& ports) override;
  independent_elements* independent() override { return this; }
  void deliver(cycle_t, const std::vector<memory_response>&) override {}
  void start(std::uint32_t element) override { await_arrival(element, 0); }
  void wake(const pe_slot& wakeup, cycle_t now) override;
  void completed(const completion&, cycle_t) override {}
  void reset_statistics() override;
  void report(statistics_group& group) const override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  /// Draws the cycle of the element's next request after `now`.
  void await_arrival(std::uint32_t element, cycle_t now);
  void generate(std::size_t element, cycle_t now, memory_port& port, counts& counted);
  /// Draws the trials of the next cycles, of a range of elements.
  void draw_trials(const port_range& elements);

  // independent_elements
  void begin(cycle_t now) override;
  void advance(const port_range& elements, cycle_t now, memory_port& port,
               counts& counted) override;
  void take(counts& counted) override;

  open_loop_config config_;
  traffic traffic_;
  std::uint64_t threshold_;
  std::vector<random_stream> arrivals_;
  // As many trials of each element as a block of its stream has: bit i for the i-th of the cycles.
  std::vector<std::uint8_t> trials_;
  std::uint32_t tried_ = random_stream::block;
  bool draws_ = false;      // in this cycle
  std::uint8_t trial_ = 0;  // of this cycle; 0 if it offers nothing
  counter generated_;
  counter withheld_;
};

}  // namespace tributary
