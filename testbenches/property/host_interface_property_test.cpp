// SPDX-License-Identifier: Apache-2.0
// Processes that write to their interface whatever they like, and programs drawn at random over all
// kinds of queues.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/sim/random_stream.h>

#include <support/queue_machine.h>

namespace tributary::testing {
namespace {

constexpr std::uint64_t page = virtual_interfaces_config::page_bytes;
constexpr std::uint64_t host_bytes = 256 * 1024;
constexpr word_t own_word = 0x0717;      ///< of the process that is hostile
constexpr word_t peer_word = 0x9ee6;     ///< of the process at its queue's other end
constexpr word_t foreign_word = 0xf00d;  ///< of everybody else

queue_choice small_choice() {
  queue_choice choice;
  choice.firmware.longest = 8192;
  choice.firmware.host_table_at = 48 * page;
  choice.firmware.completions_at = 50 * page;
  return choice;
}

host_choice small_hosts(const queue_choice& choice) {
  host_choice hosts = choice.as_hosts();
  hosts.node.memory_bytes = host_bytes;
  return hosts;
}

bool in_region(std::uint64_t offset) {
  for (const std::uint32_t frame : queue_pair::frames()) {
    if (offset / page == frame) return true;
  }
  return false;
}
/// The kernel's: statuses and descriptors of the queue, the table.
bool is_of_kernel(std::uint64_t offset, const queue_choice& choice) {
  const queue_memory memory = queue_pair::memory();
  return (offset >= memory.statuses && offset < memory.statuses + 1024) ||
         (offset >= memory.descriptors && offset < memory.descriptors + 2048) ||
         (offset >= choice.firmware.host_table_at &&
          offset < choice.firmware.completions_at + page);
}

/// A descriptor as a hostile process makes one: sometimes nearly right.
void write_descriptor(program_context& context, std::uint64_t at, random_stream& draws,
                      std::uint16_t own) {
  word_t address = draws.below(5 * page);
  word_t length = draws.below(3 * page);
  if (draws.below(4) != 0) {
    address -= address % 8;
    length -= length % 8;
  }
  word_t handle = draws.below(3) == 0 ? draws.below(20) : own;
  if (draws.below(8) == 0) address = draws.next_u64();
  if (draws.below(8) == 0) length = draws.next_u64();
  if (draws.below(16) == 0) handle = draws.below(65536);
  context.store(at, descriptor_form::address.put(draws.below(2) << 60, address));
  context.store(at + 8,
                descriptor_form::handle.put(descriptor_form::length.put(0, length), handle));
}

/// One of its sequences: it writes, and rings or does not.
void attack(program_context& context, const virtual_interface_access& access, std::uint16_t own,
            random_stream& draws) {
  const bool receives = draws.below(2) == 0;
  const std::uint64_t half = receives ? receive_doorbell : send_doorbell;
  const std::uint64_t slot = draws.below(descriptor_form::slots);
  if (draws.below(8) == 0) {
    context.store(access.doorbells + draws.below(page / 8) * 8, draws.next_u64());
  }
  const bool fetched = access.protocol.descriptors == descriptor_kind::fetched;
  const std::uint64_t at =
      fetched ? access.memory + queue_pair::memory().descriptors + (receives ? 1024 : 0)
              : access.doorbells + half + descriptor_form::first;
  write_descriptor(context, at + slot * descriptor_form::bytes, draws, own);
  const word_t value = draws.below(8) == 0 ? draws.next_u64() : slot;
  context.store_bytes(access.doorbells + half, value, 0x0f);
  if (draws.below(4) == 0) context.delay(draws.below(100000));
}

struct attacked {
  queue_choice choice;
  std::uint64_t sequences = 0;
  std::uint64_t seed = 1;

