// SPDX-License-Identifier: Apache-2.0
// Which folder and header may know which, over models, platforms and tools.
#include "include_graph.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace tributary::testing;
using strings = std::vector<std::string>;

const include_graph& project() {
  static const include_graph graph = graph_of(source_texts(TRIBUTARY_SOURCE_DIR));
  return graph;
}

TEST(include_graph, of_the_project_is_read) {
  EXPECT_EQ(project().at("platforms/platforms.h").count("platforms/driver/platform_model.h"), 1U);
  EXPECT_EQ(project().at("tools/program/run/results.cpp").count("tools/program/run/results.h"), 1U);
  EXPECT_EQ(project().at("platforms/driver/simulation.h").count("models/tributary/sim/cycle.h"),
            1U);
  EXPECT_EQ(folders_of(project()).at("tools/program/commands").count("tools/program/run"), 1U);
}

TEST(include_graph, no_arrow_points_up) { EXPECT_EQ(wrong_arrows(project()), strings{}); }

TEST(include_graph, folders_have_no_circle) {
  EXPECT_EQ(circle_in(folders_of(project())), strings{});
}

TEST(include_graph, headers_have_no_circle) { EXPECT_EQ(circle_in(project()), strings{}); }

TEST(include_graph, finds_headers_as_the_compiler_does) {
  const auto graph = graph_of({{"models/tributary/sim/a.h", ""},
                               {"platforms/flash/a.h", "#include <tributary/sim/a.h>\n"},
                               {"platforms/flash/b.h", "#include \"a.h\"\n#include <vector>\n"},
                               {"tools/program/run/c.h", "// #include <run/d.h>\n"},
                               {"tools/program/run/d.h", "#include <run/c.h>\n"}});
  EXPECT_EQ(graph.at("platforms/flash/a.h"), std::set<std::string>{"models/tributary/sim/a.h"});
  EXPECT_EQ(graph.at("platforms/flash/b.h"), std::set<std::string>{"platforms/flash/a.h"});
  EXPECT_EQ(graph.at("tools/program/run/c.h"), std::set<std::string>{});
  EXPECT_EQ(graph.at("tools/program/run/d.h"), std::set<std::string>{"tools/program/run/c.h"});
}

TEST(include_graph, arrows_up_and_between_machines_are_refused) {
  const auto refused = [](const char* from, const char* to) {
    return wrong_arrows({{from, {to}}}).size();
  };
  EXPECT_EQ(refused("models/tributary/sim/a.h", "platforms/driver/simulation.h"), 1U);
  EXPECT_EQ(refused("platforms/flash/a.h", "tools/program/run/experiment.h"), 1U);
  EXPECT_EQ(refused("platforms/flash/a.h", "platforms/ultracomputer/a.h"), 1U);
  EXPECT_EQ(refused("platforms/driver/a.h", "platforms/flash/a.h"), 1U);
  EXPECT_EQ(refused("platforms/flash/a.h", "platforms/platforms.h"), 1U);
  EXPECT_EQ(refused("platforms/examples/own_switch/a.h", "tools/program/run/a.h"), 1U);
  EXPECT_EQ(refused("platforms/examples/own_switch/a.h", "platforms/examples/plain_soc/a.h"), 1U);
  EXPECT_EQ(refused("tools/program/run/a.h", "platforms/examples/own_switch/a.h"), 1U);

  EXPECT_EQ(refused("tools/program/commands/a.h", "tools/program/run/a.h"), 0U);
  EXPECT_EQ(refused("tools/program/run/a.h", "platforms/platforms.h"), 0U);
  EXPECT_EQ(refused("platforms/examples/own_switch/a.h", "platforms/ultracomputer/a.h"), 0U);
  EXPECT_EQ(refused("platforms/flash/a.h", "platforms/driver/simulation.h"), 0U);
  EXPECT_EQ(refused("platforms/driver/a.h", "models/tributary/sim/cycle.h"), 0U);
}

TEST(include_graph, a_circle_is_named) {
  EXPECT_EQ(circle_in({{"a", {"b"}}, {"b", {"c"}}, {"c", {}}}), strings{});
  EXPECT_EQ(circle_in({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}), (strings{"b", "c", "b"}));
  EXPECT_EQ(circle_in({{"a", {"a"}}}), (strings{"a", "a"}));
  const include_graph files = {{"x/a.h", {"y/b.h"}}, {"y/b.h", {}}, {"y/c.h", {"x/d.h"}}};
  EXPECT_EQ(circle_in(files), strings{});
  EXPECT_EQ(circle_in(folders_of(files)), (strings{"x", "y", "x"}));
}

}  // namespace
