// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/omega/wait_buffer.h>

#include <algorithm>

namespace tributary {

std::vector<partner> wait_buffer::contents(std::size_t buffer, const partner_pool& pool) const {
  std::vector<partner> found;
  found.reserve(size(buffer));
  for (partner_index at = lists_[buffer].oldest; at != no_partner; at = pool.next(at)) {
    found.push_back(pool[at]);
  }
  return found;
}

void wait_buffer::check_partners(const partner_pool& pool) const {
  for (const list& each : lists_) {
    partner_index last = no_partner;
    partner_index at = each.oldest;
    std::uint32_t found = 0;
    for (; at != no_partner && pool.knows(at) && found < each.size; ++found) {
      last = at;
      at = pool.next(at);
    }
    require_within(each.size <= entries_ && found == each.size && at == no_partner &&
                   (found == 0 || last == each.newest));
  }
}

bool wait_buffer::equals(const partner_pool& pool, const wait_buffer& other,
                         const partner_pool& other_pool) const {
  const auto by_first = [](const partner& x, const partner& y) { return x.first < y.first; };
  if (count() != other.count()) return false;
  for (std::size_t buffer = 0; buffer < count(); ++buffer) {
    std::vector<partner> mine = contents(buffer, pool);
    std::vector<partner> theirs = other.contents(buffer, other_pool);
    std::sort(mine.begin(), mine.end(), by_first);
    std::sort(theirs.begin(), theirs.end(), by_first);
    if (mine != theirs) return false;
  }
  return true;
}

}  // namespace tributary
