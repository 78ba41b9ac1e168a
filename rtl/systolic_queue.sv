// SPDX-License-Identifier: Apache-2.0
// The forward queue of a type B switch port in the systolic microarchitecture of Guibas and Liang,
// Snir and Solworth, and Dickey: no associative search, only neighbouring cells are compared. The
// ports are those of combining_queue.sv with one writer, but for the events of joining; the rules
// are those of docs/models/systolic_queue.md; the model is
// models/tributary/network/omega/combining_queue.h with systolic_queue.h.
//
// Row 0 is the exit. OUT holds the oldest requests without a gap from row 0 on and moves down as the
// head leaves. An arrival climbs IN one row a cycle, past all of OUT, and goes over at the top; where
// it meets its match it goes into CHUTE instead, beside it. Coupled, the operations of a pair are
// composed as it leaves; decoupled, as it moves into the exit cell, which keeps the result.
module systolic_queue
  import tributary_pkg::*;
#(
  parameter int unsigned          Slots         = 4,   // requests, plain or combined
  parameter int unsigned          AdaptiveLimit = 0,   // combined requests that fill it; 0: none do
  parameter int unsigned          Coupled       = 0,   // 1: the head may still combine
  parameter logic [FormCount-1:0] Forms         = '1,  // that take part in combining
  parameter int unsigned          LocationWidth = 64,  // module and word address
  parameter int unsigned          DataWidth     = 64,  // of a word
  parameter int unsigned          IdWidth       = 48   // of a request's identity
) (
  input  logic clk_i,
  input  logic rst_ni,

  // The writer may send one request while ready; it is registered and looks at no address.
  output logic                     ready_o,
  input  logic                     valid_i,
  input  logic [LocationWidth-1:0] location_i,
  input  form_e                    form_i,
  input  logic [DataWidth-1:0]     a_i,
  input  logic [DataWidth-1:0]     b_i,
  input  logic [IdWidth-1:0]       id_i,
  input  logic                     combinable_i,
  // At the start of the cycle: nothing may combine.
  input  logic                     wait_buffer_full_i,

  // The head, and its partner if it is combined. Release only while valid.
  output logic                     head_valid_o,
  output logic [LocationWidth-1:0] head_location_o,
  output form_e                    head_form_o,
  output logic [DataWidth-1:0]     head_a_o,
  output logic [DataWidth-1:0]     head_b_o,
  output logic [IdWidth-1:0]       head_id_o,
  output logic                     head_combinable_o,
  output logic                     head_combined_o,
  output logic [IdWidth-1:0]       partner_id_o,
  output form_e                    partner_form_o,
  output logic [DataWidth-1:0]     partner_a_o,
  output logic [DataWidth-1:0]     partner_b_o,
  input  logic                     release_i,

  // Events of this cycle: the arrival became an entry; by row of IN from the top, the request there
  // joined a waiting one.
  output logic                          event_inserted_o,
  output logic [Slots-1:0]              event_combined_o,
  output logic [Slots-1:0][IdWidth-1:0] event_joined_id_o,
  output logic [Slots-1:0][IdWidth-1:0] event_joining_id_o
);

  localparam int unsigned CountWidth = $clog2(Slots + 2);
  typedef logic [CountWidth-1:0] count_t;

  typedef struct packed {
    form_e                form;
    logic [DataWidth-1:0] a;
    logic [DataWidth-1:0] b;
  } operation_t;

  typedef struct packed {
    logic                     valid;
    logic [LocationWidth-1:0] location;
    operation_t               operation;
    logic [IdWidth-1:0]       id;
    logic                     combinable;
  } request_t;

  // A cell of CHUTE: the second request of the pair in its row.
  typedef struct packed {
    logic               valid;
    operation_t         operation;
    logic [IdWidth-1:0] id;
  } partner_t;

  // The exit cell takes a partner in a coupled queue only, and not as it leaves.
  localparam logic HeadTakes = Coupled != 0;

  // A request goes over from the last row but one at the latest, so IN has one row less than OUT.
  localparam int unsigned InRows = Slots > 1 ? Slots - 1 : 1;

  request_t [InRows-1:0] in_d, in_q;
  request_t [Slots-1:0]  out_d, out_q, out_left;
  partner_t [Slots-1:0]  chute_d, chute_q, chute_left;
  count_t               size_d, size_q, combined_d, combined_q;

  assign ready_o = size_q < count_t'(Slots) &&
                   (AdaptiveLimit == 0 || 32'(combined_q) < AdaptiveLimit);

  // --- match: two comparators a row ---------------------------------------------------------------

  // Of the request in each row of IN with the one beside it in OUT, and with the one that comes down
  // from the row above, which would pass it unseen.
  logic [Slots-1:0] beside, crossing, joins;

  typedef struct packed {
    logic                     open;  // it may combine
    logic [LocationWidth-1:0] location;
    form_e                    form;
  } key_t;

  function automatic logic match(key_t climbing, key_t waiting);
    return climbing.open && waiting.open && climbing.location == waiting.location &&
           composes(Forms, waiting.form, climbing.form);
  endfunction

  key_t [InRows-1:0] climbing;
  key_t [Slots-1:0]  waiting;

  for (genvar r = 0; r < InRows; r++) begin : gen_climbing
    assign climbing[r] = '{
            open: in_q[r].valid && in_q[r].combinable && !wait_buffer_full_i,
            location: in_q[r].location,
            form: in_q[r].operation.form
        };
  end
  for (genvar r = 0; r < Slots; r++) begin : gen_waiting
    assign waiting[r] = '{
            open: out_q[r].valid && out_q[r].combinable && !chute_q[r].valid &&
                (r != 0 || (HeadTakes && !release_i)),
            location: out_q[r].location,
            form: out_q[r].operation.form
        };
  end

  for (genvar r = 0; r < Slots; r++) begin : gen_row
    localparam int unsigned Event = Slots - 1 - r;  // the oldest first
    if (r < InRows) begin : gen_beside
      assign beside[r]                 = match(climbing[r], waiting[r]);
      assign event_joining_id_o[Event] = in_q[r].id;
    end else begin : gen_above
      assign beside[r]                 = 1'b0;
      assign event_joining_id_o[Event] = '0;
    end
    if (r < Slots - 1) begin : gen_crossing
      assign crossing[r] = release_i && !beside[r] && !beside[r+1] &&
                           match(climbing[r], waiting[r+1]);
      assign event_joined_id_o[Event] = beside[r] ? out_q[r].id : out_q[r+1].id;
    end else begin : gen_top
      assign crossing[r]              = 1'b0;
      assign event_joined_id_o[Event] = out_q[r].id;
    end
    assign joins[r]                = beside[r] || crossing[r];
    assign event_combined_o[Event] = joins[r];
  end

  // CHUTE with the partners of this cycle.
  partner_t [Slots-1:0] chute_joined;
  always_comb begin
    chute_joined = chute_q;
    for (int unsigned r = 0; r < InRows; r++) begin
      if (beside[r]) begin
        chute_joined[r] = '{valid: 1'b1, operation: in_q[r].operation, id: in_q[r].id};
      end
    end
    for (int unsigned r = 0; r + 1 < Slots; r++) begin
      if (crossing[r]) begin
        chute_joined[r+1] = '{valid: 1'b1, operation: in_q[r].operation, id: in_q[r].id};
      end
    end
  end

  // --- the adder at the exit ----------------------------------------------------------------------

  operation_t first, second, composed;

  compose_unit #(
    .DataWidth(DataWidth),
    .Forms    (Forms & CombiningForms)
  ) u_compose (
    .first_form_i (first.form),
    .first_a_i    (first.a),
    .first_b_i    (first.b),
    .second_form_i(second.form),
    .second_a_i   (second.a),
    .second_b_i   (second.b),
    .form_o       (composed.form),
    .a_o          (composed.a),
    .b_o          (composed.b)
  );

  operation_t head;
  if (HeadTakes) begin : gen_coupled
    assign first          = out_q[0].operation;
    assign second         = chute_q[0].operation;
    assign head           = chute_q[0].valid ? composed : out_q[0].operation;
    assign partner_form_o = out_q[0].operation.form;
    assign partner_a_o    = out_q[0].operation.a;
    assign partner_b_o    = out_q[0].operation.b;
  end else begin : gen_decoupled
    // The pair that moves into the exit cell. That cell holds what travels on in OUT, and in CHUTE
    // the operation of the first request, which the wait buffer keeps.
    if (Slots > 1) begin : gen_behind
      assign first  = out_q[1].operation;
      assign second = chute_joined[1].operation;
    end else begin : gen_alone
      assign first  = '0;
      assign second = '0;
    end
    assign head           = out_q[0].operation;
    assign partner_form_o = chute_q[0].operation.form;
    assign partner_a_o    = chute_q[0].operation.a;
    assign partner_b_o    = chute_q[0].operation.b;
  end

  assign head_valid_o      = out_q[0].valid;
  assign head_location_o   = out_q[0].location;
  assign head_form_o       = head.form;
  assign head_a_o          = head.a;
  assign head_b_o          = head.b;
  assign head_id_o         = out_q[0].id;
  assign head_combinable_o = out_q[0].combinable;
  assign head_combined_o   = chute_q[0].valid;
  assign partner_id_o      = chute_q[0].id;

  // --- the columns move ---------------------------------------------------------------------------

  // OUT and CHUTE down, as the head leaves.
  always_comb begin
    out_left   = out_q;
    chute_left = chute_joined;
    if (release_i) begin
      out_left[Slots-1]   = '0;
      chute_left[Slots-1] = '0;
      for (int unsigned r = 0; r + 1 < Slots; r++) begin
        out_left[r]   = out_q[r+1];
        chute_left[r] = chute_joined[r+1];
      end
      if (!HeadTakes && chute_left[0].valid) begin
        out_left[0].operation   = composed;
        chute_left[0].operation = first;
      end
    end
  end

  // IN up: each request that still climbs, and the arrival below them. It goes into the lowest free
  // cell of OUT if that is not above its row: the one beside its row, or, as OUT moves down, the one
  // below. At most one goes over in a cycle.
  request_t [Slots-1:0] raised;
  logic     [Slots-1:0] over_beside, over_below;

  always_comb begin
    raised[0] = '{
        valid: valid_i,
        location: location_i,
        operation: '{form: form_i, a: a_i, b: b_i},
        id: id_i,
        combinable: combinable_i
    };
    for (int unsigned r = 1; r < Slots; r++) begin
      raised[r]       = in_q[r-1];
      raised[r].valid = in_q[r-1].valid && !joins[r-1];
    end
  end

  for (genvar r = 0; r < Slots; r++) begin : gen_over
    logic from_above;
    if (r == 0) begin : gen_bottom
      assign over_below[r] = 1'b0;
    end else begin : gen_above
      assign over_below[r] = raised[r].valid && !out_left[r-1].valid;
    end
    if (r < Slots - 1) begin : gen_below
      assign from_above = over_below[r+1];
      assign out_d[r]   = over_beside[r] ? raised[r] : from_above ? raised[r+1] : out_left[r];
    end else begin : gen_top
      assign from_above = 1'b0;
      assign out_d[r]   = over_beside[r] ? raised[r] : out_left[r];
    end
    assign over_beside[r] = raised[r].valid && !out_left[r].valid && !over_below[r] && !from_above;
  end

  always_comb begin
    in_d = raised[InRows-1:0];
    for (int unsigned r = 0; r < InRows; r++) begin
      if (over_beside[r] || over_below[r]) in_d[r].valid = 1'b0;
    end
  end
  assign chute_d = chute_left;

  // --- counts -------------------------------------------------------------------------------------

  assign event_inserted_o = valid_i;

  // A request that joins stops being an entry.
  always_comb begin
    size_d     = size_q + count_t'(valid_i) - count_t'(release_i);
    combined_d = combined_q - count_t'(release_i && chute_q[0].valid);
    for (int unsigned r = 0; r < Slots; r++) begin
      size_d     = size_d - count_t'(joins[r]);
      combined_d = combined_d + count_t'(joins[r]);
    end
  end

  always_ff @(posedge clk_i) begin
    in_q       <= in_d;
    out_q      <= out_d;
    chute_q    <= chute_d;
    size_q     <= size_d;
    combined_q <= combined_d;
    if (!rst_ni) begin
      size_q     <= '0;
      combined_q <= '0;
      for (int unsigned r = 0; r < InRows; r++) in_q[r].valid <= 1'b0;
      for (int unsigned r = 0; r < Slots; r++) begin
        out_q[r].valid   <= 1'b0;
        chute_q[r].valid <= 1'b0;
      end
    end
  end

  // The sentence of the model.
  if (Slots < 1 || Slots > 64) begin : gen_bad_slots
    $fatal(1, "Slots: %0d slots for 1 writers of a queue (%s)", Slots,
           "allowed: 1 or 2 writers, and as many slots at least, at most 64");
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      arrival_when_ready: assert (!valid_i || ready_o)
      else $error("systolic_queue: a request arrives while the queue is not ready");
      release_when_valid: assert (!release_i || head_valid_o)
      else $error("systolic_queue: the head is released from an empty queue");
      top_goes_over: assert (!raised[Slots-1].valid || over_beside[Slots-1] || over_below[Slots-1])
      else $error("systolic_queue: a request climbs out of the top");
    end
  end

`ifndef SYNTHESIS
  // Cover points: what tests must have met.
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      inserts: cover (event_inserted_o);
      joins_beside: cover (|beside);
      joins_crossing: cover (|crossing);
      joins_head: cover (joins[0] && beside[0]);
      joins_in_two_rows: cover ((joins & (joins - Slots'(1'b1))) != '0);
      goes_over_beside: cover (|over_beside);
      goes_over_below: cover (|over_below);
      meets_full_wait_buffer: cover (wait_buffer_full_i && valid_i);
      full: cover (size_q == count_t'(Slots));
      adaptive_limit_reached: cover (!ready_o && size_q != count_t'(Slots));
      emptied: cover (release_i && size_d == '0);
      partner_leaves: cover (release_i && head_combined_o);
    end
  end
`endif

endmodule
