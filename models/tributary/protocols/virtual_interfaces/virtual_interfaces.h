// SPDX-License-Identifier: Apache-2.0
// Firmware of virtual interfaces: queues of processes, of which each reaches its own memory only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tributary/controller/fiber_protocol.h>
#include <tributary/protocols/virtual_interfaces/translation_cache.h>
#include <tributary/protocols/virtual_interfaces/virtual_interface_forms.h>

namespace tributary {

class parameter_set;

/// Who turns addresses of a process into the host's (Banikazemi et al., CANPC 2000).
enum class translation_kind : std::uint8_t {
  host,   ///< AT1: the kernel, when a descriptor is posted through it
  table,  ///< AT2: the firmware, by a table in the interface's memory
  cached  ///< AT3: the firmware, by a table in the host's memory and a cache of it
};

/// How a process gets a descriptor to the firmware.
enum class descriptor_kind : std::uint8_t {
  written,  ///< into the interface's memory, word by word
  fetched   ///< into the host's memory, from where the firmware fetches it
};

/// How the end of a descriptor is told beyond its status.
enum class completion_kind : std::uint8_t {
  entries,  ///< CQ1: an entry of a completion queue
  polled    ///< CQ2: not at all; the host looks at the queues
};

/// Configuration of the firmware.
struct virtual_interfaces_config {
  static constexpr std::uint32_t page_bytes = 4096;

  translation_kind translation = translation_kind::table;
  descriptor_kind descriptors = descriptor_kind::written;
  completion_kind completions = completion_kind::polled;
  std::uint32_t queues = 4;
  std::uint32_t regions = 16;
  std::uint32_t table_entries = 4096;  ///< pages that may be registered, of all regions
  std::uint32_t cache_entries = 1024;
  std::uint32_t cache_ways = 1;
  std::uint32_t packet_bytes = 1536;  ///< of the interface
  std::uint32_t longest = 65536;      ///< message, in bytes
  std::uint64_t pages_at = 0;         ///< of doorbells, in the interface's memory
  std::uint64_t host_table_at = 0;    ///< the table in the host's memory, if translation is cached
  std::uint64_t completions_at = 0;   ///< the completion queue in the host's memory
  std::uint32_t completion_entries = 64;

  void bind(parameter_set& parameters);
  /// Throws `configuration_error`.
  void validate() const;
};

/// What handlers spend, in cycles of 100 ps. None is published: some instructions at 33 MHz each.
struct virtual_interfaces_costs {
  std::uint64_t post = 3000;      ///< of a doorbell that was found
  std::uint64_t check = 1500;     ///< of a descriptor
  std::uint64_t lookup = 900;     ///< of the translation of a page
  std::uint64_t transmit = 6000;  ///< of a packet
  std::uint64_t receive = 6000;   ///< of a packet
  std::uint64_t complete = 1500;  ///< of a descriptor's end

  void bind(parameter_set& parameters);
};

/// Where the kernel finds things, by offset in the interface's memory.
struct virtual_interfaces_places {
  std::uint64_t queues = 0;       ///< records, `queue_record`
  std::uint64_t regions = 0;      ///< records, `region_record`
  std::uint64_t table = 0;        ///< of 4 bytes a page
  std::uint64_t descriptors = 0;  ///< of posts through the kernel: slots of queues, sends first
  std::uint64_t hits = 0;         ///< of the cache of translations
  std::uint64_t misses = 0;
  std::uint64_t dropped = 0;  ///< packets without a receive that was posted
  std::uint64_t refused = 0;  ///< descriptors
};

/// Sends and receives over connected queues. A descriptor is read once and checked before anything
/// moves. So what a process writes into its page reaches no memory but its own regions, and no
/// queue but the other end of its own.
class virtual_interfaces_protocol final : public fiber_protocol {
 public:
  enum class message_type : std::uint8_t { packet = 212, last_packet };
  /// Where a completion queue's reader tells how many it has read: in the page of queue 0.
  static constexpr std::uint64_t read_place = 4088;

  /// Throws `configuration_error`.
  virtual_interfaces_protocol(const virtual_interfaces_config& config,
                              const virtual_interfaces_costs& costs);

  std::string name() const override { return "virtual_interfaces"; }
  std::vector<dispatch_rule> rules() const override;
  std::vector<handler> handlers() override;
  std::vector<message_name> message_names() const override;
  std::uint64_t storage_bytes() const override;
  void initialize(const protocol_storage& where, word_memory& memory) override;

  virtual_interfaces_places places() const;
  const virtual_interfaces_config& config() const { return config_; }

 private:
  /// A descriptor as it was read.
  struct request {
    std::uint64_t address = 0;
    std::uint64_t length = 0;
    std::uint64_t handle = 0;
  };

  void posted(handler_context& context);
  void step(handler_context& context);
  void packet(handler_context& context);

  void post_send(handler_context& context, std::uint64_t queue, word_t slot);
  void post_receive(handler_context& context, std::uint64_t queue, word_t slot);
  request read(handler_context& context, std::uint64_t queue, word_t slot, bool receives);
  static request request_of(word_t first, word_t second);
  static request fetch(handler_context& context, std::uint64_t host);
  static void begin_dma(handler_context& context, std::uint64_t host, std::uint64_t bytes,
                        word_t command);
  descriptor_status check(handler_context& context, std::uint64_t queue, const request& asked);
  descriptor_status check_region(handler_context& context, std::uint64_t queue,
                                 const request& asked);
  std::uint64_t translate(handler_context& context, const request& asked, std::uint64_t offset);
  word_t table_word(handler_context& context, std::uint64_t entry);
  word_t cached_word(handler_context& context, std::uint64_t entry);
  void move(handler_context& context, const request& asked, std::uint64_t offset,
            std::uint64_t bytes, payload_handle data, bool to_host);
  void send_packet(handler_context& context, std::uint64_t queue, const request& asked,
                   std::uint64_t done, payload_handle data);
  void end_send(handler_context& context, std::uint64_t queue, word_t slot, std::uint64_t length,
                descriptor_status status);
  bool is_open(handler_context& context, std::uint64_t queue) const;
  void take_packet(handler_context& context, std::uint64_t queue, word_t coming);
  void end_receive(handler_context& context, std::uint64_t queue, word_t slot,
                   descriptor_status status);
  descriptor_status receive(handler_context& context, std::uint64_t queue, word_t slot);
  void complete(handler_context& context, std::uint64_t queue, bool receives, word_t number,
                word_t status);
  void enter_completion(handler_context& context, std::uint64_t queue, bool receives);

  std::uint64_t own(handler_context& context, std::uint64_t offset) const {
    return context.addresses().address_of(context.here(), 0, offset);
  }
  word_t get(handler_context& context, std::uint64_t offset) const {
    return context.load(own(context, offset));
  }
  void put(handler_context& context, std::uint64_t offset, word_t value) const {
    context.store(own(context, offset), value);
  }
  void count(handler_context& context, std::uint64_t offset) const {
    put(context, offset, get(context, offset) + 1);
  }
  std::uint64_t queue_at(std::uint64_t queue) const {
    return places().queues + queue * queue_record::bytes;
  }
  translation_cache_place cache() const;

  virtual_interfaces_config config_;
  virtual_interfaces_costs costs_;
  protocol_storage storage_;
};

}  // namespace tributary
