// SPDX-License-Identifier: Apache-2.0
// Both message interfaces as a driver writer sees them: registers, interrupts, buffers, DMA,
// broadcasts, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <tributary/nic/interface_registers.h>
#include <tributary/nic/message_interface.h>
#include <tributary/sim/error.h>

#include <support/block_statistics.h>
#include <support/failure.h>
#include <support/message_machine.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

namespace registers = interface_registers;
namespace status_fields = interface_registers::status_fields;
using testing::failure;
using testing::message_choice;
using testing::message_machine;
using testing::names;

constexpr std::uint64_t page = 4096;

/// What a program does at the registers of its node.
class register_user {
 public:
  explicit register_user(program_context& context) : context_(context) {}

  word_t read(std::uint64_t at) { return context_.load(interface_space + at); }
  void write(std::uint64_t at, word_t value) { context_.store(interface_space + at, value); }
  word_t status(const bit_field& field) { return field.in(read(registers::status)); }

  void header(const interface_header& of) {
    write(registers::send_header, registers::header_word(of, of.destination));
    write(registers::send_address, of.address);
  }
  /// A message with such a body, whose words are `first` and what follows.
  void send(const interface_header& of, word_t first = 100, const counter_command& count = {}) {
    header(of);
    if (of.type == communication_message::read) {
      write(registers::send_answer_to, of.answer_to);
      return;
    }
    if (of.type == communication_message::write) {
      write(registers::send_counter, registers::counter_word(count));
    }
    for (std::uint32_t i = 0; i < body_words(of.size); ++i) write(registers::send_data, first + i);
  }
  void map(std::uint64_t entry, std::uint64_t from, std::uint64_t to) {
    namespace fills = registers::fill_fields;
    write(registers::translation_page, from);
    word_t word = fills::entry.put(fills::page.put(0, to), entry);
    write(registers::translation_fill, fills::valid.put(word, 1));
  }
  template <class Condition>
  void wait(const Condition& condition) {
    while (!condition()) context_.delay(10);
  }
  /// Until there is a message in the receive buffer.
  void await_message() {
    wait([&] { return status(status_fields::receive_words) != 0; });
  }

 private:
  program_context& context_;
};

interface_header header_of(communication_message type, std::uint64_t address, std::uint32_t size,
                           std::uint32_t to = 1) {
  interface_header made;
  made.type = type;
  made.destination = node_id{to};
  made.address = address;
  made.size = size;
  return made;
}

constexpr auto write_type = communication_message::write;
constexpr auto read_type = communication_message::read;
constexpr auto tagged_type = communication_message::tagged;

message_choice language() { return {}; }
message_choice traditional() {
  message_choice made;
  made.interface().design = interface_design::traditional;
  return made;
}

using node_body = std::function<void(program_context&, register_user&)>;

/// Node 0 does the first, all others the second.
testing::attached_programs::body both(const node_body& first, const node_body& second) {
  return [=](program_context& context) {
    register_user own(context);
    const node_body& body = context.rank() == 0 ? first : second;
    if (body) body(context, own);
  };
}

word_t memory_word(message_machine& b, std::uint32_t node, std::uint64_t offset) {
  return b.programs.machine.node(node).attachment().peek(offset);
}

// --- registers -----------------------------------------------------------------------------------

TEST(message_interface, control_words_hold_what_they_say) {
  interface_header header = header_of(read_type, 0, 65536, 0xffff);
  header.channel = interface_channel::reply;
  header.everyone = header.acknowledge = header.look_at_once = header.has_local = true;
  header.local = 15;
  header.tag = 255;
  header.purpose = communication_purpose::bookkeeping;
  const interface_header back =
      registers::header_from(registers::header_word(header, header.destination));
  EXPECT_EQ(index(back.destination), 0xffffU);
  EXPECT_EQ(back.type, read_type);
  EXPECT_EQ(back.channel, interface_channel::reply);
  EXPECT_TRUE(back.everyone && back.acknowledge && back.look_at_once && back.has_local);
  EXPECT_EQ(back.local, 15U);
  EXPECT_EQ(back.tag, 255U);
  EXPECT_EQ(back.size, 65536U);
  EXPECT_EQ(back.purpose, communication_purpose::bookkeeping);
  EXPECT_EQ(registers::counter_word({true, true, 15, 0xffff}), 0x3fffffU);
  const counter_command count = registers::counter_from(0x25abcd);
  EXPECT_TRUE(!count.counts && count.interrupts);
  EXPECT_EQ(count.number, 5U);
  EXPECT_EQ(count.initial, 0xabcdU);
}

