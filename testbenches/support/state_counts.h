// SPDX-License-Identifier: Apache-2.0
// Numbers of states that were found, and pages that say them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include <documentation/page_sections.h>

#include "text_checks.h"

namespace tributary::testing {

/// As pages give a number: "1,008".
inline std::string grouped(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

/// Numbers of states of several machines.
class state_range {
 public:
  void add(std::size_t states) {
    least_ = least_ == 0 ? states : std::min(least_, states);
    most_ = std::max(most_, states);
  }
  /// "1,008 to 2,237".
  std::string text() const { return grouped(least_) + " to " + grouped(most_); }

 private:
  std::size_t least_ = 0;
  std::size_t most_ = 0;
};

/// Whether a page below docs/models says so.
inline void expect_on_page(const std::string& name, const std::string& statement) {
  const std::string path = std::string(TRIBUTARY_SOURCE_DIR) + "/docs/models/" + name;
  EXPECT_TRUE(contains(documentation::read_page(path), statement)) << path << ": " << statement;
}

}  // namespace tributary::testing
