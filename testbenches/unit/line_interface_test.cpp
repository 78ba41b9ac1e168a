// SPDX-License-Identifier: Apache-2.0
// The controller's side of the caches: messages and replies with their cycles, the conversion
// table, interventions (rows V7 and V8).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <tributary/controller/address_layout.h>
#include <tributary/magic/data_buffers.h>
#include <tributary/magic/line_interface.h>
#include <tributary/magic/node_events.h>
#include <tributary/magic/processor_queue.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/error.h>

#include <support/block_statistics.h>
#include <support/failure.h>
#include <support/text_checks.h>
#include <support/timed_actions.h>
#include <support/unit_trace.h>
#include <support/usual_line.h>

namespace tributary {
namespace {

using testing::failure;
using testing::statistic;
using texts = std::vector<std::string>;

constexpr node_id here{2};
constexpr cycle_t ratio = 4;

line_data line_from(word_t first) {
  line_data words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = first + i;
  return words;
}

/// Another user of the queue.
struct other_client final : processor_queue_client {
  bool must_wait(const message&) const override { return false; }
  void taken(const message&, cycle_t) override {}
  void room(cycle_t) override {}
};

/// A line interface between caches and an inbox that record what they are told. What handlers do
/// is done by actions in the controller's cycles, what caches do by actions in the processor's.
class bench : private line_client, private selector {
 public:
  struct taken_message {
    cycle_t cycle;
    message what;
  };

  explicit bench(std::uint32_t depth = 8, const line_interface_config& config = {})
      : buffers({}, clock, here),
        queue(depth, clock, buffers),
        unit(config, {{}, 4, 1 << 20}, clock, processor_clock, here, queue, buffers) {
    others = queue.add_client(other);
    unit.set_client(*this);
    queue.tell(*this);
  }

  /// In a cycle of the controller, and in one of the processor.
  void at(cycle_t when, std::function<void()> what) { actions_.at(when, std::move(what)); }
  void processor_at(cycle_t when, std::function<void()> what) {
    processor_actions_.at(when, std::move(what), wake_rank::processor);
  }
  /// As a node does it, up to the end of a cycle of the controller.
  void run(cycle_t last) {
    while (true) {
      const cycle_t next =
          std::min({clock.next_wakeup(), processor_clock.next_wakeup() / ratio, last});
      clock.advance_to(next);
      processor_clock.advance_to(next * ratio + ratio - 1);
      if (next == last) return;
    }
  }

  void ask_at(cycle_t when, line_want want, std::uint64_t address, std::uint8_t tag) {
    processor_at(when, [=] { unit.ask(want, address, tag, when); });
  }
  /// A buffer that some message handed over, filled as a memory does.
  payload_handle handed_over(word_t first_word, const memory_transfer& when) {
    const payload_handle data = *buffers.allocate(buffer_claim::handler, clock.now());
    buffers.fill(data, line_from(first_word), when);
    buffers.hand_over(data);
    return data;
  }
  static message reply(common_type type, std::uint8_t tag, payload_handle data = no_payload,
                       std::uint16_t aux = 0) {
    message sent;
    sent.type = static_cast<std::uint8_t>(type);
    sent.source = sent.destination = here;
    sent.tag = tag;
    sent.aux = aux;
    sent.data = data;
    sent.length = data == no_payload ? 0 : static_cast<std::uint32_t>(line_bytes);
    return sent;
  }
  /// A handler replies in a cycle, and its message leaves the outbox in the same.
  void reply_at(cycle_t when, common_type type, std::uint8_t tag, std::uint16_t aux = 0) {
    at(when, [=] { unit.reply(reply(type, tag, no_payload, aux), when); });
  }
  /// The same with a line that is there.
  void reply_line_at(cycle_t when, common_type type, std::uint8_t tag, word_t first_word,
                     std::uint16_t aux = 0) {
    at(when, [=] {
      unit.reply(reply(type, tag, handed_over(first_word, {when - 15, when}), aux), when);
    });
  }
  void intervene_at(cycle_t when, intervention asked, std::uint64_t line,
                    payload_handle data = no_payload, bool wants_state = false) {
    at(when, [=] { unit.intervene(asked, line, data, wants_state, when); });
  }

  agenda clock;
  agenda processor_clock;
  data_buffers buffers;
  processor_queue queue;
  line_interface unit;
  other_client other;
  std::uint8_t others = 0;
  bool takes = true;  ///< the inbox takes whatever it sees, at once
  std::vector<taken_message> taken;
  texts told;  ///< the caches, with cycles of the processor
  std::vector<line_answer> answers;
  std::map<std::uint64_t, found_line> held;  ///< by the caches

 private:
  void note(cycle_t now, const std::string& what) {
    told.push_back(std::to_string(now) + ": " + what);
  }
  void filled(std::uint8_t tag, const line_answer& answer, cycle_t now) override {
    note(now, (answer.exclusive ? "exclusive " : "shared ") + std::to_string(tag));
    answers.push_back(answer);
  }
  void upgraded(std::uint8_t tag, cycle_t now) override {
    note(now, "upgraded " + std::to_string(tag));
  }
  void refused(std::uint8_t tag, cycle_t now) override {
    note(now, "refused " + std::to_string(tag));
  }
  void room(cycle_t now) override { note(now, "room"); }
  void settled(cycle_t now) override { note(now, "settled"); }
  found_line intervene(intervention asked, std::uint64_t line, cycle_t now) override {
    note(now, name_of(asked) + (" " + std::to_string(line)));
    const auto found = held.find(line);
    if (found == held.end()) return {};
    const found_line had = found->second;
    if (asked == intervention::get) {
      found->second.before = line_state::shared;
    } else {
      held.erase(found);
    }
    return had;
  }
  void look(cycle_t now) override {
    while (takes && queue.front(now) != nullptr) taken.push_back({now, queue.take(now)});
  }