TEST(message_interface, strides_are_words_in_either_direction) {
  interface_header header = header_of(read_type, 0, 65536);
  header.strided = true;
  header.count = 8192;
  header.stride = 8 * 0x7fff;
  header.answer_stride = -8 * 0x7fff;
  interface_header back = registers::header_from(registers::header_word(header, node_id{1}));
  EXPECT_TRUE(back.strided);
  registers::set_strides(back, registers::stride_word(header));
  EXPECT_EQ(back.count, 8192U);
  EXPECT_EQ(back.stride, 8 * 0x7fff);
  EXPECT_EQ(back.answer_stride, -8 * 0x7fff);
}

TEST(message_interface, registers_at_rest) {
  std::vector<word_t> seen;
  message_machine b(language(),
                    both(
                        [&](program_context&, register_user& own) {
                          seen = {own.read(registers::status), own.read(registers::fault),
                                  own.read(registers::zeroed), own.read(registers::interrupt_cause),
                                  own.read(registers::interrupt_enable)};
                          own.write(registers::interrupt_enable, 0xd);
                          seen.push_back(own.read(registers::interrupt_enable));
                          own.write(registers::local_counters + 8 * 15, 70000);
                          seen.push_back(own.read(registers::local_counters + 8 * 15));
                          own.write(registers::remote_counters, 9);
                          seen.push_back(own.read(registers::remote_counters));
                        },
                        {}));
  ASSERT_TRUE(b.programs.run());
  // 4 messages on either channel; counters have 16 bits.
  EXPECT_EQ(seen, (std::vector<word_t>{0x0404, 0, 0, 0, 0, 0xd, 70000 - 65536, 9}));
}

// --- messages ------------------------------------------------------------------------------------

TEST(message_interface, a_write_is_stored_where_the_page_is_and_answered) {
  word_t open = 1;
  message_machine b(
      language(),
      both(
          [&](program_context&, register_user& own) {
            interface_header header = header_of(write_type, 5 * page + 16, 20);
            header.acknowledge = header.has_local = true;
            header.local = 3;
            own.send(header, 0x1111111122222222);
            EXPECT_EQ(own.read(registers::local_counters + 8 * 3), 1U);
            own.wait([&] { return (open = own.read(registers::local_counters + 8 * 3)) == 0; });
          },
          [](program_context&, register_user& own) { own.map(7, 5, 9); }));
  b.programs.machine.node(1).attachment().poke(9 * page + 32, ~word_t{0});
  ASSERT_TRUE(b.programs.run());
  EXPECT_EQ(open, 0U);
  EXPECT_EQ(memory_word(b, 1, 9 * page + 16), 0x1111111122222222U);
  EXPECT_EQ(memory_word(b, 1, 9 * page + 24), 0x1111111122222223U);
  EXPECT_EQ(memory_word(b, 1, 9 * page + 32), 0xffffffff22222224U) << "4 bytes of a word";
  EXPECT_EQ(b.programs.of("acknowledgement for computing"), 1U);
}

TEST(message_interface, a_read_brings_words_and_counts_both_counters_of_who_asked) {
  std::vector<word_t> seen;
  message_machine b(language(),
                    both(
                        [&](program_context&, register_user& own) {
                          own.map(0, 2, 3);
                          interface_header header = header_of(read_type, 8, 16);
                          header.answer_to = 2 * page;
                          header.has_local = true;
                          own.send(header);
                          own.wait([&] { return own.read(registers::local_counters) == 0; });
                        },
                        [](program_context&, register_user& own) { own.map(0, 0, 1); }));
  b.programs.machine.node(1).attachment().poke(page + 8, 71);
  b.programs.machine.node(1).attachment().poke(page + 16, 72);
  ASSERT_TRUE(b.programs.run());
  EXPECT_EQ(memory_word(b, 0, 3 * page), 71U);
  EXPECT_EQ(memory_word(b, 0, 3 * page + 8), 72U);
}

TEST(message_interface, a_traditional_one_gives_every_message_to_the_processor) {
  std::vector<word_t> words;
  std::vector<interface_header> headers;
  message_machine b(
      traditional(),
      both(
          [](program_context&, register_user& own) {
            interface_header header = header_of(read_type, 24, 32);
            header.answer_to = 48;
            header.tag = 9;
            own.send(header);
            own.header(header_of(write_type, 64, 12));
            own.write(registers::send_data, 5);
            own.write(registers::send_data, 6);
          },
          [&](program_context&, register_user& own) {
            for (int i = 0; i < 2; ++i) {
              own.await_message();
              words.push_back(own.status(status_fields::receive_words));
              headers.push_back(registers::header_from(own.read(registers::receive_header)));
              words.push_back(own.read(registers::receive_header));
              words.push_back(
                  own.read(i == 0 ? registers::receive_header : registers::receive_data));
              if (i == 1) words.push_back(own.read(registers::receive_data));
            }
            words.push_back(own.status(status_fields::receive_words));
          }));
  ASSERT_TRUE(b.programs.run());
  words[0] = std::min<word_t>(words[0], 3);  // the second one may be there, too
  EXPECT_EQ(words, (std::vector<word_t>{3, 24, 48, 4, 64, 5, 6, 0}));
  EXPECT_EQ(headers[0].type, read_type);
  EXPECT_EQ(index(headers[0].destination), 0U) << "the source";
  EXPECT_EQ(headers[0].tag, 9U);
  EXPECT_EQ(headers[0].size, 32U);
  EXPECT_EQ(headers[1].type, write_type);
  EXPECT_EQ(headers[1].size, 12U);
}

