// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <tributary/sim/error.h>
#include <tributary/sim/json_document.h>

#include <cmath>
#include <limits>
#include <string>

#include "support/scratch_directory.h"
#include "support/text_checks.h"

namespace tributary {
namespace {

using testing::begins_with;
using testing::message_of;

json_value parsed(const std::string& text) {
  return json_document::from_text(text, "t.json").root();
}

/// What refuses a text; nothing if it is a document.
std::string refusal(const std::string& text) {
  return message_of<input_error>([&] { json_document::from_text(text, "t.json"); });
}

TEST(json_document, reads_every_kind) {
  const json_value value = parsed(
      R"({"n": null, "b": true, "u": 18446744073709551615, "i": -5, "r": 0.25, "s": "x\u00e9\n",
          "a": [1, [2]], "o": {"k": {}}})");
  EXPECT_TRUE(value.find("n")->is_null());
  EXPECT_TRUE(value.find("b")->as_boolean());
  EXPECT_EQ(value.find("u")->as_unsigned(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(value.find("i")->as_negative(), -5);
  EXPECT_EQ(value.find("r")->as_number(), 0.25);
  EXPECT_EQ(value.find("i")->as_number(), -5.0);
  EXPECT_EQ(value.find("s")->as_string(), "x\xC3\xA9\n");
  EXPECT_EQ(value.find("a")->as_array().at(1).as_array().at(0).as_unsigned(), 2U);
  EXPECT_TRUE(value.find("o")->find("k")->as_object().empty());
  EXPECT_EQ(value.find("none"), nullptr);
  EXPECT_EQ(value.find("s")->find("k"), nullptr);
}

TEST(json_document, keeps_numbers_apart_by_how_they_are_written) {
  EXPECT_TRUE(parsed("4").is_unsigned());
  EXPECT_TRUE(parsed("4.0").is_real());
  EXPECT_TRUE(parsed("4e0").is_real());
  EXPECT_TRUE(parsed("18446744073709551616").is_real());
  EXPECT_TRUE(parsed("-1").is_negative());
}

TEST(json_document, remembers_where_values_and_keys_are) {
  const json_document document = json_document::from_text(
      "\xEF\xBB\xBF{\"a\": 1,\n  \"b,:\\\"\": [\"x\", {\n \"c\" : -1.5e3}],\r\n\"d\":true}",
      "t.json");
  const json_value& root = document.root();
  EXPECT_EQ(document.place(root), "t.json, line 1, column 1");
  EXPECT_EQ(document.place(*root.find("a")), "t.json, line 1, column 7");
  const json_value& array = *root.find("b,:\"");
  EXPECT_EQ(document.place(array), "t.json, line 2, column 12");
  EXPECT_EQ(document.place(array.as_array()[1]), "t.json, line 2, column 18");
  EXPECT_EQ(document.place(*array.as_array()[1].find("c")), "t.json, line 3, column 8");
  EXPECT_EQ(document.place(*root.find("d")), "t.json, line 4, column 5");
  EXPECT_EQ(root.as_object()[1].line, 2U);
  EXPECT_EQ(root.as_object()[1].column, 3U);
}

TEST(json_document, values_made_in_code_have_no_place) {
  EXPECT_EQ(json_place("--set", 0, 0), "--set");
}

TEST(json_document, broken_text_is_told_with_line_and_column) {
  const std::pair<const char*, const char*> broken[] = {
      {"{\n  \"a\": 1,\n  \"b\": }", "line 3, column 8"},
      {"{\"a\" 1}", "line 1, column 6"},
      {"[1, 2,]", "line 1, column 7"},
      {"{\"a\": 1}\n}", "line 2, column 1"},
      {"{\"a\": \"x", "line 1, column 9"},
      {"", "line 1, column 1"},
      {"{\"a\": 1 // comment\n}", "line 1, column 9"},
      {"NaN", "line 1, column 1"},
      {"\"\xFF\"", "line 1, column 2"},
  };
  for (const auto& [text, place] : broken) {
    EXPECT_TRUE(begins_with(refusal(text), std::string("t.json, ") + place + ": broken JSON: "));
  }
}

TEST(json_document, broken_text_message_is_plain) {
  const std::string message = refusal("{\"a\": 1e999}");
  EXPECT_EQ(message.find("exception"), std::string::npos) << message;
  EXPECT_EQ(message.find("broken JSON: ]"), std::string::npos) << message;
  EXPECT_NE(message.find("; correct"), std::string::npos) << message;
}

TEST(json_document, duplicate_keys_are_refused) {
  EXPECT_TRUE(testing::names(refusal("{\"a\": 1,\n \"b\": {\"a\": 2,\n \"a\": 3}}"),
                             {"t.json, line 3, column 2", "\"a\"", "line 2"}));
}

TEST(json_document, deep_nesting_is_refused_before_it_hurts) {
  EXPECT_EQ(refusal(std::string(100, '[') + std::string(100, ']')), "");
  EXPECT_TRUE(
      testing::names(refusal(std::string(100000, '[')), {"t.json, line 1, column 101", "100"}));
}

TEST(json_document, files_that_cannot_be_read_are_named) {
  EXPECT_TRUE(
      testing::names(message_of<input_error>([] { json_document::from_file("/no/such.json"); }),
                     {"/no/such.json", "No such file or directory"}));
  EXPECT_TRUE(begins_with(message_of<input_error>([] { json_document::from_file("/"); }),
                          "/: cannot read: Is a directory"));
}

TEST(json_document, reads_files) {
  const testing::scratch_directory here;
  const std::string path = here.write("a.json", "{\"a\":\n7}");
  const json_document document = json_document::from_file(path);
  EXPECT_EQ(document.source_name(), path);
  EXPECT_EQ(document.place(*document.root().find("a")), path + ", line 2, column 1");
}

TEST(json_value, writes_in_order_and_reads_back) {
  json_value inner = json_value::make_object();
  inner.set("z", json_value(1.0));
  inner.set("a", json_value("\"\\\n\x01"));
  json_value list = json_value::make_array();
  list.push_back(json_value(1));
  list.push_back(json_value(-2));
  list.push_back(json_value(false));
  json_value value = json_value::make_object();
  value.set("inner", inner);
  value.set("list", list);
  value.set("none", json_value());
  value.set("empty", json_value::make_object());
  EXPECT_EQ(value.to_text(0),
            R"({"inner":{"z":1.0,"a":"\"\\\n\u0001"},"list":[1,-2,false],"none":null,"empty":{}})");
  EXPECT_EQ(value.to_text(2),
            "{\n  \"inner\": {\n    \"z\": 1.0,\n    \"a\": \"\\\"\\\\\\n\\u0001\"\n  },\n"
            "  \"list\": [1, -2, false],\n  \"none\": null,\n  \"empty\": {}\n}");
  EXPECT_EQ(parsed(value.to_text(2)), value);
  EXPECT_EQ(parsed(value.to_text(0)), value);
}

TEST(json_value, writes_arrays_of_objects_in_lines) {
  const json_value value = parsed(R"([{"a": 1}, []])");
  EXPECT_EQ(value.to_text(1), "[\n {\n  \"a\": 1\n },\n []\n]");
}

TEST(json_value, numbers_come_back_exactly) {
  for (const double each : {0.1, 1.0 / 3.0, 1e300, 5e-324, 123456789.0, -2.5, 1e16}) {
    EXPECT_EQ(parsed(json_value(each).to_text()).as_number(), each);
    EXPECT_TRUE(parsed(json_value(each).to_text()).is_real());
  }
  EXPECT_EQ(number_text(118), "118.0");
  EXPECT_EQ(number_text(0.1), "0.1");
}

TEST(json_value, what_is_not_finite_is_null) {
  EXPECT_EQ(json_value(std::nan("")).to_text(), "null");
  EXPECT_EQ(json_value(std::numeric_limits<double>::infinity()).to_text(), "null");
}

TEST(json_value, bad_utf8_is_replaced_when_written) {
  EXPECT_EQ(json_value("a\xFF").to_text(), "\"a\xEF\xBF\xBD\"");
}

TEST(json_value, set_replaces_in_place) {
  json_value value = json_value::make_object();
  value.set("a", json_value(1));
  value.set("b", json_value(2));
  value.set("a", json_value(3));
  EXPECT_EQ(value.to_text(0), R"({"a":3,"b":2})");
  value.find("b")->set_place(1, 1);
  EXPECT_EQ(value, parsed(R"({"a":3,"b":2})"));
  EXPECT_NE(value, parsed(R"({"b":2,"a":3})"));
  EXPECT_NE(value, parsed(R"({"a":3,"b":4})"));
}

TEST(json_value, describes_itself) {
  EXPECT_EQ(json_value().describe(), "null");
  EXPECT_EQ(json_value(true).describe(), "true");
  EXPECT_EQ(json_value(4).describe(), "the number 4");
  EXPECT_EQ(json_value(4.0).describe(), "the number 4.0");
  EXPECT_EQ(json_value("4").describe(), "the string \"4\"");
  EXPECT_EQ(json_value::make_array().describe(), "an array");
  EXPECT_EQ(json_value::make_object().describe(), "an object");
  const std::string cut = json_value(std::string(59, 'x') + "\xC3\xA9").describe();
  EXPECT_EQ(cut, "the string \"" + std::string(59, 'x') + "...");
  EXPECT_EQ(json_value(std::string(58, 'x') + "\xC3\xA9").describe(),
            "the string \"" + std::string(58, 'x') + "...");
}

TEST(json_value, misuse_is_told) {
  EXPECT_THROW(json_value(4).as_string(), error);
  EXPECT_THROW(json_value("4").as_number(), error);
  EXPECT_THROW(json_value("4").as_unsigned(), error);
  EXPECT_THROW(json_value(4).as_negative(), error);
  EXPECT_THROW(json_value(4).as_boolean(), error);
  EXPECT_THROW(json_value(4).as_array(), error);
  EXPECT_THROW(json_value::make_array().as_object(), error);
  EXPECT_THROW(json_value(4).set("a", json_value()), error);
  EXPECT_THROW(json_value(4).push_back(json_value()), error);
}

}  // namespace
}  // namespace tributary
