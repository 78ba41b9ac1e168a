// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <tributary/sim/parameters.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/scratch_directory.h"
#include "support/text_checks.h"

namespace tributary {
namespace {

using testing::contains;

constexpr std::uint64_t greatest = std::numeric_limits<std::uint64_t>::max();

enum class queue_type { a, b };

struct region {
  std::uint64_t base = 0;
  bool combinable = true;

  void bind(parameter_set& set) {
    set.add("base", base, interval<std::uint64_t>{0, greatest}, "bytes", "First address.");
    set.add("combinable", combinable, "Whether requests to it combine.");
  }
};

struct network {
  std::uint32_t slots = 4;
  queue_type type = queue_type::b;
  bool combining = true;

  void bind(parameter_set& set) {
    set.add("slots", slots, interval<std::uint32_t>{1, 64}, "entries", "Slots of a queue.");
    set.add_choice("queue_type", type, {{"A", queue_type::a}, {"B", queue_type::b}},
                   "Kind of combining queue.");
    set.add("combining", combining, "Whether requests combine.");
  }
};

struct platform {
  std::string name = "none";
  double hot_spot = 0.25;
  network forward;
  std::vector<region> regions = std::vector<region>(1);
  std::uint64_t cycles = 1000;

  void bind(parameter_set& set) {
    set.add("name", name, "Name of the run.");
    set.add("hot_spot", hot_spot, interval<double>{0, 1}, "", "Share of the hot word.");
    set.add_group("network", forward, "The network.");
    set.add_list("regions", regions, "Address regions.");
    set.add("cycles", cycles, interval<std::uint64_t>{1, greatest}, "cycles", "Run length.");
  }
};

class parameters : public ::testing::Test {
 protected:
  // Reads a text that must be refused, checks that nothing changed, and returns the message.
  std::string refused(const std::string& text) {
    return message_of([&] { set_.read_json_text(text, "run.json"); });
  }
  std::string refused_set(const std::string& name, const std::string& value) {
    return message_of([&] { set_.set(name, value); });
  }

  template <class Function>
  std::string message_of(Function function) {
    const std::string before = set_.resolved_json();
    const std::string message = testing::message_of<error>(function);
    EXPECT_EQ(set_.resolved_json(), before);
    return message;
  }

  platform platform_;
  parameter_set set_ = parameter_set::of(platform_);
};

TEST_F(parameters, reads_every_type) {
  set_.read_json_text(R"({
    "name": "polling", "hot_spot": 1, "cycles": 18446744073709551615,
    "network": {"slots": 64, "queue_type": "A", "combining": false},
    "regions": [{"base": "0x1000", "combinable": false}, {}]
  })",
                      "run.json");
  EXPECT_EQ(platform_.name, "polling");
  EXPECT_EQ(platform_.hot_spot, 1.0);
  EXPECT_EQ(platform_.cycles, greatest);
  EXPECT_EQ(platform_.forward.slots, 64U);
  EXPECT_EQ(platform_.forward.type, queue_type::a);
  EXPECT_FALSE(platform_.forward.combining);
  ASSERT_EQ(platform_.regions.size(), 2U);
  EXPECT_EQ(platform_.regions[0].base, 0x1000U);
  EXPECT_FALSE(platform_.regions[0].combinable);
  EXPECT_EQ(platform_.regions[1].base, 0U);
}

TEST_F(parameters, what_is_not_named_stays) {
  set_.read_json_text("{}", "run.json");
  set_.read_json_text(R"({"network": {"slots": 7}})", "run.json");
  EXPECT_EQ(platform_.forward.slots, 7U);
  EXPECT_EQ(platform_.forward.type, queue_type::b);
  EXPECT_EQ(platform_.name, "none");
  EXPECT_EQ(platform_.regions.size(), 1U);
}

TEST_F(parameters, dotted_names_are_nested_ones) {
  set_.read_json_text(R"({"network.slots": 9, "network": {"combining": false}})", "run.json");
  EXPECT_EQ(platform_.forward.slots, 9U);
  EXPECT_FALSE(platform_.forward.combining);
}

