// SPDX-License-Identifier: Apache-2.0
#include "node_sinks.h"

#include <tributary/sim/error.h>

namespace tributary {
namespace {

void refuse(const std::string& option, const std::string& text) {
  if (text.empty()) return;
  throw configuration_error({option, "",
                             "this machine is one of nodes, without stages and switches",
                             "--window, --nodes", "choose events by these"});
}

}  // namespace

node_filter::node_filter(const event_filter_options& options, std::uint32_t nodes) {
  refuse("--stages", options.stages);
  refuse("--switches", options.switches);
  refuse("--pes", options.pes);
  nodes_ = read_numbers("--nodes", options.nodes, nodes - 1);
  window_ = read_window(options.window);
}

}  // namespace tributary
