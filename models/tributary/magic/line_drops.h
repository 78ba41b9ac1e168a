// SPDX-License-Identifier: Apache-2.0
// The instruction by which a processor drops a line of its caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <tributary/magic/line_interface.h>
#include <tributary/memory/port.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/state.h>

namespace tributary {

/// A store to a byte of this port drops the processor's copy of the line `distance` bytes before
/// it, as an instruction on its caches does (FLASH 4.1.3; the R10000 has one). It takes a cycle of
/// the processor. The line must be one that is not coherent: no home is told.
class line_drops final : public block, public processor_port, private timed_block {
 public:
  /// References must outlive it; `time` counts the processor's cycles.
  line_drops(std::uint64_t distance, agenda& time, line_interface& lines);

  // processor_port, of one access at a time
  void set_client(memory_client* client) override { client_ = client; }
  void check(std::size_t element, const access& request) const override;
  bool can_take(std::size_t = 0) const override { return !is_busy_; }
  void offer(std::size_t element, const access& request, cycle_t now) override;
  std::size_t waiting(std::size_t = 0) const override { return 0; }
  std::size_t outstanding(std::size_t = 0) const override { return is_busy_ ? 1 : 0; }

  const char* name() const override { return "line_drops"; }
  bool idle() const override { return !is_busy_; }
  void reset_statistics() override {}
  /// Nothing: the caches count what they lose.
  void report(statistics_group&, std::uint64_t) const override {}
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  void wake(cycle_t now, std::uint64_t tag) override;

  TRIBUTARY_STATE(is_busy_, told_.pe, told_.tag);

  std::uint64_t distance_;
  agenda& agenda_;
  line_interface& lines_;
  memory_client* client_ = nullptr;
  bool is_busy_ = false;
  completion told_;
};

}  // namespace tributary
