// SPDX-License-Identifier: Apache-2.0
// The base of modules around a node whose controller sends messages.
#pragma once

#include <tributary/controller/network_message.h>
#include <tributary/systemc/carrying_node_module.h>
#include <tributary/systemc/network_message_extension.h>

namespace tributary {

/// Holds the messages of its node, going out and come in.
using controller_node_module = carrying_node_module<message_pool, network_message_extension>;

}  // namespace tributary