TEST(message_interface, a_message_is_seen_when_all_of_it_is_there) {
  message_choice choice = traditional();
  choice.interface().packet_bytes = 256;
  choice.network.payload_bytes = 512;
  choice.network.bandwidth = 20;  // hundreds of cycles for the message
  std::vector<word_t> seen;
  message_machine b(choice, both(
                                [](program_context&, register_user& own) {
                                  own.header(header_of(tagged_type, 0, 256));
                                  for (word_t i = 0; i < 32; ++i)
                                    own.write(registers::send_data, i);
                                },
                                [&](program_context&, register_user& own) {
                                  while (seen.empty()) {
                                    const word_t words = own.status(status_fields::receive_words);
                                    if (words != 0) seen.push_back(words);
                                  }
                                  own.read(registers::receive_header);
                                  own.read(registers::receive_header);
                                  for (int i = 0; i < 32; ++i)
                                    seen.push_back(own.read(registers::receive_data));
                                }));
  ASSERT_TRUE(b.programs.run());
  ASSERT_EQ(seen.size(), 33U);
  EXPECT_EQ(seen[0], 34U);
  for (word_t i = 0; i < 32; ++i) EXPECT_EQ(seen[1 + i], i);
}

// --- the receive buffer and interrupts -----------------------------------------------------------

/// 4 words each: 32 bytes of the buffer.
void send_tagged(register_user& own, std::uint8_t count) {
  for (std::uint8_t i = 0; i < count; ++i) {
    own.wait([&] { return own.status(status_fields::request_room) != 0; });
    interface_header header = header_of(tagged_type, 0, 16);
    header.tag = i;
    own.send(header, i);
  }
}

TEST(message_interface, a_full_buffer_interrupts_once_and_holds_the_rest_back) {
  for (const interface_design design :
       {interface_design::traditional, interface_design::language}) {
    message_choice choice;
    choice.interface().design = design;
    choice.interface().receive_bytes = 130;  // full above 130 - 56 = 74: with the third message
    std::vector<word_t> full_at;
    std::vector<word_t> tags;
    word_t most = 0;
    word_t full_after = 1;
    message_machine b(
        choice,
        both([](program_context&, register_user& own) { send_tagged(own, 12); },
             [&](program_context& context, register_user& own) {
               context.interrupts(1, [&](program_context&) {
                 own.write(registers::interrupt_cause, 2);
                 const word_t status = own.read(registers::status);
                 full_at.push_back(status_fields::receive_words.in(status));
                 EXPECT_EQ(status_fields::full.in(status), 1U);
               });
               own.write(registers::interrupt_enable, 2);
               for (int i = 0; i < 200; ++i) {
                 context.delay(50);
                 most = std::max(most, own.status(status_fields::receive_words));
               }
               EXPECT_EQ(full_at.size(), 1U);
               while (tags.size() < 12) {
                 own.await_message();
                 tags.push_back(registers::header_from(own.read(registers::receive_header)).tag);
                 own.read(registers::receive_header);
                 EXPECT_EQ(own.read(registers::receive_data), tags.back());
                 EXPECT_EQ(own.read(registers::receive_data), tags.back() + 1);
               }
               full_after = own.status(status_fields::full);
             }));
    ASSERT_TRUE(b.programs.run());
    ASSERT_FALSE(full_at.empty());
    EXPECT_GE(full_at[0], 12U) << "three messages";
    EXPECT_EQ(most, 16U) << "four messages of 32 bytes in 130";
    EXPECT_EQ(full_after, 0U);
    ASSERT_EQ(tags.size(), 12U);
    for (word_t i = 0; i < 12; ++i) EXPECT_EQ(tags[i], i);
  }
}

