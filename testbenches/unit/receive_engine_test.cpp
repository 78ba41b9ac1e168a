// SPDX-License-Identifier: Apache-2.0
// The receive machine of the language-oriented interface: each state and rule, cycle by cycle, and
// hostile headers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include <tributary/nic/receive_engine.h>
#include <tributary/sim/random_stream.h>

#include <support/sizes.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

using phase = receive_state::phase;

constexpr std::size_t requests = 0;
constexpr std::size_t replies = 1;
constexpr std::uint64_t page = 64;

receive_engine_config small_pages() {
  receive_engine_config config;
  config.translations = 4;
  config.page_bytes = page;
  return config;
}

/// An engine with queues in front of it and a memory behind it.
class engine_bench {
 public:
  explicit engine_bench(const receive_engine_config& config = small_pages()) : engine(config) {}

  void map(std::uint32_t entry, std::uint64_t from, std::uint64_t to) {
    engine.fill(entry, {true, from, to});
  }
  void put(std::size_t channel, const interface_message& message) {
    waiting[channel].push_back(message);
  }
  bool waits() const { return engine.waits(seen()); }
  receive_outputs step() {
    receive_inputs in = seen();
    const auto asked = engine.asks(in);
    in.memory_ready = asked.valid && memory_ready;
    if (in.memory_ready) move(asked, *in.oldest[engine.state().channel]);
    const receive_outputs out = engine.step(in);
    EXPECT_EQ(out.memory.valid, asked.valid);
    if (out.answers) answer(waiting[out.channel].front());
    if (out.stores) stored.push_back(waiting[out.channel].front().header.tag);
    if (out.takes) waiting[out.channel].pop_front();
    if (out.zero) ++zeros;
    if (out.misses) missed.push_back(out.missed_page);
    if (out.error != receive_error::none) errors.push_back(out.error);
    return out;
  }
  /// Until nothing happens any more; returns in how many cycles.
  std::uint64_t run(std::uint64_t most = 100'000) {
    std::uint64_t cycles = 0;
    for (; !waits(); ++cycles) {
      if (cycles == most) {
        ADD_FAILURE() << "the engine does not come to rest";
        break;
      }
      step();
    }
    return cycles;
  }
  word_t word(std::uint64_t offset) { return memory[offset]; }

  receive_engine engine;
  std::array<std::deque<interface_message>, interface_channels> waiting;
  bool reply_room = true;
  std::array<bool, interface_channels> fits{true, true};
  bool memory_ready = true;

  std::map<std::uint64_t, word_t> memory;
  std::vector<std::uint64_t> written;     // offsets, in their order
  std::vector<std::vector<word_t>> data;  // of the answers to reads
  std::uint64_t acknowledgements = 0;
  std::vector<std::uint8_t> stored;  // tags
  std::vector<std::uint64_t> missed;
  std::vector<receive_error> errors;
  std::uint64_t zeros = 0;

 private:
  receive_inputs seen() const {
    receive_inputs in;
    for (std::size_t i = 0; i < interface_channels; ++i) {
      in.oldest[i] = waiting[i].empty() ? nullptr : &waiting[i].front();
    }
    in.reply_room = reply_room;
    in.fits = fits;
    return in;
  }
  void move(const receive_outputs::memory_request& asked, const interface_message& message) {
    if (!asked.writes) {
      reading_.push_back(memory[asked.offset]);
      return;
    }
    written.push_back(asked.offset);
    word_t& to = memory[asked.offset];
    const word_t mask = asked.bytes == 4 ? 0xffffffff : ~word_t{0};
    to = (to & ~mask) | (message.body.at(asked.word) & mask);
  }
  void answer(const interface_message& asks) {
    if (asks.header.type == communication_message::read) {
      data.push_back(reading_);
      reading_.clear();
    } else {
      ++acknowledgements;
    }
  }

  std::vector<word_t> reading_;
};

interface_message write_of(std::uint64_t address, std::uint32_t bytes, word_t first = 100) {
  interface_message made;
  made.header.type = communication_message::write;
  made.header.address = address;
  made.header.size = bytes;
  for (std::uint32_t i = 0; i < body_words(bytes); ++i) made.body.push_back(first + i);
  return made;
}

interface_message read_of(std::uint64_t address, std::uint32_t bytes) {
  interface_message made;
  made.header.type = communication_message::read;
  made.header.address = address;
  made.header.size = bytes;
  return made;
}

