// SPDX-License-Identifier: Apache-2.0
// The memory side of a network with targets of every kind. That it keeps the cycles of built-in
// modules is in combining_network_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>
#include <tributary/systemc/fetch_op.h>
#include <tributary/systemc/memory_interface_module.h>
#include <tributary/systemc/messages.h>

#include <driver/simulation_context.h>

#include "support/scripted_target.h"
#include "support/systemc_test.h"
#include "support/word_payload.h"

namespace tributary {
namespace {

constexpr std::uint32_t modules = 4;

/// What crossed the links, in order.
struct crossing {
  cycle_t cycle;
  std::size_t line;
  std::uint32_t sequence;
  word_t word;  ///< a request's location, a reply's value
  int status;

  bool operator==(const crossing& other) const {
    return cycle == other.cycle && line == other.line && sequence == other.sequence &&
           word == other.word && status == other.status;
  }
};

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
  /// Requests add 1 and nothing else.
  bool only_adds = false;

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
      requests.push_back({now(), line, request.sequence, request.location, 0});
      request_out.send(line, request);
      ++sent_;
    }
  }
  void commit() override {
    reply_in.receive([&](std::size_t line, const reply& got) {
      replies.push_back({now(), line, got.sequence, got.value, got.status});
    });
  }
  void reset() override {}

  packet draw_request(std::uint32_t line, std::uint64_t draw) const {
    packet request;
    const std::uint64_t row = draw % 4;
    request.location = location_of(mm_id{line}, (row * modules + line) * word_bytes);
    request.sequence = sent_;
    if (only_adds) {
      request.set_function(function_of(operation::fetch_add, 1));
      return request;
    }
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
template <class End>
struct joined {
  template <class... Arguments>
  joined(const std::string& name, sc_core::sc_clock& clock, Arguments... of_end)
      : end((name + "_end").c_str(), of_end...),
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

  End end;
  packet_link<packet> requests;
  packet_link<reply> replies;
};

class memory_interface_module : public testing::systemc_test {
 protected:
  sc_core::sc_clock clock{"clock", sc_core::sc_time(10, sc_core::SC_NS)};
  address_map map = interleaved();
};

using testing::scripted_target;
using testing::target_skill;
using testing::target_way;

memory_interface_config served_by(fetch_op_service service,
                                  response_ending ending = response_ending::completed) {
  memory_interface_config config;
  config.fetch_ops = service;
  config.end_response = ending;
  return config;
}

/// Targets of each way and skill, asked or not.
struct way_case {
  target_way way;
  target_skill skill;
  fetch_op_service service;
  response_ending ending = response_ending::completed;
};

/// A network's end, the interface and scripted targets.
template <class End>
struct targets_behind {
  template <class... Arguments>
  targets_behind(sc_core::sc_clock& clock, const address_map& map,
                 const memory_interface_config& config, std::size_t bound, Arguments... of_end)
      : links("network", clock, of_end...), network(links.end), side("side", config, map, 2) {
    links.join(side, clock);
    for (std::size_t i = 0; i < bound; ++i) {
      targets.push_back(std::make_unique<scripted_target>(sc_core::sc_gen_unique_name("t"), i));
      side.initiator_sockets[i].bind(targets.back()->target_socket());
    }
  }
  void set(const way_case& chosen) {
    for (auto& each : targets) {
      each->way = chosen.way;
      each->skill = chosen.skill;
    }
  }
  /// A loosely timed fetch-and-add of one to a word of `module`; adds to `delay`.
  tlm::tlm_response_status access(std::uint32_t module, const word_function& function, word_t& old,
                                  sc_core::sc_time& delay) {
    return side.access(mm_id{module}, module * word_bytes, function, old, delay);
  }
  word_t add(std::uint32_t module) {
    word_t old = 0;
    sc_core::sc_time delay;
    EXPECT_EQ(access(module, function_of(operation::fetch_add, 1), old, delay),
              tlm::TLM_OK_RESPONSE);
    return old;
  }
  double statistic(const std::string& name) const {
    statistics_tree tree;
    side.report(tree.group("side"));
    return tree.find("side." + name);
  }

  joined<End> links;
  End& network;
  tributary::memory_interface_module side;
  std::vector<std::unique_ptr<scripted_target>> targets;
};

/// Random requests to targets that take their time.
struct targets_under_test : targets_behind<network_end> {
  targets_under_test(sc_core::sc_clock& clock, const address_map& map,
                     const memory_interface_config& config = {})
      : targets_behind(clock, map, config, modules, 77U, 6U) {
    for (auto& each : targets) {
      each->request_time = 1.5 * clock.period();
      each->response_time = 3.5 * clock.period();
    }
  }
  /// Simulates until everything should be answered.
  void run() { sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_US)); }
};

/// Each request to a word added 1: the words they got are 0, 1, 2 ... and the word is their count.
void expect_every_add_counted(const targets_under_test& test, std::size_t others = 0) {
  const network_end& end = test.network;
  std::map<std::uint32_t, word_t> location_of_request;
  for (const crossing& each : end.requests) {
    location_of_request[each.sequence] = each.word;
  }
  std::map<word_t, std::vector<word_t>> got;
  for (const crossing& each : end.replies) {
    EXPECT_EQ(each.status, 0);
    got[location_of_request.at(each.sequence)].push_back(each.word);
  }
  word_t sum = 0;
  for (auto& [location, values] : got) {
    std::sort(values.begin(), values.end());
    EXPECT_EQ(std::adjacent_find(values.begin(), values.end()), values.end()) << "a lost update";
  }
  for (const auto& target : test.targets) {
    for (const auto& [location, value] : target->words.contents()) sum += value;
  }
  EXPECT_EQ(sum, end.requests.size() + others);
}

std::vector<way_case> ways_and_skills(const std::vector<target_way>& ways,
                                      response_ending ending = response_ending::completed) {
  std::vector<way_case> cases;
  for (const target_way way : ways) {
    for (const target_skill skill : {target_skill::performs, target_skill::silent,
                                     target_skill::refuses, target_skill::moody}) {
      cases.push_back({way, skill, fetch_op_service::ask, ending});
    }
    cases.push_back({way, target_skill::silent, fetch_op_service::own_unit, ending});
  }
  return cases;
}