TEST(message_interface, a_message_may_interrupt_and_a_line_that_is_off_only_tells_its_cause) {
  std::vector<word_t> causes;
  int interrupts = 0;
  message_machine b(language(), both(
                                    [](program_context& context, register_user& own) {
                                      interface_header header = header_of(tagged_type, 0, 0);
                                      own.send(header);  // not to be looked at
                                      header.look_at_once = true;
                                      own.send(header);
                                      context.delay(2000);
                                      own.send(header);
                                    },
                                    [&](program_context& context, register_user& own) {
                                      context.interrupts(2,
                                                         [&](program_context&) { ++interrupts; });
                                      context.delay(1000);
                                      causes.push_back(own.read(registers::interrupt_cause));
                                      own.write(registers::interrupt_cause, 4);
                                      causes.push_back(own.read(registers::interrupt_cause));
                                      own.write(registers::interrupt_enable, 4);
                                      EXPECT_EQ(interrupts, 0);
                                      context.delay(3000);
                                      causes.push_back(own.read(registers::interrupt_cause));
                                      for (int i = 0; i < 6; ++i)
                                        own.read(registers::receive_header);
                                    }));
  ASSERT_TRUE(b.programs.run());
  EXPECT_EQ(causes, (std::vector<word_t>{4, 0, 4}));
  EXPECT_EQ(interrupts, 1);
}

TEST(message_interface, counters_interrupt_at_0_and_the_next_waits_until_software_has_seen_it) {
  int interrupts = 0;
  std::vector<word_t> seen;
  message_machine b(
      language(),
      both(
          [](program_context&, register_user& own) {
            for (int i = 0; i < 4; ++i) {
              own.wait([&] { return own.status(status_fields::request_room) != 0; });
              own.send(header_of(write_type, 0, 0), 0, {true, true, 6, 2});
            }
          },
          [&](program_context& context, register_user& own) {
            context.interrupts(3, [&](program_context&) { ++interrupts; });
            own.write(registers::interrupt_enable, 8);
            context.delay(2000);
            seen = {own.read(registers::zeroed), own.status(status_fields::zeroed),
                    own.read(registers::remote_counters + 8 * 6)};
            EXPECT_EQ(interrupts, 1);
            own.write(registers::zeroed, 1U << 6);
            context.delay(2000);
            EXPECT_EQ(interrupts, 2);
            own.write(registers::zeroed, 1U << 6);
            own.write(registers::counter_command, registers::counter_word({true, false, 6, 3}));
            seen.push_back(own.read(registers::remote_counters + 8 * 6));
          }));
  ASSERT_TRUE(b.programs.run());
  EXPECT_EQ(seen, (std::vector<word_t>{1U << 6, 1, 0, 2}));
  EXPECT_EQ(interrupts, 2);
}

// --- translations --------------------------------------------------------------------------------

/// Values and changes of each counter that events tell, by the end of its track's name.
class counter_watch final : public observer<trace_event> {
 public:
  explicit counter_watch(message_machine& watched) : catalog_(watched.programs.machine.catalog()) {}

  void on_event(const trace_event& event) override {
    if (event.kind != &communication_events::counter_value) return;
    const auto change = communication_events::change.in(event.details);
    told[catalog_.name_of(event.track)] +=
        std::to_string(event.value) + " " + names_of_counter_changes().at(change) + ", ";
  }

  std::map<std::string, std::string> told;

 private:
  const trace_catalog& catalog_;
};

TEST(message_interface, an_observer_sees_what_happens_to_counters) {
  message_machine b(
      language(),
      both(
          [&](program_context&, register_user& own) {
            interface_header header = header_of(write_type, page, 8);
            header.acknowledge = header.has_local = true;
            header.local = 5;
            for (int i = 0; i < 2; ++i) {
              own.send(header, 7, {true, false, 3, 2});
              own.wait([&] { return own.read(registers::local_counters + 8 * 5) == 0; });
            }
            own.write(registers::counter_command, registers::counter_word({true, false, 15, 1}));
          },
          [&](program_context&, register_user& own) {
            own.map(0, 1, 1);
            own.write(registers::remote_counters, 9);
          }));
  counter_watch watch(b);
  b.programs.machine.observers().attach(watch);
  ASSERT_TRUE(b.programs.run());
  b.programs.machine.observers().detach(watch);
  const std::map<std::string, std::string> expected{
      {"node.0.interface.engine.local_counter.5", "1 counted, 0 zero, 1 counted, 0 zero, "},
      {"node.0.interface.engine.remote_counter.15", "0 zero, "},
      {"node.1.interface.engine.remote_counter.0", "9 set, "},
      {"node.1.interface.engine.remote_counter.3", "1 loaded, 0 zero, "}};
  EXPECT_EQ(watch.told, expected);
}

