// SPDX-License-Identifier: Apache-2.0
// Atomics on 4 bytes, where memory has them on 8 only.
#pragma once

#include <cstdint>
#include <optional>

#include "memory_port.h"

namespace riscv {

/// Performs `access` on the 4 bytes at `address` with loads and atomics on their doubleword; the
/// operands are words. Returns the word as it was, or nothing where there is no memory.
///
/// AND, OR and XOR are one atomic each, as is an addition to the upper word, whose carry leaves the
/// doubleword; these combine. All others take a load and as many compare-and-swaps as it needs
/// until no other came between.
std::optional<std::uint32_t> perform_on_word(memory_port& memory, std::uint64_t address,
                                             const atomic& access);

}  // namespace riscv