std::string name_of_case(const ::testing::TestParamInfo<way_case>& tested) {
  static const char* const ways[] = {"four_phases",     "foreign_answer",    "end_req_returned",
                                     "end_req_implied", "response_returned", "completed",
                                     "any_order",       "awaits_end_resp"};
  static const char* const skills[] = {"performs", "silent", "refuses", "moody"};
  const way_case& that = tested.param;
  return std::string(ways[static_cast<int>(that.way)]) + "_" +
         (that.service == fetch_op_service::own_unit ? "not_asked"
                                                     : skills[static_cast<int>(that.skill)]);
}

class memory_interface_ways : public memory_interface_module,
                              public ::testing::WithParamInterface<way_case> {};

TEST_P(memory_interface_ways, nothing_is_lost_and_every_operation_is_atomic) {
  targets_under_test test(clock, map, served_by(GetParam().service, GetParam().ending));
  test.set(GetParam());
  test.network.only_adds = true;
  test.network.limit = 500;
  test.run();
  EXPECT_EQ(test.network.requests.size(), 500U);
  EXPECT_EQ(test.network.replies.size(), 500U);
  EXPECT_TRUE(test.side.idle());
  expect_every_add_counted(test);
  for (const auto& each : test.targets) {
    EXPECT_EQ(each->monitor.checker().outstanding(), 0U);
    EXPECT_EQ(each->monitor.checker().violations(), 0U);
  }
}

TEST_P(memory_interface_ways, responses_go_back_in_the_order_of_requests) {
  targets_under_test test(clock, map, served_by(GetParam().service, GetParam().ending));
  test.set(GetParam());
  for (auto& each : test.targets) each->response_time = 9 * clock.period();
  test.network.limit = 500;
  test.run();
  ASSERT_EQ(test.network.replies.size(), 500U);
  for (std::size_t line = 0; line < modules; ++line) {
    const auto sequences = [&](const std::vector<crossing>& all) {
      std::vector<std::uint32_t> found;
      for (const crossing& each : all) {
        if (each.line == line) found.push_back(each.sequence);
      }
      return found;
    };
    EXPECT_EQ(sequences(test.network.requests), sequences(test.network.replies));
  }
}

INSTANTIATE_TEST_SUITE_P(
    ways, memory_interface_ways,
    ::testing::ValuesIn(ways_and_skills({target_way::four_phases, target_way::foreign_answer,
                                         target_way::end_req_returned, target_way::end_req_implied,
                                         target_way::response_returned, target_way::completed,
                                         target_way::any_order})),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    ended_by_call, memory_interface_ways,
    ::testing::ValuesIn(ways_and_skills({target_way::four_phases, target_way::foreign_answer,
                                         target_way::end_req_returned, target_way::end_req_implied,
                                         target_way::response_returned, target_way::completed,
                                         target_way::any_order, target_way::awaits_end_resp},
                                        response_ending::phase)),
    name_of_case);

/// A thread that makes loosely timed accesses, and one request from the network at a time.
struct thread_of : public sc_core::sc_module {
  TRIBUTARY_HAS_PROCESS(thread_of);
  explicit thread_of(const sc_core::sc_module_name& name, std::function<void()> what)
      : sc_module(name), what_(std::move(what)) {
    SC_THREAD(run);
  }
  void run() {
    what_();
    // A thread that ended confuses the address sanitizer about the stack of the next one.
    wait();
  }

 private:
  std::function<void()> what_;
};

class memory_interface_threads : public memory_interface_module,
                                 public ::testing::WithParamInterface<way_case> {};

TEST_P(memory_interface_threads, threads_and_the_network_exclude_each_other) {
  targets_under_test test(clock, map, served_by(GetParam().service, GetParam().ending));
  test.set(GetParam());
  for (std::size_t i = 0; i < modules; ++i) {
    // Threads come back at an edge, together with the interface, or between two.
    test.targets[i]->blocking_time = (i % 2 == 0 ? 1.0 : 1.3) * clock.period();
  }
  test.network.only_adds = true;
  test.network.limit = 500;
  constexpr std::uint32_t accesses = 60;
  std::vector<word_t> got;
  const auto add = [&](std::uint32_t i) {
    got.push_back(test.add(i % modules) * modules + i % modules);
  };
  thread_of one("one", [&] {
    for (std::uint32_t i = 0; i < accesses; ++i) add(i);
  });
  thread_of two("two", [&] {
    for (std::uint32_t i = 0; i < accesses; ++i) {
      // In the delta cycle in which the interface says that it is ready.
      sc_core::wait(clock.posedge_event());
      add(i);
    }
  });
  test.run();
  EXPECT_EQ(test.network.replies.size(), 500U);
  EXPECT_EQ(got.size(), 2 * accesses);
  std::sort(got.begin(), got.end());
  EXPECT_EQ(std::adjacent_find(got.begin(), got.end()), got.end()) << "a lost update";
  expect_every_add_counted(test, 2 * accesses);
}

INSTANTIATE_TEST_SUITE_P(ways, memory_interface_threads,
                         ::testing::ValuesIn(ways_and_skills({target_way::four_phases,
                                                              target_way::completed,
                                                              target_way::any_order})),
                         name_of_case);

/// One request at a time from the network.
class single_request : public clocked_module {
 public:
  explicit single_request(const sc_core::sc_module_name& name) : clocked_module(name) {}
  link_port<packet> request_out{"request_out"};
  link_port<reply> reply_in{"reply_in"};
  std::vector<packet> requests;
  std::vector<reply> replies;
  std::vector<cycle_t> sent, answered;
  /// Whether a request waits for no reply to the one before.
  bool all_at_once = false;

  /// Adds a request to module `module`.
  void add(std::uint32_t module, std::uint64_t address, const word_function& function) {
    packet made;
    made.location = location_of(mm_id{module}, address);
    made.sequence = static_cast<std::uint32_t>(requests.size());
    made.set_function(function);
    requests.push_back(made);
  }

 private:
  void end_of_elaboration() override {
    request_out.open(packet_link<packet>::end::sender, modules);
    reply_in.open(packet_link<reply>::end::receiver, modules);
  }
  void ready() override { reply_in.publish_all(1); }
  void depart() override {
    if (sent.size() == requests.size()) return;
    if (!all_at_once && sent.size() != replies.size()) return;
    const packet& next = requests[sent.size()];
    if (request_out.ready()[index(next.module())] == 0) return;
    request_out.send(index(next.module()), next);
    sent.push_back(now());
  }
  void commit() override {
    reply_in.receive([&](std::size_t, const reply& got) {
      replies.push_back(got);
      answered.push_back(now());
    });
  }
  void reset() override {}
};

using statuses = std::vector<tlm::tlm_response_status>;