TEST(message_interface, a_fault_says_its_page_and_source_and_is_over_with_retry) {
  message_choice choice = language();
  choice.interface().page_bytes = 64;
  std::vector<word_t> faults;
  message_machine b(choice,
                    both(
                        [](program_context&, register_user& own) {
                          own.send(header_of(write_type, (std::uint64_t{1} << 63) + 64, 8), 7);
                        },
                        [&](program_context& context, register_user& own) {
                          context.interrupts(0, [&](program_context&) {
                            faults.push_back(own.read(registers::fault));
                            faults.push_back(own.status(status_fields::faults));
                            own.write(registers::translation_page, (std::uint64_t{1} << 57) + 1);
                            namespace fills = registers::fill_fields;
                            own.write(registers::translation_fill,
                                      fills::valid.put(fills::page.put(0, 5), 1));
                            own.write(registers::translation_retry, 1);
                            faults.push_back(own.read(registers::fault));
                          });
                          own.write(registers::interrupt_enable, 1);
                          context.delay(2000);
                        }));
  ASSERT_TRUE(b.programs.run());
  namespace fields = registers::fault_fields;
  ASSERT_EQ(faults.size(), 3U) << "one interrupt";
  EXPECT_EQ(fields::page.in(faults[0]), (std::uint64_t{1} << 57) + 1);
  EXPECT_EQ(fields::source.in(faults[0]), 0U);
  EXPECT_EQ(fields::is_there.in(faults[0]), 1U);
  EXPECT_EQ(faults[1], 1U);
  EXPECT_EQ(faults[2], 0U);
  EXPECT_EQ(memory_word(b, 1, 5 * 64), 7U);
}

/// A reply that is dropped takes nothing from a request that waits for a page.
TEST(message_interface, a_read_goes_on_behind_a_reply_that_was_dropped) {
  message_choice choice = language();
  choice.interface().page_bytes = 64;
  choice.interface().strict = false;
  message_machine b(choice,
                    both(
                        [&](program_context& context, register_user& own) {
                          own.map(0, 0, 1);
                          own.map(1, 2, 4);
                          interface_header header = header_of(read_type, 64 - 8, 16);
                          header.answer_to = 2 * 64;
                          header.has_local = true;
                          own.send(header);
                          header = header_of(write_type, 4, 0);
                          header.channel = interface_channel::reply;
                          context.delay(1000);
                          own.send(header);
                          own.wait([&] { return own.read(registers::local_counters) == 0; });
                        },
                        [](program_context& context, register_user& own) {
                          own.map(0, 0, 1);
                          own.wait([&] { return own.read(registers::fault) != 0; });
                          context.delay(3000);
                          own.map(1, 1, 7);
                          own.write(registers::translation_retry, 1);
                        }));
  b.programs.machine.node(1).attachment().poke(2 * 64 - 8, 41);
  b.programs.machine.node(1).attachment().poke(7 * 64, 42);
  ASSERT_TRUE(b.programs.run());
  EXPECT_EQ(memory_word(b, 0, 4 * 64), 41U);
  EXPECT_EQ(memory_word(b, 0, 4 * 64 + 8), 42U);
}

// --- DMA and broadcasts --------------------------------------------------------------------------

TEST(message_interface, dma_sends_packets_from_memory_where_its_page_is) {
  message_choice choice = language();
  choice.interface().dma = true;
  std::vector<word_t> faults;
  message_machine b(
      choice,
      both(
          [&](program_context&, register_user& own) {
            const interface_header header = header_of(write_type, 16, 76);
            own.header(header);
            own.write(registers::send_counter, registers::counter_word({true, false, 2, 5}));
            own.write(registers::dma_address, 3 * page - 8);
            own.map(0, 2, 1);
            own.write(registers::dma_send, 76);
            own.wait([&] { return own.read(registers::fault) != 0; });
            faults.push_back(own.read(registers::fault));
            EXPECT_EQ(own.status(status_fields::dma_sends), 1U);
            own.map(1, 3, 4);
            own.write(registers::translation_retry, 4);
            own.wait([&] { return own.status(status_fields::dma_sends) == 0; });
          },
          [](program_context&, register_user& own) {
            own.map(0, 0, 6);
            own.wait([&] { return own.read(registers::remote_counters + 16) == 2; });
          }));
  auto& memory = b.programs.machine.node(0).attachment();
  memory.poke(2 * page - 8, 500);
  for (std::uint64_t i = 0; i < 9; ++i) memory.poke(4 * page + 8 * i, 501 + i);
  ASSERT_TRUE(b.programs.run());
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(registers::fault_fields::page.in(faults[0]), 3U);
  EXPECT_EQ(registers::fault_fields::source.in(faults[0]), 2U);
  EXPECT_EQ(b.programs.of("write for computing"), 3U) << "32, 32 and 12 bytes";
  EXPECT_EQ(b.programs.bytes_of("write for computing"), 76U);
  for (std::uint64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(memory_word(b, 1, 6 * page + 16 + 8 * i), 500 + i) << i;
  }
}

