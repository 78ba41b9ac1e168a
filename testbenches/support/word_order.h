// SPDX-License-Identifier: Apache-2.0
// In which order a machine performed the operations on one word.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/memory/request_events.h>
#include <tributary/sim/observer.h>
#include <ultracomputer/ultracomputer.h>

#include "history_recorder.h"

namespace tributary::testing {

/// Watches a machine, whatever it runs, and tells who performed operations of a form on a word in
/// the order of memory, combined ones at their places.
class word_order final : public observer<trace_event> {
 public:
  explicit word_order(ultracomputer& machine) : machine_(machine) {
    machine_.observers().attach(*this);
  }
  ~word_order() override { machine_.observers().detach(*this); }

  std::vector<std::uint32_t> elements(std::uint64_t address, form function) const {
    std::vector<std::uint32_t> found;
    for (const request_id& id : recorder_.seen().order) {
      const asked& request = asked_[id.pe][id.sequence];
      if (request.address == address && request.function == function) found.push_back(id.pe);
    }
    return found;
  }

  void on_event(const trace_event& event) override {
    const request_id id = request_of(event.identity);
    if (event.kind == &request_events::accepted) {
      const form function = request_events::form_of(event);
      if (asked_.size() <= id.pe) asked_.resize(id.pe + std::size_t{1});
      asked_[id.pe].push_back({event.address, function});
      recorder_.accepted(id, event.address, {function, event.value, 0}, event.cycle);
    } else if (event.kind->joins) {
      recorder_.combined(id, request_of(event.parent));
    } else if (event.kind == &request_events::served) {
      recorder_.served(id);
    }
  }

 private:
  struct asked {
    std::uint64_t address;
    form function;
  };

  ultracomputer& machine_;
  history_recorder recorder_;
  std::vector<std::vector<asked>> asked_;  // by element and sequence number
};

}  // namespace tributary::testing
