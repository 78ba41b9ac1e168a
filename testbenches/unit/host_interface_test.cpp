// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/host_interface.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/controller/cost_table.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/trace/catalog.h>

#include <support/failure.h>
#include <support/queue_machine.h>

namespace tributary::testing {
namespace {

constexpr std::uint64_t window = host_window_space;

/// What a program of one host sees; the other one does nothing.
template <class Body>
void alone(const queue_choice& choice, const Body& body) {
  host_machine machine(choice.as_hosts(), [&](program_context& context) {
    if (context.rank() == 0) body(context);
  });
  EXPECT_TRUE(machine.run());
}

TEST(host_interface, takes_its_time_for_each_four_bytes) {
  const queue_choice choice;
  alone(choice, [&](program_context& context) {
    const auto took = [&](const auto& access) {
      const cycle_t began = context.now();
      access();
      return context.now() - began;
    };
    const std::uint64_t memory = window + host_registers::memory;
    EXPECT_EQ(took([&] { context.store(memory, 1); }), 3200u);
    EXPECT_EQ(took([&] { context.store_bytes(memory, 1, 0x0f); }), 1600u);
    EXPECT_EQ(took([&] { context.store_bytes(memory, 1, 0xf0); }), 1600u);
    EXPECT_EQ(took([&] { context.store_bytes(memory, 1, 0x18); }), 3200u);
    EXPECT_EQ(took([&] { context.load(memory); }), 9800u);
    EXPECT_EQ(took([&] { context.load(window + host_registers::status); }), 4900u);
  });
}

TEST(host_interface, has_a_memory_and_pages_that_keep_what_is_written) {
  const queue_choice choice;
  alone(choice, [&](program_context& context) {
    const std::uint64_t last = window + host_registers::memory + choice.interface.memory_bytes - 8;
    context.store(last, 7);
    context.store_bytes(last, ~word_t{0}, 0x02);
    EXPECT_EQ(context.load(last), 0xff07u);
    const std::uint64_t page = window + host_registers::doorbells + doorbell_page;
    context.store(page + 16, 9);
    EXPECT_EQ(context.load(page + 16), 9u);
    // It is the interface's memory behind that of the firmware.
    EXPECT_EQ(context.load(window + host_registers::memory + choice.whole().interface.pages_at() +
                           doorbell_page + 16),
              9u);
    // Doorbells keep nothing.
    context.store(page, 3);
    EXPECT_EQ(context.load(page), 0u);
  });
}

TEST(host_interface, tells_what_it_is_and_what_it_refused) {
  const queue_choice choice;
  alone(choice, [&](program_context& context) {
    const word_t own = context.load(window + host_registers::capabilities);
    EXPECT_EQ(own & 0xffff, 4u);
    EXPECT_EQ(own >> 16 & 0xffff, 192u);
    EXPECT_EQ(own >> 32 & 1, 1u);
    EXPECT_EQ(context.load(window + host_registers::status), 0u);
    context.store_bytes(window + host_registers::queue_state, 2 << 1, 0x0f);
    context.store_bytes(window + host_registers::doorbells + 2 * doorbell_page, 0, 0x0f);
    EXPECT_EQ(context.load(window + host_registers::status), host_registers::refused_post);
  });
}

TEST(host_interface, refuses_accesses_that_lead_nowhere) {
  const queue_choice choice;
  const auto text = [&](std::uint64_t offset, operation op) {
    host_machine machine(choice.as_hosts(), [&](program_context& context) {
      if (context.rank() == 0) context.perform(op, window + offset, 0, 0);
    });
    return failure([&] { machine.run(); });
  };
  const std::uint64_t pages_end = host_registers::doorbells + 4 * doorbell_page;
  EXPECT_EQ(text(pages_end - 8, operation::load), "");
  EXPECT_NE(text(pages_end, operation::load).find("at offset 0x5000 of its window"),
            std::string::npos);
  EXPECT_NE(text(host_registers::memory + choice.interface.memory_bytes, operation::store)
                .find("of its window"),
            std::string::npos);
  EXPECT_NE(text(0, operation::fetch_add).find("of its window"), std::string::npos);
}

TEST(host_interface, lets_a_post_wait_for_a_place) {
  queue_choice choice;
  choice.interface.posts = 1;
  choice.interface.scan_cycles = 1'000'000;
  std::vector<cycle_t> took;
  host_machine machine(choice.as_hosts(), [&](program_context& context) {
    if (context.rank() != 0) return;
    for (int i = 0; i < 3; ++i) {
      const cycle_t began = context.now();
      context.store_bytes(window + host_registers::doorbells, 0, 0x0f);
      took.push_back(context.now() - began);
    }
  });
  ASSERT_TRUE(machine.run());
  EXPECT_EQ(took[0], 1600u);
  EXPECT_GT(took[1], 100'000u);
  EXPECT_GT(took[2], 100'000u);
}

TEST(host_interface, sends_nothing_while_it_is_stopped) {
  const host_choice choice;
  std::uint64_t sent = 1;
  host_machine machine(choice, [&](program_context& context) {
    multi_send_driver driver(context, host_machine::access_of(choice, context), choice.times);
    const std::uint64_t memory = host_machine::memory_of(context);
    if (context.rank() != 0) {
      driver.receive(memory);
      return;
    }
    context.store_bytes(window, 0, 0xf0);  // control
    driver.send({1}, memory, 8);
    context.delay(1'000'000);
    sent = machine.host(0).interface().transmitter().sent().value();
    context.store_bytes(window, word_t{1} << 32, 0xf0);
  });
  ASSERT_TRUE(machine.run());
  EXPECT_EQ(sent, 0u);
  EXPECT_EQ(machine.host(0).interface().transmitter().sent().value(), 1u);
}

/// The key that a configuration is refused for.
std::string refused_for(void (*change)(host_interface_config&)) {
  host_interface_config config;
  change(config);
  const std::string text = failure<configuration_error>([&] { config.validate(); });
  return text.substr(0, text.find(':'));
}

TEST(host_interface, refuses_configurations_that_cannot_be) {
  EXPECT_EQ(refused_for([](host_interface_config& c) { c.packet_bytes = 1536; }), "");
  EXPECT_NE(refused_for([](host_interface_config& c) { c.packet_bytes = 16; }), "");
  EXPECT_NE(refused_for([](host_interface_config& c) { c.packet_bytes = 1532; }), "");
  EXPECT_NE(refused_for([](host_interface_config& c) { c.memory_bytes = 4096; }), "");
  EXPECT_NE(refused_for([](host_interface_config& c) { c.queues = 1024; }), "");
  host_interface_config below;
  below.packet_bytes = 16;
  EXPECT_NE(failure([&] { below.validate(); }).find("16 bytes are below the header"),
            std::string::npos);
}

TEST(host_interface, has_a_track_for_each_stage) {
  const host_choice choice;
  host_machine machine(choice, [&](program_context& context) {
    multi_send_driver driver(context, host_machine::access_of(choice, context), choice.times);
    const std::uint64_t memory = host_machine::memory_of(context);
    if (context.rank() == 0) {
      driver.send({1}, memory, 64);
    } else {
      driver.receive(memory);
    }
  });
  struct counting final : observer<trace_event> {
    void on_event(const trace_event& event) override { ++kinds[event.kind->name]; }
    std::map<std::string, int> kinds;
  } seen;
  machine.machine.observers().attach(seen);
  ASSERT_TRUE(machine.run());
  EXPECT_EQ(seen.kinds["transmitted"], 1);
  EXPECT_EQ(seen.kinds["to_host"], 2);
  EXPECT_EQ(seen.kinds["handled"], 3);
  machine.machine.observers().detach(seen);
}

TEST(multi_send_costs, are_those_of_the_table) {
  multi_send_costs read{0, 0, 0, 0};
  parameter_set set = parameter_set::of(read);
  load_cost_table(set, TRIBUTARY_SOURCE_DIR "/platforms/cluster/costs/lanai43.json");
  const multi_send_costs usual;
  EXPECT_EQ(read.transmit, usual.transmit);
  EXPECT_EQ(read.rewrite, usual.rewrite);
  EXPECT_EQ(read.list, usual.list);
  EXPECT_EQ(read.receive, usual.receive);
}

}  // namespace
}  // namespace tributary::testing
