// SPDX-License-Identifier: Apache-2.0
// Who an event is about: a processor's reference, or a message that a controller sent.
#pragma once

#include <cstdint>

#include <tributary/sim/state.h>

namespace tributary {

/// Where a reference or message comes from, and its number there. The hardware carries a request's
/// in the network; a message of a node carries it for traces only.
class trace_identity {
 public:
  /// None.
  constexpr trace_identity() = default;

  /// The reference `sequence` of processing element or node `origin`, both counted from 0.
  static constexpr trace_identity reference(std::uint32_t origin, std::uint64_t sequence) {
    return trace_identity((std::uint64_t{origin} + 1) << origin_bit | sequence);
  }
  /// The message `sequence` that a controller sent.
  static constexpr trace_identity message(std::uint32_t origin, std::uint64_t sequence) {
    return trace_identity(reference(origin, sequence).bits_ | message_flag);
  }

  /// The one of which `bits` were.
  static constexpr trace_identity of_bits(std::uint64_t bits) { return trace_identity(bits); }

  constexpr bool none() const { return bits_ == 0; }
  /// Only of one that is not none.
  constexpr std::uint32_t origin() const {
    return static_cast<std::uint32_t>((bits_ >> origin_bit) - 1);
  }
  constexpr std::uint64_t sequence() const { return bits_ & (message_flag - 1); }
  constexpr bool is_message() const { return (bits_ & message_flag) != 0; }
  /// Different for each identity, ascending as they are compared; 0 for none.
  constexpr std::uint64_t bits() const { return bits_; }

  friend constexpr bool operator==(trace_identity x, trace_identity y) {
    return x.bits_ == y.bits_;
  }
  friend constexpr bool operator!=(trace_identity x, trace_identity y) { return !(x == y); }
  /// By origin, its references before its messages, by number.
  friend constexpr bool operator<(trace_identity x, trace_identity y) { return x.bits_ < y.bits_; }

  TRIBUTARY_STATE(bits_);

 private:
  static constexpr unsigned origin_bit = 40;
  static constexpr std::uint64_t message_flag = std::uint64_t{1} << (origin_bit - 1);

  explicit constexpr trace_identity(std::uint64_t bits) : bits_(bits) {}

  std::uint64_t bits_ = 0;
};

}  // namespace tributary
