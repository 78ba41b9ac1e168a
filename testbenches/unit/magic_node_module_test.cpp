// SPDX-License-Identifier: Apache-2.0
// A node's sockets: an initiator in the place of the processor, and the lanes of the network.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>

#include <tributary/algorithms/fbcopy.h>
#include <tributary/magic/magic_machine.h>
#include <tributary/processor/node_programs.h>
#include <tributary/systemc/magic_node_module.h>
#include <tributary/systemc/message_network_module.h>
#include <tributary/systemc/messages.h>
#include <tributary/systemc/protocol_monitor.h>

#include <support/at_initiator.h>
#include <support/protocol_lists.h>
#include <support/systemc_test.h>
#include <support/unit_trace.h>
#include <support/word_payload.h>

namespace tributary {
namespace {

constexpr std::uint64_t flag_offset = 0x800;
constexpr std::uint64_t source_offset = 0x2000;
constexpr std::uint64_t destination_offset = 0x21000;
constexpr std::uint32_t turnaround = 30;

magic_machine_config machine_config() {
  magic_machine_config config;
  config.nodes = 2;
  config.node.memory.bytes = 1 << 20;
  return config;
}

/// Both protocols of a node, and what they need.
struct node_protocols {
  testing::protocol_list make() {
    block_transfer_config transfer;
    transfer.user_bytes = machine_config().node.protocol_storage();
    return testing::uncached_and_transfers(transfer, {}, lines);
  }

  uncached_lines lines;
};

std::uint64_t address(std::uint32_t node, std::uint64_t offset, std::uint32_t space = 0) {
  return address_layout{}.address_of(node_id{node}, space, offset);
}

/// Copies two pages and a bit, in which the published sequence comes in full.
void copy_pages(uncached_port& port) {
  const fbcopy_mapping mapping = physical_mapping(address_layout{}, node_id{0});
  const fbcopy_outcome outcome =
      fbcopy(port, mapping, address(0, source_offset + 8), address(1, destination_offset), 8320,
             address(0, flag_offset));
  EXPECT_EQ(outcome.result, block_transfer_result::accepted);
  fbcopy_wait(port, address(0, flag_offset), 1);
}

void fill_source(memory_controller& memory) {
  for (std::uint64_t at = 0; at < 8320; at += 8) memory.write(source_offset + 8 + at, ~at);
}
void expect_copied(const memory_controller& memory) {
  for (std::uint64_t at = 0; at < 8320; at += 8) {
    ASSERT_EQ(memory.read(destination_offset + at), ~at) << at;
  }
}

/// A thread that loads and stores through b_transport and knows nothing but TLM-2.0.
class thread_processor : public sc_core::sc_module, public uncached_port {
 public:
  thread_processor(const sc_core::sc_module_name& name, const sc_core::sc_time& period)
      : sc_module(name), period_(period) {
    socket.bind(monitor.target_socket);
    SC_THREAD(run);
  }

  tlm_utils::simple_initiator_socket<thread_processor> socket{"socket"};
  protocol_monitor<> monitor{"monitor"};
  std::function<void(thread_processor&)> program;
  std::uint32_t turnaround = 1;
  sc_core::sc_time annotation;  // BEGIN_REQ is so much later

  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t where, void* data,
                                  unsigned length = 8) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(where);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    sc_core::sc_time delay = annotation;
    socket->b_transport(payload, delay);
    wait(delay);
    return payload.get_response_status();
  }

  word_t load(std::uint64_t where) override {
    word_t value = 0;
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, where, &value), tlm::TLM_OK_RESPONSE);
    wait((turnaround - 1) * period_);
    return value;
  }
  void store(std::uint64_t where, word_t value) override {
    EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, where, &value), tlm::TLM_OK_RESPONSE);
    wait((turnaround - 1) * period_);
  }
  void delay(std::uint64_t cycles) override { wait(static_cast<double>(cycles) * period_); }

 private:
  TRIBUTARY_HAS_PROCESS(thread_processor);
  void run() {
    if (program) program(*this);
  }

  sc_core::sc_time period_;
};

