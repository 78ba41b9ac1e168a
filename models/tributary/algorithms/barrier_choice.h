// SPDX-License-Identifier: Apache-2.0
// The barriers that come with the library, by name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/algorithms/barrier.h>
#include <tributary/algorithms/memory_place.h>
#include <tributary/processor/program.h>

namespace tributary {

/// Barriers that a program can be asked to use.
enum class barrier_algorithm : std::uint8_t { centralized, dissemination, tournament, mcs_tree };

/// All of them with their names in run files.
std::vector<std::pair<std::string, barrier_algorithm>> barrier_algorithms();

/// This element's end of a barrier at `place`; every element makes the same one.
std::unique_ptr<barrier> make_barrier(barrier_algorithm algorithm, program_context& context,
                                      const memory_place& place);

}  // namespace tributary
