// SPDX-License-Identifier: Apache-2.0
// What sets the clock of a network: combining switches in series, both links between each two of
// them, and registers in place of what lies before the first and behind the last. So every path
// runs from register to register, and those of a link are among them: ready, arbiter, head, route,
// match and sum forward; reverse queue, wait buffer and decombining back.
//
// Reset and route bits are ports without a register, thus without a time: both are constant while
// the switches work. Events are left open: they are for simulation.
module switch_chain
  import tributary_pkg::*;
#(
  parameter int unsigned          Switches          = 2,   // in series
  parameter int unsigned          DualInput         = 0,   // these are combining_switch's
  parameter int unsigned          Coupled           = 0,
  parameter int unsigned          SumAtExit         = 0,
  parameter int unsigned          Ordered           = 0,
  parameter int unsigned          Microarchitecture = 0,
  parameter int unsigned          ArrivalRegisters  = 0,
  parameter int unsigned          Slots             = 4,
  parameter int unsigned          AdaptiveLimit     = 0,
  parameter int unsigned          Gradual           = 0,
  parameter int unsigned          WaitBufferEntries = 8,
  parameter int unsigned          LinkCycles        = 2,
  parameter int unsigned          ReverseSlots      = 16,
  parameter logic [FormCount-1:0] Forms             = '1,
  parameter int unsigned          DataWidth         = 64,
  parameter int unsigned          AddressWidth      = 48,
  parameter int unsigned          ModuleWidth       = 16,
  parameter int unsigned          SequenceWidth     = 32,
  parameter int unsigned          ElementWidth      = 16,
  parameter int unsigned          StatusWidth       = 8,
  localparam int unsigned         LocationWidth     = ModuleWidth + AddressWidth,
  localparam int unsigned         IdWidth           = SequenceWidth + ElementWidth,
  localparam int unsigned         RouteWidth        = $clog2(ModuleWidth),
  // Messages as combining_switch has them; nothing here looks into one.
  localparam type                 request_t         =
      logic [LocationWidth+$bits(form_e)+2*DataWidth+IdWidth:0],
  localparam type                 response_t        = logic [StatusWidth+DataWidth+IdWidth-1:0]
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [Switches-1:0][RouteWidth-1:0] route_bit_i,  // by switch, the first one first

  // The processor side of the first switch.
  output logic      [1:0][1:0] request_ready_o,
  input  logic      [1:0]      request_valid_i,
  input  request_t  [1:0]      request_i,
  input  logic      [1:0]      response_ready_i,
  output logic      [1:0]      response_valid_o,
  output response_t [1:0]      response_o,

  // The memory side of the last.
  input  logic      [1:0][1:0] request_ready_i,
  output logic      [1:0]      request_valid_o,
  output request_t  [1:0]      request_o,
  output logic                 response_ready_o,
  input  logic      [1:0]      response_valid_i,
  input  response_t [1:0]      response_i,

  output logic idle_o
);

  // The messages and ready bits on the links: link n leads to switch n, the last to memory.
  logic      [Switches:0][1:0]      request_valid, response_valid, response_ready;
  request_t  [Switches:0][1:0]      request;
  logic      [Switches:0][1:0][1:0] request_ready;
  response_t [Switches:0][1:0]      response;

  // --- the registers before the first switch and behind the last ---------------------------------

  // Inputs of a switch that have ready bits of their own: those of type A share a queue.
  localparam int unsigned ReadyInputs = DualInput != 0 ? 1 : 2;

  logic      [1:0]      first_request_valid_q, last_request_valid_q;
  request_t  [1:0]      first_request_q, last_request_q;
  logic      [ReadyInputs-1:0][1:0] first_request_ready_q;
  logic      [1:0][1:0] last_request_ready_q;
  logic      [1:0]      first_response_valid_q, last_response_valid_q;
  response_t [1:0]      first_response_q, last_response_q;
  logic      [1:0]      first_response_ready_q;
  logic                 last_response_ready_q, idle_q;
  logic [Switches-1:0]  idle;

  always_ff @(posedge clk_i) begin
    first_request_valid_q  <= request_valid_i;
    first_request_q        <= request_i;
    first_request_ready_q  <= request_ready[0][ReadyInputs-1:0];
    last_request_ready_q   <= request_ready_i;
    last_request_valid_q   <= request_valid[Switches];
    last_request_q         <= request[Switches];
    first_response_valid_q <= response_valid[0];
    first_response_q       <= response[0];
    first_response_ready_q <= response_ready_i;
    last_response_valid_q  <= response_valid_i;
    last_response_q        <= response_i;
    last_response_ready_q  <= response_ready[Switches][0];  // a switch gives one bit twice
    idle_q                 <= &idle;
  end

  assign request_valid[0]         = first_request_valid_q;
  assign request[0]               = first_request_q;
  assign request_ready[Switches]  = last_request_ready_q;
  assign response_valid[Switches] = last_response_valid_q;
  assign response[Switches]       = last_response_q;
  assign response_ready[0]        = first_response_ready_q;

  assign request_ready_o  = {first_request_ready_q[ReadyInputs-1], first_request_ready_q[0]};
  assign response_ready_o = last_response_ready_q;
  assign response_valid_o = first_response_valid_q;
  assign response_o       = first_response_q;
  assign request_valid_o  = last_request_valid_q;
  assign request_o        = last_request_q;
  assign idle_o           = idle_q;

  // --- the switches: output o of one is input o of the next --------------------------------------

  for (genvar n = 0; n < Switches; n++) begin : gen_switch
    combining_switch #(
      .DualInput        (DualInput),
      .Coupled          (Coupled),
      .SumAtExit        (SumAtExit),
      .Ordered          (Ordered),
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
      .route_bit_i       (route_bit_i[n]),
      .request_ready_o   (request_ready[n]),
      .request_valid_i   (request_valid[n]),
      .request_i         (request[n]),
      .request_ready_i   (request_ready[n+1]),
      .request_valid_o   (request_valid[n+1]),
      .request_o         (request[n+1]),
      .response_ready_o  (response_ready[n+1]),
      .response_valid_i  (response_valid[n+1]),
      .response_i        (response[n+1]),
      .response_ready_i  (response_ready[n]),
      .response_valid_o  (response_valid[n]),
      .response_o        (response[n]),
      .idle_o            (idle[n]),
      .event_inserted_o  (),
      .event_combined_o  (),
      .event_joined_id_o (),
      .event_joining_id_o(),
      .event_departed_o  (),
      .event_held_o      (),
      .event_decombined_o(),
      .event_second_o    ()
    );
  end

endmodule
