// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tributary/controller/jump_table.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include <support/failure.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

constexpr node_id here{3};
constexpr node_id elsewhere{4};

dispatch_rule rule(std::uint8_t type, message_origin origin, locality where, unsigned run) {
  dispatch_rule made;
  made.type = type;
  made.origin = origin;
  made.where = where;
  made.run = static_cast<handler_id>(run);
  return made;
}

message arrival(std::uint8_t type, message_origin origin, node_id home, std::uint32_t space = 0) {
  message made;
  made.type = type;
  made.origin = origin;
  made.address = address_layout().address_of(home, space, 4096);
  return made;
}

jump_table table_of(const std::vector<dispatch_rule>& rules) {
  return jump_table(jump_table_config(), rules, address_layout(), here);
}

std::string refusal(const std::vector<dispatch_rule>& rules) {
  return testing::failure([&] { table_of(rules); });
}

TEST(jump_table, refuses_rules_that_it_cannot_hold) {
  std::vector<dispatch_rule> rules;
  for (unsigned i = 0; i < 5; ++i) {
    rules.push_back(rule(40, message_origin::network, i < 4 ? locality::any : locality::local, i));
    rules.back().process = static_cast<std::uint8_t>(i);
  }
  EXPECT_TRUE(
      testing::names(refusal(rules), {"table", "type 40", "handler 4", "at most 4 candidates"}));
  jump_table_config wider;
  wider.candidates = 5;
  EXPECT_NO_THROW(jump_table(wider, rules, address_layout(), here));
  wider.candidates = 0;
  EXPECT_THROW(jump_table(wider, rules, address_layout(), here), configuration_error);
  rules.resize(4);
  EXPECT_EQ(refusal(rules), "");
}

TEST(jump_table, refuses_rules_that_no_message_meets) {
  std::vector<dispatch_rule> rules{rule(40, message_origin::network, locality::any, 1)};
  rules[0].space = 4;
  EXPECT_TRUE(testing::names(refusal(rules), {"space 4", "0 to 3"}));
  rules[0].space = 3;
  rules[0].flavor = 4;
  EXPECT_TRUE(testing::names(refusal(rules), {"flavor 4"}));
  rules[0].flavor = 3;
  EXPECT_EQ(refusal(rules), "");
  rules[0].run = no_handler;
  EXPECT_TRUE(testing::names(refusal(rules), {"no handler"}));
  for (const message_origin each : {message_origin::deferred, message_origin::timed}) {
    rules[0] = rule(40, each, locality::any, 1);
    EXPECT_TRUE(testing::names(refusal(rules), {"bring"}));
  }

  rules = {rule(40, message_origin::network, locality::local, 1),
           rule(40, message_origin::network, locality::any, 2)};
  EXPECT_EQ(refusal(rules), "") << "the second still gets remote addresses";
  rules.push_back(rule(40, message_origin::network, locality::any, 3));
  EXPECT_TRUE(testing::names(refusal(rules), {"handler 3", "never"}));
  rules[1].needs_buffer = true;
  EXPECT_EQ(refusal(rules), "");
}

TEST(jump_table, agrees_with_a_search_through_all_rules) {
  constexpr std::uint8_t types[] = {0, 50, 255};
  constexpr std::uint64_t message_origins = 4;
  random_stream random(7, 0U, 0U);
  const address_layout layout;
  const auto maybe = [&random]() -> std::optional<std::uint8_t> {
    if (random.below(2) == 0) return std::nullopt;
    return static_cast<std::uint8_t>(random.below(4));
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<dispatch_rule> rules;
    for (unsigned i = 0; i < 12; ++i) {
      dispatch_rule made =
          rule(types[random.below(3)], static_cast<message_origin>(random.below(message_origins)),
               static_cast<locality>(random.below(3)), i);
      made.space = maybe();
      made.flavor = maybe();
      made.process = maybe();
      made.needs_buffer = random.below(3) == 0;
      made.ahead = random.below(2) == 0 ? speculation::none : speculation::read_line;
      rules.push_back(made);
      jump_table_config wide;
      wide.candidates = 12;
      try {
        jump_table(wide, rules, layout, here);
      } catch (const configuration_error&) {
        rules.pop_back();  // hidden by an earlier one
      }
    }
    jump_table_config wide;
    wide.candidates = 12;
    const jump_table table(wide, rules, layout, here);
    for (int step = 0; step < 300; ++step) {
      message what = arrival(
          types[random.below(3)], static_cast<message_origin>(random.below(message_origins)),
          random.below(2) == 0 ? here : elsewhere, static_cast<std::uint32_t>(random.below(4)));
      what.flavor = static_cast<std::uint8_t>(random.below(4));
      what.process = static_cast<std::uint8_t>(random.below(4));
      const bool available = random.below(2) == 0;
      const dispatch_rule* expected = nullptr;
      for (const dispatch_rule& each : rules) {
        const bool local = layout.node_of(what.address) == here;
        if (each.type == what.type && each.origin == what.origin &&
            (each.where == locality::any || (each.where == locality::local) == local) &&
            (!each.space || *each.space == layout.space_of(what.address)) &&
            (!each.flavor || *each.flavor == what.flavor) &&
            (!each.process || *each.process == what.process) && (available || !each.needs_buffer)) {
          expected = &each;
          break;
        }
      }
      const std::optional<jump_table_entry> found = table.find(what, available);
      ASSERT_EQ(found.has_value(), expected != nullptr);
      if (!found) continue;
      ASSERT_EQ(found->run, expected->run);
      ASSERT_EQ(found->ahead, expected->ahead);
    }
  }
}

}  // namespace
}  // namespace tributary
