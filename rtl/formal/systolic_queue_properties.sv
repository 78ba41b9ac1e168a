// SPDX-License-Identifier: Apache-2.0
// Properties of the systolic queue (rtl/systolic_queue.sv; docs/models/systolic_queue.md), and,
// with Parallel = 1, of the parallel queue of type B (rtl/combining_queue.sv with one writer; cycle
// contract, rules 1 to 3) in its place. What both promise at their ports is one text for both; what
// the systolic one promises besides stands at the end.
//
// Two requests are watched, `First` and `Second`, by identities that are chosen in the first cycle
// and of which nothing else is said; so what is proven of them holds of every request, and of every
// two. What is inside is kept here from the ports alone: how many requests take a slot, how many
// are pairs, how many wait before each of the two. Who joins whom, and in which row, is taken from
// the events, and the events are held to what leaves.
//
// Identities of 3 bits suffice: the queue carries them and compares none, and the properties tell
// apart the first, the second and others. Locations of 2 bits suffice: the queue compares them for
// equality only, and no property speaks of more than two and a third. Operands of 3 bits suffice:
// the queue carries them to the unit that composes, which has a proof of its own, at 3 bits too
// (compose_unit_properties.sv).
module systolic_queue_properties
  import tributary_pkg::*;
  import operation_values_pkg::*;
