// SPDX-License-Identifier: Apache-2.0
// The processor side of a network with the built-in memory behind it.
#include <tributary/nic/network_interface_module.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <tributary/combining/omega_network_module.h>
#include <tributary/memory/memory_array_module.h>
#include <tributary/nic/event_recorder.h>
#include <tributary/processor/processing_elements.h>
#include <tributary/workload/traffic.h>
#include <ultracomputer/ultracomputer.h>

#include "support/at_initiator.h"
#include "support/event_text.h"
#include "support/observed_machine.h"
#include "support/sizes.h"
#include "support/systemc_test.h"

namespace tributary {
namespace {

using testing::at_initiator;

/// The way around the network to the words of a memory_array_module, `latency` periods away.
class words_access : public sc_core::sc_object, public memory_access {
 public:
  words_access(memory_array_module& memories, sc_core::sc_time latency)
      : sc_object("words_access"), words_(memories.core().words()), latency_(latency) {}

  tlm::tlm_response_status access(mm_id module, std::uint64_t address,
                                  const word_function& function, word_t& old,
                                  sc_core::sc_time& delay) override {
    const std::uint64_t location = location_of(module, address);
    old = words_.read(location);
    words_.write(location, apply(function, old));
    delay += latency_;
    return tlm::TLM_OK_RESPONSE;
  }
  std::size_t debug_read(mm_id module, std::uint64_t address, unsigned char* data,
                         std::size_t length) override {
    const word_t word = words_.read(location_of(module, address / 8 * 8));
    std::memcpy(data, reinterpret_cast<const unsigned char*>(&word) + address % 8, length);
    return length;
  }
  std::size_t debug_write(mm_id module, std::uint64_t address, const unsigned char* data,
                          std::size_t length) override {
    const std::uint64_t location = location_of(module, address / 8 * 8);
    word_t word = words_.read(location);
    std::memcpy(reinterpret_cast<unsigned char*>(&word) + address % 8, data, length);
    words_.write(location, word);
    return length;
  }
  bool get_direct_mem_ptr(mm_id, tlm::tlm_generic_payload&, tlm::tlm_dmi&) override {
    return false;
  }
  void on_invalidation(invalidation) override {}

 private:
  word_store& words_;
  sc_core::sc_time latency_;
};

address_map_config without_local_ports(address_map_config config) {
  for (address_region& region : config.regions) region.local_port = false;
  return config;
}

/// Ports, network and memory modules, with an initiator at every port.
struct socket_machine : public sc_core::sc_module {
  TRIBUTARY_HAS_PROCESS(socket_machine);

  explicit socket_machine(const ultracomputer_config& given)
      : sc_module(sc_core::sc_module_name("machine")),
        config(given),
        map(without_local_ports(config.addresses), lines()),
        interface("interface", {config.interface, {}, {}}, map, config.network),
        network("network", config.network),
        memories("memories", config.memory, config.network.switches.link_cycles, lines()),
        around(memories, config.memory.latency * clock.period()),
        requests_in("requests_in", lines()),
        requests_out("requests_out", lines()),
        replies_in("replies_in", lines()),
        replies_out("replies_out", lines()),
        initiators("initiators", lines()),
        recorder(interface.core(), config.network.stages(), lines()) {
    interface.clock(clock);
    network.clock(clock);
    memories.clock(clock);
    interface.request_out(requests_in);
    network.request_in(requests_in);
    network.request_out(requests_out);
    memories.request_in(requests_out);
    memories.reply_out(replies_in);
    network.reply_in(replies_in);
    network.reply_out(replies_out);
    interface.reply_in(replies_out);
    interface.memory(around);
    interface.look_into(network.core());
    for (std::size_t pe = 0; pe < lines(); ++pe) {
      initiators[pe].initiator_socket().bind(interface.target_sockets[pe]);
    }
    interface.observe(&recorder);
    network.observe(&recorder);
    memories.observe(&recorder, static_cast<std::int32_t>(config.network.stages()));
    SC_METHOD(between_edges);
  }

  std::uint32_t lines() const { return config.network.processing_elements; }
  cycle_t cycle_of(const sc_core::sc_time& time) const {
    return static_cast<cycle_t>(time / clock.period() + 0.5);
  }

  /// Half a period before each edge, so that BEGIN_REQ is seen at that edge.
  void between_edges() {
    recorder.end();
    ++coming;
    recorder.begin(coming);
    if (before_edge) before_edge(coming);
    next_trigger((coming == 1 ? 1.5 : 1.0) * clock.period());
  }

