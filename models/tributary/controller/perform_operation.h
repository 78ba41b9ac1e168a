// SPDX-License-Identifier: Apache-2.0
// How a controller performs what a handler asks for.
#pragma once

#include <optional>
#include <type_traits>

#include <tributary/controller/handler_request.h>

namespace tributary {

/// Whether an operation takes no time and never waits.
constexpr bool is_prompt(handler_operation operation) {
  switch (operation) {
#define TRIBUTARY_HANDLER_OPERATION(name, promptly, result, parameters, asks, gives, meaning) \
  case handler_operation::name:                                                               \
    return promptly;
#include <tributary/controller/operations.def>
    case handler_operation::finish:
      break;
  }
  return false;
}

/// Calls the member of `controller` that has the operation's name, with the request and the cycle.
/// Such a member returns nothing, a word, a payload, or an answer; no answer makes the handler
/// wait.
template <class Controller>
std::optional<handler_answer> perform_operation(Controller& controller,
                                                const handler_request& request, cycle_t now) {
  const auto answer_of = [now](auto&& perform) -> std::optional<handler_answer> {
    using found = decltype(perform());
    if constexpr (std::is_void_v<found>) {
      perform();
      return handler_answer{now, 0, no_payload};
    } else if constexpr (std::is_same_v<found, payload_handle>) {
      return handler_answer{now, 0, perform()};
    } else if constexpr (std::is_same_v<found, std::optional<handler_answer>>) {
      return perform();
    } else {
      return handler_answer{now, perform(), no_payload};
    }
  };
  switch (request.operation) {
#define TRIBUTARY_HANDLER_OPERATION(name, promptly, result, parameters, asks, gives, meaning) \
  case handler_operation::name:                                                               \
    return answer_of([&] { return controller.name(request, now); });
#include <tributary/controller/operations.def>
    case handler_operation::finish:
      break;
  }
  return handler_answer{now, 0, no_payload};
}

}  // namespace tributary
