// SPDX-License-Identifier: Apache-2.0
// What texts and error messages must say.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>
#include <utility>

namespace tributary::testing {

/// Whether a text has `part` in it, or begins with it; a failure shows the text.
inline ::testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << '"' << part << "\" is not in:\n" << text;
}
inline ::testing::AssertionResult begins_with(const std::string& text, const std::string& part) {
  if (text.compare(0, part.size(), part) == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << '"' << part << "\" does not begin:\n" << text;
}

/// What the exception says that `act` throws, nothing if it throws none. An exception of another
/// type passes through.
template <class Exception = std::exception, class Act>
std::string message_of(Act&& act) {
  try {
    std::forward<Act>(act)();
  } catch (const Exception& thrown) {
    return thrown.what();
  }
  return "";
}

}  // namespace tributary::testing
