// SPDX-License-Identifier: Apache-2.0
// The receive engine of a message interface between registers, so that every path runs from register
// to register.
module receive_engine_alone
  import message_interface_pkg::*;
#(
  parameter int unsigned  Counters     = 16,  // these are message_interface_receive's
  parameter int unsigned  Translations = 64,
  localparam int unsigned AddressWidth = 64,
  localparam int unsigned MemoryWidth  = 40,
  localparam int unsigned PageBits     = 12,
  localparam int unsigned PageWidth    = AddressWidth - PageBits,
  localparam int unsigned PlaceWidth   = MemoryWidth - PageBits,
  localparam int unsigned EntryWidth   = Translations > 1 ? $clog2(Translations) : 1,
  localparam int unsigned WordWidth    = 3,  // of 32 bytes, in words of 8
  localparam type         in_t         = struct packed {
    header_t [1:0]         oldest;
    logic                  reply_room;
    logic [1:0]            fits;
    logic                  memory_ready;
    logic                  fill_valid;
    logic [EntryWidth-1:0] fill_entry;
    logic                  fill_mapped;
    logic [PageWidth-1:0]  fill_page;
    logic [PlaceWidth-1:0] fill_place;
    logic [Counters-1:0]   acknowledge;
    logic                  command_valid;
    counter_command_t      command;
    logic                  sent_valid;
    number_t               sent_number;
    logic [1:0]            retry;
    logic [1:0]            refuse;
  },
  // What the registers of the engine themselves give is not held again.
  localparam type         out_t        = struct packed {
    logic                   memory_valid;
    logic                   memory_writes;
    logic [MemoryWidth-1:0] memory_offset;
    logic [WordWidth-1:0]   memory_word;
    logic [3:0]             memory_bytes;
    logic                   takes;
    logic                   answers;
    logic                   stores;
    logic                   channel;
    logic                   misses;
    logic [PageWidth-1:0]   missed_page;
    logic                   zero;
    error_e                 error;
    logic                   waits;
    logic                   command_zero;
    error_e                 command_error;
    error_e                 sent_error;
  }
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  in_t                     in_i,
  output out_t                    out_o,
  output counter_t [Counters-1:0] local_o,
  output counter_t [Counters-1:0] remote_o,
  output logic     [Counters-1:0] zeroed_o
);

  in_t  in_q;
  out_t out_d, out_q;

  always_ff @(posedge clk_i) begin
    in_q  <= in_i;
    out_q <= out_d;
  end

  assign out_o = out_q;

  message_interface_receive #(
    .Counters    (Counters),
    .Translations(Translations)
  ) u_receive_engine (
    .clk_i,
    .rst_ni,
    .oldest_i       (in_q.oldest),
    .reply_room_i   (in_q.reply_room),
    .fits_i         (in_q.fits),
    .memory_valid_o (out_d.memory_valid),
    .memory_writes_o(out_d.memory_writes),
    .memory_offset_o(out_d.memory_offset),
    .memory_word_o  (out_d.memory_word),
    .memory_bytes_o (out_d.memory_bytes),
    .memory_ready_i (in_q.memory_ready),
    .takes_o        (out_d.takes),
    .answers_o      (out_d.answers),
    .stores_o       (out_d.stores),
    .channel_o      (out_d.channel),
    .misses_o       (out_d.misses),
    .missed_page_o  (out_d.missed_page),
    .zero_o         (out_d.zero),
    .error_o        (out_d.error),
    .waits_o        (out_d.waits),
    .fill_valid_i   (in_q.fill_valid),
    .fill_entry_i   (in_q.fill_entry),
    .fill_mapped_i  (in_q.fill_mapped),
    .fill_page_i    (in_q.fill_page),
    .fill_place_i   (in_q.fill_place),
    .acknowledge_i  (in_q.acknowledge),
    .command_valid_i(in_q.command_valid),
    .command_i      (in_q.command),
    .command_zero_o (out_d.command_zero),
    .command_error_o(out_d.command_error),
    .sent_valid_i   (in_q.sent_valid),
    .sent_number_i  (in_q.sent_number),
    .sent_error_o   (out_d.sent_error),
    .retry_i        (in_q.retry),
    .refuse_i       (in_q.refuse),
    .local_o,
    .remote_o,
    .zeroed_o
  );

endmodule