/// Two nodes and their network.
struct two_nodes {
  two_nodes() {
    const magic_machine_config config = machine_config();
    for (std::uint32_t i = 0; i < 2; ++i) {
      magic_node_place place;
      place.here = node_id{i};
      place.nodes = 2;
      place.network = config.network;
      nodes.push_back(std::make_unique<magic_node_module>(("node_" + std::to_string(i)).c_str(),
                                                          config.node, place, protocols[i].make()));
      traces[i] = std::make_unique<testing::unit_trace>(nodes[i]->core());
      nodes[i]->join(network);
    }
    fill_source(nodes[0]->core().memory());
  }

  void run(double cycles) { sc_core::sc_start(cycles * period); }

  node_protocols protocols[2];
  std::unique_ptr<testing::unit_trace> traces[2];
  message_network_module network{"network", machine_config().network, 2};
  sc_core::sc_time period{network.clock_period()};
  std::vector<std::unique_ptr<magic_node_module>> nodes;
};

class magic_node_module_test : public testing::systemc_test {};

TEST_F(magic_node_module_test, a_thread_copies_with_the_published_sequence) {
  two_nodes machine;
  thread_processor processor("processor", machine.period);
  processor.monitor.initiator_socket.bind(machine.nodes[0]->processor);
  bool finished = false;
  processor.program = [&](thread_processor& port) {
    copy_pages(port);
    finished = true;
  };
  machine.run(100000);
  EXPECT_TRUE(finished);
  EXPECT_TRUE(machine.nodes[0]->idle());
  EXPECT_TRUE(machine.nodes[1]->idle());
  EXPECT_TRUE(machine.network.idle());
  expect_copied(machine.nodes[1]->core().memory());
  EXPECT_EQ(processor.monitor.checker().violations(), 0U);
}

TEST_F(magic_node_module_test, an_initiator_makes_the_events_of_a_program) {
  node_protocols protocols[2];
  magic_machine plain(machine_config(),
                      [&](node_id node) { return protocols[index(node)].make(); });
  std::unique_ptr<testing::unit_trace> traces[2];
  for (std::size_t i = 0; i < 2; ++i) {
    traces[i] = std::make_unique<testing::unit_trace>(plain.node(i));
  }
  fill_source(plain.node(0).memory());
  auto copying = make_program([](program_context& context) {
    program_port port(context);
    copy_pages(port);
  });
  processing_element_config element = uncached_processor();
  element.turnaround = turnaround;
  node_programs on_node(plain.config(), std::move(copying), element);
  on_node.elements().add(plain.node(0));
  plain.run_until(20000);
  ASSERT_TRUE(on_node.finished(0));

  for (const bool annotated : {false, true}) {
    simulation_context context;
    two_nodes machine;
    thread_processor processor("processor", machine.period);
    processor.monitor.initiator_socket.bind(machine.nodes[0]->processor);
    processor.turnaround = turnaround;
    if (annotated) {
      // What the thread does not wait, it says.
      processor.annotation = (turnaround - 1) * machine.period;
      processor.turnaround = 1;
    }
    processor.program = [&](thread_processor& port) { copy_pages(port); };
    machine.run(20000);
    for (std::size_t i = 0; i < 2; ++i) {
      const std::vector<trace_event>& a = traces[i]->events();
      const std::vector<trace_event>& b = machine.traces[i]->events();
      ASSERT_EQ(a.size(), b.size()) << i;
      ASSERT_GT(a.size(), 300U) << i;
      // The first access comes as late as the others if it is annotated.
      const cycle_t later = annotated ? turnaround - 1 : 0;
      for (std::size_t n = 0; n < a.size(); ++n) {
        ASSERT_EQ(a[n].cycle + later, b[n].cycle) << "node " << i << ", event " << n;
        ASSERT_TRUE(a[n].kind == b[n].kind && a[n].track == b[n].track &&
                    a[n].identity == b[n].identity && a[n].address == b[n].address &&
                    a[n].details == b[n].details)
            << "node " << i << ", event " << n;
      }
    }
  }
}

