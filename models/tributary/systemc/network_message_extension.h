// SPDX-License-Identifier: Apache-2.0
// A message of MAGIC as what a network carries between sockets.
#pragma once

#include <tributary/controller/network_message.h>
#include <tributary/systemc/message_extension.h>

namespace tributary {

/// Goes with each such message.
using network_message_extension = message_extension<network_message>;

}  // namespace tributary