  testing::timed_actions actions_{clock};
  testing::timed_actions processor_actions_{processor_clock};
};

// --- what the caches ask for ---------------------------------------------------------------------

TEST(line_interface, requests_come_to_the_inbox_as_messages_of_the_processor) {
  struct {
    line_want want;
    common_type type;
  } const all[] = {{line_want::shared, common_type::line_read},
                   {line_want::exclusive, common_type::line_read_exclusive},
                   {line_want::upgrade, common_type::line_upgrade}};
  bench b;
  const std::uint64_t elsewhere = address_layout().address_of(node_id{3}, 0, 0x1238);
  for (std::uint8_t i = 0; i < 3; ++i) b.ask_at(40 + 40 * i, all[i].want, elsewhere, i + 1);
  b.run(100);
  ASSERT_EQ(b.taken.size(), 3U);
  for (std::uint8_t i = 0; i < 3; ++i) {
    const message& what = b.taken[i].what;
    EXPECT_EQ(b.taken[i].cycle, 12U + 10 * i) << "a cycle each for bus and interface";
    EXPECT_EQ(what.type, static_cast<std::uint8_t>(all[i].type));
    EXPECT_EQ(what.origin, message_origin::processor);
    EXPECT_EQ(what.source, here);
    EXPECT_EQ(what.destination, here) << "whoever is the line's home";
    EXPECT_EQ(what.address, elsewhere) << "of the word that shall come first";
    EXPECT_EQ(what.tag, i + 1);
    EXPECT_EQ(what.length, 0U);
    EXPECT_EQ(what.data, no_payload);
    EXPECT_EQ(what.identity, trace_identity::reference(index(here), i));
    EXPECT_EQ(statistic(b.unit, std::string("requests.") + name_of(all[i].want)), 1);
  }
  EXPECT_FALSE(b.unit.idle()) << "until they are answered";
  b.unit.reset_statistics();
  EXPECT_EQ(statistic(b.unit, "requests.shared"), 0);
}

TEST(line_interface, the_controller_sees_a_request_in_its_next_whole_cycle) {
  line_interface_config config;
  config.bus = 3;
  config.inbound = 2;
  for (const cycle_t begin : {40U, 41U, 43U, 44U}) {
    bench b(8, config);
    b.ask_at(begin, line_want::shared, 0, 0);
    b.run(100);
    ASSERT_EQ(b.taken.size(), 1U);
    EXPECT_EQ(b.taken[0].cycle, (begin == 40 ? 10U : 11U) + 5) << begin;
  }
}

TEST(line_interface, lines_that_leave_go_behind_the_request_for_which_they_leave) {
  bench b;
  b.processor_at(40, [&] {
    b.unit.ask(line_want::shared, 0x1000, 5, 40);
    b.unit.write_back(0x2000, line_from(700), 40);
    b.unit.replaced(0x3000, 40);
  });
  b.run(100);
  ASSERT_EQ(b.taken.size(), 3U);
  const message& written = b.taken[1].what;
  const message& hint = b.taken[2].what;
  EXPECT_EQ(b.taken[0].what.type, static_cast<std::uint8_t>(common_type::line_read));
  EXPECT_EQ(written.type, static_cast<std::uint8_t>(common_type::line_write_back));
  EXPECT_EQ(written.address, 0x2000U);
  EXPECT_EQ(written.length, line_bytes);
  ASSERT_NE(written.data, no_payload);
  for (std::size_t i = 0; i < line_words; ++i) EXPECT_EQ(b.buffers.word(written.data, i), 700 + i);
  EXPECT_EQ(hint.type, static_cast<std::uint8_t>(common_type::line_replaced));
  EXPECT_EQ(hint.address, 0x3000U);
  EXPECT_EQ(hint.length, 0U);
  EXPECT_EQ(b.taken[2].cycle, 12U);
  b.reply_at(110, common_type::line_refused, 5);
  b.run(200);
  EXPECT_TRUE(b.unit.idle()) << "nothing answers a line that has left";
}

/// No directory has a list of who holds lines of a page that is not coherent.
TEST(line_interface, nobody_is_told_of_a_line_of_a_page_that_is_not_coherent) {
  bench b;
  const address_layout layout;
  const noncoherent_page page{1, 0x2000, 0x1000};
  b.unit.set_noncoherent({page});
  const std::uint64_t first = layout.address_of(here, page.space, page.offset);
  for (const std::uint64_t line : {first, first + page.bytes - line_bytes, first + page.bytes}) {
    b.processor_at(40, [&b, line] { b.unit.replaced(line, 40); });
  }
  b.run(100);
  ASSERT_EQ(b.taken.size(), 1U) << "of the line behind the page only";
  EXPECT_EQ(b.taken[0].what.type, static_cast<std::uint8_t>(common_type::line_replaced));
  EXPECT_EQ(b.taken[0].what.address, first + page.bytes);
}

TEST(line_interface, a_write_back_waits_for_a_data_buffer) {
  bench b;
  std::vector<payload_handle> held;
  while (b.buffers.available(buffer_claim::processor)) {
    held.push_back(*b.buffers.allocate(buffer_claim::processor, 0));
  }
  b.processor_at(40, [&] {
    b.unit.ask(line_want::shared, 0x1000, 0, 40);
    b.unit.write_back(0x2000, line_from(0), 40);
    b.unit.ask(line_want::shared, 0x2000, 1, 40);
  });
  b.at(60, [&] { b.buffers.release(held[0], 70); });
  b.run(100);
  ASSERT_EQ(b.taken.size(), 3U);
  EXPECT_EQ(b.taken[0].cycle, 12U) << "what is in front of it does not wait";
  EXPECT_EQ(b.taken[1].cycle, 70U);
  EXPECT_EQ(b.taken[2].cycle, 70U) << "a request does not overtake the write-back of its line";
  EXPECT_EQ(b.buffers.valid(b.taken[1].what.data, 15), 70U);
}

TEST(line_interface, takes_a_miss_if_the_queue_has_room_for_a_request_and_a_line) {
  bench b(3);
  b.takes = false;
  b.processor_at(40, [&] {
    EXPECT_TRUE(b.unit.can_take());
    b.unit.ask(line_want::shared, 0x1000, 0, 40);
    EXPECT_TRUE(b.unit.can_take());
    b.unit.ask(line_want::shared, 0x2000, 1, 40);
    EXPECT_FALSE(b.unit.can_take()) << "though there is a place";
    b.unit.replaced(0x3000, 40);
  });
  b.at(20, [&] { b.queue.take(20); });
  b.at(30, [&] { b.queue.take(30); });
  b.at(40, [&] { b.queue.take(40); });
  b.run(25);
  EXPECT_FALSE(b.unit.can_take());
  EXPECT_EQ(b.told, texts{});
  b.run(50);
  EXPECT_EQ(b.told, texts{"120: room"}) << "once, when it can take again";
  EXPECT_TRUE(b.unit.can_take());
}

TEST(line_interface, room_may_come_from_others_and_go_to_others) {
  bench b(2);
  b.takes = false;
  b.queue.push(b.others, {}, {}, 10);
  EXPECT_FALSE(b.unit.can_take());
  b.at(20, [&] {
    b.queue.take(20);
    b.queue.push(b.others, {}, {}, 21);
  });
  b.run(25);
  EXPECT_EQ(b.told, texts{}) << "somebody else has taken the place by the time";
  b.at(30, [&] { b.queue.take(30); });
  b.run(50);
  EXPECT_EQ(b.told, texts{"120: room"});
}

// --- replies -------------------------------------------------------------------------------------

TEST(line_interface, a_line_streams_to_the_caches_as_its_words_come) {
  bench b;
  b.ask_at(40, line_want::shared, 0x1000, 3);
  payload_handle data = no_payload;
  // A memory that brings a word in every other cycle.
  b.at(100, [&] {
    data = b.handed_over(900, {110, 140});
    b.unit.reply(bench::reply(common_type::line_shared, 3, data), 101);
  });
  b.run(100);
  EXPECT_FALSE(b.unit.idle()) << "it is on its way to the caches";
  b.run(139);
  EXPECT_EQ(b.buffers.in_use(), 1U);
  b.run(200);
  EXPECT_EQ(b.buffers.in_use(), 0U) << "when the last word has left it";
  EXPECT_EQ(b.told, texts{"456: shared 3"}) << "in cycle 110 + 4 of the controller";
  ASSERT_EQ(b.answers.size(), 1U);
  EXPECT_FALSE(b.answers[0].exclusive);
  for (std::size_t i = 0; i < line_words; ++i) {
    EXPECT_EQ(b.answers[0].words[i], 900 + i);
    EXPECT_EQ(b.answers[0].valid[i], (110 + 2 * i + 4) * ratio) << "word " << i;
  }
  EXPECT_TRUE(b.unit.idle());
}

TEST(line_interface, a_doubleword_a_cycle_goes_to_the_caches) {
  bench b;
  b.ask_at(40, line_want::exclusive, 0x1000, 0);
  b.ask_at(40, line_want::shared, 0x2000, 1);
  b.ask_at(40, line_want::upgrade, 0x3000, 2);
  b.reply_line_at(100, common_type::line_exclusive, 0, 0);
  b.reply_line_at(101, common_type::line_shared, 1, 0);
  b.reply_at(102, common_type::line_upgraded, 2);
  b.run(115);
  EXPECT_EQ(b.buffers.in_use(), 2U);
  b.run(116);
  EXPECT_EQ(b.buffers.in_use(), 1U) << "the first line has left";
  b.run(200);
  EXPECT_EQ(b.told, (texts{"416: exclusive 0", "480: shared 1", "544: upgraded 2"}))
      << "100, 116 and 132, and 4 cycles more";
  ASSERT_EQ(b.answers.size(), 2U);
  EXPECT_TRUE(b.answers[0].exclusive);
  for (std::size_t i = 0; i < line_words; ++i) {
    EXPECT_EQ(b.answers[0].valid[i], (104 + i) * ratio);
    EXPECT_EQ(b.answers[1].valid[i], (120 + i) * ratio);
  }
}

TEST(line_interface, the_word_that_was_missed_leaves_first) {
  // A memory that moves the line in this order, and a line that came in the order of addresses.
  for (const std::size_t filled_from : {std::size_t{13}, std::size_t{0}}) {
    bench b;
    b.ask_at(40, line_want::shared, 0x1000 + 13 * 8, 0);
    b.at(100, [&] {
      const payload_handle data = *b.buffers.allocate(buffer_claim::handler, 100);
      b.buffers.fill(data, line_from(900), {110, 125}, filled_from);
      b.buffers.hand_over(data);
      b.unit.reply(bench::reply(common_type::line_shared, 0, data), 100);
    });
    b.run(200);
    ASSERT_EQ(b.answers.size(), 1U);
    const cycle_t first = filled_from == 13 ? 110 : 123;
    EXPECT_EQ(b.told, texts{std::to_string((first + 4) * ratio) + ": shared 0"});
    const line_stamps& valid = b.answers[0].valid;
    EXPECT_EQ(valid[13], (first + 4) * ratio);
    EXPECT_EQ(valid[12], (first + 5) * ratio);
    EXPECT_EQ(b.answers[0].words[12], 912U);
    if (filled_from != 13) continue;
    for (std::size_t i = 0; i < line_words; ++i) {
      EXPECT_EQ(valid[i], (110 + (i ^ 13U) + 4) * ratio) << "word " << i;
    }
  }
}

TEST(line_interface, replies_without_a_line_take_no_time_of_the_way) {
  bench b;
  for (std::uint8_t i = 0; i < 3; ++i) b.ask_at(40, line_want::upgrade, 0x1000 * i, i);
  b.at(100, [&] {
    b.unit.reply(bench::reply(common_type::line_upgraded, 1), 103);
    b.unit.reply(bench::reply(common_type::line_refused, 0), 103);
  });
  b.reply_at(110, common_type::line_refused, 2);
  b.run(200);
  EXPECT_EQ(b.told, (texts{"428: upgraded 1", "428: refused 0", "456: refused 2"}));
  EXPECT_TRUE(b.unit.idle());
}

TEST(line_interface, an_exclusive_line_may_answer_a_request_for_a_shared_one) {
  bench b;
  b.ask_at(40, line_want::shared, 0x1000, 0);
  b.reply_line_at(100, common_type::line_exclusive, 0, 0);
  b.run(200);
  EXPECT_EQ(b.told, texts{"416: exclusive 0"});
}

TEST(line_interface, counts_writes_that_are_granted_while_others_have_the_line) {
  bench b;
  b.ask_at(40, line_want::exclusive, 0x1000, 0);
  b.ask_at(40, line_want::upgrade, 0x2000, 1);
  b.ask_at(40, line_want::upgrade, 0x3000, 2);
  b.reply_line_at(100, common_type::line_exclusive, 0, 0, 1);
  b.reply_at(101, common_type::line_upgraded, 1, 1);
  b.reply_at(102, common_type::line_upgraded, 2, 0);
  b.run(150);
  EXPECT_EQ(b.unit.incomplete(), 2U);
  EXPECT_FALSE(b.unit.idle());
  b.reply_at(160, common_type::line_all_invalidated, 0);
  b.run(200);
  EXPECT_EQ(b.unit.incomplete(), 1U);
  b.reply_at(210, common_type::line_all_invalidated, 1);
  b.run(250);
  EXPECT_EQ(b.unit.incomplete(), 0U);
  EXPECT_TRUE(b.unit.idle());
  EXPECT_EQ(b.told.size(), 4U) << "caches are told when the last write is complete";
  b.reply_at(260, common_type::line_all_invalidated, 1);
  EXPECT_TRUE(testing::names(failure([&] { b.run(270); }), {"node 2", "cycle 264", "write"}));
}

TEST(line_interface, a_write_is_complete_behind_invalidations_that_came_before) {
  // Else two processors that write, wait, and read what the other wrote could both see old words:
  // an invalidation is acknowledged before the caches have seen it.
  bench b;
  b.held[0x1000] = {line_state::shared, line_from(0)};
  b.ask_at(40, line_want::upgrade, 0x2000, 0);
  b.ask_at(40, line_want::shared, 0x3000, 1);
  b.reply_at(60, common_type::line_upgraded, 0, 1);
  b.at(100, [&] {
    b.unit.reply(bench::reply(common_type::line_shared, 1, b.handed_over(0, {200, 215})), 100);
    b.unit.intervene(intervention::invalidate, 0x1000, no_payload, false, 100);
  });
  b.reply_at(150, common_type::line_all_invalidated, 0);
  b.run(203);
  EXPECT_EQ(b.held.count(0x1000), 1U) << "it is behind the line that comes late";
  EXPECT_EQ(b.unit.incomplete(), 1U);
  b.run(204);
  EXPECT_EQ(b.held.count(0x1000), 0U);
  EXPECT_EQ(b.unit.incomplete(), 0U);
}

TEST(line_interface, serves_lines_that_have_a_directory_entry_only) {
  bench b;
  const address_layout layout;
  EXPECT_NO_THROW(b.unit.check(layout.address_of(node_id{3}, 0, (1 << 20) - 8)));
  const std::string allowed = "(allowed: nodes 0 to 3, address space 0, offsets below 0x100000)";
  for (const std::uint64_t address :
       {layout.address_of(node_id{4}, 0, 0), layout.address_of(node_id{0}, 1, 0),
        layout.address_of(node_id{3}, 0, 1 << 20), std::uint64_t{1} << 40}) {
    const std::string said = failure([&] { b.unit.check(address); });
    EXPECT_NE(said.find(allowed), std::string::npos) << std::hex << address << ": " << said;
  }
}

// --- the conversion table ------------------------------------------------------------------------

struct conversion {
  line_want asked;
  common_type reply;
  const char* told;
  bool converted;
};

std::vector<conversion> conversions() {
  return {{line_want::shared, common_type::line_shared, "refused 0", true},
          {line_want::shared, common_type::line_exclusive, "exclusive 0", false},
          {line_want::shared, common_type::line_refused, "refused 0", false},
          {line_want::exclusive, common_type::line_exclusive, "exclusive 0", false},
          {line_want::exclusive, common_type::line_refused, "refused 0", false},
          {line_want::upgrade, common_type::line_upgraded, "refused 0", true},
          {line_want::upgrade, common_type::line_refused, "refused 0", false}};
}

bool brings_line(common_type type) {
  return type == common_type::line_shared || type == common_type::line_exclusive;
}

TEST(line_interface, an_invalidation_that_overtakes_a_reply_converts_it) {
  for (const conversion& each : conversions()) {
    const std::string text = std::string(name_of(each.asked)) + ", reply " +
                             std::to_string(static_cast<unsigned>(each.reply)) +
                             ", expected: " + each.told;
    bench b;
    b.ask_at(40, each.asked, 0x1038, 0);
    b.intervene_at(90, intervention::invalidate, 0x1000);
    if (brings_line(each.reply)) {
      b.reply_line_at(120, each.reply, 0, 0);
    } else {
      b.reply_at(120, each.reply, 0);
    }
    b.run(200);
    EXPECT_EQ(b.told, (texts{"419: invalidate 4096", std::string("496: ") + each.told})) << text;
    EXPECT_EQ(statistic(b.unit, "conversions"), each.converted ? 1 : 0) << text;
    EXPECT_EQ(b.buffers.in_use(), 0U) << text << ": the line that nobody gets is given up";
    EXPECT_TRUE(b.unit.idle()) << text;
  }
}

TEST(line_interface, a_write_that_is_granted_and_converted_will_be_complete_once) {
  bench b;
  b.ask_at(40, line_want::upgrade, 0x1000, 0);
  b.intervene_at(90, intervention::invalidate, 0x1000);
  b.reply_at(120, common_type::line_upgraded, 0, 1);
  b.run(200);
  EXPECT_EQ(b.unit.incomplete(), 1U) << "its home will tell";
}

TEST(line_interface, converts_for_invalidations_of_the_line_after_the_request_only) {
  struct {
    const char* name;
    cycle_t when;
    intervention what;
    std::uint64_t line;
  } const all[] = {{"before the request", 5, intervention::invalidate, 0x1000},
                   {"another line", 90, intervention::invalidate, 0x1080},
                   {"a get", 90, intervention::get, 0x1000},
                   {"a get_exclusive", 90, intervention::get_exclusive, 0x1000},
                   {"after the reply was sent", 121, intervention::invalidate, 0x1000}};
  for (const auto& each : all) {
    bench b;
    b.ask_at(40, line_want::shared, 0x1000, 0);
    b.intervene_at(each.when, each.what, each.line);
    b.reply_line_at(120, common_type::line_shared, 0, 0);
    b.run(200);
    EXPECT_NE(std::find(b.told.begin(), b.told.end(), "496: shared 0"), b.told.end()) << each.name;
    EXPECT_EQ(statistic(b.unit, "conversions"), 0) << each.name;
  }
}

TEST(line_interface, what_was_converted_once_is_forgotten_by_the_next_request) {
  bench b;
  b.ask_at(40, line_want::shared, 0x1000, 0);
  b.intervene_at(90, intervention::invalidate, 0x1000);
  b.reply_line_at(120, common_type::line_shared, 0, 0);
  b.ask_at(520, line_want::shared, 0x1000, 0);
  b.reply_line_at(220, common_type::line_shared, 0, 0);
  b.run(300);
  EXPECT_EQ(b.told, (texts{"419: invalidate 4096", "496: refused 0", "896: shared 0"}));
}

// --- interventions -------------------------------------------------------------------------------

TEST(line_interface, an_intervention_knows_the_state_and_then_brings_the_words) {
  // V7: state after 15 cycles, first doubleword at 20, last at 35.
  for (const intervention asked : {intervention::get, intervention::get_exclusive}) {
    bench b;
    b.held[0x1000] = {line_state::modified, line_from(300)};
    const payload_handle data = *b.buffers.allocate(buffer_claim::handler, 0);
    b.intervene_at(100, asked, 0x1000, data, true);
    b.run(113);
    EXPECT_EQ(b.unit.unread_states(), 1U);
    EXPECT_EQ(b.unit.state_known(), 115U);
    EXPECT_FALSE(b.buffers.filled(data, 0));
    EXPECT_TRUE(testing::names(failure([&] { b.unit.read_state(); }),
                               {"node 2", "cycle 113", "state reply"}));
    b.run(114);
    EXPECT_EQ(b.told, texts{"459: " + std::string(name_of(asked)) + " 4096"})
        << "in the processor's last cycle before the controller knows";
    line_state found = line_state::invalid;
    b.at(115, [&] { found = b.unit.read_state(); });
    b.run(115);
    EXPECT_EQ(found, line_state::modified);
    EXPECT_EQ(b.unit.unread_states(), 0U);
    for (std::size_t i = 0; i < line_words; ++i) {
      EXPECT_EQ(b.buffers.word(data, i), 300 + i);
      EXPECT_EQ(b.buffers.valid(data, i), 120 + i) << name_of(asked);
    }
    EXPECT_EQ(b.buffers.full(data), 135U);
    EXPECT_TRUE(b.unit.idle());
    EXPECT_EQ(b.held.count(0x1000), asked == intervention::get ? 1U : 0U)
        << "a get leaves it shared";
  }
}

TEST(line_interface, an_intervention_brings_the_word_of_its_address_first) {
  bench b;
  b.held[0x1000] = {line_state::modified, line_from(300)};
  const payload_handle data = *b.buffers.allocate(buffer_claim::handler, 0);
  b.intervene_at(100, intervention::get, 0x1000 + 6 * 8, data, true);
  b.at(115, [&] { b.unit.read_state(); });
  b.run(120);
  EXPECT_EQ(b.told, texts{"459: get 4096"}) << "caches are asked by the line's start";
  for (std::size_t i = 0; i < line_words; ++i) {
    EXPECT_EQ(b.buffers.word(data, i), 300 + i);
    EXPECT_EQ(b.buffers.valid(data, i), 120 + (i ^ 6U)) << "word " << i;
  }
}

TEST(line_interface, an_invalidation_that_nobody_awaits_has_a_time_of_its_own) {
  line_interface_config config;
  config.invalidation_cycles = 4;
  bench b(8, config);
  b.held[0] = {line_state::shared, line_from(0)};
  b.intervene_at(10, intervention::invalidate, 0, no_payload, false);
  b.run(12);
  EXPECT_EQ(b.held.count(0), 1U) << "one cycle of the node too early";
  b.run(13);
  EXPECT_EQ(b.held.count(0), 0U);
}

TEST(line_interface, times_of_interventions_are_parameters) {
  line_interface_config config;
  config.state_cycles = 3;
  config.data_cycles = 0;
  bench b(8, config);
  b.held[0] = {line_state::exclusive, line_from(0)};
  const payload_handle data = *b.buffers.allocate(buffer_claim::handler, 0);
  b.intervene_at(10, intervention::get, 0, data, true);
  b.run(12);
  EXPECT_EQ(b.unit.state_known(), 13U);
  EXPECT_EQ(b.buffers.valid(data, 0), 13U);
  EXPECT_EQ(b.buffers.full(data), 28U);
}

TEST(line_interface, second_words_come_when_the_first_have) {
  // V8. Two states may be unread, and are read in the order of their interventions.
  bench b;
  b.held[0x1000] = {line_state::modified, line_from(0)};
  b.held[0x2000] = {line_state::shared, line_from(50)};
  const payload_handle one = *b.buffers.allocate(buffer_claim::handler, 0);
  const payload_handle two = *b.buffers.allocate(buffer_claim::handler, 0);
  b.intervene_at(100, intervention::get, 0x1000, one, true);
  b.intervene_at(103, intervention::get, 0x2000, two, true);
  b.run(130);
  EXPECT_EQ(b.unit.unread_states(), 2U);
  EXPECT_EQ(b.unit.state_known(), 115U);
  EXPECT_EQ(b.unit.read_state(), line_state::modified);
  EXPECT_EQ(b.unit.state_known(), 118U) << "the state does not wait for words";
  EXPECT_EQ(b.unit.read_state(), line_state::shared);
  EXPECT_EQ(b.buffers.valid(one, 0), 120U);
  EXPECT_EQ(b.buffers.valid(one, 15), 135U);
  EXPECT_EQ(b.buffers.valid(two, 0), 136U) << "where the first phase would have been: 123";
  EXPECT_EQ(b.buffers.valid(two, 15), 151U);
  EXPECT_EQ(b.buffers.word(two, 0), 50U);
}

TEST(line_interface, of_a_line_that_is_not_there_no_words_come) {
  bench b;
  const payload_handle data = *b.buffers.allocate(buffer_claim::handler, 0);
  b.intervene_at(100, intervention::get, 0x1000, data, true);
  b.held[0x2000] = {line_state::modified, line_from(0)};
  const payload_handle other = *b.buffers.allocate(buffer_claim::handler, 0);
  b.intervene_at(101, intervention::get, 0x2000, other, true);
  b.run(130);
  EXPECT_EQ(b.unit.read_state(), line_state::invalid);
  EXPECT_EQ(b.unit.read_state(), line_state::modified);
  EXPECT_FALSE(b.buffers.filled(data, 0));
  EXPECT_EQ(b.buffers.valid(other, 0), 121U) << "and so nobody has to wait";
}

TEST(line_interface, who_wants_no_state_gets_none) {
  bench b;
  b.held[0x1000] = {line_state::shared, line_from(0)};
  for (cycle_t i = 0; i < 5; ++i) b.intervene_at(100 + i, intervention::invalidate, 0x1000);
  b.run(114);
  EXPECT_EQ(b.unit.unread_states(), 0U);
  EXPECT_FALSE(b.unit.idle()) << "interventions are on their way";
  b.run(200);
  EXPECT_EQ(b.told.size(), 5U) << "as many at once as there are";
  EXPECT_TRUE(b.held.empty());
  EXPECT_TRUE(b.unit.idle());
}

TEST(line_interface, an_invalidation_may_want_the_state_and_no_words) {
  bench b;
  b.held[0x1000] = {line_state::modified, line_from(0)};
  b.intervene_at(100, intervention::invalidate, 0x1000, no_payload, true);
  b.run(115);
  EXPECT_EQ(b.unit.read_state(), line_state::modified);
}

TEST(line_interface, interventions_are_answered_though_the_queue_to_the_inbox_is_full) {
  // Rule D11.
  bench b(2);
  b.takes = false;
  b.held[0x1000] = {line_state::modified, line_from(0)};
  b.processor_at(40, [&] {
    b.unit.ask(line_want::shared, 0x2000, 0, 40);
    b.unit.write_back(0x3000, line_from(0), 40);
  });
  const payload_handle data = *b.buffers.allocate(buffer_claim::handler, 0);
  b.intervene_at(100, intervention::get, 0x1000, data, true);
  const payload_handle none = *b.buffers.allocate(buffer_claim::handler, 0);
  b.intervene_at(101, intervention::get, 0x3000, none, true);
  b.run(150);
  EXPECT_TRUE(b.queue.full());
  EXPECT_EQ(b.unit.state_known(), 115U);
  EXPECT_EQ(b.unit.read_state(), line_state::modified);
  EXPECT_EQ(b.buffers.full(data), 135U);
  EXPECT_EQ(b.unit.read_state(), line_state::invalid) << "what is in the queue is not found";
  EXPECT_FALSE(b.buffers.filled(none, 0));
}

TEST(line_interface, replies_and_interventions_come_to_the_caches_in_their_order) {
  bench b;
  b.ask_at(40, line_want::exclusive, 0x1000, 0);
  b.ask_at(40, line_want::shared, 0x2000, 1);
  // The reply waits for its words, the intervention behind it would be faster.
  b.at(100, [&] {
    const payload_handle late = b.handed_over(0, {200, 215});
    b.unit.reply(bench::reply(common_type::line_exclusive, 0, late), 100);
    b.unit.intervene(intervention::get_exclusive, 0x1000, no_payload, true, 100);
  });
  b.run(110);
  EXPECT_EQ(b.unit.state_known(), 205U) << "the cycle after the caches were asked";
  // The intervention is slow, the reply behind it would be faster.
  b.intervene_at(300, intervention::invalidate, 0x5000);
  b.reply_at(301, common_type::line_refused, 1);
  b.run(400);
  EXPECT_EQ(b.told, (texts{"816: exclusive 0", "816: get_exclusive 4096", "1259: invalidate 20480",
                           "1259: refused 1"}));
}

TEST(line_interface, a_line_whose_upgrade_is_outstanding_is_not_found) {
  for (const intervention asked :
       {intervention::get, intervention::get_exclusive, intervention::invalidate}) {
    bench b;
    b.held[0x1000] = {line_state::shared, line_from(0)};
    b.held[0x2000] = {line_state::modified, line_from(0)};
    b.ask_at(40, line_want::upgrade, 0x1040, 0);
    b.intervene_at(100, asked, 0x1000, no_payload, true);
    b.intervene_at(101, asked, 0x2000, no_payload, true);
    b.run(150);
    const bool hides = asked != intervention::invalidate;
    EXPECT_EQ(b.unit.read_state(), hides ? line_state::invalid : line_state::shared)
        << name_of(asked);
    EXPECT_EQ(b.unit.read_state(), line_state::modified) << "another line is found";
    EXPECT_EQ(b.told.size(), hides ? 1U : 2U) << "the caches keep what they have";
    EXPECT_EQ(statistic(b.unit, "hidden"), hides ? 1 : 0);
  }
}

TEST(line_interface, a_line_is_found_behind_the_grant_of_its_upgrade) {
  bench b;
  b.held[0x1000] = {line_state::modified, line_from(0)};
  b.ask_at(40, line_want::upgrade, 0x1000, 0);
  b.reply_at(100, common_type::line_upgraded, 0);
  b.intervene_at(101, intervention::get_exclusive, 0x1000, no_payload, true);
  b.run(150);
  EXPECT_EQ(b.unit.read_state(), line_state::modified);
  EXPECT_EQ(b.told, (texts{"416: upgraded 0", "463: get_exclusive 4096"}));
  EXPECT_EQ(statistic(b.unit, "hidden"), 0);
}

// --- the rest ------------------------------------------------------------------------------------

TEST(line_interface, refuses_what_does_not_fit) {
  bench b;
  EXPECT_TRUE(
      testing::names(failure([&] { b.unit.reply(bench::reply(common_type::line_refused, 1), 0); }),
                     {"node 2 in cycle 0", "tag 1"}));
  EXPECT_NE(failure([&] { b.unit.reply(bench::reply(common_type::line_refused, 9), 0); }), "");
  b.unit.ask(line_want::shared, 0, 1, 0);
  EXPECT_TRUE(testing::names(failure([&] { b.unit.ask(line_want::shared, 0x80, 1, 0); }),
                             {"node 2 in cycle 0", "tag 1"}));
  const payload_handle empty = *b.buffers.allocate(buffer_claim::handler, 0);
  b.buffers.hand_over(empty);
  EXPECT_TRUE(testing::names(
      failure([&] { b.unit.reply(bench::reply(common_type::line_shared, 1, empty), 0); }),
      {"node 2 in cycle 0", "caches"}));
}

TEST(line_interface, tags_are_as_many_as_a_header_has_room_for) {
  bench b(16);
  for (std::uint8_t i = 0; i < most_line_requests; ++i) {
    b.unit.ask(line_want::shared, 0x80 * i, i, 0);
  }
  for (std::uint8_t i = 0; i < most_line_requests; ++i)
    b.reply_at(50, common_type::line_refused, i);
  b.run(100);
  EXPECT_EQ(b.told.size(), most_line_requests);
  EXPECT_TRUE(b.unit.idle());
}

/// Requests, a reply and interventions under way, a state that is unread, and a write incomplete.
void begin(bench& b) {
  b.held[0x1000] = {line_state::modified, line_from(10)};
  b.held[0x2000] = {line_state::exclusive, line_from(20)};
  b.ask_at(40, line_want::shared, 0x4000, 0);
  b.ask_at(40, line_want::exclusive, 0x5000, 1);
  b.ask_at(40, line_want::upgrade, 0x6000, 2);
  b.processor_at(41, [&] { b.unit.write_back(0x7000, line_from(30), 41); });
  b.reply_line_at(90, common_type::line_exclusive, 1, 40, 1);
  const payload_handle one = *b.buffers.allocate(buffer_claim::handler, 0);
  const payload_handle two = *b.buffers.allocate(buffer_claim::handler, 0);
  b.intervene_at(95, intervention::get, 0x1000, one, true);
  b.intervene_at(96, intervention::invalidate, 0x4000);
  b.intervene_at(97, intervention::get, 0x2000, two, true);
  b.run(109);
}

void go_on(bench& b) {
  b.reply_line_at(130, common_type::line_shared, 0, 50);
  b.reply_at(131, common_type::line_upgraded, 2);
  b.reply_at(132, common_type::line_all_invalidated, 1);
  b.processor_at(600, [&] { b.unit.ask(line_want::shared, 0x8000, 1, 600); });
  b.run(160);
  EXPECT_EQ(b.unit.read_state(), line_state::modified);
  EXPECT_EQ(b.unit.read_state(), line_state::exclusive);
  EXPECT_EQ(b.buffers.valid(payload_handle{0}, 0), 115U);
  EXPECT_EQ(b.buffers.valid(payload_handle{1}, 15), 146U);
}

TEST(line_interface, goes_on_from_a_checkpoint) {
  bench saved;
  begin(saved);
  ASSERT_EQ(saved.unit.unread_states(), 2U);
  ASSERT_EQ(saved.told, (texts{"376: exclusive 1", "439: get 4096"})) << "the others are to come";
  bench fresh;
  fresh.buffers.restore(saved.buffers.save());
  fresh.queue.restore(saved.queue.save());
  fresh.unit.restore(saved.unit.save());
  fresh.clock.restore(saved.clock.save());
  fresh.processor_clock.restore(saved.processor_clock.save());
  fresh.held = saved.held;
  saved.told.clear();
  saved.taken.clear();
  for (bench* each : {&saved, &fresh}) {
    EXPECT_EQ(each->unit.incomplete(), 1U);
    go_on(*each);
    EXPECT_EQ(each->told, (texts{"443: invalidate 16384", "447: get 8192", "536: refused 0",
                                 "540: upgraded 2", "544: settled"}));
    ASSERT_EQ(each->taken.size(), 1U);
    EXPECT_EQ(each->taken[0].what.identity, trace_identity::reference(index(here), 4));
    EXPECT_EQ(each->unit.incomplete(), 0U);
    EXPECT_EQ(statistic(each->unit, "conversions"), 1);
    EXPECT_EQ(statistic(each->unit, "requests.shared"), 2);
  }
  EXPECT_EQ(fresh.unit.save(), saved.unit.save());
  EXPECT_EQ(fresh.buffers.save(), saved.buffers.save());
  EXPECT_THROW(fresh.unit.restore(saved.unit.save() + "x"), input_error);
}

// --- events --------------------------------------------------------------------------------------

void expect_event(const trace_event& event, const event_kind& kind, cycle_t cycle, cycle_t last,
                  const message& about) {
  EXPECT_EQ(event.kind, &kind);
  EXPECT_EQ(event.cycle, cycle);
  EXPECT_EQ(event.last, last);
  EXPECT_EQ(event.address, about.address);
  EXPECT_EQ(event.identity, about.identity);
  EXPECT_EQ(node_events::type.in(event.details), about.type);
  EXPECT_EQ(node_events::tag.in(event.details), about.tag);
}

/// A request until the inbox sees it, a reply until its first word is there; nothing for lines that
/// leave, which nobody answers.
TEST(line_interface, tells_of_each_request_and_reply) {
  bench b;
  testing::unit_trace trace(b.unit);
  b.ask_at(41, line_want::shared, 0x1238, 3);
  b.ask_at(45, line_want::upgrade, 0x2000, 5);
  b.processor_at(47, [&] { b.unit.write_back(0x4000, line_from(1), 47); });
  b.reply_at(50, common_type::line_refused, 5);
  b.reply_line_at(60, common_type::line_shared, 3, 700);
  b.run(100);
  ASSERT_EQ(b.taken.size(), 3U);
  const message& read = b.taken[0].what;
  const message& upgrade = b.taken[1].what;
  const std::vector<trace_event>& events = trace.events();
  ASSERT_EQ(events.size(), 4U);
  expect_event(events[0], node_events::line_request, 10, b.taken[0].cycle, read);
  expect_event(events[1], node_events::line_request, 11, b.taken[1].cycle, upgrade);
  expect_event(events[2], node_events::line_reply, 50, 54, upgrade);
  expect_event(events[3], node_events::line_reply, 60, 64, read);
  for (const trace_event& each : events) EXPECT_EQ(trace.track(each), "caches");
  EXPECT_NE(events[0].identity, events[1].identity);
}

}  // namespace
}  // namespace tributary