TEST_F(magic_node_module_test, phases_come_in_their_cycles) {
  two_nodes machine;
  testing::at_initiator processor("processor");
  processor.initiator_socket().bind(machine.nodes[0]->processor);
  processor.send(processor.pool.acquire_word(tlm::TLM_WRITE_COMMAND, address(0, 64), 7));
  machine.run(100.5);
  ASSERT_EQ(processor.outcomes.size(), 1U);
  // Asked at time 0, so seen in cycle 1; posted a cycle later.
  EXPECT_EQ(processor.outcomes[0].accepted, 1 * machine.period);
  EXPECT_EQ(processor.outcomes[0].answered, 2 * machine.period);
  EXPECT_EQ(machine.nodes[0]->core().memory().read(64), 7U);

  for (int i = 0; i < 6; ++i) {
    processor.send(processor.pool.acquire_word(tlm::TLM_READ_COMMAND, address(0, 64)));
  }
  word_t seen = 0;
  processor.on_response = [&](tlm::tlm_generic_payload& payload) {
    seen += payload_pool::word_of(payload);
  };
  machine.run(1000);
  ASSERT_EQ(processor.outcomes.size(), 7U);
  EXPECT_EQ(seen, 42U);
  // Four outstanding: each END_REQ lets the next in a cycle later, the fifth waits for an answer.
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(processor.outcomes[i + 1].accepted, processor.outcomes[i].accepted + machine.period);
  }
  EXPECT_EQ(processor.outcomes[5].accepted, processor.outcomes[1].answered);
  EXPECT_EQ(processor.outcomes[6].accepted, processor.outcomes[2].answered);
  EXPECT_EQ(processor.pool.outstanding(), 0U);
  EXPECT_TRUE(machine.nodes[0]->idle());
  EXPECT_EQ(processor.monitor.checker().violations(), 0U);
}

TEST_F(magic_node_module_test, ends_of_responses_by_call_hold_the_next_response) {
  two_nodes machine;
  testing::at_initiator processor("processor");
  processor.initiator_socket().bind(machine.nodes[0]->processor);
  processor.end = testing::response_end::call;
  processor.end_delay = 500 * machine.period;
  for (std::uint64_t i = 0; i < 3; ++i) {
    processor.send(processor.pool.acquire_word(tlm::TLM_READ_COMMAND, address(1, 8 * i)));
  }
  machine.run(3000);
  ASSERT_EQ(processor.outcomes.size(), 3U);
  EXPECT_EQ(processor.outcomes[1].answered, processor.outcomes[0].answered + processor.end_delay);
  EXPECT_EQ(processor.outcomes[2].answered, processor.outcomes[1].answered + processor.end_delay);
  EXPECT_EQ(processor.pool.outstanding(), 0U);
  EXPECT_EQ(processor.monitor.checker().violations(), 0U);
}

TEST_F(magic_node_module_test, what_is_no_uncached_access_is_refused) {
  two_nodes machine;
  thread_processor processor("processor", machine.period);
  processor.monitor.initiator_socket.bind(machine.nodes[0]->processor);
  int looked = 0;
  processor.program = [&](thread_processor& port) {
    unsigned char data[16] = {};
    const auto read = tlm::TLM_READ_COMMAND;
    EXPECT_EQ(port.access(read, address(0, 64), data, 4), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(port.access(read, address(0, 64), data, 16), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(port.access(read, address(0, 66), data), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(port.access(read, address(2, 64), data), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(port.access(read, std::uint64_t{1} << 41, data), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(port.access(tlm::TLM_IGNORE_COMMAND, address(0, 64), data),
              tlm::TLM_COMMAND_ERROR_RESPONSE);
    tlm::tlm_generic_payload payload;
    unsigned char enables[] = {TLM_BYTE_ENABLED, TLM_BYTE_DISABLED};
    payload.set_command(read);
    payload.set_address(address(0, 64));
    payload.set_data_ptr(data);
    payload.set_data_length(8);
    payload.set_streaming_width(8);
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(2);
    sc_core::sc_time delay;
    port.socket->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    tlm::tlm_dmi dmi;
    EXPECT_FALSE(port.socket->get_direct_mem_ptr(payload, dmi));
    ++looked;
  };
  machine.run(100);
  EXPECT_EQ(looked, 1);
  EXPECT_TRUE(machine.traces[0]->events().empty());
}

TEST_F(magic_node_module_test, debug_accesses_reach_memory_and_nothing_else) {
  two_nodes machine;
  thread_processor processor("processor", machine.period);
  processor.monitor.initiator_socket.bind(machine.nodes[0]->processor);
  machine.run(1);
  const auto debug = [&](tlm::tlm_command command, std::uint64_t where, void* data,
                         unsigned length) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(where);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(length);
    return processor.socket->transport_dbg(payload);
  };
  std::string text = "nineteen characters";
  EXPECT_EQ(debug(tlm::TLM_WRITE_COMMAND, address(0, 0x103), text.data(), 19), 19U);
  std::string back(19, ' ');
  EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, address(0, 0x103), back.data(), 19), 19U);
  EXPECT_EQ(back, text);
  const std::uint64_t last = machine_config().node.memory.bytes - 8;
  EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, address(0, last), back.data(), 19), 8U);
  EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, address(1, 0), back.data(), 8), 0U);
  EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, address(0, 0, 2), back.data(), 8), 0U);
  machine.run(100);
  EXPECT_TRUE(machine.traces[0]->events().empty());
}

