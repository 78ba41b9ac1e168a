// SPDX-License-Identifier: Apache-2.0
// The wait buffer of a memory-side port with its decombining unit: partners of combined requests
// until the response returns. Associative on the identity of the first request. Cycle contract,
// rules 4 and 7; the model is models/tributary/network/omega/wait_buffer.h.
module wait_buffer
  import tributary_pkg::*;
#(
  parameter int unsigned          Entries          = 8,   // partners that wait
  parameter int unsigned          ArrivalRegisters = 0,   // 1: a register behind the search
  parameter logic [FormCount-1:0] Forms            = '1,  // that take part in combining
  parameter type                  id_t             = tributary_pkg::id_t,      // of a request
  parameter type                  word_t           = tributary_pkg::word_t,    // of memory
  parameter type                  partner_t        = tributary_pkg::partner_t  // of a pair
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Registered; nothing is inserted in a cycle that begins full.
  output logic     full_o,
  output logic     empty_o,

  // A combined request leaves: its identity, and the partner.
  input  logic     insert_valid_i,
  input  id_t      insert_first_id_i,
  input  partner_t insert_partner_i,

  // A response arrives; a match frees the entry and yields the second response in the same cycle,
  // or, with a register, in the next one, in which the value is read.
  input  logic     response_valid_i,
  input  id_t      response_id_i,
  input  word_t    response_value_i,
  output logic     second_valid_o,
  output id_t      second_id_o,
  output word_t    second_value_o
);

  typedef struct packed {
    id_t      first_id;
    partner_t partner;
  } entry_t;

  entry_t [Entries-1:0] entries_q;
  logic   [Entries-1:0] used_d, used_q, match, freed, free;
  logic                 full_q;

  assign full_o  = full_q;
  assign empty_o = used_q == '0;

  // The lowest free entry.
  assign free = ~used_q & (used_q + Entries'(1'b1));

  // The search does not wait for response_valid_i, which comes late, by way of ready bits; the
  // identity stands in the sender's register.
  partner_t matched;
  always_comb begin
    matched = '0;
    for (int unsigned i = 0; i < Entries; i++) begin
      match[i] = used_q[i] && entries_q[i].first_id == response_id_i;
      if (match[i]) matched |= entries_q[i].partner;
    end
  end

  partner_t partner;
  if (ArrivalRegisters == 0) begin : gen_at_once
    assign freed   = response_valid_i ? match : '0;
    assign partner = matched;
  end else begin : gen_register
    logic [Entries-1:0] match_q;
    partner_t           matched_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) match_q <= '0;
      else match_q <= response_valid_i ? match : '0;
      matched_q <= matched;
    end
    assign freed   = match_q;
    assign partner = matched_q;
  end

  assign second_valid_o = |freed;
  assign second_id_o    = partner.id;

  apply_unit #(
    .DataWidth($bits(word_t)),
    .Forms    (Forms & CombiningForms)
  ) u_decombine (
    .form_i(partner.operation.form),
    .a_i   (partner.operation.a),
    .b_i   (partner.operation.b),
    .word_i(response_value_i),
    .word_o(second_value_o)
  );

  assign used_d = (used_q & ~freed) | (insert_valid_i ? free : '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      used_q <= '0;
      full_q <= 1'b0;
    end else begin
      used_q <= used_d;
      full_q <= &used_d;
    end
    // The lowest free entry follows what could be inserted: whether it is used is all that waits for
    // insert_valid_i, which comes late.
    for (int unsigned i = 0; i < Entries; i++) begin
      if (free[i]) begin
        entries_q[i] <= '{first_id: insert_first_id_i, partner: insert_partner_i};
      end
    end
  end

  // The sentence of the model.
  if (Entries < 1 || Entries > 65535) begin : gen_bad_entries
    $fatal(1, "Entries: %0d is out of range (allowed: 1 to 65535 requests)", Entries);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      insert_when_room: assert (!insert_valid_i || !full_o)
      else $error("wait_buffer: a partner arrives while the buffer is full");
      one_match: assert ((match & (match - Entries'(1'b1))) == '0)
      else $error("wait_buffer: two partners wait for one response");
    end
  end

`ifndef SYNTHESIS
  // Cover points: what tests must have met.
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      inserts: cover (insert_valid_i);
      decombines: cover (second_valid_o);
      decombines_first_entry: cover (freed[0]);
      decombines_last_entry: cover (freed[Entries-1]);
      response_of_one: cover (response_valid_i && match == '0);
      inserts_and_decombines: cover (insert_valid_i && second_valid_o);
      full: cover (full_o);
      full_and_decombines: cover (full_o && second_valid_o);
      emptied: cover (second_valid_o && used_d == '0);
    end
  end
`endif

endmodule
