// SPDX-License-Identifier: Apache-2.0
// Properties of the whole switch (rtl/combining_switch.sv; cycle contract, rules 4, 6 and 7), with
// all its queues, wait buffers and links in it: nothing is cut out and nothing is replaced.
//
// Two requests are followed. Their identities are chosen in the first cycle and nothing else is
// said of them, so what is proven of them holds of any two. What they were when they were accepted
// is kept beside the switch; so is what memory answered. A word, free but constant, stands for
// every word of memory. Who has which identity at the moment (sources, switch, memory) is kept for
// all identities, because the wait buffer finds its entries by them. That a request joined another
// is read from the switch's events; that these say what the queues do is among what is proven.
//
// What the switch asks of its blocks is proven here of the blocks where they stand, by helpers on
// their registers; no proof of a block is assumed. Of what the blocks' own proofs assume of their
// surroundings, this is asserted here:
//
//   assumed in the proof of         | what                                 | here
//   combining_queue, systolic_queue | requests only while ready, each once | assumed of the sources
//   combining_queue, systolic_queue | release only of a valid head         | the block's assertion
//   wait_buffer                     | identities that wait are distinct    | wait_buffer_identities
//   wait_buffer                     | a partner only while there is room   | wait_buffer_room
//   reverse_queue                   | responses only while ready           | reverse_queue_room
//
// Widths. Locations are compared with each other, and two bits of the module's number select
// outputs: 2 bits of module and 1 of address. Words are stored, moved and handed to compose_unit
// and apply_unit, and nothing in the switch depends on them: one bit shows that the right operands
// get to the right place. At one bit operations are alike that differ at more (add and exclusive
// or), so what the two units do to a word is not proven here but in the proof of compose_unit, at
// its own widths, and in that of the wait buffer.
//
// Identities are compared in the wait buffer and in the events, and one bit of the element's number
// selects the input: 2 bits of element, and of sequence as many as the list of proofs says. With 2
// there are 16 identities, eight of an input, and no more requests are outstanding at once. A
// switch of four slots a queue could hold more, with partners in all entries: its queues, wait
// buffers and reverse queues at their fullest all at once are not in these proofs. A full wait
// buffer before which a pair waits and reverse queues that take nothing are cover points. Not in
// the proofs either: a gradual limit of adaptive combining, and links of other than two cycles.
module combining_switch_properties
  import tributary_pkg::*;
  import operation_values_pkg::*;
