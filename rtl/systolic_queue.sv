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
  parameter type                  id_t          = tributary_pkg::id_t,         // of a request
  parameter type                  operation_t   = tributary_pkg::operation_t,  // of a request
  parameter type                  request_t     = tributary_pkg::request_t,    // as on a link
  parameter type                  partner_t     = tributary_pkg::partner_t     // of a pair
) (
  input  logic clk_i,
  input  logic rst_ni,

  // The writer may send one request while ready; it is registered and looks at no address.
  output logic     ready_o,
  input  logic     valid_i,
  input  request_t request_i,
  // At the start of the cycle: nothing may combine.
  input  logic     wait_buffer_full_i,

  // The head, and its partner if it is combined. Release only while valid.
  output logic     head_valid_o,
  output request_t head_o,
  output logic     head_combined_o,
  output partner_t partner_o,
  input  logic     release_i,

  // Events of this cycle: the arrival became an entry; by row of IN from the top, the request there
  // joined a waiting one.
  output logic             event_inserted_o,
  output logic [Slots-1:0] event_combined_o,
  output id_t  [Slots-1:0] event_joined_id_o,
  output id_t  [Slots-1:0] event_joining_id_o
);

  localparam int unsigned CountWidth = $clog2(Slots + 2);
  typedef logic [CountWidth-1:0] count_t;

  // A cell of IN or OUT.
  typedef struct packed {
    logic     valid;
    request_t request;
  } slot_t;

  // A cell of CHUTE: the second request of the pair in its row.
  typedef struct packed {
    logic       valid;
    operation_t operation;
    id_t        id;
  } second_t;

  // The exit cell takes a partner in a coupled queue only, and not as it leaves.
  localparam logic HeadTakes = Coupled != 0;

  // A request goes over from the last row but one at the latest, so IN has one row less than OUT.
  localparam int unsigned InRows = Slots > 1 ? Slots - 1 : 1;

  slot_t   [InRows-1:0] in_d, in_q;
  slot_t   [Slots-1:0]  out_d, out_q, out_left;
  second_t [Slots-1:0]  chute_d, chute_q, chute_left;
  count_t               size_d, size_q, combined_d, combined_q;

  assign ready_o = size_q < count_t'(Slots) &&
                   (AdaptiveLimit == 0 || 32'(combined_q) < AdaptiveLimit);

  // --- match: two comparators a row ---------------------------------------------------------------

  // Of the request in each row of IN with the one beside it in OUT, and with the one that comes down
  // from the row above, which would pass it unseen.
  logic [Slots-1:0] beside, crossing, joins;

  typedef struct packed {
    logic                                 open;  // it may combine
    logic [$bits(request_i.location)-1:0] location;
    form_e                                form;
  } key_t;

  function automatic logic match(key_t climbing, key_t waiting);
    return climbing.open && waiting.open && climbing.location == waiting.location &&
           composes(Forms, waiting.form, climbing.form);
  endfunction

  key_t [InRows-1:0] climbing;
  key_t [Slots-1:0]  waiting;

  for (genvar r = 0; r < InRows; r++) begin : gen_climbing
    assign climbing[r] = '{
            open: in_q[r].valid && in_q[r].request.combinable && !wait_buffer_full_i,
            location: in_q[r].request.location,
            form: in_q[r].request.operation.form
        };
  end
  for (genvar r = 0; r < Slots; r++) begin : gen_waiting
    assign waiting[r] = '{
            open: out_q[r].valid && out_q[r].request.combinable && !chute_q[r].valid &&
                (r != 0 || (HeadTakes && !release_i)),
            location: out_q[r].request.location,
            form: out_q[r].request.operation.form
        };
  end

  for (genvar r = 0; r < Slots; r++) begin : gen_row
    localparam int unsigned Event = Slots - 1 - r;  // the oldest first
    if (r < InRows) begin : gen_beside
      assign beside[r]                 = match(climbing[r], waiting[r]);
      assign event_joining_id_o[Event] = in_q[r].request.id;
    end else begin : gen_above
      assign beside[r]                 = 1'b0;
      assign event_joining_id_o[Event] = '0;
    end
    if (r < Slots - 1) begin : gen_crossing
      assign crossing[r] = release_i && !beside[r] && !beside[r+1] &&
                           match(climbing[r], waiting[r+1]);
      assign event_joined_id_o[Event] = beside[r] ? out_q[r].request.id : out_q[r+1].request.id;
    end else begin : gen_top
      assign crossing[r]              = 1'b0;
      assign event_joined_id_o[Event] = out_q[r].request.id;
    end
    assign joins[r]                = beside[r] || crossing[r];
    assign event_combined_o[Event] = joins[r];
  end

  // CHUTE with the partners of this cycle.
  second_t [InRows-1:0] joining;
  second_t [Slots-1:0]  chute_joined;
  always_comb begin
    chute_joined = chute_q;
    for (int unsigned r = 0; r < InRows; r++) begin
      joining[r] = '{valid: 1'b1, operation: in_q[r].request.operation, id: in_q[r].request.id};
      if (beside[r]) chute_joined[r] = joining[r];
    end
    for (int unsigned r = 0; r + 1 < Slots; r++) begin
      if (crossing[r]) chute_joined[r+1] = joining[r];
    end
  end

  // --- the adder at the exit ----------------------------------------------------------------------

  operation_t first, second, composed;

  compose_unit #(
    .Forms      (Forms & CombiningForms),
    .operation_t(operation_t)
  ) u_compose (
    .first_i   (first),
    .second_i  (second),
    .composed_o(composed)
  );

  // Of the head: what travels on, and what the wait buffer keeps.
  operation_t carried, kept;
  if (HeadTakes) begin : gen_coupled
    assign first   = out_q[0].request.operation;
    assign second  = chute_q[0].operation;
    assign carried = chute_q[0].valid ? composed : out_q[0].request.operation;
    assign kept    = out_q[0].request.operation;
  end else begin : gen_decoupled
    // The pair that moves into the exit cell. That cell holds what travels on in OUT, and in CHUTE
    // the operation of the first request, which the wait buffer keeps.
    if (Slots > 1) begin : gen_behind
      assign first  = out_q[1].request.operation;
      assign second = chute_joined[1].operation;
    end else begin : gen_alone
      assign first  = '0;
      assign second = '0;
    end
    assign carried = out_q[0].request.operation;
    assign kept    = chute_q[0].operation;
  end

  assign head_valid_o    = out_q[0].valid;
  assign head_combined_o = chute_q[0].valid;
  always_comb begin
    head_o           = out_q[0].request;
    head_o.operation = carried;
  end
  assign partner_o = '{id: chute_q[0].id, operation: kept};

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
        out_left[0].request.operation = composed;
        chute_left[0].operation       = first;
      end
    end
  end

  // IN up: each request that still climbs, and the arrival below them. It goes into the lowest free
  // cell of OUT if that is not above its row: the one beside its row, or, as OUT moves down, the one
  // below. At most one goes over in a cycle.
  slot_t [Slots-1:0] raised;
  logic  [Slots-1:0] over_beside, over_below;

  always_comb begin
    raised[0] = '{valid: valid_i, request: request_i};
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
