// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/fiber_executor.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <tributary/sim/error.h>

#include <support/failure.h>
#include <support/text_checks.h>
#include <support/usual_line.h>

namespace tributary {
namespace {

constexpr node_id here{3};
const address_layout layout;

handler named(const std::string& name, std::function<void(handler_context&)> body) {
  return {name, std::move(body)};
}

fiber_executor executor_of(std::function<void(handler_context&)> body) {
  return {here, layout, {named("test.only", std::move(body))}};
}

handler_answer answer_at(cycle_t at, word_t value = 0, payload_handle data = no_payload) {
  return {at, value, data};
}

/// What a handler of one operation asks; checks that it ends afterwards.
handler_request request_of(std::function<void(handler_context&)> body, const message& with = {}) {
  fiber_executor runs = executor_of(std::move(body));
  const handler_request asked = runs.start(handler_id{0}, with, 100);
  EXPECT_EQ(runs.resume(answer_at(120)).operation, handler_operation::finish);
  EXPECT_FALSE(runs.running());
  return asked;
}

TEST(fiber_executor, runs_a_handler_that_asks_nothing_to_its_end) {
  message arrived;
  fiber_executor runs = executor_of([&](handler_context& node) {
    arrived = node.arrived();
    EXPECT_EQ(node.here(), here);
    EXPECT_EQ(&node.addresses(), &layout);
    EXPECT_TRUE(node.is_local(layout.address_of(here, 2, 4096)));
    EXPECT_FALSE(node.is_local(layout.address_of(node_id{2}, 2, 4096)));
    node.spend(8);
    node.spend(7);
  });
  message with;
  with.type = 17;
  with.address = 0x1234;
  const handler_request end = runs.start(handler_id{0}, with, 100);
  EXPECT_EQ(end.operation, handler_operation::finish);
  EXPECT_EQ(end.spent, 15U);
  EXPECT_EQ(arrived, with);
  EXPECT_FALSE(runs.running());
}

TEST(fiber_executor, suspends_at_each_operation_and_counts_cycles_from_the_beginning) {
  std::vector<word_t> seen;
  fiber_executor runs = executor_of([&](handler_context& node) {
    node.spend(10);
    seen.push_back(node.load(0x40));
    node.spend(5);
    seen.push_back(node.now());
    seen.push_back(node.space(message_lane::reply));
    node.spend(1);
  });
  const handler_request load = runs.start(handler_id{0}, {}, 100);
  EXPECT_EQ(load.operation, handler_operation::load);
  EXPECT_EQ(load.address, 0x40U);
  EXPECT_EQ(load.spent, 10U);
  EXPECT_TRUE(runs.running());
  const handler_request look = runs.resume(answer_at(110, 77));
  EXPECT_EQ(look.operation, handler_operation::now);
  EXPECT_EQ(look.spent, 15U);
  const handler_request space = runs.resume(answer_at(130));
  EXPECT_EQ(space.operation, handler_operation::space);
  EXPECT_EQ(space.number, 1U);
  EXPECT_EQ(space.spent, 15U);
  const handler_request end = runs.resume(answer_at(130, 9));
  EXPECT_EQ(end.operation, handler_operation::finish);
  EXPECT_EQ(end.spent, 16U);
  EXPECT_EQ(seen, (std::vector<word_t>{77, 130, 9}));
  // The next handler counts from its own beginning.
  EXPECT_EQ(runs.start(handler_id{0}, {}, 200).spent, 10U);
}

/// Knows what every load finds, once.
class one_load final : public prompt_controller {
 public:
  bool perform_at_once(const handler_request& asked, handler_answer& found) noexcept override {
    spent.push_back(asked.spent);
    if (asked.operation != handler_operation::load || done) return false;
    done = true;
    found = {100, 55, no_payload};
    return true;
  }
  std::vector<std::uint64_t> spent;
  bool done = false;
};

TEST(fiber_executor, asks_a_controller_first_that_can_do_it_at_once) {
  std::vector<word_t> seen;
  fiber_executor runs = executor_of([&](handler_context& node) {
    node.spend(10);
    seen.push_back(node.load(0x40));
    node.spend(5);
    seen.push_back(node.load(0x48));
  });
  one_load prompt;
  runs.ask_first(prompt);
  const handler_request second = runs.start(handler_id{0}, {}, 100);
  EXPECT_EQ(second.address, 0x48U);
  EXPECT_EQ(second.spent, 15U);
  EXPECT_EQ(runs.resume(answer_at(115, 66)).operation, handler_operation::finish);
  EXPECT_EQ(seen, (std::vector<word_t>{55, 66}));
  EXPECT_EQ(prompt.spent, (std::vector<std::uint64_t>{10, 15}));
}

TEST(fiber_executor, sends_in_the_name_of_its_node) {
  message what;
  what.type = 40;
  what.source = node_id{9};
  what.destination = node_id{1};
  what.data = payload_handle{5};
  what.length = line_bytes;
  const handler_request asked = request_of([&](handler_context& node) { node.send(what); });
  EXPECT_EQ(asked.operation, handler_operation::send);
  what.source = here;
  EXPECT_EQ(asked.header, what);
  EXPECT_EQ(asked.data, payload_handle{5});
}

TEST(fiber_executor, hands_over_the_operands_of_each_operation) {
  using operation = handler_operation;
  using body = std::function<void(handler_context&)>;
  const payload_handle a{6};
  const payload_handle b{7};
  message with;
  with.tag = 2;
  with.aux = 500;
  const auto request = [](operation name, payload_handle data, std::uint64_t number,
                          std::uint64_t address, word_t value = 0) {
    handler_request expected;
    expected.operation = name;
    expected.data = data;
    expected.number = number;
    expected.address = address;
    expected.value = value;
    return expected;
  };
  handler_request realigned = request(operation::fill_realigned, a, 5, 0x100);
  realigned.second = b;
  handler_request later = request(operation::later, no_payload, 0, 0x200);
  later.run = handler_id{4};
  later.header = with;
  handler_request again = request(operation::again, no_payload, 0, 0);
  again.header = with;
  handler_request after = request(operation::after, no_payload, 1000, 0);
  after.run = handler_id{5};
  after.header = with;
  const std::vector<std::pair<body, handler_request>> cases = {
      {[&](handler_context& node) { node.retain(a); }, request(operation::retain, a, 0, 0)},
      {[&](handler_context& node) { node.release(a); }, request(operation::release, a, 0, 0)},
      {[&](handler_context& node) { node.word(a, 15); }, request(operation::word, a, 15, 0)},
      {[&](handler_context& node) { node.set_word(a, 3, 99); },
       request(operation::set_word, a, 3, 0, 99)},
      {[&](handler_context& node) { node.fill(a, 0x80); }, request(operation::fill, a, 0, 0x80)},
      {[&](handler_context& node) { node.fill_realigned(a, b, 5, 0x100); }, realigned},
      {[&](handler_context& node) { node.spill(a, 0x180); },
       request(operation::spill, a, 0, 0x180)},
      {[&](handler_context& node) { node.spill_word(a, 2, 0x48); },
       request(operation::spill_word, a, 2, 0x48)},
      {[](handler_context& node) { node.settle(); }, request(operation::settle, no_payload, 0, 0)},
      {[](handler_context& node) { node.answer(88); },
       request(operation::answer, no_payload, 2, 0, 88)},
      {[](handler_context& node) { node.store(0x50, 4); },
       request(operation::store, no_payload, 0, 0x50, 4)},
      {[&](handler_context& node) { node.later(0x200, handler_id{4}, with); }, later},
      {[](handler_context& node) { node.again(); }, again},
      {[](handler_context& node) { node.done(); }, request(operation::done, no_payload, 0, 0)},
      {[&](handler_context& node) { node.after(1000, handler_id{5}, with); }, after},
  };
  for (const auto& [run, expected] : cases) {
    const handler_request asked = request_of(run, with);
    const int operation_number = static_cast<int>(expected.operation);
    EXPECT_EQ(asked.operation, expected.operation);
    EXPECT_EQ(asked.data, expected.data) << operation_number;
    EXPECT_EQ(asked.second, expected.second) << operation_number;
    EXPECT_EQ(asked.number, expected.number) << operation_number;
    EXPECT_EQ(asked.address, expected.address) << operation_number;
    EXPECT_EQ(asked.value, expected.value) << operation_number;
    EXPECT_EQ(asked.run, expected.run) << operation_number;
    EXPECT_EQ(asked.header, expected.header) << operation_number;
  }
  handler_request asked = request_of([](handler_context& node) { node.answer(88); }, with);
  EXPECT_EQ(asked.operation, handler_operation::answer);
  EXPECT_EQ(asked.number, 2U);
  EXPECT_EQ(asked.value, 88U);
  asked = request_of([](handler_context& node) { node.store(0x50, 4); });
  EXPECT_EQ(asked.operation, handler_operation::store);
  EXPECT_EQ(asked.address, 0x50U);
  EXPECT_EQ(asked.value, 4U);
  asked = request_of([&](handler_context& node) { node.later(0x200, handler_id{4}, with); });
  EXPECT_EQ(asked.operation, handler_operation::later);
  EXPECT_EQ(asked.address, 0x200U);
  EXPECT_EQ(asked.run, handler_id{4});
  EXPECT_EQ(asked.header, with);
  asked = request_of([](handler_context& node) { node.again(); }, with);
  EXPECT_EQ(asked.operation, handler_operation::again);
  EXPECT_EQ(asked.header, with);
  EXPECT_EQ(request_of([](handler_context& node) { node.done(); }).operation,
            handler_operation::done);
  asked = request_of([&](handler_context& node) { node.after(1000, handler_id{5}, with); });
  EXPECT_EQ(asked.operation, handler_operation::after);
  EXPECT_EQ(asked.number, 1000U);
  EXPECT_EQ(asked.run, handler_id{5});
}

TEST(fiber_executor, gives_a_handler_what_was_found) {
  std::optional<payload_handle> none = payload_handle{1};
  std::optional<payload_handle> one;
  std::uint8_t tag = 0;
  fiber_executor runs = executor_of([&](handler_context& node) {
    none = node.allocate();
    one = node.allocate();
    tag = node.keep_read();
  });
  EXPECT_EQ(runs.start(handler_id{0}, {}, 1).operation, handler_operation::allocate);
  EXPECT_EQ(runs.resume(answer_at(2)).operation, handler_operation::allocate);
  EXPECT_EQ(runs.resume(answer_at(3, 0, payload_handle{12})).operation,
            handler_operation::keep_read);
  EXPECT_EQ(runs.resume(answer_at(4, 3)).operation, handler_operation::finish);
  EXPECT_EQ(none, std::nullopt);
  EXPECT_EQ(one, payload_handle{12});
  EXPECT_EQ(tag, 3U);
}

TEST(fiber_executor, names_the_handler_whose_body_throws_and_goes_on_with_the_next) {
  fiber_executor runs(here, layout,
                      {named("test.bad",
                             [](handler_context& node) {
                               node.load(0);
                               throw std::out_of_range("no such record");
                             }),
                       named("test.worse", [](handler_context&) { throw 7; }),
                       named("test.good", [](handler_context& node) { node.spend(3); })});
  runs.start(handler_id{0}, {}, 41);
  EXPECT_TRUE(testing::names(testing::failure([&] { runs.resume(answer_at(50)); }),
                             {"'test.bad'", "node 3", "cycle 41", "no such record"}));
  EXPECT_FALSE(runs.running());
  EXPECT_TRUE(testing::names(testing::failure([&] { runs.start(handler_id{1}, {}, 60); }),
                             {"'test.worse'", "node 3", "cycle 60"}));
  EXPECT_EQ(runs.start(handler_id{2}, {}, 70).spent, 3U);
}

TEST(fiber_executor, unwinds_a_handler_that_is_given_up) {
  int unwound = 0;
  struct counter {
    int& of;
    ~counter() { ++of; }
  };
  const auto body = [&](handler_context& node) {
    const counter one{unwound};
    try {
      node.load(0);
    } catch (const std::exception&) {
      ADD_FAILURE() << "giving up is no error";
    }
    node.load(8);
  };
  fiber_executor runs = executor_of(body);
  runs.start(handler_id{0}, {}, 1);
  runs.abandon();
  EXPECT_EQ(unwound, 1);
  EXPECT_FALSE(runs.running());
  runs.abandon();
  EXPECT_EQ(unwound, 1);
  EXPECT_EQ(runs.start(handler_id{0}, {}, 2).operation, handler_operation::load);
  {
    fiber_executor destroyed = executor_of(body);
    destroyed.start(handler_id{0}, {}, 3);
    destroyed.resume(answer_at(4));
  }
  EXPECT_EQ(unwound, 2);
}

TEST(fiber_executor, gives_up_a_handler_that_asks_while_it_is_unwound) {
  struct asks_at_the_end {
    handler_context& node;
    ~asks_at_the_end() { node.store(0, 1); }
  };
  fiber_executor runs = executor_of([](handler_context& node) {
    const asks_at_the_end one{node};
    try {
      node.load(0);
    } catch (...) {
      node.spend(1);  // swallows what unwinds it
    }
    node.load(8);
  });
  runs.start(handler_id{0}, {}, 1);
  runs.abandon();
  EXPECT_EQ(runs.start(handler_id{0}, {}, 2).operation, handler_operation::load);
}

TEST(fiber_executor, reports_a_stack_that_overflows) {
  fiber_executor runs(here, layout,
                      {named("test.deep",
                             [](handler_context& node) {
                               std::byte much[20480];
                               for (volatile std::byte& each : much) {
                                 each = std::byte{1};
                               }
                               node.load(0);
                             })},
                      16384);
  const std::string failure = testing::failure([&] { runs.start(handler_id{0}, {}, 5); });
  EXPECT_NE(failure.find("test.deep"), std::string::npos) << failure;
  EXPECT_NE(failure.find("overflowed"), std::string::npos) << failure;
}

TEST(fiber_executor, refuses_what_is_out_of_turn) {
  fiber_executor runs = executor_of([](handler_context& node) { node.load(0); });
  EXPECT_THROW(runs.resume(answer_at(1)), error);
  EXPECT_THROW(runs.start(handler_id{1}, {}, 1), error);
  runs.start(handler_id{0}, {}, 1);
  EXPECT_THROW(runs.start(handler_id{0}, {}, 2), error);
}

TEST(fiber_executor, brings_a_handler_back_to_the_operation_at_which_it_was) {
  std::vector<word_t> seen;
  const auto body = [&](handler_context& node) {
    node.spend(10);
    seen.push_back(node.load(0x40));
    seen.push_back(node.load(0x48 + 8 * seen.back()));
    node.spend(seen.back());
    seen.push_back(node.now());
  };
  fiber_executor saved = executor_of(body);
  message with;
  with.type = 17;
  saved.start(handler_id{0}, with, 100);
  saved.resume(answer_at(110, 2));
  const handler_request there = saved.resume(answer_at(110, 5));
  const std::string state = saved.save();

  // One that has another handler under way and would answer at once.
  fiber_executor restored = executor_of(body);
  one_load prompt;
  restored.ask_first(prompt);
  restored.start(handler_id{0}, {}, 1);
  prompt.done = false;
  seen.clear();
  const std::optional<handler_request> again = restored.restore(state);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->operation, there.operation);
  EXPECT_EQ(again->spent, 15U);
  EXPECT_EQ(seen, (std::vector<word_t>{2, 5}));
  EXPECT_FALSE(prompt.done);
  EXPECT_EQ(restored.save(), state);
  EXPECT_EQ(restored.resume(answer_at(115)).operation, handler_operation::finish);
  EXPECT_EQ(seen, (std::vector<word_t>{2, 5, 115}));
  EXPECT_FALSE(restored.restore(restored.save()).has_value());
}

TEST(fiber_executor, refuses_a_handler_that_does_something_else) {
  fiber_executor saved = executor_of([](handler_context& node) {
    node.load(0x40);
    node.load(0x48);
  });
  saved.start(handler_id{0}, {}, 100);
  saved.resume(answer_at(110, 2));
  const std::string state = saved.save();
  fiber_executor shorter = executor_of([](handler_context& node) { node.load(0x40); });
  EXPECT_THROW(shorter.restore(state), input_error);
  fiber_executor throwing =
      executor_of([](handler_context&) { throw simulation_error("no more"); });
  EXPECT_THROW(throwing.restore(state), input_error);
  EXPECT_THROW(saved.restore(state.substr(1)), input_error);
  EXPECT_THROW(saved.restore(""), input_error);
}

}  // namespace
}  // namespace tributary