#(
  parameter int unsigned          DualInput         = 0,
  parameter int unsigned          Coupled           = 0,
  parameter int unsigned          Ordered           = 0,
  parameter int unsigned          Microarchitecture = 0,
  parameter int unsigned          SumAtExit         = 0,
  parameter int unsigned          ArrivalRegisters  = 0,
  parameter int unsigned          Slots             = 4,
  parameter int unsigned          AdaptiveLimit     = 0,
  parameter int unsigned          Gradual           = 0,
  parameter int unsigned          WaitBufferEntries = 2,
  parameter int unsigned          LinkCycles        = 2,
  parameter int unsigned          ReverseSlots      = 5,
  parameter logic [FormCount-1:0] Forms             = '1,
  parameter int unsigned          DataWidth         = 3,
  parameter int unsigned          AddressWidth      = 1,
  parameter int unsigned          ModuleWidth       = 2,
  parameter int unsigned          SequenceWidth     = 2,
  parameter int unsigned          StatusWidth       = 1,
  localparam int unsigned         ElementWidth      = ModuleWidth,
  localparam int unsigned         LocationWidth     = ModuleWidth + AddressWidth,
  localparam int unsigned         IdWidth           = SequenceWidth + ElementWidth,
  localparam int unsigned         RouteWidth        = $clog2(ModuleWidth),
  localparam type                 word_t            = logic [DataWidth-1:0],
  localparam type                 id_t              = logic [IdWidth-1:0],
  localparam type                 location_t        = logic [LocationWidth-1:0],
  localparam type                 operation_t       = struct packed {
    form_e form;
    word_t a;
    word_t b;
  },
  localparam type                 request_t         = struct packed {
    location_t  location;
    operation_t operation;
    id_t        id;
    logic       combinable;
  },
  localparam type                 partner_t         = struct packed {
    id_t        id;
    operation_t operation;
  },
  localparam type                 response_t        = struct packed {
    logic [StatusWidth-1:0] status;
    word_t                  value;
    id_t                    id;
  }
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [RouteWidth-1:0] route_bit_i,

  input logic     [1:0]      request_valid_i,
  input request_t [1:0]      request_i,
  input logic     [1:0][1:0] request_ready_i,

  input logic      [1:0] response_valid_i,
  input response_t [1:0] response_i,
  input logic      [1:0] response_ready_i,

  // Read in the first cycle only: the two requests that are followed, and the word.
  input id_t   first_i,
  input id_t   second_i,
  input word_t word_i
);

  localparam logic        Systolic = Microarchitecture != 0 && DualInput == 0;
  localparam int unsigned Joins    = Systolic ? 4 * Slots : 2;
  localparam int unsigned Queues   = DualInput != 0 ? 1 : 2;  // of an output
  localparam int unsigned Climbing = Systolic ? (Slots > 1 ? Slots - 1 : 1) : 0;
  localparam int unsigned Entries  = Slots + Climbing;        // of a queue
  localparam int unsigned Partners = WaitBufferEntries;

  typedef logic [2**IdWidth-1:0] set_t;  // of identities

  function automatic set_t only(logic valid, id_t id);
    return set_t'(valid) << id;
  endfunction

  function automatic word_t value(operation_t operation, word_t x);
    return word_t'(value_after(DataWidth, operation.form, value_t'(operation.a),
                               value_t'(operation.b), value_t'(x)));
  endfunction

  // --- the switch --------------------------------------------------------------------------------

  logic      [1:0][1:0]  request_ready;
  logic      [1:0]       request_valid, response_ready, response_valid;
  request_t  [1:0]       request;
  response_t [1:0]       response, second;  // to an input; that a response yields
  logic                  idle;
  logic      [1:0]       inserted, departed, held, decombined;
  logic      [Joins-1:0] joins;
  id_t       [Joins-1:0] joined_id, joining_id;

  combining_switch #(
    .DualInput        (DualInput),
    .Coupled          (Coupled),
    .Ordered          (Ordered),
    .Microarchitecture(Microarchitecture),
    .SumAtExit        (SumAtExit),
    .ArrivalRegisters (ArrivalRegisters),
    .Slots            (Slots),
    .AdaptiveLimit    (AdaptiveLimit),
    .Gradual          (Gradual),
    .WaitBufferEntries(WaitBufferEntries),
    .LinkCycles       (LinkCycles),
    .ReverseSlots     (ReverseSlots),
    .Forms            (Forms),
    .DataWidth        (DataWidth),
    .AddressWidth     (AddressWidth),
    .ModuleWidth      (ModuleWidth),
    .SequenceWidth    (SequenceWidth),
    .ElementWidth     (ElementWidth),
    .StatusWidth      (StatusWidth)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .route_bit_i,
    .request_ready_o   (request_ready),
    .request_valid_i,
    .request_i,
    .request_ready_i,
    .request_valid_o   (request_valid),
    .request_o         (request),
    .response_ready_o  (response_ready),
    .response_valid_i,
    .response_i,
    .response_ready_i,
    .response_valid_o  (response_valid),
    .response_o        (response),
    .idle_o            (idle),
    .event_inserted_o  (inserted),
    .event_combined_o  (joins),
    .event_joined_id_o (joined_id),
    .event_joining_id_o(joining_id),
    .event_departed_o  (departed),
    .event_held_o      (held),
    .event_decombined_o(decombined),
    .event_second_o    (second)
  );

  // --- reset, and what is free but constant ------------------------------------------------------

  logic                  init_q = 1'b0;
  logic                  running;
  logic [RouteWidth-1:0] route_q;
  id_t                   x_q, y_q;  // the identities of the first and the second request
  word_t                 word_q;

  always_ff @(posedge clk_i) begin
    init_q <= 1'b1;
    if (!init_q) begin
      route_q <= route_bit_i;
      x_q     <= first_i;
      y_q     <= second_i;
      word_q  <= word_i;
    end
  end

  always_comb if (!init_q) assume (!rst_ni);
  assign running = init_q && rst_ni;

  // --- routing, read from the rules --------------------------------------------------------------

  function automatic logic output_of(location_t location, logic [RouteWidth-1:0] route);
    logic [ModuleWidth-1:0] module_number;
    module_number = location[LocationWidth-1:AddressWidth];
    return module_number[route];
  endfunction

  // The output of the next switch, by the bit below; behind the last switch the memory module,
  // whose two ready bits say the same.
  function automatic logic next_output_of(location_t location, logic [RouteWidth-1:0] route);
    return route != '0 && output_of(location, route - RouteWidth'(1));
  endfunction

  function automatic logic input_of(id_t id, logic [RouteWidth-1:0] route);
    logic [ElementWidth-1:0] element;
    element = id[ElementWidth-1:0];
    return element[route];
  endfunction

  // --- what enters the queues --------------------------------------------------------------------

  // Requests by input, answers of memory by output: those of the ports, or, where the switch has a
  // register behind each link, those of the cycle before. A response is looked for in the wait
  // buffer as it arrives, and yields its second one as it enters.
  logic      [1:0] entering_valid, answer_valid;
  request_t  [1:0] entering;
  response_t [1:0] answer;

  if (ArrivalRegisters == 0) begin : gen_enter_at_once
    assign entering_valid = request_valid_i;
    assign entering       = request_i;
    assign answer_valid   = response_valid_i;
    assign answer         = response_i;
  end else begin : gen_enter_later
    logic      [1:0] request_valid_q, answer_valid_q;
    request_t  [1:0] request_q;
    response_t [1:0] answer_q;
    always_ff @(posedge clk_i) begin
      request_valid_q <= rst_ni ? request_valid_i : '0;
      answer_valid_q  <= rst_ni ? response_valid_i : '0;
      request_q       <= request_i;
      answer_q        <= response_i;
    end
    assign entering_valid = request_valid_q;
    assign entering       = request_q;
    assign answer_valid   = answer_valid_q;
    assign answer         = answer_q;
  end

  // Those that lie in the registers.
  set_t [1:0] arriving, answering;
  for (genvar p = 0; p < 2; p++) begin : gen_arriving
    assign arriving[p]  = only(ArrivalRegisters != 0 && entering_valid[p], entering[p].id);
    assign answering[p] = only(ArrivalRegisters != 0 && answer_valid[p], answer[p].id);
  end

  // --- who has which identity, from the ports ----------------------------------------------------

  set_t       outstanding_d, outstanding_q;  // accepted and not answered
  set_t       unsent_d, unsent_q;            // of these, not departed under its own identity
  set_t [1:0] owed_d, owed_q;                // departed, by output, and not answered by memory

  always_comb begin
    outstanding_d = outstanding_q;
    unsent_d      = unsent_q;
    owed_d        = owed_q;
    for (int unsigned p = 0; p < 2; p++) begin
      outstanding_d &= ~only(response_valid[p], response[p].id);
      unsent_d      &= ~only(response_valid[p], response[p].id);
      unsent_d      &= ~only(request_valid[p], request[p].id);
      owed_d[p]     &= ~only(response_valid_i[p], response_i[p].id);
      owed_d[p]     |= only(request_valid[p], request[p].id);
    end
    for (int unsigned i = 0; i < 2; i++) begin
      outstanding_d |= only(request_valid_i[i], request_i[i].id);
      unsent_d      |= only(request_valid_i[i], request_i[i].id);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      outstanding_q <= '0;
      unsent_q      <= '0;
      owed_q        <= '0;
    end else begin
      outstanding_q <= outstanding_d;
      unsent_q      <= unsent_d;
      owed_q        <= owed_d;
    end
  end

  logic [1:0] arrives_ready, arrives_once, arrives_at_its_input, answers_ready, answers_owed;
  for (genvar p = 0; p < 2; p++) begin : gen_environment
    assign arrives_ready[p] =
        !request_valid_i[p] || request_ready[p][output_of(request_i[p].location, route_q)];
    assign arrives_once[p] = !request_valid_i[p] || !outstanding_q[request_i[p].id];
    assign arrives_at_its_input[p] =
        !request_valid_i[p] || input_of(request_i[p].id, route_q) == (p != 0);
    assign answers_ready[p] = !response_valid_i[p] || response_ready[p];
    assign answers_owed[p]  = !response_valid_i[p] || owed_q[p][response_i[p].id];
  end

  always_comb begin
    if (init_q) begin
      // Reset comes in the first cycle and never again.
      env_reset_once: assume (rst_ni);
      // The bit by which a switch routes is constant.
      env_route_bit: assume (route_bit_i == route_q);
      // The two requests that are followed are two.
      env_two_requests: assume (x_q != y_q);
      // A request arrives only where the ready bit of the queue that it takes is set (rule 1).
      env_arrives_ready: assume (&arrives_ready);
      // A source has one request of an identity outstanding at a time (rule 10).
      env_arrives_once: assume (&arrives_once);
      // A request comes in at the input that the network of links gives its element.
      env_arrives_at_its_input: assume (&arrives_at_its_input);
      // A response arrives only where the ready bit is set (rule 7).
      env_answers_ready: assume (&answers_ready);
      // Memory answers what departed through this output, once, in any order.
      env_answers_owed: assume (&answers_owed);
    end
  end

  // --- the two requests that are followed, from the ports ----------------------------------------

  request_t x_d, x_request_q, y_d, y_request_q;  // as they were accepted
  logic     x_accepted, y_accepted, x_answered;  // now, or they leave the register; by memory
  // Whether the request joined another (it is a second), or another joined it.
  logic     x_second_d, x_second_q, y_second_d, y_second_q, x_joined_d, x_joined_q;
  logic     pair_d, pair_q;  // y joined x, and memory has not answered x
  response_t x_answer_d, x_answer_q, y_answer_d, y_answer_q;  // what each must be answered
  logic     y_due_d, y_due_q;  // y joined x, and memory has answered x

  always_comb begin
    x_d        = x_request_q;
    y_d        = y_request_q;
    x_accepted = 1'b0;
    y_accepted = 1'b0;
    x_answered = 1'b0;
    x_second_d = x_second_q;
    y_second_d = y_second_q;
    x_joined_d = x_joined_q;
    pair_d     = pair_q;
    x_answer_d = x_answer_q;
    y_answer_d = y_answer_q;
    y_due_d    = y_due_q;

    for (int unsigned p = 0; p < 2; p++) begin
      if (answer_valid[p] && answer[p].id == x_q) begin
        x_answered = 1'b1;
        x_answer_d = answer[p];
        if (pair_q) begin
          y_answer_d = '{
              status: answer[p].status,
              value: value(x_request_q.operation, answer[p].value),
              id: y_q
          };
          y_due_d = 1'b1;
        end
      end
      if (response_valid[p] && response[p].id == y_q) y_due_d = 1'b0;
    end
    if (x_answered) begin
      pair_d     = 1'b0;
      x_joined_d = 1'b0;
    end

    for (int unsigned i = 0; i < 2; i++) begin
      if (entering_valid[i] && entering[i].id == x_q) begin
        x_accepted = 1'b1;
        x_d        = entering[i];
      end
      if (entering_valid[i] && entering[i].id == y_q) begin
        y_accepted = 1'b1;
        y_d        = entering[i];
      end
    end
    if (x_accepted) begin
      x_second_d = 1'b0;
      x_joined_d = 1'b0;
      pair_d     = 1'b0;
    end
    if (y_accepted) begin
      y_second_d = 1'b0;
      pair_d     = 1'b0;
    end

    for (int unsigned j = 0; j < Joins; j++) begin
      if (joins[j] && joining_id[j] == x_q) x_second_d = 1'b1;
      if (joins[j] && joining_id[j] == y_q) y_second_d = 1'b1;
      if (joins[j] && joined_id[j] == x_q) begin
        x_joined_d = 1'b1;
        if (joining_id[j] == y_q) pair_d = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    x_request_q <= x_d;
    y_request_q <= y_d;
    x_answer_q  <= x_answer_d;
    y_answer_q  <= y_answer_d;
    if (!rst_ni) begin
      x_second_q <= 1'b0;
      y_second_q <= 1'b0;
      x_joined_q <= 1'b0;
      pair_q     <= 1'b0;
      y_due_q    <= 1'b0;
    end else begin
      x_second_q <= x_second_d;
      y_second_q <= y_second_d;
      x_joined_q <= x_joined_d;
      pair_q     <= pair_d;
      y_due_q    <= y_due_d;
    end
  end

  // --- turns on the way back ---------------------------------------------------------------------

  // Memory's answers and the second ones, by output and half, in the order of their turn (rule 7);
  // and whether x, while it returns, was answered before y.
  logic [3:0] x_enters, y_enters;
  logic [1:0] x_returns;  // now, by input
  logic       x_ahead_d, x_ahead_q;

  // --- links and turns ---------------------------------------------------------------------------

  // Cycles in which a link still carries its last message, and cycles that a head may go and has
  // not gone, by output and queue.
  localparam int unsigned RestWidth = $clog2(LinkCycles + 1);
  localparam int unsigned MostTurns = Queues * LinkCycles;
  localparam int unsigned WaitWidth = $clog2(MostTurns + 1);
  typedef logic [RestWidth-1:0] rest_t;
  typedef logic [WaitWidth-1:0] waited_t;

  rest_t   [1:0]             request_rest_q, response_rest_q;
  logic    [1:0][Queues-1:0] may_go, goes;
  waited_t [1:0][Queues-1:0] waited_q;  // holds at MostTurns

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < 2; p++) begin
      if (!rst_ni) request_rest_q[p] <= '0;
      else if (request_valid[p]) request_rest_q[p] <= rest_t'(LinkCycles - 1);
      else if (request_rest_q[p] != '0) request_rest_q[p] <= request_rest_q[p] - rest_t'(1);
      if (!rst_ni) response_rest_q[p] <= '0;
      else if (response_valid[p]) response_rest_q[p] <= rest_t'(LinkCycles - 1);
      else if (response_rest_q[p] != '0) response_rest_q[p] <= response_rest_q[p] - rest_t'(1);
      for (int unsigned q = 0; q < Queues; q++) begin
        if (!rst_ni || !may_go[p][q] || goes[p][q]) waited_q[p][q] <= '0;
        else if (waited_q[p][q] != waited_t'(MostTurns)) begin
          waited_q[p][q] <= waited_q[p][q] + waited_t'(1);
        end
      end
    end
  end

  // The queue that has the turn at a link: the one that did not go last, queue 0 at first (rule 4).
  logic [1:0] turn_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < 2; p++) begin
      if (!rst_ni) turn_q[p] <= 1'b0;
      else if (Queues == 2 && goes[p] != '0) turn_q[p] <= goes[p][0];
    end
  end

  // --- what lies where in the switch -------------------------------------------------------------

  // Where an identity is: in a queue, by output and queue, as entry or as partner; in the wait
  // buffer of an output, as second; or on its way back to an input.
  set_t [1:0][Queues-1:0] queued_d, queued_q;
  set_t [1:0]             held_d, held_q, returning_d, returning_q;

  // Requests that have left the queue of x since x came to it, as an entry or as a partner, and
  // responses that have left the reverse queue of x since x came to it. Both counters saturate, at
  // Slots and at ReverseSlots.
  localparam int unsigned BeforeWidth   = $clog2(Slots + 1);
  localparam int unsigned ReturnedWidth = $clog2(ReverseSlots + 1);
  typedef logic [BeforeWidth-1:0]   before_t;
  typedef logic [ReturnedWidth-1:0] returned_t;
  before_t   left_before_x_q;
  returned_t returned_before_x_q;
  logic      x_queued, x_queue_goes, x_returning, x_line_goes;

  always_comb begin
    x_queued     = 1'b0;
    x_queue_goes = 1'b0;
    x_returning  = 1'b0;
    x_line_goes  = 1'b0;
    for (int unsigned p = 0; p < 2; p++) begin
      for (int unsigned q = 0; q < Queues; q++) begin
        x_queued     |= queued_q[p][q][x_q];
        x_queue_goes |= queued_q[p][q][x_q] && goes[p][q];
      end
      x_returning |= returning_q[p][x_q];
      x_line_goes |= returning_q[p][x_q] && response_valid[p];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || !x_queued) left_before_x_q <= '0;
    else if (x_queue_goes && 32'(left_before_x_q) != Slots) begin
      left_before_x_q <= left_before_x_q + before_t'(1);
    end
    if (!rst_ni || !x_returning) returned_before_x_q <= '0;
    else if (x_line_goes && 32'(returned_before_x_q) != ReverseSlots) begin
      returned_before_x_q <= returned_before_x_q + returned_t'(1);
    end
  end

  // What x and then y do to the word.
  word_t value_of_both;
  assign value_of_both = value(y_request_q.operation, value(x_request_q.operation, word_q));

  // An entry of a queue, in either microarchitecture. `alone` is the operation of the request
  // itself; where a pair has been composed, its request carries that of both together, and else its
  // partner that of the second.
  typedef struct packed {
    logic       valid;
    request_t   request;
    operation_t alone;
    logic       pair;
    logic       composed;
    partner_t   partner;
  } entry_t;

  // Whether the entry's own request is as it was accepted.
  function automatic logic as_accepted(entry_t here, request_t accepted);
    return here.request.location == accepted.location &&
           here.request.combinable == accepted.combinable && here.alone == accepted.operation;
  endfunction

  entry_t    [1:0][Queues-1:0][Entries-1:0] entry;
  logic      [1:0][Partners-1:0]            used;          // of the wait buffer
  id_t       [1:0][Partners-1:0]            first;
  partner_t  [1:0][Partners-1:0]            waiting;
  logic      [1:0][ReverseSlots-1:0]        reverse_used;  // of the reverse queue
  response_t [1:0][ReverseSlots-1:0]        reverse_entry;

  // What departed by an output, and whose answer has not entered.
  set_t [1:0] unanswered;
  assign unanswered = owed_q | answering;

  // What holds of them, by output, input and queue; the sentences stand at the assertions.
  logic [1:0][Queues-1:0] queue_shaped, queue_known, queue_distinct, queue_has_x;
  logic [1:0][Queues-1:0] queue_x, queue_y, queue_pair, queue_in_time;
  logic [1:0]             waiting_known, firsts_distinct, seconds_distinct, waiting_has_x;
  logic [1:0]             waiting_x, waiting_y, owed_x, full, buffer_full;
  logic [1:0]             response_room, response_known, responses_distinct, response_has_x;
  logic [1:0]             response_x, response_y, y_behind_x, timers_known, turns_known, turn_known;
  logic [1:0]             response_in_time, reverse_shaped;
  id_t  [1:0]             leaving_partner;

`define OUTPUT u_dut.gen_output[o]
`define PARALLEL u_dut.gen_output[o].gen_queue[q].gen_parallel.u_queue
`define SYSTOLIC u_dut.gen_output[o].gen_queue[q].gen_systolic.u_queue
`define BUFFER u_dut.gen_output[o].u_wait_buffer
`define REVERSE u_dut.gen_input[i].u_reverse_queue

  for (genvar o = 0; o < 2; o++) begin : gen_output
    for (genvar q = 0; q < Queues; q++) begin : gen_queue
      entry_t [Entries-1:0] here;
      assign entry[o][q] = here;

      if (Systolic) begin : gen_systolic
        // OUT with CHUTE in the lower places, IN above them. Decoupled, the exit cell holds what
        // both carry onward, and CHUTE beside it the operation of the first.
        for (genvar e = 0; e < Slots; e++) begin : gen_out
          localparam logic Composed = Coupled == 0 && e == 0;
          assign here[e] = '{
                  valid: `SYSTOLIC.out_q[e].valid,
                  request: `SYSTOLIC.out_q[e].request,
                  alone: Composed && `SYSTOLIC.chute_q[e].valid ?
                         `SYSTOLIC.chute_q[e].operation : `SYSTOLIC.out_q[e].request.operation,
                  pair: `SYSTOLIC.chute_q[e].valid,
                  composed: Composed,
                  partner: '{id: `SYSTOLIC.chute_q[e].id, operation: `SYSTOLIC.chute_q[e].operation}
              };
        end
        for (genvar e = 0; e < Climbing; e++) begin : gen_in
          assign here[Slots+e] = '{
                  valid: `SYSTOLIC.in_q[e].valid,
                  request: `SYSTOLIC.in_q[e].request,
                  alone: `SYSTOLIC.in_q[e].request.operation,
                  pair: 1'b0,
                  composed: 1'b0,
                  partner: '0
              };
        end
        logic [7:0] count;
        logic       beside;
        always_comb begin
          count  = '0;
          beside = 1'b1;
          for (int unsigned e = 0; e < Entries; e++) count = count + 8'(here[e].valid);
          for (int unsigned e = 0; e < Slots; e++) begin
            if (!here[e].valid) begin
              if (here[e].pair) beside = 1'b0;
              if (e + 1 < Slots && here[e+1].valid) beside = 1'b0;
              if (e < Climbing && here[Slots+e].valid) beside = 1'b0;
            end
          end
        end
        assign queue_shaped[o][q] =
            beside && count == 8'(`SYSTOLIC.size_q) && count <= 8'(Slots);
      end else begin : gen_parallel
        logic [Slots-1:0] alone_or_pair;
        for (genvar e = 0; e < Slots; e++) begin : gen_entry
          assign here[e] = '{
                  valid: `PARALLEL.used_q[e],
                  request: `PARALLEL.entries_q[e].request,
                  alone: SumAtExit == 0 && `PARALLEL.entries_q[e].combined ?
                         `PARALLEL.entries_q[e].partner.operation :
                         `PARALLEL.entries_q[e].request.operation,
                  pair: `PARALLEL.entries_q[e].combined,
                  composed: SumAtExit == 0,
                  partner: `PARALLEL.entries_q[e].partner
              };
          assign alone_or_pair[e] = SumAtExit == 0 || !here[e].valid || here[e].pair ||
                                    here[e].partner.operation.form == FormIdentity;
        end
        // From slot 0 on without a gap.
        assign queue_shaped[o][q] =
            (`PARALLEL.used_q & ~(`PARALLEL.used_q << 1 | Slots'(1'b1))) == '0 && &alone_or_pair;
      end

      // The identities in the queue: of entries in the even places, of partners in the odd ones.
      logic [2*Entries-1:0] valid, known, distinct, has_x, has_y;
      id_t  [2*Entries-1:0] id;
      logic [Entries-1:0]   as_x, as_y, as_pair, x_in_time;
      for (genvar e = 0; e < Entries; e++) begin : gen_identities
        assign valid[2*e]   = here[e].valid;
        assign valid[2*e+1] = here[e].valid && here[e].pair;
        assign id[2*e]      = here[e].request.id;
        assign id[2*e+1]    = here[e].partner.id;

        // Entries that leave before this one: those below it in OUT, or, of one that climbs, all in
        // OUT and those above it in IN.
        logic [7:0] ahead;
        if (e < Slots) begin : gen_ahead
          assign ahead = 8'(e);
        end else begin : gen_climbing
          always_comb begin
            ahead = '0;
            for (int unsigned r = 0; r < Entries; r++) begin
              if (r < Slots || r > e) ahead = ahead + 8'(here[r].valid);
            end
          end
        end

        logic x_here, y_here, x_joins, y_joins;
        assign x_here  = has_x[2*e];
        assign x_joins = has_x[2*e+1];
        assign y_here  = has_y[2*e];
        assign y_joins = has_y[2*e+1];
        assign x_in_time[e] = !(x_here || x_joins) || 32'(left_before_x_q) + 32'(ahead) < Slots;
        assign as_x[e] =
            (!x_here || (!x_second_q && here[e].pair == x_joined_q &&
                         y_joins == pair_q && as_accepted(here[e], x_request_q))) &&
            (!x_joins || x_second_q);
        assign as_y[e] =
            (!y_here || (!y_second_q && as_accepted(here[e], y_request_q))) &&
            (!y_joins || (y_second_q && x_here == pair_q));
        assign as_pair[e] =
            !(x_here && y_joins) ||
            (here[e].composed ? value(here[e].request.operation, word_q) == value_of_both :
                                here[e].partner.operation == y_request_q.operation);
      end
      for (genvar p = 0; p < 2 * Entries; p++) begin : gen_places
        logic [2*Entries-1:0] differs;
        assign known[p] = !valid[p] || queued_q[o][q][id[p]];
        assign has_x[p] = valid[p] && id[p] == x_q;
        assign has_y[p] = valid[p] && id[p] == y_q;
        for (genvar r = 0; r < 2 * Entries; r++) begin : gen_others
          assign differs[r] = r >= p || !valid[p] || !valid[r] || id[p] != id[r];
        end
        assign distinct[p] = &differs;
      end
      assign queue_known[o][q]    = &known;
      assign queue_distinct[o][q] = &distinct;
      assign queue_has_x[o][q]    = !queued_q[o][q][x_q] || has_x != '0;
      assign queue_x[o][q]        = &as_x;
      assign queue_in_time[o][q]  = &x_in_time;
      assign queue_y[o][q]        = &as_y;
      assign queue_pair[o][q]     = &as_pair;

      // A head that may go: it is there, the queue that it takes is ready, and if it is a pair, the
      // wait buffer was not full at the start (rule 4).
      assign may_go[o][q] =
          `OUTPUT.head_valid[q] &&
          request_ready_i[o][next_output_of(`OUTPUT.head[q].location, route_q)] &&
          !(`OUTPUT.head_combined[q] && full[o]);
      assign goes[o][q] = `OUTPUT.grant[q];
    end

    // --- the wait buffer ---

    logic [Partners-1:0] known, first_differs, second_differs, has_x, has_first_x;
    logic [Partners-1:0] as_x, as_y;
    assign used[o] = `BUFFER.used_q;
    for (genvar e = 0; e < Partners; e++) begin : gen_partner
      logic [Partners-1:0] other_first, other_second;
      assign first[o][e]    = `BUFFER.entries_q[e].first_id;
      assign waiting[o][e]  = `BUFFER.entries_q[e].partner;
      assign known[e]       = !used[o][e] ||
                              (unanswered[o][first[o][e]] && held_q[o][waiting[o][e].id]);
      assign has_x[e]       = used[o][e] && waiting[o][e].id == x_q;
      assign has_first_x[e] = used[o][e] && first[o][e] == x_q;
      assign as_x[e] = (!has_x[e] || x_second_q) &&
                       (!has_first_x[e] ||
                        (x_joined_q && waiting[o][e].operation == x_request_q.operation &&
                         (waiting[o][e].id == y_q) == pair_q));
      assign as_y[e] = !(used[o][e] && waiting[o][e].id == y_q) ||
                       (y_second_q && has_first_x[e] == pair_q);
      for (genvar r = 0; r < Partners; r++) begin : gen_others
        assign other_first[r]  = r >= e || !used[o][e] || !used[o][r] ||
                                 first[o][e] != first[o][r];
        assign other_second[r] = r >= e || !used[o][e] || !used[o][r] ||
                                 waiting[o][e].id != waiting[o][r].id;
      end
      assign first_differs[e]  = &other_first;
      assign second_differs[e] = &other_second;
    end
    assign full[o]             = &used[o];
    assign buffer_full[o]      = `OUTPUT.buffer_full;
    assign waiting_known[o]    = &known;
    assign firsts_distinct[o]  = &first_differs;
    assign seconds_distinct[o] = &second_differs;
    assign waiting_has_x[o]    = !held_q[o][x_q] || has_x != '0;
    assign waiting_x[o]        = &as_x;
    assign waiting_y[o]        = &as_y;
    // While memory has x: it is no second, and its partner waits.
    assign owed_x[o] = !unanswered[o][x_q] || (!x_second_q && (has_first_x != '0) == x_joined_q);
    assign leaving_partner[o] = `BUFFER.insert_partner_i.id;

    // --- the link ---

    logic others_turn;
    assign turn_known[o] = turn_q[o] == others_turn;
    if (DualInput != 0) begin : gen_one
      assign others_turn    = 1'b0;
      assign turns_known[o] = 32'(waited_q[o][0]) + 32'(request_rest_q[o]) < LinkCycles;
    end else begin : gen_two
      logic [1:0] short, late;
      assign others_turn = `OUTPUT.gen_arbiter.second_first_q;
      for (genvar q = 0; q < 2; q++) begin : gen_turn
        assign short[q] = 32'(waited_q[o][q]) + 32'(request_rest_q[o]) < LinkCycles;
        assign late[q]  = 32'(waited_q[o][q]) + 32'(request_rest_q[o]) < 2 * LinkCycles;
      end
      assign turns_known[o] = &late && (short[0] || !others_turn) && (short[1] || others_turn);
    end
  end

  for (genvar i = 0; i < 2; i++) begin : gen_input
    // In the order in which they leave: the head, then the ring from the place of its oldest on.
    // The place that is written next lies behind them all.
    localparam int unsigned Banks  = 4;
    localparam int unsigned Places = Banks * ((ReverseSlots - 1 + Banks - 1) / Banks);
    response_t [ReverseSlots-1:0] line;
    logic      [Places-1:0]       next, behind;
    always_comb begin
      line    = '0;
      line[0] = `REVERSE.head_q;
      behind  = `REVERSE.read_q;
      for (int unsigned e = 1; e < ReverseSlots; e++) begin
        for (int unsigned p = 0; p < Places; p++) begin
          if (`REVERSE.read_q[p]) begin
            line[e] |= `REVERSE.ring_q[(p+e-1)%Places/Banks][(p+e-1)%Banks];
          end
        end
        if (e < 32'(`REVERSE.size_q)) behind = {behind[Places-2:0], behind[Places-1]};
      end
      for (int unsigned p = 0; p < Places; p++) begin
        next[p] = `REVERSE.row_q[p/Banks] && `REVERSE.bank_q[p%Banks];
      end
    end
    assign reverse_shaped[i] = $onehot(`REVERSE.read_q) && $onehot(`REVERSE.row_q) &&
                               $onehot(`REVERSE.bank_q) && next == behind;

    logic [ReverseSlots-1:0] known, distinct, has_x, as_x, as_y, behind_x, in_time;
    for (genvar e = 0; e < ReverseSlots; e++) begin : gen_response
      response_t here;
      logic is_x, is_y;
      logic [ReverseSlots-1:0] differs;
      assign here                = line[e];
      assign reverse_entry[i][e] = here;
      assign reverse_used[i][e]  = e < 32'(`REVERSE.size_q);
      assign known[e] = !reverse_used[i][e] || returning_q[i][here.id];
      assign is_x     = reverse_used[i][e] && here.id == x_q;
      assign is_y     = reverse_used[i][e] && here.id == y_q;
      assign has_x[e] = is_x;
      assign as_x[e]  = !is_x || x_second_q || here == x_answer_q;
      assign as_y[e]  = !(is_y && y_due_q) || here == y_answer_q;
      assign in_time[e] = !is_x || 32'(returned_before_x_q) + e < ReverseSlots;
      assign behind_x[e] = !(is_y && x_ahead_q && returning_q[i][x_q]) ||
                           (has_x & ((ReverseSlots'(1'b1) << e) - ReverseSlots'(1'b1))) != '0;
      for (genvar r = 0; r < ReverseSlots; r++) begin : gen_others
        assign differs[r] = r >= e || !reverse_used[i][e] || !reverse_used[i][r] ||
                            here.id != reverse_entry[i][r].id;
      end
      assign distinct[e] = &differs;
    end
    assign response_room[i]      = 32'(`REVERSE.size_q) <= ReverseSlots;
    assign response_known[i]     = &known;
    assign responses_distinct[i] = &distinct;
    assign response_has_x[i]     = !returning_q[i][x_q] || has_x != '0;
    assign response_x[i]         = &as_x;
    assign response_in_time[i]   = &in_time;
    assign response_y[i]         = &as_y;
    assign y_behind_x[i]         = &behind_x;
    assign timers_known[i]       = request_rest_q[i] == rest_t'(u_dut.gen_output[i].timer_q) &&
                                   response_rest_q[i] == rest_t'(u_dut.gen_input[i].timer_q);
  end

  // What lies in the registers behind the links, and what that says of the queues.
  if (ArrivalRegisters != 0) begin : gen_registers
    logic [1:0] request_known, request_room, response_kept, response_room_kept, search_known;
    for (genvar p = 0; p < 2; p++) begin : gen_ports
