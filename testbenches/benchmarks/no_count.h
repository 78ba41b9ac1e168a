// SPDX-License-Identifier: Apache-2.0
// What stands in place of a number that is counted, where nothing is.
#pragma once

#include <cstdint>

/// Takes whatever a std::uint64_t takes, and is 0.
struct no_count {
  no_count& operator=(std::uint64_t) { return *this; }
  no_count& operator+=(std::uint64_t) { return *this; }
  no_count& operator++() { return *this; }
  operator std::uint64_t() const { return 0; }

  template <class Archive>
  void serialize(Archive&) {}
};
