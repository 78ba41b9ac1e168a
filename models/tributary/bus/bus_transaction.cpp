// SPDX-License-Identifier: Apache-2.0
#include <tributary/bus/bus_transaction.h>

namespace tributary {

const char* name_of(bus_transaction kind) {
  constexpr const char* names[bus_transaction_count] = {
      "read", "read_exclusive", "upgrade", "write_back", "uncached_read", "uncached_write"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace tributary
