// SPDX-License-Identifier: Apache-2.0
// fbcopy: copies between the memories of two nodes that the controllers carry out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tributary/controller/fiber_protocol.h>
#include <tributary/protocols/block_transfer/block_transfer_config.h>
#include <tributary/protocols/block_transfer/command.h>
#include <tributary/protocols/block_transfer/portion.h>
#include <tributary/protocols/block_transfer/transfer_record.h>
#include <tributary/protocols/kernel_calls.h>
#include <tributary/protocols/line_states.h>
#include <tributary/protocols/pp_ownership.h>

namespace tributary {

/// The block transfer of FLASH, chapter 5. What caches have of its lines, a `line_states` tells.
///
/// The home of the source sends the lines, one page of the source at a time: an envelope gets a
/// receive record at the destination, the lines follow, and an acknowledgement comes back when the
/// last doubleword is in memory. The flag is incremented at the end. If the
/// home is another node, the request goes there and a completion comes back (FLASH 5.3.2).
class block_transfer_protocol : public fiber_protocol {
 public:
  enum class message_type : std::uint8_t {
    envelope = 32,
    envelope_reply,
    envelope_refused,
    line,
    line_refused,
    page_received,
    delegation,
    delegation_refused,
    completion,
    forward,          ///< to the owner of a source line: send it to the destination, and home
    forward_refused,  ///< from the owner, who does not have the line or no room
    line_back,        ///< the line, home
    fetch,            ///< to the owner: send it home only
    fetched,          ///< the line, home, which sends it on
    drop,             ///< to a node that shares a destination line
    drop_dirty,       ///< to one that owns it
    dropped,          ///< to the destination
    flag_written,     ///< to the flag's home, behind the write-back of its line
    flag_home         ///< from there: the write-back has come
  };

  /// `lines` tells the states of this node's lines and must outlive the protocol. Throws
  /// `configuration_error` for a configuration that cannot work. With `kernel`, which must outlive
  /// it too, virtual addresses are translated, and transfers hold changes of translations off.
  block_transfer_protocol(const block_transfer_config& config, const block_transfer_costs& costs,
                          const pp_ownership_costs& ownership_costs, line_states& lines,
                          const kernel_calls* kernel = nullptr);

  std::string name() const override { return "block_transfer"; }
  std::vector<facility> needs() const override { return {facility::realignment}; }
  std::vector<dispatch_rule> rules() const override;
  std::vector<handler> handlers() override;
  std::vector<message_name> message_names() const override;
  std::uint64_t storage_bytes() const override;
  void initialize(const protocol_storage& where, word_memory& memory) override;

  // What lies in memory, for tests and debuggers.

  /// Transfers that this node was asked for and has not completed (FLASH 4.2.2: hold-off).
  word_t transfers_under_way(const word_memory& memory) const;
  /// Records of both kinds in use, by a bit each.
  word_t state_records_in_use(const word_memory& memory) const;
  word_t receive_records_in_use(const word_memory& memory) const;

 private:
  enum class place : std::uint16_t;

  // Commands of the processor (commands.cpp).
  void log_argument(handler_context& context);
  void log_address(handler_context& context);
  void setup(handler_context& context);
  void begin_sequence(handler_context& context, word_t length);
  void log_virtual(handler_context& context, std::uint64_t argument, word_t address);
  bool is_of_process(handler_context& context, transfer_record& record) const;
  block_transfer_result translate(handler_context& context, transfer_record& record) const;
  block_transfer_result translate_pages(handler_context& context, transfer_record& record,
                                        std::uint64_t first, std::uint64_t further,
                                        std::uint64_t pages) const;
  block_transfer_result translate_address(handler_context& context, transfer_record& record,
                                          std::uint64_t virtual_address, std::uint64_t number,
                                          bool writes) const;
  void forget_sequence(handler_context& context, word_t process);
  std::optional<transfer_record> sequence(handler_context& context) const;
  void commit(handler_context& context, bool is_virtual);
  block_transfer_result verify(handler_context& context, const transfer_record& record) const;
  block_transfer_result verify_form(const transfer_record& record) const;
  block_transfer_result verify_pages(handler_context& context, const transfer_record& record) const;
  block_transfer_result verify_buffer(handler_context& context, const transfer_record& record,
                                      std::uint64_t first, std::uint64_t further) const;
  bool in_range(handler_context& context, std::uint64_t address, std::uint64_t bytes) const;
  bool is_flag(handler_context& context, std::uint64_t address) const;
  void begin(handler_context& context, transfer_record& record);

  // Commands that are being built when translations change (half_built.cpp).
  bool invalidates() const;
  void list_address(handler_context& context, const transfer_record& record,
                    std::uint64_t number) const;
  void unlist_addresses(handler_context& context, const transfer_record& record) const;
  bool is_obsolete(handler_context& context, const transfer_record& record) const;
  bool translations_change(handler_context& context) const;
  block_transfer_result renew(handler_context& context, transfer_record& record) const;
  block_transfer_result translate_again(handler_context& context, transfer_record& record,
                                        std::uint64_t number) const;

