// SPDX-License-Identifier: Apache-2.0
#include "layering.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace {

using tributary::testing::check_layering;
using tributary::testing::library_files;
using tributary::testing::systemc_files;

const std::filesystem::path models = std::filesystem::path(TRIBUTARY_SOURCE_DIR) / "models";

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// What the checker says of one line, the third, in a file of network/; empty if nothing.
std::string verdict(const std::string& line, const std::string& file = "tributary/network/x.h") {
  std::string all;
  const std::set<std::string> modules = {"tributary/network/x_module.h",
                                         "tributary/systemc/fetch_op.h"};
  for (const auto& breach : check_layering(file, "// first\n\n" + line + "\n", modules)) {
    EXPECT_EQ(breach.line, 3U);
    all += to_string(breach) + "\n";
  }
  return all;
}

TEST(layering, library_obeys) {
  const auto files = library_files(models);
  ASSERT_GT(files.size(), 20U) << "below " << models << ": the walk misses the library";
  const std::set<std::string> modules = systemc_files(read(models / "CMakeLists.txt"));
  ASSERT_GT(modules.size(), 10U) << "models/CMakeLists.txt: the list of tributary_models is missed";
  std::size_t includes = 0;
  for (const std::string& file : files) {
    const std::string text = read(models / file);
    includes += text.find("#include <tributary/") != std::string::npos ? 1 : 0;
    for (const auto& breach : check_layering(file, text, modules))
      ADD_FAILURE() << to_string(breach);
  }
  EXPECT_GT(includes, 10U);
}

TEST(layering, every_file_is_listed_in_cmake) {
  const std::string text = read(models / "CMakeLists.txt");
  for (const std::string& file : library_files(models)) {
    const std::string unit = file.substr(0, file.rfind('.'));
    EXPECT_TRUE(text.find("\n  " + file + "\n") != std::string::npos ||
                text.find("\n  " + unit + "\n") != std::string::npos)
        << "models/CMakeLists.txt does not name " << file << " on a line of its own";
  }
}

TEST(layering, arrows_may_point_down_and_sideways) {
  EXPECT_EQ(verdict("#include <tributary/sim/ids.h>"), "");
  EXPECT_EQ(verdict("#include <tributary/network/link.h>"), "");
  EXPECT_EQ(verdict("#include <tributary/network/omega/wait_buffer.h>"), "");
  EXPECT_EQ(verdict("#include <vector>"), "");
}

TEST(layering, an_arrow_up_is_named_with_file_and_line) {
  EXPECT_EQ(verdict("#include <tributary/nic/port.h>"),
            "tributary/network/x.h:3: network -> nic points up the list of layers\n");
  EXPECT_NE(verdict("  #  include <tributary/processor/polling.h>  // why"), "");
  EXPECT_NE(verdict("#include <tributary/network/y.h>", "tributary/sim/x.cpp"), "");
  EXPECT_NE(verdict("#include <tributary/nic/y.h>", "tributary/memory/x.def"), "");
}

TEST(layering, unknown_layers_and_quoted_includes_are_breaches) {
  EXPECT_NE(verdict("#include <tributary/utilities/x.h>").find("no layer"), std::string::npos);
  EXPECT_NE(verdict("#include \"../memory/memory.h\"").find("<tributary/...>"), std::string::npos);
  EXPECT_EQ(check_layering("tributary/utilities/x.h", "", {}).size(), 1U);
  EXPECT_EQ(check_layering("tributary/x.h", "", {}).size(), 1U);
}

TEST(layering, cores_include_no_systemc) {
  for (const char* header :
       {"systemc", "systemc.h", "tlm", "tlm.h", "tlm_utils/simple_target_socket.h",
        "sysc/kernel/sc_time.h", "tributary/network/x_module.h"}) {
    const std::string line = std::string("#include <") + header + ">";
    EXPECT_NE(verdict(line).find("SystemC"), std::string::npos) << header;
    EXPECT_EQ(verdict(line, "tributary/network/x_module.h"), "") << header;
  }
  EXPECT_NE(verdict("#include <tributary/systemc/fetch_op.h>").find("points up"),
            std::string::npos);
  EXPECT_EQ(
      systemc_files("  tributary/sim/x.h\nadd_library(tributary_models)\n  tributary/systemc/y\n"
                    "  tributary/systemc/z.h\n"),
      (std::set<std::string>{"tributary/systemc/y.h", "tributary/systemc/y.cpp",
                             "tributary/systemc/z.h"}));
}

TEST(layering, output_and_exit_are_breaches) {
  for (const char* line :
       {"std::cout << x;", "using std::cout;", "printf(\"x\");", "std::printf(\"x\");",
        "::printf(\"x\");", "x; puts(\"x\");", "std::exit(1);", "exit (1);", "::_exit(1);",
        "std::quick_exit(0);", "std::abort();", "sc_stop();",
        "sc_core::sc_set_time_resolution(1, sc_core::SC_PS);", "fputs(\"x\", stdout);",
        "fmt::print(\"x\");", "const char c = '\"'; std::exit(1); // \"",
        "auto n = 1'000; exit(n);", "auto s = R\"a(\")\")a\"; exit(1);"}) {
    EXPECT_NE(verdict(line), "") << line;
  }
}

TEST(layering, words_that_only_look_alike_are_none) {
  for (const char* line :
       {"std::snprintf(b, n, \"%d\", x);", "std::fprintf(file, \"x\");", "queue.exit(1);",
        "queue->exit(1);", "const auto exit = 1;", "// printf(\"x\"); std::cout",
        "/* std::exit(1) */ int x;", "throw error(\"printf( or std::cout\");", "my::exit(1);",
        "fmt::print(file, \"x\");", "auto s = R\"(std::cout << 1)\";",
        "// #include <tributary/processor/x.h>", "auto s = \"#include <systemc>\";"}) {
    EXPECT_EQ(verdict(line), "") << line;
  }
}

TEST(layering, a_breach_after_a_long_comment_keeps_its_line) {
  const auto found =
      check_layering("tributary/sim/x.h", "/* a\nb\n*/\n\nvoid f() { exit(1); }\n", {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].line, 5U);
}

}  // namespace
