// SPDX-License-Identifier: Apache-2.0
// Messages whose header and counter the interface keeps.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <vector>

#include <tributary/nic/interface_registers.h>
#include <tributary/sim/observer.h>
#include <tributary/trace/communication_events.h>

#include <support/failure.h>
#include <support/message_machine.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

namespace registers = interface_registers;
using testing::failure;
using testing::message_choice;
using testing::message_machine;
using testing::names;

message_choice sticky(bool is_template) {
  message_choice choice;
  choice.interface().sticky_header = true;
  choice.interface().header_template = is_template;
  return choice;
}

void write(program_context& context, std::uint64_t at, word_t value) {
  context.store(interface_space + at, value);
}

void map_first_page(program_context& context) {
  namespace fills = registers::fill_fields;
  write(context, registers::translation_page, 0);
  write(context, registers::translation_fill, fills::valid.put(fills::page.put(0, 1), 1));
}

word_t header_of(std::uint32_t node, bool is_template) {
  interface_header header;
  header.type = communication_message::write;
  header.size = 8;
  header.has_local = true;
  header.acknowledge = true;
  return registers::header_fields::is_template.put(registers::header_word(header, node_id{node}),
                                                   is_template ? 1 : 0);
}

constexpr std::uint64_t page = 4096;

TEST(sticky_header, messages_begin_with_their_address_and_count_on_the_kept_counter) {
  message_machine b(sticky(false), [](program_context& context) {
    if (context.rank() != 0) {
      map_first_page(context);
      return;
    }
    write(context, registers::kept_header, header_of(1, false));
    write(context, registers::kept_counter, registers::counter_word({true, false, 3, 9}));
    for (word_t i = 0; i < 4; ++i) {
      write(context, registers::send_like, 64 * i);
      write(context, registers::send_data, 70 + i);
      context.delay(200);
    }
    // One with words of its own in between changes nothing of what is kept.
    write(context, registers::send_header, header_of(1, false));
    write(context, registers::send_address, 512);
    write(context, registers::send_counter, 0);
    write(context, registers::send_data, 80);
    write(context, registers::send_like, 1024);
    write(context, registers::send_data, 81);
    while (context.load(interface_space + registers::local_counters) != 0) context.delay(10);
  });
  ASSERT_TRUE(b.programs.run());
  const auto word = [&](std::uint64_t at) {
    return b.programs.machine.node(1).attachment().peek(page + at);
  };
  for (word_t i = 0; i < 4; ++i) EXPECT_EQ(word(64 * i), 70 + i);
  EXPECT_EQ(word(512), 80U);
  EXPECT_EQ(word(1024), 81U);
  EXPECT_EQ(b.interface(1).engine().state().remote[3], 9 - 5) << "five of the six count";
  EXPECT_EQ(b.programs.of("acknowledgement for computing"), 6U);
}

TEST(sticky_header, a_template_takes_the_node_from_the_address) {
  message_choice choice = sticky(true);
  choice.nodes = 3;
  message_machine b(choice, [](program_context& context) {
    namespace fields = registers::target_fields;
    if (context.rank() != 0) {
      map_first_page(context);
      return;
    }
    write(context, registers::kept_header, header_of(0, true));
    for (word_t node = 1; node < 3; ++node) {
      write(context, registers::send_like, fields::node.put(128, node));
      write(context, registers::send_data, 30 + node);
    }
  });
  ASSERT_TRUE(b.programs.run());
  for (std::uint32_t node = 1; node < 3; ++node) {
    EXPECT_EQ(b.programs.machine.node(node).attachment().peek(page + 128), 30 + node);
  }
}

TEST(sticky_header, what_is_not_kept_is_not_sent) {
  const auto run = [](const message_choice& choice, std::uint64_t at, word_t value) {
    message_machine b(choice, [=](program_context& context) {
      if (context.rank() == 0) write(context, at, value);
    });
    return failure([&] { b.programs.run(); });
  };
  EXPECT_TRUE(names(run(message_choice(), registers::send_like, 0), {"node 0", "sticky_header"}));
  EXPECT_TRUE(names(run(sticky(false), registers::send_like, 0), {"before any header is kept"}));
  EXPECT_TRUE(
      names(run(sticky(false), registers::kept_header, header_of(1, true)), {"header_template"}));
  message_choice choice = sticky(true);
  choice.interface().sticky_header = false;
  EXPECT_TRUE(
      names(failure([&] { choice.interface().validate(); }), {"header_template", "sticky_header"}));
}

/// Bytes of control words that processors write.
class control_bytes final : private observer<trace_event> {
 public:
  explicit control_bytes(attached_machine& machine) { machine.observers().attach(*this); }
  std::uint64_t bytes = 0;

 private:
  void on_event(const trace_event& event) override {
    namespace events = communication_events;
    if (event.kind != &events::register_access) return;
    const auto part = static_cast<register_part>(events::part.in(event.details));
    if (part == register_part::send_header) bytes += events::bytes.in(event.details);
  }
};

struct measured {
  std::uint64_t control = 0;
  std::vector<word_t> words;
};

/// Each node gets 256 bytes from each of two others, then sends them 96.
measured run(const message_choice& choice) {
  message_machine b(choice, [&](program_context& context) {
    const auto memory = testing::run_time_of(choice, context, 8192);
    const std::uint32_t here = context.rank();
    for (word_t i = 0; i < 32; ++i) memory->write(8 * i, here * 1000 + i);
    memory->barrier();
    for (std::uint32_t other = 1; other < 3; ++other) {
      const node_id from{(here + other) % 3};
      memory->get({from, 0}, 1024 * other, 256);
    }
    memory->barrier();
    for (std::uint32_t other = 1; other < 3; ++other) {
      memory->send({node_id{(here + other) % 3}, 4096 + 1024 * other}, 1024 * other, 96);
    }
    memory->barrier();
  });
  control_bytes counted(b.programs.machine);
  EXPECT_TRUE(b.programs.run());
  measured found{counted.bytes, {}};
  for (std::uint32_t node = 0; node < 3; ++node) {
    for (std::uint64_t at = 0; at < choice.node.memory_bytes; at += word_bytes) {
      found.words.push_back(b.programs.machine.node(node).attachment().peek(at));
    }
  }
  return found;
}

TEST(sticky_header, the_run_time_writes_fewer_control_words_and_moves_the_same_data) {
  message_choice plain;
  plain.nodes = 3;
  message_choice kept = sticky(false);
  kept.nodes = 3;
  message_choice open = sticky(true);
  open.nodes = 3;
  const measured usual = run(plain);
  const measured with_header = run(kept);
  const measured with_template = run(open);
  std::cout << usual.control << ", " << with_header.control << " and " << with_template.control
            << " bytes of control words\n";
  EXPECT_LT(with_header.control, usual.control);
  EXPECT_LT(with_template.control, with_header.control);
  EXPECT_EQ(with_header.words, usual.words);
  EXPECT_EQ(with_template.words, usual.words);
  // To each of two nodes 8 reads, which save a word but for the first, and 3 writes, which save two
  // but for the first, which saves one. Barriers save more.
  constexpr std::uint64_t words_of_a_node = 2 * (7 + 5);
  EXPECT_GE(usual.control - with_header.control, 3 * words_of_a_node * word_bytes);
}

}  // namespace
}  // namespace tributary