/// Requests one after the other to scripted targets.
struct step_by_step : targets_behind<single_request> {
  step_by_step(sc_core::sc_clock& clock, const address_map& map,
               const memory_interface_config& config = {}, std::size_t bound = modules)
      : targets_behind(clock, map, config, bound) {}
  void run() { sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_US)); }
  std::vector<tlm::tlm_response_status> statuses() const {
    std::vector<tlm::tlm_response_status> all;
    for (const reply& each : network.replies) all.push_back(response_of(each.status));
    return all;
  }
};

TEST_F(memory_interface_module, the_own_unit_serves_every_operation) {
  step_by_step test(clock, map);
  test.targets[0]->skill = target_skill::silent;
  random_stream random(3, 0U, 0U);
  word_t word = 0;
  std::vector<word_t> expected;
  for (std::size_t i = 0; i < 4 * operation_count; ++i) {
    const auto what = static_cast<operation>(i % operation_count);
    if (what == operation::narrow_store) continue;
    const word_function function = function_of(what, random.below(4), random.next_u64());
    test.network.add(0, 0, function);
    expected.push_back(word);
    word = apply(function, word);
  }
  test.run();
  ASSERT_EQ(test.network.replies.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(test.network.replies[i].value, expected[i]) << i;
    EXPECT_EQ(test.network.replies[i].status, 0) << i;
  }
  EXPECT_EQ(test.targets[0]->words.read(0), word);
  const double loads = 4;
  EXPECT_EQ(test.statistic("own_unit"), static_cast<double>(expected.size()) - loads);
  EXPECT_EQ(test.statistic("requests"), static_cast<double>(expected.size()));
}

TEST_F(memory_interface_module, a_load_is_a_read_and_a_narrow_store_one_write) {
  step_by_step test(clock, map, served_by(fetch_op_service::own_unit));
  test.targets[0]->words.write(0, 0x1111111111111111);
  test.network.add(0, 0, function_of(operation::narrow_store, ~word_t{0}, byte_mask(0x06)));
  test.network.add(0, 0, function_of(operation::load));
  test.run();
  ASSERT_EQ(test.network.replies.size(), 2U);
  EXPECT_EQ(test.network.replies[1].value, 0x1111111111ffff11U);
  EXPECT_EQ(test.targets[0]->writes, 1U);
  EXPECT_EQ(test.targets[0]->reads, 1U);
  EXPECT_EQ(test.targets[0]->asked, 0U);
}

/// The transactions of a target as "address+length", with "e" where bytes are enabled.
std::vector<std::string> writes_of(step_by_step& test) {
  std::vector<std::string> written;
  test.targets[0]->refusal = [&written](const tlm::tlm_generic_payload& payload) {
    written.push_back(std::to_string(payload.get_address()) + "+" +
                      std::to_string(payload.get_data_length()) +
                      (payload.get_byte_enable_ptr() != nullptr ? "e" : ""));
    EXPECT_EQ(payload.get_streaming_width(), payload.get_data_length());
    return tlm::TLM_OK_RESPONSE;
  };
  test.run();
  return written;
}

TEST_F(memory_interface_module, a_narrow_store_enables_bytes_only_if_they_are_apart) {
  step_by_step test(clock, map, served_by(fetch_op_service::own_unit));
  constexpr std::uint8_t masks[] = {0x0f, 0xf0, 0x40, 0xff, 0x3e, 0x81, 0x0b, 0x00};
  for (const std::uint8_t bytes : masks) {
    test.network.add(0, 0, function_of(operation::narrow_store, ~word_t{0}, byte_mask(bytes)));
  }
  const std::vector<std::string> expected = {"0+4", "4+4",  "6+1",  "0+8",
                                             "1+5", "0+8e", "0+8e", "0+8e"};
  EXPECT_EQ(writes_of(test), expected);
}

TEST_F(memory_interface_module, a_merge_of_single_bits_reads_first) {
  step_by_step test(clock, map, served_by(fetch_op_service::own_unit));
  test.targets[0]->words.write(0, 0xf0);
  test.network.add(0, 0, {form::merge, 0x3, 0x11});
  test.run();
  EXPECT_EQ(test.targets[0]->words.read(0), 0xe1U);
  EXPECT_EQ(test.network.replies.at(0).value, 0xf0U);
}

TEST_F(memory_interface_module, an_error_goes_back_as_the_status) {
  step_by_step test(clock, map);
  test.targets[0]->refusal = [](const auto&) { return tlm::TLM_ADDRESS_ERROR_RESPONSE; };
  test.network.add(0, 0, function_of(operation::fetch_add, 1));
  test.network.add(0, 0, function_of(operation::load));
  test.network.add(1, 8, function_of(operation::load));
  test.run();
  EXPECT_EQ(test.statuses(), (statuses{tlm::TLM_ADDRESS_ERROR_RESPONSE,
                                       tlm::TLM_ADDRESS_ERROR_RESPONSE, tlm::TLM_OK_RESPONSE}));
  EXPECT_EQ(test.statistic("refused"), 2);
  EXPECT_EQ(test.statistic("own_unit"), 0);
}

TEST_F(memory_interface_module, the_own_unit_stops_at_an_error) {
  step_by_step test(clock, map, served_by(fetch_op_service::own_unit));
  test.targets[0]->refusal = [](const tlm::tlm_generic_payload& payload) {
    return payload.is_write() ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE;
  };
  test.targets[1]->refusal = [](const auto&) { return tlm::TLM_ADDRESS_ERROR_RESPONSE; };
  test.network.add(0, 0, function_of(operation::store, 1));
  test.network.add(0, 0, function_of(operation::load));
  test.network.add(1, 8, function_of(operation::store, 1));
  test.run();
  EXPECT_EQ(test.statuses(), (statuses{tlm::TLM_GENERIC_ERROR_RESPONSE, tlm::TLM_OK_RESPONSE,
                                       tlm::TLM_ADDRESS_ERROR_RESPONSE}));
  EXPECT_EQ(test.targets[1]->addresses.size(), 1U) << "nothing is written after a refused read";
}

TEST_F(memory_interface_module, a_module_without_target_answers_an_address_error) {
  step_by_step test(clock, map, {}, modules - 1);
  test.network.add(3, 24, function_of(operation::fetch_add, 1));
  test.network.add(0, 0, function_of(operation::fetch_add, 1));
  test.run();
  EXPECT_EQ(test.statuses(), (statuses{tlm::TLM_ADDRESS_ERROR_RESPONSE, tlm::TLM_OK_RESPONSE}));
  unsigned char byte = 0;
  EXPECT_EQ(test.side.debug_read(mm_id{3}, 24, &byte, 1), 0U);
  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi dmi;
  EXPECT_FALSE(test.side.get_direct_mem_ptr(mm_id{3}, payload, dmi));
}

