// SPDX-License-Identifier: Apache-2.0
// The events of a machine as text, a line each, to compare traces.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>

#include <tributary/memory/request_events.h>
#include <tributary/sim/observer.h>
#include <tributary/trace/catalog.h>

namespace tributary::testing {

/// Writes down every event from its making to its end.
class event_text final : public observer<trace_event> {
 public:
  explicit event_text(observer_list<trace_event>& source) : source_(source) {
    source_.attach(*this);
  }
  ~event_text() override { source_.detach(*this); }
  event_text(const event_text&) = delete;
  event_text& operator=(const event_text&) = delete;

  void on_event(const trace_event& e) override {
    lines_ << e.cycle << ' ' << e.last << ' ' << static_cast<std::uint32_t>(e.track) << ' '
           << e.kind->name << ' ' << to_string(e.identity) << ' ' << to_string(e.parent) << ' '
           << e.address << ' ' << e.value << ' ' << e.details << '\n';
  }

  std::string text() const { return lines_.str(); }

 private:
  observer_list<trace_event>& source_;
  std::ostringstream lines_;
};

/// The first line in which a trace differs from the one expected, for a message.
inline std::string first_difference(const std::string& expected, const std::string& trace) {
  const auto differ = std::mismatch(expected.begin(), expected.end(), trace.begin(), trace.end());
  const auto at = static_cast<std::size_t>(differ.first - expected.begin());
  const std::size_t line = at == 0 ? 0 : expected.rfind('\n', at - 1) + 1;
  return "expected: " + expected.substr(line, expected.find('\n', line) - line) +
         "\ngot: " + trace.substr(line, trace.find('\n', line) - line);
}

}  // namespace tributary::testing
