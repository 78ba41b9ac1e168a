// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/magic_node_module.h>

#include <utility>

#include <tributary/systemc/make_or_report.h>
#include <tributary/systemc/messages.h>

namespace tributary {

magic_node_module::magic_node_module(const sc_core::sc_module_name& name,
                                     const magic_node_config& config, const magic_node_place& place,
                                     std::vector<std::unique_ptr<protocol>> protocols)
    : magic_node_edges(name, place), core_(make_or_report(*this, messages::configuration, [&] {
        return std::make_unique<magic_node>(config, place.here, place.nodes, network(), messages(),
                                            std::move(protocols));
      })) {}

}  // namespace tributary
