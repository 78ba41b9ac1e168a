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
  parameter int unsigned          IdWidth           = 48
) (
  input  logic clk_i,
  input  logic rst_ni,

  output logic                                   ready_o,
  input  logic  [Writers-1:0]                    valid_i,
  input  logic  [Writers-1:0][LocationWidth-1:0] location_i,
  input  form_e [Writers-1:0]                    form_i,
  input  logic  [Writers-1:0][DataWidth-1:0]     a_i,
  input  logic  [Writers-1:0][DataWidth-1:0]     b_i,
  input  logic  [Writers-1:0][IdWidth-1:0]       id_i,
  input  logic  [Writers-1:0]                    combinable_i,
  input  logic                                   wait_buffer_full_i,
  output logic                                   head_valid_o,
  output logic [LocationWidth-1:0]               head_location_o,
  output form_e                                  head_form_o,
  output logic [DataWidth-1:0]                   head_a_o,
  output logic [DataWidth-1:0]                   head_b_o,
  output logic [IdWidth-1:0]                     head_id_o,
  output logic                                   head_combinable_o,
  output logic                                   head_combined_o,
  output logic [IdWidth-1:0]                     partner_id_o,
  output form_e                                  partner_form_o,
  output logic [DataWidth-1:0]                   partner_a_o,
  output logic [DataWidth-1:0]                   partner_b_o,
  input  logic                                   release_i
);

  typedef struct packed {
    logic  [Writers-1:0]                    valid;
    logic  [Writers-1:0][LocationWidth-1:0] location;
    form_e [Writers-1:0]                    form;
    logic  [Writers-1:0][DataWidth-1:0]     a;
    logic  [Writers-1:0][DataWidth-1:0]     b;
    logic  [Writers-1:0][IdWidth-1:0]       id;
    logic  [Writers-1:0]                    combinable;
    logic                                   wait_buffer_full;
    logic                                   release_head;
  } in_t;

  typedef struct packed {
    logic                     ready;
    logic                     head_valid;
    logic [LocationWidth-1:0] head_location;
    form_e                    head_form;
    logic [DataWidth-1:0]     head_a;
    logic [DataWidth-1:0]     head_b;
    logic [IdWidth-1:0]       head_id;
    logic                     head_combinable;
    logic                     head_combined;
    logic [IdWidth-1:0]       partner_id;
    form_e                    partner_form;
    logic [DataWidth-1:0]     partner_a;
    logic [DataWidth-1:0]     partner_b;
  } out_t;

  in_t  in_q;
  out_t out_d, out_q;

  always_ff @(posedge clk_i) begin
    in_q <= '{
        valid: valid_i,
        location: location_i,
        form: form_i,
        a: a_i,
        b: b_i,
        id: id_i,
        combinable: combinable_i,
        wait_buffer_full: wait_buffer_full_i,
        release_head: release_i
    };
    out_q <= out_d;
  end

  assign ready_o           = out_q.ready;
  assign head_valid_o      = out_q.head_valid;
  assign head_location_o   = out_q.head_location;
  assign head_form_o       = out_q.head_form;
  assign head_a_o          = out_q.head_a;
  assign head_b_o          = out_q.head_b;
  assign head_id_o         = out_q.head_id;
  assign head_combinable_o = out_q.head_combinable;
  assign head_combined_o   = out_q.head_combined;
  assign partner_id_o      = out_q.partner_id;
  assign partner_form_o    = out_q.partner_form;
  assign partner_a_o       = out_q.partner_a;
  assign partner_b_o       = out_q.partner_b;

  if (Microarchitecture != 0) begin : gen_systolic
    systolic_queue #(
      .Slots        (Slots),
      .AdaptiveLimit(AdaptiveLimit),
      .Coupled      (Coupled),
      .Forms        (Forms),
      .LocationWidth(LocationWidth),
      .DataWidth    (DataWidth),
      .IdWidth      (IdWidth)
    ) u_queue (
      .clk_i,
      .rst_ni,
      .ready_o           (out_d.ready),
      .valid_i           (in_q.valid[0]),
      .location_i        (in_q.location[0]),
      .form_i            (in_q.form[0]),
      .a_i               (in_q.a[0]),
      .b_i               (in_q.b[0]),
      .id_i              (in_q.id[0]),
      .combinable_i      (in_q.combinable[0]),
      .wait_buffer_full_i(in_q.wait_buffer_full),
      .head_valid_o      (out_d.head_valid),
      .head_location_o   (out_d.head_location),
      .head_form_o       (out_d.head_form),
      .head_a_o          (out_d.head_a),
      .head_b_o          (out_d.head_b),
      .head_id_o         (out_d.head_id),
      .head_combinable_o (out_d.head_combinable),
      .head_combined_o   (out_d.head_combined),
      .partner_id_o      (out_d.partner_id),
      .partner_form_o    (out_d.partner_form),
      .partner_a_o       (out_d.partner_a),
      .partner_b_o       (out_d.partner_b),
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
      .LocationWidth(LocationWidth),
      .DataWidth    (DataWidth),
      .IdWidth      (IdWidth)
    ) u_queue (
      .clk_i,
      .rst_ni,
      .ready_o           (out_d.ready),
      .valid_i           (in_q.valid),
      .location_i        (in_q.location),
      .form_i            (in_q.form),
      .a_i               (in_q.a),
      .b_i               (in_q.b),
      .id_i              (in_q.id),
      .combinable_i      (in_q.combinable),
      .wait_buffer_full_i(in_q.wait_buffer_full),
      .head_valid_o      (out_d.head_valid),
      .head_location_o   (out_d.head_location),
      .head_form_o       (out_d.head_form),
      .head_a_o          (out_d.head_a),
      .head_b_o          (out_d.head_b),
      .head_id_o         (out_d.head_id),
      .head_combinable_o (out_d.head_combinable),
      .head_combined_o   (out_d.head_combined),
      .partner_id_o      (out_d.partner_id),
      .partner_form_o    (out_d.partner_form),
      .partner_a_o       (out_d.partner_a),
      .partner_b_o       (out_d.partner_b),
      .release_i         (in_q.release_head),
      .event_inserted_o  (),
      .event_combined_o  (),
      .event_joined_id_o ()
    );
  end

endmodule
