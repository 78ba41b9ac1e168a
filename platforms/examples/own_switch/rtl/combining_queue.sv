// SPDX-License-Identifier: Apache-2.0
// A combining queue as a ring, with the ports of rtl/combining_queue.sv and other insides: entries
// stay where they were written, and a head and a tail move round; one adder stands where that has a
// unit for every operation. Loads and additions to one word join in pairs; the head is spared.
module combining_queue
  import tributary_pkg::*;
#(
  parameter int unsigned          Writers       = 1,     // this one and those below: what there is
  parameter int unsigned          Slots         = 4,
  parameter int unsigned          AdaptiveLimit = 0,
  parameter int unsigned          Gradual       = 0,
  parameter int unsigned          Coupled       = 0,
  parameter int unsigned          Ordered       = 0,
  parameter int unsigned          SumAtExit     = 0,
  parameter logic [FormCount-1:0] Forms         = 8'd5,  // loads and additions
  parameter type                  id_t          = tributary_pkg::id_t,
  parameter type                  operation_t   = tributary_pkg::operation_t,
  parameter type                  request_t     = tributary_pkg::request_t,
  parameter type                  partner_t     = tributary_pkg::partner_t
) (
  input  logic clk_i,
  input  logic rst_ni,

  output logic                   ready_o,
  input  logic     [Writers-1:0] coming_i,
  input  logic     [Writers-1:0] valid_i,
  input  request_t [Writers-1:0] request_i,
  input  logic                   wait_buffer_full_i,

  output logic     head_valid_o,
  output request_t head_o,
  output logic     head_combined_o,
  output partner_t partner_o,
  input  logic     release_i,

  output logic [Writers-1:0] event_inserted_o,
  output logic [Writers-1:0] event_combined_o,
  output id_t  [Writers-1:0] event_joined_id_o
);

  if (Writers != 1 || AdaptiveLimit != 0 || Gradual != 0 || Coupled != 0 || Ordered != 0 ||
      SumAtExit != 0 || Forms != 8'd5) begin : gen_bad_parameters
    $fatal(1, "The ring is of type B, decoupled, not adaptive, and combines loads and additions");
  end

  localparam int unsigned PlaceWidth = Slots > 1 ? $clog2(Slots) : 1;
  localparam int unsigned CountWidth = $clog2(Slots + 1);
  typedef logic [PlaceWidth-1:0] place_t;
  typedef logic [CountWidth-1:0] count_t;

  request_t [Slots-1:0] requests_q;
  partner_t [Slots-1:0] partners_q;
  logic     [Slots-1:0] paired_q;
  place_t               head_q, tail_q;
  count_t               size_q;

  function automatic place_t after(place_t place);
    return place == place_t'(Slots - 1) ? '0 : place + place_t'(1);
  endfunction

  assign ready_o         = size_q < count_t'(Slots) - count_t'(coming_i);
  assign head_valid_o    = size_q != '0;
  assign head_o          = requests_q[head_q];
  assign head_combined_o = paired_q[head_q];
  assign partner_o       = partners_q[head_q];

  // The oldest that matches, from behind the head on.
  logic   match;
  place_t match_place;

  always_comb begin
    place_t place;
    logic   wrapped;
    match       = 1'b0;
    match_place = '0;
    place       = head_q;
    wrapped     = 1'b0;
    for (int unsigned i = 1; i < Slots; i++) begin
      place   = after(place);
      wrapped = wrapped || place == '0;
`ifdef OWN_QUEUE_FAULT  // the search stops at the end of the memory
      if (!wrapped && !match &&
`else
      if (!match &&
`endif
          count_t'(i) < size_q && !paired_q[place] && requests_q[place].combinable &&
          composes(Forms, requests_q[place].operation.form, request_i[0].operation.form) &&
          requests_q[place].location == request_i[0].location) begin
        match       = valid_i[0] && !wait_buffer_full_i && request_i[0].combinable;
        match_place = place;
      end
    end
  end

  // What carries on for both.
  operation_t first, joint;
  assign first = requests_q[match_place].operation;
  always_comb begin
    joint = first;
    if (request_i[0].operation.form == FormAdd) begin
      joint.form = FormAdd;
      joint.a    = request_i[0].operation.a;
      if (first.form == FormAdd) joint.a += first.a;
      else joint.b = request_i[0].operation.b;
    end
  end

  assign event_inserted_o  = valid_i && !match;
  assign event_combined_o  = match;
  assign event_joined_id_o = requests_q[match_place].id;

  always_ff @(posedge clk_i) begin
    if (match) begin
      requests_q[match_place].operation <= joint;
      paired_q[match_place]             <= 1'b1;
      partners_q[match_place]           <= '{id: request_i[0].id, operation: first};
    end else if (valid_i[0]) begin
      requests_q[tail_q] <= request_i[0];
      paired_q[tail_q]   <= 1'b0;
    end
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      size_q <= '0;
    end else begin
      if (release_i) head_q <= after(head_q);
      if (event_inserted_o[0]) tail_q <= after(tail_q);
      size_q <= size_q + count_t'(event_inserted_o[0]) - count_t'(release_i);
    end
  end

endmodule
