// SPDX-License-Identifier: Apache-2.0
// Sockets of a network with those of other bus widths, on both sides and in a module around it.
#include <tributary/systemc/any_width.h>

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <tributary/systemc/combining_network.h>
#include <tributary/systemc/memory_module.h>

#include "support/systemc_test.h"
#include "support/word_payload.h"

namespace tributary {
namespace {

using testing::word_payload;

template <unsigned Width>
struct initiator_of : sc_core::sc_module {
  explicit initiator_of(const sc_core::sc_module_name& name) : sc_module(name) {}
  tlm_utils::simple_initiator_socket<initiator_of, Width> socket{"socket"};
};

template <unsigned Width>
struct target_of : sc_core::sc_module {
  explicit target_of(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &target_of::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    ++calls;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  tlm_utils::simple_target_socket<target_of, Width> socket{"socket"};
  unsigned calls = 0;
};

/// A network in a module of the user's own, whose sockets have a width of their own.
template <unsigned Width>
struct wrapped_network : sc_core::sc_module {
  explicit wrapped_network(const sc_core::sc_module_name& name) : sc_module(name) {
    network.clock(clock);
    in.bind(network.target_sockets[0]);
    network.initiator_sockets[0].bind(out);
  }
  static combining_network_config network_of_two() {
    combining_network_config config;
    config.network.processing_elements = 2;
    return config;
  }
  sc_core::sc_in<bool> clock{"clock"};
  tlm::tlm_target_socket<Width> in{"in"};
  tlm::tlm_initiator_socket<Width> out{"out"};
  combining_network network{"network", network_of_two()};
};

class any_width : public testing::systemc_test {
 protected:
  /// Reads word 0, which module 0 holds, and word 1 of module 1, at each socket.
  template <class... Sockets>
  void read_by(Sockets&... sockets) {
    sc_core::sc_spawn([&] {
      sc_core::wait(25, sc_core::SC_NS);
      (read_at(sockets), ...);
    });
    sc_core::sc_start(1, sc_core::SC_US);
  }

  sc_core::sc_clock clock{"clock", 10, sc_core::SC_NS};
  std::uint64_t address = 0;

 private:
  template <class Socket>
  void read_at(Socket& socket) {
    word_payload payload(tlm::TLM_READ_COMMAND, address);
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
    address += word_bytes;
  }
};

TEST_F(any_width, sockets_of_32_and_64_bits_bind_on_both_sides) {
  combining_network network("network", wrapped_network<32>::network_of_two());
  network.clock(clock);
  initiator_of<32> narrow("narrow");
  initiator_of<64> wide("wide");
  target_of<32> narrow_target("narrow_target");
  target_of<64> wide_target("wide_target");
  narrow.socket.bind(network.target_sockets[0]);
  wide.socket.bind(network.target_sockets[1]);
  network.initiator_sockets[0].bind(narrow_target.socket);
  network.initiator_sockets[1].bind(wide_target.socket);
  read_by(narrow.socket, wide.socket);
  EXPECT_EQ(narrow_target.calls, 1U);
  EXPECT_EQ(wide_target.calls, 1U);
}

TEST_F(any_width, call_operators_bind_as_well) {
  combining_network network("network", wrapped_network<32>::network_of_two());
  network.clock(clock);
  initiator_of<64> wide("wide");
  initiator_of<128> wider("wider");
  target_of<64> wide_target("wide_target");
  memory_module memory("memory");
  memory.clock(clock);
  wide.socket(network.target_sockets[0]);
  network.target_sockets[1](wider.socket);
  network.initiator_sockets[0](wide_target.socket);
  network.initiator_sockets[1](memory.target_socket);
  read_by(wide.socket, wider.socket);
  EXPECT_EQ(wide_target.calls, 1U);
}

TEST_F(any_width, a_module_around_the_network_has_sockets_of_any_width) {
  wrapped_network<64> wrapped("wrapped");
  wrapped.clock(clock);
  initiator_of<64> wide("wide");
  target_of<64> wide_target("wide_target");
  wide.socket.bind(wrapped.in);
  wrapped.out.bind(wide_target.socket);
  read_by(wide.socket);
  EXPECT_EQ(wide_target.calls, 1U);
}

TEST_F(any_width, a_memory_serves_initiators_of_64_bits) {
  memory_module memory("memory");
  memory.clock(clock);
  initiator_of<64> wide("wide");
  wide.socket.bind(memory.target_socket);
  read_by(wide.socket);
}

/// Both ends of a hub of 64 bits, to which several others bind.
struct hub : sc_core::sc_module {
  explicit hub(const sc_core::sc_module_name& name) : sc_module(name) {
    in.register_b_transport(this, &hub::b_transport);
  }
  void b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    ++calls;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  tlm_utils::multi_passthrough_target_socket<hub, 64> in{"in"};
  tlm_utils::multi_passthrough_initiator_socket<hub, 64> out{"out"};
  unsigned calls = 0;
};

TEST_F(any_width, multi_sockets_bind) {
  combining_network network("network", wrapped_network<32>::network_of_two());
  network.clock(clock);
  hub both("both");
  both.out.bind(network.target_sockets[0]);
  both.out.bind(network.target_sockets[1]);
  network.initiator_sockets[0].bind(both.in);
  network.initiator_sockets[1].bind(both.in);
  read_by(both.out, both.out);
  EXPECT_EQ(both.calls, 2U);
}

}  // namespace
}  // namespace tributary
