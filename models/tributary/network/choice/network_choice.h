// SPDX-License-Identifier: Apache-2.0
// The network that a configuration names.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/network/message_network.h>

namespace tributary {

/// By `config.topology`. Throws what `message_network_config::validate` throws.
std::unique_ptr<message_network> make_message_network(const message_network_config& config,
                                                      std::uint32_t nodes);

/// Cycles from sending a message with so many bytes of payload to its first word at the nearest
/// other node, if nothing is in the way. Throws what `message_network_config::validate` throws.
cycle_t least_latency(const message_network_config& config, std::uint32_t nodes,
                      std::uint32_t bytes);

}  // namespace tributary
