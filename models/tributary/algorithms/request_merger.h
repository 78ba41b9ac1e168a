// SPDX-License-Identifier: Apache-2.0
// Gets and sends of one parallel statement, put together as they come (Klaiber's MSG_blk).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tributary/algorithms/data_parallel.h>

namespace tributary {

/// Some items of equal size that a node gets or sends, at equal distances on both sides.
struct strided_request {
  bool gets = true;
  node_data there;                ///< the first item, at the other node
  std::uint64_t here = 0;         ///< the first item, in the own data
  std::uint32_t item = 0;         ///< bytes of each: whole words, if there are more than one
  std::uint32_t count = 1;        ///< items
  std::int32_t there_stride = 0;  ///< bytes from one to the next; 0 of a single item
  std::int32_t here_stride = 0;

  std::uint32_t bytes() const { return item * count; }
  /// Whether the items follow each other without a gap on both sides.
  bool in_a_row() const;
};

/// Puts requests together that have the same node, direction and size, and whose places are at a
/// constant stride: "attempts to combine multiple small per-VP requests into one large request,
/// provided the accesses exhibit constant stride" (Klaiber 5.2).
///
/// One request for each node and direction is open. The first two items set the strides, there and
/// here; what does not continue them ends the open request and begins the next one. So requests to
/// several nodes may alternate.
class request_merger {
 public:
  /// `most_bytes`: of a request's items together, the greatest packet.
  explicit request_merger(std::uint32_t most_bytes) : most_bytes_(most_bytes) {}

  /// Whether an item of so many bytes may be one of several.
  bool takes(std::uint32_t bytes) const {
    return bytes % word_bytes == 0 && bytes <= most_bytes_ / 2;
  }
  /// Adds a single item that it takes. Returns the request that this one ended, to be issued now.
  std::optional<strided_request> add(const strided_request& single);
  /// The open requests, in the order in which they were begun; none is open any more.
  std::vector<strided_request> take_all();
  bool empty() const { return open_.empty(); }

 private:
  bool join(strided_request& open, const strided_request& next) const;

  std::uint32_t most_bytes_;
  std::vector<strided_request> open_;
};

}  // namespace tributary