interface_message acknowledgement_for(std::uint8_t local) {
  interface_message made;
  made.header.type = communication_message::acknowledgement;
  made.header.channel = interface_channel::reply;
  made.header.has_local = true;
  made.header.local = local;
  return made;
}

interface_message counting(std::uint8_t counter, std::uint16_t initial, bool interrupts) {
  interface_message made = write_of(0, 0);
  made.header.remote = {true, interrupts, counter, initial};
  return made;
}

interface_message tagged(std::uint8_t tag) {
  interface_message made;
  made.header.tag = tag;
  return made;
}

TEST(receive_engine, a_write_takes_a_cycle_a_state_and_one_a_word) {
  engine_bench b;
  b.map(0, 5, 2);
  b.put(requests, write_of(5 * page + 8, 24));
  std::vector<phase> phases;
  while (!b.waits()) {
    b.step();
    phases.push_back(b.engine.state().at);
  }
  EXPECT_EQ(phases, (std::vector<phase>{phase::decode, phase::translate, phase::move, phase::move,
                                        phase::move, phase::count, phase::idle}));
  EXPECT_EQ(b.written, (std::vector<std::uint64_t>{2 * page + 8, 2 * page + 16, 2 * page + 24}));
  EXPECT_EQ(b.word(2 * page + 8), 100U);
  EXPECT_EQ(b.word(2 * page + 24), 102U);
  EXPECT_EQ(b.acknowledgements, 0U);
  EXPECT_TRUE(b.errors.empty());
}

interface_message strided(interface_message message, std::uint32_t count, std::int32_t stride) {
  message.header.strided = true;
  message.header.count = count;
  message.header.stride = stride;
  return message;
}

TEST(receive_engine, items_at_a_stride_go_to_their_places_and_each_page_is_looked_up) {
  receive_engine_config wide = small_pages();
  wide.packet_bytes = 64;
  engine_bench b(wide);
  // Two words each, from 8 on: the third item is on the next page.
  b.map(0, 0, 4);
  b.map(1, 1, 9);
  b.put(requests, strided(write_of(8, 48), 3, 32));
  b.run();
  EXPECT_EQ(b.written, (std::vector<std::uint64_t>{4 * page + 8, 4 * page + 16, 4 * page + 40,
                                                   4 * page + 48, 9 * page + 8, 9 * page + 16}));
  EXPECT_EQ(b.word(9 * page + 16), 105U);
  b.put(requests, strided(read_of(page + 16, 24), 3, -32));
  b.run();
  EXPECT_EQ(b.data, (std::vector<std::vector<word_t>>{{105, 103, 101}}));
  EXPECT_TRUE(b.missed.empty());
}

TEST(receive_engine, a_strided_message_goes_on_with_the_item_whose_page_was_missing) {
  engine_bench b;
  b.map(0, 0, 2);
  b.put(requests, strided(write_of(0, 24), 3, static_cast<std::int32_t>(page)));
  b.run();
  EXPECT_EQ(b.missed, std::vector<std::uint64_t>{1});
  b.map(1, 1, 5);
  b.map(2, 2, 3);
  b.engine.retry(interface_channel::request);
  b.run();
  EXPECT_EQ(b.written, (std::vector<std::uint64_t>{2 * page, 5 * page, 3 * page}));
  EXPECT_EQ(b.word(3 * page), 102U);
}

TEST(receive_engine, items_that_a_body_does_not_have_are_refused) {
  for (const std::uint32_t count : {0U, 1U, 3U, 8U}) {
    engine_bench b;
    b.map(0, 0, 0);
    b.put(requests, strided(write_of(0, 32), count, 16));
    b.put(requests, strided(read_of(0, 32), count, 16));
    b.run();
    EXPECT_EQ(b.errors, std::vector<receive_error>(2, receive_error::length)) << count << " items";
    EXPECT_TRUE(b.written.empty()) << count << " items";
  }
}

