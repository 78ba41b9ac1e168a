// SPDX-License-Identifier: Apache-2.0
// The forward queue of a switch port, in which waiting requests to one word combine in pairs: the
// parallel microarchitecture, which compares an arrival with every slot at once. Cycle contract,
// rules 1 to 3 and 12; the model is models/tributary/network/omega/combining_queue.h.
//
// Slot 0 is the head. All decisions use the state at the start of the cycle: `ready_o` and the head
// come from registers. Arrivals are compared with the entries where they stand, so that no match
// waits for `release_i`; then the head leaves, then arrivals are inserted in port order. A combined
// request leaves with the composed operation; its partner (the second request's identity, and the
// first's operation) leaves beside it. The two are composed as the second arrives, or as they leave:
// rule 5, at the ports the same.
module combining_queue
  import tributary_pkg::*;
#(
  parameter int unsigned          Writers       = 1,   // inputs: 1 for type B, 2 for type A
  parameter int unsigned          Slots         = 4,   // requests, plain or combined
  parameter int unsigned          AdaptiveLimit = 0,   // combined requests that fill it; 0: none do
  parameter int unsigned          Gradual       = 0,   // 1: the limit follows the combining rate
  parameter int unsigned          Coupled       = 0,   // 1: the head may still combine
  parameter int unsigned          Ordered       = 0,   // 1: one input's requests keep their order
  parameter int unsigned          SumAtExit     = 0,   // 1: a pair is composed as it leaves
  parameter logic [FormCount-1:0] Forms         = '1,  // that take part in combining
  parameter type                  id_t          = tributary_pkg::id_t,         // of a request
  parameter type                  operation_t   = tributary_pkg::operation_t,  // of a request
  parameter type                  request_t     = tributary_pkg::request_t,    // as on a link
  parameter type                  partner_t     = tributary_pkg::partner_t     // of a pair
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Every writer may send one request while ready, which comes from registers and looks at no
  // address. Where requests take a register on their way, coming_i is valid_i: what was sent while
  // ready arrives a cycle later, and ready keeps room for it. Else it is 0.
  output logic                   ready_o,
  input  logic     [Writers-1:0] coming_i,
  input  logic     [Writers-1:0] valid_i,
  input  request_t [Writers-1:0] request_i,
  // At the start of the cycle: nothing may combine.
  input  logic                   wait_buffer_full_i,

  // The head, and its partner if it is combined. Release only while valid.
  output logic     head_valid_o,
  output request_t head_o,
  output logic     head_combined_o,
  output partner_t partner_o,
  input  logic     release_i,

  // Events of this cycle, by writer: the arrival became an entry, or joined the one of this
  // identity.
  output logic [Writers-1:0] event_inserted_o,
  output logic [Writers-1:0] event_combined_o,
  output id_t  [Writers-1:0] event_joined_id_o
);

  localparam int unsigned CountWidth = $clog2(Slots + 1);
  typedef logic [CountWidth-1:0] count_t;

  typedef struct packed {
    request_t           request;
    logic               combined;
    logic [Writers-1:0] sealed;    // looks taken to these inputs
    partner_t           partner;
  } entry_t;

  entry_t [Slots-1:0] entries_d, entries_q, entries_sealed;
  logic   [Slots-1:0] used_d, used_q;  // of the entries that are there, from slot 0 on
  count_t             combined_d, combined_q;

  // Whether so many slots are free.
  function automatic logic room_for(int unsigned requests);
    return requests <= Slots && !used_q[Slots-requests];
  endfunction

  logic room, below_limit;
  always_comb begin
    room = room_for(Writers);
    for (int unsigned n = 1; n <= Writers; n++) begin
      if (count_t'($countones(coming_i)) == count_t'(n)) room = room_for(Writers + n);
    end
  end
  assign ready_o = room && below_limit;

  assign head_valid_o    = used_q[0];
  assign head_combined_o = entries_q[0].combined;

  // Entries that are there and do not leave in this cycle.
  logic [Slots-1:0] stays;
  for (genvar i = 0; i < Slots; i++) begin : gen_stays
    assign stays[i] = used_q[i] && !(i == 0 && release_i);
  end

  // Match: the oldest entry of those that qualify, one bit per slot. Decoupled, the head is spared
  // whether or not it leaves; coupled, only in the cycle in which it does. The second writer sees a
  // partner that the first takes as taken. A writer sees the seals of its own input only, so none
  // of this cycle.
  logic [Writers-1:0][Slots-1:0] match;

  for (genvar w = 0; w < Writers; w++) begin : gen_match
    logic [Slots-1:0] taken, qualifies, oldest;

    if (w == 0) begin : gen_first
      assign taken = '0;
    end else begin : gen_second
      assign taken = gen_match[0].oldest;
    end
    for (genvar i = 0; i < Slots; i++) begin : gen_slot
      assign qualifies[i] = valid_i[w] && request_i[w].combinable && !wait_buffer_full_i &&
                            stays[i] && (Coupled != 0 || i != 0) &&
                            entries_q[i].request.location == request_i[w].location &&
                            entries_q[i].request.combinable && !entries_q[i].combined &&
                            !taken[i] && !(Ordered != 0 && entries_q[i].sealed[w]) &&
                            composes(Forms, entries_q[i].request.operation.form,
                                     request_i[w].operation.form);
    end
    assign oldest   = qualifies & (~qualifies + Slots'(1'b1));
    assign match[w] = oldest;
  end

  // Adaptive: so many combined requests fill the queue.
  if (Gradual == 0) begin : gen_crude
    assign below_limit = AdaptiveLimit == 0 || 32'(combined_q) < AdaptiveLimit;
  end else begin : gen_gradual
    // The combining rate in 256ths, an exponential mean over arrivals of weight 1/16, lowers the
    // limit step by step, from the highest, which a queue with room never holds, to AdaptiveLimit.
    localparam int unsigned Highest      = Slots - Writers + 1;
    localparam int unsigned Steps        = Highest > AdaptiveLimit ? Highest - AdaptiveLimit : 0;
    localparam int unsigned Parts        = Steps != 0 ? Steps : 1;
    localparam int unsigned HighestUntil = 32;   // rates, in 256ths
    localparam int unsigned LowestFrom   = 104;
    typedef logic [7:0] rate_t;
    rate_t rate_d, rate_q;

    always_comb begin
      rate_d = rate_q;
      for (int unsigned w = 0; w < Writers; w++) begin
        if (|match[w]) rate_d = rate_d + rate_t'((9'd256 - 9'(rate_d)) >> 4);
        else if (valid_i[w]) rate_d = rate_d - rate_t'((9'(rate_d) + 9'd15) >> 4);
      end
    end

    count_t limit;
    always_comb begin
      limit = count_t'(Highest);
      for (int unsigned step = 1; step <= Steps; step++) begin
        if (32'(rate_q) >= HighestUntil + (LowestFrom - HighestUntil) * step / Parts) begin
          limit = limit - count_t'(1);
        end
      end
    end
    assign below_limit = combined_q < limit;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) rate_q <= '0;
      else rate_q <= rate_d;
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        limit_falls: cover (limit != count_t'(Highest));
        limit_is_lowest: cover (Steps != 0 && limit == count_t'(Highest - Steps));
      end
    end
`endif
  end

  // The entry that each writer joins. From then on it holds the joint operation and beside it the
  // first's; or, where the sum is formed at the exit, the first's and beside it the second's.
  request_t   [Writers-1:0] joined;
  operation_t [Writers-1:0] held, beside;

  for (genvar w = 0; w < Writers; w++) begin : gen_joined
    always_comb begin
      joined[w] = '0;
      for (int unsigned i = 0; i < Slots; i++) begin
        if (match[w][i]) joined[w] |= entries_q[i].request;
      end
    end
  end

  // Of the head: what travels on, and what the wait buffer keeps.
  operation_t carried, kept;
  always_comb begin
    head_o           = entries_q[0].request;
    head_o.operation = carried;
  end
  assign partner_o = '{id: entries_q[0].partner.id, operation: kept};

  if (SumAtExit == 0) begin : gen_sum_on_arrival
    for (genvar w = 0; w < Writers; w++) begin : gen_compose
      compose_unit #(
        .Forms      (Forms & CombiningForms),
        .operation_t(operation_t)
      ) u_compose (
        .first_i   (joined[w].operation),
        .second_i  (request_i[w].operation),
        .composed_o(held[w])
      );
      assign beside[w] = joined[w].operation;
    end
    assign carried = entries_q[0].request.operation;
    assign kept    = entries_q[0].partner.operation;
  end else begin : gen_sum_at_exit
    for (genvar w = 0; w < Writers; w++) begin : gen_keep
      assign held[w]   = joined[w].operation;
      assign beside[w] = request_i[w].operation;
    end

    compose_unit #(
      .Forms      (Forms & CombiningForms),
      .operation_t(operation_t)
    ) u_compose (
      .first_i   (entries_q[0].request.operation),
      .second_i  (entries_q[0].partner.operation),
      .composed_o(carried)
    );
    assign kept = entries_q[0].request.operation;
  end

  // Whether slot i is the one that matches, or lies behind it.
  function automatic logic reached(logic [Slots-1:0] matching, int unsigned i);
    reached = 1'b0;
    for (int unsigned j = 0; j < Slots; j++) reached |= j <= i && matching[j];
  endfunction

  // Where the entries stand, those older than the place that an arrival takes are sealed for its
  // input. It takes the place of the entry that it joins, or one behind them all.
  always_comb begin
    entries_sealed = entries_q;
    for (int unsigned w = 0; w < Writers; w++) begin
      for (int unsigned i = 0; i < Slots; i++) begin
        if (Ordered != 0 && valid_i[w] && !reached(match[w], i) &&
            entries_q[i].request.location == request_i[w].location) begin
          entries_sealed[i].sealed[w] = 1'b1;
        end
      end
    end
  end

  // Then the head leaves, and those that joined none are inserted behind what is left, in port
  // order. By writer: the slot that it takes if it is inserted, and the one of the entry it joins.
  logic [Writers-1:0]            inserts, has_place;
  logic [Slots-1:0]              left;
  logic [Writers-1:0][Slots-1:0] place, join_place;
  assign left = release_i ? used_q >> 1 : used_q;
  for (genvar w = 0; w < Writers; w++) begin : gen_insert
    logic [Slots-1:0] taken;
    if (w == 0) begin : gen_first
      assign taken = left;
    end else begin : gen_second
      assign taken = inserts[0] ? left << 1 | Slots'(1'b1) : left;
    end
    assign place[w]      = ~taken & (taken << 1 | Slots'(1'b1));
    assign has_place[w]  = place[w] != '0;
    assign inserts[w]    = valid_i[w] && match[w] == '0;
    assign join_place[w] = release_i ? match[w] >> 1 : match[w];
  end

  always_comb begin
    entries_d  = entries_sealed;
    used_d     = left;
    combined_d = combined_q;
    if (release_i) begin
      for (int unsigned i = 0; i + 1 < Slots; i++) entries_d[i] = entries_sealed[i+1];
      if (entries_q[0].combined) combined_d = combined_d - count_t'(1);
    end
    for (int unsigned w = 0; w < Writers; w++) begin
      if (match[w] != '0) combined_d = combined_d + count_t'(1);
      for (int unsigned i = 0; i < Slots; i++) begin
        if (inserts[w] && place[w][i]) begin
          used_d[i]            = 1'b1;
          entries_d[i]         = '0;  // its partner's operation, too: the identity
          entries_d[i].request = request_i[w];
          // The second of this cycle passes the first.
          for (int unsigned later = w + 1; later < Writers; later++) begin
            entries_d[i].sealed[later] = Ordered != 0 && inserts[later] &&
                                         request_i[later].location == request_i[w].location;
          end
        end
      end
    end
    // Last, because the sum comes last. No slot is both inserted into and joined.
    for (int unsigned w = 0; w < Writers; w++) begin
      for (int unsigned i = 0; i < Slots; i++) begin
        if (join_place[w][i]) begin
          entries_d[i].combined          = 1'b1;
          entries_d[i].request.operation = held[w];
          entries_d[i].partner           = '{id: request_i[w].id, operation: beside[w]};
        end
      end
    end
  end

  always_comb begin
    event_inserted_o = inserts;
    for (int unsigned w = 0; w < Writers; w++) begin
      event_combined_o[w]  = match[w] != '0;
      event_joined_id_o[w] = joined[w].id;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      used_q     <= '0;
      combined_q <= '0;
    end else begin
      used_q     <= used_d;
      combined_q <= combined_d;
    end
    entries_q <= entries_d;
  end

  // The sentence of the model.
  if (Writers < 1 || Writers > 2 || Slots < Writers || Slots > 64) begin : gen_bad_slots
    $fatal(1, "Slots: %0d slots for %0d writers of a queue (%s)", Slots, Writers,
           "allowed: 1 or 2 writers, and as many slots at least, at most 64");
  end
  if (SumAtExit > 1) begin : gen_bad_sum
    $fatal(1, "SumAtExit: %0d is out of range (allowed: 0 or 1)", SumAtExit);
  end
  if (Gradual != 0 && AdaptiveLimit == 0) begin : gen_bad_gradual
    $fatal(1, "Gradual: gradual without a limit (%s)",
           "allowed: gradual with an adaptive_limit, and parallel");
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      arrival_when_ready: assert ((valid_i & ~coming_i) == '0 || ready_o)
      else $error("combining_queue: a request arrives while the queue is not ready");
      arrival_has_room: assert (((inserts & ~has_place)) == '0)
      else $error("combining_queue: a request arrives and there is no slot for it");
      release_when_valid: assert (!release_i || head_valid_o)
      else $error("combining_queue: the head is released from an empty queue");
    end
  end

`ifndef SYNTHESIS
  // Cover points: what tests must have met.
  for (genvar w = 0; w < Writers; w++) begin : gen_cover
    logic [Slots-1:0] same_word, has_partner, is_sealed;
    logic             joins, joins_next;
    assign joins      = |match[w];
    assign joins_next = Slots > 1 && match[w][Slots>1?1:0];  // the head of the next cycle
    for (genvar i = 0; i < Slots; i++) begin : gen_slot
      assign same_word[i]   = valid_i[w] && request_i[w].combinable && stays[i] &&
                              entries_q[i].request.location == request_i[w].location &&
                              entries_q[i].request.combinable;
      assign has_partner[i] = same_word[i] && entries_q[i].combined;
      assign is_sealed[i]   = same_word[i] && entries_q[i].sealed[w] && !has_partner[i];
    end

    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        inserts: cover (event_inserted_o[w]);
        joins_head: cover (match[w][0]);
        joins_new_head: cover (joins_next && release_i);
        // The last slot that is taken while the queue is ready.
        joins_last_slot: cover (Slots > Writers && (match[w] >> (Slots - 1 - Writers)) != '0);
        joins_as_head_leaves: cover (joins && release_i && !joins_next);
        head_is_spared: cover (same_word[0] && !has_partner[0] && Coupled == 0);
        meets_a_pair: cover (|has_partner && !joins);
        passes_a_pair: cover (|has_partner && joins);
        meets_a_seal: cover (Ordered != 0 && |is_sealed && !joins);
        passes_a_seal: cover (Ordered != 0 && |is_sealed && joins);
        meets_another_form: cover (|(same_word & ~has_partner) && !joins && !wait_buffer_full_i);
        meets_full_wait_buffer: cover (|(same_word & ~has_partner) && wait_buffer_full_i);
        may_not_combine: cover (valid_i[w] && !request_i[w].combinable);
      end
    end
  end
  if (Writers == 2) begin : gen_cover_pair
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        both_insert: cover (&event_inserted_o);
        both_join: cover (&event_combined_o);
        both_meet_one_entry: cover (event_combined_o == 2'b01 && valid_i[1] &&
                                    request_i[0].location == request_i[1].location);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      full: cover (used_q[Slots-Writers]);
      adaptive_limit_reached: cover (room && !below_limit);
      emptied: cover (release_i && used_d == '0);
      moves_on: cover (release_i && |event_inserted_o);
      partner_leaves: cover (release_i && head_combined_o);
    end
  end
`endif

endmodule