TEST(message_interface, dma_of_a_traditional_one_stores_whole_bodies_and_no_byte_more) {
  message_choice choice = traditional();
  choice.interface().dma = true;
  message_machine b(choice,
                    both(
                        [](program_context&, register_user& own) {
                          own.header(header_of(tagged_type, 0, 44));
                          own.write(registers::dma_address, 64);
                          own.write(registers::dma_send, 44);
                        },
                        [](program_context&, register_user& own) {
                          for (const std::uint32_t bytes : {32U, 12U}) {
                            own.await_message();
                            own.read(registers::receive_header);
                            const word_t offset = own.read(registers::receive_header);
                            own.write(registers::dma_address, 128 + offset);
                            own.write(registers::dma_receive, bytes);
                            own.write(registers::dma_address, 8);  // of the next one
                            own.wait([&] { return own.status(status_fields::dma_stores) == 0; });
                          }
                        }));
  for (std::uint64_t i = 0; i < 6; ++i) {
    b.programs.machine.node(0).attachment().poke(64 + 8 * i, 0x700000000 + i);
    b.programs.machine.node(1).attachment().poke(128 + 8 * i, ~word_t{0});
  }
  ASSERT_TRUE(b.programs.run());
  for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(memory_word(b, 1, 128 + 8 * i), 0x700000000 + i);
  EXPECT_EQ(memory_word(b, 1, 128 + 40), 0xffffffff00000005U);
}

TEST(message_interface, a_hardware_broadcast_writes_the_same_address_of_every_node) {
  for (const bool self : {true, false}) {
    message_choice choice = language();
    choice.nodes = 5;
    choice.interface().broadcast = choice.network.broadcast = true;
    choice.network.broadcast_self = self;
    message_machine b(choice, both(
                                  [](program_context& context, register_user& own) {
                                    own.map(0, 0, context.rank());
                                    context.delay(500);
                                    interface_header header = header_of(write_type, 8, 16);
                                    header.everyone = true;
                                    own.send(header, 33);
                                  },
                                  [](program_context& context, register_user& own) {
                                    own.map(0, 0, context.rank());
                                  }));
    ASSERT_TRUE(b.programs.run());
    EXPECT_EQ(b.messages.size(), 0U);
    for (std::uint32_t node = 0; node < 5; ++node) {
      const word_t expected = node == 0 && !self ? 0 : 34;
      EXPECT_EQ(memory_word(b, node, node * page + 16), expected) << "node " << node;
    }
  }
}

// --- what is refused or stopped ------------------------------------------------------------------

/// The error that ends the run of node 0's body; node 1 has pages 0 to 3 where they are.
std::string refusal(const message_choice& choice, const node_body& body,
                    const node_body& other = {}) {
  message_machine b(choice, both(body, [&](program_context& context, register_user& own) {
                      for (std::uint64_t i = 0; i < 4; ++i) own.map(i, i, i);
                      if (other) other(context, own);
                    }));
  return failure<simulation_error>([&] { b.programs.run(); });
}

TEST(message_interface, a_message_that_cannot_be_served_ends_the_run_with_its_name) {
  message_choice choice = language();
  choice.interface().counters = 4;
  const auto sends = [](const interface_header& header, const counter_command& count = {}) {
    return [=](program_context& context, register_user& own) {
      context.delay(300);
      own.send(header, 1, count);
    };
  };
  EXPECT_TRUE(names(refusal(choice, sends(header_of(write_type, 8, 8), {true, false, 9, 1})),
                    {"interface of node 1", "cycle", "write 0.m0 of 8 bytes from node 0",
                     "address 0x8", "counter 9", "beyond the bank"}));
  EXPECT_TRUE(names(refusal(choice, sends(header_of(write_type, 8, 8), {true, false, 3, 0})),
                    {"interface of node 1", "write 0.m0", "counter was 0"}));
  EXPECT_TRUE(names(refusal(choice, sends(header_of(write_type, 12, 8))),
                    {"interface of node 1", "address 0xc", "no multiple of 8"}));
  EXPECT_TRUE(names(refusal(choice, sends(header_of(write_type, 9 * page, 8)),
                            [](program_context&, register_user& own) {
                              own.wait([&] { return own.read(registers::fault) != 0; });
                              own.write(registers::translation_refuse, 1);
                            }),
                    {"interface of node 1", "write 0.m0", "0x9000", "not mapped"}));
}

