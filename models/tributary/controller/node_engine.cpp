// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/node_engine.h>

namespace tributary {

trace_catalog& node_engine::catalog() {
  if (catalog_.tracks() == 0) {
    catalog_.origins = static_cast<std::uint32_t>(node_count());
    trace_nodes({catalog_, nullptr});
  }
  return catalog_;
}

void node_engine::observe() {
  const bool wanted = recorder_.observed();
  if (wanted == observed_) return;
  observed_ = wanted;
  recorder_.reset(catalog().tracks());
  // Tracks come in the same order as in the catalog that sinks know.
  trace_catalog same(catalog_.machine(), catalog_.origin());
  trace_nodes({same, wanted ? &recorder_ : nullptr});
}

trace_start node_engine::held() {
  trace_start start;
  start.now = now();
  trace_catalog same(catalog_.machine(), catalog_.origin());
  trace_nodes({same, observed_ ? &recorder_ : nullptr, &start});
  return start;
}

}  // namespace tributary
