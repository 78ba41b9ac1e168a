// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/request_merger.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <tributary/nic/interface_registers.h>

namespace tributary {
namespace {

/// Whether items that far apart do not overlap, and a header can say how far.
bool is_stride(std::int64_t distance, std::uint32_t item) {
  constexpr std::int64_t most =
      std::int64_t{interface_registers::stride_fields::most_words} * word_bytes;
  return std::abs(distance) >= item && std::abs(distance) <= most;
}

std::int64_t distance(std::uint64_t from, std::uint64_t to) {
  return static_cast<std::int64_t>(to - from);
}

std::uint64_t last_of(std::uint64_t first, std::uint32_t count, std::int32_t stride) {
  return first + static_cast<std::uint64_t>(std::int64_t{stride}) * (count - 1);
}

}  // namespace

bool strided_request::in_a_row() const {
  const auto whole = static_cast<std::int64_t>(item);
  return count == 1 || (there_stride == whole && here_stride == whole);
}

/// Whether `next` continues an open request; then it is part of it.
bool request_merger::join(strided_request& open, const strided_request& next) const {
  if (open.item != next.item || open.bytes() + next.item > most_bytes_) return false;
  const std::int64_t there =
      distance(last_of(open.there.offset, open.count, open.there_stride), next.there.offset);
  const std::int64_t here = distance(last_of(open.here, open.count, open.here_stride), next.here);
  if (open.count > 1) {
    if (there != open.there_stride || here != open.here_stride) return false;
  } else {
    if (!is_stride(there, open.item) || !is_stride(here, open.item)) return false;
    open.there_stride = static_cast<std::int32_t>(there);
    open.here_stride = static_cast<std::int32_t>(here);
  }
  ++open.count;
  return true;
}

std::optional<strided_request> request_merger::add(const strided_request& single) {
  const auto open = std::find_if(open_.begin(), open_.end(), [&](const strided_request& each) {
    return each.there.node == single.there.node && each.gets == single.gets;
  });
  if (open == open_.end()) {
    open_.push_back(single);
    return std::nullopt;
  }
  if (join(*open, single)) return std::nullopt;
  return std::exchange(*open, single);
}

std::vector<strided_request> request_merger::take_all() { return std::exchange(open_, {}); }

}  // namespace tributary