TEST_F(parameters, reads_a_part_of_a_document) {
  const json_document document = json_document::from_text(
      "{\"extends\": \"x\",\n \"parameters\": {\"network\": {\"slots\": 9}}}", "run.json");
  set_.read(*document.root().find("parameters"), document.source_name());
  EXPECT_EQ(platform_.forward.slots, 9U);
  EXPECT_EQ(set_.origin("network.slots"), "run.json, line 2, column 38");
}

TEST_F(parameters, reads_files) {
  const testing::scratch_directory here;
  const std::string path = here.write("run.json", "{\"cycles\": 0}");
  EXPECT_TRUE(
      testing::names(message_of([&] { set_.read_json_file(path); }),
                     {path, "line 1", "column 12", "cycles", "0 cycle", "1 or more cycles"}));
  EXPECT_TRUE(testing::names(message_of([&] { set_.read_json_file("/no/such.json"); }),
                             {"/no/such.json", "No such file or directory"}));
}

/// A run file and what refuses it, with the place in the file.
struct refused_text {
  const char* text;
  const char* place;
  const char* message;
};

TEST_F(parameters, texts_are_refused_with_the_place_and_what_is_allowed) {
  const refused_text texts[] = {
      {"{\n \"network\": {\"slot\": 4}}", "line 2, column 14",
       "network.slot: unknown parameter; "
       "did you mean network.slots?"},
      {R"({"slots": 4})", "line 1, column 2",
       "slots: unknown parameter; did you mean network.slots?"},
      {R"({"netwrok": {"slots": 4}})", "line 1, column 2",
       "netwrok: unknown parameter; did you mean network?"},
      {R"({"voltage": 4})", "line 1, column 2",
       "voltage: unknown parameter; "
       "choose one of the names that `tributary describe` prints"},
      {R"({"regions": [{"bas": 1}]})", "line 1, column 15",
       "regions.0.bas: unknown parameter; "
       "did you mean regions.0.base?"},
      {R"({"network": {"slots": "4"}})", "line 1, column 23",
       "network.slots: expected an integer, found the string "
       "\"4\" (allowed: 1 to 64 entries); write a whole number without quotes or decimal "
       "point, or \"0x...\" in hexadecimal"},
      {R"({"name": 5})", "line 1, column 10",
       "name: expected a text, found the number 5 "
       "(allowed: any text); write it between double quotes"},
      {R"({"network": {"queue_type": 5}})", "line 1, column 28",
       "network.queue_type: expected the name of a choice, found "
       "the number 5 (allowed: A | B); write one of the names between double quotes"},
      {R"({"regions": {}})", "line 1, column 13",
       "regions: expected an array, found an object "
       "(allowed: an array of objects); write objects between [ and ]"},
      {R"({"regions": [5]})", "line 1, column 14",
       "regions.0: expected an object of parameters, found the "
       "number 5; write the parameters between { and }"},
      {R"({"network": 5})", "line 1, column 13",
       "network: expected an object of parameters, found the "
       "number 5; write the parameters between { and }"},
      {"[]", "line 1, column 1",
       "expected an object of parameters, found an array; "
       "write the parameters between { and }"},
      {R"({"network": {"slots": 65}})", "line 1, column 23",
       "network.slots: 65 entries is out of range "
       "(allowed: 1 to 64 entries); choose a value in the range"},
      {R"({"network": {"slots": -1}})", "line 1, column 23",
       "network.slots: -1 entries is out of range "
       "(allowed: 1 to 64 entries); choose a value in the range"},
      {R"({"hot_spot": 1.5})", "line 1, column 14",
       "hot_spot: 1.5 is out of range "
       "(allowed: 0 to 1); choose a value in the range"},
      {R"({"regions": [{}, {"base": -1}]})", "line 1, column 27",
       "regions.1.base: -1 bytes is out of range "
       "(allowed: 0 or more bytes); choose a value in the range"},
      {R"({"network": {"queue_type": "Banana"}})", "line 1, column 28",
       "network.queue_type: \"Banana\" is not a choice "
       "(allowed: A | B); choose one of the names"},
      {R"({"network": {"queue_type": "a"}})", "line 1, column 28",
       "network.queue_type: \"a\" is not a choice "
       "(allowed: A | B); did you mean A?"},
      {"{\"cycles\": 1,\n \"cycles\": 2}", "line 2, column 2",
       "key \"cycles\" was given already in line 1; "
       "keep one of the two"},
      {R"({"network": {"slots": 4}, "network.slots": 5})", "line 1, column 27",
       "network.slots: was given already "
       "(run.json, line 1, column 23); keep one of the two"},
  };
  for (const refused_text& each : texts) {
    EXPECT_EQ(refused(each.text), std::string("run.json, ") + each.place + ": " + each.message);
  }
}

