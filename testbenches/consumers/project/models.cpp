// SPDX-License-Identifier: Apache-2.0
// A network of four elements, all of which ask for one word: some of the requests must combine.
#include <array>
#include <cstddef>
#include <cstdint>

#include <tributary/combining/omega_network_module.h>

namespace {

constexpr std::size_t elements = 4;

/// Sends one fetch-and-add from each element to memory module 0, and counts what gets there.
class bench : public tributary::clocked_module {
 public:
  explicit bench(const sc_core::sc_module_name& name) : clocked_module(name) {}

  tributary::link_port<tributary::packet> request_out{"request_out"};
  tributary::link_port<tributary::packet> request_in{"request_in"};
  tributary::link_port<tributary::reply> reply_out{"reply_out"};
  tributary::link_port<tributary::reply> reply_in{"reply_in"};

  int arrived = 0;

 private:
  using request_link = tributary::packet_link<tributary::packet>;
  using reply_link = tributary::packet_link<tributary::reply>;

  void end_of_elaboration() override {
    request_out.open(request_link::end::sender, elements);
    request_in.open(request_link::end::receiver, elements);
    reply_out.open(reply_link::end::sender, elements);
    reply_in.open(reply_link::end::receiver, elements);
  }
  void reset() override {}
  void ready() override {
    request_in.publish_all(now() > 10 ? 1 : 0);  // requests that wait combine
    reply_in.publish_all(1);
  }
  void depart() override {
    for (std::size_t pe = 0; pe < elements; ++pe) {
      if (sent_[pe] || request_out.ready()[pe] == 0) continue;
      tributary::packet request;
      request.location = tributary::location_of(tributary::mm_id{0}, 0);
      request.set_function(tributary::function_of(tributary::operation::fetch_add, 1));
      request.pe = static_cast<std::uint16_t>(pe);
      request_out.send(pe, request);
      sent_[pe] = true;
    }
  }
  void commit() override {
    request_in.receive([&](std::size_t, const tributary::packet&) { ++arrived; });
  }

  std::array<bool, elements> sent_{};
};

}  // namespace

int sc_main(int, char**) {
  tributary::omega_network_config config;
  config.processing_elements = elements;
  config.switches.type = tributary::queue_type::a;
  tributary::omega_network_module network("network", config);
  bench tester("tester");
  sc_core::sc_clock clock("clock", 1, sc_core::SC_NS);
  tributary::packet_link<tributary::packet> to_network("to_network", elements);
  tributary::packet_link<tributary::packet> to_memory("to_memory", elements);
  tributary::packet_link<tributary::reply> from_memory("from_memory", elements);
  tributary::packet_link<tributary::reply> from_network("from_network", elements);
  network.clock(clock);
  tester.clock(clock);
  tester.request_out(to_network);
  network.request_in(to_network);
  network.request_out(to_memory);
  tester.request_in(to_memory);
  tester.reply_out(from_memory);
  network.reply_in(from_memory);
  network.reply_out(from_network);
  tester.reply_in(from_network);
  sc_core::sc_start(30, sc_core::SC_NS);
  return tester.arrived < static_cast<int>(elements) ? 0 : 1;
}
