// SPDX-License-Identifier: Apache-2.0
// Two processors add to one word through a combining network, in front of memories that know no
// fetch-and-add. The sum must be right, whichever way the library was built.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>

#include <tributary/systemc/combining_network.h>
#include <tributary/systemc/fetch_op.h>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

namespace {

constexpr std::size_t ports = 2;
constexpr std::uint64_t additions = 50;

class processor : public sc_core::sc_module {
 public:
  explicit processor(const sc_core::sc_module_name& name) : sc_module(name) { SC_THREAD(run); }

  tlm_utils::simple_initiator_socket<processor> socket{"socket"};
  std::uint64_t last = 0;

 private:
  TRIBUTARY_HAS_PROCESS(processor);

  void run() {
    for (std::uint64_t i = 0; i < additions; ++i) {
      auto add = tributary::fetch_op::of(tributary::operation::fetch_add, 1);
      unsigned char data[tributary::word_bytes] = {};
      tlm::tlm_generic_payload payload;
      tributary::set_fetch_op(payload, 0, data, add);
      sc_core::sc_time delay;
      socket->b_transport(payload, delay);
      wait(delay);
      payload.clear_extension(&add);
      if (payload.is_response_error() || !add.performed()) return;
      last = add.result();
    }
  }
};

class memory : public sc_core::sc_module {
 public:
  explicit memory(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &memory::transport);
  }

  tlm_utils::simple_target_socket<memory> socket{"socket"};
  std::map<std::uint64_t, std::uint64_t> words;

 private:
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    std::uint64_t& word = words[payload.get_address()];
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), &word, sizeof word);
    if (payload.is_write()) std::memcpy(&word, payload.get_data_ptr(), sizeof word);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

}  // namespace

int sc_main(int, char**) {
  sc_core::sc_clock clock("clock", 1, sc_core::SC_NS);
  tributary::combining_network_config config;
  config.network.processing_elements = ports;
  tributary::combining_network network("network", config);
  network.clock(clock);
  sc_core::sc_vector<processor> processors("processors", ports);
  sc_core::sc_vector<memory> memories("memories", ports);
  for (std::size_t port = 0; port < ports; ++port) {
    processors[port].socket.bind(network.target_sockets[port]);
    network.initiator_sockets[port].bind(memories[port].socket);
  }
  sc_core::sc_start(100, sc_core::SC_US);
  const bool added =
      processors[0].last + 1 == ports * additions || processors[1].last + 1 == ports * additions;
  return added && memories[0].words[0] == ports * additions ? 0 : 1;
}
