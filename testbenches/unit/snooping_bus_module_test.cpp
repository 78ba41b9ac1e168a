// SPDX-License-Identifier: Apache-2.0
// The sockets of a bus: masters without a cache beside the core, and coherent with its caches.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>

#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>
#include <tributary/systemc/messages.h>
#include <tributary/systemc/protocol_monitor.h>
#include <tributary/systemc/snooping_bus_module.h>

#include <support/accesses.h>
#include <support/at_initiator.h>
#include <support/block_statistics.h>
#include <support/bus_bench.h>
#include <support/systemc_test.h>
#include <support/unit_trace.h>

namespace tributary {
namespace {

using action = uncached_access::action;

snooping_bus_module_config bus_config(std::size_t sockets, std::size_t caches) {
  snooping_bus_module_config config;
  config.memory.bytes = 1 << 16;
  config.sockets = sockets;
  config.caches = caches;
  config.cache = testing::bus_cache(256);
  return config;
}

/// One transaction, as the core and as a socket do it.
struct asked_bytes {
  tlm::tlm_command command = tlm::TLM_READ_COMMAND;
  std::uint64_t address = 0;
  unsigned length = 8;
  bool is_operation = false;
};

/// Of one line or less, so that it is one access of the core.
std::vector<asked_bytes> random_accesses(std::uint64_t seed, std::size_t count) {
  random_stream draws(seed, 0U, 30U);
  std::vector<asked_bytes> all;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t line = 32 * draws.below(4);
    asked_bytes next;
    next.command = draws.below(2) == 0 ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND;
    if (draws.below(3) == 0) {
      next.address = line;
      next.length = 32;
    } else {
      next.address = line + 8 * draws.below(4);
    }
    next.is_operation = next.length == 8 && draws.below(4) == 0;
    all.push_back(next);
  }
  return all;
}

uncached_access access_for(const asked_bytes& asked, std::uint64_t tag) {
  const line_size line(32);
  uncached_access access;
  access.address = asked.address;
  access.tag = tag;
  const std::size_t first = line.word(asked.address);
  if (asked.is_operation) {
    access.does = action::operation;
    access.function = function_of(operation::fetch_add, tag + 1);
    return access;
  }
  const bool writes = asked.command == tlm::TLM_WRITE_COMMAND;
  if (writes) access.does = action::write;
  for (std::size_t i = first; i < first + asked.length / word_bytes; ++i) {
    if (!writes) access.wanted |= 1U << i;
    access.words[i] = writes ? tag * 100 + i : 0;
    access.mask[i] = writes ? ~word_t{0} : 0;
  }
  return access;
}

/// When an access was done, and the word at its address before.
struct ended_access {
  cycle_t cycle;
  word_t value;
};

/// Asks for one access after the other, `pause` cycles behind the answer.
class plain_driver final : private uncached_client, private timed_block {
 public:
  plain_driver(agenda& clock, uncached_master& master, const std::vector<asked_bytes>& list,
               cycle_t pause)
      : clock_(clock), master_(master), list_(list), pause_(pause) {
    master.set_client(*this);
    clock.wake(*this, 1, 0, wake_rank::processor);
  }

  std::vector<ended_access> ended;

 private:
  void wake(cycle_t now, std::uint64_t) override {
    if (ended.size() < list_.size()) {
      master_.offer(access_for(list_[ended.size()], ended.size()), now);
    }
  }
  void answered(const uncached_answer& answer, cycle_t now) override {
    const asked_bytes& asked = list_[ended.size()];
    const bool found = asked.is_operation || asked.command == tlm::TLM_READ_COMMAND;
    ended.push_back({now, found ? answer.words[line_size(32).word(asked.address)] : 0});
    clock_.wake(*this, now + pause_, 0, wake_rank::processor);
  }

