// SPDX-License-Identifier: Apache-2.0
// Messages from one processor to another through a buffer that both see, as MPI sends large ones.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <tributary/algorithms/bcopy.h>
#include <tributary/algorithms/fbcopy.h>
#include <tributary/controller/address_layout.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/program.h>

namespace tributary {

class parameter_set;

/// Nodes whose controllers copy: how their addresses look.
struct copying_nodes {
  address_layout addresses;
  std::uint64_t page_bytes = 4096;
  line_size line;
};

/// Configuration of the exchange.
struct mpi_exchange_config {
  copy_method method = copy_method::bcopy;
  std::uint64_t message_bytes = 4096;
  /// Shorter messages are copied by loads and stores alone, whatever the method.
  std::uint64_t block_bytes = 2048;
  std::uint64_t messages = 10;
  copy_loop loop;

  void bind(parameter_set& parameters);
};

/// Element 0 writes a message into memory of its own and copies it into a buffer at element 1's
/// memory; element 1 copies it from there into other memory of its own, compares it, and gives the
/// buffer back. The others do nothing. The samples `message` are the cycles from the beginning of
/// the first copy to the end of the second. The buffer and element 1's memory are on one node, so
/// its copy is never the controller's (FLASH 5.3.3).
///
/// `nodes`: nothing where no controller copies. Throws `configuration_error` for a method that the
/// machine does not have, and for messages that do not fit into the region "local" of `map`.
std::unique_ptr<program> make_mpi_exchange_program(const mpi_exchange_config& config,
                                                   const address_map& map,
                                                   const std::optional<copying_nodes>& nodes);

}  // namespace tributary
