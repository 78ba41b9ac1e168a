// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/choice/network_choice.h>

#include <tributary/network/omega/omega_message_network.h>
#include <tributary/network/switching/routed_network.h>

namespace tributary {

std::unique_ptr<message_network> make_message_network(const message_network_config& config,
                                                      std::uint32_t nodes) {
  config.validate(nodes);
  if (config.topology == topology_kind::omega) {
    return std::make_unique<omega_message_network>(config, nodes);
  }
  return std::make_unique<routed_network>(config, nodes);
}

}  // namespace tributary
