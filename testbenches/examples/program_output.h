// SPDX-License-Identifier: Apache-2.0
// What a program prints.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

#include <tributary/sim/error.h>

namespace tributary::testing {

/// The standard output of a command, which must end with exit status 0.
inline std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw error("cannot run " + command);
  std::string text;
  std::array<char, 256> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) text += part.data();
  EXPECT_EQ(pclose(pipe), 0) << command << " printed\n" << text;
  return text;
}

}  // namespace tributary::testing
