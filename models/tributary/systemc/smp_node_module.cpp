// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/smp_node_module.h>

#include <algorithm>
#include <utility>

#include <tributary/systemc/messages.h>

namespace tributary {

smp_node_module::smp_node_module(const sc_core::sc_module_name& name, const smp_node_config& config,
                                 const network_node_place& place, std::uint64_t seed,
                                 std::vector<std::unique_ptr<protocol>> protocols)
    : controller_node_module(name, place),
      bus_sockets("bus_sockets", config.bus_masters),
      core_(make_or_report(*this, messages::configuration, [&] {
        return std::make_unique<smp_node>(config, place.here, place.nodes, seed, port(), pool(),
                                          std::move(protocols));
      })) {
  deliver_to(core_->endpoint());
  for (std::uint32_t i = 0; i < config.bus_masters; ++i) {
    node_bus& bus = *core_->on_bus();
    targets_.push_back(std::make_unique<bus_target>(*this, bus_sockets[i], core_->clockwork(),
                                                    bus.bus(), bus.master(i)));
  }
}

smp_node_module::~smp_node_module() = default;

void smp_node_module::end_of_elaboration() {
  network_node_module::end_of_elaboration();
  for (const auto& each : targets_) each->serve(again());
}

void smp_node_module::resume_sockets() {
  for (const auto& each : targets_) each->resume();
}

bool smp_node_module::idle() const {
  return core_->idle() && lanes_idle() &&
         std::all_of(targets_.begin(), targets_.end(),
                     [](const auto& each) { return each->idle(); });
}

void smp_node_module::reset_statistics() {
  measured_from_ = now();
  core_->advance_to(measured_from_);  // its clockwork may stand at its last event
  core_->reset_statistics();
}

void smp_node_module::report(statistics_group& group) const {
  core_->report(group, now() - measured_from_);
}

}  // namespace tributary