#(
  parameter int unsigned          Parallel      = 0,  // 1: combining_queue in its place
  parameter int unsigned          Slots         = 4,
  parameter int unsigned          AdaptiveLimit = 0,
  parameter int unsigned          Coupled       = 0,
  parameter int unsigned          SumAtExit     = 0,  // of the parallel queue
  parameter logic [FormCount-1:0] Forms         = '1,
  parameter int unsigned          LocationWidth = 2,
  parameter int unsigned          DataWidth     = 3,
  parameter int unsigned          IdWidth       = 3,
  localparam type                 word_t        = logic [DataWidth-1:0],
  localparam type                 id_t          = logic [IdWidth-1:0],
  localparam type                 operation_t   = struct packed {
    form_e form;
    word_t a;
    word_t b;
  },
  localparam type                 request_t     = struct packed {
    logic [LocationWidth-1:0] location;
    operation_t               operation;
    id_t                      id;
    logic                     combinable;
  },
  localparam type                 partner_t     = struct packed {
    id_t        id;
    operation_t operation;
  }
) (
  input logic clk_i,
  input logic rst_ni,

  // The two identities that are watched, and the word in memory of which values are compared.
  input id_t   [1:0] watched_i,
  input word_t       word_i,

  input logic     valid_i,
  input request_t request_i,
  input logic     wait_buffer_full_i,
  input logic     release_i
);

  localparam int unsigned First  = 0;
  localparam int unsigned Second = 1;
  // Requests that may join in one cycle; places that hold a request and take a slot.
  localparam int unsigned Events = Parallel != 0 ? 1 : Slots;
  localparam int unsigned InRows = Slots > 1 ? Slots - 1 : 1;
  localparam int unsigned Places = Parallel != 0 ? Slots : Slots + InRows;

  typedef logic [$clog2(2*Slots+1)-1:0] count_t;  // up to the places

  // What the block keeps in one place.
  typedef struct packed {
    logic     valid;
    request_t request;
    logic     paired;    // it has a partner
    logic     composed;  // the request carries the operation of both, the partner the first's
    partner_t partner;
  } place_t;

  function automatic word_t value(operation_t operation, word_t x);
    return word_t'(value_after(DataWidth, operation.form, value_t'(operation.a),
                               value_t'(operation.b), value_t'(x)));
  endfunction

  logic     ready, head_valid, head_combined, inserted;
  request_t head;
  partner_t partner;

  logic [Events-1:0] joins;
  id_t  [Events-1:0] joined_id, joining_id;

  place_t [Places-1:0] places;  // the oldest first

  if (Parallel == 0) begin : gen_systolic
    systolic_queue #(
      .Slots        (Slots),
      .AdaptiveLimit(AdaptiveLimit),
      .Coupled      (Coupled),
      .Forms        (Forms),
      .id_t         (id_t),
      .operation_t  (operation_t),
      .request_t    (request_t),
      .partner_t    (partner_t)
    ) u_dut (
      .clk_i,
      .rst_ni,
      .ready_o           (ready),
      .valid_i,
      .request_i,
      .wait_buffer_full_i,
      .head_valid_o      (head_valid),
      .head_o            (head),
      .head_combined_o   (head_combined),
      .partner_o         (partner),
      .release_i,
      .event_inserted_o  (inserted),
      .event_combined_o  (joins),
      .event_joined_id_o (joined_id),
      .event_joining_id_o(joining_id)
    );

    for (genvar r = 0; r < Slots; r++) begin : gen_out
      assign places[r] = '{
              valid: u_dut.out_q[r].valid,
              request: u_dut.out_q[r].request,
              paired: u_dut.chute_q[r].valid,
              composed: Coupled == 0 && r == 0 && u_dut.chute_q[r].valid,
              partner: '{id: u_dut.chute_q[r].id, operation: u_dut.chute_q[r].operation}
          };
    end
    for (genvar r = 0; r < InRows; r++) begin : gen_in
      assign places[Slots+InRows-1-r] = '{
              valid: u_dut.in_q[r].valid,
              request: u_dut.in_q[r].request,
              paired: 1'b0,
              composed: 1'b0,
              partner: '0
          };
    end
  end else begin : gen_parallel
    combining_queue #(
      .Writers      (1),
      .Slots        (Slots),
      .AdaptiveLimit(AdaptiveLimit),
      .Coupled      (Coupled),
      .SumAtExit    (SumAtExit),
      .Forms        (Forms),
      .id_t         (id_t),
      .operation_t  (operation_t),
      .request_t    (request_t),
      .partner_t    (partner_t)
    ) u_dut (
      .clk_i,
      .rst_ni,
      .ready_o          (ready),
      .coming_i         ('0),
      .valid_i,
      .request_i,
      .wait_buffer_full_i,
      .head_valid_o     (head_valid),
      .head_o           (head),
      .head_combined_o  (head_combined),
      .partner_o        (partner),
      .release_i,
      .event_inserted_o (inserted),
      .event_combined_o (joins),
      .event_joined_id_o(joined_id)
    );
    assign joining_id[0] = request_i.id;

    for (genvar i = 0; i < Slots; i++) begin : gen_slot
      assign places[i] = '{
              valid: u_dut.used_q[i],
              request: u_dut.entries_q[i].request,
              paired: u_dut.used_q[i] && u_dut.entries_q[i].combined,
              composed: SumAtExit == 0 && u_dut.entries_q[i].combined,
              partner: u_dut.entries_q[i].partner
          };
    end
  end

  // --- what is inside, from the ports ------------------------------------------------------------

  logic init_q = 1'b0;
  always_ff @(posedge clk_i) init_q <= 1'b1;

  id_t [1:0] watched_q;
  word_t     word_q;
  always_ff @(posedge clk_i) begin
    if (!init_q) begin
      watched_q <= watched_i;
      word_q    <= word_i;
    end
  end

  // Of this cycle, for each watched request: it arrives, joins another, is joined, leaves as head,
  // leaves as the head's partner. Then both at once, and the events that name the first.
  logic [1:0] arrives, joins_another, is_joined, is_head, leaves, leaves_as_partner;
  logic       they_join;
  count_t     names_first, joins_now;
  always_comb begin
    joins_another = '0;
    is_joined     = '0;
    they_join     = 1'b0;
    names_first   = '0;
    joins_now     = '0;
    for (int unsigned w = 0; w < 2; w++) begin
      arrives[w]           = valid_i && request_i.id == watched_q[w];
      is_head[w]           = head_valid && head.id == watched_q[w];
      leaves[w]            = release_i && head.id == watched_q[w];
      leaves_as_partner[w] = release_i && head_combined && partner.id == watched_q[w];
      for (int unsigned k = 0; k < Events; k++) begin
        joins_another[w] |= joins[k] && joining_id[k] == watched_q[w];
        is_joined[w]     |= joins[k] && joined_id[k] == watched_q[w];
      end
    end
    for (int unsigned k = 0; k < Events; k++) begin
      they_join   |= joins[k] && joined_id[k] == watched_q[First] &&
                     joining_id[k] == watched_q[Second];
      joins_now   += count_t'(joins[k]);
      names_first += count_t'(joins[k] && joined_id[k] == watched_q[First]);
      names_first += count_t'(joins[k] && joining_id[k] == watched_q[First]);
    end
  end

  // How many take a slot; how many pairs there are.
  count_t entries_q, pairs_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      entries_q <= '0;
      pairs_q   <= '0;
    end else begin
      entries_q <= entries_q + count_t'(valid_i) - count_t'(release_i) - joins_now;
      pairs_q   <= pairs_q + joins_now - count_t'(release_i && head_combined);
    end
  end

  // Of each watched request: whether it takes a slot, is joined, has joined; what it is; how many
  // that take a slot wait before it; the cycles since its arrival, as far as they matter.
  //
  // By rule 6 of the page, a request of the systolic queue climbs IN one row a cycle while more
  // wait before it than rows lie below it; then it is in OUT, in the row of as many as wait before
  // it.
  request_t [1:0] request, request_q;
  logic     [1:0] entry_q, joined_q, partner_q, paired, climbs;
  count_t   [1:0] ahead_q, age_q, join_before;

  for (genvar w = 0; w < 2; w++) begin : gen_watched
    assign request[w] = arrives[w] ? request_i : request_q[w];
    assign paired[w]  = joined_q[w] || partner_q[w];
    assign climbs[w]  = Parallel == 0 && entry_q[w] && ahead_q[w] > age_q[w];

    // Those that join from the rows above it.
    always_comb begin
      join_before[w] = '0;
      for (int unsigned k = 0; k < Events; k++) begin
        join_before[w] += count_t'(joins[k] && climbs[w] && k + 32'(age_q[w]) + 1 < Slots);
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        entry_q[w]   <= 1'b0;
        joined_q[w]  <= 1'b0;
        partner_q[w] <= 1'b0;
      end else begin
        entry_q[w]   <= (entry_q[w] || arrives[w]) && !joins_another[w] && !leaves[w];
        joined_q[w]  <= (joined_q[w] || is_joined[w]) && !leaves[w];
        partner_q[w] <= (partner_q[w] && !leaves_as_partner[w]) || joins_another[w];
      end
      request_q[w] <= request[w];
      ahead_q[w]   <= (arrives[w] ? entries_q - joins_now : ahead_q[w] - join_before[w]) -
                      count_t'(release_i);
      if (arrives[w]) age_q[w] <= '0;
      else if (32'(age_q[w]) + 1 < Slots) age_q[w] <= age_q[w] + count_t'(1'b1);
    end
  end

  // The two may be a pair, as far as their words and forms go; the first was inside as the second
  // arrived; the two are a pair.
  logic fit, first_is_older_q, second_is_younger, pair_q;
  assign fit = request[First].location == request[Second].location &&
               request[First].combinable && request[Second].combinable &&
               may_join(Forms, request[First].operation.form, request[Second].operation.form);
  assign second_is_younger = arrives[Second] || first_is_older_q;

  always_ff @(posedge clk_i) begin
    first_is_older_q <= !arrives[First] && second_is_younger;
    if (!rst_ni) pair_q <= 1'b0;
    else pair_q <= (pair_q && !leaves[First]) || they_join;
  end

  // --- assumptions -------------------------------------------------------------------------------

  always_comb begin
    // The first cycle is a reset, and no other is.
    env_reset: assume (rst_ni == init_q);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The two requests that are watched are two.
      env_two_requests: assume (watched_q[First] != watched_q[Second]);

      // A request arrives only while the queue is ready (proven of the switch that sends).
      env_arrival_when_ready: assume (!valid_i || ready);

      // The head is released only while there is one (proven of the switch).
      env_release_when_valid: assume (!release_i || head_valid);

      // No request arrives under an identity that is inside, which an element's sequence number
      // sees to.
      env_identities_distinct: assume ((arrives & (entry_q | partner_q)) == '0);
    end
  end

  // What the two make of the word, one after the other.
  word_t value_of_both;
  assign value_of_both = value(request_q[Second].operation,
                               value(request_q[First].operation, word_q));

  // --- what both queues promise ------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What leaves, as head or as its partner, arrived before and has not left since.
      nothing_duplicated: assert ((!leaves[First] || entry_q[First]) &&
                                  (!leaves_as_partner[First] || partner_q[First]) &&
                                  !(leaves[First] && leaves_as_partner[First]));

      // While anything is inside, there is a head.
      nothing_lost: assert (head_valid == (entries_q != '0) &&
                            (head_valid || !(entry_q[First] || partner_q[First])));

      // The head is the request that has waited longest of those that have not joined another.
      leaves_in_order: assert (is_head[First] == (entry_q[First] && ahead_q[First] == '0));

      // Two requests that joined leave together.
      pair_leaves_together: assert (!(is_head[First] && pair_q) ||
          (head_combined && partner.id == watched_q[Second]));

      // A head that nothing joined leaves alone.
      leaves_alone: assert (!is_head[First] || joined_q[First] == head_combined);

      // As many requests take a slot as the queue has, at most.
      occupancy_in_bounds: assert (32'(entries_q) <= Slots);

      // The queue is ready exactly with a free slot and, if it is adaptive, with fewer pairs than
      // its limit.
      ready_exact: assert (ready == (32'(entries_q) < Slots &&
          (AdaptiveLimit == 0 || 32'(pairs_q) < AdaptiveLimit)));

      // A request joins one that was inside before it and that takes a slot.
      joins_one_that_waits: assert (!they_join ||
          (entry_q[First] && second_is_younger && (entry_q[Second] || arrives[Second])));

      // An arrival is reported as inserted exactly if it does not join another in its cycle.
      inserted_exact: assert ((inserted || !arrives[First] || joins_another[First]) &&
                              (!inserted ||
                               (valid_i && !(arrives[First] && joins_another[First]))));

      // A request that has combined, as first or as second, never combines again in this queue.
      combines_once: assert (names_first == '0 ||
                             (names_first == count_t'(1'b1) && !paired[First]));

      // The requests of a pair are of one word, and both may combine.
      pair_of_one_word: assert (!they_join ||
          (request[First].location == request[Second].location &&
           request[First].combinable && request[Second].combinable));

      // The operations of a pair compose.
      pair_composes: assert (!they_join ||
          may_join(Forms, request[First].operation.form, request[Second].operation.form));

      // The head takes no partner, if the queue is decoupled; and none as it leaves, if it is
      // coupled.
      head_is_closed: assert (!(is_head[First] && is_joined[First]) ||
                              (Coupled != 0 && !release_i));

      // Nothing combines in a cycle that begins with a full wait buffer.
      not_while_wait_buffer_full: assert (!wait_buffer_full_i || joins == '0);

      // A request that has not combined leaves as it came.
      plain_unchanged: assert (!(is_head[First] && !head_combined) || head == request_q[First]);

      // A pair has the address of its requests, and may combine in the next switch.
      pair_address: assert (!(is_head[First] && pair_q) ||
          (head.location == request_q[First].location && head.combinable));

      // The operation of a pair makes of any word what the second makes of what the first makes.
      pair_operation: assert (!(is_head[First] && pair_q) ||
          value(head.operation, word_q) == value_of_both);

      // With a pair leaves the operation of its first request, for the wait buffer.
      pair_keeps_first: assert (!(is_head[First] && pair_q) ||
                                partner.operation == request_q[First].operation);
    end
  end

  // --- helper invariants of both -----------------------------------------------------------------

  logic [1:0][Places-1:0] at, beside_another;  // the places of the watched, as entry, as partner
  logic [1:0]             requests_kept, ahead_kept, joined_kept;
  logic                   pairs_valid, partners_kept, pair_known;
  count_t                 taken, taken_by_pairs;

  always_comb begin
    requests_kept  = '1;
    ahead_kept     = '1;
    joined_kept    = '1;
    pairs_valid    = 1'b1;
    partners_kept  = 1'b1;
    pair_known     = 1'b0;
    taken          = '0;
    taken_by_pairs = '0;
    for (int unsigned p = 0; p < Places; p++) begin
      for (int unsigned w = 0; w < 2; w++) begin
        at[w][p]             = places[p].valid && places[p].request.id == watched_q[w];
        beside_another[w][p] = places[p].paired && places[p].partner.id == watched_q[w];
        if (at[w][p]) begin
          ahead_kept[w]    &= ahead_q[w] == taken;
          joined_kept[w]   &= joined_q[w] == places[p].paired;
          requests_kept[w] &= places[p].request.location == request_q[w].location &&
                              places[p].request.combinable == request_q[w].combinable;
          requests_kept[w] &= places[p].composed ?
              places[p].partner.operation == request_q[w].operation :
              places[p].request == request_q[w];
        end
      end
      if (at[First][p] && beside_another[Second][p]) begin
        pair_known    |= 1'b1;
        partners_kept &= places[p].composed ?
            value(places[p].request.operation, word_q) == value_of_both :
            places[p].partner.operation == request_q[Second].operation;
      end
      pairs_valid    &= places[p].valid || !places[p].paired;
      // Composed at the exit, what is no pair has an identity beside it.
      pairs_valid    &= SumAtExit == 0 || !places[p].valid || places[p].paired ||
                        places[p].partner.operation.form == FormIdentity;
      taken          += count_t'(places[p].valid);
      taken_by_pairs += count_t'(places[p].paired);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // As many places are taken as requests take a slot, and as many hold two as there are pairs.
      helper_counts: assert (taken == entries_q && taken_by_pairs == pairs_q && pairs_valid);
      // A watched request that takes a slot is in one place.
      helper_entries: assert ($countones(at[First]) == 32'(entry_q[First]) &&
                              $countones(at[Second]) == 32'(entry_q[Second]));
      // A watched request that joined another is beside one.
      helper_partners: assert ($countones(beside_another[First]) == 32'(partner_q[First]) &&
                               $countones(beside_another[Second]) == 32'(partner_q[Second]));
      // A request is in one of the two ways inside.
      helper_one_way: assert ((entry_q & partner_q) == '0 && (joined_q & ~entry_q) == '0);
      // The places hold the requests in the order of their arrival.
      helper_order: assert (ahead_kept == '1);
      // The first is older if fewer wait before it.
      helper_older: assert (entry_q != '1 ||
                            first_is_older_q == (ahead_q[First] < ahead_q[Second]));
      // The place of a request tells whether it has been joined.
      helper_joined: assert (joined_kept == '1);
      // A watched request is kept as it arrived, or else in its partner's place.
      helper_requests_kept: assert (requests_kept == '1);
      // The second's operation is kept until it is composed with the first's.
      helper_partners_kept: assert (partners_kept);
      // The two are a pair exactly where the block keeps them as one.
      helper_pair: assert (pair_q == pair_known);
      // A pair is of requests that may combine with each other.
      helper_fit: assert (!pair_q || fit);
      // The cycles since an arrival are counted as far as they matter.
      helper_age: assert ((!entry_q[First] || 32'(age_q[First]) < Slots) &&
                          (!entry_q[Second] || 32'(age_q[Second]) < Slots));
    end
  end

  // --- what must be reachable, of both -----------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // All slots are taken.
      reached_full: cover (32'(entries_q) == Slots);
      // The queue refuses though it has a free slot.
      reached_limit: cover (!ready && 32'(entries_q) < Slots);
      // A second request joins the watched first.
      reached_join: cover (they_join);
      // The head is joined.
      reached_head_joined: cover (they_join && is_head[First]);
      // A request joins as the head leaves.
      reached_join_at_release: cover (they_join && release_i);
      // A request joins one that waits behind a pair.
      reached_join_behind_a_pair: cover (they_join && !is_head[First] && head_combined);
      // A pair of two additions leaves.
      reached_pair_leaves: cover (release_i && is_head[First] && pair_q &&
                                  request_q[First].operation.form == FormAdd &&
                                  head.operation.form == FormAdd &&
                                  head.operation.a != partner.operation.a);
      // A pair of two forms leaves.
      reached_mixed_pair_leaves: cover (release_i && is_head[First] && pair_q &&
                                        request_q[First].operation.form !=
                                        request_q[Second].operation.form);
      // The wait buffer keeps two requests from becoming a pair.
      reached_wait_buffer_full: cover (wait_buffer_full_i && entry_q[First] && !paired[First] &&
                                       second_is_younger && fit &&
                                       (ahead_q[First] != '0 || Coupled != 0) &&
                                       (entry_q[Second] || arrives[Second]) && !paired[Second]);
      // Two requests of one word that may combine, but not with each other, are inside.
      reached_no_match: cover (entry_q == '1 && !fit &&
                               request_q[First].combinable && request_q[Second].combinable &&
                               request_q[First].location == request_q[Second].location);
      // The queue empties as a pair leaves.
      reached_emptied: cover (release_i && head_combined && 32'(entries_q) == 1);
    end
  end

  // --- what the systolic queue promises besides --------------------------------------------------

  if (Parallel == 0) begin : gen_rules
    // The second may join the first in this cycle, as far as the rules of all queues go (cycle
    // contract, rule 2).
    logic qualifies;
    assign qualifies = entry_q[First] && !paired[First] && second_is_younger && fit &&
                       !wait_buffer_full_i &&
                       (ahead_q[First] != '0 || (Coupled != 0 && !release_i));

    // The two pass each other in this cycle: side by side, or as OUT moves down.
    logic both, beside, crossing;
    assign both     = entry_q == '1 && first_is_older_q;
    assign beside   = both && climbs[Second] && !climbs[First] && ahead_q[First] == age_q[Second];
    assign crossing = both && climbs[Second] && !climbs[First] && release_i &&
                      ahead_q[First] == age_q[Second] + count_t'(1'b1);

    // Where the block keeps them.
    logic [1:0][Slots-1:0] in_row, out_row;
    for (genvar w = 0; w < 2; w++) begin : gen_rows
      for (genvar r = 0; r < Slots; r++) begin : gen_row
        assign out_row[w][r] = gen_systolic.u_dut.out_q[r].valid &&
                               gen_systolic.u_dut.out_q[r].request.id == watched_q[w];
        if (r < InRows) begin : gen_in
          assign in_row[w][r] = gen_systolic.u_dut.in_q[r].valid &&
                                gen_systolic.u_dut.in_q[r].request.id == watched_q[w];
        end else begin : gen_above
          assign in_row[w][r] = 1'b0;
        end
      end
    end

    logic columns_kept;
    always_comb begin
      columns_kept = 1'b1;
      for (int unsigned r = 0; r < Slots; r++) begin
        if (r != 0) begin
          columns_kept &= !gen_systolic.u_dut.out_q[r].valid ||
                          gen_systolic.u_dut.out_q[r-1].valid;
        end
        if (r < InRows) begin
          columns_kept &= !gen_systolic.u_dut.in_q[r].valid || gen_systolic.u_dut.out_q[r].valid;
        end
      end
    end

    // They meet in these rows; they have met.
    logic meets, met_q;
    assign meets = (in_row[Second] & (out_row[First] | (release_i ? out_row[First] >> 1 : '0))) !=
                   '0;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) met_q <= 1'b0;
      else met_q <= !arrives[Second] && (met_q || meets);
    end

    // The first is joined by a request from a row above the second; the second by its event.
    logic taken_before, in_its_row;
    always_comb begin
      taken_before = 1'b0;
      in_its_row   = 1'b1;
      for (int unsigned k = 0; k < Events; k++) begin
        if (joins[k]) begin
          taken_before |= joined_id[k] == watched_q[First] && k + 32'(age_q[Second]) + 1 < Slots;
          in_its_row   &= joining_id[k] != watched_q[Second] ||
                          k + 32'(age_q[Second]) + 1 == Slots;
        end
      end
    end

    // A watched request could have joined the other one as it arrived, in a parallel queue.
    logic chance_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) chance_q <= 1'b0;
      else if (arrives[Second]) chance_q <= qualifies;
      else chance_q <= chance_q && leaves == '0;
    end

    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // A request climbs one row a cycle while more requests wait before it than rows lie below
        // it; then it goes over, into the lowest free cell of OUT, so that OUT has no gaps and
        // nothing climbs beyond its top.
        rows_exact: assert (!entry_q[First] ||
            (climbs[First] ?
             in_row[First] == Slots'(1'b1) << age_q[First] && out_row[First] == '0 :
             out_row[First] == Slots'(1'b1) << ahead_q[First] && in_row[First] == '0));

        // At most one request goes over in a cycle.
        one_goes_over: assert ($countones(gen_systolic.u_dut.over_beside |
                                          gen_systolic.u_dut.over_below) <= 1);

        // A request never meets one twice.
        meets_once: assert (!(both && meets) || !met_q);

        // A request meets every one that was queued before it as it entered IN, before it goes over
        // and before that one leaves.
        meets_every_one: assert (!(both && (!climbs[Second] || leaves[First])) ||
                                 met_q || meets);

        // Requests join only where they pass each other.
        joins_where_they_meet: assert (!they_join || (qualifies && (beside || crossing)));

        // Side by side, two requests that qualify join.
        joins_beside: assert (!(qualifies && beside) || they_join);

        // In the crossing, two requests that qualify join, unless an older one takes the first or
        // the second finds an older partner beside it.
        joins_in_crossing: assert (!(qualifies && crossing) || they_join || taken_before ||
                                   joins_another[Second]);

        // The event of joining stands at the row of the request that joins, from the top.
        event_in_its_row: assert (in_its_row);

        // The rows of the second are as exact as those of the first.
        helper_rows: assert (!entry_q[Second] ||
            (climbs[Second] ?
             in_row[Second] == Slots'(1'b1) << age_q[Second] && out_row[Second] == '0 :
             out_row[Second] == Slots'(1'b1) << ahead_q[Second] && in_row[Second] == '0));
        // What was met lies below in OUT, while the second climbs.
        helper_met: assert (!(both && climbs[Second]) ||
                            met_q == (!climbs[First] && ahead_q[First] < age_q[Second]));
        // OUT has no gaps, and beside a request in IN there is one in OUT.
        helper_columns: assert (columns_kept);
        // The counts of the block are those of the harness.
        helper_counts_systolic: assert (32'(gen_systolic.u_dut.size_q) == 32'(entries_q) &&
                                        32'(gen_systolic.u_dut.combined_q) == 32'(pairs_q));

        // A request joins later than in a parallel queue, where it would have as it arrived.
        reached_match_a_cycle_later: cover (chance_q && they_join);
        // A request that a parallel queue would have joined to another misses its chance.
        reached_missed_chance: cover (chance_q && both && !paired[First] && !paired[Second] &&
                                      !climbs[Second]);
        // The queue refuses, where a parallel queue would have room: the last slot is taken by a
        // request that joins.
        reached_refuses_with_a_match: cover (!ready && 32'(entries_q) == Slots && chance_q &&
                                             they_join);
        // Two requests join in the crossing.
        reached_crossing: cover (they_join && crossing);
        // In the crossing an older request takes the first.
        reached_taken_before: cover (qualifies && crossing && taken_before);
        // In the crossing the second joins an older one.
        reached_joins_before: cover (qualifies && crossing && joins_another[Second] && !they_join);
        // Two requests join others in one cycle.
        reached_two_joins: cover ($countones(joins) > 1);
        // A request goes over at the top row.
        reached_top: cover (entry_q[First] && age_q[First] == count_t'(Slots - 1) &&
                            ahead_q[First] == count_t'(Slots - 1));
      end
    end
  end else begin : gen_parallel_rules
    // The arrival may join a watched request, as far as words, forms and rules go.
    logic [1:0] offered;
    for (genvar w = 0; w < 2; w++) begin : gen_offered
      assign offered[w] = valid_i && entry_q[w] && !paired[w] &&
                          !wait_buffer_full_i && request_i.combinable && request_q[w].combinable &&
                          request_i.location == request_q[w].location &&
                          may_join(Forms, request_q[w].operation.form, request_i.operation.form) &&
                          (ahead_q[w] != '0 || (Coupled != 0 && !release_i));
    end

    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // In the parallel queue an arrival joins, in the cycle of its arrival, if it can.
        joins_at_once: assert (!offered[First] || joins != '0);

        // In the parallel queue an arrival joins the oldest of those that it can.
        joins_oldest: assert (!(is_joined[Second] && offered[First] && entry_q[Second] &&
                                first_is_older_q));

        // As many slots are used as there are entries, from slot 0 on, and the pairs are counted.
        helper_counts_parallel: assert (gen_parallel.u_dut.used_q == ~(~Slots'(0) << entries_q) &&
                                        32'(gen_parallel.u_dut.combined_q) == 32'(pairs_q));
      end
    end
  end

endmodule