TEST_F(memory_interface_module, a_request_takes_the_times_of_its_target) {
  step_by_step test(clock, map);
  test.targets[0]->request_time = 1.5 * clock.period();
  test.targets[0]->response_time = 4.2 * clock.period();
  test.targets[1]->request_time = sc_core::SC_ZERO_TIME;
  test.targets[1]->response_time = 5 * clock.period();
  test.network.add(0, 0, function_of(operation::load));
  test.network.add(1, 8, function_of(operation::load));
  test.run();
  ASSERT_EQ(test.network.replies.size(), 2U);
  // BEGIN_RESP in [m + latency - 1, m + latency) periods.
  EXPECT_EQ(test.network.answered[0] - test.network.sent[0], 5U);
  EXPECT_EQ(test.network.answered[1] - test.network.sent[1], 6U);
}

TEST_F(memory_interface_module, debug_accesses_reach_the_target_and_take_no_time) {
  step_by_step test(clock, map);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const unsigned char three[] = {1, 2, 3};
  EXPECT_EQ(test.side.debug_write(mm_id{1}, 9, three, 3), 3U);
  EXPECT_EQ(test.targets[1]->words.read(1), 0x03020100U);
  unsigned char two[2] = {};
  EXPECT_EQ(test.side.debug_read(mm_id{1}, 10, two, 2), 2U);
  EXPECT_EQ(two[0], 2);
  EXPECT_EQ(two[1], 3);
  EXPECT_EQ(test.targets[1]->reads + test.targets[1]->writes, 0U);
}

/// What a target does with what it is asked, and what a debug access sees meanwhile.
class memory_interface_debug : public memory_interface_module,
                               public ::testing::WithParamInterface<way_case> {};

TEST_P(memory_interface_debug, a_request_that_left_the_network_is_settled) {
  step_by_step test(clock, map, served_by(GetParam().service));
  scripted_target& target = *test.targets[0];
  target.way = GetParam().way;
  target.skill = GetParam().skill;
  target.request_time = 3.3 * clock.period();
  target.response_time = 9.6 * clock.period();
  test.network.all_at_once = true;
  for (word_t bit = 1; bit <= 4; bit *= 2) {
    test.network.add(0, 0, function_of(operation::fetch_add, bit));
    test.network.add(0, 32, function_of(operation::fetch_add, 100));
  }
  test.network.add(0, 0, function_of(operation::narrow_store, 0x0900, byte_mask(0x02)));
  const std::vector<word_t> after_so_many = {0, 1, 1, 3, 3, 7, 7, 0x0907};
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  while (test.network.replies.size() < test.network.requests.size()) {
    sc_core::sc_start(clock.period());
    word_t word = ~word_t{0};
    ASSERT_EQ(test.side.debug_read(mm_id{0}, 0, reinterpret_cast<unsigned char*>(&word), 8), 8U);
    ASSERT_EQ(word, after_so_many[test.network.sent.size()]) << sc_core::sc_time_stamp();
    unsigned char byte = 0xff;
    ASSERT_EQ(test.side.debug_read(mm_id{0}, 1, &byte, 1), 1U);
    ASSERT_EQ(byte, word >> 8);
    ASSERT_LT(sc_core::sc_time_stamp(), 500 * clock.period());
  }
  EXPECT_EQ(target.words.read(0), 0x0907U);
}

INSTANTIATE_TEST_SUITE_P(ways, memory_interface_debug,
                         ::testing::ValuesIn(ways_and_skills({target_way::four_phases,
                                                              target_way::response_returned,
                                                              target_way::completed})),
                         name_of_case);

/// Performs what it is asked, and says so by the extension only.
void perform_and_answer(step_by_step& test, tlm::tlm_response_status response) {
  for (auto& each : test.targets) {
    each->monitor.checker().ignore(protocol_rule::missing_status);
    each->refusal = [&target = *each, response](const tlm::tlm_generic_payload& payload) {
      fetch_op* const request = payload.get_extension<fetch_op>();
      if (request == nullptr) return tlm::TLM_OK_RESPONSE;
      word_t word = target.words.read(0);
      request->perform_on(word);
      target.words.write(0, word);
      return response;
    };
  }
}

TEST_F(memory_interface_module, what_a_target_performed_is_never_done_again) {
  expect_report(messages::protocol);
  step_by_step test(clock, map);
  perform_and_answer(test, tlm::TLM_INCOMPLETE_RESPONSE);
  test.network.add(0, 0, function_of(operation::fetch_add, 1));
  thread_of thread("thread", [&] {
    word_t old = 0;
    sc_core::sc_time delay;
    EXPECT_EQ(test.access(1, function_of(operation::fetch_add, 1), old, delay),
              tlm::TLM_OK_RESPONSE);
  });
  test.run();
  ASSERT_EQ(test.network.replies.size(), 1U);
  EXPECT_EQ(test.network.replies[0].status, status_of(tlm::TLM_OK_RESPONSE));
  perform_and_answer(test, tlm::TLM_COMMAND_ERROR_RESPONSE);
  test.network.add(0, 0, function_of(operation::fetch_add, 1));
  test.run();
  ASSERT_EQ(test.network.replies.size(), 2U);
  EXPECT_EQ(test.network.replies[1].status, status_of(tlm::TLM_COMMAND_ERROR_RESPONSE));
  EXPECT_EQ(test.targets[0]->words.read(0), 2U);
  EXPECT_EQ(test.targets[1]->words.read(0), 1U);
  EXPECT_EQ(test.statistic("own_unit"), 0);
}

/// How a thread leaves an access that it has not finished.
enum class unwinding : std::uint8_t { killed, reset, thrown };

using unwinding_case = std::tuple<unwinding, fetch_op_service>;

std::string name_of_unwinding(const ::testing::TestParamInfo<unwinding_case>& tested) {
  static const char* const hows[] = {"killed", "reset", "thrown"};
  const auto [how, service] = tested.param;
  return std::string(hows[static_cast<int>(how)]) +
         (service == fetch_op_service::ask ? "_ask" : "_own_unit");
}

class memory_interface_unwinding : public memory_interface_module,
                                   public ::testing::WithParamInterface<unwinding_case> {};

