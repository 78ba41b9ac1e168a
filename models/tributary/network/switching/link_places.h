// SPDX-License-Identifier: Apache-2.0
// The buffers behind the links of a network, by places and by bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/sim/cycle.h>
#include <tributary/sim/state.h>

namespace tributary {

/// The places of the receivers behind all links of a network. A place holds a message from when it
/// is taken until it is freed, and the bytes of the messages in the places of one lane behind one
/// link do not exceed the link's limit.
class link_places {
 public:
  /// The places behind one link, which are the same for each lane.
  struct extent {
    std::size_t first = 0;
    std::uint32_t places = 0;
    std::uint64_t limit = 0;  ///< bytes of a lane; 0: only places count
  };

  /// Makes places for each of `lanes` lanes, all empty.
  extent add(std::uint32_t lanes, std::uint32_t places, std::uint64_t limit);

  /// Whether a message of `bytes`, header included, has room in cycle `now`.
  bool fits(const extent& behind, std::uint8_t lane, std::uint64_t bytes, cycle_t now) const;
  /// The first cycle in which it has, as far as is known; some cycle that has passed if there is
  /// room now, `never` if that is not known.
  cycle_t fits_at(const extent& behind, std::uint8_t lane, std::uint64_t bytes) const;
  /// The first cycle after `now` in which a place is known to become empty, or `never`.
  cycle_t next_empty(const extent& behind, std::uint8_t lane, cycle_t now) const;

  /// Takes a place if the message fits; whether it did.
  bool take(const extent& behind, std::uint8_t lane, std::uint64_t bytes, cycle_t now);
  /// A place that a message of `bytes` took is empty from cycle `at` on.
  void free(const extent& behind, std::uint8_t lane, std::uint64_t bytes, cycle_t at);

  /// Places of all links and lanes.
  std::size_t size() const { return from_.size(); }
  /// Whether the parts of a restored state fit each other.
  bool consistent() const { return bytes_.size() == from_.size(); }

  TRIBUTARY_STATE(from_, bytes_);

 private:
  static std::size_t begin(const extent& behind, std::uint8_t lane) {
    return behind.first + std::size_t{lane} * behind.places;
  }

  std::vector<cycle_t> from_;         ///< from when each is empty, `never` while it is taken
  std::vector<std::uint32_t> bytes_;  ///< of the message that has or had it
};

}  // namespace tributary
