// SPDX-License-Identifier: Apache-2.0
// Switches and links as modules that may be replaced: the sockets by which they are joined.
#pragma once

#include <cstdint>

#include <tributary/systemc/systemc.h>

namespace tributary {

/// A switch between cables, whose messages are as `network_transfer_extension` says: what comes by
/// a target socket begins to cross a cable in the first cycle that is not before its BEGIN_REQ, and
/// so does what leaves by an initiator socket. END_REQ at a target socket says that the switch has
/// a place for another message of the lane, BEGIN_RESP that a message has left its place.
class switch_part {
 public:
  switch_part() = default;
  switch_part(const switch_part&) = delete;
  switch_part& operator=(const switch_part&) = delete;
  virtual ~switch_part() = default;

  virtual tlm::tlm_target_socket<>& from_cable(std::uint32_t port, std::uint8_t lane) = 0;
  virtual tlm::tlm_initiator_socket<>& to_cable(std::uint32_t port, std::uint8_t lane) = 0;
  /// Whether no message is in it.
  virtual bool idle() const { return true; }
};

/// One direction of a cable.
class link_part {
 public:
  link_part() = default;
  link_part(const link_part&) = delete;
  link_part& operator=(const link_part&) = delete;
  virtual ~link_part() = default;

  virtual tlm::tlm_target_socket<>& near_end(std::uint8_t lane) = 0;
  virtual tlm::tlm_initiator_socket<>& far_end(std::uint8_t lane) = 0;
  /// Whether no message is on it.
  virtual bool idle() const { return true; }
};

}  // namespace tributary
