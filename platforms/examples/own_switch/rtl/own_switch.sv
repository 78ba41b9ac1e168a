// SPDX-License-Identifier: Apache-2.0
// A 2x2 combining switch with the ports of rtl/combining_switch.sv and other insides: rings for
// queues, and one adder where that has a unit for every operation. Type B, decoupled, not adaptive;
// only loads and additions combine.
module own_switch
  import own_pkg::*;
#(
  parameter int unsigned Slots             = 4,
  parameter int unsigned WaitBufferEntries = 8,
  parameter int unsigned LinkCycles        = 2,
  parameter int unsigned ReverseSlots      = 16,
  parameter logic [7:0]  Forms             = 8'd5,  // loads and additions: what there is
  parameter int unsigned Fault             = 0      // see own_queue
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [3:0] route_bit_i,

  output logic     [1:0][1:0] request_ready_o,
  input  logic     [1:0]      request_valid_i,
  input  request_t [1:0]      request_i,

  input  logic     [1:0][1:0] request_ready_i,
  output logic     [1:0]      request_valid_o,
  output request_t [1:0]      request_o,

  output logic      [1:0] response_ready_o,
  input  logic      [1:0] response_valid_i,
  input  response_t [1:0] response_i,

  input  logic      [1:0] response_ready_i,
  output logic      [1:0] response_valid_o,
  output response_t [1:0] response_o,

  output logic idle_o,

  output logic      [1:0]              event_inserted_o,
  output logic      [1:0]              event_combined_o,
  output logic      [1:0][IdWidth-1:0] event_joined_id_o,
  output logic      [1:0][IdWidth-1:0] event_joining_id_o,
  output logic      [1:0]              event_departed_o,
  output logic      [1:0]              event_held_o,
  output logic      [1:0]              event_decombined_o,
  output response_t [1:0]              event_second_o
);

  typedef logic [7:0] timer_t;
  localparam timer_t LinkBusy = timer_t'(LinkCycles - 1);

  if (Forms != 8'd5) begin : gen_bad_forms
    $fatal(1, "Forms: %0d is out of range (allowed: 5, loads and additions)", Forms);
  end

  // --- requests -----------------------------------------------------------------------------------

  logic [1:0] output_of;
  for (genvar i = 0; i < 2; i++) begin : gen_route
    assign output_of[i] = request_i[i].module_number[route_bit_i];
  end

  // By output and input.
  logic [1:0][1:0]              inserted, combined, occupied;
  logic [1:0][1:0][IdWidth-1:0] joined_id;
  logic [1:0]                   pairs_wait, seconds;
  response_t [1:0]              second;

  for (genvar o = 0; o < 2; o++) begin : gen_output
    request_t [1:0] head;
    pair_t    [1:0] pair;
    logic     [1:0] paired, can, leaves;
    logic           room, last_q, which, link_free;
    timer_t         timer_q;

    for (genvar i = 0; i < 2; i++) begin : gen_queue
      logic next_output;
      own_queue #(
        .Slots(Slots),
        .Fault(Fault)
      ) u_queue (
        .clk_i,
        .rst_ni,
        .ready_o          (request_ready_o[i][o]),
        .valid_i          (request_valid_i[i] && output_of[i] == (o != 0)),
        .request_i        (request_i[i]),
        .may_combine_i    (room),
        .head_valid_o     (occupied[o][i]),
        .head_o           (head[i]),
        .head_paired_o    (paired[i]),
        .pair_o           (pair[i]),
        .release_i        (leaves[i]),
        .event_inserted_o (inserted[o][i]),
        .event_combined_o (combined[o][i]),
        .event_joined_id_o(joined_id[o][i])
      );
      // The switch behind routes by the bit below; memory, behind bit 0, takes either.
      assign next_output = route_bit_i != '0 && head[i].module_number[route_bit_i-4'd1];
      assign can[i] = occupied[o][i] && request_ready_i[o][next_output] && !(paired[i] && !room);
    end

    // In turn, as far as both can.
    assign link_free = timer_q == '0;
    assign which     = &can ? !last_q : can[1];
    assign leaves    = {which, !which} & can & {2{link_free}};
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        last_q  <= 1'b1;
        timer_q <= '0;
      end else if (|leaves) begin
        last_q  <= which;
        timer_q <= LinkBusy;
      end else if (!link_free) begin
        timer_q <= timer_q - timer_t'(1);
      end
    end

    assign request_valid_o[o]  = |leaves;
    assign request_o[o]        = head[which];
    assign event_departed_o[o] = |leaves;
    assign event_held_o[o]     = |(leaves & paired);

    // The wait buffer: pairs stay where they are; a new one takes the highest place that is free.
    pair_t [WaitBufferEntries-1:0] pairs_q  /* verilator public_flat_rd */;
    logic  [WaitBufferEntries-1:0] used_q  /* verilator public_flat_rd */;
    logic  [WaitBufferEntries-1:0] match, place;

    always_comb begin
      logic placed;
      placed = 1'b0;
      place  = '0;
      for (int unsigned i = WaitBufferEntries; i > 0; i--) begin
        place[i-1] = !used_q[i-1] && !placed;
        placed     = placed || !used_q[i-1];
      end
    end
    always_comb begin
      second[o] = '0;
      for (int unsigned i = 0; i < WaitBufferEntries; i++) begin
        match[i] = response_valid_i[o] && used_q[i] && pairs_q[i].first == response_i[o].id;
        if (match[i]) begin
          second[o] = '{
              status: response_i[o].status,
              value: response_i[o].value + pairs_q[i].addend,
              id: pairs_q[i].second
          };
        end
      end
    end
    assign room       = !(&used_q);
    assign pairs_wait[o] = |used_q;
    assign seconds[o]    = |match;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) used_q <= '0;
      else used_q <= (used_q & ~match) | (event_held_o[o] ? place : '0);
      for (int unsigned i = 0; i < WaitBufferEntries; i++) begin
        if (event_held_o[o] && place[i]) pairs_q[i] <= pair[which];
      end
    end
  end
  assign event_decombined_o = seconds;
  assign event_second_o     = second;

  for (genvar i = 0; i < 2; i++) begin : gen_events
    assign event_inserted_o[i]   = inserted[output_of[i]][i];
    assign event_combined_o[i]   = combined[output_of[i]][i];
    assign event_joined_id_o[i]  = joined_id[output_of[i]][i];
    assign event_joining_id_o[i] = request_i[i].id;
  end

  // --- responses ----------------------------------------------------------------------------------

  localparam int unsigned PlaceWidth = $clog2(ReverseSlots);
  localparam int unsigned CountWidth = $clog2(ReverseSlots + 1);
  typedef logic [PlaceWidth-1:0] place_t;
  typedef logic [CountWidth-1:0] count_t;

  function automatic place_t after(place_t place);
    return place == place_t'(ReverseSlots - 1) ? '0 : place + place_t'(1);
  endfunction

  // Of each output a response, then the second that it brings.
  response_t [3:0]       returning;
  logic      [3:0]       returns;
  logic      [3:0][15:0] element;  // to which it returns
  for (genvar o = 0; o < 2; o++) begin : gen_returning
    assign returning[2*o]   = response_i[o];
    assign returning[2*o+1] = second[o];
    assign returns[2*o+:2]  = {seconds[o], response_valid_i[o]};
  end
  for (genvar n = 0; n < 4; n++) begin : gen_element
    assign element[n] = returning[n].id[15:0];
  end

  logic [1:0] room_for_four, responses_wait;
  assign response_ready_o = {2{&room_for_four}};

  for (genvar i = 0; i < 2; i++) begin : gen_input
    response_t [ReverseSlots-1:0] ring_d, ring_q  /* verilator public_flat_rd */;
    place_t head_q  /* verilator public_flat_rd */;
    place_t tail_d, tail_q;
    count_t size_d, size_q  /* verilator public_flat_rd */;
    timer_t timer_q;
    logic   leaves;

    assign room_for_four[i]  = size_q + count_t'(4) <= count_t'(ReverseSlots);
    assign responses_wait[i] = size_q != '0;
    assign leaves            = responses_wait[i] && response_ready_i[i] && timer_q == '0;

    always_comb begin
      ring_d = ring_q;
      tail_d = tail_q;
      size_d = size_q - count_t'(leaves);
      for (int unsigned n = 0; n < 4; n++) begin
        if (returns[n] && element[n][route_bit_i] == (i != 0)) begin
          ring_d[tail_d] = returning[n];
          tail_d         = after(tail_d);
          size_d         = size_d + count_t'(1);
        end
      end
    end

    always_ff @(posedge clk_i) begin
      ring_q <= ring_d;
      if (!rst_ni) begin
        head_q  <= '0;
        tail_q  <= '0;
        size_q  <= '0;
        timer_q <= '0;
      end else begin
        if (leaves) head_q <= after(head_q);
        tail_q  <= tail_d;
        size_q  <= size_d;
        timer_q <= leaves ? LinkBusy : timer_q - timer_t'(timer_q != '0);
      end
    end

    assign response_valid_o[i] = leaves;
    assign response_o[i]       = ring_q[head_q];
  end

  assign idle_o = occupied == '0 && pairs_wait == '0 && responses_wait == '0;

endmodule
