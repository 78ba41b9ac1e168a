// SPDX-License-Identifier: Apache-2.0
// A forward queue between registers, so that every path runs from register to register. Events are
// left open: they are for simulation. Of a switch it is a part: that the release comes late there,
// after the arbiter, and the arrival late, over the link, is not seen here.
module queue_alone
  import tributary_pkg::*;
#(
  parameter int unsigned          Microarchitecture = 0,   // 0: parallel, 1: systolic
  parameter int unsigned          Writers           = 1,   // these are combining_queue's
  parameter int unsigned          Slots             = 4,
  parameter int unsigned          AdaptiveLimit     = 0,
  parameter int unsigned          Gradual           = 0,
  parameter int unsigned          Coupled           = 0,
  parameter int unsigned          SumAtExit         = 0,
  parameter int unsigned          Ordered           = 0,
  parameter logic [FormCount-1:0] Forms             = '1,
  parameter int unsigned          LocationWidth     = 64,
  parameter int unsigned          DataWidth         = 64,
  parameter int unsigned          IdWidth           = 48,
  localparam type                 id_t              = logic [IdWidth-1:0],
  localparam type                 operation_t       = struct packed {
    form_e                form;
    logic [DataWidth-1:0] a;
    logic [DataWidth-1:0] b;
  },
  localparam type                 request_t         = struct packed {
    logic [LocationWidth-1:0] location;
    operation_t               operation;
    id_t                      id;
    logic                     combinable;
  },
  localparam type                 partner_t         = struct packed {
    id_t        id;
    operation_t operation;
  }
) (
  input  logic clk_i,
  input  logic rst_ni,

  output logic                   ready_o,
  input  logic     [Writers-1:0] valid_i,
  input  request_t [Writers-1:0] request_i,
  input  logic                   wait_buffer_full_i,
  output logic                   head_valid_o,
  output request_t               head_o,
  output logic                   head_combined_o,
  output partner_t               partner_o,
  input  logic                   release_i
);

  typedef struct packed {
    logic     [Writers-1:0] valid;
    request_t [Writers-1:0] request;
    logic                   wait_buffer_full;
    logic                   release_head;
  } in_t;

  typedef struct packed {
    logic     ready;
    logic     head_valid;
    request_t head;
    logic     head_combined;
    partner_t partner;
  } out_t;

  in_t  in_q;
  out_t out_d, out_q;

  always_ff @(posedge clk_i) begin
    in_q  <= {valid_i, request_i, wait_buffer_full_i, release_i};
    out_q <= out_d;
  end

  assign {ready_o, head_valid_o, head_o, head_combined_o, partner_o} = out_q;

  if (Microarchitecture != 0) begin : gen_systolic
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
      .ready_o           (out_d.ready),
      .valid_i           (in_q.valid[0]),
      .request_i         (in_q.request[0]),
      .wait_buffer_full_i(in_q.wait_buffer_full),
      .head_valid_o      (out_d.head_valid),
      .head_o            (out_d.head),
      .head_combined_o   (out_d.head_combined),
      .partner_o         (out_d.partner),
      .release_i         (in_q.release_head),
      .event_inserted_o  (),
      .event_combined_o  (),
      .event_joined_id_o (),
      .event_joining_id_o()
    );
  end else begin : gen_parallel
    combining_queue #(
      .Writers      (Writers),
      .Slots        (Slots),
      .AdaptiveLimit(AdaptiveLimit),
      .Gradual      (Gradual),
      .Coupled      (Coupled),
      .SumAtExit    (SumAtExit),
      .Ordered      (Ordered),
      .Forms        (Forms),
      .id_t         (id_t),
      .operation_t  (operation_t),
      .request_t    (request_t),
      .partner_t    (partner_t)
    ) u_queue (
      .clk_i,
      .rst_ni,
      .ready_o           (out_d.ready),
      .coming_i          ('0),
      .valid_i           (in_q.valid),
      .request_i         (in_q.request),
      .wait_buffer_full_i(in_q.wait_buffer_full),
      .head_valid_o      (out_d.head_valid),
      .head_o            (out_d.head),
      .head_combined_o   (out_d.head_combined),
      .partner_o         (out_d.partner),
      .release_i         (in_q.release_head),
      .event_inserted_o  (),
      .event_combined_o  (),
      .event_joined_id_o ()
    );
  end

endmodule
