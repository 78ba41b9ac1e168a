// SPDX-License-Identifier: Apache-2.0
// Where the blocks of a machine report what happens in them.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tributary/memory/network_event.h>

namespace tributary {

/// Told of events by the block in which they happen. `stage` and `port` as in `network_event`, with
/// ports counted over the stage: memory-side port 2 * switch + output, element or module at the
/// ends. `other`: as in `network_event`.
class network_event_sink {
 public:
  static constexpr bool enabled = true;

  network_event_sink() = default;
  network_event_sink(const network_event_sink&) = delete;
  network_event_sink& operator=(const network_event_sink&) = delete;
  virtual ~network_event_sink() = default;

  virtual void request(event_kind kind, std::int32_t stage, std::size_t port, const packet& what,
                       const request_id& other) = 0;
  virtual void response(event_kind kind, std::int32_t stage, std::size_t port, const reply& what,
                        const request_id& other) = 0;
  /// A reply leaves by processor-side line `line` of the stage: input * switches + switch.
  virtual void reply_departed(std::int32_t stage, std::size_t line, const reply& what) = 0;
};

/// Sees nothing, at no cost.
struct no_events {
  static constexpr bool enabled = false;
  void request(event_kind, std::int32_t, std::size_t, const packet&, const request_id&) const {}
  void response(event_kind, std::int32_t, std::size_t, const reply&, const request_id&) const {}
  void reply_departed(std::int32_t, std::size_t, const reply&) const {}
};

}  // namespace tributary
