// SPDX-License-Identifier: Apache-2.0
#include "program_page.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <tributary/sim/observer.h>
#include <ultracomputer/ultracomputer.h>

#include "reference_tables.h"

namespace tributary::documentation {
namespace {

/// Lines that happen in cycles; in one cycle in the order in which they were told.
class diary final : public observer<trace_event> {
 public:
  void tell(cycle_t cycle, const std::string& what) { lines_.emplace_back(cycle, what); }

  void on_event(const trace_event& event) override {
    const bool shown = event.kind == &request_events::accepted ||
                       event.kind == &request_events::served ||
                       event.kind == &request_events::delivered;
    if (!shown || event.identity.origin() != 0) return;
    tell(event.cycle, "  request " + std::to_string(event.identity.sequence()) + " " +
                          std::string(event.kind->name));
  }

  std::string text() {
    std::stable_sort(lines_.begin(), lines_.end(),
                     [](const auto& x, const auto& y) { return x.first < y.first; });
    std::string table = "```text\ncycle  what\n";
    for (const auto& [cycle, what] : lines_) {
      std::string number = std::to_string(cycle);
      number.resize(7, ' ');
      table += number + what + "\n";
    }
    return table + "```\n";
  }

 private:
  std::vector<std::pair<cycle_t, std::string>> lines_;
};

ultracomputer_config two_elements() {
  ultracomputer_config config;
  config.network.processing_elements = 2;
  config.processor.start_window = 1;
  return config;
}

/// Stands for what a program calls its marks; no statistic has it in its own name.
constexpr const char* any_name = "any_name";

}  // namespace

std::string program_timeline() {
  diary told;
  const auto example = [&told](program_context& pe) {
    if (pe.rank() != 0) return;
    told.tell(pe.now(), "load(x) issues request 0");
    pe.load(pe.shared_address(0));
    told.tell(pe.now(), "load(x) returns; issue(y) issues request 1; delay(6) begins");
    const pending later = pe.issue(operation::load, pe.shared_address(1));
    pe.delay(6);
    told.tell(pe.now(), "delay(6) returns; wait(y) begins");
    pe.wait(later);
    told.tell(pe.now(), "wait(y) returns; post(z) issues request 2; fence() begins");
    pe.post(operation::store, pe.shared_address(0), 1);
    pe.fence();
    told.tell(pe.now(), "fence() returns");
  };
  ultracomputer machine(two_elements(), 1, make_program(example));
  machine.observers().attach(told);
  while (!machine.finished()) machine.step();
  machine.observers().detach(told);
  return told.text();
}

std::string program_statistics_table() {
  ultracomputer machine(two_elements(), 1, make_program([](program_context& pe) {
                          pe.mark(any_name);
                          pe.sample(any_name, 1);
                          pe.begin(any_name);
                          pe.end(any_name);
                        }));
  machine.step(10);
  std::string table = statistics_table(machine.statistics(), "workload.");
  const std::string name = any_name;
  for (std::size_t at = 0; (at = table.find(name, at)) != std::string::npos;) {
    table.replace(at, name.size(), "NAME");
  }
  return table;
}

}  // namespace tributary::documentation