  ultracomputer_config config;
  sc_core::sc_clock clock{"clock", 10, sc_core::SC_NS};
  address_map map;
  network_interface_module interface;
  omega_network_module network;
  memory_array_module memories;
  words_access around;
  packet_link<packet> requests_in;
  packet_link<packet> requests_out;
  packet_link<reply> replies_in;
  packet_link<reply> replies_out;
  sc_core::sc_vector<at_initiator> initiators;
  event_recorder recorder;
  std::function<void(cycle_t)> before_edge;
  cycle_t coming = 0;
};

/// Elements that do what closed_loop has its elements do, through sockets.
class polling {
 public:
  polling(socket_machine& machine, std::uint64_t seed)
      : machine_(machine),
        traffic_(machine.config.workload.traffic, machine.map, seed),
        elements_(machine.config.processor, machine.lines(), machine.config.interface.outstanding,
                  seed) {
    for (std::uint32_t pe = 0; pe < machine.lines(); ++pe) {
      machine.initiators[pe].on_response = [this](tlm::tlm_generic_payload& payload) {
        EXPECT_TRUE(payload.is_response_ok());
        elements_.complete(slots_.at(&payload), machine_.interface.now());
      };
    }
    machine.before_edge = [this](cycle_t now) {
      elements_.wake(now, [&](const pe_slot& slot) { issue(slot, traffic_.draw(slot.pe)); });
    };
  }

 private:
  void issue(const pe_slot& slot, const memory_request& request) {
    at_initiator& initiator = machine_.initiators[slot.pe];
    payload_pool& pool = initiator.pool;
    const bool plain = ++issued_ % 2 == 0;
    tlm::tlm_generic_payload* payload = nullptr;
    if (plain && request.function.kind == form::identity) {
      payload = &pool.acquire_word(tlm::TLM_READ_COMMAND, request.address);
    } else if (plain && request.function.kind == form::constant) {
      payload = &pool.acquire_word(tlm::TLM_WRITE_COMMAND, request.address, request.function.a);
    } else {
      payload = &pool.acquire_fetch_op(request.address, request.function);
    }
    slots_[payload] = slot;
    initiator.send(*payload);
  }

  socket_machine& machine_;
  traffic traffic_;
  processing_elements elements_;
  std::unordered_map<tlm::tlm_generic_payload*, pe_slot> slots_;
  std::uint64_t issued_ = 0;
};

/// The first line in which two texts differ, for a message.
std::string first_difference(const std::string& x, const std::string& y) {
  const auto differ = std::mismatch(x.begin(), x.end(), y.begin(), y.end());
  const auto at = static_cast<std::size_t>(differ.first - x.begin());
  const std::size_t line = at == 0 ? 0 : x.rfind('\n', at - 1) + 1;
  return "loop: " + x.substr(line, x.find('\n', line) - line) +
         "\nsockets: " + y.substr(line, y.find('\n', line) - line);
}

class network_interface_module_test : public testing::systemc_test {};

constexpr cycle_t trace_cycles = 400;

std::string trace_of_loop(const ultracomputer_config& config, std::uint64_t seed) {
  ultracomputer loop(config, seed);
  testing::event_text trace(loop.observers());
  loop.run_until(trace_cycles);
  return trace.text();
}

/// A random machine that sockets can be put in front of.
ultracomputer_config random_closed_loop(random_stream& random) {
  ultracomputer_config config = testing::random_configuration(random);
  config.addresses = without_local_ports(config.addresses);
  config.workload.kind = workload_kind::closed_loop;
  return config;
}

class polling_test : public network_interface_module_test,
                     public ::testing::WithParamInterface<std::uint64_t> {};

TEST_P(polling_test, initiators_that_poll_make_the_trace_of_built_in_elements) {
  random_stream random(61, GetParam(), 0U);
  const ultracomputer_config config = random_closed_loop(random);
  SCOPED_TRACE(testing::to_string(config));
  const std::string expected = trace_of_loop(config, GetParam());
  socket_machine machine(config);
  polling elements(machine, GetParam());
  testing::event_text trace(machine.recorder.observers());
  sc_core::sc_start((trace_cycles + 0.4) * machine.clock.period());
  machine.recorder.end();
  ASSERT_FALSE(expected.empty());
  ASSERT_TRUE(trace.text() == expected) << first_difference(expected, trace.text());
}

INSTANTIATE_TEST_SUITE_P(seeds, polling_test, ::testing::Range<std::uint64_t>(1, 41));

}  // namespace
}  // namespace tributary
