// SPDX-License-Identifier: Apache-2.0
// The 2x2 combining switch: on each memory-side port combining queues and a wait buffer, on each
// processor-side port a reverse queue. Cycle contract, section 5 of the specification; the model is
// models/tributary/network/omega/switch_column.h.
//
// Links. A ready bit comes from registers; valid is set only where the ready bit of the queue that
// the message takes is; the whole message is at the receiver in the next cycle. A request is routed
// by bit `route_bit_i` of the memory module's number, the upper bits of its location; a response by
// the same bit of the processing element's number, the lower bits of its identity.
module combining_switch
  import tributary_pkg::*;
#(
  parameter int unsigned          DualInput         = 0,   // 1: type A, 0: type B
  parameter int unsigned          Coupled           = 0,   // 1: a queue's head may still combine
  parameter int unsigned          Ordered           = 0,   // 1: order by input and word
  parameter int unsigned          SumAtExit         = 0,   // 1: a pair is composed as it leaves
  parameter int unsigned          Microarchitecture = 0,   // 0: parallel queues, 1: systolic
  parameter int unsigned          ArrivalRegisters  = 0,   // 1: a register behind each link
  parameter int unsigned          Slots             = 4,   // of each combining queue
  parameter int unsigned          AdaptiveLimit     = 0,   // combined requests, 0: no limit
  parameter int unsigned          Gradual           = 0,   // 1: that limit follows the combining
  parameter int unsigned          WaitBufferEntries = 8,   // of each memory-side port
  parameter int unsigned          LinkCycles        = 2,   // that a message holds a link
  parameter int unsigned          ReverseSlots      = 16,  // of each reverse queue
  parameter logic [FormCount-1:0] Forms             = '1,  // that take part in combining
  parameter int unsigned          DataWidth         = 64,  // of a word
  parameter int unsigned          AddressWidth      = 48,  // word address
  parameter int unsigned          ModuleWidth       = 16,  // number of a memory module
  parameter int unsigned          SequenceWidth     = 32,  // an element's own number
  parameter int unsigned          ElementWidth      = 16,  // number of a processing element
  parameter int unsigned          StatusWidth       = 8,   // of a response's status
  localparam int unsigned         LocationWidth     = ModuleWidth + AddressWidth,
  localparam int unsigned         IdWidth           = SequenceWidth + ElementWidth,
  localparam int unsigned         RouteWidth        = $clog2(ModuleWidth),
  localparam logic                Systolic          = Microarchitecture != 0 && DualInput == 0,
  // Requests that may combine in one cycle: arrivals, by input; systolic, by output, input and row
  // from the top, requests that are in a queue already.
  localparam int unsigned         Joins             = Systolic ? 4 * Slots : 2,
  // Messages, with the fields that they have in tributary_pkg.
  localparam type                 word_t            = logic [DataWidth-1:0],
  localparam type                 id_t              = logic [IdWidth-1:0],
  localparam type                 operation_t       = struct packed {
    form_e form;
    word_t a;
    word_t b;
  },
  localparam type                 request_t         = struct packed {
    logic [LocationWidth-1:0] location;
    operation_t               operation;
    id_t                      id;
    logic                     combinable;
  },
  localparam type                 response_t        = struct packed {
    logic [StatusWidth-1:0] status;
    word_t                  value;
    id_t                    id;
  }
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [RouteWidth-1:0] route_bit_i,  // constant while out of reset

  // Requests from the processor side, by input. Bit o of ready: the queue for output o.
  output logic     [1:0][1:0] request_ready_o,
  input  logic     [1:0]      request_valid_i,
  input  request_t [1:0]      request_i,

  // Requests to the memory side, by output. Bit o' of ready: output o' of the block behind.
  input  logic     [1:0][1:0] request_ready_i,
  output logic     [1:0]      request_valid_o,
  output request_t [1:0]      request_o,

  // Responses from the memory side, by output.
  output logic      [1:0] response_ready_o,
  input  logic      [1:0] response_valid_i,
  input  response_t [1:0] response_i,

  // Responses to the processor side, by input.
  input  logic      [1:0] response_ready_i,
  output logic      [1:0] response_valid_o,
  output response_t [1:0] response_o,

  output logic idle_o,

  // Events of this cycle: by input, an arrival became an entry; a request joined a waiting one; by
  // output, a request left (its identity is that of request_o), it left a partner in the wait
  // buffer, a response yielded a second one.
  output logic      [1:0]       event_inserted_o,
  output logic      [Joins-1:0] event_combined_o,
  output id_t       [Joins-1:0] event_joined_id_o,
  output id_t       [Joins-1:0] event_joining_id_o,
  output logic      [1:0]       event_departed_o,
  output logic      [1:0]       event_held_o,
  output logic      [1:0]       event_decombined_o,
  output response_t [1:0]       event_second_o
);

  localparam int unsigned Queues     = DualInput != 0 ? 1 : 2;  // of a memory-side port
  localparam int unsigned Writers    = DualInput != 0 ? 2 : 1;  // of a queue
  localparam int unsigned TimerWidth = LinkCycles > 1 ? $clog2(LinkCycles) : 1;
  localparam logic [TimerWidth-1:0] LinkBusy = TimerWidth'(LinkCycles - 1);

  typedef struct packed {
    id_t        id;
    operation_t operation;
  } partner_t;

  // --- arrivals -----------------------------------------------------------------------------------

  // What enters the queues in this cycle: what arrives, or, with a register behind each link, what
  // did in the cycle before, for which the queues have kept room (cycle contract, rule 13). The wait
  // buffer is searched as the response arrives.
  logic      [1:0] request_enters, response_enters;
  request_t  [1:0] request;
  response_t [1:0] response;
  logic      [1:0] output_of;  // that a request takes

  for (genvar i = 0; i < 2; i++) begin : gen_link
    logic [ModuleWidth-1:0] module_number;
    logic                   arrival_output;
    assign module_number  = request_i[i].location[LocationWidth-1:AddressWidth];
    assign arrival_output = module_number[route_bit_i];

    if (ArrivalRegisters == 0) begin : gen_through
      assign request_enters[i]  = request_valid_i[i];
      assign request[i]         = request_i[i];
      assign output_of[i]       = arrival_output;
      assign response_enters[i] = response_valid_i[i];
      assign response[i]        = response_i[i];
    end else begin : gen_register
      logic      request_valid_q, response_valid_q, output_q;
      request_t  request_q;
      response_t response_q;
      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          request_valid_q  <= 1'b0;
          response_valid_q <= 1'b0;
        end else begin
          request_valid_q  <= request_valid_i[i];
          response_valid_q <= response_valid_i[i];
        end
        request_q  <= request_i[i];
        output_q   <= arrival_output;
        response_q <= response_i[i];
        if (rst_ni) begin
          request_when_ready: assert (!request_valid_i[i] || request_ready_o[i][arrival_output])
          else $error("combining_switch: a request arrives while its queue is not ready");
          response_when_ready: assert (!response_valid_i[i] || response_ready_o[i])
          else $error("combining_switch: a response arrives while its port is not ready");
        end
      end
      assign request_enters[i]  = request_valid_q;
      assign request[i]         = request_q;
      assign output_of[i]       = output_q;
      assign response_enters[i] = response_valid_q;
      assign response[i]        = response_q;
    end
  end

  // --- requests -----------------------------------------------------------------------------------

  localparam int unsigned QueueJoins = Systolic ? Slots : 1;  // of an input

  // By output and input.
  logic      [1:0][1:0]                 inserted;
  logic      [1:0][1:0][QueueJoins-1:0] combined;
  id_t       [1:0][1:0][QueueJoins-1:0] joined_id, joining_id;
  logic      [1:0]                      queues_empty, buffer_empty;
  logic      [1:0]                      second_valid;
  response_t [1:0]                      second;

  for (genvar o = 0; o < 2; o++) begin : gen_output
    logic     [Queues-1:0] ready, head_valid, head_combined, can, grant;
    request_t [Queues-1:0] head;
    partner_t [Queues-1:0] partner;
    logic                  buffer_full;

    for (genvar q = 0; q < Queues; q++) begin : gen_queue
      logic [Writers-1:0] valid;
      for (genvar w = 0; w < Writers; w++) begin : gen_writer
        localparam int unsigned Input = DualInput != 0 ? w : q;
        assign valid[w] = request_enters[Input] && output_of[Input] == (o != 0);
        assign request_ready_o[Input][o] = ready[q];
      end
      localparam int unsigned First = DualInput != 0 ? 0 : q;  // input of writer 0
      localparam int unsigned Last  = First + Writers - 1;

      if (Systolic) begin : gen_systolic
        systolic_queue #(
          .Slots        (Slots),
          .AdaptiveLimit(AdaptiveLimit),
          .Coupled      (Coupled),
          .Forms        (Forms),
          .id_t         (id_t),
          .operation_t  (operation_t),
          .request_t    (request_t),
          .partner_t    (partner_t)
        ) u_queue (
          .clk_i,
          .rst_ni,
          .ready_o           (ready[q]),
          .valid_i           (valid),
          .request_i         (request[First]),
          .wait_buffer_full_i(buffer_full),
          .head_valid_o      (head_valid[q]),
          .head_o            (head[q]),
          .head_combined_o   (head_combined[q]),
          .partner_o         (partner[q]),
          .release_i         (grant[q]),
          .event_inserted_o  (inserted[o][First]),
          .event_combined_o  (combined[o][First]),
          .event_joined_id_o (joined_id[o][First]),
          .event_joining_id_o(joining_id[o][First])
        );
      end else begin : gen_parallel
        logic [Writers-1:0] joins;
        id_t  [Writers-1:0] joined;

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
        ) u_queue (
          .clk_i,
          .rst_ni,
          .ready_o           (ready[q]),
          .coming_i          (ArrivalRegisters != 0 ? valid : '0),
          .valid_i           (valid),
          .request_i         (request[Last:First]),
          .wait_buffer_full_i(buffer_full),
          .head_valid_o      (head_valid[q]),
          .head_o            (head[q]),
          .head_combined_o   (head_combined[q]),
          .partner_o         (partner[q]),
          .release_i         (grant[q]),
          .event_inserted_o  (inserted[o][Last:First]),
          .event_combined_o  (joins),
          .event_joined_id_o (joined)
        );
        for (genvar w = 0; w < Writers; w++) begin : gen_joins
          assign combined[o][First+w]   = joins[w];
          assign joined_id[o][First+w]  = joined[w];
          assign joining_id[o][First+w] = request[First+w].id;
        end
      end

      // The next switch routes by the bit below; behind the last one both bits say the same.
      logic [ModuleWidth-1:0] module_number;
      logic                   next_output;
      assign module_number = head[q].location[LocationWidth-1:AddressWidth];
      assign next_output   = route_bit_i != '0 && module_number[route_bit_i-RouteWidth'(1'b1)];
      assign can[q] = head_valid[q] && request_ready_i[o][next_output] &&
                      !(head_combined[q] && buffer_full);
    end

    // Arbitration: the queue with the priority goes if it can, else the other; a grant gives the
    // priority to the other.
    logic [TimerWidth-1:0] timer_d, timer_q;
    logic                  granted;
    if (DualInput != 0) begin : gen_single
      assign grant[0] = can[0] && timer_q == '0;
    end else begin : gen_arbiter
      logic second_first_d, second_first_q;
      assign grant[0] = can[0] && timer_q == '0 && !(second_first_q && can[1]);
      assign grant[1] = can[1] && timer_q == '0 && !(!second_first_q && can[0]);
      assign second_first_d = granted ? grant[0] : second_first_q;
      always_ff @(posedge clk_i) begin
        if (!rst_ni) second_first_q <= 1'b0;
        else second_first_q <= second_first_d;
      end
    end
    assign granted = |grant;
    assign timer_d = granted ? LinkBusy : timer_q - TimerWidth'(timer_q != '0);
    always_ff @(posedge clk_i) begin
      if (!rst_ni) timer_q <= '0;
      else timer_q <= timer_d;
    end

    // The queue that was granted; queue 0 if none was.
    logic which;
    if (DualInput != 0) begin : gen_one
      assign which = '0;
    end else begin : gen_which
      assign which = grant[1];
    end

    logic leaves_combined;
    assign leaves_combined = granted && head_combined[which];
    assign request_valid_o[o] = granted;
    assign request_o[o]       = head[which];

    wait_buffer #(
      .Entries         (WaitBufferEntries),
      .ArrivalRegisters(ArrivalRegisters),
      .Forms           (Forms),
      .id_t            (id_t),
      .word_t          (word_t),
      .partner_t       (partner_t)
    ) u_wait_buffer (
      .clk_i,
      .rst_ni,
      .full_o           (buffer_full),
      .empty_o          (buffer_empty[o]),
      .insert_valid_i   (leaves_combined),
      .insert_first_id_i(head[which].id),
      .insert_partner_i (partner[which]),
      .response_valid_i (response_valid_i[o]),
      .response_id_i    (response_i[o].id),
      .response_value_i (response[o].value),
      .second_valid_o   (second_valid[o]),
      .second_id_o      (second[o].id),
      .second_value_o   (second[o].value)
    );
    assign second[o].status = response[o].status;