  void prepare(host_machine& machine) const {
    for (std::uint32_t host = 0; host < 2; ++host) {
      for (std::uint64_t at = 0; at < host_bytes; at += 8) {
        const word_t word = in_region(at) ? (host == 0 ? own_word : peer_word) : foreign_word;
        if (!is_of_kernel(at, choice)) machine.host(host).poke(at, word);
      }
    }
  }
  /// What has changed that must not, or went where it must not.
  std::string harm(host_machine& machine) const {
    for (std::uint32_t host = 0; host < 2; ++host) {
      for (std::uint64_t at = 0; at < host_bytes; at += 8) {
        if (is_of_kernel(at, choice)) continue;
        const word_t word = machine.host(host).peek(at);
        const bool fits =
            in_region(at) ? word == own_word || word == peer_word : word == foreign_word;
        if (!fits) {
          return "host " + std::to_string(host) + " has " + std::to_string(word) + " at offset " +
                 std::to_string(at);
        }
      }
    }
    return "";
  }
  void expect_no_harm() const {
    host_machine machine(small_hosts(choice), [&](program_context& context) { run(context); });
    prepare(machine);
    ASSERT_TRUE(machine.run(1'000'000'000'000)) << choice.text();
    EXPECT_EQ(harm(machine), "") << choice.text() << ", seed " << seed;
    const host_interface& attacked_one = machine.host(0).interface();
    // The attack was one, and not only refused.
    EXPECT_GT(attacked_one.transmitter().sent().value(), sequences / 50) << choice.text();
    const auto& firmware =
        dynamic_cast<const virtual_interfaces_protocol&>(attacked_one.protocols().at(0));
    EXPECT_GT(attacked_one.memory().read(firmware.places().refused), sequences / 10)
        << choice.text();
    EXPECT_EQ(attacked_one.staging().in_use(), 0u) << choice.text();
  }

