// SPDX-License-Identifier: Apache-2.0
// A snooping bus with its memory and caches as a module, with TLM-2.0 sockets for masters without a
// cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <tributary/bus/snooping_bus.h>
#include <tributary/bus/uncached_master.h>
#include <tributary/cache/cache.h>
#include <tributary/memory/memory_controller.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/clock.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/statistics.h>
#include <tributary/systemc/bus_target.h>
#include <tributary/systemc/event_driven_module.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// Configuration of a bus with all that stands on it.
struct snooping_bus_module_config {
  snooping_bus_module_config();

  clock_domain clock;  ///< of the processors
  snooping_bus_config bus;
  /// Its lines are as long as those of the bus, whatever `line_bytes` says.
  memory_controller_config memory;
  std::uint64_t memory_base = 0;  ///< bus address of memory, at a line's start
  std::size_t sockets = 1;        ///< masters without a cache
  /// Accesses of each of them under way at a time, 1 to 8.
  std::size_t outstanding = 4;
  std::size_t caches = 0;  ///< masters with a cache, for processors in C++
  cache_config cache;

  /// Throws `configuration_error` for caches whose last level has other lines than the bus.
  void validate() const;
};

/// A `snooping_bus`. Masters 0, 1 and so on have the caches, those behind them the sockets.
///
/// `target_sockets`: see `bus_target`. Snoops are calls within the module and never travel over
/// TLM, so a cache is no module of its own: what stands on one is a client of `port`, told in the
/// module's cycles, such as a `program_element` on `clockwork`.
///
/// What the bus throws is reported as `messages::simulation`; the module is of no further use then.
class snooping_bus_module final : public event_driven_module {
 public:
  /// Values out of range are reported as `messages::configuration`.
  snooping_bus_module(const sc_core::sc_module_name& name,
                      const snooping_bus_module_config& config);
  ~snooping_bus_module() override;

  /// By master without a cache. Those that are not used may stay unbound.
  sc_core::sc_vector<bus_target::socket> target_sockets;

  /// For devices and watchers, before the simulation begins.
  snooping_bus& core() { return units_->bus; }
  const snooping_bus& core() const { return units_->bus; }
  memory_controller& memory() { return units_->memory; }
  agenda& clockwork() { return units_->clock; }
  /// Where a processor with a cache asks. Who offers from outside the clockwork calls `look`.
  cache& port(std::size_t i) { return *units_->caches.at(i); }

  /// Whether nothing is under way.
  bool idle() const;
  void reset_statistics();
  void report(statistics_group& group) const;

  const char* kind() const override { return "tributary::snooping_bus_module"; }

 private:
  TRIBUTARY_HAS_PROCESS(snooping_bus_module);

  /// All that is no socket.
  struct units {
    explicit units(const snooping_bus_module_config& config);

    agenda clock;
    memory_controller memory;
    snooping_bus bus;
    std::vector<std::unique_ptr<cache>> caches;
    std::vector<std::unique_ptr<uncached_master>> masters;
  };

  cycle_t next_wakeup() const override { return units_->clock.next_wakeup(); }
  void advance_to(cycle_t last) override { units_->clock.advance_to(last); }
  void end_of_elaboration() override;
  void resume();

  std::unique_ptr<units> units_;
  std::vector<std::unique_ptr<bus_target>> targets_;
  sc_core::sc_event resume_;
  cycle_t measured_from_ = 0;
};

}  // namespace tributary
