// SPDX-License-Identifier: Apache-2.0
// A loosely timed processor and a memory as a user of TLM-2.0 writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

namespace example {

/// Runs one function, which loads and stores words and waits for an interrupt.
struct cpu : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<cpu, 64> registers{"registers"};
  tlm_utils::simple_initiator_socket<cpu, 64> memory{"memory"};
  sc_core::sc_in<bool> interrupt{"interrupt"};

  cpu(const sc_core::sc_module_name& name, std::function<void(cpu&)> program)
      : sc_module(name), program_(std::move(program)) {
    SC_HAS_PROCESS(cpu);
    SC_THREAD(run);
  }

  template <class Socket>
  std::uint64_t load(Socket& socket, std::uint64_t address) {
    std::uint64_t value = 0;
    transport(socket, tlm::TLM_READ_COMMAND, address, value);
    return value;
  }
  template <class Socket>
  void store(Socket& socket, std::uint64_t address, std::uint64_t value) {
    transport(socket, tlm::TLM_WRITE_COMMAND, address, value);
  }
  void await_interrupt() {
    while (!interrupt.read()) wait(interrupt.value_changed_event());
  }

 private:
  template <class Socket>
  void transport(Socket& socket, tlm::tlm_command command, std::uint64_t address,
                 std::uint64_t& value) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(sizeof value);
    payload.set_streaming_width(sizeof value);
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    if (payload.is_response_error()) {
      throw std::runtime_error(std::string(name()) + ": " + payload.get_response_string());
    }
    wait(delay);
  }
  void run() { program_(*this); }

  std::function<void(cpu&)> program_;
};

/// Bytes with a socket for the processor and one for the network interface, which takes longer than
/// the interface's own cycles.
struct shared_memory : sc_core::sc_module {
  tlm_utils::simple_target_socket<shared_memory, 64> from_cpu{"from_cpu"};
  tlm_utils::simple_target_socket<shared_memory, 64> from_interface{"from_interface"};

  shared_memory(const sc_core::sc_module_name& name, std::size_t bytes)
      : sc_module(name), bytes_(bytes) {
    from_cpu.register_b_transport(this, &shared_memory::transport);
    from_interface.register_b_transport(this, &shared_memory::transport);
  }

 private:
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint64_t address = payload.get_address();
    const std::size_t length = payload.get_data_length();
    delay += sc_core::sc_time(60, sc_core::SC_NS);
    if (address > bytes_.size() || length > bytes_.size() - address) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    unsigned char* const there = bytes_.data() + address;
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), there, length);
    if (payload.is_write()) std::memcpy(there, payload.get_data_ptr(), length);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  std::vector<unsigned char> bytes_;
};

}  // namespace example
