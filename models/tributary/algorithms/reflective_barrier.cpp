// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/reflective_barrier.h>

#include <algorithm>

#include <tributary/algorithms/radix_broadcast.h>
#include <tributary/nic/reflective_ring.h>

namespace tributary {

std::uint32_t reflective_barrier::levels(std::uint32_t nodes, std::uint32_t radix) {
  std::uint32_t count = 0;
  for (std::uint64_t met = 1; met < nodes; met *= radix) ++count;
  return count;
}

reflective_barrier::reflective_barrier(program_context& context, std::uint64_t first,
                                       std::uint32_t radix)
    : context_(context),
      first_(first),
      radix_((check_reflective_radix(radix), radix)),
      levels_(levels(context.size(), radix)) {}

void reflective_barrier::cross() {
  ++crossing_;
  level_ = (crossing_ - 1) * levels_;
  const std::uint64_t completion = reflected_address(first_ + context_.size());
  std::uint64_t apart = 1;
  for (std::uint32_t level = 0; level < levels_; ++level, apart *= radix_) {
    ++level_;
    if (meet(apart)) continue;
    context_.spin(completion, [this](word_t flag) { return flag == crossing_; });
    return;
  }
  context_.store(completion, crossing_);
}

bool reflective_barrier::meet(std::uint64_t apart) {
  const std::uint64_t own = context_.rank();
  const std::uint64_t begin = own - own % (apart * radix_);
  const std::uint64_t end = std::min<std::uint64_t>(begin + apart * radix_, context_.size());
  const std::uint64_t members = (end - begin - 1) / apart + 1;
  if (members > 1) context_.store(reflected_address(first_ + own), level_);
  for (std::uint64_t i = 1; i < members; ++i) {
    const std::uint64_t other = begin + ((own - begin) / apart + i) % members * apart;
    // It may be further already, by less than half of the numbers.
    context_.spin(reflected_address(first_ + other), [this](word_t flag) {
      return static_cast<std::uint32_t>(flag) - level_ < std::uint32_t{1} << 31;
    });
  }
  return own == begin;
}

}  // namespace tributary
