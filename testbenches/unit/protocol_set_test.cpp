// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/protocol_set.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/controller/fiber_protocol.h>
#include <tributary/sim/error.h>

#include <support/failure.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

constexpr std::uint8_t read_type = static_cast<std::uint8_t>(common_type::uncached_read);

std::uint64_t half(std::uint64_t offset) { return offset / 2; }

/// A protocol that is what a test says.
class sample final : public fiber_protocol {
 public:
  explicit sample(std::string name) : called(std::move(name)) {
    served = {{"first", [](handler_context&) {}}, {"second", [](handler_context&) {}}};
  }

  std::string name() const override { return called; }
  std::vector<facility> needs() const override { return needed; }
  std::vector<dispatch_rule> rules() const override { return ruled; }
  std::vector<handler> handlers() override { return served; }
  std::vector<message_name> message_names() const override { return {{20, "twenty", half}}; }
  std::uint64_t storage_bytes() const override { return bytes; }
  void initialize(const protocol_storage& where, word_memory& memory) override {
    found_at = where;
    memory.write(where.address, where.address + 1);
  }

  std::string called;
  std::vector<facility> needed;
  std::vector<dispatch_rule> ruled;
  std::vector<handler> served;
  std::uint64_t bytes = 0;
  protocol_storage found_at;
};

class recorded_memory final : public word_memory {
 public:
  word_t read(std::uint64_t) const override { return 0; }
  void write(std::uint64_t address, word_t value) override { writes.emplace_back(address, value); }

  std::vector<std::pair<std::uint64_t, word_t>> writes;
};

std::unique_ptr<sample> make(const std::string& name, std::uint8_t type, std::uint16_t run = 0) {
  auto made = std::make_unique<sample>(name);
  made->ruled = {{type, message_origin::network, locality::any, handler_id{run}}};
  return made;
}

protocol_set combine(std::unique_ptr<sample> a, std::unique_ptr<sample> b = nullptr,
                     const protocol_site& site = {node_id{5}, 8, 1000, 4096, {}}) {
  std::vector<std::unique_ptr<protocol>> all;
  all.push_back(std::move(a));
  if (b) all.push_back(std::move(b));
  return {site, std::move(all)};
}

std::string refusal_of(std::unique_ptr<sample> a, std::unique_ptr<sample> b = nullptr) {
  return testing::failure([&] { combine(std::move(a), std::move(b)); });
}

TEST(protocol_set, numbers_and_names_the_handlers_of_all_protocols) {
  const protocol_set both = combine(make("ping", 20), make("pong", 21, 1));
  ASSERT_EQ(both.handler_names().size(), 4U);
  EXPECT_EQ(both.handler_names()[0], "ping.first");
  EXPECT_EQ(both.handler_names()[3], "pong.second");
  EXPECT_EQ(both.message_names().at(1), "uncached_read");
  EXPECT_EQ(both.message_names().at(static_cast<std::size_t>(common_type::line_refused)),
            "line_refused");
  EXPECT_EQ(both.message_names().at(20), "twenty");
  EXPECT_EQ(both.message_names().at(21), "type 21");
  EXPECT_EQ(both.message_numbers().at(20)(6), 3U);
  EXPECT_EQ(both.message_numbers().at(21), nullptr);
  EXPECT_EQ(both.name_of(handler_id{2}), "pong.first");
  EXPECT_EQ(both.name_of(handler_id{4}), "handler 4");
  EXPECT_EQ(both.find("pong.second"), handler_id{3});
  EXPECT_EQ(both.find("pong.third"), no_handler);
  ASSERT_EQ(both.rules().size(), 2U);
  EXPECT_EQ(both.rules()[0].run, handler_id{0});
  EXPECT_EQ(both.rules()[1].run, handler_id{3});
  EXPECT_EQ(both.rules()[1].type, 21U);
}

TEST(protocol_set, places_storage_in_lines_one_after_the_other) {
  auto first = make("ping", 20);
  auto second = make("pong", 21);
  const sample& ping = *first;
  const sample& pong = *second;
  first->bytes = 130;
  second->bytes = 8;
  protocol_set both = combine(std::move(first), std::move(second));
  EXPECT_EQ(both.size(), 2U);
  EXPECT_EQ(both.storage(0).address, 1024U);
  EXPECT_EQ(both.storage(1).address, 1280U);
  EXPECT_EQ(both.storage_end(), 1408U);
  recorded_memory memory;
  both.initialize(memory);
  EXPECT_EQ(memory.writes,
            (std::vector<std::pair<std::uint64_t, word_t>>{{1024, 1025}, {1280, 1281}}));
  EXPECT_EQ(ping.found_at.node, node_id{5});
  EXPECT_EQ(ping.found_at.nodes, 8U);
  EXPECT_EQ(ping.found_at.first_handler, handler_id{0});
  EXPECT_EQ(pong.found_at.address, 1280U);
  EXPECT_EQ(pong.found_at.first_handler, handler_id{2});
  EXPECT_EQ(&both.at(1), &pong);
}

TEST(protocol_set, fills_the_memory_to_its_end) {
  auto whole = make("ping", 20);
  whole->bytes = 3072;
  EXPECT_EQ(combine(std::move(whole)).storage_end(), 4096U);
}

TEST(protocol_set, is_allowed_to_be_empty) {
  const protocol_set none({node_id{0}, 1, 0, 0, {}}, {});
  EXPECT_TRUE(none.handler_names().empty());
  EXPECT_TRUE(none.rules().empty());
}

