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
  localparam int unsigned         RouteWidth        = $clog2(ModuleWidth)
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [Switches-1:0][RouteWidth-1:0] route_bit_i,  // by switch, the first one first

  // The processor side of the first switch.
  output logic  [1:0][1:0]               request_ready_o,
  input  logic  [1:0]                    request_valid_i,
  input  logic  [1:0][LocationWidth-1:0] request_location_i,
  input  form_e [1:0]                    request_form_i,
  input  logic  [1:0][DataWidth-1:0]     request_a_i,
  input  logic  [1:0][DataWidth-1:0]     request_b_i,
  input  logic  [1:0][IdWidth-1:0]       request_id_i,
  input  logic  [1:0]                    request_combinable_i,
  input  logic  [1:0]                    response_ready_i,
  output logic  [1:0]                    response_valid_o,
  output logic  [1:0][DataWidth-1:0]     response_value_o,
  output logic  [1:0][IdWidth-1:0]       response_id_o,
  output logic  [1:0][StatusWidth-1:0]   response_status_o,

  // The memory side of the last.
  input  logic  [1:0][1:0]               request_ready_i,
  output logic  [1:0]                    request_valid_o,
  output logic  [1:0][LocationWidth-1:0] request_location_o,
  output form_e [1:0]                    request_form_o,
  output logic  [1:0][DataWidth-1:0]     request_a_o,
  output logic  [1:0][DataWidth-1:0]     request_b_o,
  output logic  [1:0][IdWidth-1:0]       request_id_o,
  output logic  [1:0]                    request_combinable_o,
  output logic                           response_ready_o,
  input  logic  [1:0]                    response_valid_i,
  input  logic  [1:0][DataWidth-1:0]     response_value_i,
  input  logic  [1:0][IdWidth-1:0]       response_id_i,
  input  logic  [1:0][StatusWidth-1:0]   response_status_i,

  output logic idle_o
);

  typedef struct packed {
    logic                     valid;
    logic [LocationWidth-1:0] location;
    form_e                    form;
    logic [DataWidth-1:0]     a;
    logic [DataWidth-1:0]     b;
    logic [IdWidth-1:0]       id;
    logic                     combinable;
  } request_t;

  typedef struct packed {
    logic                   valid;
    logic [DataWidth-1:0]   value;
    logic [IdWidth-1:0]     id;
    logic [StatusWidth-1:0] status;
  } response_t;

  // The messages and ready bits on the links: link n leads to switch n, the last to memory.
  request_t  [Switches:0][1:0]      request;
  logic      [Switches:0][1:0][1:0] request_ready;
  response_t [Switches:0][1:0]      response;
  logic      [Switches:0][1:0]      response_ready;

  // --- the registers before the first switch and behind the last ---------------------------------

  // Inputs of a switch that have ready bits of their own: those of type A share a queue.
  localparam int unsigned ReadyInputs = DualInput != 0 ? 1 : 2;

  request_t  [1:0]      first_request_q, last_request_q;
  logic      [ReadyInputs-1:0][1:0] first_request_ready_q;
  logic      [1:0][1:0] last_request_ready_q;
  response_t [1:0]      first_response_q, last_response_q;
  logic      [1:0]      first_response_ready_q;
  logic                 last_response_ready_q, idle_q;
  logic [Switches-1:0]  idle;

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < 2; i++) begin
      first_request_q[i] <= '{
          valid: request_valid_i[i],
          location: request_location_i[i],
          form: request_form_i[i],
          a: request_a_i[i],
          b: request_b_i[i],
          id: request_id_i[i],
          combinable: request_combinable_i[i]
      };
      last_response_q[i] <= '{
          valid: response_valid_i[i],
          value: response_value_i[i],
          id: response_id_i[i],
          status: response_status_i[i]
      };
    end
    first_request_ready_q  <= request_ready[0][ReadyInputs-1:0];
    last_request_ready_q   <= request_ready_i;
    last_request_q         <= request[Switches];
    first_response_q       <= response[0];
    first_response_ready_q <= response_ready_i;
    last_response_ready_q  <= response_ready[Switches][0];  // a switch gives one bit twice
    idle_q                 <= &idle;
  end

  assign request[0]              = first_request_q;
  assign request_ready[Switches] = last_request_ready_q;
  assign response[Switches]      = last_response_q;
  assign response_ready[0]       = first_response_ready_q;

  assign request_ready_o  = {first_request_ready_q[ReadyInputs-1], first_request_ready_q[0]};
  assign response_ready_o = last_response_ready_q;
  assign idle_o           = idle_q;
  for (genvar i = 0; i < 2; i++) begin : gen_port
    assign response_valid_o[i]     = first_response_q[i].valid;
    assign response_value_o[i]     = first_response_q[i].value;
    assign response_id_o[i]        = first_response_q[i].id;
    assign response_status_o[i]    = first_response_q[i].status;
    assign request_valid_o[i]      = last_request_q[i].valid;
    assign request_location_o[i]   = last_request_q[i].location;
    assign request_form_o[i]       = last_request_q[i].form;
    assign request_a_o[i]          = last_request_q[i].a;
    assign request_b_o[i]          = last_request_q[i].b;
    assign request_id_o[i]         = last_request_q[i].id;
    assign request_combinable_o[i] = last_request_q[i].combinable;
  end

  // --- the switches: output o of one is input o of the next --------------------------------------

  for (genvar n = 0; n < Switches; n++) begin : gen_switch
    // By output, as the switch has its ports.
    logic  [1:0]                    request_valid_to, request_valid_from;
    logic  [1:0][LocationWidth-1:0] request_location_to, request_location_from;
    form_e [1:0]                    request_form_to, request_form_from;
    logic  [1:0][DataWidth-1:0]     request_a_to, request_a_from;
    logic  [1:0][DataWidth-1:0]     request_b_to, request_b_from;
    logic  [1:0][IdWidth-1:0]       request_id_to, request_id_from;
    logic  [1:0]                    request_combinable_to, request_combinable_from;
    logic  [1:0]                    response_valid_to, response_valid_from;
    logic  [1:0][DataWidth-1:0]     response_value_to, response_value_from;
    logic  [1:0][IdWidth-1:0]       response_id_to, response_id_from;
    logic  [1:0][StatusWidth-1:0]   response_status_to, response_status_from;

    for (genvar i = 0; i < 2; i++) begin : gen_link
      assign request_valid_to[i]      = request[n][i].valid;
      assign request_location_to[i]   = request[n][i].location;
      assign request_form_to[i]       = request[n][i].form;
      assign request_a_to[i]          = request[n][i].a;
      assign request_b_to[i]          = request[n][i].b;
      assign request_id_to[i]         = request[n][i].id;
      assign request_combinable_to[i] = request[n][i].combinable;
      assign request[n+1][i] = '{
              valid: request_valid_from[i],
              location: request_location_from[i],
              form: request_form_from[i],
              a: request_a_from[i],
              b: request_b_from[i],
              id: request_id_from[i],
              combinable: request_combinable_from[i]
          };
      assign response_valid_to[i]  = response[n+1][i].valid;
      assign response_value_to[i]  = response[n+1][i].value;
      assign response_id_to[i]     = response[n+1][i].id;
      assign response_status_to[i] = response[n+1][i].status;
      assign response[n][i] = '{
              valid: response_valid_from[i],
              value: response_value_from[i],
              id: response_id_from[i],
              status: response_status_from[i]
          };
    end

    combining_switch #(
      .DualInput        (DualInput),
      .Coupled          (Coupled),
      .SumAtExit        (SumAtExit),
      .Ordered          (Ordered),
      .Microarchitecture(Microarchitecture),
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
      .route_bit_i         (route_bit_i[n]),
      .request_ready_o     (request_ready[n]),
      .request_valid_i     (request_valid_to),
      .request_location_i  (request_location_to),
      .request_form_i      (request_form_to),
      .request_a_i         (request_a_to),
      .request_b_i         (request_b_to),
      .request_id_i        (request_id_to),
      .request_combinable_i(request_combinable_to),
      .request_ready_i     (request_ready[n+1]),
      .request_valid_o     (request_valid_from),
      .request_location_o  (request_location_from),
      .request_form_o      (request_form_from),
      .request_a_o         (request_a_from),
      .request_b_o         (request_b_from),
      .request_id_o        (request_id_from),
      .request_combinable_o(request_combinable_from),
      .response_ready_o    (response_ready[n+1]),
      .response_valid_i    (response_valid_to),
      .response_value_i    (response_value_to),
      .response_id_i       (response_id_to),
      .response_status_i   (response_status_to),
      .response_ready_i    (response_ready[n]),
      .response_valid_o    (response_valid_from),
      .response_value_o    (response_value_from),
      .response_id_o       (response_id_from),
      .response_status_o   (response_status_from),
      .idle_o              (idle[n]),
      .event_inserted_o    (),
      .event_combined_o    (),
      .event_joined_id_o   (),
      .event_joining_id_o  (),
      .event_departed_o    (),
      .event_held_o        (),
      .event_decombined_o  (),
      .event_second_id_o   (),
      .event_second_value_o()
    );
  end

endmodule