  // Envelopes, on both sides (envelopes.cpp).
  void announce(handler_context& context);
  void envelope(handler_context& context);
  void envelope_reply(handler_context& context);
  void envelope_refused(handler_context& context);
  void send_envelope(handler_context& context, transfer_record& record);
  transfer_portion next_portion(const transfer_record& record) const;
  std::uint64_t page_address(const transfer_record& record, std::uint64_t first,
                             std::uint64_t further, std::uint64_t page) const;

  // Sending (sending.cpp).
  void collect(handler_context& context);
  void transfer(handler_context& context);
  void transfer_realigned(handler_context& context);
  void retry(handler_context& context);
  void line_refused(handler_context& context);
  struct sending;
  void transfer_one(handler_context& context, transfer_record& record);
  void send_chunk(handler_context& context, sending& chunk);
  void send_realigned(handler_context& context, sending& chunk, payload_handle scratch);
  void start_line(handler_context& context, sending& chunk, std::size_t slot);
  void send_line(handler_context& context, sending& chunk, std::size_t slot, std::uint64_t dirty);
  void end_invocation(handler_context& context, sending& chunk);
  void end_sending(handler_context& context, transfer_record& record, word_t marks);
  bool resend(handler_context& context, const transfer_record& record, std::uint64_t line);
  bool resend_realigned(handler_context& context, sending& chunk);
  void send_data(handler_context& context, const sending& chunk, std::size_t slot);
  void send_dirty(handler_context& context, sending& chunk, std::size_t slot, std::uint64_t cost);
  void ask_owner(handler_context& context, const sending& chunk, std::size_t slot);
  void mark(sending& chunk, std::size_t slot) const;
  void mark_later(handler_context& context, transfer_record& record, std::uint64_t line);
  void stall(handler_context& context);
  sending begin_sending(handler_context& context, transfer_record& record);

  // Source lines that caches have (cached_lines.cpp).
  bool bring_to_memory(handler_context& context, const transfer_record& record, line_place found,
                       std::uint64_t address, std::uint64_t line);
  void forward(handler_context& context);
  void refuse_forward(handler_context& context);
  void forward_refused(handler_context& context);
  void line_back(handler_context& context);
  void fetch(handler_context& context);
  void fetched(handler_context& context);

  // Receiving (receiving.cpp).
  void receive(handler_context& context);
  void receive_dirty(handler_context& context, record<handler_context>& receiver);
  void receive_owned(handler_context& context, record<handler_context>& receiver);
  void receive_shared(handler_context& context, record<handler_context>& receiver,
                      const line_holders& holders);
  static payload_handle keep_line(handler_context& context);
  void write_awaiting(handler_context& context, record<handler_context>& receiver,
                      payload_handle data);
  void ask_to_drop(handler_context& context, const record<handler_context>& receiver,
                   std::uint64_t address, message_type type, std::uint64_t nodes);
  void count_line(handler_context& context, record<handler_context>& receiver);
  void drop(handler_context& context);
  void dropped(handler_context& context);
  void refuse_to(handler_context& context, node_id sender, std::uint64_t number);
  void page_complete(handler_context& context);
  void refuse_line(handler_context& context, const record<handler_context>& receiver);
  void end_page(handler_context& context, const record<handler_context>& receiver);
  void tell_sender(handler_context& context, const record<handler_context>& receiver,
                   message_type type) const;

  // The end, and transfers for other nodes (completion.cpp).
  void page_received(handler_context& context);
  void flag_update(handler_context& context);
  void flag_owned(handler_context& context);
  void confirm_flag(handler_context& context);
  void flag_written(handler_context& context);
  void flag_home(handler_context& context);
  void increment_flag(handler_context& context, const transfer_record& record,
                      payload_handle data) const;
  void end_transfer(handler_context& context, transfer_record& record) const;
  void delegate(handler_context& context);
  void delegated(handler_context& context);
  void delegation_refused(handler_context& context);
  void complete(handler_context& context);
  void completed(handler_context& context);
  void pack_request(handler_context& context, const transfer_record& record, payload_handle data);
  void unpack_request(handler_context& context, transfer_record& record);

  // Records.
  transfer_record state_record(handler_context& context, std::uint64_t number) const;
  record<handler_context> receive_record(handler_context& context, std::uint64_t number) const;
  /// A free record that leaves `spare` others free, which is in use from now on.
  std::optional<std::uint16_t> take_record(handler_context& context, std::uint64_t vector,
                                           std::uint32_t records, std::uint32_t spare) const;
  void free_record(handler_context& context, std::uint64_t vector, std::uint64_t number) const;
  void free_state_record(handler_context& context, transfer_record& record) const;
  transfer_portion portion_of(const transfer_record& record) const;
  void store_portion(transfer_record& record, const transfer_portion& portion) const;

  // Short forms.
  word_t word_at(handler_context& context, std::uint64_t offset) const;
  void set_word_at(handler_context& context, std::uint64_t offset, word_t value) const;
  handler_id id(place run) const;
  void defer(handler_context& context, const transfer_record& record, place run) const;

  block_transfer_config config_;
  block_transfer_costs costs_;
  pp_ownership ownership_;
  line_states& lines_;
  const kernel_calls* kernel_;
  protocol_storage storage_;
};

}  // namespace tributary
