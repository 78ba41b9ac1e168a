// SPDX-License-Identifier: Apache-2.0
// What files say about the details of events, made once for many events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tributary/trace/event.h>

namespace tributary {

/// Details are few among many events: each place keeps the last text that it was asked for.
/// `Make`: a function of an event that returns the text of its details.
template <class Make>
class detail_cache {
 public:
  explicit detail_cache(Make make) : make_(std::move(make)), known_(places) {}

  const std::string& of(const trace_event& event) {
    constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
    const auto kind = reinterpret_cast<std::uintptr_t>(event.kind);
    known& place = known_[((event.details ^ kind) * spread) >> (64 - place_bits)];
    if (place.kind == event.kind && place.details == event.details) return place.text;
    place.kind = event.kind;
    place.details = event.details;
    place.text = make_(event);
    return place.text;
  }

 private:
  struct known {
    const event_kind* kind = nullptr;
    std::uint64_t details = 0;
    std::string text;
  };
  static constexpr unsigned place_bits = 10;
  static constexpr std::size_t places = std::size_t{1} << place_bits;

  Make make_;
  std::vector<known> known_;
};

}  // namespace tributary