TEST(message_interface, what_software_cannot_mean_ends_the_run_where_it_is_written) {
  const auto stops = [](const message_choice& choice, const interface_header& header) {
    return refusal(choice, [=](program_context&, register_user& own) { own.send(header); });
  };
  const message_choice usual = language();
  EXPECT_TRUE(names(stops(usual, header_of(write_type, 0, 40)),
                    {"interface of node 0", "cycle", "40 bytes", "packet_bytes = 32"}));
  EXPECT_TRUE(names(stops(usual, header_of(write_type, 0, 6)), {"6 bytes", "multiples of 4"}));
  EXPECT_TRUE(names(stops(usual, header_of(write_type, 0, 8, 0)), {"node 0 is written"}));
  EXPECT_TRUE(names(stops(usual, header_of(write_type, 0, 8, 2)), {"node 2 is written", "0 to 1"}));
  EXPECT_TRUE(
      names(stops(usual, header_of(communication_message::line, 0, 8)), {"type 5", "0 to 3"}));
  interface_header header = header_of(write_type, 0, 8);
  header.everyone = true;
  EXPECT_TRUE(names(stops(usual, header), {"a broadcast", "the network has none"}));
  header = header_of(read_type, 0, 8);
  header.channel = interface_channel::reply;
  EXPECT_TRUE(names(stops(usual, header), {"reply channel", "asks for an answer"}));
  message_choice few = usual;
  few.interface().counters = 2;
  header = header_of(write_type, 0, 8);
  header.acknowledge = header.has_local = true;
  header.local = 2;
  EXPECT_TRUE(names(stops(few, header), {"interface of node 0", "write", "beyond the bank"}));
  EXPECT_TRUE(names(refusal(usual,
                            [&](program_context&, register_user& own) {
                              own.write(registers::local_counters + 16, 65535);
                              own.send(header);
                            }),
                    {"interface of node 0", "write", "local counter is 65535"}));
  message_choice with_dma = usual;
  with_dma.interface().dma = true;
  EXPECT_TRUE(names(stops(with_dma, header_of(write_type, 0, 40)), {"40 bytes", "DMA"}));
  EXPECT_TRUE(names(stops(with_dma, header_of(read_type, 0, 40)), {"40 bytes", "packet_bytes"}));
}

TEST(message_interface, strides_that_no_body_has_end_the_run) {
  const auto stops = [](std::uint32_t size, std::uint32_t count, bool strided) {
    return refusal(language(), [=](program_context&, register_user& own) {
      interface_header header = header_of(write_type, 0, size);
      header.strided = strided;
      header.count = count;
      own.header(header);
      own.write(registers::send_strides, registers::stride_word(header));
    });
  };
  EXPECT_TRUE(names(stops(32, 1, true), {"32 bytes", "as 1 items", "at least 2 items"}));
  EXPECT_TRUE(names(stops(32, 0, true), {"32 bytes", "as 0 items"}));
  EXPECT_TRUE(names(stops(32, 3, true), {"32 bytes", "as 3 items"}));
  EXPECT_TRUE(names(stops(12, 3, true), {"12 bytes", "whole words"}));
  EXPECT_TRUE(names(stops(32, 2, false), {"header must be strided"}));
  interface_header header = header_of(tagged_type, 0, 8);
  header.strided = true;
  EXPECT_TRUE(
      names(refusal(language(), [=](program_context&, register_user& own) { own.header(header); }),
            {"neither a read nor a write"}));
  message_choice with_dma = language();
  with_dma.interface().dma = true;
  EXPECT_TRUE(names(refusal(with_dma,
                            [](program_context&, register_user& own) {
                              interface_header sent = header_of(write_type, 0, 32);
                              sent.strided = true;
                              sent.count = 2;
                              own.header(sent);
                              own.write(registers::send_strides, registers::stride_word(sent));
                              own.write(registers::send_counter, 0);
                              own.write(registers::dma_send, 32);
                            }),
                    {"DMA", "strided"}));
}

TEST(message_interface, registers_that_are_not_ready_end_the_run) {
  const auto stops = [](const message_choice& choice, const node_body& body) {
    return refusal(choice, body);
  };
  EXPECT_TRUE(names(stops(language(), [](auto&, auto& own) { own.write(registers::send_data, 1); }),
                    {"node 0", "before its header"}));
  EXPECT_TRUE(
      names(stops(language(), [](auto&, auto& own) { own.read(registers::receive_header); }),
            {"node 0", "no message has been received"}));
  EXPECT_TRUE(names(stops(language(), [](auto&, auto& own) { own.read(registers::send_data); }),
                    {"no register is read at 0x28"}));
  EXPECT_TRUE(names(stops(language(), [](auto&, auto& own) { own.write(registers::fault, 1); }),
                    {"no register is written at 0x78"}));
  EXPECT_TRUE(names(stops(language(), [](auto&, auto& own) { own.map(0, 0, 16); }),
                    {"entry 0", "page 16", "64 entries"}));
  EXPECT_TRUE(names(stops(language(), [](auto&, auto& own) { own.map(64, 0, 0); }), {"entry 64"}));
  EXPECT_TRUE(names(stops(language(),
                          [](auto&, auto& own) {
                            for (int i = 0; i < 200; ++i) {
                              own.send(header_of(tagged_type, 0, 0));
                            }
                          }),
                    {"its channel has no room"}));
  EXPECT_TRUE(names(
      stops(language(),
            [](auto&, auto& own) {
              own.write(registers::counter_command, registers::counter_word({true, false, 1, 0}));
            }),
      {"node 0", "counter command", "was 0"}));
  EXPECT_TRUE(names(stops(language(), [](auto&, auto& own) { own.write(registers::dma_send, 8); }),
                    {"DMA is to send, but there is none"}));
  message_choice with_dma = traditional();
  with_dma.interface().dma = true;
  const auto dma_at = [](std::uint64_t address, word_t bytes) {
    return [=](auto&, auto& own) {
      own.header(header_of(tagged_type, 0, 64));
      own.write(registers::dma_address, address);
      own.write(registers::dma_send, bytes);
    };
  };
  EXPECT_TRUE(names(stops(with_dma, dma_at(65536, 64)), {"DMA of 64 bytes at 0x10000", "0x10000"}));
  EXPECT_TRUE(names(stops(with_dma, dma_at(4, 64)), {"DMA of 64 bytes at 0x4"}));
  EXPECT_TRUE(names(stops(with_dma, dma_at(0, 0)), {"DMA of 0 bytes"}));
  EXPECT_TRUE(names(stops(with_dma,
                          [&](auto& context, auto& own) {
                            dma_at(0, 64)(context, own);
                            own.header(header_of(tagged_type, 0, 0));
                          }),
                    {"while DMA sends"}));
}

