// SPDX-License-Identifier: Apache-2.0
// Files that show the events of nodes with a programmable controller.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <tributary/magic/node_event.h>
#include <tributary/sim/observer.h>

#include "event_filter.h"

namespace tributary {

/// What the sinks need to know of a machine.
struct node_trace_shape {
  std::uint32_t nodes = 0;
  /// The name of a node's handler, "block_transfer.setup".
  std::function<std::string(node_id, handler_id)> name_of_handler;
};

/// Which events of nodes are shown.
class node_filter {
 public:
  /// Throws `configuration_error` that names the option, also for places that nodes have not.
  node_filter(const event_filter_options& options, std::uint32_t nodes);

  /// Whether any cycle of the event is in the window, and its node is shown.
  bool admits(const node_event& event) const {
    return event.cycle <= window_.last && event.last >= window_.first && admits_node(event.node);
  }
  bool admits_node(node_id node) const { return nodes_.contains(index(node)); }

 private:
  cycle_window window_;
  number_set nodes_;
};

/// An observer that writes a file; what is said of `event_sink` holds here too.
class node_sink : public observer<node_event> {
 public:
  virtual void finish(bool partial) = 0;
};

/// One line an event, in the order in which events become known: what lasts is told when it has
/// ended, what is decided in advance when it is decided.
std::unique_ptr<node_sink> open_node_log(const std::string& path, const node_filter& filter,
                                         const node_trace_shape& shape);
/// Perfetto and Chrome trace: a track a node, with rows for its units, and arrows along messages
/// from the handler that sends to the handler that is run by them.
std::unique_ptr<node_sink> open_node_perfetto(const std::string& path, const node_filter& filter,
                                              const node_trace_shape& shape);

}  // namespace tributary
