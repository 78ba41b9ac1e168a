// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/staging_buffers.h>

#include <algorithm>

#include <tributary/sim/error.h>

namespace tributary {

staging_buffers::staging_buffers(std::uint32_t count, std::size_t words)
    : words_(words), count_(count), buffers_(count) {
  for (std::uint32_t i = count; i != 0; --i) free_.push_back(static_cast<std::uint16_t>(i - 1));
}

std::optional<payload_handle> staging_buffers::allocate() {
  if (free_.empty()) return std::nullopt;
  const std::uint16_t place = free_.back();
  free_.pop_back();
  buffer& taken = buffers_[place];
  taken.words.assign(words_, 0);
  taken.bytes = 0;
  taken.holders = 1;
  return payload_handle{place};
}

void staging_buffers::release(payload_handle data) {
  if (--at(data).holders == 0) free_.push_back(static_cast<std::uint16_t>(data));
}

void staging_buffers::check() const {
  std::size_t held = 0;
  bool fits = buffers_.size() == count_;
  for (const buffer& each : buffers_) {
    held += each.holders != 0 ? 1 : 0;
    fits = fits && (each.holders == 0 || each.words.size() == words_);
  }
  fits = fits && free_.size() <= count_ && held == in_use();
  std::vector<bool> seen(count_);
  for (const std::uint16_t place : free_) {
    fits = fits && place < count_ && !seen[place] && buffers_[place].holders == 0;
    if (fits) seen[place] = true;
  }
  if (!fits) {
    throw input_error(
        "checkpoint does not fit this machine: a free staging buffer is held, or "
        "there are other buffers");
  }
}

}  // namespace tributary
