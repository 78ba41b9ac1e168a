// SPDX-License-Identifier: Apache-2.0
#include <tributary/magic/magic_nodes.h>

namespace tributary {

trace_catalog& magic_nodes::catalog() {
  if (catalog_.tracks() == 0) {
    catalog_.origins = static_cast<std::uint32_t>(size());
    trace_nodes({catalog_, nullptr});
  }
  return catalog_;
}

void magic_nodes::trace_nodes(const trace_scope& scope) {
  for (std::size_t i = 0; i < size(); ++i) node(i).trace(scope);
}

void magic_nodes::observe() {
  const bool wanted = recorder_.observed();
  if (wanted == observed_) return;
  observed_ = wanted;
  recorder_.reset(catalog().tracks());
  // Tracks come in the same order as in the catalog that sinks know.
  trace_catalog same(catalog_.machine(), catalog_.origin());
  trace_nodes({same, wanted ? &recorder_ : nullptr});
}

trace_start magic_nodes::held() {
  trace_start start;
  start.now = now();
  trace_catalog same(catalog_.machine(), catalog_.origin());
  trace_nodes({same, observed_ ? &recorder_ : nullptr, &start});
  return start;
}

}  // namespace tributary
