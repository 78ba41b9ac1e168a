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
module combining_queue_properties
  import tributary_pkg::*;
  import operation_values_pkg::*;
#(
  parameter int unsigned          Writers       = 1,
  parameter int unsigned          Slots         = 4,
  parameter int unsigned          AdaptiveLimit = 0,
  parameter int unsigned          Gradual       = 0,
  parameter int unsigned          Coupled       = 0,
  parameter int unsigned          Ordered       = 0,
  parameter int unsigned          SumAtExit     = 0,
  parameter logic [FormCount-1:0] Forms         = '1,
  parameter int unsigned          LocationWidth = 2,
  parameter int unsigned          DataWidth     = 3,
  parameter int unsigned          IdWidth       = 3
) (
  input logic clk_i,
  input logic rst_ni,

  input logic  [Writers-1:0]                    valid_i,
  input logic  [Writers-1:0][LocationWidth-1:0] location_i,
  input form_e [Writers-1:0]                    form_i,
  input logic  [Writers-1:0][DataWidth-1:0]     a_i,
  input logic  [Writers-1:0][DataWidth-1:0]     b_i,
  input logic  [Writers-1:0][IdWidth-1:0]       id_i,
  input logic  [Writers-1:0]                    combinable_i,
  input logic                                   wait_buffer_full_i,
  input logic                                   release_i,

  // Read in the first cycle only: the identities of requests 1 and 2, and x.
  input logic [1:0][IdWidth-1:0] followed_id_i,
  input logic [DataWidth-1:0]    word_i
);

  localparam int unsigned CountWidth = $clog2(Slots + Writers + 1);
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [DataWidth-1:0]  word_t;
  typedef logic [IdWidth-1:0]    id_t;

  localparam count_t NoPlace = count_t'(Slots);

  logic                      ready, head_valid, head_combinable, head_combined;
  logic  [LocationWidth-1:0] head_location;
  form_e                     head_form, partner_form;
  word_t                     head_a, head_b, partner_a, partner_b;
  id_t                       head_id, partner_id;
  logic  [Writers-1:0]       inserted, combined;
  id_t   [Writers-1:0]       joined_id;

  combining_queue #(
    .Writers      (Writers),
    .Slots        (Slots),
    .AdaptiveLimit(AdaptiveLimit),
    .Gradual      (Gradual),
    .Coupled      (Coupled),
    .Ordered      (Ordered),
    .SumAtExit    (SumAtExit),
    .Forms        (Forms),
    .LocationWidth(LocationWidth),
    .DataWidth    (DataWidth),
    .IdWidth      (IdWidth)
  ) u_dut (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .ready_o           (ready),
    .valid_i           (valid_i),
    .location_i        (location_i),
    .form_i            (form_i),
    .a_i               (a_i),
    .b_i               (b_i),
    .id_i              (id_i),
    .combinable_i      (combinable_i),
    .wait_buffer_full_i(wait_buffer_full_i),
    .head_valid_o      (head_valid),
    .head_location_o   (head_location),
    .head_form_o       (head_form),
    .head_a_o          (head_a),
    .head_b_o          (head_b),
    .head_id_o         (head_id),
    .head_combinable_o (head_combinable),
    .head_combined_o   (head_combined),
    .partner_id_o      (partner_id),
    .partner_form_o    (partner_form),
    .partner_a_o       (partner_a),
    .partner_b_o       (partner_b),
    .release_i         (release_i),
    .event_inserted_o  (inserted),
    .event_combined_o  (combined),
    .event_joined_id_o (joined_id)
  );

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

  function automatic word_t value(form_e form, word_t a, word_t b, word_t x);
    return word_t'(value_after(DataWidth, form, value_t'(a), value_t'(b), value_t'(x)));
  endfunction

  // --- What is inside, as the ports tell it ---

  // The entries in the order of their insertion: identity, and whether another request joined.
  count_t             size_d, size_q;
  id_t    [Slots-1:0] line_d, line_q;
  logic   [Slots-1:0] paired_d, paired_q;

  typedef enum logic [1:0] {Outside, Waits, Joined} whereabouts_e;

  // A request that is followed, as it arrived, and where it is: an entry, or the partner of one,
  // in this place of the line.
  typedef struct packed {
    whereabouts_e             whereabouts;
    count_t                   place;
    logic                     writer;
    logic [LocationWidth-1:0] location;
    form_e                    form;
    word_t                    a;
    word_t                    b;
    logic                     combinable;
    // Of an entry, by input: a later request of this input to its word took a place behind it.
    logic [Writers-1:0]       followed;
  } request_t;

  request_t [1:0] request_d, request_q;
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
    size_d    = size_q;
    line_d    = line_q;
    paired_d  = paired_q;
    request_d = request_q;
    later_d   = later_q;
    taken     = '0;
    if (release_i) begin
      size_d   = size_q - count_t'(1);
      line_d   = line_q >> IdWidth;
      paired_d = paired_q >> 1;
      for (int unsigned k = 0; k < 2; k++) begin
        if (request_q[k].place == '0) request_d[k].whereabouts = Outside;
        request_d[k].place = request_q[k].place - count_t'(1);
      end
    end
    for (int unsigned w = 0; w < Writers; w++) begin
      if (valid_i[w]) begin
        taken[w] = combined[w] ? place_of(line_d, size_d, joined_id[w]) : size_d;
        for (int unsigned k = 0; k < 2; k++) begin
          if (request_d[k].whereabouts == Waits && request_d[k].location == location_i[w] &&
              taken[w] > request_d[k].place) begin
            request_d[k].followed[w] = 1'b1;
          end
        end
        if (id_i[w] == id_q[1]) later_d = request_d[0].whereabouts != Outside;
        if (id_i[w] == id_q[0]) later_d = 1'b0;
        for (int unsigned k = 0; k < 2; k++) begin
          if (id_i[w] == id_q[k]) begin
            request_d[k] = '{
                whereabouts: combined[w] ? Joined : Waits,
                place: taken[w],
                writer: w != 0,
                location: location_i[w],
                form: form_i[w],
                a: a_i[w],
                b: b_i[w],
                combinable: combinable_i[w],
                followed: '0
            };
          end
        end
        for (int unsigned i = 0; i < Slots; i++) begin
          if (count_t'(i) == taken[w]) begin
            line_d[i]   = combined[w] ? joined_id[w] : id_i[w];
            paired_d[i] = combined[w];
          end
        end
        if (!combined[w]) size_d = size_d + count_t'(1);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      size_q    <= '0;
      line_q    <= '0;
      paired_q  <= '0;
      request_q <= '0;
      later_q   <= 1'b0;
    end else begin
      size_q    <= size_d;
      line_q    <= line_d;
      paired_q  <= paired_d;
      request_q <= request_d;
      later_q   <= later_d;
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

  // Rules 2 and 3: whether the arrival of an input composes with request 1, which waits without a
  // partner; and whether it may join it, too.
  logic [Writers-1:0] composable, qualifies;
  // The place, at the start of the cycle, of the entry that the arrival joined, and whether it is
  // request 1.
  count_t [Writers-1:0] joined_place;
  logic   [Writers-1:0] joins_1;

  logic waits_1, at_head_1, spared_1, single_1;
  assign waits_1   = request_q[0].whereabouts == Waits;
  assign at_head_1 = waits_1 && request_q[0].place == '0;
  assign spared_1  = at_head_1 && (Coupled == 0 || release_i);
  assign single_1  = waits_1 && !bit_at(paired_q, request_q[0].place);

  for (genvar w = 0; w < Writers; w++) begin : gen_arrival
    logic lost;

    assign joined_place[w] = place_of(line_q, size_q, joined_id[w]);
    assign joins_1[w]      = combined[w] && joined_id[w] == id_q[0];

    if (w == 0) begin : gen_first
      assign lost = 1'b0;
    end else begin : gen_second
      assign lost = joins_1[0];  // to the arrival of the first input
    end
    assign composable[w] = single_1 && !lost && valid_i[w] && combinable_i[w] &&
                           request_q[0].combinable &&
                           location_i[w] == request_q[0].location &&
                           may_join(Forms, request_q[0].form, form_i[w]);
    assign qualifies[w]  = composable[w] && !spared_1 && !wait_buffer_full_i &&
                           !(Ordered != 0 && request_q[0].followed[w]);
  end

  // Request 1 at the head, alone, or with request 2 as its partner.
  logic shows_1, shows_1_alone, shows_pair, shows_2;
  assign shows_1       = head_valid && head_id == id_q[0];
  assign shows_1_alone = shows_1 && !head_combined;
  assign shows_pair    = shows_1 && head_combined && partner_id == id_q[1];
  assign shows_2       = head_valid &&
                         (head_id == id_q[1] || (head_combined && partner_id == id_q[1]));

  // By input: what each assertion asks of every arrival.
  logic [Writers-1:0] joins_entry, joins_rightly, joins_oldest, known, fresh;

  for (genvar w = 0; w < Writers; w++) begin : gen_asked
    assign joins_entry[w]   = !combined[w] || joined_place[w] < size_q;
    assign joins_rightly[w] = !joins_1[w] || qualifies[w];
    assign joins_oldest[w]  = !qualifies[w] ||
                              (combined[w] && joined_place[w] <= request_q[0].place);
    assign known[w] = place_of(line_q, size_q, id_i[w]) != NoPlace ||
                      (id_i[w] == id_q[0] && request_q[0].whereabouts != Outside) ||
                      (id_i[w] == id_q[1] && request_q[1].whereabouts != Outside) ||
                      (w != 0 && valid_i[0] && id_i[w] == id_i[0]);
    assign fresh[w] = !valid_i[w] || !known[w];
  end

  // --- The environment ---

  always_ff @(posedge clk_i) begin
    if (init_q) begin
      // There is one reset, at the start.
      env_no_other_reset: assume (rst_ni);
      // Requests 1 and 2 are two requests.
      env_two_requests: assume (id_q[0] != id_q[1]);
      // A writer sends only while the queue is ready.
      env_arrival_when_ready: assume (valid_i == '0 || ready);
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

      // The queue is ready exactly while its free slots are as many as its writers and, if it is
      // adaptive, fewer combined requests are in it than its limit, crude or gradual.
      ready_by_contract: assert (ready == (int'(size_q) + Writers <= Slots && pairs < limit));

      // Entries leave in the order of their insertion, arrivals of one cycle in port order.
      leaves_in_turn: assert (!head_valid || head_id == line_q[0]);

      // A request whose turn it is stands at the head, or is the partner of the head.
      nothing_lost: assert (request_q[0].whereabouts == Outside || request_q[0].place != '0 ||
                            (head_valid && (waits_1 ? head_id == id_q[0] :
                                            head_combined && partner_id == id_q[0])));

      // What stands at the head, or is its partner, arrived, came the way that it leaves, and has
      // not left before.
      nothing_duplicated: assert (
          (!shows_1 || at_head_1) &&
          (!(head_valid && head_combined && partner_id == id_q[0]) ||
           (request_q[0].whereabouts == Joined && request_q[0].place == '0)));

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
      combines_once: assert (!(|joins_1 && bit_at(paired_q, request_q[0].place)) &&
                             $countones(joins_1) <= 1);

      // A decoupled queue never combines at its head, a coupled one never with a head that leaves.
      head_spared: assert (!(|joins_1 && at_head_1 && (Coupled == 0 || release_i)));

      // Nothing combines while the wait buffer is full.
      no_combining_when_full: assert (!wait_buffer_full_i || combined == '0);

      // A request that combined with none leaves as it came.
      plain_unchanged: assert (!shows_1_alone ||
                               (head_form == request_q[0].form && head_a == request_q[0].a &&
                                head_b == request_q[0].b));

      // A request leaves to the address that it came for, and may combine behind this queue as
      // before it; so for its partner.
      address_kept: assert ((!shows_1 || (head_location == request_q[0].location &&
                                          head_combinable == request_q[0].combinable)) &&
                            (!shows_pair || head_location == request_q[1].location));

      // A combined request does to any word what its first and then its second request would.
      combined_operation: assert (!shows_pair ||
          value(head_form, head_a, head_b, x_q) ==
          value(request_q[1].form, request_q[1].a, request_q[1].b,
                value(request_q[0].form, request_q[0].a, request_q[0].b, x_q)));

      // The partner that leaves for the wait buffer carries the first request's operation.
      partner_operation: assert (!(shows_1 && head_combined) ||
                                 (partner_form == request_q[0].form &&
                                  partner_a == request_q[0].a && partner_b == request_q[0].b));

      // A request that leaves before one that came earlier does so as the partner of a still
      // earlier entry: nothing else overtakes.
      overtakes_by_joining: assert (!(release_i && shows_2 && later_q) ||
                                    request_q[0].whereabouts == Outside ||
                                    (head_combined && partner_id == id_q[1]));

      // Ordered, two requests of one input to one word leave in the order of their arrival, the
      // earlier in front or as the first of a pair of both.
      input_order_kept: assert (Ordered == 0 || !(shows_2 && later_q) ||
                                request_q[0].whereabouts == Outside || shows_pair ||
                                request_q[0].writer != request_q[1].writer ||
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
                            u_dut.entries_q[i].id == line_q[i] &&
                            u_dut.entries_q[i].combined == paired_q[i];
    assign entry_unlike[i] = !present || place_of(line_q, size_q, line_q[i]) == count_t'(i);
    assign entry_free_of_1[i] = !present || (
        ((line_q[i] == id_q[0]) == (waits_1 && request_q[0].place == count_t'(i))) &&
        (!paired_q[i] || ((u_dut.entries_q[i].partner_id == id_q[0]) ==
                          (request_q[0].whereabouts == Joined &&
                           request_q[0].place == count_t'(i)))));
    assign entry_free_of_2[i] = !present || (
        ((line_q[i] == id_q[1]) == (request_q[1].whereabouts == Waits &&
                                    request_q[1].place == count_t'(i))) &&
        (!paired_q[i] || ((u_dut.entries_q[i].partner_id == id_q[1]) ==
                          (request_q[1].whereabouts == Joined &&
                           request_q[1].place == count_t'(i)))));
    // Ordered: what is older than request 1 and of its word is sealed for its input.
    assign older_sealed[i] = Ordered == 0 || request_q[0].whereabouts == Outside ||
                             count_t'(i) >= request_q[0].place ||
                             u_dut.entries_q[i].location != request_q[0].location ||
                             (Writers == 2 && request_q[0].writer ?
                              u_dut.entries_q[i].sealed[Writers-1] : u_dut.entries_q[i].sealed[0]);
  end

  // The entry of each request that is followed.
  for (genvar k = 0; k < 2; k++) begin : gen_request
    logic                     entry_combinable, entry_combined;
    logic [LocationWidth-1:0] entry_location;
    form_e                    entry_form, entry_partner_form;
    word_t                    entry_a, entry_b, entry_partner_a, entry_partner_b;
    logic [Writers-1:0]       entry_sealed;

    always_comb begin
      entry_combinable   = 1'b0;
      entry_combined     = 1'b0;
      entry_location     = '0;
      entry_form         = FormIdentity;
      entry_a            = '0;
      entry_b            = '0;
      entry_partner_form = FormIdentity;
      entry_partner_a    = '0;
      entry_partner_b    = '0;
      entry_sealed       = '0;
      for (int unsigned i = 0; i < Slots; i++) begin
        if (count_t'(i) == request_q[k].place) begin
          entry_combinable   = u_dut.entries_q[i].combinable;
          entry_combined     = u_dut.entries_q[i].combined;
          entry_location     = u_dut.entries_q[i].location;
          entry_form         = u_dut.entries_q[i].form;
          entry_a            = u_dut.entries_q[i].a;
          entry_b            = u_dut.entries_q[i].b;
          entry_partner_form = u_dut.entries_q[i].partner_form;
          entry_partner_a    = u_dut.entries_q[i].partner_a;
          entry_partner_b    = u_dut.entries_q[i].partner_b;
          entry_sealed       = u_dut.entries_q[i].sealed;
        end
      end
    end

    assign request_placed[k] = request_q[k].whereabouts == Outside ||
                               (request_q[k].whereabouts inside {Waits, Joined} &&
                                request_q[k].place < size_q);
    // Its own operation lies in its entry: beside what both carry onward, once there is a partner,
    // unless the two are composed at the exit; there, a request without a partner has an identity.
    assign request_kept[k] = request_q[k].whereabouts != Waits || (
        entry_location == request_q[k].location && entry_combinable == request_q[k].combinable &&
        (entry_combined && SumAtExit == 0 ?
         entry_partner_form == request_q[k].form && entry_partner_a == request_q[k].a &&
         entry_partner_b == request_q[k].b :
         entry_form == request_q[k].form && entry_a == request_q[k].a &&
         entry_b == request_q[k].b) &&
        (SumAtExit == 0 || entry_combined || entry_partner_form == FormIdentity));
    assign partner_kept[k] = request_q[k].whereabouts != Joined || (
        entry_combined && entry_location == request_q[k].location &&
        (SumAtExit == 0 ||
         (entry_partner_form == request_q[k].form && entry_partner_a == request_q[k].a &&
          entry_partner_b == request_q[k].b)));
    assign seals_known[k] = Ordered == 0 || request_q[k].whereabouts != Waits ||
                            entry_sealed == request_q[k].followed;
  end

  // Request 2 is the partner of request 1.
  logic is_pair;
  assign is_pair = waits_1 && request_q[1].whereabouts == Joined &&
                   request_q[1].place == request_q[0].place;
  assign pair_composed = !is_pair || (
      may_join(Forms, request_q[0].form, request_q[1].form) &&
      (SumAtExit != 0 ||
       value(gen_request[0].entry_form, gen_request[0].entry_a, gen_request[0].entry_b, x_q) ==
       value(request_q[1].form, request_q[1].a, request_q[1].b,
             value(request_q[0].form, request_q[0].a, request_q[0].b, x_q))));

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The registers count the entries and the combined ones among them.
      helper_counts: assert (u_dut.size_q == size_q && int'(u_dut.combined_q) == pairs);
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
      helper_later: assert (!later_q || request_q[0].whereabouts == Outside ||
                            request_q[1].whereabouts != Waits ||
                            request_q[1].place > request_q[0].place);
      // Ordered, of two requests of one input to one word, the later stands behind, or joined the
      // earlier.
      helper_order: assert (Ordered == 0 || !later_q || is_pair ||
                            request_q[0].whereabouts == Outside ||
                            request_q[1].whereabouts == Outside ||
                            request_q[0].writer != request_q[1].writer ||
                            request_q[0].location != request_q[1].location ||
                            request_q[1].place > request_q[0].place);
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
          request_q[0].form == FormAdd && request_q[1].form == FormAdd &&
          value(head_form, head_a, head_b, x_q) !=
          value(partner_form, partner_a, partner_b, x_q));
      // A request joins a head that stays.
      reached_head_joined: cover (|joins_1 && at_head_1 && !release_i);
      // A request joins the entry behind a head that leaves.
      reached_new_head_joined: cover (|joins_1 && release_i && request_q[0].place == count_t'(1));
      // A request would join the head, were it not spared.
      reached_head_spared: cover (composable[0] && spared_1 && inserted[0] &&
                                  !wait_buffer_full_i);
      // A request meets an entry of its word that has a partner already.
      reached_meets_pair: cover (waits_1 && !single_1 && !spared_1 && inserted[0] &&
                                 combinable_i[0] && !wait_buffer_full_i &&
                                 location_i[0] == request_q[0].location);
      // A request overtakes one of its input and word by joining an older entry.
      reached_overtaken: cover (Ordered == 0 && release_i && shows_2 && later_q &&
                                request_q[0].whereabouts != Outside && request_q[0].place != '0 &&
                                request_q[0].writer == request_q[1].writer &&
                                request_q[0].location == request_q[1].location);
      // The order of its input keeps a request from an entry that it would join otherwise.
      reached_sealed: cover (Ordered != 0 && composable[0] && !spared_1 && inserted[0] &&
                             !wait_buffer_full_i && request_q[0].followed[0]);
      // Two requests of one input to one word leave as a pair.
      reached_pair_of_one_input: cover (release_i && shows_pair && later_q &&
                                        request_q[0].writer == request_q[1].writer);
      // Combined requests fill a queue that has free slots.
      reached_limit: cover (!ready && int'(size_q) + Writers <= Slots);
      // The full wait buffer keeps a request from an entry that it would join otherwise.
      reached_wait_buffer_full: cover (composable[0] && !spared_1 && inserted[0] &&
                                       wait_buffer_full_i);
      // Requests of one cycle both join.
      reached_both_join: cover (Writers == 2 && &combined);
      // Requests of one cycle both become entries.
      reached_both_inserted: cover (Writers == 2 && &inserted);
      // Requests of one cycle and word would join one entry: the first does.
      reached_first_taken: cover (Writers == 2 && joins_1[0] && valid_i[Writers-1] &&
                                  !joins_1[Writers-1] && combinable_i[Writers-1] &&
                                  location_i[Writers-1] == request_q[0].location);
    end
  end

endmodule