TEST(receive_engine, a_word_is_asked_for_until_memory_is_ready) {
  engine_bench b;
  b.map(0, 0, 3);
  b.put(requests, write_of(0, 16));
  for (int i = 0; i < 3; ++i) b.step();
  b.memory_ready = false;
  for (int i = 0; i < 5; ++i) {
    const receive_outputs out = b.step();
    EXPECT_TRUE(out.memory.valid);
    EXPECT_EQ(out.memory.offset, 3 * page);
    EXPECT_EQ(out.memory.word, 0U);
  }
  EXPECT_TRUE(b.written.empty());
  b.memory_ready = true;
  b.run();
  EXPECT_EQ(b.written, (std::vector<std::uint64_t>{3 * page, 3 * page + 8}));
}

TEST(receive_engine, of_the_last_word_of_4_bytes_the_upper_half_stays) {
  engine_bench b;
  b.map(0, 0, 1);
  b.memory[page + 8] = 0xaaaaaaaabbbbbbbb;
  interface_message message = write_of(0, 12);
  message.body = {1, 0x1234567800000002};
  b.put(requests, message);
  b.run();
  EXPECT_EQ(b.word(page), 1U);
  EXPECT_EQ(b.word(page + 8), 0xaaaaaaaa00000002U);
}

TEST(receive_engine, a_write_that_asks_is_acknowledged_when_its_words_are_there_before_it_counts) {
  engine_bench b;
  b.map(0, 0, 0);
  interface_message message = write_of(0, 8);
  message.header.acknowledge = true;
  message.header.remote = {true, true, 3, 1};
  b.put(requests, message);
  while (b.acknowledgements == 0 && !b.waits()) b.step();
  EXPECT_EQ(b.word(0), 100U);
  EXPECT_EQ(b.zeros, 0U);
  b.run();
  EXPECT_EQ(b.acknowledgements, 1U);
  EXPECT_EQ(b.zeros, 1U);
}

TEST(receive_engine, a_read_answers_with_the_words_and_counts_nothing) {
  engine_bench b;
  b.map(0, 1, 3);
  b.memory[3 * page + 16] = 7;
  b.memory[3 * page + 24] = 8;
  interface_message message = read_of(page + 16, 16);
  message.header.remote = {true, true, 2, 1};  // for the answer
  message.header.has_local = true;
  b.put(requests, message);
  b.run();
  EXPECT_EQ(b.data, (std::vector<std::vector<word_t>>{{7, 8}}));
  EXPECT_TRUE(b.written.empty());
  EXPECT_EQ(b.zeros, 0U);
  EXPECT_EQ(b.engine.state().remote[2], 0U);
  EXPECT_TRUE(b.errors.empty());
}

