// SPDX-License-Identifier: Apache-2.0
// What texts and error messages must say.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>
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

/// Whether a text has all of the parts in it, in this order: keys, numbers and places of a message,
/// whatever its words are.
inline ::testing::AssertionResult names(const std::string& text,
                                        std::initializer_list<std::string_view> parts) {
  std::size_t at = 0;
  for (const std::string_view part : parts) {
    const std::size_t found = text.find(part, at);
    if (found == std::string::npos) {
      return ::testing::AssertionFailure() << '"' << part << "\" is not, or not in its turn, in:\n"
                                           << text;
    }
    at = found + part.size();
  }
  return ::testing::AssertionSuccess();
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