  agenda& clock_;
  uncached_master& master_;
  const std::vector<asked_bytes>& list_;
  cycle_t pause_;
};

/// A processor with a cache that loads and stores all the time, the same in both.
class cached_driver final : private memory_client, private timed_block {
 public:
  cached_driver(agenda& clock, cache& port, std::uint64_t seed, std::uint32_t accesses)
      : clock_(clock), port_(port), draws_(seed, 0U, 31U), left_(accesses) {
    port.set_client(this);
    clock.wake(*this, 2, 0, wake_rank::processor);
  }
  std::vector<ended_access> ended;

 private:
  void wake(cycle_t now, std::uint64_t) override {
    if (left_ == 0) return;
    --left_;
    const std::uint64_t address = 8 * draws_.below(16);
    port_.offer(
        0, draws_.below(3) == 0 ? testing::store_of(address, now) : testing::load_of(address), now);
  }
  void completed(const completion& done, cycle_t now) override {
    ended.push_back({now, done.value});
    clock_.wake(*this, now + 1 + draws_.below(40), 0, wake_rank::processor);
  }
  void room(std::size_t, cycle_t) override {}

  agenda& clock_;
  cache& port_;
  random_stream draws_;
  std::uint32_t left_;
};

/// A thread that does what a list says through b_transport.
class thread_master : public sc_core::sc_module {
 public:
  thread_master(const sc_core::sc_module_name& name, sc_core::sc_time period)
      : sc_module(name), period_(std::move(period)) {
    socket.bind(monitor.target_socket);
    SC_THREAD(run);
  }

  tlm_utils::simple_initiator_socket<thread_master> socket{"socket"};
  protocol_monitor<> monitor{"monitor"};
  std::function<void(thread_master&)> program;
  const std::vector<asked_bytes>* list = nullptr;
  cycle_t pause = 1;
  std::vector<ended_access> ended;

  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t where, void* data,
                                  unsigned length) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(where);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
    return payload.get_response_status();
  }
  unsigned debug(tlm::tlm_command command, std::uint64_t where, void* data, unsigned length) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(where);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    return socket->transport_dbg(payload);
  }

 private:
  TRIBUTARY_HAS_PROCESS(thread_master);

  void run() {
    if (program) program(*this);
    if (list == nullptr) return;
    for (std::size_t i = 0; i < list->size(); ++i) perform((*list)[i], i);
  }
  void perform(const asked_bytes& asked, std::uint64_t tag) {
    const uncached_access same = access_for(asked, tag);
    line_data data{};
    const std::size_t first = line_size(32).word(asked.address);
    for (std::size_t i = first; i < 4; ++i) data[i - first] = same.words[i];
    if (asked.is_operation) {
      fetch_op request(same.function);
      tlm::tlm_generic_payload payload;
      set_fetch_op(payload, asked.address, reinterpret_cast<unsigned char*>(data.data()), request);
      sc_core::sc_time delay;
      socket->b_transport(payload, delay);
      EXPECT_TRUE(payload.is_response_ok() && request.performed());
      EXPECT_EQ(request.result(), data[0]);
      payload.clear_extension(&request);
    } else {
      EXPECT_EQ(access(asked.command, asked.address, data.data(), asked.length),
                tlm::TLM_OK_RESPONSE);
    }
    const bool found = asked.is_operation || asked.command == tlm::TLM_READ_COMMAND;
    ended.push_back({sc_core::sc_time_stamp().value() / period_.value(), found ? data[0] : 0});
    wait(static_cast<double>(pause - 1) * period_);
  }

  sc_core::sc_time period_;
};

void expect_same(const std::vector<ended_access>& plain, const std::vector<ended_access>& module) {
  ASSERT_EQ(plain.size(), module.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    ASSERT_EQ(plain[i].cycle, module[i].cycle) << "access " << i;
    ASSERT_EQ(plain[i].value, module[i].value) << "access " << i;
  }
}

class snooping_bus_module_test : public testing::systemc_test {};

