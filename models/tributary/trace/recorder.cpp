// SPDX-License-Identifier: Apache-2.0
#include <tributary/trace/recorder.h>

#include <utility>

#include <tributary/sim/for_each_set.h>

namespace tributary {

void trace_recorder::reset(std::size_t tracks) {
  entries_.clear();
  first_.assign(tracks, none);
  has_events_.assign(tracks, 0);
}

void trace_recorder::tell() {
  if (entries_.empty()) return;
  for_each_set(has_events_, 1, [&](std::size_t track) {
    has_events_[track] = 0;
    std::uint32_t at = std::exchange(first_[track], none);
    for (; at != none; at = entries_[at].next) observers_.notify(entries_[at].event);
  });
  entries_.clear();
}

/// Puts the last entry into its track's list, behind those that come before it.
void trace_recorder::link(std::size_t track) {
  entry& added = entries_.back();
  std::uint32_t* at = &first_[track];
  while (*at != none && !comes_before(added.event, entries_[*at].event)) at = &entries_[*at].next;
  added.next = *at;
  *at = static_cast<std::uint32_t>(entries_.size() - 1);
  has_events_[track] = 1;
}

}  // namespace tributary
