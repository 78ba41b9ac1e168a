// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/multi_send/multi_send.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/algorithms/host_multicast.h>
#include <tributary/magic/magic_machine.h>
#include <tributary/processor/node_programs.h>
#include <tributary/sim/error.h>

#include <support/failure.h>
#include <support/host_machine.h>
#include <support/protocol_lists.h>
#include <support/saved_hosts.h>

namespace tributary::testing {
namespace {

constexpr std::uint32_t hosts = 4;
constexpr std::uint64_t inbox = 65536;
constexpr std::uint32_t largest = 128;

/// Word `place` of packet `number` of a host.
word_t word_of(std::uint32_t source, std::uint32_t number, std::uint64_t place) {
  return (word_t{source} + 1) << 32 | word_t{number} << 16 | place;
}
std::uint32_t bytes_of(std::uint32_t number) { return 8 * (1 + number * 5 % (largest / 8)); }
/// To all others, to the next one, or to the next two.
std::vector<std::uint32_t> receivers(std::uint32_t source, std::uint32_t number) {
  std::vector<std::uint32_t> to;
  const std::uint32_t count = number % 3 == 0 ? hosts - 1 : number % 3;
  for (std::uint32_t i = 1; i <= count; ++i) to.push_back((source + i) % hosts);
  return to;
}
bool receives(std::uint32_t host, std::uint32_t source, std::uint32_t number) {
  const std::vector<std::uint32_t> to = receivers(source, number);
  return std::find(to.begin(), to.end(), host) != to.end();
}

/// What came, as "source number" in the order in which it came from that source; content included.
using delivered = std::vector<std::vector<std::string>>;

void take(program_context& context, multi_send_driver& driver, std::uint64_t memory,
          delivered& into) {
  const received_packet came = driver.receive(memory + inbox);
  std::string text = std::to_string(came.source) + " " + std::to_string(came.tag) + " " +
                     std::to_string(came.bytes) + ":";
  for (std::uint64_t at = 0; at < came.bytes; at += 8) {
    text += " " + std::to_string(context.load(memory + inbox + at));
  }
  into[context.rank() * hosts + came.source].push_back(text);
}

/// Each host sends packets to others, and takes what comes for it, in between too: the others may
/// wait for its credits.
void exchange(program_context& context, multi_send_driver& driver, std::uint64_t memory,
              std::uint32_t packets, delivered& into) {
  const std::uint32_t own = context.rank();
  std::uint32_t wanted = 0;
  for (std::uint32_t source = 0; source < hosts; ++source) {
    for (std::uint32_t i = 0; i < packets; ++i) wanted += receives(own, source, i) ? 1 : 0;
  }
  for (std::uint32_t i = 0; i < packets; ++i) {
    while (!driver.can_send(receivers(own, i))) {
      if (!driver.has_packet()) {
        driver.rest();
        continue;
      }
      take(context, driver, memory, into);
      --wanted;
    }
    for (std::uint64_t at = 0; at < bytes_of(i); at += 8) {
      context.store(memory + at, word_of(own, i, at / 8));
    }
    driver.send(receivers(own, i), memory, bytes_of(i), static_cast<std::uint16_t>(i));
  }
  for (; wanted != 0; --wanted) take(context, driver, memory, into);
}

delivered expected(std::uint32_t packets) {
  delivered all(hosts * hosts);
  for (std::uint32_t to = 0; to < hosts; ++to) {
    for (std::uint32_t source = 0; source < hosts; ++source) {
      for (std::uint32_t i = 0; i < packets; ++i) {
        if (!receives(to, source, i)) continue;
        std::string text = std::to_string(source) + " " + std::to_string(i) + " " +
                           std::to_string(bytes_of(i)) + ":";
        for (std::uint64_t place = 0; place < bytes_of(i) / 8; ++place) {
          text += " " + std::to_string(word_of(source, i, place));
        }
        all[to * hosts + source].push_back(text);
      }
    }
  }
  return all;
}

host_choice small_hosts(std::uint32_t processors = 2) {
  host_choice choice;
  choice.hosts = hosts;
  choice.node.interface.processors = processors;
  choice.node.interface.packet_bytes = largest;
  choice.protocol.packet_bytes = largest;
  choice.protocol.frames = 4;
  return choice;
}

delivered on_interfaces(const host_choice& choice, std::uint32_t packets) {
  delivered came(hosts * hosts);
  host_machine machine(choice, [&](program_context& context) {
    multi_send_driver driver(context, host_machine::access_of(choice, context), choice.times);
    exchange(context, driver, host_machine::memory_of(context), packets, came);
  });
  EXPECT_TRUE(machine.run());
  for (std::uint32_t i = 0; i < hosts; ++i) {
    EXPECT_EQ(machine.host(i).interface().staging().in_use(), 0u) << "host " << i;
  }
  return came;
}

TEST(multi_send, brings_each_packet_to_all_its_hosts_in_order) {
  for (const std::uint32_t processors : {1U, 2U}) {
    EXPECT_EQ(on_interfaces(small_hosts(processors), 30), expected(30))
        << processors << " processors";
  }
}

/// The same protocol and the same driver, where a payload is a line of MAGIC's.
delivered on_magic(std::uint32_t packets) {
  magic_machine_config config;
  config.nodes = hosts;
  config.node.memory.bytes = std::uint64_t{1} << 20;
  multi_send_config protocol = small_hosts().protocol;
  protocol.queue_space = 0;
  protocol.whole_payloads = true;
  protocol.queue_at = std::uint64_t{1} << 18;
  delivered came(hosts * hosts);
  const auto firmware = [&](node_id) {
    return list_of(std::make_unique<uncached_protocol>(uncached_costs{}),
                   std::make_unique<multi_send_protocol>(protocol, multi_send_costs{8, 4, 2, 12}));
  };
  magic_machine machine(config, firmware);
  const address_layout& layout = config.node.addresses;
  node_programs programs(
      config, make_program([&](program_context& context) {
        const auto& multi_sends = dynamic_cast<const multi_send_protocol&>(
            machine.node(context.rank()).protocols().at(1));
        multi_send_access access;
        access.protocol = protocol;
        access.places = multi_sends.places();
        access.frames_window = access.queue_memory = layout.address_of(context.node(), 0, 0);
        access.doorbell = layout.address_of(context.node(), protocol.command_space, 0);
        access.narrow_doorbell = false;
        multi_send_driver driver(context, access, {0, 0, 0, 200});
        exchange(context, driver, layout.address_of(context.node(), 0, 0), packets, came);
      }));
  programs.elements().add_all(machine);
  machine.run_until(50'000'000, [&] { return programs.work().finished() && machine.idle(); });
  EXPECT_TRUE(programs.work().finished());
  return came;
}

TEST(multi_send, is_the_same_on_magic) { EXPECT_EQ(on_magic(30), expected(30)); }

/// From the beginning until the last of the other hosts has a packet, in cycles.
cycle_t time_of(std::uint32_t receivers, std::uint32_t bytes, bool assisted) {
  host_choice choice;
  choice.hosts = receivers + 1;
  cycle_t last = 0;
  host_machine machine(choice, [&](program_context& context) {
    const std::uint64_t memory = host_machine::memory_of(context);
    multi_send_driver driver(context, host_machine::access_of(choice, context), choice.times);
    std::vector<std::uint32_t> all;
    for (std::uint32_t host = 1; host <= receivers; ++host) all.push_back(host);
    if (context.rank() != 0) {
      driver.receive(memory);
      last = std::max(last, context.now());
    } else if (assisted) {
      driver.send(all, memory, bytes);
    } else {
      for (const std::uint32_t host : all) driver.send({host}, memory, bytes);
    }
  });
  EXPECT_TRUE(machine.run());
  return last;
}

/// Buntinas et al.: one send of the host, a transmission for each destination, one receipt. Their
/// form leaves out noticing, one more transmission, the network, a poll and the list.
TEST(multi_send, takes_a_transmission_for_each_destination) {
  constexpr std::uint32_t bytes = 1536;
  const double send = 27863 + 301.0 * bytes;
  const double transmit = 13958 + 75.0 * bytes;
  const double receive = 42820 + 230.0 * bytes;
  for (const std::uint32_t k : {2U, 6U}) {
    const double multi = send + k * transmit + receive;
    const auto took = static_cast<double>(time_of(k, bytes, true));
    EXPECT_GT(took, multi) << k;
    EXPECT_LT(took, multi + 5000 + 5000 + 4000 + 2 * 2408) << k;
    const double unicasts = k * send + transmit + receive;
    const auto alone = static_cast<double>(time_of(k, bytes, false));
    EXPECT_GT(alone, unicasts) << k;
    EXPECT_LT(alone, unicasts + 5000 + 5000 + 4000) << k;
  }
}

TEST(multi_send, hides_the_header_only_behind_a_longer_packet) {
  const auto further = [](std::uint32_t bytes) {
    return time_of(3, bytes, true) - time_of(2, bytes, true);
  };
  EXPECT_NEAR(static_cast<double>(further(1536)), 13958 + 75 * 1536, 10000);
  EXPECT_NEAR(static_cast<double>(further(16)), 13958 + 24000, 5000);
}

/// Host 0 sends one packet to host 1.
void one_packet(const host_choice& choice, std::uint32_t bytes,
                const std::function<void(host_machine&)>& look) {
  host_machine machine(choice, [&](program_context& context) {
    multi_send_driver driver(context, host_machine::access_of(choice, context), choice.times);
    const std::uint64_t memory = host_machine::memory_of(context);
    if (context.rank() == 0) {
      driver.send({1}, memory, bytes);
    } else {
      driver.receive(memory);
    }
  });
  EXPECT_TRUE(machine.run());
  look(machine);
}

TEST(multi_send, moves_no_more_to_the_host_than_the_packet_and_its_entry) {
  one_packet({}, 16, [](host_machine& machine) {
    EXPECT_EQ(machine.host(1).interface().dma().busy().value(), 138u * (16 + 8));
  });
}

TEST(multi_send, waits_for_the_link_if_that_is_slower_than_the_engine) {
  host_choice choice;
  choice.node.interface.transmit_byte = 1;
  one_packet(choice, 1536, [](host_machine& machine) {
    // 160 MB/s are 62.5 cycles a byte.
    EXPECT_GE(machine.host(0).interface().transmitter().stage().mean(), 62.5 * 1536);
  });
}

TEST(multi_send, goes_on_where_it_was_saved) {
  const host_choice choice = small_hosts();
  delivered whole(hosts * hosts);
  delivered halves(hosts * hosts);
  const auto run = [&choice](delivered& into) {
    return [&choice, &into](program_context& context) {
      multi_send_driver driver(context, host_machine::access_of(choice, context), choice.times);
      exchange(context, driver, host_machine::memory_of(context), 9, into);
    };
  };
  host_machine first(choice, run(whole));
  first.machine.run_until(400'000);
  const std::string state = saved(first);
  EXPECT_TRUE(first.run());
  host_machine second(choice, run(halves));
  restore(second, state);
  EXPECT_EQ(saved(second), state);
  EXPECT_TRUE(second.run());
  EXPECT_EQ(halves, whole);
  EXPECT_EQ(saved(second), saved(first));
}

TEST(multi_send, refuses_what_cannot_be) {
  host_choice choice = small_hosts();
  choice.protocol.window = 4097;
  EXPECT_THROW(multi_send_protocol(choice.protocol, choice.costs), configuration_error);
  const auto sends = [](const std::vector<std::uint32_t>& to, std::uint32_t bytes) {
    const host_choice small = small_hosts();
    host_machine machine(small, [&](program_context& context) {
      multi_send_driver driver(context, host_machine::access_of(small, context), small.times);
      if (context.rank() == 0) driver.send(to, host_machine::memory_of(context), bytes);
    });
    return failure([&] { machine.run(); });
  };
  for (const std::string& text :
       {sends({0}, 8), sends({hosts}, 8), sends({}, 8), sends({1}, 0), sends({1}, 136)}) {
    EXPECT_NE(text.find("allowed: 1 to 128 bytes to 1 to 61 hosts"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace tributary::testing