/// Two masters without a cache and two with one, in the core and in the module.
TEST_F(snooping_bus_module_test, sockets_take_the_cycles_of_the_core) {
  constexpr std::size_t count = 150;
  std::size_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const snooping_bus_module_config config = bus_config(2, 2);
    const std::vector<asked_bytes> lists[] = {random_accesses(seed, count),
                                              random_accesses(seed + 1000, count)};
    agenda clock;
    memory_controller_config memory_config = config.memory;
    memory_config.line_bytes = config.bus.line_bytes;
    memory_controller memory(memory_config, clock);
    snooping_bus bus(config.bus, 4, {0, config.memory.bytes}, clock, memory);
    testing::unit_trace plain_trace(bus);
    cache caches[] = {{config.cache, clock, bus.lines(0)}, {config.cache, clock, bus.lines(1)}};
    uncached_master masters[] = {{clock, bus, 2, 4}, {clock, bus, 3, 4}};
    for (std::size_t i = 0; i < 2; ++i) bus.set_client(i, caches[i]);
    cached_driver cached[] = {{clock, caches[0], seed, 100}, {clock, caches[1], seed + 50, 100}};
    plain_driver plain[] = {{clock, masters[0], lists[0], seed},
                            {clock, masters[1], lists[1], 5 + seed}};
    constexpr cycle_t last = 30000;
    clock.advance_to(last);

    simulation_context context;
    snooping_bus_module module("bus", config);
    testing::unit_trace module_trace(module.core());
    cached_driver also_cached[] = {{module.clockwork(), module.port(0), seed, 100},
                                   {module.clockwork(), module.port(1), seed + 50, 100}};
    thread_master first("first", module.clock_period());
    thread_master second("second", module.clock_period());
    thread_master* const threads[] = {&first, &second};
    for (std::size_t i = 0; i < 2; ++i) {
      threads[i]->monitor.initiator_socket.bind(module.target_sockets[i]);
      threads[i]->list = &lists[i];
      threads[i]->pause = i == 0 ? seed : 5 + seed;
    }
    sc_core::sc_start(static_cast<double>(last) * module.clock_period());

    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_EQ(plain[i].ended.size(), count);
      expect_same(plain[i].ended, threads[i]->ended);
      expect_same(cached[i].ended, also_cached[i].ended);
      EXPECT_EQ(threads[i]->monitor.checker().violations(), 0U);
    }
    const auto& a = plain_trace.events();
    const auto& b = module_trace.events();
    ASSERT_EQ(a.size(), b.size());
    ASSERT_GT(a.size(), 2 * count);
    for (std::size_t n = 0; n < a.size(); ++n) {
      ASSERT_EQ(testing::text_of(plain_trace.catalog, a[n]),
                testing::text_of(module_trace.catalog, b[n]));
    }
    compared += a.size();
    EXPECT_TRUE(module.idle());
    statistics_tree reported;
    module.report(reported.root());
    EXPECT_EQ(reported.find("bus.transactions.read"), testing::statistic(bus, "transactions.read"));
    EXPECT_EQ(reported.find("master.1.operations"), testing::statistic(masters[1], "operations"));
    for (std::uint64_t at = 0; at < 256; at += 8) EXPECT_EQ(bus.peek(at), module.core().peek(at));
  }
  std::cout << compared << " events of the bus are the same\n";
}

