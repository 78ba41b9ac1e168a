// SPDX-License-Identifier: Apache-2.0
// Messages that a network of combining switches knows, and how they look to it.
#pragma once

#include <tributary/controller/message.h>
#include <tributary/controller/network_message.h>
#include <tributary/memory/line.h>
#include <tributary/network/port.h>

namespace tributary {

/// What a network of combining switches knows of a message with these words: of
/// `common_type::operation_request` and `operation_answer` all, of others nothing.
network_operation operation_of(const message& sent, const line_data& words);

/// The message that such a network delivers; `delivered.operation` must not be none.
network_message operation_message(const network_transfer& delivered);

}  // namespace tributary
