// SPDX-License-Identifier: Apache-2.0
// A message of MAGIC as what a network carries between sockets.
#pragma once

#include <tributary/controller/network_message.h>
#include <tributary/systemc/carrying_node_module.h>
#include <tributary/systemc/message_extension.h>

namespace tributary {

using network_message_extension = message_extension<network_message>;

/// Base of modules around a node whose controller sends messages.
using controller_node_module = carrying_node_module<message_pool, network_message_extension>;

}  // namespace tributary
