// SPDX-License-Identifier: Apache-2.0
// Properties of combining_queue (cycle contract, rules 1 to 3, 5 and 12).
//
// Two requests are followed, request 1 and request 2, by identities that are free but stay as they
// are: what holds for them holds for any two. What a request was when it arrived is kept beside the
// queue and compared with what leaves it. A word x, free but constant, stands for every word of
// memory: an operation is right if it does to x what the table of the operations says.
//
// Widths: the queue stores and forwards identities and never compares them, so 3 bits suffice: they
// name four waiting requests, two more that are followed, and two that arrive. It compares
// locations for equality only, and an arrival's with those of four entries: 2 bits give it the same
// word, another, and two more. Operands pass through compose_unit and nothing else, which is proven
// by itself, at 3 bits too (compose_unit_properties).
//
// With ArrivalRegisters, what was sent in one cycle arrives in the next, as behind the registers of
// the switch.
module combining_queue_properties
  import tributary_pkg::*;
  import operation_values_pkg::*;
#(
  parameter int unsigned          Writers          = 1,
  parameter int unsigned          Slots            = 4,
  parameter int unsigned          AdaptiveLimit    = 0,
  parameter int unsigned          Gradual          = 0,
  parameter int unsigned          Coupled          = 0,
  parameter int unsigned          Ordered          = 0,
  parameter int unsigned          SumAtExit        = 0,
  parameter int unsigned          ArrivalRegisters = 0,
  parameter logic [FormCount-1:0] Forms            = '1,
  parameter int unsigned          LocationWidth    = 2,
  parameter int unsigned          DataWidth        = 3,
  parameter int unsigned          IdWidth          = 3,
  localparam type                 word_t           = logic [DataWidth-1:0],
  localparam type                 id_t             = logic [IdWidth-1:0],
  localparam type                 operation_t      = struct packed {
    form_e form;
    word_t a;
    word_t b;
  },
  localparam type                 request_t        = struct packed {
    logic [LocationWidth-1:0] location;
    operation_t               operation;
    id_t                      id;
    logic                     combinable;
  },
  localparam type                 partner_t        = struct packed {
    id_t        id;
    operation_t operation;
  }
) (
  input logic clk_i,
  input logic rst_ni,

  input logic     [Writers-1:0] valid_i,
  input request_t [Writers-1:0] request_i,
  input logic                   wait_buffer_full_i,
  input logic                   release_i,

  // Read in the first cycle only: the identities of requests 1 and 2, and x.
  input id_t   [1:0] followed_id_i,
  input word_t       word_i
);

  localparam int unsigned CountWidth = $clog2(Slots + Writers + 1);
  typedef logic [CountWidth-1:0] count_t;

  localparam count_t NoPlace = count_t'(Slots);

  logic                   ready, head_valid, head_combined;
  request_t               head;
  partner_t               partner;
  logic     [Writers-1:0] inserted, combined, coming;
  id_t      [Writers-1:0] joined_id;

  combining_queue #(
    .Writers      (Writers),
    .Slots        (Slots),
    .AdaptiveLimit(AdaptiveLimit),
    .Gradual      (Gradual),
    .Coupled      (Coupled),
    .Ordered      (Ordered),
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
    .coming_i         (coming),
    .valid_i,
    .request_i,
    .wait_buffer_full_i,
    .head_valid_o     (head_valid),
    .head_o           (head),
    .head_combined_o  (head_combined),
    .partner_o        (partner),
    .release_i,
    .event_inserted_o (inserted),
    .event_combined_o (combined),
    .event_joined_id_o(joined_id)
  );

  // What the queue keeps room for besides an arrival of each writer: arrivals that were sent in the
  // cycle before. Whether what arrives now could be sent: by the ready bit of this cycle, or of the
  // one before.
  logic ready_before_q, sendable;
  assign coming = ArrivalRegisters != 0 ? valid_i : '0;
  always_ff @(posedge clk_i) ready_before_q <= rst_ni && ready;
  assign sendable = ArrivalRegisters != 0 ? ready_before_q : ready;

  // Reset in the first cycle, and what is free but constant.
  logic        init_q = 1'b0;
  id_t   [1:0] id_q;
  word_t       x_q;

  always_ff @(posedge clk_i) begin
    init_q <= 1'b1;
    if (!init_q) begin
      id_q <= followed_id_i;
      x_q  <= word_i;
    end
  end

  always_comb if (!init_q) assume (!rst_ni);

  function automatic word_t value(operation_t operation, word_t x);
    return word_t'(value_after(DataWidth, operation.form, value_t'(operation.a),
                               value_t'(operation.b), value_t'(x)));
  endfunction

  // --- What is inside, as the ports tell it ---

  // The entries in the order of their insertion: identity, and whether another request joined.
  count_t             size_d, size_q;
  id_t    [Slots-1:0] line_d, line_q;
  logic   [Slots-1:0] paired_d, paired_q;

  typedef enum logic [1:0] {Outside, Waits, Joined} whereabouts_e;

  // Where a request that is followed is: an entry, or the partner of one, in this place of the
  // line.
  typedef struct packed {
    whereabouts_e       whereabouts;
    count_t             place;
    logic               writer;
    // Of an entry, by input: a later request of this input to its word took a place behind it.
    logic [Writers-1:0] followed;
  } position_t;

  position_t [1:0] position_d, position_q;
  request_t  [1:0] request_d, request_q;  // as it arrived
  // Request 2 arrived while request 1 was inside, or in the same cycle at the second input.
  logic           later_d, later_q;

  function automatic count_t place_of(id_t [Slots-1:0] line, count_t size, id_t id);
    place_of = NoPlace;
    for (int unsigned i = 0; i < Slots; i++) begin
      if (count_t'(i) < size && line[i] == id) place_of = count_t'(i);
    end
  endfunction

  function automatic logic bit_at(logic [Slots-1:0] bits, count_t place);
    bit_at = 1'b0;
    for (int unsigned i = 0; i < Slots; i++) bit_at |= count_t'(i) == place && bits[i];
  endfunction

  // The places that arrivals take, once the head is gone.
  count_t [Writers-1:0] taken;

  always_comb begin
    size_d     = size_q;
    line_d     = line_q;
    paired_d   = paired_q;
    position_d = position_q;
    request_d  = request_q;
    later_d    = later_q;
    taken      = '0;
    if (release_i) begin
      size_d   = size_q - count_t'(1);
      line_d   = line_q >> IdWidth;
      paired_d = paired_q >> 1;
      for (int unsigned k = 0; k < 2; k++) begin
        if (position_q[k].place == '0) position_d[k].whereabouts = Outside;
        position_d[k].place = position_q[k].place - count_t'(1);
      end
    end
    for (int unsigned w = 0; w < Writers; w++) begin
      if (valid_i[w]) begin
        taken[w] = combined[w] ? place_of(line_d, size_d, joined_id[w]) : size_d;
        for (int unsigned k = 0; k < 2; k++) begin
          if (position_d[k].whereabouts == Waits && taken[w] > position_d[k].place &&
              request_d[k].location == request_i[w].location) begin
            position_d[k].followed[w] = 1'b1;
          end
        end
        if (request_i[w].id == id_q[1]) later_d = position_d[0].whereabouts != Outside;
        if (request_i[w].id == id_q[0]) later_d = 1'b0;
        for (int unsigned k = 0; k < 2; k++) begin
          if (request_i[w].id == id_q[k]) begin
            request_d[k]  = request_i[w];
            position_d[k] = '{
                whereabouts: combined[w] ? Joined : Waits,
                place: taken[w],
                writer: w != 0,
                followed: '0
            };
          end
        end
        for (int unsigned i = 0; i < Slots; i++) begin
          if (count_t'(i) == taken[w]) begin
            line_d[i]   = combined[w] ? joined_id[w] : request_i[w].id;
            paired_d[i] = combined[w];
          end
        end
        if (!combined[w]) size_d = size_d + count_t'(1);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      size_q     <= '0;
      line_q     <= '0;
      paired_q   <= '0;
      position_q <= '0;
      request_q  <= '0;
      later_q    <= 1'b0;
    end else begin
      size_q     <= size_d;
      line_q     <= line_d;
      paired_q   <= paired_d;
      position_q <= position_d;
      request_q  <= request_d;
      later_q    <= later_d;
    end
  end

  // --- The contract's formulas, over what is inside ---

  // Rules 1 and 12: how many combined requests fill the queue.
  int unsigned limit, pairs;

  if (Gradual == 0) begin : gen_crude
    assign limit = AdaptiveLimit == 0 ? Slots + 1 : AdaptiveLimit;
  end else begin : gen_gradual
    localparam int unsigned Top  = Slots - Writers + 1;
    localparam int unsigned Fall = Top > AdaptiveLimit ? Top - AdaptiveLimit : 0;
    // The combining rate, in 256ths.
    logic [8:0] rate_d, rate_q;

    always_comb begin
      rate_d = rate_q;
      for (int unsigned w = 0; w < Writers; w++) begin
        if (valid_i[w] && combined[w]) rate_d = rate_d + (9'd256 - rate_d) / 9'd16;
        else if (valid_i[w]) rate_d = rate_d - (rate_d + 9'd15) / 9'd16;
      end
    end

    always_ff @(posedge clk_i) rate_q <= rst_ni ? rate_d : '0;

    always_comb begin
      limit = Top;
      for (int unsigned i = 1; i <= Fall; i++) begin
        if (int'(rate_q) >= 32 + 72 * i / Fall) limit = limit - 1;
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // The rate that the queue measures is the exponential mean, of weight 1/16, over its
        // arrivals, of one cycle in port order: 1 for one that joined, 0 for one that did not
        // (rule 12).
        rate_by_contract: assert (rate_q == 9'(u_dut.gen_gradual.rate_q));
      end
    end
  end

  assign pairs = $countones(paired_q);

  // Rules 1 and 13: whether each writer finds room, besides what arrives out of registers.
  logic room;
  assign room = int'(size_q) + Writers + $countones(coming) <= Slots;

  // Rules 2 and 3: whether the arrival of an input composes with request 1, which waits without a
  // partner; and whether it may join it, too.
  logic [Writers-1:0] composable, qualifies;
  // The place, at the start of the cycle, of the entry that the arrival joined, and whether it is
  // request 1.
  count_t [Writers-1:0] joined_place;
  logic   [Writers-1:0] joins_1;

  logic waits_1, at_head_1, spared_1, single_1;
  assign waits_1   = position_q[0].whereabouts == Waits;
  assign at_head_1 = waits_1 && position_q[0].place == '0;
  assign spared_1  = at_head_1 && (Coupled == 0 || release_i);
  assign single_1  = waits_1 && !bit_at(paired_q, position_q[0].place);

  for (genvar w = 0; w < Writers; w++) begin : gen_arrival
    logic lost;

    assign joined_place[w] = place_of(line_q, size_q, joined_id[w]);
    assign joins_1[w]      = combined[w] && joined_id[w] == id_q[0];

    if (w == 0) begin : gen_first
      assign lost = 1'b0;
    end else begin : gen_second
      assign lost = joins_1[0];  // to the arrival of the first input
    end
    assign composable[w] = single_1 && !lost && valid_i[w] && request_i[w].combinable &&
                           request_q[0].combinable &&
                           request_i[w].location == request_q[0].location &&
                           may_join(Forms, request_q[0].operation.form,
                                    request_i[w].operation.form);
    assign qualifies[w]  = composable[w] && !spared_1 && !wait_buffer_full_i &&
                           !(Ordered != 0 && position_q[0].followed[w]);
  end

  // What requests 1 and 2 make of x, one after the other.
  word_t value_of_both;
  assign value_of_both = value(request_q[1].operation, value(request_q[0].operation, x_q));

  // Request 1 at the head, alone, or with request 2 as its partner.
  logic shows_1, shows_1_alone, shows_pair, shows_2;
  assign shows_1       = head_valid && head.id == id_q[0];
  assign shows_1_alone = shows_1 && !head_combined;
  assign shows_pair    = shows_1 && head_combined && partner.id == id_q[1];
  assign shows_2       = head_valid &&
                         (head.id == id_q[1] || (head_combined && partner.id == id_q[1]));

  // By input: what each assertion asks of every arrival.
  logic [Writers-1:0] joins_entry, joins_rightly, joins_oldest, known, fresh;

  for (genvar w = 0; w < Writers; w++) begin : gen_asked
    assign joins_entry[w]   = !combined[w] || joined_place[w] < size_q;
    assign joins_rightly[w] = !joins_1[w] || qualifies[w];
    assign joins_oldest[w]  = !qualifies[w] ||
                              (combined[w] && joined_place[w] <= position_q[0].place);
    assign known[w] = place_of(line_q, size_q, request_i[w].id) != NoPlace ||
                      (request_i[w].id == id_q[0] && position_q[0].whereabouts != Outside) ||
                      (request_i[w].id == id_q[1] && position_q[1].whereabouts != Outside) ||
                      (w != 0 && valid_i[0] && request_i[w].id == request_i[0].id);
    assign fresh[w] = !valid_i[w] || !known[w];
  end

  // --- The environment ---

  always_ff @(posedge clk_i) begin
    if (init_q) begin
      // There is one reset, at the start.
      env_no_other_reset: assume (rst_ni);
      // Requests 1 and 2 are two requests.
      env_two_requests: assume (id_q[0] != id_q[1]);
      // A writer sends only while the queue is ready; what it sends arrives at once, or out of
      // registers in the cycle after.
      env_arrival_when_ready: assume (valid_i == '0 || sendable);
      // The head is released only while there is one.
      env_release_when_valid: assume (!release_i || head_valid);
      // No arrival has the identity of a request that waits as an entry, of request 1 or 2 while
      // it is inside, or of the other arrival; a request that left may come again.
      env_identity_unique: assume (&fresh);
    end
  end

  // --- What is proven ---

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Every arrival becomes an entry or joins one, never both, and nothing else does.
      each_arrival_once: assert ((inserted ^ combined) == valid_i &&
                                 (inserted & combined) == '0);

      // There are never more entries than slots, and a head exactly while there is an entry.
      occupancy_in_bounds: assert (size_q <= count_t'(Slots) && head_valid == (size_q != '0));

      // The queue is ready exactly while its free slots are as many as its writers and what arrives
      // out of registers and, if it is adaptive, fewer combined requests are in it than its limit,
      // crude or gradual.
      ready_by_contract: assert (ready == (room && pairs < limit));

      // Entries leave in the order of their insertion, arrivals of one cycle in port order.
      leaves_in_turn: assert (!head_valid || head.id == line_q[0]);

      // A request whose turn it is stands at the head, or is the partner of the head.
      nothing_lost: assert (position_q[0].whereabouts == Outside || position_q[0].place != '0 ||
                            (head_valid && (waits_1 ? head.id == id_q[0] :
                                            head_combined && partner.id == id_q[0])));

      // What stands at the head, or is its partner, arrived, came the way that it leaves, and has
      // not left before.
      nothing_duplicated: assert (
          (!shows_1 || at_head_1) &&
          (!(head_valid && head_combined && partner.id == id_q[0]) ||
           (position_q[0].whereabouts == Joined && position_q[0].place == '0)));

      // The head has a partner exactly if a request joined it.
      partner_iff_joined: assert (!head_valid || head_combined == paired_q[0]);

      // An arrival joins nothing but an entry that was in the queue at the start of the cycle.
      joins_what_waits: assert (&joins_entry);

      // An arrival joins an entry only by the rules of the match: same word, both combinable,
      // operations that compose, no partner yet, not spared, not taken by the other arrival, and,
      // if ordered, no later request of the same input to the word behind it.
      joins_by_the_rules: assert (&joins_rightly);

      // An arrival that may join an entry joins it, or an older one.
      joins_the_oldest: assert (&joins_oldest);

      // An entry that has a partner never gets another, nor two in one cycle.
      combines_once: assert (!(|joins_1 && bit_at(paired_q, position_q[0].place)) &&
                             $countones(joins_1) <= 1);

      // A decoupled queue never combines at its head, a coupled one never with a head that leaves.
      head_spared: assert (!(|joins_1 && at_head_1 && (Coupled == 0 || release_i)));

      // Nothing combines while the wait buffer is full.
      no_combining_when_full: assert (!wait_buffer_full_i || combined == '0);

      // A request that combined with none leaves as it came.
      plain_unchanged: assert (!shows_1_alone || head.operation == request_q[0].operation);

      // A request leaves to the address that it came for, and may combine behind this queue as
      // before it; so for its partner.
      address_kept: assert ((!shows_1 || (head.location == request_q[0].location &&
                                          head.combinable == request_q[0].combinable)) &&
                            (!shows_pair || head.location == request_q[1].location));

      // A combined request does to any word what its first and then its second request would.
      combined_operation: assert (!shows_pair || value(head.operation, x_q) == value_of_both);

      // The partner that leaves for the wait buffer carries the first request's operation.
      partner_operation: assert (!(shows_1 && head_combined) ||
                                 partner.operation == request_q[0].operation);

      // A request that leaves before one that came earlier does so as the partner of a still
      // earlier entry: nothing else overtakes.
      overtakes_by_joining: assert (!(release_i && shows_2 && later_q) ||
                                    position_q[0].whereabouts == Outside ||
                                    (head_combined && partner.id == id_q[1]));

      // Ordered, two requests of one input to one word leave in the order of their arrival, the
      // earlier in front or as the first of a pair of both.
      input_order_kept: assert (Ordered == 0 || !(shows_2 && later_q) ||
                                position_q[0].whereabouts == Outside || shows_pair ||
                                position_q[0].writer != position_q[1].writer ||
                                request_q[0].location != request_q[1].location);
    end
  end

  // --- Invariants that the induction needs: the queue's registers are what the ports told ---

  logic [Slots-1:0] entry_known, entry_unlike, entry_free_of_1, entry_free_of_2, older_sealed;
  logic [1:0]       request_placed, request_kept, partner_kept, seals_known;
  logic             pair_composed;

  for (genvar i = 0; i < Slots; i++) begin : gen_entry
    logic present;
    assign present = count_t'(i) < size_q;

    assign entry_known[i] = !present ? !paired_q[i] :
                            u_dut.entries_q[i].request.id == line_q[i] &&
                            u_dut.entries_q[i].combined == paired_q[i];
    assign entry_unlike[i] = !present || place_of(line_q, size_q, line_q[i]) == count_t'(i);
    assign entry_free_of_1[i] = !present || (
        ((line_q[i] == id_q[0]) == (waits_1 && position_q[0].place == count_t'(i))) &&
        (!paired_q[i] || ((u_dut.entries_q[i].partner.id == id_q[0]) ==
                          (position_q[0].whereabouts == Joined &&
                           position_q[0].place == count_t'(i)))));
    assign entry_free_of_2[i] = !present || (
        ((line_q[i] == id_q[1]) == (position_q[1].whereabouts == Waits &&
                                    position_q[1].place == count_t'(i))) &&
        (!paired_q[i] || ((u_dut.entries_q[i].partner.id == id_q[1]) ==
                          (position_q[1].whereabouts == Joined &&
                           position_q[1].place == count_t'(i)))));
    // Ordered: what is older than request 1 and of its word is sealed for its input.
    assign older_sealed[i] = Ordered == 0 || position_q[0].whereabouts == Outside ||
                             count_t'(i) >= position_q[0].place ||
                             u_dut.entries_q[i].request.location != request_q[0].location ||
                             (Writers == 2 && position_q[0].writer ?
                              u_dut.entries_q[i].sealed[Writers-1] : u_dut.entries_q[i].sealed[0]);
  end

  // The entry of each request that is followed.
  for (genvar k = 0; k < 2; k++) begin : gen_request
    // As the queue has it.
    struct packed {
      request_t           request;
      logic               combined;
      logic [Writers-1:0] sealed;
      partner_t           partner;
    } entry;

    always_comb begin
      entry = '0;
      for (int unsigned i = 0; i < Slots; i++) begin
        if (count_t'(i) == position_q[k].place) entry = u_dut.entries_q[i];
      end
    end

    assign request_placed[k] = position_q[k].whereabouts == Outside ||
                               (position_q[k].whereabouts inside {Waits, Joined} &&
                                position_q[k].place < size_q);
    // Its own operation lies in its entry: beside what both carry onward, once there is a partner,
    // unless the two are composed at the exit; there, a request without a partner has an identity.
    assign request_kept[k] = position_q[k].whereabouts != Waits || (
        entry.request.location == request_q[k].location &&
        entry.request.combinable == request_q[k].combinable &&
        (entry.combined && SumAtExit == 0 ? entry.partner.operation : entry.request.operation) ==
        request_q[k].operation &&
        (SumAtExit == 0 || entry.combined || entry.partner.operation.form == FormIdentity));
    assign partner_kept[k] = position_q[k].whereabouts != Joined || (
        entry.combined && entry.request.location == request_q[k].location &&
        (SumAtExit == 0 || entry.partner.operation == request_q[k].operation));
    assign seals_known[k] = Ordered == 0 || position_q[k].whereabouts != Waits ||
                            entry.sealed == position_q[k].followed;
  end

  // Request 2 is the partner of request 1.
  logic is_pair;
  assign is_pair = waits_1 && position_q[1].whereabouts == Joined &&
                   position_q[1].place == position_q[0].place;
  assign pair_composed = !is_pair || (
      may_join(Forms, request_q[0].operation.form, request_q[1].operation.form) &&
      (SumAtExit != 0 ||
       value(gen_request[0].entry.request.operation, x_q) == value_of_both));

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // As many slots are used as there are entries, from slot 0 on, and the combined ones are
      // counted.
      helper_counts: assert (u_dut.used_q == ~(~Slots'(0) << size_q) &&
                             int'(u_dut.combined_q) == pairs);
      // Entries stand in line by identity, each with its mark of being combined.
      helper_line: assert (&entry_known);
      // No two entries have one identity.
      helper_identities: assert (&entry_unlike);
      // Request 1 is where it is said to be, and nowhere else.
      helper_one_place_1: assert (&entry_free_of_1);
      // Request 2 is where it is said to be, and nowhere else.
      helper_one_place_2: assert (&entry_free_of_2);
      // A request that is inside has a place in the line.
      helper_placed: assert (&request_placed);
      // The entry of a request has its word and its operation.
      helper_request_kept: assert (&request_kept);
      // The entry that a request joined is combined, and of its word.
      helper_partner_kept: assert (&partner_kept);
      // An entry is sealed for the inputs that have a later request of its word behind it.
      helper_seals: assert (&seals_known);
      // Ordered, whatever is older than request 1 and of its word is sealed for its input.
      helper_older_sealed: assert (&older_sealed);
      // The operation of a pair does to x what its two requests do.
      helper_pair: assert (pair_composed);
      // Of two requests, the later stands behind or joined an entry.
      helper_later: assert (!later_q || position_q[0].whereabouts == Outside ||
                            position_q[1].whereabouts != Waits ||
                            position_q[1].place > position_q[0].place);
      // Ordered, of two requests of one input to one word, the later stands behind, or joined the
      // earlier.
      helper_order: assert (Ordered == 0 || !later_q || is_pair ||
                            position_q[0].whereabouts == Outside ||
                            position_q[1].whereabouts == Outside ||
                            position_q[0].writer != position_q[1].writer ||
                            request_q[0].location != request_q[1].location ||
                            position_q[1].place > position_q[0].place);
    end
  end

  // --- What must be reachable ---

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The queue is full.
      reached_full: cover (size_q == count_t'(Slots));
      // A request leaves uncombined.
      reached_plain_leaves: cover (release_i && shows_1_alone);
      // Two requests leave as one, and the second changes what the first made of the word.
      reached_pair_leaves: cover (release_i && shows_pair &&
          request_q[0].operation.form == FormAdd && request_q[1].operation.form == FormAdd &&
          value(head.operation, x_q) != value(partner.operation, x_q));
      // A request joins a head that stays.
      reached_head_joined: cover (|joins_1 && at_head_1 && !release_i);
      // A request joins the entry behind a head that leaves.
      reached_new_head_joined: cover (|joins_1 && release_i && position_q[0].place == count_t'(1));
      // A request would join the head, were it not spared.
      reached_head_spared: cover (composable[0] && spared_1 && inserted[0] &&
                                  !wait_buffer_full_i);
      // A request meets an entry of its word that has a partner already.
      reached_meets_pair: cover (waits_1 && !single_1 && !spared_1 && inserted[0] &&
                                 request_i[0].combinable && !wait_buffer_full_i &&
                                 request_i[0].location == request_q[0].location);
      // A request overtakes one of its input and word by joining an older entry.
      reached_overtaken: cover (Ordered == 0 && release_i && shows_2 && later_q &&
                                position_q[0].whereabouts != Outside && position_q[0].place != '0 &&
                                position_q[0].writer == position_q[1].writer &&
                                request_q[0].location == request_q[1].location);
      // The order of its input keeps a request from an entry that it would join otherwise.
      reached_sealed: cover (Ordered != 0 && composable[0] && !spared_1 && inserted[0] &&
                             !wait_buffer_full_i && position_q[0].followed[0]);
      // Two requests of one input to one word leave as a pair.
      reached_pair_of_one_input: cover (release_i && shows_pair && later_q &&
                                        position_q[0].writer == position_q[1].writer);
      // Combined requests fill a queue that has free slots.
      reached_limit: cover (!ready && room);
      // The full wait buffer keeps a request from an entry that it would join otherwise.
      reached_wait_buffer_full: cover (composable[0] && !spared_1 && inserted[0] &&
                                       wait_buffer_full_i);
      // Requests of one cycle both join.
      reached_both_join: cover (Writers == 2 && &combined);
      // Requests of one cycle both become entries.
      reached_both_inserted: cover (Writers == 2 && &inserted);
      // Requests of one cycle and word would join one entry: the first does.
      reached_first_taken: cover (Writers == 2 && joins_1[0] && valid_i[Writers-1] &&
                                  !joins_1[Writers-1] && request_i[Writers-1].combinable &&
                                  request_i[Writers-1].location == request_q[0].location);
    end
  end

  if (ArrivalRegisters != 0) begin : gen_registers
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // What could be sent in the cycle before finds room.
        helper_room_kept: assert (!ready_before_q || int'(size_q) + Writers <= Slots);

        // Requests arrive while the queue is not ready any more.
        reached_unready: cover (&valid_i && !ready);
      end
    end
  end

endmodule