TEST_P(memory_interface_unwinding, of_a_thread_in_a_target_frees_the_port) {
  const unwinding how = std::get<unwinding>(GetParam());
  step_by_step test(clock, map, served_by(std::get<fetch_op_service>(GetParam())));
  scripted_target& target = *test.targets[0];
  target.skill = target_skill::silent;
  target.blocking_time = 10 * clock.period();
  if (how == unwinding::thrown) {
    target.refusal = [](const auto&) -> tlm::tlm_response_status { throw error("broken"); };
  }
  std::size_t begun = 0;
  sc_core::sc_process_handle handle;
  thread_of thread("thread", [&] {
    handle = sc_core::sc_get_current_process_handle();
    if (++begun != 1) return;
    word_t old = 0;
    sc_core::sc_time delay;
    try {
      test.access(0, function_of(operation::fetch_add, 1), old, delay);
    } catch (const error&) {
      target.refusal = nullptr;
    }
  });
  thread_of other("other", [&] {
    sc_core::wait(5 * clock.period());
    if (how == unwinding::killed) handle.kill();
    if (how == unwinding::reset) handle.reset();
    sc_core::wait(10 * clock.period());
    for (int i = 0; i < 3; ++i) test.network.add(0, 0, function_of(operation::fetch_add, 1));
    test.add(0);
  });
  test.run();
  EXPECT_EQ(begun, how == unwinding::reset ? 2U : 1U);
  ASSERT_EQ(test.network.replies.size(), 3U);
  EXPECT_EQ(target.words.read(0), 4U);
}

INSTANTIATE_TEST_SUITE_P(
    ways, memory_interface_unwinding,
    ::testing::Combine(::testing::Values(unwinding::killed, unwinding::reset, unwinding::thrown),
                       ::testing::Values(fetch_op_service::ask, fetch_op_service::own_unit)),
    name_of_unwinding);

TEST_F(memory_interface_module, a_thread_killed_as_it_waits_for_the_unit_frees_the_port) {
  step_by_step test(clock, map, served_by(fetch_op_service::own_unit));
  test.targets[0]->blocking_time = 10 * clock.period();
  thread_of holder("holder", [&] { test.add(0); });
  sc_core::sc_process_handle handle;
  thread_of waiter("waiter", [&] {
    handle = sc_core::sc_get_current_process_handle();
    sc_core::wait(2 * clock.period());
    test.add(0);
  });
  thread_of killer("killer", [&] {
    sc_core::wait(5 * clock.period());
    handle.kill();
    for (int i = 0; i < 3; ++i) test.network.add(0, 0, function_of(operation::fetch_add, 1));
  });
  test.run();
  ASSERT_EQ(test.network.replies.size(), 3U);
  EXPECT_EQ(test.targets[0]->words.read(0), 4U);
}

/// A loosely timed store of a word to module 0.
void store_by_thread(step_by_step& test) {
  testing::word_payload payload(tlm::TLM_WRITE_COMMAND, 0, 7);
  sc_core::sc_time delay;
  test.side.transport(mm_id{0}, payload, delay);
  EXPECT_TRUE(payload.is_response_ok());
}

TEST_F(memory_interface_module, stores_that_overlap_do_not_keep_a_thread_from_the_unit) {
  step_by_step test(clock, map, served_by(fetch_op_service::own_unit));
  test.targets[0]->blocking_time = 10 * clock.period();
  std::size_t stored = 0;
  const auto store = [&] {
    for (int i = 0; i < 30; ++i, ++stored) store_by_thread(test);
  };
  thread_of one("one", store);
  thread_of two("two", [&] {
    sc_core::wait(5 * clock.period());
    store();
  });
  sc_core::sc_time taken = sc_core::SC_ZERO_TIME;
  thread_of adder("adder", [&] {
    sc_core::wait(22 * clock.period());
    const sc_core::sc_time begun = sc_core::sc_time_stamp();
    test.add(0);
    taken = sc_core::sc_time_stamp() - begun;
  });
  test.run();
  EXPECT_EQ(stored, 60U);
  EXPECT_GE(taken, 20 * clock.period());
  EXPECT_LE(taken, 30 * clock.period()) << "the stores at the target, a read and a write";
}

TEST_F(memory_interface_module, a_store_goes_on_if_the_thread_it_gave_way_to_is_killed) {
  step_by_step test(clock, map, served_by(fetch_op_service::own_unit));
  test.targets[0]->blocking_time = 10 * clock.period();
  thread_of first("first", [&] { store_by_thread(test); });
  sc_core::sc_process_handle handle;
  thread_of adder("adder", [&] {
    handle = sc_core::sc_get_current_process_handle();
    sc_core::wait(2 * clock.period());
    test.add(0);
  });
  sc_core::sc_time ended;
  thread_of second("second", [&] {
    sc_core::wait(4 * clock.period());
    store_by_thread(test);
    ended = sc_core::sc_time_stamp();
  });
  thread_of killer("killer", [&] {
    sc_core::wait(6 * clock.period());
    handle.kill();
  });
  test.run();
  EXPECT_EQ(ended, 16 * clock.period());
  EXPECT_EQ(test.targets[0]->words.read(0), 7U);
}

