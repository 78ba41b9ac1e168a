// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/snooping_bus_module.h>

#include <algorithm>
#include <string>

#include <tributary/sim/error.h>
#include <tributary/systemc/messages.h>

namespace tributary {
namespace {

memory_controller_config memory_of(const snooping_bus_module_config& config) {
  memory_controller_config memory = config.memory;
  memory.line_bytes = config.bus.line_bytes;
  return memory;
}

}  // namespace

/// 200 MHz (Falsafi and Wood, HPCA 1997, section 2).
snooping_bus_module_config::snooping_bus_module_config() { clock.period = 5000; }

void snooping_bus_module_config::validate() const {
  bus.validate();
  if (caches == 0) return;
  cache.validate();
  if (cache.last().line_bytes == bus.line_bytes) return;
  throw configuration_error(
      {"cache.levels", "",
       "the last level has lines of " + std::to_string(cache.last().line_bytes) + " bytes",
       "those of the bus, " + std::to_string(bus.line_bytes), "give both the same"});
}

snooping_bus_module::units::units(const snooping_bus_module_config& config)
    : memory(memory_of(config), clock),
      bus(config.bus, config.caches + config.sockets, {config.memory_base, config.memory.bytes},
          clock, memory) {
  for (std::size_t i = 0; i < config.caches; ++i) {
    caches.push_back(std::make_unique<cache>(config.cache, clock, bus.lines(i)));
    bus.set_client(i, *caches.back());
  }
  for (std::size_t i = 0; i < config.sockets; ++i) {
    masters.push_back(std::make_unique<uncached_master>(
        clock, bus, config.caches + i, config.outstanding, "master." + std::to_string(i)));
  }
}

snooping_bus_module::snooping_bus_module(const sc_core::sc_module_name& name,
                                         const snooping_bus_module_config& config)
    : event_driven_module(name, sc_period(config.clock)),
      target_sockets("target_sockets", config.sockets),
      units_(make_or_report(*this, messages::configuration, [&] {
        config.validate();
        return std::make_unique<units>(config);
      })) {
  for (std::size_t i = 0; i < config.sockets; ++i) {
    targets_.push_back(std::make_unique<bus_target>(*this, target_sockets[i], units_->clock,
                                                    units_->bus, *units_->masters[i]));
  }
  SC_METHOD(resume);
  sensitive << resume_;
  dont_initialize();
}

snooping_bus_module::~snooping_bus_module() = default;

void snooping_bus_module::end_of_elaboration() {
  for (const auto& each : targets_) each->serve(resume_);
}

void snooping_bus_module::resume() {
  for (const auto& each : targets_) each->resume();
}

bool snooping_bus_module::idle() const {
  const auto is_idle = [](const auto& each) { return each->idle(); };
  return units_->bus.idle() && units_->memory.idle() &&
         std::all_of(units_->caches.begin(), units_->caches.end(), is_idle) &&
         std::all_of(units_->masters.begin(), units_->masters.end(), is_idle) &&
         std::all_of(targets_.begin(), targets_.end(), is_idle);
}

void snooping_bus_module::reset_statistics() {
  measured_from_ = now();
  units_->bus.reset_statistics();
  units_->memory.reset_statistics();
  for (const auto& each : units_->caches) each->reset_statistics();
  for (const auto& each : units_->masters) each->reset_statistics();
}

void snooping_bus_module::report(statistics_group& group) const {
  const std::uint64_t cycles = now() - measured_from_;
  units_->bus.report(group.group(units_->bus.name()), cycles);
  units_->memory.report(group.group(units_->memory.name()), cycles);
  for (std::size_t i = 0; i < units_->caches.size(); ++i) {
    units_->caches[i]->report(group.group("cache." + std::to_string(i)), cycles);
  }
  for (const auto& each : units_->masters) each->report(group.group(each->name()), cycles);
}

}  // namespace tributary