`define LINK u_dut.gen_link[p].gen_register
`define SEARCH u_dut.gen_output[p].u_wait_buffer.gen_register
      logic [1:0]          room;  // by output
      logic [Partners-1:0] found, kept;
      for (genvar o = 0; o < 2; o++) begin : gen_room
        localparam int unsigned Q = DualInput != 0 ? 0 : p;
        assign room[o] =
            !entry[o][Q][Slots-(DualInput != 0 ? 2 : 1)].valid;
      end
      for (genvar e = 0; e < Partners; e++) begin : gen_partner
        assign found[e] = answer_valid[p] && used[p][e] && first[p][e] == answer[p].id;
        assign kept[e]  = !found[e] || `SEARCH.matched_q == waiting[p][e];
      end
      assign request_known[p] =
          `LINK.request_valid_q == entering_valid[p] && `LINK.request_q == entering[p] &&
          `LINK.output_q == output_of(entering[p].location, route_q) &&
          (!entering_valid[p] || input_of(entering[p].id, route_q) == (p != 0));
      assign request_room[p] =
          !entering_valid[p] || room[output_of(entering[p].location, route_q)];
      assign response_kept[p] =
          `LINK.response_valid_q == answer_valid[p] && `LINK.response_q == answer[p];
      assign response_room_kept[p] = answer_valid == '0 || !reverse_used[p][ReverseSlots-4];
      assign search_known[p] = `SEARCH.match_q == found && &kept;
`undef LINK
`undef SEARCH
    end

    always_comb begin
      if (running) begin
        // The registers behind the links hold what arrived in the cycle before.
        helper_registers: assert (&request_known && &response_kept);
        // A queue has room for what is in a register before it.
        helper_room_kept: assert (&request_room && &response_room_kept);
        // The register behind the search of a wait buffer holds the entry of the response.
        helper_search: assert (&search_known);
      end
    end

    always_ff @(posedge clk_i) begin
      if (running) begin
        // A request leaves its register as its queue is not ready any more.
        reached_request_unready: cover (entering_valid[0] && request_ready[0] == '0);
        // A response and its second one leave the registers as the queues are not ready any more.
        reached_response_unready: cover (decombined != '0 && response_ready == '0);
      end
    end
  end

`undef OUTPUT
`undef PARALLEL
`undef SYSTOLIC
`undef BUFFER
`undef REVERSE

  // Where identities go, by what moves.
  always_comb begin
    queued_d    = queued_q;
    held_d      = held_q;
    returning_d = returning_q;
    for (int unsigned p = 0; p < 2; p++) begin
      returning_d[p] &= ~only(response_valid[p], response[p].id);
    end
    for (int unsigned o = 0; o < 2; o++) begin
      for (int unsigned q = 0; q < Queues; q++) begin
        queued_d[o][q] &= ~only(goes[o][q], request[o].id);
        queued_d[o][q] &= ~only(goes[o][q] && held[o], leaving_partner[o]);
      end
      held_d[o] &= ~only(decombined[o], second[o].id);
      held_d[o] |= only(held[o], leaving_partner[o]);
      for (int unsigned i = 0; i < 2; i++) begin
        returning_d[i] |= only(answer_valid[o] && input_of(answer[o].id, route_q) == (i != 0),
                               answer[o].id);
        returning_d[i] |= only(decombined[o] && input_of(second[o].id, route_q) == (i != 0),
                               second[o].id);
        for (int unsigned q = 0; q < Queues; q++) begin
          queued_d[o][q] |= only(entering_valid[i] && (DualInput != 0 || i == q) &&
                                 output_of(entering[i].location, route_q) == (o != 0),
                                 entering[i].id);
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      queued_q    <= '0;
      held_q      <= '0;
      returning_q <= '0;
    end else begin
      queued_q    <= queued_d;
      held_q      <= held_d;
      returning_q <= returning_d;
    end
  end

  always_comb begin
    for (int unsigned o = 0; o < 2; o++) begin
      x_enters[2*o]   = answer_valid[o] && answer[o].id == x_q;
      x_enters[2*o+1] = decombined[o] && second[o].id == x_q;
      y_enters[2*o]   = answer_valid[o] && answer[o].id == y_q;
      y_enters[2*o+1] = decombined[o] && second[o].id == y_q;
    end
    x_ahead_d = x_ahead_q && x_returns == '0 && x_enters == '0;
    if (y_enters != '0) begin
      x_ahead_d = x_enters != '0 ? x_enters < y_enters :
                  (returning_q[0][x_q] || returning_q[1][x_q]) && x_returns == '0;
    end
  end

  always_ff @(posedge clk_i) x_ahead_q <= rst_ni && x_ahead_d;

  // Every identity that is outstanding is in one place, and no other is anywhere.
  set_t someplace, two_places, not_sent;
  always_comb begin
    someplace  = '0;
    two_places = '0;
    not_sent   = '0;
    for (int unsigned p = 0; p < 2; p++) begin
      for (int unsigned q = 0; q < Queues; q++) begin
        two_places |= someplace & queued_q[p][q];
        someplace  |= queued_q[p][q];
        not_sent   |= queued_q[p][q];
      end
      two_places |= someplace & held_q[p];
      someplace  |= held_q[p];
      not_sent   |= held_q[p];
      two_places |= someplace & owed_q[p];
      someplace  |= owed_q[p];
      two_places |= someplace & returning_q[p];
      someplace  |= returning_q[p];
      two_places |= someplace & arriving[p];
      someplace  |= arriving[p];
      not_sent   |= arriving[p];
      two_places |= someplace & answering[p];
      someplace  |= answering[p];
    end
  end

  // Routes of what lies in the switch.
  logic [1:0][Queues-1:0][Entries-1:0] entry_routed;
  logic [1:0][ReverseSlots-1:0]        response_routed;
  for (genvar p = 0; p < 2; p++) begin : gen_routed
    for (genvar q = 0; q < Queues; q++) begin : gen_queue
      for (genvar e = 0; e < Entries; e++) begin : gen_entry
        assign entry_routed[p][q][e] = !entry[p][q][e].valid ||
                                       output_of(entry[p][q][e].request.location, route_q) ==
                                       (p != 0);
      end
    end
    for (genvar e = 0; e < ReverseSlots; e++) begin : gen_response
      assign response_routed[p][e] =
          !reverse_used[p][e] || input_of(reverse_entry[p][e].id, route_q) == (p != 0);
    end
  end

  set_t in_switch;  // accepted, not answered, and memory has it not under its own identity
  assign in_switch = outstanding_q & ~owed_q[0] & ~owed_q[1];

  logic y_waits;  // as somebody's second
  always_comb begin
    y_waits = 1'b0;
    for (int unsigned o = 0; o < 2; o++) begin
      y_waits |= held_q[o][y_q];
      for (int unsigned q = 0; q < Queues; q++) y_waits |= queued_q[o][q][y_q];
    end
  end

  // --- what is proven ----------------------------------------------------------------------------

  // Of each port, as the assertions below say it.
  logic [1:0] goes_right, returns_right, goes_ready, returns_ready, link_rests, return_rests;
  logic [1:0] taken_up, returned, room_for_four, sent_once, answered_once, held_in_room;
  logic [1:0] unchanged, both_carried, partner_kept;
  logic [1:0] second_with_first, no_other_second, x_answer_right, y_answer_right, y_not_early;
  logic [1:0] in_turn;
  logic [1:0][Queues-1:0] soon;
  logic [1:0] x_goes, pair_goes, y_returns, by_turns;

  for (genvar p = 0; p < 2; p++) begin : gen_ports
    assign goes_right[p] =
        !request_valid[p] || output_of(request[p].location, route_q) == (p != 0);
    assign returns_right[p] =
        !response_valid[p] || input_of(response[p].id, route_q) == (p != 0);
    assign goes_ready[p] = !request_valid[p] ||
                           request_ready_i[p][next_output_of(request[p].location, route_q)];
    assign returns_ready[p] = !response_valid[p] || response_ready_i[p];
    assign link_rests[p]    = !request_valid[p] || request_rest_q[p] == '0;
    assign return_rests[p]  = !response_valid[p] || response_rest_q[p] == '0;
    assign taken_up[p] = may_go[p] == '0 || request_rest_q[p] != '0 || request_valid[p];
    assign returned[p] = response_valid[p] == (reverse_used[p][0] && response_ready_i[p] &&
                                               response_rest_q[p] == '0);
    // Four, and those that leave the registers.
    logic [2:0] coming;
    always_comb begin
      coming = '0;
      for (int unsigned o = 0; o < 2; o++) begin
        coming += 3'(answer_valid[o] && input_of(answer[o].id, route_q) == (p != 0));
        coming += 3'(decombined[o] && input_of(second[o].id, route_q) == (p != 0));
      end
    end
    always_comb begin
      room_for_four[p] = !reverse_used[p][ReverseSlots-4];
      for (int unsigned n = 1; n <= 4; n++) begin
        if (ArrivalRegisters != 0 && 32'(coming) >= n) begin
          room_for_four[p] = n + 4 <= ReverseSlots && !reverse_used[p][ReverseSlots-4-n];
        end
      end
    end
    assign sent_once[p]     = !request_valid[p] || unsent_q[request[p].id];
    assign answered_once[p] = !response_valid[p] || outstanding_q[response[p].id];
    assign held_in_room[p]  = !held[p] || !buffer_full[p];

    assign x_goes[p]    = request_valid[p] && request[p].id == x_q;
    assign pair_goes[p] = x_goes[p] && held[p] && pair_q;
    assign unchanged[p] =
        !x_goes[p] || (request[p].location == x_request_q.location &&
                       request[p].combinable == x_request_q.combinable &&
                       (x_joined_q || request[p].operation == x_request_q.operation));
    assign both_carried[p] =
        !pair_goes[p] ||
        (request[p].location == y_request_q.location && x_request_q.combinable &&
         y_request_q.combinable && value(request[p].operation, word_q) == value_of_both);
    assign partner_kept[p] = !x_goes[p] || held[p] == x_joined_q;

    logic x_answered_here;
    assign x_answered_here      = answer_valid[p] && answer[p].id == x_q;
    assign second_with_first[p] = !x_answered_here || decombined[p] == x_joined_q;
    assign no_other_second[p] =
        !decombined[p] || (answer_valid[p] &&
                           (second[p].id == y_q && x_answered_here) == (x_answered_here && pair_q));

    assign x_returns[p] = response_valid[p] && response[p].id == x_q;
    assign y_returns[p] = response_valid[p] && response[p].id == y_q;
    assign x_answer_right[p] = !x_returns[p] || x_second_q || response[p] == x_answer_q;
    assign y_answer_right[p] = !(y_returns[p] && y_due_q) || response[p] == y_answer_q;
    assign y_not_early[p] = !y_returns[p] || !pair_q;
    assign in_turn[p]     = !(y_returns[p] && x_ahead_q && returning_q[p][x_q]);
    if (Queues == 1) begin : gen_alone
      assign by_turns[p] = 1'b1;
    end else begin : gen_turns
      // At most one goes, and the one without the turn only while the other may not.
      assign by_turns[p] = goes[p] != 2'b11 && !(goes[p][!turn_q[p]] && may_go[p][turn_q[p]]);
    end
    for (genvar q = 0; q < Queues; q++) begin : gen_queue
      assign soon[p][q] = waited_q[p][q] != waited_t'(MostTurns);
    end
  end

  // Not clocked, so that they are seen in the step itself: an induction is one step shorter.
  always_comb begin
    if (running) begin
      // A request leaves by the output that its bit of the module's number names.
      request_routed: assert (&goes_right);
      // A response leaves by the input that its bit of the element's number names.
      response_routed_back: assert (&returns_right);
      // A request leaves only where the ready bit of the queue that it takes next is set.
      request_to_ready: assert (&goes_ready);
      // A response leaves only where the ready bit is set.
      response_to_ready: assert (&returns_ready);
      // A link towards memory carries one message in link_cycles cycles.
      request_link_rests: assert (&link_rests);
      // A link towards the processors carries one message in link_cycles cycles.
      response_link_rests: assert (&return_rests);
      // A head that may go goes, if it still may, within two messages of its link, 2 * link_cycles
      // cycles, of type A, where no other queue has the link, within one.
      head_goes: assert (&soon);
      // Of two heads that may go, the one goes whose queue did not go last (rule 4).
      arbitrated_by_turns: assert (&by_turns);
      // Fewer requests than a queue has slots leave it before one that came to it: with head_goes,
      // each leaves if again and again, for 2 * link_cycles cycles in a row, the block behind is
      // ready and the wait buffer has room.
      leaves_in_time: assert (!x_queued || 32'(left_before_x_q) < Slots);
      // Fewer responses than a reverse queue has slots leave it before one that came to it: with
      // response_not_held_back, each is delivered if its receiver is ready again and again.
      returns_in_time: assert (!x_returning || 32'(returned_before_x_q) < ReverseSlots);
      // A link that is free is not left idle while a head may go.
      link_not_idle: assert (&taken_up);
      // A response leaves as soon as its link is free and its receiver ready: it waits for nothing
      // else.
      response_not_held_back: assert (&returned);
      // Responses of one input leave in the order in which memory gave them, those of one cycle in
      // port order, each followed by its second one (rule 7).
      responses_in_turn: assert (&in_turn);
      // Responses are taken while both reverse queues have room for four, and for those that leave
      // the registers, whatever requests do.
      response_ready_by_room: assert (response_ready == {2{&room_for_four}});
      // What leaves for memory was accepted, and has not left before.
      sent_at_most_once: assert (&sent_once);
      // What is answered was accepted, and has not been answered before.
      answered_at_most_once: assert (&answered_once);
      // If the switch is idle and memory owes it nothing, every request has had its answer. (That
      // it becomes idle is not said here.)
      nothing_lost: assert (!(idle && owed_q == '0) || !outstanding_q[x_q]);
      // The switch is idle exactly while no request is in it: each that it accepted has been
      // answered, or memory has it.
      idle_when_empty: assert (idle ? !in_switch[x_q] : in_switch != '0);
      // A pair departs only while the wait buffer has room for the partner: none is overwritten.
      wait_buffer_room: assert (&held_in_room);
      // No two entries of a wait buffer wait for the same response.
      wait_buffer_identities: assert (&firsts_distinct);
      // A reverse queue never holds more than its slots.
      reverse_queue_room: assert (&response_room);
      // A request that none joined departs as it was accepted; its location never changes.
      departs_unchanged: assert (&unchanged);
      // What a pair carries to memory does to any word, of the width of the proof, what its first
      // and then its second do, and all three are of one location and may combine.
      pair_carries_both: assert (&both_carried);
      // A request departs with a partner for the wait buffer if, and only if, another joined it.
      partner_goes_to_wait_buffer: assert (&partner_kept);
      // The response to a request yields a second one, in the same cycle, with registers in the
      // next, if and only if another joined that request.
      second_answered_with_first: assert (&second_with_first);
      // The second one is for the request that joined, and for no other.
      second_answered_is_partner: assert (&no_other_second);
      // A request that joined none is answered what memory answered, once memory has.
      first_answer: assert (&x_answer_right);
      // A request that joined another is answered what that one's operation makes of memory's
      // answer, once memory has answered that one.
      second_answer: assert (&y_answer_right);
      // A request that joined another is not answered before memory has answered the pair.
      second_not_early: assert (&y_not_early);

      // Every outstanding identity is in one place, others in none; what is not sent waits here.
      helper_one_place: assert (two_places == '0 && someplace == outstanding_q &&
                                (not_sent & ~unsent_q) == '0);
      // A queue holds its entries from slot 0 on without a gap, and what is no pair has an identity
      // beside it where pairs are composed at the exit; a systolic one as many as it counts, in OUT
      // without a gap, and beside what climbs and what is a partner there is an entry in OUT.
      helper_queue_shaped: assert (&queue_shaped);
      // What is in a queue is known to be there.
      helper_queue_known: assert (&queue_known);
      // Nothing is in a queue twice.
      helper_queue_distinct: assert (&queue_distinct);
      // If x is known to be in a queue, it is there.
      helper_queue_has_x: assert (&queue_has_x);
      // In a queue, x is as it was accepted, and has the partner that joined it.
      helper_queue_x: assert (&queue_x);
      // In a queue, y is as it was accepted, or the partner of whom it joined.
      helper_queue_y: assert (&queue_y);
      // In a queue, the pair of x and y carries both operations.
      helper_queue_pair: assert (&queue_pair);
      // A wait buffer is known to be full exactly while all its entries are in use.
      helper_full: assert (buffer_full == full);
      // Of an entry of the wait buffer, memory has the first, and the second is known to wait.
      helper_waiting_known: assert (&waiting_known);
      // No second is in a wait buffer twice.
      helper_seconds_distinct: assert (&seconds_distinct);
      // If x is known to wait as a second, it does.
      helper_waiting_has_x: assert (&waiting_has_x);
      // The entry of x in a wait buffer has its operation and its partner.
      helper_waiting_x: assert (&waiting_x);
      // The entry in which y waits is that of the request that it joined.
      helper_waiting_y: assert (&waiting_y);
      // While memory has x, its partner waits.
      helper_owed_x: assert (&owed_x);
      // The ring of a reverse queue is read at one place, and written behind its last response.
      helper_reverse_shaped: assert (&reverse_shaped);
      // What is in a reverse queue is known to return to this input.
      helper_response_known: assert (&response_known);
      // No response is there twice.
      helper_responses_distinct: assert (&responses_distinct);
      // If x is known to return, it is there.
      helper_response_has_x: assert (&response_has_x);
      // On its way back, x has memory's answer.
      helper_response_x: assert (&response_x);
      // On its way back, y has the answer of a second.
      helper_response_y: assert (&response_y);
      // A pair is of two requests that may combine, and its second still waits.
      helper_pair: assert (!pair_q || (x_joined_q && y_second_q && y_waits &&
                                       x_request_q.location == y_request_q.location &&
                                       x_request_q.combinable && y_request_q.combinable &&
                                       may_join(Forms, x_request_q.operation.form,
                                                y_request_q.operation.form)));
      // A second that was answered with its first is on its way back.
      helper_due: assert (!y_due_q || returning_q[0][y_q] || returning_q[1][y_q]);
      // If x was answered before y, and both return to one input, it stands before y.
      helper_turn: assert (&y_behind_x &&
                           (!x_ahead_q || returning_q[0][x_q] || returning_q[1][x_q]));
      // Entries and responses are on the side of their bit.
      helper_routed: assert (&entry_routed && &response_routed);
      // The timers count the cycles in which a link is busy.
      helper_timers: assert (&timers_known);
      // A head that has not the turn has waited for the link only; one that has, for one message of
      // the other queue besides.
      helper_turns: assert (&turns_known);
      // In a queue, x has fewer ahead of it than may still leave before it.
      helper_in_time: assert (&queue_in_time && &response_in_time);
      // The queue that has the turn is the one that the arbiter puts first.
      helper_turn_of_link: assert (&turn_known);
    end
  end

  // --- what is reached ---------------------------------------------------------------------------

  logic x_after_y_q, longest_wait, held_head;  // x returned while y did not
  always_ff @(posedge clk_i) begin
    if (!rst_ni) x_after_y_q <= 1'b0;
    else if (x_returns != '0) x_after_y_q <= y_due_q;
    else if (y_returns != '0) x_after_y_q <= 1'b0;
  end
  always_comb begin
    longest_wait = 1'b0;
    held_head    = 1'b0;
    for (int unsigned o = 0; o < 2; o++) begin
      for (int unsigned q = 0; q < Queues; q++) begin
        longest_wait |= goes[o][q] && 32'(waited_q[o][q]) == MostTurns - 1;
        held_head    |= entry[o][q][0].valid && entry[o][q][0].pair && full[o];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (running) begin
      // A request departs that none joined.
      reached_departs_alone: cover (x_goes != '0 && !x_joined_q);
      // A pair departs.
      reached_pair_departs: cover (pair_goes != '0);
      // Memory answers a pair, and the second is answered with the first.
      reached_pair_answered: cover (x_answered && pair_q && decombined != '0);
      // Both answers of a pair have been delivered.
      reached_both_delivered: cover (x_after_y_q && y_returns != '0);
      // Both have been delivered, and the switch is idle again.
      reached_idle_again: cover (idle && y_second_q && outstanding_q == '0);
      // A pair waits for room in the wait buffer.
      reached_wait_buffer_full: cover (held_head);
      // A head goes after the longest wait that is allowed.
      reached_longest_wait: cover (longest_wait);
      // A reverse queue is not ready, so memory's answers wait.
      reached_reverse_queue_busy: cover (response_ready != 2'b11);
    end
  end

endmodule
