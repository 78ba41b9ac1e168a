// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/handler_context.h>

namespace tributary {

namespace {

std::optional<payload_handle> payload_or_nothing(payload_handle found) {
  if (found == no_payload) return std::nullopt;
  return found;
}

}  // namespace

#define TRIBUTARY_HANDLER_OPERATION(name, promptly, result, parameters, asks, gives, meaning) \
  result handler_context::name parameters {                                                   \
    handler_request asked;                                                                    \
    asked.operation = handler_operation::name;                                                \
    asks;                                                                                     \
    asked.spent = spent_;                                                                     \
    [[maybe_unused]] const handler_answer found = ask(asked);                                 \
    return gives;                                                                             \
  }
#include <tributary/controller/operations.def>

}  // namespace tributary