TEST_F(parameters, every_other_type_and_number_is_refused) {
  for (const char* value : {"4.0", "true", "null", "[4]", "{}", "1e1", "\"0x\"", "\"0x1g\"",
                            "\"four\"", "18446744073709551616"}) {
    EXPECT_TRUE(testing::names(refused("{\"network\": {\"slots\": " + std::string(value) + "}}"),
                               {"network.slots", "integer"}))
        << value;
  }
  for (const char* value : {"\"0.5\"", "true", "null", "[0.5]"}) {
    EXPECT_TRUE(testing::names(refused("{\"hot_spot\": " + std::string(value) + "}"),
                               {"hot_spot", "number"}))
        << value;
  }
  EXPECT_TRUE(
      testing::names(refused(R"({"network": {"combining": 1}})"),
                     {"run.json, line 1, column 27", "network.combining", "1", "true | false"}));
  EXPECT_TRUE(testing::names(refused(R"({"network": {"slots": 4294967297}})"),
                             {"network.slots", "4294967297", "1 to 64"}));
  EXPECT_TRUE(testing::names(refused(R"({"network": {"slots": "0x41"}})"),
                             {"network.slots", "0x41 entries"}));
}

TEST_F(parameters, broken_json_is_told_with_line_and_column) {
  EXPECT_TRUE(contains(refused("{\"cycles\": 5,\n}"), "run.json, line 2, column 1: broken JSON: "));
}

TEST_F(parameters, an_error_at_the_end_changes_nothing) {
  refused(R"({"name": "x", "network": {"slots": 5}, "regions": [{}, {}], "cycles": 0})");
  refused(R"({"name": "x", "regions": [{"base": 5}, {"base": "no"}]})");
  EXPECT_EQ(platform_.name, "none");
  EXPECT_EQ(platform_.regions.size(), 1U);
  EXPECT_EQ(set_.origin("name"), "default");
}

TEST_F(parameters, set_takes_what_a_shell_gives) {
  set_.set("network.slots", "12");
  set_.set("network.queue_type", "A");
  set_.set("network.combining", "false");
  set_.set("hot_spot", "1e-2");
  set_.set("cycles", "0xff");
  set_.set("name", "a = \"b\"");
  EXPECT_EQ(platform_.forward.slots, 12U);
  EXPECT_EQ(platform_.forward.type, queue_type::a);
  EXPECT_FALSE(platform_.forward.combining);
  EXPECT_EQ(platform_.hot_spot, 0.01);
  EXPECT_EQ(platform_.cycles, 255U);
  EXPECT_EQ(platform_.name, "a = \"b\"");
  set_.set("name", "5");
  EXPECT_EQ(platform_.name, "5");
  set_.set("hot_spot", "1");
  EXPECT_EQ(platform_.hot_spot, 1.0);
}