TEST_F(snooping_bus_module_test, phases_come_in_their_cycles) {
  snooping_bus_module module("bus", bus_config(1, 0));
  testing::at_initiator master("master");
  master.initiator_socket().bind(module.target_sockets[0]);
  const auto period = module.clock_period();
  std::vector<tlm::tlm_generic_payload*> sent;
  for (std::uint64_t i = 0; i < 7; ++i) {
    // The second reads what the first writes.
    sent.push_back(i == 0 ? &master.pool.acquire_word(tlm::TLM_WRITE_COMMAND, 64, 7)
                          : &master.pool.acquire_word(tlm::TLM_READ_COMMAND, 32 + 32 * i));
    master.send(*sent.back());
  }
  word_t read = 0;
  master.on_response = [&](tlm::tlm_generic_payload& payload) {
    if (&payload == sent[1]) read = payload_pool::word_of(payload);
  };
  sc_core::sc_start(2000.5 * period);
  ASSERT_EQ(master.outcomes.size(), 7U);
  const auto outcome = [&](std::size_t i) {
    return *std::find_if(master.outcomes.begin(), master.outcomes.end(),
                         [&](const auto& each) { return each.payload == sent[i]; });
  };
  // Asked at time 0, so seen in cycle 1. Each END_REQ lets the next in a cycle later; four are
  // under way, and the fifth waits for the first answer.
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(outcome(i).accepted, static_cast<double>(i + 1) * period) << i;
  }
  EXPECT_EQ(outcome(4).accepted, outcome(0).answered);
  // Edge 2, the address phase from 4 to 5, the answer in 10, memory, one bus cycle for the word.
  const auto memory_first = static_cast<double>(bus_config(1, 0).memory.first_word);
  EXPECT_EQ(outcome(0).answered, (10 + memory_first + 2) * period);
  EXPECT_EQ(read, 7U);
  for (const auto& each : master.outcomes) EXPECT_EQ(each.status, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(master.pool.outstanding(), 0U);
  EXPECT_EQ(master.monitor.checker().violations(), 0U);
  EXPECT_EQ(module.core().peek(64), 7U);
  EXPECT_TRUE(module.idle());
}

/// Loads and stores once, and keeps what it gets.
struct one_access final : memory_client {
  void completed(const completion& done, cycle_t) override { value = done.value; }
  void room(std::size_t, cycle_t) override {}
  word_t value = ~word_t{0};
};