TEST(receive_engine, answers_count_the_local_counter_down_and_requests_do_not) {
  engine_bench b;
  b.map(0, 0, 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(b.engine.sent(4), receive_error::none);
  b.put(replies, acknowledgement_for(4));
  b.run();
  EXPECT_EQ(b.engine.state().local[4], 2U);
  interface_message data = write_of(8, 8);
  data.header.channel = interface_channel::reply;
  data.header.has_local = true;
  data.header.local = 4;
  b.put(replies, data);
  b.run();
  EXPECT_EQ(b.engine.state().local[4], 1U);
  b.put(requests, data);
  b.run();
  EXPECT_EQ(b.engine.state().local[4], 1U);
}

TEST(receive_engine, local_counters_tell_of_too_few_and_of_one_that_is_not_there) {
  engine_bench b;
  b.put(replies, acknowledgement_for(0));
  b.run();
  EXPECT_EQ(b.errors, std::vector<receive_error>{receive_error::underflow});
  EXPECT_EQ(b.engine.state().local[0], 0U);
  EXPECT_EQ(b.engine.sent(16), receive_error::counter);
}

TEST(receive_engine, what_is_for_the_processor_waits_for_its_buffer) {
  engine_bench b;
  b.fits = {false, true};
  b.put(requests, tagged(1));
  b.put(replies, tagged(2));
  b.run();
  EXPECT_EQ(b.stored, std::vector<std::uint8_t>{2});
  b.put(replies, acknowledgement_for(0));  // goes on
  b.engine.sent(0);
  b.run();
  EXPECT_EQ(b.engine.state().local[0], 0U);
  b.fits = {true, true};
  b.run();
  EXPECT_EQ(b.stored, (std::vector<std::uint8_t>{2, 1}));
}

TEST(receive_engine, without_engines_everything_is_for_the_processor) {
  receive_engine_config config = small_pages();
  config.engines = false;
  engine_bench b(config);
  for (std::uint8_t tag = 0; tag < 3; ++tag) {
    interface_message message = tag == 0   ? write_of(0, 8)
                                : tag == 1 ? read_of(0, 8)
                                           : acknowledgement_for(0);
    message.header.tag = tag;
    b.put(tag == 2 ? replies : requests, message);
  }
  b.run();
  EXPECT_EQ(b.stored, (std::vector<std::uint8_t>{2, 0, 1}));
  EXPECT_TRUE(b.written.empty());
  EXPECT_TRUE(b.missed.empty());
  EXPECT_TRUE(b.errors.empty());
}

TEST(receive_engine, a_miss_blocks_its_channel_only_and_goes_on_at_the_word_where_it_stopped) {
  engine_bench b;
  b.map(0, 0, 2);
  b.put(requests, write_of(page - 16, 32));
  b.run();
  EXPECT_EQ(b.missed, std::vector<std::uint64_t>{1});
  EXPECT_EQ(b.written, (std::vector<std::uint64_t>{3 * page - 16, 3 * page - 8}));
  b.engine.sent(0);
  b.put(replies, acknowledgement_for(0));
  b.run();
  EXPECT_EQ(b.engine.state().local[0], 0U);
  // Without a translation it misses again.
  b.engine.retry(interface_channel::request);
  b.run();
  EXPECT_EQ(b.missed, (std::vector<std::uint64_t>{1, 1}));
  b.map(1, 1, 9);
  EXPECT_TRUE(b.waits());
  b.engine.retry(interface_channel::request);
  b.run();
  EXPECT_EQ(b.written,
            (std::vector<std::uint64_t>{3 * page - 16, 3 * page - 8, 9 * page, 9 * page + 8}));
  EXPECT_EQ(b.word(9 * page), 102U);
  EXPECT_TRUE(b.waiting[requests].empty());
}

TEST(receive_engine, a_reply_misses_without_the_requests) {
  engine_bench b;
  b.map(0, 0, 0);
  interface_message reply = write_of(5 * page, 8);
  reply.header.channel = interface_channel::reply;
  b.put(replies, reply);
  b.put(requests, write_of(0, 8));
  b.run();
  EXPECT_EQ(b.missed, std::vector<std::uint64_t>{5});
  EXPECT_EQ(b.written, std::vector<std::uint64_t>{0});
}

TEST(receive_engine, a_refused_message_is_dropped_and_the_next_is_served) {
  engine_bench b;
  b.map(0, 0, 2);
  b.put(requests, write_of(page - 8, 16));
  b.put(requests, write_of(0, 16));
  b.run();
  b.engine.refuse(interface_channel::request);
  b.run();
  EXPECT_EQ(b.errors, std::vector<receive_error>{receive_error::refused});
  EXPECT_EQ(b.written, (std::vector<std::uint64_t>{3 * page - 8, 2 * page, 2 * page + 8}));
}

TEST(receive_engine, a_counter_is_loaded_if_it_is_0_and_counted_down_in_one_cycle) {
  engine_bench b;
  b.put(requests, counting(7, 3, true));
  std::vector<std::uint16_t> values;
  for (int messages = 0; messages < 3; ++messages) {
    b.run();
    if (!values.empty()) b.put(requests, counting(7, 3, true));
    for (; !b.waits(); b.step()) values.push_back(b.engine.state().remote[7]);
    values.push_back(b.engine.state().remote[7]);
  }
  EXPECT_EQ(std::count(values.begin(), values.end(), 3), 0) << "loaded and counted apart";
  EXPECT_EQ(values.front(), 2U);
  EXPECT_EQ(values.back(), 0U);
  EXPECT_EQ(b.zeros, 1U);
  EXPECT_EQ(b.engine.state().zeroed, 1U << 7);
}

TEST(receive_engine, requests_wait_for_a_counter_whose_0_software_has_not_seen) {
  engine_bench b;
  b.put(requests, counting(7, 1, true));
  b.put(requests, counting(7, 1, true));
  b.run();
  EXPECT_EQ(b.zeros, 1U);
  EXPECT_EQ(b.waiting[requests].size(), 1U);
  b.engine.acknowledge(1U << 6);
  EXPECT_TRUE(b.waits());
  b.engine.acknowledge(1U << 7);
  b.run();
  EXPECT_EQ(b.zeros, 2U);
  EXPECT_TRUE(b.waiting[requests].empty());
}

TEST(receive_engine, one_that_does_not_interrupt_holds_nothing_back) {
  engine_bench b;
  for (int i = 0; i < 4; ++i) b.put(requests, counting(2, 2, false));
  b.run();
  EXPECT_TRUE(b.waiting[requests].empty());
  EXPECT_EQ(b.zeros, 0U);
  EXPECT_EQ(b.engine.state().remote[2], 0U);
  EXPECT_EQ(b.engine.state().zeroed, 0U);
}

TEST(receive_engine, replies_do_not_wait_for_counters) {
  engine_bench b;
  b.engine.state().zeroed = 1U << 7;
  interface_message reply = counting(7, 2, false);
  reply.header.channel = interface_channel::reply;
  b.put(replies, reply);
  b.put(requests, counting(7, 2, false));
  b.run();
  EXPECT_TRUE(b.waiting[replies].empty());
  EXPECT_EQ(b.waiting[requests].size(), 1U);
}

TEST(receive_engine, the_own_processor_counts_by_the_same_rule) {
  engine_bench b;
  receive_error error = receive_error::type;
  EXPECT_FALSE(b.engine.count({true, true, 4, 2}, error));
  EXPECT_EQ(error, receive_error::none);
  EXPECT_EQ(b.engine.state().remote[4], 1U);
  EXPECT_TRUE(b.engine.count({true, true, 4, 2}, error));
  EXPECT_EQ(b.engine.state().zeroed, 1U << 4);
  EXPECT_FALSE(b.engine.count({true, true, 5, 0}, error));
  EXPECT_EQ(error, receive_error::underflow);
  EXPECT_FALSE(b.engine.count({true, true, 16, 1}, error));
  EXPECT_EQ(error, receive_error::counter);
}

TEST(receive_engine, the_reply_channel_comes_first) {
  engine_bench b;
  b.map(0, 0, 0);
  interface_message reply = write_of(8, 8);
  reply.header.channel = interface_channel::reply;
  b.put(requests, write_of(0, 8));
  b.put(replies, reply);
  b.put(replies, reply);
  b.run();
  EXPECT_EQ(b.written, (std::vector<std::uint64_t>{8, 8, 0}));
}

TEST(receive_engine, what_will_be_answered_waits_for_room_and_nothing_else_does) {
  engine_bench b;
  b.map(0, 0, 0);
  b.reply_room = false;
  b.put(requests, read_of(0, 8));
  EXPECT_TRUE(b.waits());
  b.engine.sent(0);
  b.put(replies, acknowledgement_for(0));
  b.run();
  EXPECT_TRUE(b.waiting[replies].empty());
  EXPECT_EQ(b.waiting[requests].size(), 1U);
  b.reply_room = true;
  b.run();
  EXPECT_EQ(b.data.size(), 1U);
  b.reply_room = false;
  interface_message asks = write_of(0, 8);
  b.put(requests, asks);  // not acknowledged
  b.run();
  EXPECT_TRUE(b.waiting[requests].empty());
  asks.header.acknowledge = true;
  b.put(requests, asks);
  EXPECT_TRUE(b.waits());
}

TEST(receive_engine, a_page_is_where_its_entry_says_and_nowhere_else) {
  engine_bench b;
  for (std::uint32_t i = 0; i < 4; ++i) b.map(i, i, 10 - 3 * i);
  b.put(requests, write_of(2 * page - 8, 24));
  b.run();
  EXPECT_EQ(b.written, (std::vector<std::uint64_t>{8 * page - 8, 4 * page, 4 * page + 8}));
  std::uint64_t offset = 0;
  EXPECT_TRUE(b.engine.translate(3 * page + 5, offset));
  EXPECT_EQ(offset, page + 5);
  b.engine.fill(3, {false, 3, 1});
  EXPECT_FALSE(b.engine.translate(3 * page + 5, offset));
}

TEST(receive_engine, errors_say_what_is_wrong_before_anything_is_done) {
  const auto error_of = [](const interface_message& message, std::size_t channel = requests) {
    engine_bench b;
    for (std::uint32_t i = 0; i < 4; ++i) b.map(i, i, i);
    b.put(channel, message);
    b.run();
    EXPECT_TRUE(b.written.empty());
    EXPECT_TRUE(b.data.empty());
    EXPECT_EQ(b.acknowledgements, 0U);
    EXPECT_TRUE(b.waiting[channel].empty());
    return b.errors.size() == 1 ? b.errors[0] : receive_error::none;
  };
  interface_message message = write_of(0, 8);
  message.header.type = communication_message::fetch_line;
  EXPECT_EQ(error_of(message), receive_error::type);
  EXPECT_EQ(error_of(write_of(0, 40)), receive_error::length);
  EXPECT_EQ(error_of(read_of(0, 40)), receive_error::length);
  EXPECT_EQ(error_of(read_of(0, 6)), receive_error::length);
  message = write_of(0, 8);
  message.header.size = 16;  // of which a word came
  EXPECT_EQ(error_of(message), receive_error::length);
  EXPECT_EQ(error_of(write_of(4, 8)), receive_error::address);
  message = read_of(0, 8);
  message.header.everyone = true;
  EXPECT_EQ(error_of(message), receive_error::address);
  EXPECT_EQ(error_of(strided(write_of(0, 16), 2, 12)), receive_error::address);
  EXPECT_EQ(error_of(strided(read_of(0, 16), 2, -12)), receive_error::address);
  message = strided(read_of(0, 16), 2, 16);
  message.header.answer_stride = 4;
  EXPECT_EQ(error_of(message), receive_error::address);
  message = write_of(0, 8);
  message.header.remote = {true, false, 16, 1};
  EXPECT_EQ(error_of(message), receive_error::counter);
  message = acknowledgement_for(16);
  EXPECT_EQ(error_of(message, replies), receive_error::counter);
  EXPECT_EQ(error_of(counting(3, 0, false)), receive_error::underflow);
}

TEST(receive_engine, every_error_has_a_text) {
  for (unsigned i = 1; i <= static_cast<unsigned>(receive_error::refused); ++i) {
    EXPECT_STRNE(name_of(static_cast<receive_error>(i)), name_of(receive_error::none)) << i;
  }
}

// --- hostile headers -----------------------------------------------------------------------------

class hostile_traffic {
 public:
  explicit hostile_traffic(std::uint64_t seed) : draws_(seed, 2U, 9U) {}

  bool with_probability(std::uint64_t of_hundred) { return draws_.below(100) < of_hundred; }
  std::uint64_t below(std::uint64_t limit) { return draws_.below(limit); }

  interface_message message() {
    interface_message made;
    interface_header& header = made.header;
    header.type = static_cast<communication_message>(below(with_probability(80) ? 4 : 10));
    header.address = address();
    header.size = static_cast<std::uint32_t>(with_probability(80) ? 4 * below(9) : below(200000));
    header.everyone = with_probability(10);
    header.acknowledge = with_probability(30);
    header.has_local = with_probability(30);
    header.local = static_cast<std::uint8_t>(with_probability(90) ? below(16) : below(256));
    header.remote.counts = with_probability(50);
    header.remote.interrupts = with_probability(50);
    header.remote.number = static_cast<std::uint8_t>(with_probability(90) ? below(16) : below(256));
    header.remote.initial = static_cast<std::uint16_t>(below(4));
    const std::uint64_t words =
        with_probability(90) && header.size < 1000 ? body_words(header.size) : below(12);
    if (header.type != communication_message::read) {
      for (std::uint64_t i = 0; i < words; ++i) made.body.push_back(draws_.below(1000));
    }
    return made;
  }

 private:
  std::uint64_t address() {
    if (with_probability(10)) return draws_.below(~std::uint64_t{0});
    if (with_probability(10)) return ~std::uint64_t{7} - 8 * below(4);
    return with_probability(90) ? 8 * below(8 * page / 8) : below(8 * page);
  }

  random_stream draws_;
};

/// What a message may be dropped for, told from its header alone.
receive_error expected_error(const interface_message& message) {
  const interface_header& header = message.header;
  const auto type = header.type;
  const bool reads = type == communication_message::read;
  const bool writes = type == communication_message::write;
  if (type == communication_message::tagged) return receive_error::none;
  if (!reads && !writes && type != communication_message::acknowledgement) {
    return receive_error::type;
  }
  if (header.size > 32 || header.size % 4 != 0) return receive_error::length;
  if (!reads && message.body.size() != (header.size + 7) / 8) return receive_error::length;
  if (header.address % 8 != 0 || (reads && header.everyone)) return receive_error::address;
  if (header.remote.counts && header.remote.number > 15) return receive_error::counter;
  if (header.has_local && header.local > 15) return receive_error::counter;
  return receive_error::none;
}

/// Whether the offset is in a page that an entry maps now.
bool is_mapped(const receive_engine& engine, std::uint64_t offset) {
  const auto& all = engine.state().translations;
  return std::any_of(all.begin(), all.end(), [&](const page_translation& each) {
    return each.valid && each.place == offset / page;
  });
}

void run_hostile(std::uint64_t seed) {
  hostile_traffic draws(seed);
  engine_bench b;
  for (int cycle = 0; cycle < 4000; ++cycle) {
    b.memory_ready = draws.with_probability(70);
    b.reply_room = draws.with_probability(70);
    b.fits = {draws.with_probability(50), draws.with_probability(50)};
    for (std::size_t i = 0; i < interface_channels; ++i) {
      if (b.waiting[i].size() < 2 && draws.with_probability(20)) b.put(i, draws.message());
    }
    // What software does: fills or invalidates an entry, looks again, gives up, sees zeros. A page
    // is replaced while no message is in it: the engine has looked it up already.
    const bool moves = b.engine.state().at == phase::move;
    if (!moves && draws.with_probability(20)) {
      b.engine.fill(static_cast<std::uint32_t>(draws.below(4)),
                    {draws.with_probability(80), draws.below(8), 100 + draws.below(8)});
    }
    for (std::size_t i = 0; i < interface_channels; ++i) {
      if (b.engine.state().blocked[i] == 0 || !draws.with_probability(20)) continue;
      const auto channel = static_cast<interface_channel>(i);
      draws.with_probability(70) ? b.engine.retry(channel) : b.engine.refuse(channel);
    }
    if (draws.with_probability(10)) b.engine.acknowledge(~0U);

    std::array<std::deque<interface_message>, interface_channels> before = b.waiting;
    const std::size_t writes = b.written.size();
    const auto remote = b.engine.state().remote;
    const receive_outputs out = b.step();
    if (b.written.size() != writes) {
      ASSERT_TRUE(is_mapped(b.engine, b.written.back())) << "seed " << seed << ", cycle " << cycle;
      ASSERT_EQ(b.written.back() % word_bytes, 0U);
    }
    if (out.memory.valid && !out.memory.writes) {
      ASSERT_TRUE(is_mapped(b.engine, out.memory.offset)) << "seed " << seed;
    }
    if (out.error != receive_error::none) {
      const interface_message& message = before[out.channel].front();
      const receive_error wrong = expected_error(message);
      if (out.error == receive_error::underflow || out.error == receive_error::refused) {
        ASSERT_EQ(wrong, receive_error::none) << name_of(out.error) << ", not " << name_of(wrong);
      } else {
        ASSERT_EQ(out.error, wrong) << name_of(out.error) << ", not " << name_of(wrong);
        ASSERT_EQ(b.engine.state().remote, remote);
      }
    } else if (out.takes) {
      ASSERT_EQ(expected_error(before[out.channel].front()), receive_error::none)
          << "seed " << seed << ", cycle " << cycle << " served what is wrong";
    }
  }
}

TEST(receive_engine, hostile_headers_write_nothing_outside_mapped_pages) {
  for (std::uint64_t seed = 1; seed <= testing::scaled(100); ++seed) {
    run_hostile(seed);
    if (HasFatalFailure()) return;
  }
}

/// Whatever comes, both channels are empty in the end once software does its part.
TEST(receive_engine, hostile_headers_block_nothing_for_ever) {
  hostile_traffic draws(5);
  engine_bench b;
  for (std::uint32_t i = 0; i < 4; ++i) b.map(i, i, i);
  for (int i = 0; i < 300; ++i) {
    b.put(requests, draws.message());
    b.put(replies, draws.message());
  }
  for (int rounds = 0; rounds < 2000 && !(b.waiting[0].empty() && b.waiting[1].empty()); ++rounds) {
    b.run();
    b.engine.acknowledge(~0U);
    for (std::size_t i = 0; i < interface_channels; ++i) {
      if (b.engine.state().blocked[i] != 0) b.engine.refuse(static_cast<interface_channel>(i));
    }
  }
  EXPECT_TRUE(b.waiting[requests].empty());
  EXPECT_TRUE(b.waiting[replies].empty());
}

}  // namespace
}  // namespace tributary
