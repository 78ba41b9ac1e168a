// SPDX-License-Identifier: Apache-2.0
// The events of a machine as text, a line each, to compare traces.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>

#include <tributary/memory/network_event.h>
#include <tributary/sim/observer.h>

namespace tributary::testing {

/// Writes down every event from its making to its end.
class event_text final : public observer<network_event> {
 public:
  explicit event_text(observer_list<network_event>& source) : source_(source) {
    source_.attach(*this);
  }
  ~event_text() override { source_.detach(*this); }
  event_text(const event_text&) = delete;
  event_text& operator=(const event_text&) = delete;

  void on_event(const network_event& e) override {
    lines_ << e.cycle << ' ' << e.stage << ' ' << e.switch_index << ' ' << e.port << ' '
           << name_of(e.kind) << ' ' << e.id.pe << '.' << e.id.sequence << ' ' << e.other.pe << '.'
           << e.other.sequence << ' ' << name_of(e.function) << ' ' << e.address << ' ' << e.value
           << '\n';
  }

  std::string text() const { return lines_.str(); }

 private:
  observer_list<network_event>& source_;
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