 private:
  void run(program_context& context) const {
    queue_pair pair(context, choice);
    // A process that is asleep, whose memory is registered.
    pair.kernel().register_memory(queue_pair::process + 1, {40, 41, 42});
    random_stream draws(seed, context.rank(), 3U);
    if (context.rank() == 0) {
      for (std::uint64_t i = 0; i < sequences; ++i) {
        attack(context, pair.access(), pair.handle(), draws);
      }
      return;
    }
    // The other end is well-behaved, and takes and sends for as long.
    for (std::uint64_t i = 0; i < sequences / 4; ++i) {
      const std::uint64_t slot = i % descriptor_form::slots;
      const bool receives = draws.below(4) != 0;
      const std::uint64_t half = receives ? receive_doorbell : send_doorbell;
      const std::uint64_t length = 8 * (1 + draws.below(64));
      const bool fetched = pair.access().protocol.descriptors == descriptor_kind::fetched;
      const std::uint64_t at =
          (fetched ? pair.access().memory + queue_pair::memory().descriptors + (receives ? 1024 : 0)
                   : pair.access().doorbells + half + descriptor_form::first) +
          slot * descriptor_form::bytes;
      context.store(at, 8 * draws.below(512));
      context.store(at + 8,
                    descriptor_form::handle.put(
                        descriptor_form::length.put(0, receives ? 8192 : length), pair.handle()));
      context.store_bytes(pair.access().doorbells + half, slot, 0x0f);
      context.delay(20000);
    }
  }
};

void attack_every_kind(std::uint64_t sequences) {
  std::uint64_t seed = 1;
  for (queue_choice choice : all_queue_choices()) {
    // Posts through the kernel are not the process's; a full completion queue ends the run.
    if (choice.interface.doorbells == doorbell_kind::central ||
        choice.firmware.completions == completion_kind::entries) {
      continue;
    }
    const queue_choice small = small_choice();
    choice.firmware.longest = small.firmware.longest;
    choice.firmware.host_table_at = small.firmware.host_table_at;
    choice.firmware.completions_at = small.firmware.completions_at;
    attacked{choice, sequences, seed++}.expect_no_harm();
  }
}

TEST(host_interface, lets_a_hostile_process_reach_nobody_s_memory) { attack_every_kind(400); }

TEST(host_interface, lets_a_hostile_process_reach_nobody_s_memory_long) {
  attack_every_kind(12500);  // 10^5 of all kinds together
}

// --- programs at random --------------------------------------------------------------------------

struct drawn_message {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// Of a host to the other.
std::vector<drawn_message> drawn_messages(std::uint64_t seed, std::uint32_t host, bool one_page) {
  random_stream draws(seed, host, 4U);
  std::vector<drawn_message> all(1 + draws.below(20));
  for (drawn_message& each : all) {
    each.bytes = 8 * (1 + draws.below(draws.below(3) == 0 ? 512 : 16));
    each.address = 8 * draws.below((one_page ? page - each.bytes : 2 * page) / 8 + 1);
  }
  return all;
}

word_t drawn_word(std::uint32_t host, std::size_t message, std::uint64_t at) {
  return (word_t{host} + 1) << 48 | word_t{message} << 32 | at;
}

/// Both send to each other, and check what comes, in order.
void converse(program_context& context, const queue_choice& choice, std::uint64_t seed) {
  const bool one_page = choice.firmware.translation == translation_kind::host;
  queue_pair pair(context, choice);
  // Messages come into the last page, or cross into it; they are sent from the pages before.
  const std::uint64_t inbox = 3 * page;
  const std::uint32_t own = context.rank();
  const std::vector<drawn_message> sends = drawn_messages(seed, own, one_page);
  const std::vector<drawn_message> comes = drawn_messages(seed, 1 - own, one_page);
  for (std::size_t i = 0; i < comes.size(); ++i) {
    pair.queue().post_receive(pair.handle(), inbox, page);
  }
  context.delay(20'000'000);  // the other one has posted, too
  std::size_t came = 0;
  for (std::size_t i = 0; i < sends.size() || came < comes.size();) {
    if (i < sends.size()) {
      for (std::uint64_t at = 0; at < sends[i].bytes; at += 8) {
        pair.write(sends[i].address + at, drawn_word(own, i, at));
      }
      pair.queue().post_send(pair.handle(), sends[i].address, sends[i].bytes);
      const word_t status = pair.queue().wait_send();
      EXPECT_EQ(status_form::status.in(status), static_cast<word_t>(descriptor_status::done));
      ++i;
    }
    // All receives have one place: what comes is taken before the next one is asked for.
    if (came < comes.size() && i == sends.size()) {
      const word_t status = pair.queue().wait_receive();
      EXPECT_EQ(status_form::length.in(status), comes[came].bytes)
          << choice.text() << ", seed " << seed << ", message " << came;
      ++came;
    }
  }
  const std::size_t last = comes.size() - 1;
  for (std::uint64_t at = 0; at < comes[last].bytes; at += 8) {
    EXPECT_EQ(pair.read(inbox + at), drawn_word(1 - own, last, at))
        << choice.text() << ", seed " << seed << ", at " << at;
  }
}

TEST(host_interface, loses_nothing_and_drains_over_every_kind_of_queue) {
  std::uint64_t seed = 1;
  for (const queue_choice& choice : all_queue_choices()) {
    for (int i = 0; i < 3; ++i, ++seed) {
      host_machine machine(choice.as_hosts(),
                           [&](program_context& context) { converse(context, choice, seed); });
      ASSERT_TRUE(machine.run()) << choice.text() << ", seed " << seed;
      for (std::uint32_t host = 0; host < 2; ++host) {
        EXPECT_EQ(machine.host(host).interface().staging().in_use(), 0u) << choice.text();
        EXPECT_EQ(machine.host(host).interface().refused_posts(), 0u) << choice.text();
      }
      EXPECT_EQ(machine.packets.size(), 0u) << choice.text();
    }
  }
}

}  // namespace
}  // namespace tributary::testing
