// SPDX-License-Identifier: Apache-2.0
// Configuration of the caches of a processor.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/memory/line.h>

namespace tributary {

class parameter_set;

/// Which line of a full set leaves for another.
enum class replacement_policy : std::uint8_t {
  least_recent,  ///< the one that was used least recently
  first_in,      ///< the one that has been there longest
  random         ///< any, each as likely as the others
};

/// What a cache may have of a line (cache/mesi.h).
enum class cache_states : std::uint8_t {
  mesi,  ///< its home takes an exclusive line for changed
  moesi  ///< the owner of a changed line supplies it and keeps it
};

/// One level of a processor's caches.
struct cache_level_config {
  std::uint64_t bytes = std::uint64_t{1} << 20;
  std::uint32_t ways = 2;
  std::uint32_t line_bytes = 128;
  std::uint32_t hit_cycles = 50;
  replacement_policy replacement = replacement_policy::least_recent;

  line_size line() const { return line_size(line_bytes); }

  void bind(parameter_set& parameters);
};

/// A processor's caches. All times are cycles of the processor's clock; the defaults are those of
/// FLASH 5.4.1.
struct cache_config {
  cache_config();

  /// From the processor outward; the last one is asked by interventions.
  std::vector<cache_level_config> levels;
  std::uint32_t outstanding = 4;
  std::uint32_t accesses = 16;
  std::uint32_t miss_cycles = 20;
  std::uint32_t retry_cycles = 40;
  bool prefetches_wait = true;
  bool replacement_hints = true;
  /// What is below the caches decides it, so `bind` leaves it out; a platform whose lines are kept
  /// coherent by either may bind it with `bind_states`.
  cache_states states = cache_states::mesi;

  /// The level that is asked by interventions: its lines are those of the machine.
  const cache_level_config& last() const { return levels.back(); }

  void bind(parameter_set& parameters);
  void bind_states(parameter_set& parameters);
  /// Throws `configuration_error` for levels that do not nest and for values out of range.
  void validate() const;
};

}  // namespace tributary
