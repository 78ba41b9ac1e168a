// SPDX-License-Identifier: Apache-2.0
#include "history_recorder.h"

namespace tributary::testing {

std::size_t history_recorder::find(const request_id& id, const char* what) {
  if (id.pe < index_.size() && id.sequence < index_[id.pe].size()) {
    return index_[id.pe][id.sequence];
  }
  if (problem_.empty()) problem_ = to_string(id) + " was " + what + " but never accepted";
  return none;
}

void history_recorder::accepted(const request_id& id, std::uint64_t address,
                                const word_function& function, cycle_t now) {
  if (index_.size() <= id.pe) index_.resize(id.pe + std::size_t{1});
  if (id.sequence != index_[id.pe].size()) {
    if (problem_.empty()) problem_ = to_string(id) + " was accepted out of turn";
    return;
  }
  const std::size_t at = seen_.requests.size();
  index_[id.pe].push_back(at);
  groups_.push_back({none, at});
  observed_request request;
  request.id = id;
  request.address = address;
  request.function = function;
  request.accepted = now;
  seen_.requests.push_back(request);
}

void history_recorder::combined(const request_id& second, const request_id& first) {
  const std::size_t joining = find(second, "combined");
  const std::size_t waiting = find(first, "joined");
  if (joining == none || waiting == none) return;
  ++joined_;
  groups_[groups_[waiting].last].next = joining;
  groups_[waiting].last = groups_[joining].last;
}

void history_recorder::served(const request_id& id) {
  for (std::size_t at = find(id, "served"); at != none; at = groups_[at].next) {
    seen_.order.push_back(seen_.requests[at].id);
  }
}

void history_recorder::delivered(const request_id& id, word_t value, cycle_t now) {
  const std::size_t at = find(id, "delivered");
  if (at == none) return;
  observed_request& request = seen_.requests[at];
  ++request.answers;
  request.delivered = now;
  request.value = value;
}

}  // namespace tributary::testing