TEST_F(parameters, set_checks_as_a_file_is_checked) {
  EXPECT_TRUE(testing::names(refused_set("network.slots", "65"),
                             {"--set", "network.slots", "65 entries", "1 to 64 entries"}));
  for (const char* value : {"", "4.0", "four", "4 ", " 4", "+4", "0x", "99999999999999999999999"}) {
    EXPECT_TRUE(testing::names(refused_set("network.slots", value), {"network.slots", "integer"}))
        << value;
  }
  EXPECT_TRUE(testing::names(refused_set("network.slots", "-4"), {"network.slots", "-4 entries"}));
  for (const char* value : {"nan", "inf", "-inf"}) {
    EXPECT_TRUE(testing::names(refused_set("hot_spot", value), {"hot_spot", "finite", "0 to 1"}))
        << value;
  }
  for (const char* value : {"", "half", "1e999"}) {
    EXPECT_TRUE(testing::names(refused_set("hot_spot", value), {"--set", "hot_spot", "number"}))
        << value;
  }
  EXPECT_TRUE(testing::names(refused_set("network.combining", "yes"),
                             {"network.combining", "true", "false"}));
  EXPECT_TRUE(
      testing::names(refused_set("network.slot", "4"), {"--set", "network.slot", "network.slots"}));
  EXPECT_TRUE(testing::names(refused_set("network", "4"), {"--set", "network", "network.member"}));
}

TEST_F(parameters, assignments_are_names_and_values) {
  set_.set_assignment("name=a=b");
  EXPECT_EQ(platform_.name, "a=b");
  set_.set_assignment("name=");
  EXPECT_EQ(platform_.name, "");
  for (const char* text : {"cycles", "=5", ""}) {
    EXPECT_TRUE(testing::names(message_of([&] { set_.set_assignment(text); }),
                               {"--set", text, "key=value"}))
        << text;
  }
  EXPECT_TRUE(testing::names(message_of([&] { set_.set_assignment("cycles"); }),
                             {"--set", "\"cycles\"", "key=value"}));
}

TEST_F(parameters, elements_of_lists_can_be_set) {
  set_.read_json_text(R"({"regions": [{"base": 1}, {"base": 2}]})", "run.json");
  set_.set("regions.1.base", "20");
  EXPECT_EQ(platform_.regions[0].base, 1U);
  EXPECT_EQ(platform_.regions[1].base, 20U);
  EXPECT_TRUE(set_.contains("regions.1.base"));
  EXPECT_FALSE(set_.contains("regions.2.base"));
  EXPECT_EQ(set_.origin("regions.1.base"), "--set");
  EXPECT_EQ(set_.origin("regions.0.base"), "run.json, line 1, column 23");
  EXPECT_EQ(set_.origin("regions.0.combinable"), "default");
  EXPECT_TRUE(testing::names(refused_set("regions.2.base", "1"),
                             {"--set", "regions.2.base", "regions.0.base"}));
  EXPECT_TRUE(testing::names(refused_set("regions.1.base", "x"), {"regions.1.base", "integer"}));
}

TEST_F(parameters, a_whole_list_can_be_set) {
  set_.set("regions", R"([{"base": 7}, {}, {}])");
  ASSERT_EQ(platform_.regions.size(), 3U);
  EXPECT_EQ(platform_.regions[0].base, 7U);
  set_.set("regions", "[]");
  EXPECT_TRUE(platform_.regions.empty());
  EXPECT_TRUE(contains(refused_set("regions", "[{]"), "--set, line 1, column 3: broken JSON"));
}

TEST_F(parameters, elements_of_lists_have_no_names_in_files) {
  EXPECT_TRUE(testing::names(refused(R"({"regions.0.base": 4})"),
                             {"run.json, line 1, column 2", "regions.0.base"}));
}

TEST_F(parameters, lists_within_lists) {
  struct table {
    std::vector<platform> platforms;
    void bind(parameter_set& set) { set.add_list("platforms", platforms, "Several."); }
  } table;
  parameter_set set = parameter_set::of(table);
  set.read_json_text(
      R"({"platforms": [{}, {"regions": [{}, {"base": 3}], "network": {"slots": 5}}]})",
      "run.json");
  set.set("platforms.1.regions.1.combinable", "false");
  set.set("platforms.0.network.slots", "6");
  ASSERT_EQ(table.platforms.size(), 2U);
  EXPECT_EQ(table.platforms[0].forward.slots, 6U);
  EXPECT_EQ(table.platforms[1].forward.slots, 5U);
  EXPECT_EQ(table.platforms[1].regions[1].base, 3U);
  EXPECT_FALSE(table.platforms[1].regions[1].combinable);
  EXPECT_EQ(set.value("platforms.1.regions").to_text(0),
            R"([{"base":0,"combinable":true},{"base":3,"combinable":false}])");
  EXPECT_EQ(set.describe()[6].name, "platforms[].regions");
  EXPECT_EQ(set.describe()[7].name, "platforms[].regions[].base");
}

