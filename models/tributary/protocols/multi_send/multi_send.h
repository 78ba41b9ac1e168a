// SPDX-License-Identifier: Apache-2.0
// Multi-sends: the host hands over one packet, and the controller sends it to a list of nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tributary/controller/fiber_protocol.h>
#include <tributary/protocols/multi_send/multi_send_costs.h>
#include <tributary/protocols/multi_send/multi_send_frame.h>

namespace tributary {

/// Configuration of the protocol. It is the same on all nodes.
struct multi_send_config {
  std::uint32_t packet_bytes = 1536;  ///< of the longest: a payload of the controller
  std::uint32_t frames = 32;          ///< that wait to be sent
  std::uint32_t window = 8;           ///< packets of each sender for which a receiver has room
  std::uint8_t command_space = 3;     ///< an uncached write there says that a frame is whole
  std::uint8_t queue_space = 1;       ///< where the receiver's queue is
  std::uint64_t queue_at = 0;         ///< its offset there
  /// Whether a controller spills whole payloads only, as MAGIC does lines: the rest becomes 0.
  bool whole_payloads = false;

  void bind(parameter_set& parameters);
  /// Throws `configuration_error`.
  void validate(std::uint32_t nodes) const;

  /// Bytes of a packet's place in a frame or a queue.
  std::uint64_t unit() const { return (std::uint64_t{packet_bytes} + 127) / 128 * 128; }
  std::uint64_t frame_bytes() const { return multi_send_frame::control_bytes + unit(); }
  /// Entries of the queue: each packet for which there is room, and as many that return credits.
  std::uint64_t entries(std::uint32_t nodes) const { return 2 * std::uint64_t{nodes} * window; }
  /// Where packets begin, behind the entries, by offset from `queue_at`.
  std::uint64_t packets_at(std::uint32_t nodes) const {
    return (entries(nodes) * 8 + 127) / 128 * 128;
  }
  std::uint64_t queue_bytes(std::uint32_t nodes) const {
    return packets_at(nodes) + std::uint64_t{nodes} * window * unit();
  }
};

/// Where the host finds things in the controller's memory.
struct multi_send_places {
  std::uint64_t frames = 0;
  std::uint64_t sent = 0;  ///< a word: frames that were sent to all their destinations
};

/// NIC-assisted multi-sends (Buntinas et al., CANPC 2000): frames are sent in order, each to one
/// destination after the other; the packet is fetched once. The host has a credit for each
/// destination before it hands a frame over, so that a receiver always has room.
class multi_send_protocol final : public fiber_protocol {
 public:
  enum class message_type : std::uint8_t { packet = 208, credits };

  /// Throws `configuration_error` for what cannot be.
  multi_send_protocol(const multi_send_config& config, const multi_send_costs& costs);

  std::string name() const override { return "multi_send"; }
  std::vector<dispatch_rule> rules() const override;
  std::vector<handler> handlers() override;
  std::vector<message_name> message_names() const override;
  std::uint64_t storage_bytes() const override;
  void initialize(const protocol_storage& where, word_memory& memory) override;

  /// By offset in the controller's memory.
  multi_send_places places() const;

 private:
  multi_send_config config_;
  multi_send_costs costs_;

  void command(handler_context& context);
  void step(handler_context& context);
  void packet(handler_context& context);
  void send_to(handler_context& context, word_t control, std::uint32_t destination,
               payload_handle data) const;
  static word_t destination_of(handler_context& context, std::uint64_t frame, word_t control,
                               std::uint64_t place);
  std::uint64_t oldest_frame(handler_context& context) const;
  std::optional<payload_handle> packet_of(handler_context& context, std::uint64_t frame,
                                          word_t place) const;
  void clear_rest(handler_context& context) const;
  void end_frame(handler_context& context) const;
  void tell_host(handler_context& context, word_t entry, payload_handle data) const;

  std::uint64_t at(std::uint64_t offset) const { return storage_.address + offset; }
  word_t load(handler_context& context, std::uint64_t offset) const;
  void store(handler_context& context, std::uint64_t offset, word_t value) const;
  std::uint64_t frames_at() const;

  protocol_storage storage_;
};

}  // namespace tributary
