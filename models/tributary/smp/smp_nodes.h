// SPDX-License-Identifier: Apache-2.0
// SMP nodes and their network, whatever engine steps them.
#pragma once

#include <cstddef>
#include <string>

#include <tributary/controller/node_engine.h>
#include <tributary/smp/smp_node.h>

namespace tributary {

/// What every engine of SMP nodes offers.
class smp_nodes : public node_engine {
 public:
  virtual std::size_t size() const = 0;
  virtual smp_node& node(std::size_t i) = 0;
  virtual const smp_node& node(std::size_t i) const = 0;

  /// What processors of all nodes wait for, a line each; empty if none does.
  std::string open_requests() const {
    std::string text;
    for (std::size_t i = 0; i < size(); ++i) text += node(i).role().open_requests();
    return text;
  }

 protected:
  smp_nodes() : node_engine("smp") {}

 private:
  std::size_t node_count() const final { return size(); }
  void trace_nodes(const trace_scope& scope) final {
    for (std::size_t i = 0; i < size(); ++i) node(i).trace(scope);
  }
};

}  // namespace tributary