TEST_F(memory_interface_module, an_access_adds_the_delay_of_the_target) {
  step_by_step test(clock, map);
  test.targets[0]->response_time = 7 * clock.period();
  test.targets[0]->words.write(0, 5);
  thread_of thread("thread", [&] {
    word_t old = 0;
    sc_core::sc_time delay = 3 * clock.period();
    EXPECT_EQ(test.access(0, function_of(operation::fetch_add, 2), old, delay),
              tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(delay, 10 * clock.period());
    EXPECT_EQ(old, 5U);
    EXPECT_EQ(test.access(0, function_of(operation::load), old, delay), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(old, 7U);
    test.targets[0]->refusal = [](const auto&) { return tlm::TLM_BURST_ERROR_RESPONSE; };
    EXPECT_EQ(test.access(0, function_of(operation::fetch_add, 2), old, delay),
              tlm::TLM_BURST_ERROR_RESPONSE);
  });
  test.run();
  EXPECT_EQ(test.statistic("loosely_timed"), 3);
  EXPECT_EQ(test.statistic("refused"), 1);
}

/// A region in blocks between two that are not, for relative addresses.
address_map_config three_regions() {
  address_map_config config;
  config.regions.resize(3);
  config.regions[0].size = 1024;
  config.regions[1].base = 4096;
  config.regions[1].size = 2048;
  config.regions[1].mapping = region_mapping::blocked;
  config.regions[2].base = 1 << 16;
  config.regions[2].size = 512;
  config.regions[2].mapping = region_mapping::module;
  config.regions[2].module = 2;
  return config;
}

TEST_F(memory_interface_module, relative_addresses_pack_the_words_of_each_module) {
  const address_map regions(three_regions(), modules);
  memory_interface_config config;
  config.relative_addresses = true;
  step_by_step test(clock, regions, config);
  test.network.add(1, 8, function_of(operation::load));               // row 0
  test.network.add(1, 8 + 32, function_of(operation::load));          // row 1
  test.network.add(1, 4096 + 512, function_of(operation::load));      // first word of its block
  test.network.add(2, (1 << 16) + 16, function_of(operation::load));  // behind 256 and 512 bytes
  test.run();
  EXPECT_EQ(test.targets[1]->addresses, (std::vector<std::uint64_t>{0, 8, 256}));
  EXPECT_EQ(test.targets[2]->addresses, (std::vector<std::uint64_t>{256 + 512 + 16}));
  unsigned char byte = 0;
  EXPECT_EQ(test.side.debug_read(mm_id{1}, 4096 + 513, &byte, 1), 1U);
  EXPECT_EQ(test.targets[1]->addresses.back(), 256U) << "debug reads are of words";
}

TEST_F(memory_interface_module, pointers_are_given_in_the_initiators_addresses) {
  const address_map regions(three_regions(), modules);
  memory_interface_config config;
  config.relative_addresses = true;
  step_by_step test(clock, regions, config);
  std::vector<unsigned char> bytes(2048);
  test.targets[2]->grants = true;
  test.targets[2]->direct.set_dmi_ptr(bytes.data());
  test.targets[2]->direct.set_start_address(0);
  test.targets[2]->direct.set_end_address(2047);
  test.targets[2]->direct.allow_read_write();
  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi dmi;
  payload.set_address(4096 + 1024 + 8);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  ASSERT_TRUE(test.side.get_direct_mem_ptr(mm_id{2}, payload, dmi));
  EXPECT_EQ(payload.get_address(), 4096U + 1024 + 8);
  EXPECT_EQ(dmi.get_start_address(), 4096U + 1024);
  EXPECT_EQ(dmi.get_end_address(), 4096U + 1024 + 511);
  EXPECT_EQ(dmi.get_dmi_ptr(), bytes.data() + 256);

  std::vector<std::pair<std::uint64_t, std::uint64_t>> told;
  test.side.on_invalidation(
      [&](std::uint64_t first, std::uint64_t last) { told.emplace_back(first, last); });
  test.targets[2]->invalidate(300, 800);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0],
            (std::pair<std::uint64_t, std::uint64_t>{4096 + 1024 + 44, 4096 + 1024 + 511}));
  EXPECT_EQ(told[1], (std::pair<std::uint64_t, std::uint64_t>{1 << 16, (1 << 16) + 32}));
}

TEST_F(memory_interface_module, initiators_addresses_are_passed_on_by_default) {
  step_by_step test(clock, map);
  test.network.add(1, 40, function_of(operation::load));
  test.run();
  EXPECT_EQ(test.targets[1]->addresses, (std::vector<std::uint64_t>{40}));
  std::vector<std::pair<std::uint64_t, std::uint64_t>> told;
  test.side.on_invalidation(
      [&](std::uint64_t first, std::uint64_t last) { told.emplace_back(first, last); });
  test.targets[1]->invalidate(3, 9);
  EXPECT_EQ(told, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{3, 9}}));
}

using reset_case = std::tuple<fetch_op_service, response_ending>;

class memory_interface_reset : public memory_interface_module,
                               public ::testing::WithParamInterface<reset_case> {};

TEST_P(memory_interface_reset, forgets_requests_and_takes_what_targets_still_answer) {
  sc_core::sc_signal<bool> reset_n{"reset_n", true};
  step_by_step test(clock, map, served_by(std::get<0>(GetParam()), std::get<1>(GetParam())));
  test.side.reset_n(reset_n);
  test.targets[0]->response_time = 20 * clock.period();
  test.targets[0]->skill = target_skill::silent;
  test.network.add(0, 0, function_of(operation::fetch_add, 1));
  sc_core::sc_start(4.5 * clock.period());
  ASSERT_FALSE(test.side.idle());
  reset_n = false;
  sc_core::sc_start(2 * clock.period());
  EXPECT_TRUE(test.side.idle());
  EXPECT_EQ(test.side.now(), 0U);
  EXPECT_EQ(test.statistic("requests"), 0);
  reset_n = true;
  sc_core::sc_start(30 * clock.period());
  EXPECT_TRUE(test.network.replies.empty());
  test.network.replies.push_back({});  // the lost one
  test.network.add(0, 0, function_of(operation::fetch_add, 1));
  test.run();
  EXPECT_EQ(test.network.replies.size(), 2U);
  EXPECT_EQ(test.targets[0]->words.read(0), 1U);
  EXPECT_EQ(test.targets[0]->monitor.checker().outstanding(), 0U);
}

std::string name_of_reset(const ::testing::TestParamInfo<reset_case>& tested) {
  const auto [service, ending] = tested.param;
  return std::string(service == fetch_op_service::ask ? "ask" : "own_unit") +
         (ending == response_ending::phase ? "_phase" : "_completed");
}

INSTANTIATE_TEST_SUITE_P(
    services, memory_interface_reset,
    ::testing::Combine(::testing::Values(fetch_op_service::ask, fetch_op_service::own_unit),
                       ::testing::Values(response_ending::completed, response_ending::phase)),
    name_of_reset);

TEST_F(memory_interface_module, a_busy_network_does_not_keep_a_thread_waiting) {
  targets_under_test test(clock, map);
  // There is always something of the network at the target, and the thread needs the unit.
  test.targets[0]->skilled_by_blocking = false;
  sc_core::sc_time longest;
  std::size_t done = 0;
  thread_of thread("thread", [&] {
    for (; done < 100; ++done) {
      const sc_core::sc_time begun = sc_core::sc_time_stamp();
      test.add(0);
      longest = std::max(longest, sc_core::sc_time_stamp() - begun);
      sc_core::wait(0.7 * clock.period());
    }
  });
  test.run();
  EXPECT_EQ(done, 100U);
  // The rest of one request of the network: a read and a write, each seen at an edge.
  EXPECT_LE(longest, 2 * (test.targets[0]->response_time + 2 * clock.period()));
}