TEST_F(snooping_bus_module_test, sockets_and_caches_see_each_other) {
  snooping_bus_module module("bus", bus_config(1, 1));
  thread_master master("master", module.clock_period());
  master.monitor.initiator_socket.bind(module.target_sockets[0]);
  one_access processor;
  module.port(0).set_client(&processor);
  module.port(0).offer(0, testing::store_of(0x40, 11), 0);
  bool finished = false;
  const auto period = module.clock_period();
  master.program = [&](thread_master& port) {
    wait(500 * period);
    EXPECT_EQ(module.port(0).state_of(0x40), line_state::modified);
    word_t words[4] = {};
    EXPECT_EQ(port.debug(tlm::TLM_READ_COMMAND, 0x40, words, 8), 8U);
    EXPECT_EQ(words[0], 11U) << "the cache has it, memory not";
    EXPECT_EQ(module.memory().read(0x40), 0U);
    EXPECT_EQ(port.access(tlm::TLM_READ_COMMAND, 0x40, words, 32), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(words[0], 11U) << "its owner supplies it";
    EXPECT_EQ(module.port(0).state_of(0x40), line_state::owned);
    std::uint32_t half = 12;
    EXPECT_EQ(port.access(tlm::TLM_WRITE_COMMAND, 0x44, &half, 4), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(module.port(0).state_of(0x40), line_state::invalid);
    const word_t both = word_t{12} << 32 | 11;
    EXPECT_EQ(module.core().peek(0x40), both);
    wait(0.5 * period);
    module.port(0).offer(0, testing::load_of(0x40), module.now());
    module.look();
    wait(500 * period);
    EXPECT_EQ(processor.value, both);
    EXPECT_EQ(module.port(0).state_of(0x40), line_state::shared) << "from the write-back buffer";
    // Three lines and parts of two more.
    std::string text(120, ' ');
    std::iota(text.begin(), text.end(), '\1');
    EXPECT_EQ(port.access(tlm::TLM_WRITE_COMMAND, 0x33, text.data(), 120), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(module.port(0).state_of(0x40), line_state::invalid);
    std::string back(120, ' ');
    EXPECT_EQ(port.access(tlm::TLM_READ_COMMAND, 0x33, back.data(), 120), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(back, text);
    wait(0.5 * period);
    module.port(0).offer(0, testing::store_of(0x48, 5), module.now());
    module.look();
    wait(500 * period);
    std::string other = "by a debugger";
    EXPECT_EQ(port.debug(tlm::TLM_WRITE_COMMAND, 0x45, other.data(), 13), 13U);
    EXPECT_EQ(port.debug(tlm::TLM_READ_COMMAND, 0x45, back.data(), 13), 13U);
    EXPECT_EQ(back.substr(0, 13), other);
    EXPECT_EQ(module.port(0).state_of(0x48), line_state::modified) << "as before";
    EXPECT_EQ(module.port(0).word_at(0x48), module.core().peek(0x48));
    finished = true;
  };
  sc_core::sc_start(10000 * period);
  EXPECT_TRUE(finished);
  EXPECT_TRUE(module.idle());
  EXPECT_EQ(master.monitor.checker().violations(), 0U);
  EXPECT_EQ(testing::statistic(module.core(), "supplied.caches"), 2.0);
}

TEST_F(snooping_bus_module_test, byte_enables_choose_bytes) {
  snooping_bus_module module("bus", bus_config(1, 0));
  thread_master master("master", module.clock_period());
  master.monitor.initiator_socket.bind(module.target_sockets[0]);
  bool finished = false;
  master.program = [&](thread_master& port) {
    unsigned char data[64];
    std::iota(data, data + 64, static_cast<unsigned char>(1));
    // Of the first line every other byte, of the second none.
    unsigned char enables[64] = {};
    for (std::size_t i = 0; i < 32; i += 2) enables[i] = TLM_BYTE_ENABLED;
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(0x80);
    payload.set_data_ptr(data);
    payload.set_data_length(64);
    payload.set_streaming_width(64);
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(64);
    sc_core::sc_time delay;
    port.socket->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(module.core().peek(0x80), 0x0007'0005'0003'0001U);
    EXPECT_EQ(module.core().peek(0xa0), 0U);
    enables[3] = 1;
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    port.monitor.checker().ignore(protocol_rule::byte_enables);
    port.socket->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    finished = true;
  };
  sc_core::sc_start(1000 * module.clock_period());
  EXPECT_TRUE(finished);
  statistics_tree reported;
  module.report(reported.root());
  EXPECT_EQ(reported.find("master.0.writes"), 1.0);
}

/// A pattern that repeats: every other byte of a word is read, the others stay as they were.
TEST_F(snooping_bus_module_test, byte_enables_choose_bytes_of_reads) {
  snooping_bus_module module("bus", bus_config(1, 0));
  thread_master master("master", module.clock_period());
  master.monitor.initiator_socket.bind(module.target_sockets[0]);
  module.core().poke(0x88, 0x0807'0605'0403'0201U, 0);
  std::vector<unsigned char> data(word_bytes, 0xee);
  master.program = [&](thread_master& port) {
    unsigned char every_other[2] = {TLM_BYTE_ENABLED, TLM_BYTE_DISABLED};
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(0x88);
    payload.set_data_ptr(data.data());
    payload.set_data_length(word_bytes);
    payload.set_streaming_width(word_bytes);
    payload.set_byte_enable_ptr(every_other);
    payload.set_byte_enable_length(2);
    sc_core::sc_time delay;
    port.socket->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
  };
  sc_core::sc_start(1000 * module.clock_period());
  EXPECT_EQ(data, (std::vector<unsigned char>{1, 0xee, 3, 0xee, 5, 0xee, 7, 0xee}));
}

/// A register, and a watcher of the second half of memory that lets nothing pass.
struct guarded_device final : bus_device, transaction_watcher {
  device_answer read(std::uint64_t, cycle_t) override { return device_answer::word(value); }
  bool write(std::uint64_t, word_t written, cycle_t) override {
    value = written;
    return true;
  }
  watch_verdict watch(const watched_transaction&, cycle_t) override {
    return watch_verdict::refuse;
  }
  word_t value = 3;
};

TEST_F(snooping_bus_module_test, devices_are_reached_and_errors_are_answered) {
  snooping_bus_module module("bus", bus_config(1, 0));
  guarded_device device;
  const std::uint64_t register_at = 1 << 20;
  module.core().attach({register_at, 8}, device);
  module.core().watch({0x8000, 0x8000}, device);
  thread_master master("master", module.clock_period());
  master.monitor.initiator_socket.bind(module.target_sockets[0]);
  bool finished = false;
  master.program = [&](thread_master& port) {
    const auto read = tlm::TLM_READ_COMMAND;
    word_t words[8] = {};
    EXPECT_EQ(port.access(read, register_at, words, 8), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(words[0], 3U);
    words[0] = 9;
    EXPECT_EQ(port.access(tlm::TLM_WRITE_COMMAND, register_at, words, 8), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(device.value, 9U);
    EXPECT_EQ(port.access(read, register_at + 4, words, 4), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(port.access(read, register_at, words, 16), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(port.access(read, register_at + 8, words, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(port.access(read, 0xfffc, words, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(port.access(read, ~std::uint64_t{3}, words, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(port.access(read, 0x9000, words, 8), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(port.access(read, 0, words, 0), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(port.access(tlm::TLM_IGNORE_COMMAND, 0, words, 8), tlm::TLM_COMMAND_ERROR_RESPONSE);
    tlm::tlm_generic_payload payload;
    payload.set_command(read);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(words));
    payload.set_data_length(16);
    payload.set_streaming_width(8);
    sc_core::sc_time delay;
    port.socket->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
    tlm::tlm_dmi dmi;
    EXPECT_FALSE(port.socket->get_direct_mem_ptr(payload, dmi));
    EXPECT_EQ(port.debug(read, 0xfff8, words, 16), 8U);
    EXPECT_EQ(port.debug(read, register_at, words, 8), 0U);
    finished = true;
  };
  master.monitor.checker().ignore(protocol_rule::data_length);
  master.monitor.checker().ignore(protocol_rule::streaming_width);
  sc_core::sc_start(1000 * module.clock_period());
  EXPECT_TRUE(finished);
  EXPECT_TRUE(module.idle());
}

TEST_F(snooping_bus_module_test, a_killed_thread_leaves_nothing_behind) {
  snooping_bus_module module("bus", bus_config(2, 0));
  thread_master killed("killed", module.clock_period());
  thread_master other("other", module.clock_period());
  killed.monitor.initiator_socket.bind(module.target_sockets[0]);
  other.monitor.initiator_socket.bind(module.target_sockets[1]);
  sc_core::sc_process_handle thread;
  killed.program = [&](thread_master& port) {
    thread = sc_core::sc_get_current_process_handle();
    std::vector<unsigned char> block(1024, 5);
    port.access(tlm::TLM_WRITE_COMMAND, 0, block.data(), 1024);
    ADD_FAILURE() << "killed before";
  };
  bool finished = false;
  other.program = [&](thread_master& port) {
    wait(60 * module.clock_period());
    thread.kill();
    unsigned char byte = 0;
    EXPECT_EQ(port.access(tlm::TLM_READ_COMMAND, 0, &byte, 1), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(byte, 5);
    finished = true;
  };
  sc_core::sc_start(3000 * module.clock_period());
  EXPECT_TRUE(finished);
  EXPECT_TRUE(module.idle());
  EXPECT_EQ(module.core().peek(1016), 0U);
}

TEST_F(snooping_bus_module_test, what_the_bus_refuses_is_reported) {
  expect_report(messages::configuration);
  snooping_bus_module_config config = bus_config(1, 1);
  config.cache.levels[0].line_bytes = 64;
  EXPECT_THROW(snooping_bus_module("lines", config), sc_core::sc_report);
  config = bus_config(0, 0);
  EXPECT_THROW(snooping_bus_module("nobody", config), sc_core::sc_report);
  config = bus_config(1, 0);
  config.outstanding = 9;
  EXPECT_THROW(snooping_bus_module("nine", config), sc_core::sc_report);
}

}  // namespace
}  // namespace tributary
