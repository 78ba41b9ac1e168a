// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <tributary/network/graph/graph_file.h>
#include <tributary/network/graph/random_graph.h>
#include <tributary/network/graph/regular_graphs.h>
#include <tributary/sim/error.h>

#include <filesystem>
#include <string>

#include "support/failure.h"

namespace tributary {
namespace {

using testing::failure;

network_graph from_json(const std::string& text) {
  return build_graph(describe_json(json_document::from_text(text, "net.json")));
}

network_graph from_dot(const std::string& text) {
  return build_graph(describe_dot(text, "net.dot"));
}

/// All links and hosts of a graph by name and port.
std::string text_of(const network_graph& graph) {
  std::string text;
  for (std::uint32_t l = 0; l < graph.links(); ++l) text += graph.channel_text(2 * l) + "; ";
  for (std::uint32_t h = 0; h < graph.hosts(); ++h) {
    const switch_port where = graph.host_port(host_id{h});
    text += "host " + graph.switch_name(where.at) + ":" + std::to_string(where.port) + "; ";
  }
  return text;
}

// What json.dumps(networkx.node_link_data(graph)) writes for a path of three nodes.
const char* const networkx_path = R"({"directed": false, "multigraph": false,
 "graph": {"name": "path", "hosts": 1},
 "nodes": [{"id": 0}, {"id": 1, "ports": 8, "x": 1.5, "y": 2}, {"id": 2, "label": "end"}],
 "edges": [{"source": 0, "target": 1, "weight": 2}, {"source": 1, "target": 2}]})";

TEST(graph_file, reads_what_networkx_writes) {
  const network_graph graph = from_json(networkx_path);
  EXPECT_EQ(graph.name(), "path");
  EXPECT_EQ(text_of(graph), "0:0 -> 1:0; 1:1 -> 2:0; host 0:1; host 1:2; host 2:1; ");
  EXPECT_EQ(graph.ports(switch_id{0}), 2U) << "as many as are used, at least 2";
  EXPECT_EQ(graph.ports(switch_id{1}), 8U);
  EXPECT_FALSE(graph.has_places()) << "only one switch has a place";
  const std::string links =
      std::string(networkx_path)
          .replace(std::string(networkx_path).find("\"edges\""), 7, "\"links\"");
  EXPECT_EQ(text_of(from_json(links)), text_of(graph)) << "the key of NetworkX before 3.4";
}

TEST(graph_file, reads_ports_cables_and_host_nodes) {
  const network_graph graph = from_json(R"({"nodes": [
      {"id": "a"}, {"id": "b", "pos": "1,2"}, {"id": "h", "kind": "host"}, {"id": "g", "kind": "host"}],
    "edges": [{"source": "h", "target": "a", "target_port": 0}, {"source": "b", "target": "g"},
      {"source": "a", "target": "b", "source_port": 3}, {"source": "a", "target": "b", "cables": 2}]})");
  EXPECT_EQ(text_of(graph), "a:3 -> b:0; a:1 -> b:1; a:2 -> b:2; host a:0; host b:3; ");
}

TEST(graph_file, what_is_written_reads_back) {
  for (const network_graph& graph :
       {random_regular_graph({8, 3, 2, 1}), grid_graph({{3, 3}, true, 1, 2}), star_graph(3, 2)}) {
    const network_graph again = from_json(node_link_data(graph).to_text());
    EXPECT_EQ(text_of(again), text_of(graph));
    EXPECT_EQ(again.name(), graph.name());
    EXPECT_EQ(again.has_places(), graph.has_places());
  }
}

TEST(graph_file, what_is_written_reads_back_if_a_switch_is_named_as_a_host) {
  const network_graph graph = from_dot("graph { node [hosts=1]; host1 -- host_0 -- hostess }");
  EXPECT_EQ(text_of(from_json(node_link_data(graph).to_text())), text_of(graph));
}

