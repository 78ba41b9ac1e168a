// SPDX-License-Identifier: Apache-2.0
// What the directory tells other protocols of a node about a line, and what they do to its entry.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <support/coherent_machine.h>
#include <support/scripted_machine.h>

namespace tributary {
namespace {

using testing::coherent_config;
using testing::coherent_machine;

constexpr std::uint64_t offset = 0x3000;

/// A coherent machine whose handler of an uncached read asks what a test wants to know.
class asked_machine {
  using question = std::function<void(line_states&, handler_context&)>;

  std::vector<line_states*> lines_;  // by node
  question question_;

 public:
  explicit asked_machine(std::uint32_t nodes)
      : m(coherent_config(nodes), [this](std::unique_ptr<coherence_protocol> coherence) {
          lines_.push_back(&coherence->lines());
          testing::script bodies;
          bodies.read = [this, &own = *lines_.back()](handler_context& context) {
            question_(own, context);
            context.answer(0);
          };
          coherent_machine::protocol_list all;
          all.push_back(std::move(coherence));
          all.push_back(std::make_unique<testing::scripted_protocol>(bodies));
          return all;
        }) {}

  /// Asks on a node, and runs until all is at rest.
  void ask(std::uint32_t node, question asked) {
    question_ = std::move(asked);
    magic_machine& nodes = m.machine;
    nodes.node(node).processor().offer(0, {m.address(node, 0x100)}, nodes.now());
    nodes.run_until(nodes.now() + 5000);
    ASSERT_TRUE(nodes.idle());
  }
  std::uint64_t line() const { return m.address(0, offset); }
  coherence::directory_entry entry() const { return m.entry(0, offset); }

