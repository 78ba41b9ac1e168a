// SPDX-License-Identifier: Apache-2.0
// The memory side of a network: against the built-in modules cycle by cycle, and with targets of
// every kind.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <tributary/base/random_stream.h>
#include <tributary/memory/memory_array_module.h>
#include <tributary/memory/memory_module.h>
#include <tributary/nic/memory_interface_module.h>

#include "support/systemc_test.h"

namespace tributary {
namespace {

constexpr std::uint32_t modules = 4;

/// What crossed the links, in order: (cycle, line, sequence, value or 0).
using crossing = std::tuple<cycle_t, std::size_t, std::uint32_t, word_t, int>;

/// Stands for the network: random requests to whoever is ready, replies taken at random.
class network_end : public clocked_module {
 public:
  network_end(const sc_core::sc_module_name& name, std::uint64_t seed, unsigned reply_share)
      : clocked_module(name), random_(seed, 0U, 0U), reply_share_(reply_share) {}

  link_port<packet> request_out{"request_out"};
  link_port<reply> reply_in{"reply_in"};

  std::vector<crossing> requests;
  std::vector<crossing> replies;
  std::uint32_t limit = 0xffffffff;

 private:
  void end_of_elaboration() override {
    request_out.open(packet_link<packet>::end::sender, modules);
    reply_in.open(packet_link<reply>::end::receiver, modules);
  }
  void ready() override {
    std::uint8_t takes[modules];
    for (std::uint8_t& each : takes) each = random_.below(8) < reply_share_ ? 1 : 0;
    reply_in.publish(takes);
  }
  void depart() override {
    for (std::uint32_t line = 0; line < modules; ++line) {
      const bool wants = random_.below(4) != 0;
      const std::uint64_t draw = random_.next_u64();
      if (!wants || sent_ == limit || request_out.ready()[line] == 0) continue;
      const packet request = draw_request(line, draw);
      requests.emplace_back(now(), line, request.sequence, request.location, 0);
      request_out.send(line, request);
      ++sent_;
    }
  }
  void commit() override {
    reply_in.receive([&](std::size_t line, const reply& got) {
      replies.emplace_back(now(), line, got.sequence, got.value, got.status);
    });
  }
  void reset() override {}

  packet draw_request(std::uint32_t line, std::uint64_t draw) const {
    packet request;
    const std::uint64_t row = draw % 4;
    request.location = location_of(mm_id{line}, (row * modules + line) * word_bytes);
    request.sequence = sent_;
    switch ((draw >> 8) % 6) {
      case 0:
        request.set_function(function_of(operation::load));
        break;
      case 1:
        request.set_function(function_of(operation::store, draw));
        break;
      case 2:
        request.set_function(function_of(operation::fetch_xor, draw));
        break;
      case 3:
        request.set_function(function_of(operation::compare_and_swap, draw % 3, draw % 5));
        break;
      case 4:
        request.set_function(function_of(operation::narrow_store, draw, byte_mask(draw & 0xff)));
        break;
      default:
        request.set_function(function_of(operation::fetch_add, 1));
    }
    return request;
  }

  random_stream random_;
  unsigned reply_share_;
  std::uint32_t sent_ = 0;
};

address_map interleaved() {
  address_map_config config;
  return {config, modules};
}

/// The network's end and the links to a memory side.
struct joined {
  joined(const std::string& name, sc_core::sc_clock& clock, std::uint64_t seed, unsigned share)
      : end((name + "_end").c_str(), seed, share),
        requests((name + "_requests").c_str(), modules),
        replies((name + "_replies").c_str(), modules) {
    end.clock(clock);
    end.request_out.bind(requests);
    end.reply_in.bind(replies);
  }
  template <class Side>
  void join(Side& side, sc_core::sc_clock& clock) {
    side.clock(clock);
    side.request_in.bind(requests);
    side.reply_out.bind(replies);
  }

  network_end end;
  packet_link<packet> requests;
  packet_link<reply> replies;
};

class memory_interface_module : public testing::systemc_test {
 protected:
  sc_core::sc_clock clock{"clock", sc_core::sc_time(10, sc_core::SC_NS)};
  address_map map = interleaved();
};

/// The built-in modules and those behind sockets, under the same traffic.
struct pair_under_test {
  pair_under_test(sc_core::sc_clock& clock, const address_map& map, const memory_config& timing,
                  std::uint32_t link_cycles, unsigned share, std::uint64_t seed)
      : built_in_end("built_in", clock, seed, share),
        built_in("built_in", timing, link_cycles, modules),
        socket_end("sockets", clock, seed, share),
        sockets("sockets", socket_config(timing), map, link_cycles) {
    built_in_end.join(built_in, clock);
    socket_end.join(sockets, clock);
    for (std::size_t i = 0; i < modules; ++i) {
      memory_module_config config;
      config.timing = timing;
      memories.push_back(std::make_unique<memory_module>(sc_core::sc_gen_unique_name("m"), config));
      memories.back()->clock(clock);
      sockets.initiator_sockets[i].bind(memories.back()->target_socket);
    }
  }
  static memory_interface_config socket_config(const memory_config& timing) {
    memory_interface_config config;
    config.interval = timing.interval;
    config.pipeline = timing.pipeline;
    return config;
  }

  joined built_in_end;
  memory_array_module built_in;
  joined socket_end;
  tributary::memory_interface_module sockets;
  std::vector<std::unique_ptr<memory_module>> memories;
};

using timing_case = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

class memory_interface_equality : public memory_interface_module,
                                  public ::testing::WithParamInterface<timing_case> {};

TEST_P(memory_interface_equality, behaves_as_the_built_in_modules) {
  const auto [interval, latency, pipeline, link_cycles] = GetParam();
  const memory_config timing{interval, latency, pipeline};
  const unsigned share = 2 + interval % 7;
  pair_under_test both(clock, map, timing, link_cycles, share, interval * 100 + latency);
  sc_core::sc_start(sc_core::sc_time(30, sc_core::SC_US));
  ASSERT_GT(both.built_in_end.end.replies.size(), 50U);
  EXPECT_EQ(both.built_in_end.end.requests, both.socket_end.end.requests);
  EXPECT_EQ(both.built_in_end.end.replies, both.socket_end.end.replies);
}

INSTANTIATE_TEST_SUITE_P(timings, memory_interface_equality,
                         ::testing::Values(timing_case{1, 1, 16, 1}, timing_case{1, 2, 16, 2},
                                           timing_case{4, 2, 16, 2}, timing_case{2, 2, 4, 1},
                                           timing_case{40, 38, 16, 2}, timing_case{3, 38, 16, 4},
                                           timing_case{3, 9, 2, 1}, timing_case{1, 7, 1, 3},
                                           timing_case{40, 1, 16, 1}, timing_case{5, 6, 3, 2},
                                           timing_case{2, 38, 5, 4}, timing_case{1, 3, 16, 1}));

}  // namespace
}  // namespace tributary
