// SPDX-License-Identifier: Apache-2.0
// The events of a unit or a node that is under test.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/sim/block.h>
#include <tributary/sim/observer.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/recorder.h>

namespace tributary::testing {

/// Lets blocks report to it, and keeps what they report in the order in which it is told.
class unit_trace final : private observer<trace_event> {
 public:
  explicit unit_trace(const std::vector<block*>& blocks) {
    for (block* each : blocks) each->trace({catalog, &recorder_});
    recorder_.reset(catalog.tracks());
    recorder_.observers().attach(*this);
  }
  explicit unit_trace(block& unit) : unit_trace(std::vector<block*>{&unit}) {}

  /// All that was reported so far.
  const std::vector<trace_event>& events() {
    recorder_.tell(0);
    return events_;
  }
  std::string track(const trace_event& event) const { return catalog.name_of(event.track); }

  trace_catalog catalog{"unit", "node"};

 private:
  void on_event(const trace_event& event) override { events_.push_back(event); }

  trace_recorder recorder_;
  std::vector<trace_event> events_;
};

/// The node N of a track "node.N.unit".
inline std::uint32_t node_of(const trace_catalog& catalog, const trace_event& event) {
  const std::string name = catalog.name_of(event.track);
  return static_cast<std::uint32_t>(std::stoul(name.substr(name.find('.') + 1)));
}

/// An event as one line, with the names of track and kind.
inline std::string text_of(const trace_catalog& catalog, const trace_event& event) {
  return std::to_string(event.cycle) + " to " + std::to_string(event.last) + ", " +
         catalog.name_of(event.track) + ", " + event.kind->name + ", " + to_string(event.identity) +
         " of " + to_string(event.parent) + ", address " + std::to_string(event.address) +
         ", value " + std::to_string(event.value) + ", details " + std::to_string(event.details);
}

}  // namespace tributary::testing
