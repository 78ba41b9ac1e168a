// SPDX-License-Identifier: Apache-2.0
// Random switches and requests for tests of blocks.
#pragma once

#include <cstdint>
#include <string>

#include <tributary/network/omega/switch_column.h>
#include <tributary/sim/random_stream.h>

namespace tributary::testing {

/// A switch drawn over every axis that validation accepts, extremes often.
combining_switch_config random_switch(random_stream& random);

/// The configuration as one line, for messages.
std::string to_string(const combining_switch_config& config);

/// A request of a random operation to one of few words in one of `modules` modules; its identity
/// is left to the caller. Operands are small enough that a compare-and-swap can succeed.
packet random_request(random_stream& random, std::uint32_t modules);

}  // namespace tributary::testing
