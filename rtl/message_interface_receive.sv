// SPDX-License-Identifier: Apache-2.0
// The receive engine of the language-oriented network interface (Klaiber 1994, 6.3): serves remote
// writes, remote reads and acknowledgements without the processor, with two banks of counters and
// a TLB that software fills. The model is models/tributary/nic/receive_engine.h.
//
// Bodies stay outside: the engine says which word moves between the body and memory. Every phase
// takes a cycle; a word takes one when memory is ready. A request begins only if what it will
// answer has a place. A message whose page has no translation is put back: its channel waits for
// software, the other goes on, and it continues with the word at which it stopped.
//
// Within a cycle the engine acts first, on the registers as they were; then software, in the order
// of its ports. An acknowledged bit that is set anew in the same cycle stays.
module message_interface_receive
  import message_interface_pkg::*;
#(
  parameter int unsigned Counters     = 16,    // in each of the two banks
  parameter int unsigned Translations = 64,    // entries of the TLB
  parameter int unsigned PageBytes    = 4096,  // of a page, a power of two
  parameter int unsigned PacketBytes  = 32,    // greatest body
  parameter int unsigned AddressWidth = 64,    // of a virtual byte address
  parameter int unsigned MemoryWidth  = 40,    // of a byte address in the node's memory
  parameter type         header_t     = message_interface_pkg::header_t,  // of a message
  localparam int unsigned PageBits     = $clog2(PageBytes),
  localparam int unsigned PageWidth    = AddressWidth - PageBits,
  localparam int unsigned PlaceWidth   = MemoryWidth - PageBits,
  localparam int unsigned WordWidth    = $clog2((PacketBytes + 7) / 8 + 1),
  localparam int unsigned EntryWidth   = Translations > 1 ? $clog2(Translations) : 1
) (
  // Reset empties the TLB and sets the counters to 0.
  input  logic clk_i,
  input  logic rst_ni,

  // The oldest message of each channel, requests at 0, replies at 1. It stays until it is taken.
  input  header_t [1:0] oldest_i,
  // The reply buffer takes a message; the receive buffer has room for the channel's message. What
  // there is room for when a message begins stays.
  input  logic          reply_room_i,
  input  logic [1:0]    fits_i,

  // A word to or from memory; what is asked for stays until memory is ready.
  output logic                   memory_valid_o,
  output logic                   memory_writes_o,
  output logic [MemoryWidth-1:0] memory_offset_o,  // in the node's memory
  output logic [WordWidth-1:0]   memory_word_o,    // which of the body
  output logic [3:0]             memory_bytes_o,   // 4 or 8
  input  logic                   memory_ready_i,

  // What the engine does in this cycle.
  output logic                 takes_o,        // the channel's oldest message is done with
  output logic                 answers_o,      // an acknowledgement, or data, to the reply buffer
  output logic                 stores_o,       // the message goes to the receive buffer
  output logic                 channel_o,      // which it begins, or is at
  output logic                 misses_o,       // a page has no translation
  output logic [PageWidth-1:0] missed_page_o,
  output logic                 zero_o,         // the message's remote counter interrupts
  output error_e               error_o,        // why the message is dropped
  output logic                 waits_o,        // nothing happens without a new input

  // Software fills an entry of the TLB.
  input  logic                  fill_valid_i,
  input  logic [EntryWidth-1:0] fill_entry_i,
  input  logic                  fill_mapped_i,  // 0: the entry is emptied
  input  logic [PageWidth-1:0]  fill_page_i,    // virtual
  input  logic [PlaceWidth-1:0] fill_place_i,   // in the node's memory, in pages

  // Software knows of these remote counters that were 0.
  input  logic [Counters-1:0] acknowledge_i,

  // A counter command of the own processor.
  input  logic             command_valid_i,
  input  counter_command_t command_i,
  output logic             command_zero_o,  // it leaves 0 and interrupts
  output error_e           command_error_o,

  // A message was sent that counts on a local counter.
  input  logic    sent_valid_i,
  input  number_t sent_number_i,
  output error_e  sent_error_o,

  // A channel looks for its page again, or gives its message up.
  input  logic [1:0] retry_i,
  input  logic [1:0] refuse_i,

  // What software reads.
  output counter_t [Counters-1:0] local_o,
  output counter_t [Counters-1:0] remote_o,
  output logic     [Counters-1:0] zeroed_o   // interrupted at 0, and software has not said it knows
);

  // The two channels. A reply never waits for a request.
  localparam int unsigned RequestChannel = 0;
  localparam int unsigned ReplyChannel   = 1;

  typedef logic [WordWidth-1:0] word_count_t;

  typedef struct packed {
    logic                  mapped;
    logic [PageWidth-1:0]  page;
    logic [PlaceWidth-1:0] place;
  } translation_t;

  receive_phase_e                  phase_d, phase_q;
  logic                            channel_d, channel_q;
  word_count_t  [1:0]              moved_d, moved_q;  // words of the oldest message
  logic         [1:0]              blocked_d, blocked_q, refused_d, refused_q;
  logic         [PlaceWidth-1:0]   place_d, place_q;  // of the page that was found
  counter_t     [Counters-1:0]     local_d, local_q, remote_d, remote_q;
  logic         [Counters-1:0]     zeroed_d, zeroed_q;
  translation_t [Translations-1:0] translations_q;

  // --- choosing a channel ------------------------------------------------------------------------

  function automatic logic is_answered(logic [3:0] kind, logic acknowledge);
    return kind == MessageRead || (kind == MessageWrite && acknowledge);
  endfunction

  // A bit for a counter of a bank; none beyond it.
  function automatic logic [Counters-1:0] only(number_t number);
    logic [Counters-1:0] bits;
    for (int unsigned i = 0; i < Counters; i++) bits[i] = 32'(number) == i;
    return bits;
  endfunction

  // A counter whose 0 software has not seen yet is not loaded again. Replies wait for nothing.
  logic [1:0] must_wait, begins;
  always_comb begin
    for (int unsigned c = 0; c < 2; c++) begin
      must_wait[c] = c == RequestChannel && oldest_i[c].counts &&
                     (zeroed_q & only(oldest_i[c].remote.number)) != '0;
      if (oldest_i[c].kind == MessageTagged) begin
        begins[c] = fits_i[c];
      end else begin
        begins[c] = (reply_room_i || !is_answered(oldest_i[c].kind, oldest_i[c].acknowledge)) &&
                    !must_wait[c];
      end
      if (!oldest_i[c].valid || blocked_q[c]) begins[c] = 1'b0;
    end
  end

  assign waits_o = phase_q == PhaseIdle && begins == '0;

  // --- the message that is served ----------------------------------------------------------------

  header_t     message;
  word_count_t moved, moved_next;
  logic        answered, last_word;
  assign message    = oldest_i[channel_q];
  assign moved      = moved_q[channel_q];
  assign moved_next = moved + word_count_t'(1);
  assign answered   = is_answered(message.kind, message.acknowledge);

  localparam int unsigned SizeWidth = $bits(message.size);

  logic [SizeWidth-3:0] body_words;
  assign body_words = (SizeWidth-2)'(message.size[SizeWidth-1:3]) +
                      (SizeWidth-2)'(message.size[2:0] != '0);
  assign last_word  = (SizeWidth-2)'(moved_next) == body_words;

  // What is wrong with a header that asks for more than there is.
  logic   reads;
  error_e fault;
  assign reads = message.kind == MessageRead;
  always_comb begin
    if (!reads && message.kind != MessageWrite && message.kind != MessageAcknowledge) begin
      fault = ErrorType;
    end else if (32'(message.size) > PacketBytes || message.size[1:0] != '0 ||
                 (!reads && message.body_words != body_words)) begin
      fault = ErrorLength;
    end else if (message.address[2:0] != '0 || (reads && message.everyone)) begin
      fault = ErrorAddress;
    end else if ((message.counts && 32'(message.remote.number) >= Counters) ||
                 (message.has_local && 32'(message.local_number) >= Counters)) begin
      fault = ErrorCounter;
    end else begin
      fault = ErrorNone;
    end
  end

  // --- its page ----------------------------------------------------------------------------------

  logic [AddressWidth-1:0] address;
  logic                    page_ends;
  assign address   = message.address + (AddressWidth'(moved) << 3);
  assign page_ends = address[PageBits-1:3] == '1;

  // The lowest entry that has the page.
  logic                  found;
  logic [PlaceWidth-1:0] found_place;
  always_comb begin
    found       = 1'b0;
    found_place = '0;
    for (int unsigned i = 0; i < Translations; i++) begin
      if (!found && translations_q[i].mapped &&
          translations_q[i].page == address[AddressWidth-1:PageBits]) begin
        found       = 1'b1;
        found_place = translations_q[i].place;
      end
    end
  end

  assign missed_page_o   = address[AddressWidth-1:PageBits];
  assign memory_valid_o  = phase_q == PhaseMove;
  assign memory_writes_o = message.kind == MessageWrite;
  assign memory_offset_o = {place_q, address[PageBits-1:0]};
  assign memory_word_o   = moved;
  assign memory_bytes_o  = last_word && message.size[2] ? 4'd4 : 4'd8;

  // --- counting ----------------------------------------------------------------------------------

  typedef struct packed {
    counter_t [Counters-1:0] bank;
    logic                    zero;
    error_e                  error;
  } counted_t;

  // Load if 0, count down, and say whether it is 0 then: one step.
  function automatic counted_t count(counter_t [Counters-1:0] bank, counter_command_t command);
    counted_t counted;
    counter_t loaded;
    counted = '{bank: bank, zero: 1'b0, error: ErrorCounter};
    for (int unsigned i = 0; i < Counters; i++) begin
      if (32'(command.number) == i) begin
        loaded = bank[i] == '0 ? command.initial_value : bank[i];
        if (loaded == '0) begin
          counted.error = ErrorUnderflow;
        end else begin
          counted.bank[i] = loaded - counter_t'(1);
          counted.zero    = loaded == counter_t'(1) && command.interrupts;
          counted.error   = ErrorNone;
        end
      end
    end
    return counted;
  endfunction

  // What the message does to the banks, then what software does to what this leaves.
  counter_t [Counters-1:0] local_left, remote_left;
  counted_t                by_message, by_command;
  logic                    counts_local, local_error;

  // An answer counts for who asked; a request's local counter is another node's.
  assign counts_local = phase_q == PhaseCount && message.has_local &&
                        (message.kind == MessageAcknowledge || channel_q == 1'(ReplyChannel));

  always_comb begin
    local_left  = local_q;
    local_error = 1'b0;
    for (int unsigned i = 0; i < Counters; i++) begin
      if (counts_local && 32'(message.local_number) == i) begin
        if (local_q[i] == '0) local_error = 1'b1;
        else local_left[i] = local_q[i] - counter_t'(1);
      end
    end
  end

  logic counts_remote;
  assign counts_remote = phase_q == PhaseCount && message.counts && !local_error;
  assign by_message    = count(remote_q, message.remote);
  assign remote_left   = counts_remote ? by_message.bank : remote_q;
  assign by_command    = count(remote_left, command_i);
  assign remote_d      = command_valid_i ? by_command.bank : remote_left;

  always_comb begin
    local_d = local_left;
    for (int unsigned i = 0; i < Counters; i++) begin
      if (sent_valid_i && 32'(sent_number_i) == i) local_d[i] = local_left[i] + counter_t'(1);
    end
  end

  assign zero_o          = counts_remote && by_message.zero;
  assign command_zero_o  = command_valid_i && by_command.zero;
  assign command_error_o = command_valid_i ? by_command.error : ErrorNone;
  assign sent_error_o = sent_valid_i && 32'(sent_number_i) >= Counters ? ErrorCounter : ErrorNone;

  assign zeroed_d = (zeroed_q & ~acknowledge_i) | (zero_o ? only(message.remote.number) : '0) |
                    (command_zero_o ? only(command_i.number) : '0);

  assign local_o  = local_q;
  assign remote_o = remote_q;
  assign zeroed_o = zeroed_q;

  // --- a cycle -----------------------------------------------------------------------------------

  logic drops;  // decoded, and not served
  assign drops     = phase_q == PhaseDecode && message.kind != MessageTagged &&
                     (refused_q[channel_q] || fault != ErrorNone);
  assign answers_o = phase_q == PhaseAnswer;
  assign stores_o  = phase_q == PhaseStore;
  assign misses_o  = phase_q == PhaseTranslate && !found;
  assign takes_o   = drops || stores_o || (answers_o && reads) || phase_q == PhaseCount;
  assign channel_o = channel_d;

  always_comb begin
    error_o = ErrorNone;
    if (drops) error_o = refused_q[channel_q] ? ErrorRefused : fault;
    else if (local_error) error_o = ErrorUnderflow;
    else if (counts_remote) error_o = by_message.error;
  end

  always_comb begin
    phase_d   = phase_q;
    channel_d = channel_q;
    moved_d   = moved_q;
    blocked_d = blocked_q;
    refused_d = refused_q;
    place_d   = place_q;
    case (phase_q)
      PhaseIdle: begin
        if (begins != '0) begin
          phase_d   = PhaseDecode;
          channel_d = begins[ReplyChannel];
        end
      end
      PhaseDecode: begin
        if (message.kind == MessageTagged) begin
          phase_d = PhaseStore;
        end else if (message.size != '0 && message.kind != MessageAcknowledge) begin
          phase_d = PhaseTranslate;
        end else begin
          phase_d = answered ? PhaseAnswer : PhaseCount;
        end
        if (drops) refused_d[channel_q] = 1'b0;
      end
      PhaseTranslate: begin
        if (found) begin
          phase_d = PhaseMove;
          place_d = found_place;
        end else begin
          phase_d              = PhaseIdle;
          blocked_d[channel_q] = 1'b1;
        end
      end
      PhaseMove: begin
        if (memory_ready_i) begin
          moved_d[channel_q] = moved_next;
          if (last_word) phase_d = answered ? PhaseAnswer : PhaseCount;
          else if (page_ends) phase_d = PhaseTranslate;
        end
      end
      PhaseAnswer: phase_d = PhaseCount;
      default: ;  // it is taken
    endcase
    if (takes_o) begin
      phase_d            = PhaseIdle;
      moved_d[channel_q] = '0;
    end
    // Software.
    blocked_d = blocked_d & ~(retry_i | refuse_i);
    refused_d = refused_d | refuse_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      phase_q   <= PhaseIdle;
      channel_q <= 1'b0;
      moved_q   <= '0;
      blocked_q <= '0;
      refused_q <= '0;
      local_q   <= '0;
      remote_q  <= '0;
      zeroed_q  <= '0;
      for (int unsigned i = 0; i < Translations; i++) translations_q[i].mapped <= 1'b0;
    end else begin
      phase_q   <= phase_d;
      channel_q <= channel_d;
      moved_q   <= moved_d;
      blocked_q <= blocked_d;
      refused_q <= refused_d;
      local_q   <= local_d;
      remote_q  <= remote_d;
      zeroed_q  <= zeroed_d;
      for (int unsigned i = 0; i < Translations; i++) begin
        if (fill_valid_i && 32'(fill_entry_i) == i) begin
          translations_q[i] <= '{mapped: fill_mapped_i, page: fill_page_i, place: fill_place_i};
        end
      end
    end
    place_q <= place_d;
  end

  if (Counters < 1 || Counters > 16) begin : gen_bad_counters
    $fatal(1, "Counters: %0d is out of range (allowed: 1 to 16)", Counters);
  end
  if (Translations < 1 || Translations > 256) begin : gen_bad_translations
    $fatal(1, "Translations: %0d is out of range (allowed: 1 to 256)", Translations);
  end
  if (PageBytes < 16 || 2 ** PageBits != PageBytes) begin : gen_bad_page_bytes
    $fatal(1, "PageBytes: %0d is out of range (allowed: powers of 2 from 16)", PageBytes);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      message_stays: assert (phase_q == PhaseIdle || message.valid)
      else $error("message_interface_receive: the message that is served went away");
      room_stays: assert (phase_q != PhaseAnswer || reply_room_i)
      else $error("message_interface_receive: the reply buffer lost the place of an answer");
      store_room_stays: assert (phase_q != PhaseStore || fits_i[channel_q])
      else $error("message_interface_receive: the receive buffer lost the place of a message");
    end
  end

`ifndef SYNTHESIS
  // Cover points: what tests must have met.
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      begins_reply_first: cover (phase_q == PhaseIdle && begins == '1);
      misses_later_page: cover (misses_o && moved != '0);
      crosses_a_page: cover (phase_q == PhaseTranslate && found && moved != '0);
      stops_at_half_a_word: cover (memory_valid_o && memory_bytes_o == 4'd4);
      waits_for_memory: cover (memory_valid_o && !memory_ready_i);
      waits_for_software: cover (blocked_q == '1);
      waits_for_known_zero: cover (phase_q == PhaseIdle && oldest_i[RequestChannel].valid &&
                                   must_wait[RequestChannel]);
      drops_type: cover (error_o == ErrorType);
      drops_length: cover (error_o == ErrorLength);
      drops_address: cover (error_o == ErrorAddress);
      drops_counter: cover (error_o == ErrorCounter);
      drops_refused: cover (error_o == ErrorRefused);
      underflows: cover (error_o == ErrorUnderflow);
      interrupts: cover (zero_o);
      both_count_on_one: cover (counts_remote && command_valid_i &&
                                command_i.number == message.remote.number);
      both_change_one_local: cover (counts_local && sent_valid_i &&
                                    sent_number_i == message.local_number);
      zero_as_acknowledged: cover ((zeroed_q & acknowledge_i & zeroed_d) != '0);
    end
  end
`endif

endmodule
