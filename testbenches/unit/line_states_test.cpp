// SPDX-License-Identifier: Apache-2.0
// The lines of a machine without caches.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

#include <tributary/protocols/line_states.h>

#include <support/scripted_machine.h>

namespace tributary {
namespace {

using testing::script;
using testing::scripted_machine;

constexpr std::uint64_t address = 0x200;

/// What a handler that asks `question` fails with.
std::string failure_of(const std::function<void(handler_context&)>& question) {
  script bodies;
  bodies.read = [&question](handler_context& context) {
    question(context);
    context.answer(0);
  };
  scripted_machine nodes(bodies);
  nodes.read();
  return nodes.run(5000);
}

TEST(line_states_test, without_caches_memory_has_every_line) {
  EXPECT_EQ(failure_of([](handler_context& context) {
              uncached_lines lines;
              EXPECT_TRUE(lines.is_uncached(context, address));
              EXPECT_EQ(lines.place_of(context, address), line_place::memory);
              const line_holders holders = lines.holders_of(context, address);
              EXPECT_EQ(holders.place, line_place::memory);
              EXPECT_FALSE(holders.local);
              EXPECT_EQ(holders.others, 0U);
            }),
            "");
}

TEST(line_states_test, a_line_that_others_are_at_is_pending) {
  struct held_lines : uncached_lines {
    bool is_uncached(handler_context&, std::uint64_t) override { return false; }
  };
  EXPECT_EQ(failure_of([](handler_context& context) {
              held_lines lines;
              EXPECT_EQ(lines.place_of(context, address), line_place::pending);
              EXPECT_EQ(lines.holders_of(context, address).place, line_place::pending);
            }),
            "");
}

TEST(line_states_test, what_only_caches_can_be_asked_is_refused) {
  using lines = line_states;
  using node = handler_context;
  const std::pair<const char*, void (*)(lines&, node&)> questions[] = {
      {"ask_processor", [](lines& l, node& n) { l.ask_processor(n, address, no_payload); }},
      {"take_from_processor",
       [](lines& l, node& n) { l.take_from_processor(n, address, no_payload); }},
      {"begin_asking_owner", [](lines& l, node& n) { l.begin_asking_owner(n, address); }},
      {"take_from_owner", [](lines& l, node& n) { l.take_from_owner(n, address, no_payload); }},
      {"end_asking_owner", [](lines& l, node& n) { l.end_asking_owner(n, address); }},
      {"take_sharing", [](lines& l, node& n) { l.take_sharing(n, address); }},
      {"drop_dirty", [](lines& l, node& n) { l.drop_dirty(n, address); }},
      {"dropped", [](lines& l, node& n) { l.dropped(n, address); }},
      {"next_holder", [](lines& l, node& n) { l.next_holder(n, address); }},
      {"await", [](lines& l, node& n) { l.await(n, address, 1); }},
      {"acknowledged", [](lines& l, node& n) { l.acknowledged(n, address, true); }},
      {"was_there", [](lines& l, node& n) { l.was_there(n, address); }},
      {"drop", [](lines& l, node& n) { l.drop(n, address, true); }},
  };
  for (const auto& [name, ask] : questions) {
    uncached_lines all;
    const auto& asked = ask;
    const std::string refusal = failure_of([&](handler_context& context) { asked(all, context); });
    const std::string wanted = std::string("0x200 (") + name + ")";
    EXPECT_NE(refusal.find(wanted), std::string::npos) << wanted << " in: " << refusal;
  }
}

}  // namespace
}  // namespace tributary