TEST(message_interface, the_map_names_the_registers_that_are_there) {
  message_machine b(language(), both({}, {}));
  const auto refuses = [&](const access& asked) {
    const std::string problem = failure([&] { b.interface(0).perform(asked, 1); });
    return problem.find("no register is") != std::string::npos;
  };
  for (std::uint64_t at = 0; at < registers::bytes; at += word_bytes) {
    access load;
    load.address = at;
    EXPECT_EQ(refuses(load), !registers::is_readable(at)) << "read at " << at;
    EXPECT_EQ(refuses(posted_store(at, 0)), !registers::is_writable(at)) << "written at " << at;
  }
  EXPECT_FALSE(registers::is_readable(registers::status + 4));
  EXPECT_FALSE(registers::is_writable(registers::bytes));
}

TEST(message_interface, dma_that_software_gives_up_ends_the_run) {
  message_choice choice = language();
  choice.interface().dma = true;
  EXPECT_TRUE(names(refusal(choice,
                            [](program_context&, register_user& own) {
                              own.header(header_of(tagged_type, 0, 64));
                              own.write(registers::dma_address, 5 * page);
                              own.write(registers::dma_send, 64);
                              own.write(registers::translation_refuse, 4);
                            }),
                    {"interface of node 0", "DMA reads at 0x5000", "not mapped"}));
}

TEST(message_interface, one_that_is_not_strict_drops_and_counts) {
  message_choice choice = language();
  choice.interface().strict = false;
  message_machine b(choice, both(
                                [](program_context& context, register_user& own) {
                                  context.delay(300);
                                  own.send(header_of(write_type, 4, 8), 1);
                                  own.send(header_of(write_type, 8, 8), 2);
                                },
                                [](program_context&, register_user& own) { own.map(0, 0, 0); }));
  ASSERT_TRUE(b.programs.run());
  EXPECT_EQ(memory_word(b, 1, 8), 2U);
  EXPECT_EQ(memory_word(b, 1, 0), 0U);
  EXPECT_EQ(testing::statistic(b.interface(1), "dropped"), 1.0);
}

TEST(message_interface, what_could_not_work_is_refused_before_it_runs) {
  const auto problem = [](const std::function<void(message_choice&)>& change) {
    message_choice choice;
    change(choice);
    return failure<configuration_error>(
        [&] { message_machine b(choice, [](program_context&) {}); });
  };
  EXPECT_TRUE(names(problem([](auto& x) { x.interface().receive_bytes = 48; }),
                    {"interface.receive_bytes", "48", "packet_bytes + 24 = 56"}));
  EXPECT_TRUE(names(problem([](auto& x) { x.network.lanes = 1; }), {"lanes", "1", "2 to 4"}));
  EXPECT_TRUE(names(problem([](auto& x) { x.network.payload_bytes = 48; }),
                    {"network.payload_bytes", "48", "56"}));
  EXPECT_TRUE(names(problem([](auto& x) { x.interface().broadcast = true; }),
                    {"interface.broadcast", "network.broadcast"}));
  EXPECT_TRUE(names(problem([](auto& x) { x.interface().packet_bytes = 12; }),
                    {"packet_bytes", "12", "multiple of 8"}));
  EXPECT_TRUE(names(problem([](auto& x) { x.interface().page_bytes = 96; }),
                    {"page_bytes", "96", "power of two"}));
  EXPECT_TRUE(
      names(problem([](auto& x) { x.interface().counters = 17; }), {"counters", "17", "16"}));
}

}  // namespace
}  // namespace tributary