TEST_F(magic_node_module_test, calls_that_are_illegal_are_reported_and_do_nothing) {
  expect_report(messages::protocol, testing::after_report::goes_on);
  two_nodes machine;
  testing::at_initiator processor("processor");
  processor.initiator_socket().bind(machine.nodes[0]->processor);
  processor.monitor.checker().on_violation([](const protocol_violation&) {});
  const auto begin = [&](tlm::tlm_generic_payload& payload) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    return processor.own_socket->nb_transport_fw(payload, phase, delay);
  };
  auto& read = processor.pool.acquire_word(tlm::TLM_READ_COMMAND, address(1, 64));
  processor.send(read);
  machine.run(10.5);
  const tlm::tlm_response_status so_far = read.get_response_status();
  read.set_data_length(4);  // an error by itself
  EXPECT_EQ(begin(read), tlm::TLM_COMPLETED) << "begun twice";
  EXPECT_EQ(read.get_response_status(), so_far) << "that of the first transaction";
  read.set_data_length(word_bytes);
  testing::word_payload lone(tlm::TLM_WRITE_COMMAND, address(0, 64), 5);
  EXPECT_EQ(begin(lone), tlm::TLM_COMPLETED) << "no memory manager";
  EXPECT_EQ(lone.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
  lone.set_mm(&processor.pool);
  EXPECT_EQ(begin(lone), tlm::TLM_COMPLETED) << "reference count 0";
  lone.set_data_ptr(nullptr);
  EXPECT_EQ(processor.own_socket->transport_dbg(lone), 0U);
  machine.run(1000);
  const auto told = reports(messages::protocol);
  EXPECT_EQ(told.size(), 4U);
  for (const std::string& each : told) EXPECT_NE(each.find("node_0.processor"), std::string::npos);
  EXPECT_EQ(processor.outcomes.size(), 1U);
  EXPECT_EQ(machine.nodes[0]->core().memory().read(64), 0U);
  EXPECT_EQ(processor.pool.outstanding(), 0U);
}

TEST_F(magic_node_module_test, a_streaming_width_of_zero_is_the_length_and_warned_of_once) {
  expect_report(messages::protocol);
  two_nodes machine;
  testing::at_initiator processor("processor");
  processor.initiator_socket().bind(machine.nodes[0]->processor);
  processor.monitor.checker().ignore(protocol_rule::streaming_width);
  for (std::uint64_t i = 0; i < 2; ++i) {
    auto& write = processor.pool.acquire_word(tlm::TLM_WRITE_COMMAND, address(0, 64 + 8 * i), 7);
    write.set_streaming_width(0);
    processor.send(write);
  }
  machine.run(100);
  EXPECT_EQ(machine.nodes[0]->core().memory().read(64), 7U);
  EXPECT_EQ(machine.nodes[0]->core().memory().read(72), 7U);
  EXPECT_EQ(reports(messages::protocol).size(), 1U);
}

TEST_F(magic_node_module_test, what_the_node_refuses_is_reported) {
  expect_report(messages::configuration);
  magic_node_place place;
  magic_node_config config;
  config.memory.bytes = 256;
  EXPECT_THROW(magic_node_module("node", config, place, {}), sc_core::sc_report);
}

TEST_F(magic_node_module_test, an_access_that_no_rule_takes_is_reported) {
  expect_report(messages::simulation);
  two_nodes machine;
  // Without a thread: address sanitizers lose the main stack when something is thrown beside one.
  machine.nodes[0]->core().processor().offer(0, {address(0, 0, 3)}, 0);
  EXPECT_THROW(machine.run(100), sc_core::sc_report);
}

}  // namespace
}  // namespace tributary
