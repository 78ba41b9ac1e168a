// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/virtual_interfaces/virtual_interfaces.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <support/failure.h>
#include <support/queue_machine.h>
#include <support/saved_hosts.h>

namespace tributary::testing {
namespace {

constexpr std::uint32_t messages = 4;
/// So long that all receives are posted.
constexpr cycle_t posting = 3'000'000;

std::uint64_t bytes_of(std::uint32_t message) { return 8 + 1296 * message; }
word_t word_of(std::uint32_t message, std::uint64_t at) { return 1'000'000 * (message + 1) + at; }

/// Host 0 sends messages of growing length, from within a page or over its end; host 1 has posted
/// receives for them.
struct stream_result {
  std::vector<word_t> sends;
  std::vector<word_t> receives;
  std::vector<word_t> words;
};

void stream(program_context& context, const queue_choice& choice, bool over_pages,
            stream_result& into) {
  queue_pair pair(context, choice);
  const auto place = [&](std::uint32_t message) {
    return over_pages ? message * 3968 : message * queue_pair::page;
  };
  if (context.rank() == 1) {
    for (std::uint32_t i = 0; i < messages; ++i) {
      pair.queue().post_receive(pair.handle(), place(i), 3968);
    }
    for (std::uint32_t i = 0; i < messages; ++i) {
      into.receives.push_back(pair.queue().wait_receive());
      for (std::uint64_t at = 0; at < bytes_of(i); at += 8) {
        into.words.push_back(pair.read(place(i) + at));
      }
    }
    return;
  }
  context.delay(posting);
  for (std::uint32_t i = 0; i < messages; ++i) {
    for (std::uint64_t at = 0; at < bytes_of(i); at += 8) pair.write(place(i) + at, word_of(i, at));
    pair.queue().post_send(pair.handle(), place(i), bytes_of(i));
  }
  for (std::uint32_t i = 0; i < messages; ++i) into.sends.push_back(pair.queue().wait_send());
}

void expect_all(const stream_result& found, const std::string& text) {
  std::vector<word_t> expected;
  for (std::uint32_t i = 0; i < messages; ++i) {
    for (std::uint64_t at = 0; at < bytes_of(i); at += 8) expected.push_back(word_of(i, at));
  }
  EXPECT_EQ(found.words, expected) << text;
  for (const std::vector<word_t>* const statuses : {&found.sends, &found.receives}) {
    ASSERT_EQ(statuses->size(), messages) << text;
    for (std::uint32_t i = 0; i < messages; ++i) {
      word_t status = status_form::status.put(0, static_cast<word_t>(descriptor_status::done));
      status = status_form::length.put(status, bytes_of(i));
      status = status_form::is_there.put(status_form::slot.put(status, i), 1);
      EXPECT_EQ((*statuses)[i], status) << text << ", message " << i;
    }
  }
}

TEST(virtual_interfaces, bring_messages_by_every_kind_of_queue) {
  for (const queue_choice& choice : all_queue_choices()) {
    const bool by_kernel = choice.firmware.translation == translation_kind::host;
    stream_result found;
    host_machine machine(choice.as_hosts(), [&](program_context& context) {
      stream(context, choice, !by_kernel, found);
    });
    ASSERT_TRUE(machine.run()) << choice.text();
    expect_all(found, choice.text());
    for (std::uint32_t i = 0; i < 2; ++i) {
      EXPECT_EQ(machine.host(i).interface().staging().in_use(), 0u) << choice.text();
    }
  }
}

/// What the send of one descriptor by host 0 ends with.
descriptor_status status_of(std::uint16_t handle_offset, std::uint64_t address,
                            std::uint64_t length) {
  const queue_choice choice;
  word_t status = 0;
  host_machine machine(choice.as_hosts(), [&](program_context& context) {
    queue_pair pair(context, choice);
    // Another process's region, of the pages behind.
    pair.kernel().register_memory(queue_pair::process + 1, {40, 41});
    if (context.rank() == 1) {
      pair.queue().post_receive(pair.handle(), 0, 64);
      return;
    }
    context.delay(posting);
    pair.queue().post_send(static_cast<std::uint16_t>(pair.handle() + handle_offset), address,
                           length);
    status = pair.queue().wait_send();
  });
  EXPECT_TRUE(machine.run());
  return static_cast<descriptor_status>(status_form::status.in(status));
}

TEST(virtual_interfaces, refuse_what_is_not_the_process_s_own) {
  constexpr std::uint64_t end = 4 * queue_pair::page;
  EXPECT_EQ(status_of(0, end - 64, 64), descriptor_status::done);
  EXPECT_EQ(status_of(0, end - 56, 64), descriptor_status::foreign_memory);
  EXPECT_EQ(status_of(0, end, 8), descriptor_status::foreign_memory);
  EXPECT_EQ(status_of(0, (std::uint64_t{1} << 48) - 8, 64), descriptor_status::foreign_memory);
  EXPECT_EQ(status_of(1, 0, 8), descriptor_status::foreign_memory);
  EXPECT_EQ(status_of(2, 0, 8), descriptor_status::foreign_memory);
  EXPECT_EQ(status_of(100, 0, 8), descriptor_status::foreign_memory);
  EXPECT_EQ(status_of(0, 4, 8), descriptor_status::bad_form);
  EXPECT_EQ(status_of(0, 0, 4), descriptor_status::bad_form);
  EXPECT_EQ(status_of(0, 0, 0), descriptor_status::bad_form);
  EXPECT_EQ(status_of(0, 0, 65544), descriptor_status::bad_form);
}

TEST(virtual_interfaces, tell_a_receive_that_is_too_short_and_write_nothing) {
  const queue_choice choice;
  word_t status = 0;
  word_t left = 1;
  host_machine machine(choice.as_hosts(), [&](program_context& context) {
    queue_pair pair(context, choice);
    if (context.rank() == 1) {
      pair.queue().post_receive(pair.handle(), 0, 56);
      status = pair.queue().wait_receive();
      left = pair.read(0);
      return;
    }
    context.delay(posting);
    pair.write(0, 99);
    pair.queue().post_send(pair.handle(), 0, 64);
    pair.queue().wait_send();
  });
  ASSERT_TRUE(machine.run());
  EXPECT_EQ(status_form::status.in(status), static_cast<word_t>(descriptor_status::too_short));
  EXPECT_EQ(left, 0u);
}

TEST(virtual_interfaces, drop_a_message_without_a_receive_as_a_whole) {
  const queue_choice choice;
  host_machine machine(choice.as_hosts(), [&](program_context& context) {
    queue_pair pair(context, choice);
    if (context.rank() == 1) {
      context.delay(posting);  // behind the first packets
      pair.queue().post_receive(pair.handle(), 0, 16384);
      return;
    }
    context.delay(posting - 400'000);
    pair.queue().post_send(pair.handle(), 0, 16384);
    pair.queue().wait_send();
  });
  ASSERT_TRUE(machine.run());
  const host_interface& there = machine.host(1).interface();
  const auto& firmware = dynamic_cast<const virtual_interfaces_protocol&>(there.protocols().at(0));
  EXPECT_EQ(there.memory().read(firmware.places().dropped), 11u);
  EXPECT_EQ(there.memory().read(firmware.places().queues + queue_record::taken), 0u);
}

TEST(virtual_interfaces, end_the_run_at_a_full_completion_queue) {
  queue_choice choice;
  choice.firmware.completions = completion_kind::entries;
  choice.firmware.completion_entries = 3;
  host_machine machine(choice.as_hosts(), [&](program_context& context) {
    queue_pair pair(context, choice);
    if (context.rank() == 1) return;
    for (std::uint32_t i = 0; i < 4; ++i) pair.queue().post_send(pair.handle(), 0, 8);
    for (std::uint32_t i = 0; i < 4; ++i) pair.queue().wait_send();
  });
  const std::string text = failure([&] { machine.run(); });
  EXPECT_NE(text.find("completion queue: its 3 entries are full, of 3 that were written the host "
                      "has read 0"),
            std::string::npos)
      << text;
}

TEST(virtual_interfaces, go_on_where_they_were_saved) {
  queue_choice choice;
  choice.firmware.translation = translation_kind::cached;
  choice.firmware.descriptors = descriptor_kind::fetched;
  stream_result whole;
  stream_result halves;
  host_machine first(choice.as_hosts(),
                     [&](program_context& context) { stream(context, choice, true, whole); });
  first.machine.run_until(posting + 2'000'000);
  const std::string state = saved(first);
  ASSERT_TRUE(first.run());
  host_machine second(choice.as_hosts(),
                      [&](program_context& context) { stream(context, choice, true, halves); });
  restore(second, state);
  ASSERT_TRUE(second.run());
  EXPECT_EQ(halves.words, whole.words);
  EXPECT_EQ(saved(second), saved(first));
}

TEST(virtual_interfaces, refuse_configurations_that_cannot_be) {
  virtual_interfaces_config config;
  config.cache_entries = 100;
  EXPECT_NE(failure([&] { virtual_interfaces_protocol made(config, {}); }).find("cache_entries"),
            std::string::npos);
  config.cache_entries = 64;
  config.translation = translation_kind::host;
  config.descriptors = descriptor_kind::fetched;
  EXPECT_NE(failure([&] { virtual_interfaces_protocol made(config, {}); }).find("descriptors"),
            std::string::npos);
}

}  // namespace
}  // namespace tributary::testing
