// SPDX-License-Identifier: Apache-2.0
// A port in a slower clock than its processor's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <tributary/memory/port.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/state.h>

namespace tributary {

/// Hands a processor's accesses to a port whose cycle is `ratio` of the processor's: cycle c of the
/// processor is in cycle c / `ratio` of the port, behind all that the port does in it. The port
/// sees an access at its next edge, and the processor an answer in the cycle that begins with it.
class clock_crossing final : public block,
                             public processor_port,
                             private memory_client,
                             private timed_block {
 public:
  /// `pause`: cycles of the port for which an answer is kept from the processor. References must
  /// outlive it; `time` counts the processor's cycles.
  clock_crossing(const char* name, std::uint32_t ratio, std::uint32_t pause, agenda& time,
                 processor_port& below);

  // processor_port
  /// The port below tells it from here on, whichever its client was.
  void set_client(memory_client* client) override;
  void check(std::size_t element, const access& request) const override {
    below_.check(element, request);
  }
  bool can_take(std::size_t element = 0) const override { return below_.can_take(element); }
  void offer(std::size_t element, const access& request, cycle_t now) override;
  std::size_t waiting(std::size_t element = 0) const override { return below_.waiting(element); }
  std::size_t outstanding(std::size_t element = 0) const override {
    return below_.outstanding(element) + answers_.size();
  }
  bool serves_pairs() const override { return below_.serves_pairs(); }
  std::uint64_t incomplete_stores(std::size_t element = 0) const override {
    return below_.incomplete_stores(element);
  }

  const char* name() const override { return name_.c_str(); }
  bool idle() const override { return answers_.empty(); }
  void reset_statistics() override {}
  /// Nothing: the port below counts.
  void report(statistics_group&, std::uint64_t) const override {}
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  struct answer {
    completion told;

    TRIBUTARY_STATE(told.pe, told.tag, told.value);
  };

  // memory_client, in the port's time
  void completed(const completion& ended, cycle_t now) override;
  void room(std::size_t element, cycle_t now) override;
  void settled(std::size_t element, cycle_t now) override;
  void wake(cycle_t now, std::uint64_t tag) override;

  TRIBUTARY_STATE(answers_);

  std::string name_;
  std::uint64_t ratio_;
  std::uint64_t pause_;
  agenda& agenda_;
  processor_port& below_;
  memory_client* client_ = nullptr;
  fifo<answer> answers_;  // that the processor does not have yet
};

}  // namespace tributary
