// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/magic_node_module.h>

#include <utility>

#include <tributary/systemc/messages.h>

namespace tributary {

magic_node_module::magic_node_module(const sc_core::sc_module_name& name,
                                     const magic_node_config& config, const magic_node_place& place,
                                     std::vector<std::unique_ptr<protocol>> protocols)
    : controller_node_module(name, place),
      core_(make_or_report(*this, messages::configuration,
                           [&] {
                             return std::make_unique<magic_node>(config, place.here, place.nodes,
                                                                 port(), pool(),
                                                                 std::move(protocols));
                           })),
      processor_target_(*this) {
  deliver_to(core_->endpoint());
  processor.bind(processor_target_);
}

magic_node_module::~magic_node_module() = default;

void magic_node_module::end_of_elaboration() {
  network_node_module::end_of_elaboration();
  if (processor.get_base_port().size() != 0) {
    processor_target_.serve(*processor.operator->(), again());
  }
}

bool magic_node_module::idle() const {
  return core_->idle() && lanes_idle() && processor_target_.idle();
}

void magic_node_module::reset_statistics() {
  measured_from_ = now();
  core_->reset_statistics();
}

void magic_node_module::report(statistics_group& group) const {
  core_->report(group, now() - measured_from_);
}

}  // namespace tributary