TEST_F(memory_interface_module, a_target_that_awaits_end_resp_hangs_unless_it_gets_that_phase) {
  for (const bool by_call : {false, true}) {
    const simulation_context context;
    sc_core::sc_clock own_clock("clock", sc_core::sc_time(10, sc_core::SC_NS));
    step_by_step test(own_clock, map,
                      served_by(fetch_op_service::ask,
                                by_call ? response_ending::phase : response_ending::completed));
    scripted_target& target = *test.targets[0];
    target.way = target_way::awaits_end_resp;
    target.request_time = target.response_time = own_clock.period();
    for (int i = 0; i < 3; ++i) test.network.add(0, 0, function_of(operation::fetch_add, 1));
    test.run();
    EXPECT_EQ(test.network.replies.size(), by_call ? 3U : 1U);
    EXPECT_EQ(target.ended_by_call, by_call ? 3U : 0U);
    EXPECT_EQ(target.monitor.checker().violations(), 0U);
    EXPECT_EQ(target.monitor.checker().outstanding(), by_call ? 0U : 1U);
  }
}

/// What a port says of a target that leaves a request without an answer.
class memory_interface_patience : public memory_interface_module {
 protected:
  /// Runs two requests to a target of that kind and two to a usual one; returns the warnings.
  std::vector<std::string> warnings(const std::function<void(scripted_target&)>& make_odd,
                                    std::uint32_t patience, operation asked = operation::load) {
    memory_interface_config config;
    config.patience = patience;
    step_by_step test(clock, map, config);
    make_odd(*test.targets[0]);
    test.network.all_at_once = true;
    for (std::uint32_t i = 0; i < 8; ++i) {
      test.network.add(i % 2, i % 2 * word_bytes, function_of(asked));
    }
    test.run();
    return reports(messages::unanswered);
  }
  static void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
    for (const std::string& each : parts) EXPECT_NE(text.find(each), std::string::npos) << text;
  }
};

TEST_F(memory_interface_patience, names_the_phase_that_is_missing_and_the_setting) {
  expect_report(messages::unanswered);
  const auto told =
      warnings([](scripted_target& target) { target.way = target_way::awaits_end_resp; }, 100);
  ASSERT_EQ(told.size(), 1U) << "once a socket";
  expect_parts(told[0], {"initiator_sockets_0", "BEGIN_RESP", " 100 cycles", "0x0",
                         "memory_interface.end_response", "memory_interface.patience"});
}

TEST_F(memory_interface_patience, a_request_that_does_not_end_lacks_end_req) {
  expect_report(messages::unanswered);
  const auto told = warnings(
      [&](scripted_target& target) {
        target.request_time = target.response_time = 5000 * clock.period();
      },
      100);
  ASSERT_EQ(told.size(), 1U);
  expect_parts(told[0], {"initiator_sockets_0", "END_REQ", "memory_interface.patience"});
}

TEST_F(memory_interface_patience, an_operation_that_is_dropped_points_to_the_own_unit) {
  expect_report(messages::unanswered);
  const auto told =
      warnings([&](scripted_target& target) { target.response_time = 5000 * clock.period(); }, 100,
               operation::fetch_add);
  ASSERT_EQ(told.size(), 1U);
  expect_parts(told[0], {"initiator_sockets_0", "BEGIN_RESP", "memory_interface.fetch_ops"});
}

TEST_F(memory_interface_patience, a_slow_target_within_it_is_not_warned_of) {
  const auto slow = [&](scripted_target& target) { target.response_time = 99 * clock.period(); };
  EXPECT_TRUE(warnings(slow, 101).empty());
}

TEST_F(memory_interface_patience, zero_is_never) {
  const auto odd = [](scripted_target& target) { target.way = target_way::awaits_end_resp; };
  EXPECT_TRUE(warnings(odd, 0).empty());
}

TEST_F(memory_interface_patience, what_a_reset_left_is_watched_from_the_reset) {
  expect_report(messages::unanswered);
  sc_core::sc_signal<bool> reset_n{"reset_n", true};
  memory_interface_config config;
  config.patience = 100;
  step_by_step test(clock, map, config);
  test.side.reset_n(reset_n);
  test.network.all_at_once = true;
  // One has ended its request phase, the other not.
  for (auto& each : test.targets) each->response_time = 5000 * clock.period();
  test.targets[1]->request_time = 5000 * clock.period();
  test.network.add(0, 0, function_of(operation::load));
  test.network.add(1, word_bytes, function_of(operation::load));
  sc_core::sc_start(6.5 * clock.period());
  reset_n = false;
  sc_core::sc_start(2 * clock.period());
  EXPECT_TRUE(test.side.idle());
  reset_n = true;
  sc_core::sc_start(90 * clock.period());
  EXPECT_TRUE(reports(messages::unanswered).empty());
  test.run();
  const auto told = reports(messages::unanswered);
  ASSERT_EQ(told.size(), 2U) << "once a socket";
  expect_parts(told[0], {"initiator_sockets_0", "BEGIN_RESP", " 100 cycles", "reset"});
  expect_parts(told[1], {"initiator_sockets_1", "END_REQ", " 100 cycles", "reset"});
}

TEST_F(memory_interface_module, a_response_ended_by_call_ends_when_it_begins) {
  for (const response_ending ending : {response_ending::completed, response_ending::phase}) {
    const simulation_context context;
    sc_core::sc_clock own_clock("clock", sc_core::sc_time(10, sc_core::SC_NS));
    step_by_step test(own_clock, map, served_by(fetch_op_service::ask, ending));
    test.targets[0]->response_time = 4.2 * own_clock.period();
    test.network.add(0, 0, function_of(operation::load));
    test.run();
    ASSERT_EQ(test.network.replies.size(), 1U);
    EXPECT_EQ(test.network.answered[0] - test.network.sent[0], 5U);
  }
}

TEST_F(memory_interface_module, a_phase_that_is_no_answer_to_begin_req_is_reported) {
  expect_report(messages::protocol, testing::after_report::goes_on);
  step_by_step test(clock, map);
  std::uint32_t module = 0;
  for (const tlm::tlm_phase phase : {tlm::END_RESP, tlm::BEGIN_REQ}) {
    test.targets[module]->odd_answer = phase;
    test.targets[module]->monitor.checker().on_violation([](const protocol_violation&) {});
    test.network.add(module, module * word_bytes, function_of(operation::load));
    ++module;
  }
  test.network.all_at_once = true;
  test.run();
  EXPECT_TRUE(test.network.replies.empty()) << "no response came";
  const auto told = reports(messages::protocol);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_NE(told[0].find("initiator_sockets_0"), std::string::npos);
  EXPECT_NE(told[0].find("END_RESP"), std::string::npos);
  EXPECT_NE(told[1].find("initiator_sockets_1"), std::string::npos);
}