TEST(graph_file, a_repeated_edge_of_a_strict_graph_adds_its_attributes) {
  // As Graphviz: agedge finds the first edge, and the statement's attributes are set there.
  const auto links = [](const std::string& body) {
    return text_of(from_dot("strict graph { node [hosts=1]; " + body + " }"));
  };
  EXPECT_EQ(links("a -- b; b -- a [cables=2]"), links("a -- b [cables=2]"));
  EXPECT_EQ(links("a -- b [cables=2]; edge [cables=3]; a -- b"), links("a -- b [cables=2]"))
      << "defaults are for new edges";
  EXPECT_EQ(links("a:3 -- b; b:2 -- a"), links("a:3 -- b:2"));
  EXPECT_EQ(links("a -- b; b -- a [source_port=2, target_port=3]"), links("a:3 -- b:2"));
}

TEST(graph_file, a_backslash_belongs_to_what_it_precedes) {
  const network_graph graph = from_dot(R"(graph { node [hosts=1]; "C:\\" -- "a\"b" -- "\\\"" })");
  EXPECT_EQ(graph.switch_name(switch_id{0}), R"(C:\\)") << "two backslashes stay, as in Graphviz";
  EXPECT_EQ(graph.switch_name(switch_id{1}), R"(a"b)");
  EXPECT_EQ(graph.switch_name(switch_id{2}), R"(\\")");
}

TEST(graph_file, a_directory_is_refused_by_its_path) {
  const std::string path = ::testing::TempDir() + "tributary_graph_directory.dot";
  std::filesystem::create_directory(path);
  const std::string message = failure<input_error>([&] { read_graph(path); });
  EXPECT_NE(message.find(path), std::string::npos) << message;
  std::filesystem::remove(path);
}

TEST(graph_file, reads_dot) {
  const network_graph graph = from_dot(R"(# written by hand
strict graph "two rooms" {
  graph [layout=neato]; rankdir = LR
  node [hosts=2, ports=8]   /* of all that follow */
  edge [color=red]
  left [pos="0,1!"]; right [pos="3.5,-1", hosts=1]
  left:7 -- right -- "far " + "end":0 [len=2.5];  // a chain
  right -- left
  -3 [kind=host]; -3 -- left
})");
  EXPECT_EQ(graph.name(), "two rooms");
  EXPECT_EQ(text_of(graph),
            "left:7 -> right:0; right:1 -> far end:0; host left:0; host left:1; host left:2; "
            "host right:2; host far end:1; host far end:2; ");
}

TEST(graph_file, reads_what_pydot_writes) {
  EXPECT_EQ(text_of(from_dot("graph  {\n0 [hosts=1];\n1 [hosts=1];\n0 -- 1  [key=0];\n"
                             "0 -- 1  [key=1];\n}\n")),
            "0:0 -> 1:0; 0:1 -> 1:1; host 0:2; host 1:2; ");
}

struct bad_text {
  const char* text;
  const char* message;
};

