// SPDX-License-Identifier: Apache-2.0
// The numbers of the RTL's package are those of the table of operations. What the operations do is
// compared beside the verilated units.
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>

#include <tributary/memory/operation.h>

namespace tributary {
namespace {

std::string package_text() {
  const std::string path = std::string(TRIBUTARY_SOURCE_DIR) + "/rtl/tributary_pkg.sv";
  std::ifstream file(path);
  EXPECT_TRUE(file) << "cannot read " << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// "CompareAndSwap" as "compare_and_swap".
std::string snake_case(const std::string& camel) {
  std::string name;
  for (const char letter : camel) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isupper(byte) != 0 && !name.empty()) name += '_';
    name += static_cast<char>(std::tolower(byte));
  }
  return name;
}

struct form_row {
  unsigned code = 0;
  bool combines = false;
};

std::map<std::string, form_row> rows_of_the_table() {
  return {
#define TRIBUTARY_FORM(name, code, apply, compose_a, compose_b, combines) {#name, {code, combines}},
#include <tributary/memory/operation_forms.def>
  };
}

std::map<std::string, unsigned> forms_of_the_package(const std::string& text) {
  std::map<std::string, unsigned> forms;
  const std::regex member(R"(\bForm(\w+)\s*=\s*3'd(\d))");
  for (std::sregex_iterator found(text.begin(), text.end(), member), end; found != end; ++found) {
    forms[snake_case((*found)[1])] = static_cast<unsigned>(std::stoul((*found)[2]));
  }
  return forms;
}

TEST(rtl_package, has_the_forms_of_the_table_with_their_codes) {
  std::map<std::string, unsigned> expected;
  for (const auto& [name, row] : rows_of_the_table()) expected[name] = row.code;
  EXPECT_EQ(forms_of_the_package(package_text()), expected);
}

TEST(rtl_package, counts_the_forms) {
  const std::string text = package_text();
  std::smatch count;
  ASSERT_TRUE(std::regex_search(text, count, std::regex(R"(FormCount\s*=\s*(\d+))")));
  EXPECT_EQ(std::stoul(count[1]), rows_of_the_table().size());
}

TEST(rtl_package, lets_the_same_forms_combine) {
  std::string expected(rows_of_the_table().size(), '0');  // the last form first, as literals are
  for (const auto& [name, row] : rows_of_the_table()) {
    if (row.combines) expected[expected.size() - 1 - row.code] = '1';
  }
  const std::string text = package_text();
  std::smatch found;
  ASSERT_TRUE(std::regex_search(text, found, std::regex(R"(CombiningForms\s*=\s*8'b([01_]+))")));
  EXPECT_EQ(std::regex_replace(found[1].str(), std::regex("_"), ""), expected);
}

}  // namespace
}  // namespace tributary
