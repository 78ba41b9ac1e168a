// SPDX-License-Identifier: Apache-2.0
// What random numbers are drawn for.
#pragma once

#include <cstdint>

namespace tributary {

/// What an element draws random numbers for; each purpose has a stream of its own, so that a new
/// use never changes the draws of another.
enum class purpose : std::uint32_t {
  start = 1,    ///< first cycle of a processing element
  traffic = 2,  ///< address and operation of a request
  arrival = 3,  ///< open loop: whether a request is generated in a cycle
  program = 4   ///< what a program asks for
};

}  // namespace tributary
