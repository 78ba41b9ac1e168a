// SPDX-License-Identifier: Apache-2.0
// The omega network: Stages columns of combining switches between 2**Stages processing elements and
// as many memory modules, both directions. Cycle contract, section 5 of the specification; the model
// is models/tributary/network/omega/omega_network.h.
//
// Levels. Level s has a line for each element and lies before column s; level 0 is the processing
// elements, level Stages the memory modules. A perfect shuffle precedes each column: line l of level
// s enters column s at input l / Half of switch l mod Half, and output o of switch j is line
// 2 j + o of level s + 1. The ports have the signals of a switch's links.
module omega_network
  import tributary_pkg::*;
#(
  parameter int unsigned          Stages            = 3,   // log2 of the processing elements
  parameter int unsigned          DualInput         = 0,   // of every switch; 1: type A, 0: type B
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
  localparam int unsigned         Elements          = 1 << Stages,
  localparam int unsigned         LocationWidth     = ModuleWidth + AddressWidth,
  localparam int unsigned         IdWidth           = SequenceWidth + ElementWidth,
  // Messages as combining_switch has them.
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

  // Requests from the processing elements, by element. Bit o of ready: the queue for output o of the
  // first switch, which the uppermost of the Stages lower bits of the module's number selects.
  output logic     [Elements-1:0][1:0] request_ready_o,
  input  logic     [Elements-1:0]      request_valid_i,
  input  request_t [Elements-1:0]      request_i,

  // Requests to the memory modules, by module.
  input  logic     [Elements-1:0] request_ready_i,
  output logic     [Elements-1:0] request_valid_o,
  output request_t [Elements-1:0] request_o,

  // Responses from the memory modules, by module.
  output logic      [Elements-1:0] response_ready_o,
  input  logic      [Elements-1:0] response_valid_i,
  input  response_t [Elements-1:0] response_i,

  // Responses to the processing elements, by element. Rule 11 of the contract wants them always
  // ready, or a full wait buffer may block the network for ever.
  input  logic      [Elements-1:0] response_ready_i,
  output logic      [Elements-1:0] response_valid_o,
  output response_t [Elements-1:0] response_o,

  output logic idle_o
);

  localparam int unsigned Half       = Elements / 2;  // switches of a column
  localparam int unsigned RouteWidth = $clog2(ModuleWidth);

  // By level and line. Forward: ready goes down the levels, a request goes up. Verilator takes each
  // element for a variable of its own: else all switches seem to depend on the inputs.
  logic      [1:0] request_ready[Stages+1][Elements] /*verilator split_var*/;
  logic            request_valid[Stages+1][Elements] /*verilator split_var*/;
  request_t        request      [Stages+1][Elements] /*verilator split_var*/;
  // Backward.
  logic            response_ready[Stages+1][Elements] /*verilator split_var*/;
  logic            response_valid[Stages+1][Elements] /*verilator split_var*/;
  response_t       response      [Stages+1][Elements] /*verilator split_var*/;

  logic [Stages-1:0][Half-1:0] idle;

  // --- the ends -----------------------------------------------------------------------------------

  for (genvar l = 0; l < Elements; l++) begin : gen_end
    assign request_ready_o[l]        = request_ready[0][l];
    assign request_valid[0][l]       = request_valid_i[l];
    assign request[0][l]             = request_i[l];
    assign response_ready[0][l]      = response_ready_i[l];
    assign response_valid_o[l]       = response_valid[0][l];
    assign response_o[l]             = response[0][l];

    // A module takes requests or does not, whatever output of a block behind they would take.
    assign request_ready[Stages][l]  = {2{request_ready_i[l]}};
    assign request_valid_o[l]        = request_valid[Stages][l];
    assign request_o[l]              = request[Stages][l];
    assign response_ready_o[l]       = response_ready[Stages][l];
    assign response_valid[Stages][l] = response_valid_i[l];
    assign response[Stages][l]       = response_i[l];
  end

  // --- the switches -------------------------------------------------------------------------------

  for (genvar s = 0; s < Stages; s++) begin : gen_stage
    for (genvar j = 0; j < Half; j++) begin : gen_switch
      // Lines of level s, by input, and of level s + 1, by output.
      localparam int unsigned In0  = j;
      localparam int unsigned In1  = j + Half;
      localparam int unsigned Out0 = 2 * j;
      localparam int unsigned Out1 = 2 * j + 1;

      // What the switch says, by input or by output.
      logic      [1:0][1:0] request_ready_out;
      logic      [1:0]      request_valid_out, response_ready_out, response_valid_out;
      request_t  [1:0]      request_out;
      response_t [1:0]      response_out;

      for (genvar n = 0; n < 2; n++) begin : gen_link
        localparam int unsigned In  = n == 0 ? In0 : In1;
        localparam int unsigned Out = n == 0 ? Out0 : Out1;
        assign request_ready[s][In]     = request_ready_out[n];
        assign request_valid[s+1][Out]  = request_valid_out[n];
        assign request[s+1][Out]        = request_out[n];
        assign response_ready[s+1][Out] = response_ready_out[n];
        assign response_valid[s][In]    = response_valid_out[n];
        assign response[s][In]          = response_out[n];
      end

      combining_switch #(
        .DualInput        (DualInput),
        .Coupled          (Coupled),
        .Ordered          (Ordered),
        .SumAtExit        (SumAtExit),
        .Microarchitecture(Microarchitecture),
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
      ) u_switch (
        .clk_i,
        .rst_ni,
        .route_bit_i       (RouteWidth'(Stages - 1 - s)),
        .request_ready_o   (request_ready_out),
        .request_valid_i   ({request_valid[s][In1], request_valid[s][In0]}),
        .request_i         ({request[s][In1], request[s][In0]}),
        .request_ready_i   ({request_ready[s+1][Out1], request_ready[s+1][Out0]}),
        .request_valid_o   (request_valid_out),
        .request_o         (request_out),
        .response_ready_o  (response_ready_out),
        .response_valid_i  ({response_valid[s+1][Out1], response_valid[s+1][Out0]}),
        .response_i        ({response[s+1][Out1], response[s+1][Out0]}),
        .response_ready_i  ({response_ready[s][In1], response_ready[s][In0]}),
        .response_valid_o  (response_valid_out),
        .response_o        (response_out),
        .idle_o            (idle[s][j]),
        // For traces of single switches; synthesis drops them.
        /* verilator lint_off PINCONNECTEMPTY */
        .event_inserted_o  (),
        .event_combined_o  (),
        .event_joined_id_o (),
        .event_joining_id_o(),
        .event_departed_o  (),
        .event_held_o      (),
        .event_decombined_o(),
        .event_second_o    ()
        /* verilator lint_on PINCONNECTEMPTY */
      );
    end
  end

  assign idle_o = &idle;

  // --- parameters ---------------------------------------------------------------------------------

  // What the switches refuse they refuse themselves.
  if (Stages < 1 || Stages > ModuleWidth) begin : gen_bad_stages
    $fatal(1, "Stages: %0d is out of range (allowed: 1 to %0d, the bits of a module's number)",
           Stages, ModuleWidth);
  end

endmodule