TEST(graph_file, refuses_dot_by_line_and_column) {
  const bad_text all[] = {
      {"digraph {}", "net.dot, line 1, column 1: a directed graph"},
      {"graph {\n  a -> b\n}", "net.dot, line 2, column 5: -> is an edge of a directed graph"},
      {"graph {\n  a [ports=x]\n}",
       "net.dot, line 2, column 12: ports: \"x\" is no whole number of the range (allowed: 0 to "
       "65)"},
      {"graph {\n  a [ports 8]\n}", "line 2, column 12: \"8\" where = should be"},
      {"graph {\n a -- ;\n}", "line 2, column 7: \";\" where a node should be"},
      {"graph {\n subgraph x { a }\n}", "line 2, column 2: subgraphs are not read"},
      {"graph { a [label=<b>] }", "column 18: '<' is no part of a graph; write labels in quotes"},
      {"graph { \"a", "line 1, column 9: the text has no end"},
      {"graph { /* a", "line 1, column 9: the comment has no end"},
      {"graph { a ", "the end of the file where a node should be"},
      {"graph { a } b", "line 1, column 13: \"b\" after the graph"},
      {"graph { a [kind=router] }", "column 17: kind: \"router\" is no kind of node"},
      {"graph { a -- b [cables=0] }", "cables: 0 cables do not fit the edge"},
      {"graph { a [pos=\"1;2\"] }",
       "pos: \"1;2\" is no place (allowed: a number, a comma, a number)"},
      {"graph { a [x=\"1,5\", y=2] }", "column 14: x: \"1,5\" is no place (allowed: a number)"},
      {"graph { a [x=1, y=\"2!\"] }", "column 19: y: \"2!\" is no place (allowed: a number)"},
      {"graph { a [pos=\"1!,2\"] }", "column 16: pos: \"1!,2\" is no place"},
      {"graph { a [pos=\"1,2;\"] }", "column 16: pos: \"1,2;\" is no place"},
      {"graph { a [pos=\"\"] }", "column 16: pos: \"\" is no place"},
      {"graph { node [kind=host] a -- b }", "host a is joined with host b"},
      {"graph { a [hosts=2] h [kind=host] }", "column 21: host h has no edge"},
      {"graph { a [hosts=2] h [kind=host] h -- a h -- a }", "host h has two edges"},
  };
  for (const bad_text& each : all) {
    const std::string message = failure<input_error>([&] { from_dot(each.text); });
    EXPECT_NE(message.find(each.message), std::string::npos)
        << each.text << "\nexpected: " << each.message << "\nmessage: " << message;
  }
}

TEST(graph_file, refuses_json_by_line_and_column) {
  const bad_text all[] = {
      {"[]", "net.json, line 1, column 1: is an array"},
      {"{\"directed\": true}", "line 1, column 14: directed: links are full duplex"},
      {"{}", "there is no \"nodes\""},
      {"{\"nodes\": []}", "there is no \"links\""},
      {"{\"nodes\": 3}", "nodes is the number 3 (allowed: an array)"},
      {"{\"nodes\": [{\"id\": true}], \"links\": []}", "column 19: id is true (allowed: a string"},
      {"{\"nodes\": [{\"id\": \"left\"}], \"links\": [{\"source\": \"lift\", \"target\": "
       "\"left\"}]}",
       "column 50: there is no node lift; did you mean left?"},
      {"{\"nodes\": [{\"id\": 1}, {\"id\": 1}], \"links\": []}",
       "column 23: node 1 is there twice"},
  };
  for (const bad_text& each : all) {
    const std::string message = failure<input_error>([&] { from_json(each.text); });
    EXPECT_NE(message.find(each.message), std::string::npos)
        << each.text << "\nexpected: " << each.message << "\nmessage: " << message;
  }
}

TEST(graph_file, refuses_what_is_no_network_with_the_file) {
  const auto message = [](const char* text) {
    return failure<configuration_error>([&] { from_dot(text); });
  };
  EXPECT_EQ(message("graph { a [hosts=2] b }")
                .find("net.dot: network.graph: no way leads from "
                      "switch a to switch b"),
            0U)
      << message("graph { a [hosts=2] b }");
  EXPECT_NE(message("graph { a [hosts=2]; a:1 -- b; a:1 -- b }")
                .find("port 1 of switch a is used twice, by link 0 and by link 1"),
            std::string::npos);
  EXPECT_NE(message("graph { a [hosts=2, ports=2]; a -- b }").find("switch a has no free port"),
            std::string::npos);
  EXPECT_NE(failure<input_error>([] { read_graph("net.xml"); }).find("allowed: .json, .dot, .gv"),
            std::string::npos);
  EXPECT_NE(failure<input_error>([] { read_graph("missing.dot"); }).find("missing.dot"),
            std::string::npos);
}

}  // namespace
}  // namespace tributary
