// SPDX-License-Identifier: Apache-2.0
// Readers and writers of one lock: the program of FG 4.2.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/readers_writers_lock.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/program.h>

namespace tributary {

class parameter_set;

/// Who writes (FG 4.3).
enum class readers_writers_roles : std::uint8_t {
  drawn,       ///< each time anew, with a probability that gives the expected number of writers
  all_writers  ///< every element every time
};

/// Configuration of the readers and writers.
struct readers_writers_config {
  readers_writers_algorithm lock = readers_writers_algorithm::centralized;
  readers_writers_roles roles = readers_writers_roles::drawn;
  /// FG's E_W: an element is a writer with the probability `expected_writers` / elements.
  double expected_writers = 0;
  /// Shared references of an element while it holds the lock.
  std::uint64_t work = 10;
  /// Cycles after the release.
  std::uint64_t delay = 100;

  void bind(parameter_set& parameters);
};

/// Each element draws whether it reads or writes, acquires the lock, performs the work, releases
/// the lock and waits, again and again without an end. A number is drawn whatever the roles are.
/// The mark `grant` counts grants, `reader_grant` and `writer_grant` those of a kind, `rotation`
/// those of element 0; the interval `acquire` lasts from the call to the grant, `held` from the
/// grant to the release being called. Throws `configuration_error` for more expected writers than
/// `elements`.
std::unique_ptr<program> make_readers_writers_program(const readers_writers_config& config,
                                                      std::uint32_t elements);

}  // namespace tributary
