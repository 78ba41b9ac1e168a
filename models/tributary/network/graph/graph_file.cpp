// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/graph/graph_file.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tributary/sim/error.h>
#include <tributary/sim/text_file.h>

namespace tributary {
namespace {

bool ends_in(const std::string& path, std::string_view ending) {
  return path.size() >= ending.size() &&
         path.compare(path.size() - ending.size(), ending.size(), ending) == 0;
}

/// Reads node-link data.
class node_link_reader {
 public:
  explicit node_link_reader(const json_document& document) : document_(document) {}

  graph_description read() const {
    const json_value& root = document_.root();
    if (!root.is_object()) refuse(root, "is " + root.describe() + " (allowed: an object)");
    refuse_directed(root);
    graph_description described;
    described.source_name = document_.source_name();
    described.name = described.source_name;
    described_attributes defaults;
    if (const json_value* of_graph = root.find("graph"); of_graph != nullptr) {
      require_object(*of_graph, "graph");
      defaults = attributes_of(*of_graph, {"ports", "hosts"});
      const json_value* name = of_graph->find("name");
      if (name != nullptr && name->is_string()) described.name = name->as_string();
    }
    for (const json_value& each : list(root, "nodes").as_array()) {
      described.nodes.push_back(node(each, defaults));
    }
    const bool has_edges = root.find("edges") != nullptr;
    for (const json_value& each : list(root, has_edges ? "edges" : "links").as_array()) {
      described.edges.push_back(edge(each));
    }
    return described;
  }

 private:
  [[noreturn]] void refuse(const json_value& at, const std::string& problem) const {
    throw input_error(document_.place(at) + ": " + problem);
  }

  void require_object(const json_value& value, const std::string& what) const {
    if (!value.is_object())
      refuse(value, what + " is " + value.describe() + " (allowed: an object)");
  }

  void refuse_directed(const json_value& root) const {
    const json_value* directed = root.find("directed");
    if (directed == nullptr || !directed->is_boolean() || !directed->as_boolean()) return;
    refuse(*directed, "directed: links are full duplex; write an undirected graph");
  }

  const json_value& list(const json_value& root, const std::string& key) const {
    const json_value* found = root.find(key);
    if (found == nullptr) {
      refuse(root, "there is no \"" + key + "\"; write nodes, and links or edges, as " +
                       "networkx.node_link_data does");
    }
    if (!found->is_array()) {
      refuse(*found, key + " is " + found->describe() + " (allowed: an array)");
    }
    return *found;
  }

  static file_place place_of(const json_value& value) { return {value.line(), value.column()}; }

  static described_attributes attributes_of(const json_value& object,
                                            const std::vector<std::string>& keys) {
    described_attributes found;
    for (const std::string& key : keys) {
      const json_value* value = object.find(key);
      if (value == nullptr) continue;
      found[key] = {value->is_string() ? value->as_string() : value->to_text(0), place_of(*value)};
    }
    return found;
  }

  described_value name_in(const json_value& object, const std::string& key) const {
    const json_value* found = object.find(key);
    if (found == nullptr) refuse(object, "there is no \"" + key + "\"");
    if (found->is_string()) return {found->as_string(), place_of(*found)};
    if (found->is_unsigned() || found->is_negative()) return {found->to_text(0), place_of(*found)};
    refuse(*found, key + " is " + found->describe() + " (allowed: a string or a whole number)");
  }

  described_node node(const json_value& value, const described_attributes& defaults) const {
    require_object(value, "a node");
    described_node made;
    made.name = name_in(value, "id").text;
    made.place = place_of(value);
    made.attributes = attributes_of(value, {"kind", "ports", "hosts", "x", "y", "pos"});
    const auto kind = made.attributes.find("kind");
    if (kind == made.attributes.end() || kind->second.text != "host") {
      made.attributes.insert(defaults.begin(), defaults.end());
    }
    return made;
  }

