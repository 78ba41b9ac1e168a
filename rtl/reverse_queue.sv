// SPDX-License-Identifier: Apache-2.0
// The reverse queue of a processor-side port: first in, first out, responses only. Up to four enter
// in one cycle: from each of two ports a response and its decombined second half. Cycle contract,
// rule 7; the model is models/tributary/network/omega/reverse_queue.h.
module reverse_queue #(
  parameter int unsigned Slots      = 16,  // 5 at least: the four of one cycle, and one that waits
  parameter type         response_t = tributary_pkg::response_t  // as on a link
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Room for four, from registers. Where responses take a register on their way, coming_i is
  // valid_i: what was sent while ready arrives a cycle later, and ready keeps room for it. Else it
  // is 0.
  output logic            ready_o,
  input  logic      [3:0] coming_i,
  // In the order of their numbers; any of them may be left out.
  input  logic      [3:0] valid_i,
  input  response_t [3:0] response_i,

  output logic            head_valid_o,
  output response_t       head_o,
  input  logic            release_i
);

  localparam int unsigned CountWidth = $clog2(Slots + 1);
  localparam int unsigned Banks      = 4;  // arrivals of a cycle
  localparam int unsigned Rows       = (Slots - 1 + Banks - 1) / Banks;
  localparam int unsigned Places     = Banks * Rows;
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [Banks-1:0]      bank_t;  // one bit is set: of a bank, or of a number modulo 4

  // The oldest response lies in a register of its own, which drives the link. The others lie in a
  // ring whose places go round the banks, row by row. So the arrivals of one cycle go to different
  // banks, and a place chooses between what it has and what its bank is given.
  response_t                       head_d, head_q;
  response_t [Rows-1:0][Banks-1:0] ring_d, ring_q;
  count_t                          size_d, size_q;  // with the head
  logic      [Places-1:0]          read_d, read_q;  // the place of the oldest in the ring
  logic      [Rows-1:0]            row_d, row_q;    // of the next place to be written
  bank_t                           bank_d, bank_q;

  // Whether so many responses find room.
  function automatic logic room_for(int unsigned responses);
    return responses <= Slots && size_q <= count_t'(Slots - responses);
  endfunction

  always_comb begin
    ready_o = room_for(4);
    for (int unsigned n = 1; n <= 4; n++) begin
      if (count_t'($countones(coming_i)) == count_t'(n)) ready_o = room_for(4 + n);
    end
  end
  assign head_valid_o = size_q != '0;
  assign head_o       = head_q;

  // The bank so many places on.
  function automatic bank_t onward(bank_t bank, bank_t places);
    onward = '0;
    for (int unsigned n = 0; n < Banks; n++) begin
      if (places[n]) onward |= bank << n | bank >> (Banks - n);
    end
  endfunction

  // Of a set of arrivals, their number modulo 4.
  function automatic bank_t number_of(logic [3:0] arrivals);
    for (int k = 0; k < 4; k++) number_of[k] = 2'($countones(arrivals)) == 2'(k);
  endfunction

  bank_t       arriving;
  bank_t [3:0] earlier;  // before each one
  assign arriving = number_of(valid_i);
  for (genvar n = 0; n < 4; n++) begin : gen_earlier
    assign earlier[n] = number_of(valid_i & ~(4'b1111 << n));
  end

  // Where nothing else is to be the head, the first arrival is. It takes no place in the ring, so
  // the places are counted from one bank earlier on: the second arrival takes the next place.
  logic  to_head;
  bank_t first_bank;
  assign to_head    = size_q == '0 || (size_q == count_t'(1) && release_i);
  assign first_bank = to_head ? onward(bank_q, bank_t'(1) << (Banks - 1)) : bank_q;

  bank_t     [3:0]       bank_of;  // by arrival
  response_t             first;
  bank_t                 written;
  response_t [Banks-1:0] given;    // by bank
  always_comb begin
    first   = '0;
    written = '0;
    given   = '0;
    for (int unsigned n = 0; n < 4; n++) begin
      bank_of[n] = onward(first_bank, earlier[n]);
      if (valid_i[n]) begin
        if (earlier[n][0]) first |= response_i[n];
        if (!(to_head && earlier[n][0])) written |= bank_of[n];
        for (int unsigned b = 0; b < Banks; b++) begin
          if (bank_of[n][b]) given[b] |= response_i[n];
        end
      end
    end
  end

  // Banks before that of the next place are written in the row behind it, which is the next one once
  // the last bank is written.
  bank_t wraps;
  for (genvar b = 0; b < Banks; b++) begin : gen_wraps
    assign wraps[b] = (bank_q & bank_t'((2 << b) - 1)) == '0;
  end

  always_comb begin
    ring_d = ring_q;
    for (int unsigned r = 0; r < Rows; r++) begin
      row_d[r] = written[Banks-1] ? row_q[(r+Rows-1)%Rows] : row_q[r];
      for (int unsigned b = 0; b < Banks; b++) begin
        if (written[b] && (wraps[b] ? row_q[(r+Rows-1)%Rows] : row_q[r])) ring_d[r][b] = given[b];
      end
    end
  end

  response_t oldest;  // in the ring
  logic      read;
  assign read = release_i && !to_head;
  always_comb begin
    oldest = '0;
    for (int unsigned p = 0; p < Places; p++) begin
      if (read_q[p]) oldest |= ring_q[p/Banks][p%Banks];
    end
    head_d = head_q;
    if (to_head) head_d = first;
    else if (read) head_d = oldest;
  end

  assign read_d = read ? {read_q[Places-2:0], read_q[Places-1]} : read_q;
  assign bank_d = valid_i != '0 ? onward(first_bank, arriving) : bank_q;
  assign size_d = size_q + count_t'($countones(valid_i)) - count_t'(release_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      size_q <= '0;
      read_q <= Places'(1);
      row_q  <= Rows'(1);
      bank_q <= bank_t'(1);
    end else begin
      size_q <= size_d;
      read_q <= read_d;
      row_q  <= row_d;
      bank_q <= bank_d;
    end
    head_q <= head_d;
    ring_q <= ring_d;
  end

  // With fewer it may lock up; what the switch of the model allows.
  if (Slots < 5 || Slots > 4096) begin : gen_bad_slots
    $fatal(1, "Slots: %0d responses is out of range (allowed: 5 to 4096 responses)", Slots);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      arrival_when_ready: assert ((valid_i & ~coming_i) == '0 || ready_o)
      else $error("reverse_queue: a response arrives while the queue is not ready");
      arrival_has_room: assert (size_q <= count_t'(Slots) - count_t'($countones(valid_i)))
      else $error("reverse_queue: a response arrives and there is no slot for it");
      release_when_valid: assert (!release_i || head_valid_o)
      else $error("reverse_queue: the head is released from an empty queue");
    end
  end

`ifndef SYNTHESIS
  // Cover points: what tests must have met.
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_arrives: cover (valid_i == 4'b0001);
      four_arrive: cover (&valid_i);
      second_half_alone: cover (valid_i == 4'b1000);
      arrives_into_empty: cover (|valid_i && size_q == '0);
      arrives_as_head_leaves: cover (|valid_i && release_i);
      not_ready: cover (!ready_o);
      full: cover (size_q == count_t'(Slots));
      emptied: cover (release_i && size_d == '0);
    end
  end
`endif

endmodule