TEST_F(parameters, describes_everything_in_order) {
  const auto rows = set_.describe();
  ASSERT_EQ(rows.size(), 9U);
  EXPECT_EQ(rows[0].name, "name");
  EXPECT_EQ(rows[0].type, "text");
  EXPECT_EQ(rows[0].default_value, "\"none\"");
  EXPECT_EQ(rows[1].type, "number");
  EXPECT_EQ(rows[1].default_value, "0.25");
  EXPECT_EQ(rows[1].range, "0 to 1");
  EXPECT_EQ(rows[2].name, "network.slots");
  EXPECT_EQ(rows[2].type, "integer");
  EXPECT_EQ(rows[2].unit, "entries");
  EXPECT_EQ(rows[2].default_value, "4");
  EXPECT_EQ(rows[2].range, "1 to 64");
  EXPECT_EQ(rows[2].description, "Slots of a queue.");
  EXPECT_EQ(rows[3].type, "choice");
  EXPECT_EQ(rows[3].default_value, "\"B\"");
  EXPECT_EQ(rows[3].range, "A | B");
  EXPECT_EQ(rows[4].type, "boolean");
  EXPECT_EQ(rows[4].range, "true | false");
  EXPECT_EQ(rows[5].name, "regions");
  EXPECT_EQ(rows[5].type, "list");
  EXPECT_EQ(rows[5].default_value, "1 element");
  EXPECT_EQ(rows[6].name, "regions[].base");
  EXPECT_EQ(rows[7].name, "regions[].combinable");
  EXPECT_EQ(rows[8].name, "cycles");
  EXPECT_EQ(rows[8].range, "1 or more");
  ASSERT_EQ(set_.groups().size(), 1U);
  EXPECT_EQ(set_.groups()[0].name, "network");
  EXPECT_EQ(set_.groups()[0].description, "The network.");
}

TEST_F(parameters, defaults_are_what_was_bound) {
  set_.set("network.slots", "12");
  EXPECT_EQ(set_.describe()[2].default_value, "4");
}

TEST_F(parameters, ranges_of_numbers_read_well) {
  double value = 0;
  parameter_set set;
  constexpr double most = std::numeric_limits<double>::max();
  set.add("any", value, interval<double>{-most, most}, "", "");
  set.add("positive", value, interval<double>{0, most}, "", "");
  set.add("negative", value, interval<double>{-most, 0}, "", "");
  EXPECT_EQ(set.describe()[0].range, "any finite number");
  EXPECT_EQ(set.describe()[1].range, "0 or more");
  EXPECT_EQ(set.describe()[2].range, "0 or less");
}

TEST_F(parameters, prints_itself_so_that_it_reads_itself) {
  set_.read_json_text(
      R"({"name": "x", "hot_spot": 0.1, "regions": [{"base": 5}, {}], "network": {"slots": 3}})",
      "run.json");
  const std::string text = set_.resolved_json();
  EXPECT_EQ(set_.resolved().to_text(0),
            R"({"name":"x","hot_spot":0.1,"network":{"slots":3,"queue_type":"B","combining":true},)"
            R"("regions":[{"base":5,"combinable":true},{"base":0,"combinable":true}],)"
            R"("cycles":1000})");
  platform other;
  parameter_set other_set = parameter_set::of(other);
  other_set.read_json_text(text, "results.json");
  EXPECT_EQ(other_set.resolved_json(), text);
}

