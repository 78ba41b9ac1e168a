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

}  // namespace tributary