`ifndef SYNTHESIS
    // Cover points: what tests must have met.
    logic [Queues-1:0] held;  // a combined head, by the wait buffer
    assign held = head_valid & head_combined & {Queues{buffer_full}};
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        departs: cover (granted);
        pair_departs: cover (leaves_combined);
        waits_for_link: cover (|can && timer_q != '0);
        waits_for_receiver: cover (|(head_valid & ~held & ~can) && timer_q == '0);
        waits_for_wait_buffer: cover (|held && timer_q == '0);
      end
    end
    if (DualInput == 0) begin : gen_cover_arbiter
      always_ff @(posedge clk_i) begin
        if (rst_ni) begin
          both_could: cover (&can && granted);
          first_wins: cover (&can && grant[0]);
          second_wins: cover (&can && grant[Queues-1]);
          other_passes_held_pair: cover (|held && granted);
        end
      end
    end
`endif
    assign event_departed_o[o] = granted;
    assign event_held_o[o]     = leaves_combined;
    assign queues_empty[o]     = head_valid == '0;
  end

  for (genvar i = 0; i < 2; i++) begin : gen_request_events
    assign event_inserted_o[i] = inserted[output_of[i]][i];
    if (Systolic) begin : gen_joins
      for (genvar j = 0; j < 2 * Slots; j++) begin : gen_row
        localparam int unsigned Output = j / Slots;
        localparam int unsigned Event  = (Output * 2 + i) * Slots + j % Slots;
        assign event_combined_o[Event]   = combined[Output][i][j%Slots];
        assign event_joined_id_o[Event]  = joined_id[Output][i][j%Slots];
        assign event_joining_id_o[Event] = joining_id[Output][i][j%Slots];
      end
    end else begin : gen_join
      assign event_combined_o[i]   = combined[output_of[i]][i];
      assign event_joined_id_o[i]  = joined_id[output_of[i]][i];
      assign event_joining_id_o[i] = joining_id[output_of[i]][i];
    end
  end

  // --- responses ----------------------------------------------------------------------------------

  response_t [3:0] arriving;        // by output: the response, and its second half
  logic      [3:0] arriving_valid;
  logic      [1:0] reverse_ready, response_waits;

  for (genvar o = 0; o < 2; o++) begin : gen_response
    assign arriving[2*o]          = response[o];
    assign arriving[2*o+1]        = second[o];
    assign arriving_valid[2*o+:2] = {second_valid[o], response_enters[o]};
    assign response_ready_o[o]    = &reverse_ready;
  end
  assign event_decombined_o = second_valid;
  assign event_second_o     = second;

  for (genvar i = 0; i < 2; i++) begin : gen_input
    logic [3:0]            valid;
    logic                  leaves;
    logic [TimerWidth-1:0] timer_d, timer_q;

    for (genvar n = 0; n < 4; n++) begin : gen_arrival
      logic [ElementWidth-1:0] element;
      assign element  = arriving[n].id[ElementWidth-1:0];
      assign valid[n] = arriving_valid[n] && element[route_bit_i] == (i != 0);
    end

    reverse_queue #(
      .Slots     (ReverseSlots),
      .response_t(response_t)
    ) u_reverse_queue (
      .clk_i,
      .rst_ni,
      .ready_o     (reverse_ready[i]),
      .coming_i    (ArrivalRegisters != 0 ? valid : '0),
      .valid_i     (valid),
      .response_i  (arriving),
      .head_valid_o(response_waits[i]),
      .head_o      (response_o[i]),
      .release_i   (leaves)
    );

    assign leaves  = response_waits[i] && response_ready_i[i] && timer_q == '0;
    assign timer_d = leaves ? LinkBusy : timer_q - TimerWidth'(timer_q != '0);
    always_ff @(posedge clk_i) begin
      if (!rst_ni) timer_q <= '0;
      else timer_q <= timer_d;
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        response_departs: cover (leaves);
        response_waits_for_link: cover (response_waits[i] && response_ready_i[i] && timer_q != '0);
        response_waits_for_receiver: cover (response_waits[i] && !response_ready_i[i]);
        two_responses_to_one_input: cover (valid[0] && valid[2]);
        halves_part: cover (^valid[1:0] && second_valid[0]);
      end
    end
`endif
    assign response_valid_o[i] = leaves;
  end

  assign idle_o = &queues_empty && &buffer_empty && response_waits == '0 &&
                  (ArrivalRegisters == 0 || {request_enters, response_enters} == '0);

  // --- parameters ---------------------------------------------------------------------------------

  // Elaboration stops with the sentences of the model's configuration.
  if (DualInput > 1) begin : gen_bad_dual_input
    $fatal(1, "DualInput: %0d is out of range (allowed: 0 or 1)", DualInput);
  end
  if (Coupled > 1) begin : gen_bad_coupled
    $fatal(1, "Coupled: %0d is out of range (allowed: 0 or 1)", Coupled);
  end
  if (Ordered > 1) begin : gen_bad_ordered
    $fatal(1, "Ordered: %0d is out of range (allowed: 0 or 1)", Ordered);
  end
  if (Microarchitecture > 1) begin : gen_bad_microarchitecture
    $fatal(1, "Microarchitecture: %0d is out of range (allowed: 0 or 1)", Microarchitecture);
  end
  if (ArrivalRegisters > 1) begin : gen_bad_arrival_registers
    $fatal(1, "ArrivalRegisters: %0d is out of range (allowed: 0 or 1)", ArrivalRegisters);
  end
  if (Slots < 1 || Slots > 64) begin : gen_bad_slots
    $fatal(1, "Slots: %0d requests is out of range (allowed: 1 to 64 requests)", Slots);
  end else if (Slots < Writers) begin : gen_bad_slots_of_a
    $fatal(1, "Slots: %0d with queue_type A: %s (allowed: 2 to 64 requests)", Slots,
           "it is ready only with room for both inputs, so it would never accept a request");
  end
  if (AdaptiveLimit > 64) begin : gen_bad_adaptive_limit
    $fatal(1, "AdaptiveLimit: %0d requests is out of range (allowed: 0 to 64 requests)",
           AdaptiveLimit);
  end
  if (Gradual > 1) begin : gen_bad_gradual
    $fatal(1, "Gradual: %0d is out of range (allowed: 0 or 1)", Gradual);
  end else if (Gradual == 1 && AdaptiveLimit == 0) begin : gen_bad_gradual_limit
    $fatal(1, "Gradual: %s (%s)", "gradual with adaptive_limit 0: there is no limit to come to",
           "allowed: crude, or gradual with an adaptive_limit and microarchitecture parallel");
  end else if (Gradual == 1 && Microarchitecture == 1) begin : gen_bad_gradual_systolic
    $fatal(1, "Gradual: %s (%s)",
           "gradual with microarchitecture systolic: it measures no combining rate",
           "allowed: crude, or gradual with an adaptive_limit and microarchitecture parallel");
  end
  if (SumAtExit > 1) begin : gen_bad_sum
    $fatal(1, "SumAtExit: %0d is out of range (allowed: 0 or 1)", SumAtExit);
  end
  if (WaitBufferEntries < 1 || WaitBufferEntries > 65535) begin : gen_bad_wait_buffer_entries
    $fatal(1, "WaitBufferEntries: %0d requests is out of range (allowed: 1 to 65535 requests)",
           WaitBufferEntries);
  end
  if (LinkCycles < 1 || LinkCycles > 128) begin : gen_bad_link_cycles
    $fatal(1, "LinkCycles: %0d cycles is out of range (allowed: 1 to 128 cycles)", LinkCycles);
  end
  if (ReverseSlots < 5 || ReverseSlots > 4096) begin : gen_bad_reverse_slots
    $fatal(1, "ReverseSlots: %0d responses is out of range (allowed: 5 to 4096 responses)",
           ReverseSlots);
  end
  if (Microarchitecture == 1 && DualInput == 1) begin : gen_bad_systolic_type
    $fatal(1, "Microarchitecture: %s (%s)",
           "systolic with queue_type A: a systolic queue has one input",
           "allowed: parallel, or systolic with queue_type B and order oldest");
  end else if (Microarchitecture == 1 && SumAtExit == 1) begin : gen_bad_systolic_sum
    $fatal(1, "SumAtExit: %s (%s)",
           "with microarchitecture systolic: a coupled one composes at the exit anyway",
           "allowed: 0, or 1 with microarchitecture parallel");
  end else if (Microarchitecture == 1 && Ordered == 1) begin : gen_bad_systolic_order
    $fatal(1, "Microarchitecture: %s (%s)",
           "systolic with order ordered: a systolic queue keeps no seals",
           "allowed: parallel, or systolic with queue_type B and order oldest");
  end else if (Microarchitecture == 1 && ArrivalRegisters == 1) begin : gen_bad_systolic_registers
    $fatal(1, "ArrivalRegisters: %s (%s)",
           "with microarchitecture systolic: it compares nothing in the cycle of an arrival",
           "allowed: 0, or 1 with microarchitecture parallel");
  end
  if (ModuleWidth < 2) begin : gen_bad_module_width
    $fatal(1, "ModuleWidth: %0d is out of range (allowed: 2 or more bits)", ModuleWidth);
  end
  if (ElementWidth != ModuleWidth) begin : gen_bad_element_width
    $fatal(1, "ElementWidth: %0d is out of range (allowed: %0d, that of ModuleWidth)", ElementWidth,
           ModuleWidth);
  end

endmodule
