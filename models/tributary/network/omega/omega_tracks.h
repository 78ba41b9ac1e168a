// SPDX-License-Identifier: Apache-2.0
// The tracks of an omega network and its two ends, for traces.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tributary/memory/request_events.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/event.h>

namespace tributary {

/// Elements, then stage by stage the switches with their outputs (memory side) and inputs
/// (processor side), then memory modules.
class omega_tracks {
 public:
  omega_tracks(unsigned stages, std::size_t lines) : stages_(stages), lines_(lines) {}

  /// Where an event happened: `stage` as in `request_event_sink`; `switch_index`: the element or
  /// module at the ends.
  struct place {
    std::int32_t stage = 0;
    std::uint32_t switch_index = 0;
    bool is_input = false;   ///< processor-side port of a switch
    std::uint32_t port = 0;  ///< 0 at the ends
  };
  place place_of(track_id track) const;

  track_id element(std::size_t pe) const { return static_cast<track_id>(pe); }
  track_id module(std::size_t module) const {
    return static_cast<track_id>(stage_begin(stages_) + module);
  }
  /// Of a memory-side port: 2 * switch + output.
  track_id output(std::size_t stage, std::size_t port) const {
    return static_cast<track_id>(stage_begin(stage) + port / 2 * ports + port % 2);
  }
  /// Of a processor-side line: input * switches + switch.
  track_id input(std::size_t stage, std::size_t line) const {
    const std::size_t switches = lines_ / 2;
    return static_cast<track_id>(stage_begin(stage) + line % switches * ports + 2 +
                                 line / switches);
  }
  /// Of a sink's stage and port.
  track_id at(std::int32_t stage, std::size_t port) const {
    if (stage == processor_side) return element(port);
    const auto number = static_cast<std::size_t>(stage);
    return number == stages_ ? module(port) : output(number, port);
  }

  /// Adds the tracks, with names of forms and where responses go.
  void describe(trace_catalog& catalog) const;

 private:
  static constexpr std::size_t ports = 4;  // of a switch

  std::size_t stage_begin(std::size_t stage) const { return lines_ * (1 + 2 * stage); }
  track_id next_reverse_queue(const trace_event& event) const;

  unsigned stages_;
  std::size_t lines_;
};

}  // namespace tributary
