// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/switching/mapped_network.h>

#include <tributary/network/graph/graph_file.h>

namespace tributary {

json_value network_map(const mapped_network& network, bool partial) {
  const network_use use = network.use();
  json_value data = node_link_data(network.graph(), &use);
  json_value& about = *data.find("graph");
  about.set("format", json_value("tributary-network-map 1"));
  about.set("cycles", json_value(use.cycles));
  about.set("partial", json_value(partial));
  return data;
}

}  // namespace tributary