TEST(protocol_set, lets_protocols_share_the_types_that_every_controller_knows) {
  auto narrow = make("ping", read_type);
  narrow->ruled[0].space = 3;
  const protocol_set both = combine(std::move(narrow), make("pong", read_type));
  EXPECT_EQ(both.rules().size(), 2U);
}

TEST(protocol_set, takes_candidates_that_differ_in_a_filter_or_key) {
  auto many = make("ping", 20);
  const dispatch_rule first = many->ruled[0];
  many->ruled.assign(6, first);
  many->ruled[0].where = locality::local;
  many->ruled[1].flavor = 1;
  many->ruled[2].process = 1;
  many->ruled[3].origin = message_origin::processor;
  many->ruled[4].needs_buffer = true;
  EXPECT_EQ(combine(std::move(many)).rules().size(), 6U);
}

TEST(protocol_set, refuses_two_protocols_that_rule_one_type) {
  EXPECT_TRUE(testing::names(refusal_of(make("ping", 20), make("pong", 20)),
                             {"'ping'", "'pong'", "type 20"}));
}

TEST(protocol_set, refuses_a_rule_that_an_earlier_one_hides) {
  auto narrow = make("pong", read_type);
  narrow->ruled[0].space = 3;
  EXPECT_TRUE(testing::names(refusal_of(make("ping", read_type), std::move(narrow)),
                             {"'pong'", "type 1", "'ping.first'"}));
}

TEST(protocol_set, refuses_a_facility_that_is_not_there) {
  auto demanding = make("ping", 20);
  demanding->needed = {facility::realignment};
  const std::string refusal = refusal_of(std::move(demanding));
  EXPECT_TRUE(testing::names(refusal, {"'ping'", "'realignment'"}));
  auto content = make("ping", 20);
  content->needed = {facility::realignment};
  EXPECT_NO_THROW(
      combine(std::move(content), nullptr, {node_id{0}, 1, 0, 4096, {facility::realignment}}));
}

TEST(protocol_set, refuses_a_rule_for_a_handler_that_is_not_there) {
  EXPECT_TRUE(testing::names(refusal_of(make("ping", 20), make("pong", 21, 2)),
                             {"'pong'", "type 21", "handler 2"}));
  auto unset = make("ping", 20);
  unset->ruled[0].run = no_handler;
  EXPECT_NE(refusal_of(std::move(unset)).find("handler 65535"), std::string::npos);
}

TEST(protocol_set, refuses_storage_beyond_the_memory) {
  auto large = make("pong", 21);
  large->bytes = 3073;
  EXPECT_TRUE(testing::names(refusal_of(make("ping", 20), std::move(large)),
                             {"'pong'", "3073", "1024", "4096"}));
  auto endless = make("ping", 20);
  endless->bytes = ~std::uint64_t{0};
  EXPECT_NE(refusal_of(std::move(endless)).find("beyond the 4096 bytes"), std::string::npos);
}

TEST(protocol_set, refuses_names_that_cannot_be_told_apart) {
  EXPECT_TRUE(testing::names(refusal_of(make("ping", 20), make("ping", 21)), {"node 5", "'ping'"}));
  auto twins = make("ping", 20);
  twins->served[1].name = "first";
  EXPECT_TRUE(testing::names(refusal_of(std::move(twins)), {"handlers", "'ping.first'"}));
  EXPECT_NE(refusal_of(make("Ping", 20)).find("lower case"), std::string::npos);
  EXPECT_NE(refusal_of(make("", 20)).find("lower case"), std::string::npos);
  auto dotted = make("ping", 20);
  dotted->served[1].name = "a.b";
  EXPECT_TRUE(testing::names(refusal_of(std::move(dotted)), {"'ping.a.b'", "name"}));
}

std::string refusal_of_bodies(std::unique_ptr<protocol> last) {
  std::vector<std::unique_ptr<protocol>> all;
  all.push_back(make("ping", 20));
  all.push_back(std::move(last));
  protocol_set set({node_id{5}, 8, 1000, 4096, {}}, std::move(all));
  return testing::failure([&] { handlers_of(set); });
}

TEST(protocol_set, gives_the_bodies_of_all_protocols_their_full_names) {
  protocol_set both = combine(make("ping", 20), make("pong", 21));
  const std::vector<handler> all = handlers_of(both);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[1].name, "ping.second");
  EXPECT_EQ(all[2].name, "pong.first");
}

TEST(protocol_set, refuses_to_run_a_handler_without_body) {
  auto empty = make("pong", 21);
  empty->served[1].body = nullptr;
  EXPECT_TRUE(testing::names(refusal_of_bodies(std::move(empty)), {"'pong.second'", "body"}));
}

TEST(protocol_set, refuses_to_run_a_protocol_of_another_executor) {
  class program_elsewhere final : public protocol {
   public:
    std::string name() const override { return "pong"; }
    std::vector<dispatch_rule> rules() const override { return {}; }
    std::vector<std::string> handler_names() override { return {"only"}; }
    void initialize(const protocol_storage&, word_memory&) override {}
  };
  EXPECT_TRUE(
      testing::names(refusal_of_bodies(std::make_unique<program_elsewhere>()), {"'pong'", "C++"}));
}

}  // namespace
}  // namespace tributary
