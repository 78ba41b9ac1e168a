// SPDX-License-Identifier: Apache-2.0
// Properties of the receive engine (rtl/message_interface_receive.sv): it counts each message that
// it serves once, a reply never waits for a request, and memory is reached in mapped pages alone.
//
// One counter of each bank is watched. It is chosen in the first cycle and nothing else is said of
// it, so what is proven of it holds of each. Counters, zeroed bits and translations are kept a
// second time here, from the ports alone.
//
// Pages of 16 bytes and messages of up to three words suffice for what the engine does at the end of
// a page and of a message. Addresses of 7 bits have 8 pages, more than there are translations.
// Counters are of 16 bits, as they are built.
module message_interface_receive_properties
  import message_interface_pkg::*;
#(
  parameter int unsigned  Counters     = 2,
  parameter int unsigned  Translations = 2,
  localparam int unsigned PageBytes    = 16,
  localparam int unsigned PacketBytes  = 24,
  localparam int unsigned AddressWidth = 7,
  localparam int unsigned MemoryWidth  = 6,
  localparam int unsigned PageWidth    = AddressWidth - 4,
  localparam int unsigned PlaceWidth   = MemoryWidth - 4,
  localparam int unsigned EntryWidth   = Translations > 1 ? $clog2(Translations) : 1,
  localparam type         header_t     = struct packed {
    logic                    valid;
    logic [3:0]              kind;
    logic                    everyone;
    logic                    acknowledge;
    logic                    has_local;
    number_t                 local_number;
    logic                    counts;
    counter_command_t        remote;
    logic [5:0]              size;
    logic [3:0]              body_words;
    logic [AddressWidth-1:0] address;
  }
) (
  input logic clk_i,
  input logic rst_ni,

  input number_t watched_i,

  input header_t [1:0] oldest_i,
  input logic          reply_room_i,
  input logic    [1:0] fits_i,
  input logic          memory_ready_i,

  input logic                  fill_valid_i,
  input logic [EntryWidth-1:0] fill_entry_i,
  input logic                  fill_mapped_i,
  input logic [PageWidth-1:0]  fill_page_i,
  input logic [PlaceWidth-1:0] fill_place_i,
  input logic [Counters-1:0]   acknowledge_i,
  input logic                  command_valid_i,
  input counter_command_t      command_i,
  input logic                  sent_valid_i,
  input number_t               sent_number_i,
  input logic [1:0]            retry_i,
  input logic [1:0]            refuse_i
);

  logic                    memory_valid, memory_writes, takes, answers, stores, channel, misses;
  logic                    zero, waits, command_zero;
  logic [MemoryWidth-1:0]  memory_offset;
  logic [1:0]              memory_word;
  logic [3:0]              memory_bytes;
  logic [PageWidth-1:0]    missed_page;
  error_e                  error, command_error, sent_error;
  counter_t [Counters-1:0] local_bank, remote_bank;
  logic     [Counters-1:0] zeroed;

  message_interface_receive #(
    .Counters    (Counters),
    .Translations(Translations),
    .PageBytes   (PageBytes),
    .PacketBytes (PacketBytes),
    .AddressWidth(AddressWidth),
    .MemoryWidth (MemoryWidth),
    .header_t    (header_t)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .oldest_i,
    .reply_room_i,
    .fits_i,
    .memory_valid_o (memory_valid),
    .memory_writes_o(memory_writes),
    .memory_offset_o(memory_offset),
    .memory_word_o  (memory_word),
    .memory_bytes_o (memory_bytes),
    .memory_ready_i,
    .takes_o        (takes),
    .answers_o      (answers),
    .stores_o       (stores),
    .channel_o      (channel),
    .misses_o       (misses),
    .missed_page_o  (missed_page),
    .zero_o         (zero),
    .error_o        (error),
    .waits_o        (waits),
    .fill_valid_i,
    .fill_entry_i,
    .fill_mapped_i,
    .fill_page_i,
    .fill_place_i,
    .acknowledge_i,
    .command_valid_i,
    .command_i,
    .command_zero_o (command_zero),
    .command_error_o(command_error),
    .sent_valid_i,
    .sent_number_i,
    .sent_error_o   (sent_error),
    .retry_i,
    .refuse_i,
    .local_o        (local_bank),
    .remote_o       (remote_bank),
    .zeroed_o       (zeroed)
  );

  logic init_q = 1'b0;
  always_ff @(posedge clk_i) init_q <= 1'b1;

  number_t watched_q;
  always_ff @(posedge clk_i) if (!init_q) watched_q <= watched_i;

  // --- what is served, from the ports ------------------------------------------------------------

  header_t message;
  assign message = oldest_i[channel];

  // A write or an acknowledgement is done with, and was not dropped.
  logic served, counts_local, local_fails, counts_remote;
  assign served = takes && message.kind inside {MessageWrite, MessageAcknowledge} &&
                  error inside {ErrorNone, ErrorUnderflow};
  assign counts_local  = served && message.has_local &&
                         (message.kind == MessageAcknowledge || channel);
  assign counts_remote = served && message.counts && !local_fails;
  always_comb begin
    local_fails = 1'b0;
    for (int unsigned i = 0; i < Counters; i++) begin
      if (counts_local && 32'(message.local_number) == i && local_bank[i] == '0) begin
        local_fails = 1'b1;
      end
    end
  end

  function automatic counter_t loaded(counter_t counter, counter_command_t command);
    return counter == '0 ? command.initial_value : counter;
  endfunction
  function automatic counter_t counted(counter_t counter, counter_command_t command);
    counter_t full;
    full = loaded(counter, command);
    return full == '0 ? '0 : full - counter_t'(1);
  endfunction

  // The watched counters and the bit.
  logic     by_message, by_command, message_zero, command_zero_due, zeroed_q, acknowledged;
  counter_t local_left, local_q, remote_left, remote_q;
  assign by_message       = counts_remote && message.remote.number == watched_q;
  assign by_command       = command_valid_i && command_i.number == watched_q;
  assign remote_left      = by_message ? counted(remote_q, message.remote) : remote_q;
  assign message_zero     = by_message && message.remote.interrupts &&
                            loaded(remote_q, message.remote) == counter_t'(1);
  assign command_zero_due = by_command && command_i.interrupts &&
                            loaded(remote_left, command_i) == counter_t'(1);
  assign local_left = counts_local && message.local_number == watched_q && local_q != '0 ?
                      local_q - counter_t'(1) : local_q;

  counter_t local_watched, remote_watched;
  logic     zeroed_watched;
  always_comb begin
    local_watched  = '0;
    remote_watched = '0;
    zeroed_watched = 1'b0;
    acknowledged   = 1'b0;
    for (int unsigned i = 0; i < Counters; i++) begin
      if (32'(watched_q) == i) begin
        local_watched  = local_bank[i];
        remote_watched = remote_bank[i];
        zeroed_watched = zeroed[i];
        acknowledged   = acknowledge_i[i];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      local_q  <= '0;
      remote_q <= '0;
      zeroed_q <= 1'b0;
    end else begin
      local_q  <= local_left + counter_t'(sent_valid_i && sent_number_i == watched_q);
      remote_q <= by_command ? counted(remote_left, command_i) : remote_left;
      zeroed_q <= (zeroed_q && !acknowledged) || message_zero || command_zero_due;
    end
  end

  // Translations, and what they say of the word that is next.
  logic [Translations-1:0]                 mapped_q;
  logic [Translations-1:0][PageWidth-1:0]  pages_q;
  logic [Translations-1:0][PlaceWidth-1:0] places_q;
  logic [AddressWidth-1:0]                 address;
  logic [PageWidth-1:0]                    page, page_q;
  logic                                    found, found_q, memory_valid_q;
  logic [PlaceWidth-1:0]                   found_place, place_q;
  assign address = message.address + (AddressWidth'(memory_word) << 3);
  assign page    = address[AddressWidth-1:4];
  always_comb begin
    found       = 1'b0;
    found_place = '0;
    for (int unsigned i = 0; i < Translations; i++) begin
      if (!found && mapped_q[i] && pages_q[i] == page) begin
        found       = 1'b1;
        found_place = places_q[i];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Translations; i++) begin
      if (fill_valid_i && 32'(fill_entry_i) == i) begin
        mapped_q[i] <= fill_mapped_i;
        pages_q[i]  <= fill_page_i;
        places_q[i] <= fill_place_i;
      end
    end
    if (!rst_ni) mapped_q <= '0;
    memory_valid_q <= rst_ni && memory_valid;
    page_q         <= page;
    found_q        <= memory_valid ? 1'b1 : found;
    place_q        <= memory_valid ? memory_offset[MemoryWidth-1:4] : found_place;
  end

  // Cycles that the engine was busy without a break and did not wait for memory.
  logic [4:0] busy_q;
  logic       idle;
  assign idle = u_dut.phase_q == PhaseIdle;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || idle) busy_q <= '0;
    else if (!memory_valid || memory_ready_i) busy_q <= busy_q + 5'd1;
  end

  function automatic logic [3:0] words_of(header_t header);
    return 4'(header.size[5:3]) + 4'(header.size[2:0] != '0);
  endfunction
  // Whether it is a header that moves words and with which nothing is wrong.
  function automatic logic is_fair(header_t header);
    return header.kind inside {MessageRead, MessageWrite} && header.size != '0 &&
           32'(header.size) <= PacketBytes && header.size[1:0] == '0 &&
           (header.kind == MessageRead || header.body_words == words_of(header)) &&
           header.address[2:0] == '0 && !(header.kind == MessageRead && header.everyone) &&
           (!header.counts || 32'(header.remote.number) < Counters) &&
           (!header.has_local || 32'(header.local_number) < Counters);
  endfunction

  // --- assumptions -------------------------------------------------------------------------------

  header_t [1:0] oldest_q;
  logic    [1:0] fits_q, taken_q;
  logic          room_q, stored_q, answered_q;
  always_ff @(posedge clk_i) begin
    oldest_q   <= oldest_i;
    fits_q     <= fits_i;
    taken_q    <= takes ? 2'b01 << channel : 2'b00;
    room_q     <= rst_ni && reply_room_i;
    stored_q   <= stores;
    answered_q <= answers;
  end

  always_comb begin
    // The first cycle is a reset, and no other is.
    env_reset: assume (rst_ni == init_q);
  end

  for (genvar c = 0; c < 2; c++) begin : gen_channel
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // A message waits until it is taken.
        env_message_stays: assume (!oldest_q[c].valid || taken_q[c] || oldest_i[c] == oldest_q[c]);
        // The receive buffer loses room only to what the engine stores.
        env_fits: assume (!fits_q[c] || !oldest_q[c].valid || taken_q[c] || stored_q || fits_i[c]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The reply buffer loses room only to what the engine answers.
      env_room: assume (!room_q || answered_q || reply_room_i);
    end
  end

  // --- properties --------------------------------------------------------------------------------

  logic reply_may_begin;
  assign reply_may_begin = oldest_i[1].valid && !u_dut.blocked_q[1] &&
      (oldest_i[1].kind == MessageTagged ? fits_i[1] : reply_room_i ||
       !(oldest_i[1].kind == MessageRead ||
         (oldest_i[1].kind == MessageWrite && oldest_i[1].acknowledge)));

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A remote counter has what the messages that were served and the processor's commands made of
      // it: no count is lost or doubled.
      remote_counts_exact: assert (remote_watched == (32'(watched_q) < Counters ? remote_q : '0));

      // A local counter has what was sent, less what was answered.
      local_counts_exact: assert (local_watched == (32'(watched_q) < Counters ? local_q : '0));

      // Load, operation and interrupt are one step: a message that counts interrupts exactly if the
      // counter, loaded if it was 0, is 1 before it.
      zero_exact: assert (!by_message || zero == (message_zero && 32'(watched_q) < Counters));

      // Nothing but a served message interrupts.
      zero_of_served: assert (!zero || counts_remote);

      // A zero stays until software knows of it.
      zero_kept: assert (32'(watched_q) >= Counters || zeroed_watched == zeroed_q);

      // When the engine is idle, a reply begins, whatever requests wait and however.
      reply_first: assert (!(idle && reply_may_begin) || (channel && !waits));

      // A request in progress is done, or put back, within nine cycles in which it does not wait for
      // memory: a reply waits for no other request.
      request_ends: assert (idle || busy_q < 5'd9);

      // An answer is given only when the reply buffer takes it.
      answer_has_room: assert (!answers || reply_room_i);

      // A message is stored only when the receive buffer has room for it.
      store_has_room: assert (!stores || fits_i[channel]);

      // Memory is reached only for a header with which nothing is wrong.
      hostile_stay_out: assert (!memory_valid || (message.valid && is_fair(message)));

      // A word of memory is that of the page which a translation had when it was looked up.
      page_is_mapped: assert (!memory_valid ||
          (found_q && page == page_q && memory_offset == {place_q, address[3:0]}));

      // Only words of the body move, and no byte beyond it.
      in_body: assert (!memory_valid ||
          32'(memory_word) * 8 + 32'(memory_bytes) <= 32'(message.size));

      // Only a write changes memory.
      only_writes_write: assert (!memory_valid ||
          memory_writes == (message.kind == MessageWrite));

      // A dropped or missed message brings nothing else.
      drop_is_all: assert (!(misses || error inside {ErrorType, ErrorLength, ErrorAddress,
          ErrorCounter, ErrorRefused}) || !(zero || answers || stores || memory_valid));
    end
  end

  // --- helper invariants -------------------------------------------------------------------------

  logic [Translations-1:0] same;
  always_comb begin
    for (int unsigned i = 0; i < Translations; i++) begin
      same[i] = u_dut.translations_q[i].mapped == mapped_q[i] &&
                (!mapped_q[i] || (u_dut.translations_q[i].page == pages_q[i] &&
                                  u_dut.translations_q[i].place == places_q[i]));
    end
  end

  logic served_later, is_tagged, answered, moving;
  assign is_tagged    = message.kind == MessageTagged;
  assign answered     = message.kind == MessageRead ||
                        (message.kind == MessageWrite && message.acknowledge);
  assign moving       = u_dut.phase_q inside {PhaseTranslate, PhaseMove};
  assign served_later = u_dut.phase_q inside {PhaseAnswer, PhaseCount};

  logic [1:0] begun_right;
  always_comb begin
    for (int unsigned c = 0; c < 2; c++) begin
      begun_right[c] = u_dut.moved_q[c] == '0 || (oldest_i[c].valid && is_fair(oldest_i[c]) &&
          (4'(u_dut.moved_q[c]) < words_of(oldest_i[c]) ||
           (served_later && channel == 1'(c) &&
            4'(u_dut.moved_q[c]) == words_of(oldest_i[c]))));
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The TLB holds what software filled.
      helper_translations: assert (&same);
      // A message that is served waits.
      helper_message_waits: assert (idle || message.valid);
      // What began has its place, until it is answered.
      helper_room: assert (idle || is_tagged || !answered || u_dut.phase_q == PhaseCount ||
          reply_room_i);
      // The same of a message for the processor.
      helper_fits: assert (idle || !is_tagged || fits_i[channel]);
      // Only a message for the processor is stored.
      helper_store: assert (u_dut.phase_q != PhaseStore || is_tagged);
      // And no other phase has one.
      helper_not_tagged: assert (!(moving || served_later) || !is_tagged);
      // What moves has a fair header, and a word left.
      helper_moves: assert (!moving || (is_fair(message) &&
          4'(memory_word) < words_of(message)));
      // What was begun and waits has a fair header, and a word left.
      helper_begun: assert (begun_right == '1);
      // What is answered asks for it.
      helper_answer: assert (u_dut.phase_q != PhaseAnswer || answered);
      // A read is not counted.
      helper_count: assert (u_dut.phase_q != PhaseCount ||
          message.kind inside {MessageWrite, MessageAcknowledge});
      // Its counters are there.
      helper_numbers: assert (!served_later ||
          ((!message.counts || 32'(message.remote.number) < Counters) &&
           (!message.has_local || 32'(message.local_number) < Counters)));
      // The word before memory is asked for was looked up.
      helper_looked_up: assert (!memory_valid || (found_q && page == page_q &&
          u_dut.place_q == place_q));
      // The engine is in one of its phases.
      helper_phase: assert (u_dut.phase_q <= PhaseStore);
      // How long it has been busy.
      helper_decode: assert (u_dut.phase_q != PhaseDecode || busy_q == 5'd0);
      // Each word took at most two cycles, before a look-up.
      helper_translate: assert (u_dut.phase_q != PhaseTranslate ||
          busy_q <= 5'd1 + (5'(memory_word) << 1));
      // And before it moves.
      helper_move: assert (u_dut.phase_q != PhaseMove ||
          busy_q <= 5'd2 + (5'(memory_word) << 1));
      // After three words, before an answer.
      helper_answer_time: assert (u_dut.phase_q != PhaseAnswer || busy_q <= 5'd7);
      // Before counting.
      helper_count_time: assert (u_dut.phase_q != PhaseCount || busy_q <= 5'd8);
      // Before storing.
      helper_store_time: assert (u_dut.phase_q != PhaseStore || busy_q <= 5'd1);
    end
  end

  // --- what must be reachable --------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A message and the processor count on one counter in one cycle.
      reached_both_count: cover (by_message && by_command);
      // A counter interrupts, loaded in the same step.
      reached_load_and_zero: cover (zero && by_message && remote_q == '0);
      // A message goes on in a second page.
      reached_second_page: cover (memory_valid && !memory_valid_q && memory_word != '0);
      // The last half of a word is written.
      reached_half_word: cover (memory_valid && memory_writes && memory_bytes == 4'd4);
      // A header asks for a counter beyond the bank.
      reached_bad_counter: cover (error == ErrorCounter);
      // A reply is served while a request waits for its page.
      reached_reply_passes: cover (takes && channel && u_dut.blocked_q[0]);
      // Software gives a message up.
      reached_refused: cover (error == ErrorRefused);
      // A counter underflows.
      reached_underflow: cover (error == ErrorUnderflow);
    end
  end

endmodule
