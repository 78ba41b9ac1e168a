// SPDX-License-Identifier: Apache-2.0
// Reads and writes of a debugger through a network, which disturb nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tributary/memory/address_map.h>
#include <tributary/network/omega/omega_network.h>
#include <tributary/nic/alias_map.h>
#include <tributary/systemc/memory_access.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// One debug access (transport_dbg), byte by byte over words, modules and regions. A read shows
/// memory as it will be when all requests that wait in the network have been served, those inside
/// queues and wait buffers included; a write goes to memory, and requests under way act after it.
/// Through an alias a debugger reads and writes the plain word, and in their window the registers.
class debug_view {
 public:
  /// For the duration of one access. `waiting` is the network whose requests a read is to see;
  /// null if there are none, or if it shows none.
  debug_view(const address_map& addresses, const alias_map& aliases, memory_access& memory,
             const omega_network* waiting)
      : addresses_(addresses), aliases_(aliases), memory_(memory), waiting_(waiting) {}

  /// Does what `payload` asks for, with the alias registers of its port. Returns the number of
  /// bytes read or written, from the first on, as transport_dbg does; 0 for any other command.
  unsigned transfer(tlm::tlm_generic_payload& payload, alias_registers& registers);

 private:
  std::size_t piece(bool write_it, alias_registers& registers, std::uint64_t address,
                    unsigned char* data, std::size_t length);
  std::size_t read(std::uint64_t address, unsigned char* data, std::size_t length);
  std::size_t write(std::uint64_t address, const unsigned char* data, std::size_t length);

  const address_map& addresses_;
  const alias_map& aliases_;
  memory_access& memory_;
  const omega_network* waiting_;
};

}  // namespace tributary
