// SPDX-License-Identifier: Apache-2.0
// What the firmware of multi-sends costs.
#pragma once

#include <cstdint>

namespace tributary {

class parameter_set;

/// Occupancies of the handlers in cycles. The defaults are those of a LANai 4.3 with FM 2.1, in
/// cycles of 100 ps (Buntinas et al., CANPC 2000).
struct multi_send_costs {
  /// Of each transmission, without its bytes: 1.3958 us.
  std::uint64_t transmit = 13958;
  /// Of writing the header for the next destination, while the packet before is transmitted: 2.4
  /// us. It is derived: the publication has none, but says that multi-sends below 32 bytes do not
  /// pay.
  std::uint64_t rewrite = 24000;
  /// Of finding that a packet has no further destination, while it is transmitted: 0.3 us (assumed:
  /// ten instructions).
  std::uint64_t list = 3000;
  /// Of each packet that comes, without its bytes: 60 % of 4.282 us (assumed: the rest is the
  /// host's). The bytes of its entry in the host's queue are not in it, 0.1104 us.
  std::uint64_t receive = 24588;

  void bind(parameter_set& parameters);
};

}  // namespace tributary
