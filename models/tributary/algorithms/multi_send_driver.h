// SPDX-License-Identifier: Apache-2.0
// A host's side of multi-sends: what a process does to send and to receive over its interface.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tributary/processor/program.h>
#include <tributary/protocols/multi_send/multi_send.h>
#include <tributary/sim/fifo.h>

namespace tributary {

/// Where a process finds its interface.
struct multi_send_access {
  multi_send_config protocol;
  multi_send_places places;         ///< in the memory of the interface
  std::uint64_t frames_window = 0;  ///< address of offset 0 of that memory
  std::uint64_t doorbell = 0;       ///< address of the doorbell for frames
  std::uint64_t queue_memory = 0;   ///< address of offset 0 of the memory with the receiver's queue
  std::uint64_t write_cycles = 0;   ///< of 4 bytes to the interface
  /// Whether the doorbell is of 4 bytes; else it is a doubleword, as on MAGIC.
  bool narrow_doorbell = true;
};

/// What the host's own work costs, in cycles. The defaults are FM 2.1 on a Pentium II of 300 MHz,
/// in cycles of 100 ps (Buntinas et al., CANPC 2000).
struct multi_send_times {
  /// Of a packet, without its bytes, from its assembly to the doorbell: 2.7863 us. Bytes cost what
  /// their writes to the interface take.
  std::uint64_t send = 27863;
  /// Of a packet that is copied: 40 % of 4.282 + 0.023 us a byte (assumed).
  std::uint64_t copy = 17128;
  std::uint64_t copy_byte = 92;
  std::uint64_t poll = 5000;  ///< between two looks at an empty queue (assumed: 0.5 us)
};

/// A packet that came.
struct received_packet {
  std::uint32_t source = 0;
  std::uint32_t bytes = 0;
  std::uint16_t tag = 0;
};

/// Sends frames and takes packets, with a window of credits for each other host. One for each
/// process; what it keeps is the process's own.
class multi_send_driver {
 public:
  /// `context` must outlive it.
  multi_send_driver(program_context& context, const multi_send_access& where,
                    const multi_send_times& times = {});

  /// Sends a packet of `bytes` from an address of the own memory to each of some hosts, once there
  /// is a credit for every one. Throws `simulation_error` for no bytes or too many, for hosts that
  /// do not exist, and for the own one.
  void send(const std::vector<std::uint32_t>& to, std::uint64_t from, std::uint32_t bytes,
            std::uint16_t tag = 0);
  /// A message in as many packets as it takes.
  void send_message(const std::vector<std::uint32_t>& to, std::uint64_t from, std::uint64_t bytes,
                    std::uint16_t tag = 0);

  /// Whether there is a credit for each of some hosts, after a look at the queue.
  bool can_send(const std::vector<std::uint32_t>& to);
  /// Whether a packet has come, after a look at the queue.
  bool has_packet();
  /// Waits as long as between two looks.
  void rest() { context_.delay(times_.poll); }

  /// Waits for the next packet and copies it to an address of the own memory.
  received_packet receive(std::uint64_t to);
  /// The same of a whole message, from one source. Returns its source.
  std::uint32_t receive_message(std::uint64_t to, std::uint64_t bytes);

  /// Returns to every host the credits that are owed to it.
  void return_credits();
  /// Of the longest packet.
  std::uint32_t packet_bytes() const { return where_.protocol.packet_bytes; }
  /// Credits for a host.
  std::uint32_t credits(std::uint32_t host) const { return credits_.at(host); }
  /// How often `send` waited for credits.
  std::uint64_t waited_for_credits() const { return waited_; }

 private:
  bool look();
  bool has_credits(const std::vector<std::uint32_t>& to) const;
  void await_credits(const std::vector<std::uint32_t>& to);
  void await_frame();
  void post(const std::vector<std::uint32_t>& to, std::uint64_t from, std::uint32_t bytes,
            std::uint16_t tag);
  word_t destination(std::uint32_t host);
  std::uint64_t write_list(const std::vector<std::uint32_t>& to, std::uint64_t frame);
  void delay_until(cycle_t when);
  void give_back(std::uint32_t source);
  void check(const std::vector<std::uint32_t>& to, std::uint32_t bytes) const;

  program_context& context_;
  multi_send_access where_;
  multi_send_times times_;
  std::vector<std::uint32_t> credits_;
  std::vector<std::uint32_t> owed_;
  std::uint64_t posted_ = 0;
  std::uint64_t known_sent_ = 0;
  std::uint64_t taken_ = 0;  ///< entries
  fifo<word_t> packets_;     ///< entries of packets that are there
  std::uint64_t waited_ = 0;
};

}  // namespace tributary