TEST_F(parameters, names_and_values) {
  EXPECT_EQ(set_.names(),
            (std::vector<std::string>{"name", "hot_spot", "network.slots", "network.queue_type",
                                      "network.combining", "regions", "regions.0.base",
                                      "regions.0.combinable", "cycles"}));
  EXPECT_EQ(set_.value("network.slots"), json_value(4));
  EXPECT_TRUE(testing::names(message_of([&] { set_.value("slot"); }), {"slot"}));
  EXPECT_FALSE(set_.contains("network"));
}

TEST_F(parameters, remembers_where_values_came_from) {
  set_.read_json_text("{\n\"network\": {\"slots\": 3}, \"cycles\": 5}", "run.json");
  set_.set("cycles", "6");
  EXPECT_EQ(set_.origin("network.slots"), "run.json, line 2, column 22");
  EXPECT_EQ(set_.origin("cycles"), "--set");
  EXPECT_EQ(set_.origin("name"), "default");
  EXPECT_EQ(set_.assignment("network.slots"), "network.slots = 3 (run.json, line 2, column 22)");
  EXPECT_EQ(set_.assignment("name"), "name = \"none\" (default)");
  set_.set("cycles", "7", "series");
  EXPECT_EQ(set_.origin("cycles"), "series");
}

TEST_F(parameters, a_value_set_in_code_is_checked_when_bound) {
  platform bad;
  bad.forward.slots = 0;
  const auto bind = [&] { parameter_set::of(bad); };
  EXPECT_THROW(bind(), configuration_error);
  EXPECT_TRUE(testing::names(message_of(bind), {"network.slots", "0 entries", "1 to 64 entries"}));
  bad.forward.slots = 1;
  bad.hot_spot = std::nan("");
  EXPECT_THROW(bind(), configuration_error);
  bad.hot_spot = 0;
  bad.forward.type = static_cast<queue_type>(7);
  EXPECT_THROW(bind(), configuration_error);
  bad.forward.type = queue_type::a;
  EXPECT_NO_THROW(bind());
}

TEST_F(parameters, mistakes_in_binding_are_told) {
  bool flag = false;
  network inner;
  const auto message = [&](auto function) {
    parameter_set set;
    set.add("taken", flag, "");
    set.add_group("group", inner, "");
    return testing::message_of<error>([&] { function(set); });
  };
  EXPECT_TRUE(testing::names(message([&](parameter_set& set) { set.add("taken", flag, ""); }),
                             {"taken", "twice"}));
  EXPECT_TRUE(testing::names(message([&](parameter_set& set) { set.add("group", flag, ""); }),
                             {"group", "twice"}));
  EXPECT_TRUE(
      testing::names(message([&](parameter_set& set) { set.add_group("taken", inner, ""); }),
                     {"taken", "parameter", "group"}));
  EXPECT_TRUE(
      testing::names(message([&](parameter_set& set) { set.add_group("group", inner, ""); }),
                     {"group.slots", "twice"}));
  EXPECT_TRUE(testing::names(message([&](parameter_set& set) { set.add("Bad.name", flag, ""); }),
                             {"\"Bad.name\""}));
  EXPECT_TRUE(
      testing::names(message([&](parameter_set& set) { set.add_group("", inner, ""); }), {"\"\""}));
}

TEST_F(parameters, kinds_of_errors) {
  EXPECT_THROW(set_.read_json_text("{", "run.json"), input_error);
  EXPECT_THROW(set_.read_json_file("/no/such.json"), input_error);
  EXPECT_THROW(set_.read_json_text("{\"x\": 1}", "run.json"), configuration_error);
  EXPECT_THROW(set_.set("cycles", "x"), configuration_error);
  EXPECT_THROW(set_.set("x", "1"), configuration_error);
}

TEST_F(parameters, a_set_can_be_moved) {
  parameter_set moved = std::move(set_);
  moved.set("regions.0.base", "4");
  EXPECT_EQ(platform_.regions[0].base, 4U);
  set_ = std::move(moved);
  set_.set("regions.0.base", "5");
  EXPECT_EQ(platform_.regions[0].base, 5U);
}

}  // namespace
}  // namespace tributary