TEST_F(memory_interface_module, a_response_left_incomplete_is_ok_and_warned_of_once) {
  expect_report(messages::protocol);
  step_by_step test(clock, map, served_by(fetch_op_service::own_unit));
  scripted_target& target = *test.targets[0];
  target.monitor.checker().ignore(protocol_rule::missing_status);
  target.sets_no_status = true;
  target.words.write(0, 5);
  test.network.add(0, 0, function_of(operation::fetch_add, 2));
  test.network.add(0, 0, function_of(operation::load));
  word_t old = 0;
  thread_of thread("thread", [&] {
    sc_core::sc_time delay;
    sc_core::wait(500 * clock.period());
    EXPECT_EQ(test.access(0, function_of(operation::fetch_add, 2), old, delay),
              tlm::TLM_OK_RESPONSE);
  });
  test.run();
  ASSERT_EQ(test.network.replies.size(), 2U);
  EXPECT_EQ(test.network.replies[0].value, 5U);
  EXPECT_EQ(test.network.replies[1].value, 7U);
  EXPECT_EQ(test.network.replies[1].status, 0);
  EXPECT_EQ(old, 7U);
  EXPECT_EQ(target.words.read(0), 9U);
  EXPECT_EQ(test.statistic("refused"), 0);
  const auto told = reports(messages::protocol);
  ASSERT_EQ(told.size(), 1U) << "once a socket";
  EXPECT_NE(told[0].find("initiator_sockets_0"), std::string::npos);
}

/// The target takes a command that is neither read nor write for an error of the program.
void refuse_commands_by_report(scripted_target& target) {
  target.way = target_way::completed;
  target.refusal = [](const tlm::tlm_generic_payload& payload) {
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
      SC_REPORT_ERROR("/target/command", "neither a read nor a write");
    }
    return tlm::TLM_OK_RESPONSE;
  };
  // The monitor cannot know that a call was left by an exception.
  target.monitor.checker().on_violation([](const protocol_violation&) {});
}

// By the network and by a thread in tests of their own: the address sanitizer takes an exception of
// a method for one of the thread that ran last, whose stack is another.

TEST_F(memory_interface_module, a_target_that_reports_an_error_when_asked_is_asked_no_more) {
  expect_report("/target/command");
  expect_report(messages::protocol);
  step_by_step test(clock, map);
  refuse_commands_by_report(*test.targets[0]);
  for (int i = 0; i < 3; ++i) test.network.add(0, 0, function_of(operation::fetch_add, 1));
  test.run();
  ASSERT_EQ(test.network.replies.size(), 3U);
  EXPECT_EQ(test.network.replies[2].value, 2U);
  EXPECT_EQ(test.targets[0]->words.read(0), 3U);
  EXPECT_EQ(reports("/target/command").size(), 1U) << "it is asked once";
  const auto told = reports(messages::protocol);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].find("memory_interface.fetch_ops"), std::string::npos);
  EXPECT_NE(told[0].find("/target/command"), std::string::npos);
}

TEST_F(memory_interface_module, a_target_that_reports_an_error_to_a_thread_is_asked_no_more) {
  expect_report("/target/command");
  expect_report(messages::protocol);
  step_by_step test(clock, map);
  refuse_commands_by_report(*test.targets[1]);
  thread_of thread("thread", [&] {
    EXPECT_EQ(test.add(1), 0U);
    EXPECT_EQ(test.add(1), 1U);
  });
  test.run();
  EXPECT_EQ(test.targets[1]->words.read(1), 2U);
  EXPECT_EQ(reports("/target/command").size(), 1U) << "it is asked once";
  EXPECT_EQ(reports(messages::protocol).size(), 1U);
}

TEST_F(memory_interface_module, an_error_of_the_kernel_is_no_refusal) {
  expect_report(sc_core::SC_ID_WAIT_NOT_ALLOWED_);
  step_by_step test(clock, map);
  scripted_target& target = *test.targets[0];
  target.way = target_way::completed;
  target.refusal = [&](const auto&) {
    sc_core::wait(clock.period());  // not allowed in nb_transport_fw
    return tlm::TLM_OK_RESPONSE;
  };
  target.monitor.checker().on_violation([](const protocol_violation&) {});
  test.network.add(0, 0, function_of(operation::fetch_add, 1));
  EXPECT_THROW(test.run(), sc_core::sc_report);
  EXPECT_TRUE(reports(messages::protocol).empty());
}

TEST_F(memory_interface_module, an_error_after_the_operation_is_no_refusal) {
  expect_report("/target/late");
  step_by_step test(clock, map);
  perform_and_answer(test, tlm::TLM_OK_RESPONSE);
  scripted_target& target = *test.targets[0];
  target.way = target_way::completed;
  target.refusal = [perform = target.refusal](const tlm::tlm_generic_payload& payload) {
    const tlm::tlm_response_status status = perform(payload);
    SC_REPORT_ERROR("/target/late", "the operation is done");
    return status;
  };
  target.monitor.checker().on_violation([](const protocol_violation&) {});
  test.network.add(0, 0, function_of(operation::fetch_add, 1));
  EXPECT_THROW(test.run(), sc_core::sc_report);
  EXPECT_TRUE(reports(messages::protocol).empty());
  EXPECT_EQ(target.words.read(0), 1U) << "once";
}

TEST_F(memory_interface_module, a_target_that_answers_nothing_is_reported) {
  expect_report(messages::protocol);
  step_by_step test(clock, map);
  tlm::tlm_generic_payload payload;
  tlm::tlm_phase begun = tlm::BEGIN_RESP;
  sc_core::sc_time delay;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_THROW(
      test.side.initiator_sockets[0].get_base_export()->nb_transport_bw(payload, begun, delay),
      sc_core::sc_report);
}

TEST_F(memory_interface_module, a_configuration_out_of_range_is_reported) {
  expect_report(messages::configuration);
  memory_interface_config config;
  config.pipeline = 0;
  EXPECT_THROW(tributary::memory_interface_module("side", config, map, 2), sc_core::sc_report);
}

}  // namespace
}  // namespace tributary