  described_edge edge(const json_value& value) const {
    require_object(value, "an edge");
    described_edge made;
    made.source = name_in(value, "source");
    made.target = name_in(value, "target");
    made.attributes = attributes_of(value, {"source_port", "target_port", "cables"});
    made.place = place_of(value);
    return made;
  }

  const json_document& document_;
};

/// What host names begin with: underlines until no switch has the name of a host.
std::string host_prefix(const network_graph& graph) {
  std::set<std::string> taken;
  for (std::uint32_t s = 0; s < graph.switches(); ++s) {
    taken.insert(graph.switch_name(switch_id{s}));
  }
  const auto is_taken = [&](const std::string& prefix) {
    for (std::uint32_t h = 0; h < graph.hosts(); ++h) {
      if (taken.count(prefix + std::to_string(h)) != 0) return true;
    }
    return false;
  };
  std::string prefix = "host";
  while (is_taken(prefix)) prefix += '_';
  return prefix;
}

json_value edge_object(json_value source, json_value target) {
  json_value made = json_value::make_object();
  made.set("source", std::move(source));
  made.set("target", std::move(target));
  return made;
}

void set_use(json_value& edge, double there, double back) {
  edge.set("utilisation", json_value(there));
  edge.set("utilisation_back", json_value(back));
}

json_value switch_object(const network_graph& graph, switch_id at) {
  json_value node = json_value::make_object();
  node.set("id", json_value(graph.switch_name(at)));
  node.set("ports", json_value(graph.ports(at)));
  if (graph.has_places()) {
    node.set("x", json_value(graph.place(at).x));
    node.set("y", json_value(graph.place(at).y));
  }
  return node;
}

}  // namespace

graph_description describe_json(const json_document& document) {
  return node_link_reader(document).read();
}

network_graph read_graph(const std::string& path) {
  if (ends_in(path, ".json")) return build_graph(describe_json(json_document::from_file(path)));
  if (ends_in(path, ".dot") || ends_in(path, ".gv")) {
    return build_graph(describe_dot(read_whole_file(path), path));
  }
  throw input_error(path +
                    ": the ending does not say what is in the file (allowed: .json, .dot, .gv)");
}

json_value node_link_data(const network_graph& graph, const network_use* use) {
  json_value nodes = json_value::make_array();
  json_value edges = json_value::make_array();
  for (std::uint32_t s = 0; s < graph.switches(); ++s) {
    nodes.push_back(switch_object(graph, switch_id{s}));
  }
  for (std::uint32_t l = 0; l < graph.links(); ++l) {
    const network_link& link = graph.link(l);
    json_value edge = edge_object(json_value(graph.switch_name(link.first.at)),
                                  json_value(graph.switch_name(link.second.at)));
    edge.set("source_port", json_value(link.first.port));
    edge.set("target_port", json_value(link.second.port));
    if (use != nullptr) set_use(edge, use->channels[2 * l], use->channels[2 * l + 1]);
    edges.push_back(std::move(edge));
  }
  const std::string prefix = host_prefix(graph);
  for (std::uint32_t h = 0; h < graph.hosts(); ++h) {
    const std::string name = prefix + std::to_string(h);
    json_value node = json_value::make_object();
    node.set("id", json_value(name));
    node.set("kind", json_value("host"));
    nodes.push_back(std::move(node));
    const switch_port where = graph.host_port(host_id{h});
    json_value edge = edge_object(json_value(name), json_value(graph.switch_name(where.at)));
    edge.set("target_port", json_value(where.port));
    if (use != nullptr) set_use(edge, use->from_hosts[h], use->to_hosts[h]);
    edges.push_back(std::move(edge));
  }
  json_value named = json_value::make_object();
  named.set("name", json_value(graph.name()));
  json_value data = json_value::make_object();
  data.set("directed", json_value(false));
  data.set("multigraph", json_value(true));
  data.set("graph", std::move(named));
  data.set("nodes", std::move(nodes));
  data.set("edges", std::move(edges));
  return data;
}

}  // namespace tributary
