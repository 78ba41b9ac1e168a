// SPDX-License-Identifier: Apache-2.0
// How full a switch is, by what passes its ports and by its events.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <tributary/network/omega/switch_column.h>
#include <tributary/network/omega/switch_implementation.h>

namespace tributary {

/// Counts the entries of a switch that is implemented elsewhere.
class switch_levels {
 public:
  switch_levels(const combining_switch_config& config, unsigned route_bit)
      : dual_input_(config.type == queue_type::a), route_bit_(route_bit) {}

  /// One cycle. A request leaves the queue by which it came, and a partner is counted before a
  /// response takes one away, as in the core.
  void note(const switch_traffic& leaving, const switch_traffic& arriving,
            const switch_activity& activity) {
    wait_buffer_peak_ = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      if (leaving.requests[i]) --queue_of(i, *leaving.requests[i]);
      if (activity.held[i]) wait_buffer_peak_ = std::max(wait_buffer_peak_, ++held_[i]);
      if (const auto& request = arriving.requests[i]) ++queue_of(output_of(*request), *request);
      if (activity.decombined[i]) --held_[i];
    }
    for (const switch_joining& each : activity.combined) --queue_of(each.output, each.request);
  }

  /// Entries in the fuller wait buffer of those that took one in this cycle; 0 if none did.
  std::uint64_t wait_buffer_peak() const { return wait_buffer_peak_; }
  std::uint64_t fullest_queue() const {
    return std::max({queued_[0][0], queued_[0][1], queued_[1][0], queued_[1][1]});
  }
  std::uint64_t fullest_wait_buffer() const { return std::max(held_[0], held_[1]); }

 private:
  std::size_t output_of(const packet& request) const {
    return (index(request.module()) >> route_bit_) & 1U;
  }
  std::uint64_t& queue_of(std::size_t output, const packet& request) {
    return queued_[output][dual_input_ ? 0 : (request.pe >> route_bit_) & 1U];
  }

  bool dual_input_;
  unsigned route_bit_;
  std::array<std::array<std::uint64_t, 2>, 2> queued_{};  // by output and queue
  std::array<std::uint64_t, 2> held_{};                   // by output
  std::uint64_t wait_buffer_peak_ = 0;
};

}  // namespace tributary
