// SPDX-License-Identifier: Apache-2.0
// A combining queue as a ring: entries stay where they were written, and a head and a tail move
// round. Loads and additions to one word join in pairs; the head is spared (decoupled).
module own_queue
  import own_pkg::*;
#(
  parameter int unsigned Slots = 4,
  parameter int unsigned Fault = 0   // 1: the search for a match stops at the end of the memory
) (
  input  logic clk_i,
  input  logic rst_ni,

  output logic     ready_o,
  input  logic     valid_i,
  input  request_t request_i,
  input  logic     may_combine_i,  // the wait buffer has room

  output logic     head_valid_o,
  output request_t head_o,
  output logic     head_paired_o,
  output pair_t    pair_o,
  input  logic     release_i,

  output logic               event_inserted_o,
  output logic               event_combined_o,
  output logic [IdWidth-1:0] event_joined_id_o
);

  localparam int unsigned PlaceWidth = Slots > 1 ? $clog2(Slots) : 1;
  localparam int unsigned CountWidth = $clog2(Slots + 1);
  typedef logic [PlaceWidth-1:0] place_t;
  typedef logic [CountWidth-1:0] count_t;

  request_t [Slots-1:0] requests_q  /* verilator public_flat_rd */;
  pair_t    [Slots-1:0] pairs_q  /* verilator public_flat_rd */;
  logic     [Slots-1:0] paired_q  /* verilator public_flat_rd */;
  place_t               head_q  /* verilator public_flat_rd */;
  place_t               tail_q;
  count_t               size_q  /* verilator public_flat_rd */;

  function automatic place_t after(place_t place);
    return place == place_t'(Slots - 1) ? '0 : place + place_t'(1);
  endfunction

  function automatic logic may_join(logic combinable, logic [2:0] form);
    return combinable && (form == Load || form == Add);
  endfunction

  assign ready_o       = size_q != count_t'(Slots);
  assign head_valid_o  = size_q != '0;
  assign head_o        = requests_q[head_q];
  assign head_paired_o = paired_q[head_q];
  assign pair_o        = pairs_q[head_q];

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
      if (!match && count_t'(i) < size_q && !(Fault == 1 && wrapped) && !paired_q[place] &&
          may_join(requests_q[place].combinable, requests_q[place].form) &&
          requests_q[place].module_number == request_i.module_number &&
          requests_q[place].word == request_i.word) begin
        match       = valid_i && may_combine_i && may_join(request_i.combinable, request_i.form);
        match_place = place;
      end
    end
  end

  // What carries on for both.
  request_t first, joint;
  assign first = requests_q[match_place];
  always_comb begin
    joint = first;
    if (request_i.form == Add) begin
      joint.form = Add;
      joint.a    = request_i.a + addend_of(first.form, first.a);
      joint.b    = first.form == Add ? first.b : request_i.b;
    end
  end

  assign event_inserted_o  = valid_i && !match;
  assign event_combined_o  = match;
  assign event_joined_id_o = first.id;

  always_ff @(posedge clk_i) begin
    if (match) begin
      requests_q[match_place] <= joint;
      paired_q[match_place]   <= 1'b1;
      pairs_q[match_place] <= '{
          first: first.id,
          second: request_i.id,
          addend: addend_of(first.form, first.a)
      };
    end else if (valid_i) begin
      requests_q[tail_q] <= request_i;
      paired_q[tail_q]   <= 1'b0;
    end
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      size_q <= '0;
    end else begin
      if (release_i) head_q <= after(head_q);
      if (event_inserted_o) tail_q <= after(tail_q);
      size_q <= size_q + count_t'(event_inserted_o) - count_t'(release_i);
    end
  end

endmodule