  coherent_machine m;
};

/// "memory", or "memory, local, others 2".
std::string text_of(asked_machine& asked) {
  std::string text;
  asked.ask(0, [&](line_states& lines, handler_context& context) {
    const line_place place = lines.place_of(context, asked.line());
    const line_holders holders = lines.holders_of(context, asked.line());
    const char* const places[] = {"memory", "processor", "owner", "pending"};
    text = places[static_cast<std::size_t>(place)];
    if (holders.place != place) text += ", holders differ";
    if (holders.local) text += ", local";
    if (holders.others != 0) text += ", others " + std::to_string(holders.others);
  });
  return text;
}

TEST(coherent_lines_test, tell_who_has_a_line) {
  asked_machine asked(4);
  EXPECT_EQ(text_of(asked), "memory");
  asked.m.read(0, asked.line());
  EXPECT_EQ(text_of(asked), "memory, local");
  asked.m.read(1, asked.line());
  EXPECT_EQ(text_of(asked), "memory, local, others 1");
  asked.m.read(2, asked.line());
  asked.m.read(3, asked.line());
  EXPECT_EQ(text_of(asked), "memory, local, others 3");
  asked.m.write(2, asked.line(), 7);
  EXPECT_EQ(text_of(asked), "owner");
  asked.m.write(0, asked.line(), 8);
  EXPECT_EQ(text_of(asked), "processor");
}

TEST(coherent_lines_test, a_line_that_only_others_share_is_in_memory_too) {
  asked_machine asked(2);
  asked.m.read(1, asked.line());
  EXPECT_EQ(text_of(asked), "memory, others 1");
}

TEST(coherent_lines_test, a_line_is_pending_while_its_owner_is_asked) {
  asked_machine asked(2);
  asked.m.write(1, asked.line(), 7);
  asked.ask(0, [&](line_states& lines, handler_context& context) {
    EXPECT_EQ(lines.begin_asking_owner(context, asked.line()), node_id{1});
  });
  EXPECT_EQ(text_of(asked), "pending");
  asked.ask(0, [&](line_states& lines, handler_context& context) {
    lines.end_asking_owner(context, asked.line());
  });
  EXPECT_EQ(text_of(asked), "owner");
}

TEST(coherent_lines_test, an_owner_shares_what_it_has_given) {
  asked_machine asked(2);
  asked.m.write(1, asked.line(), 7);
  asked.ask(0, [&](line_states& lines, handler_context& context) {
    lines.begin_asking_owner(context, asked.line());
    const auto data = context.allocate();
    ASSERT_TRUE(data);
    context.fill(*data, offset);
    context.set_word(*data, 0, 9);
    lines.take_from_owner(context, asked.line(), *data);
    context.release(*data);
  });
  EXPECT_EQ(text_of(asked), "memory, others 1");
  EXPECT_EQ(asked.m.machine.node(0).memory().read(offset), 9U) << "memory gets it too";
}

TEST(coherent_lines_test, the_homes_processor_shares_what_it_has_given) {
  asked_machine asked(2);
  asked.m.write(0, asked.line(), 7);
  asked.ask(0, [&](line_states& lines, handler_context& context) {
    const auto data = context.allocate();
    ASSERT_TRUE(data);
    lines.ask_processor(context, asked.line(), *data);
    EXPECT_TRUE(lines.take_from_processor(context, asked.line(), *data));
    context.release(*data);
  });
  EXPECT_EQ(text_of(asked), "memory, local");
  EXPECT_EQ(asked.m.machine.node(0).memory().read(offset), 7U);
  EXPECT_EQ(asked.m.machine.node(0).caches()->state_of(asked.line()), line_state::shared);
}

TEST(coherent_lines_test, the_homes_caches_lose_a_line) {
  for (const bool is_dirty : {false, true}) {
    SCOPED_TRACE(is_dirty ? "dirty" : "shared");
    asked_machine asked(2);
    asked.m.read(0, asked.line());
    if (is_dirty) asked.m.write(0, asked.line(), 7);
    asked.ask(0, [&](line_states& lines, handler_context& context) {
      if (!is_dirty) {
        lines.take_sharing(context, asked.line());
        return;
      }
      lines.drop_dirty(context, asked.line());
      EXPECT_TRUE(lines.dropped(context, asked.line()));
    });
    EXPECT_EQ(text_of(asked), "memory");
    EXPECT_EQ(asked.m.machine.node(0).caches()->state_of(asked.line()), line_state::invalid);
  }
}

TEST(coherent_lines_test, all_who_share_a_line_are_told_once_and_the_last_answer_tells_it) {
  asked_machine asked(4);
  for (const std::uint32_t reader : {1U, 2U, 3U}) asked.m.read(reader, asked.line());
  std::vector<std::uint32_t> told;
  asked.ask(0, [&](line_states& lines, handler_context& context) {
    for (int i = 0; i < 3; ++i) told.push_back(index(lines.next_holder(context, asked.line())));
    lines.await(context, asked.line(), line_states::most_awaited);
  });
  std::sort(told.begin(), told.end());
  EXPECT_EQ(told, (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(text_of(asked), "pending");
  EXPECT_EQ(asked.entry().acknowledgements(), 3U);
  std::vector<word_t> answers;
  asked.ask(0, [&](line_states& lines, handler_context& context) {
    for (int i = 0; i < 3; ++i) answers.push_back(lines.acknowledged(context, asked.line(), true));
  });
  EXPECT_EQ(answers, (std::vector<word_t>{0, 0, line_states::most_awaited}));
  EXPECT_EQ(text_of(asked), "memory");
}

TEST(coherent_lines_test, what_nobody_awaits_is_not_told) {
  asked_machine asked(2);
  std::vector<word_t> answers;
  for (const word_t awaited : {7U, 0U}) {
    asked.m.read(1, asked.line());
    asked.ask(0, [&](line_states& lines, handler_context& context) {
      lines.next_holder(context, asked.line());
      if (awaited != 0) lines.await(context, asked.line(), awaited);
      answers.push_back(lines.acknowledged(context, asked.line(), true));
    });
    asked.ask(1, [&](line_states& lines, handler_context& context) {
      lines.drop(context, asked.line(), false);
    });
  }
  EXPECT_EQ(answers, (std::vector<word_t>{7, 0}));
}

TEST(coherent_lines_test, an_owner_that_had_the_line_not_any_more_owns_it_until_its_write_back) {
  for (const bool had : {false, true}) {
    asked_machine asked(2);
    asked.m.write(1, asked.line(), 7);
    asked.ask(0, [&](line_states& lines, handler_context& context) {
      EXPECT_EQ(lines.next_holder(context, asked.line()), node_id{1});
      lines.await(context, asked.line(), 7);
      EXPECT_EQ(lines.acknowledged(context, asked.line(), had), 7U);
    });
    EXPECT_EQ(text_of(asked), had ? "memory" : "owner");
  }
}

TEST(coherent_lines_test, another_node_drops_a_line_and_tells_whether_it_was_there) {
  asked_machine asked(2);
  const auto had = [&asked](bool wants_state) {
    bool told = false;
    asked.ask(1, [&](line_states& lines, handler_context& context) {
      told = lines.drop(context, asked.line(), wants_state);
    });
    EXPECT_EQ(asked.m.machine.node(1).caches()->state_of(asked.line()), line_state::invalid);
    return told;
  };
  EXPECT_FALSE(had(true));
  asked.m.write(1, asked.line(), 7);
  EXPECT_TRUE(had(true));
}

TEST(coherent_lines_test, another_node_gives_a_line_and_tells_whether_it_was_there) {
  asked_machine asked(2);
  const auto given = [&asked] {
    word_t word = 0;
    asked.ask(1, [&](line_states& lines, handler_context& context) {
      const auto data = context.allocate();
      ASSERT_TRUE(data);
      lines.ask_processor(context, asked.line(), *data);
      if (lines.was_there(context, asked.line())) word = context.word(*data, 0);
      context.release(*data);
    });
    return word;
  };
  EXPECT_EQ(given(), 0U);
  asked.m.write(1, asked.line(), 7);
  EXPECT_EQ(given(), 7U);
  EXPECT_EQ(asked.m.machine.node(1).caches()->state_of(asked.line()), line_state::shared);
}

}  // namespace
}  // namespace tributary
