// SPDX-License-Identifier: Apache-2.0
// What an action was refused with.
#pragma once

#include <string>

#include <tributary/sim/error.h>

namespace tributary::testing {

/// The message of the error that the action throws; empty if it throws none of that class.
template <class Error = error, class Action>
std::string failure(Action&& action) {
  try {
    action();
  } catch (const Error& problem) {
    return problem.what();
  }
  return "";
}

}  // namespace tributary::testing
