// SPDX-License-Identifier: Apache-2.0
// The readers-writers locks that come with the library, by name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/algorithms/memory_place.h>
#include <tributary/algorithms/readers_writers_lock.h>
#include <tributary/processor/program.h>

namespace tributary {

/// Readers-writers locks that a program can be asked to use.
enum class readers_writers_algorithm : std::uint8_t {
  centralized,
  mcs_fair,
  mcs_reader_preference,
  mcs_writer_preference
};

/// All of them with their names in run files.
std::vector<std::pair<std::string, readers_writers_algorithm>> readers_writers_algorithms();

/// This element's end of a lock at `place`; every element makes the same one.
std::unique_ptr<readers_writers_lock> make_readers_writers_lock(readers_writers_algorithm algorithm,
                                                                program_context& context,
                                                                const memory_place& place);

}  // namespace tributary
