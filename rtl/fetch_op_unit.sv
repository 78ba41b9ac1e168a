// SPDX-License-Identifier: Apache-2.0
// The fetch-and-phi unit of a memory module: everything of the module but its words. Performs a
// request on a word, one after the other, and answers with the old word, stores included. Cycle
// contract, rule 8; the model is models/tributary/memory/memory.h without its local port.
//
// A request accepted in cycle t reads its word in cycle t and writes it in cycle t + 1; the next is
// accepted from t + Interval on, and its response is offered from t + Latency on, in order. While
// the pipeline is full nothing is accepted.
//
// The words lie behind a synchronous port: read data is there in the cycle after the read. Reads
// and writes are in different cycles unless Interval is 1, so a memory with one port serves; where
// both are in one cycle and at one address, either old or new data may be read (the unit forwards
// its own).
module fetch_op_unit
  import tributary_pkg::*;
#(
  parameter int unsigned          Interval      = 4,   // cycles from one request to the next
  parameter int unsigned          Latency       = 2,   // cycles from a request to its response
  parameter int unsigned          PipelineSlots = 16,  // responses held until they are taken
  parameter int unsigned          LinkCycles    = 2,   // cycles that a response holds its link
  parameter logic [FormCount-1:0] Forms         = '1,  // that are built; others only read
  parameter int unsigned          DataWidth     = 64,  // of a word
  parameter int unsigned          AddressWidth  = 48,  // word address
  parameter int unsigned          IdWidth       = 48,  // of a request's identity
  parameter int unsigned          StatusWidth   = 8    // of a response's status
) (
  // Reset does not clear the words.
  input  logic clk_i,
  input  logic rst_ni,

  // Requests from the network. Ready is registered; valid only while ready.
  output logic                    request_ready_o,
  input  logic                    request_valid_i,
  input  logic [AddressWidth-1:0] request_address_i,
  input  form_e                   request_form_i,
  input  logic [DataWidth-1:0]    request_a_i,
  input  logic [DataWidth-1:0]    request_b_i,
  input  logic [IdWidth-1:0]      request_id_i,

  // Responses to the network: valid only while it is ready. Status is always 0, served.
  input  logic                   response_ready_i,
  output logic                   response_valid_o,
  output logic [DataWidth-1:0]   response_value_o,
  output logic [IdWidth-1:0]     response_id_o,
  output logic [StatusWidth-1:0] response_status_o,

  // The words: read data belongs to the read of the cycle before.
  output logic                    read_valid_o,
  output logic [AddressWidth-1:0] read_address_o,
  input  logic [DataWidth-1:0]    read_data_i,
  output logic                    write_valid_o,
  output logic [AddressWidth-1:0] write_address_o,
  output logic [DataWidth-1:0]    write_data_o,

  // No request or response is inside.
  output logic idle_o
);

  localparam int unsigned BusyWidth  = Interval > 1 ? $clog2(Interval) : 1;
  localparam int unsigned WaitWidth  = Latency > 1 ? $clog2(Latency) : 1;
  localparam int unsigned TimerWidth = LinkCycles > 1 ? $clog2(LinkCycles) : 1;
  localparam int unsigned CountWidth = $clog2(PipelineSlots + 1);
  typedef logic [CountWidth-1:0] count_t;

  localparam logic [BusyWidth-1:0]  Busy     = BusyWidth'(Interval - 1);
  localparam logic [WaitWidth-1:0]  Wait     = WaitWidth'(Latency - 1);
  localparam logic [TimerWidth-1:0] LinkBusy = TimerWidth'(LinkCycles - 1);

  // --- the operation: the cycle after a request was accepted -------------------------------------

  logic                    perform_q;  // a request was accepted in the cycle before
  form_e                   form_q;
  logic [DataWidth-1:0]    a_q, b_q;
  logic [AddressWidth-1:0] address_q;
  logic                    forward_d, forward_q;  // its word was written while it was read
  logic [DataWidth-1:0]    written_q;
  logic [DataWidth-1:0]    old_word, new_word;

  assign read_valid_o   = request_valid_i;
  assign read_address_o = request_address_i;

  assign old_word = forward_q ? written_q : read_data_i;

  apply_unit #(
    .DataWidth(DataWidth),
    .Forms    (Forms)
  ) u_apply (
    .form_i(form_q),
    .a_i   (a_q),
    .b_i   (b_q),
    .word_i(old_word),
    .word_o(new_word)
  );

  assign write_valid_o   = perform_q && form_q != FormIdentity;
  assign write_address_o = address_q;
  assign write_data_o    = new_word;
  assign forward_d       = write_valid_o && request_address_i == address_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) perform_q <= 1'b0;
    else perform_q <= request_valid_i;
    form_q    <= request_form_i;
    a_q       <= request_a_i;
    b_q       <= request_b_i;
    address_q <= request_address_i;
    forward_q <= forward_d;
    written_q <= new_word;
  end

  // --- accepting ---------------------------------------------------------------------------------

  logic [BusyWidth-1:0] busy_d, busy_q;  // cycles until the next request is accepted
  count_t               size_d, size_q, size_left;

  assign request_ready_o = busy_q == '0 && size_q < count_t'(PipelineSlots);
  assign busy_d          = request_valid_i ? Busy : busy_q - BusyWidth'(busy_q != '0);
  assign idle_o          = size_q == '0;

  // --- responses: slot 0 is the oldest -----------------------------------------------------------

  typedef struct packed {
    logic [IdWidth-1:0]   id;
    logic [DataWidth-1:0] value;
    logic [WaitWidth-1:0] due;    // cycles until it is offered
  } response_t;

  response_t [PipelineSlots-1:0] responses_d, responses_q, performed;
  logic                          leaves;
  logic [TimerWidth-1:0]         timer_d, timer_q;

  // The newest response takes its word in the cycle in which the operation is performed.
  always_comb begin
    performed = responses_q;
    for (int unsigned i = 0; i < PipelineSlots; i++) begin
      if (perform_q && count_t'(i + 1) == size_q) performed[i].value = old_word;
    end
  end

  assign leaves = size_q != '0 && performed[0].due == '0 && timer_q == '0 && response_ready_i;
  assign response_valid_o  = leaves;
  assign response_value_o  = performed[0].value;
  assign response_id_o     = performed[0].id;
  assign response_status_o = '0;
  assign timer_d = leaves ? LinkBusy : timer_q - TimerWidth'(timer_q != '0);

  always_comb begin
    responses_d = performed;
    size_left   = size_q;
    if (leaves) begin
      for (int unsigned i = 0; i + 1 < PipelineSlots; i++) responses_d[i] = performed[i+1];
      size_left = size_q - count_t'(1);
    end
    for (int unsigned i = 0; i < PipelineSlots; i++) begin
      responses_d[i].due = responses_d[i].due - WaitWidth'(responses_d[i].due != '0);
      if (request_valid_i && count_t'(i) == size_left) begin
        responses_d[i] = '{id: request_id_i, value: '0, due: Wait};
      end
    end
    size_d = size_left + count_t'(request_valid_i);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q  <= '0;
      size_q  <= '0;
      timer_q <= '0;
    end else begin
      busy_q  <= busy_d;
      size_q  <= size_d;
      timer_q <= timer_d;
    end
    responses_q <= responses_d;
  end

  // The sentences of the model.
  if (Interval < 1 || Interval > 60000) begin : gen_bad_interval
    $fatal(1, "Interval: %0d cycles is out of range (allowed: 1 to 60000 cycles)", Interval);
  end
  if (Latency < 1 || Latency > 60000) begin : gen_bad_latency
    $fatal(1, "Latency: %0d cycles is out of range (allowed: 1 to 60000 cycles)", Latency);
  end
  if (PipelineSlots < 1 || PipelineSlots > 4096) begin : gen_bad_pipeline_slots
    $fatal(1, "PipelineSlots: %0d responses is out of range (allowed: 1 to 4096 responses)",
           PipelineSlots);
  end
  if (LinkCycles < 1 || LinkCycles > 128) begin : gen_bad_link_cycles
    $fatal(1, "LinkCycles: %0d cycles is out of range (allowed: 1 to 128 cycles)", LinkCycles);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      request_when_ready: assert (!request_valid_i || request_ready_o)
      else $error("fetch_op_unit: a request arrives while the unit is not ready");
      performed_has_slot: assert (!perform_q || size_q != '0)
      else $error("fetch_op_unit: an operation is performed for no response");
    end
  end

`ifndef SYNTHESIS
  // Cover points: what tests must have met.
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      performs: cover (perform_q);
      forwards: cover (perform_q && forward_q);
      every_cycle: cover (perform_q && request_valid_i);
      pipeline_full: cover (busy_q == '0 && !request_ready_o);
      response_waits_for_network: cover (size_q != '0 && performed[0].due == '0 && timer_q == '0 &&
                                         !response_ready_i);
      response_waits_for_link: cover (size_q != '0 && performed[0].due == '0 && timer_q != '0);
      answers_as_it_performs: cover (leaves && perform_q && size_q == count_t'(1));
      emptied: cover (leaves && size_d == '0);
    end
  end
`endif

endmodule
