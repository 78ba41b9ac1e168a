// SPDX-License-Identifier: Apache-2.0
// A testbench in SystemVerilog alone: one combining switch with a fetch-and-phi unit and words
// behind each memory-side port. It checks itself, and ends with a message and status 0, or in
// $fatal. From the folder above:
//
//   $ verilator --binary --assert -Wall -F tributary.f tb/combining_switch_tb.sv \
//       --top-module combining_switch_tb && obj_dir/Vcombining_switch_tb
//
// +corrupt=M increments a word of module M before the last check, to see that it notices.
module combining_switch_tb
  import tributary_pkg::*;
#(
  // Of the switch, as there.
  parameter int unsigned DualInput         = 0,
  parameter int unsigned Coupled           = 0,
  parameter int unsigned Ordered           = 0,
  parameter int unsigned SumAtExit         = 0,
  parameter int unsigned Microarchitecture = 0,
  parameter int unsigned ArrivalRegisters  = 0,
  parameter int unsigned Slots             = 4,
  parameter int unsigned AdaptiveLimit     = 0,
  parameter int unsigned Gradual           = 0,
  parameter int unsigned WaitBufferEntries = 8,
  parameter int unsigned LinkCycles        = 2,
  parameter int unsigned ReverseSlots      = 16,
  // Of the memory modules.
  parameter int unsigned Interval          = 4,
  parameter int unsigned Latency           = 2,
  // Requests of the random traffic, at most 65536, and the seed of it.
  parameter int unsigned Requests          = 4000,
  parameter int unsigned Seed              = 1
);

  localparam int unsigned Words         = 4;  // of each memory module; word 0 of module 0 is hot
  localparam int unsigned AddressWidth  = 48;
  localparam int unsigned ModuleWidth   = 16;
  localparam int unsigned ElementWidth  = 16;
  localparam int unsigned SequenceWidth = 32;
  localparam int unsigned Limit         = Requests + 16;  // requests of all traffic
  localparam int unsigned TimeLimit     = 1000 * Limit;   // cycles; far more than any of it needs

  typedef logic [$clog2(Words)-1:0] place_t;  // of a word in its module
  typedef logic [$clog2(Limit)-1:0] sequence_t;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  initial forever #1 clk = ~clk;

  // --- the switch and what is behind it ----------------------------------------------------------

  logic      [1:0][1:0] request_ready, next_ready;
  logic      [1:0]      request_valid = '0;
  request_t  [1:0]      request = '0, leaving;
  logic      [1:0]      out_valid;
  logic      [1:0]      back_ready, back_valid;
  response_t [1:0]      back, response;
  logic      [1:0]      response_ready = '1;
  logic      [1:0]      response_valid;
  logic                 switch_idle;
  logic      [1:0]      memory_ready, memory_idle;
  logic      [1:0]      memory_stalls = '0;

  // The event ports are not of interest here.
  // verilator lint_off PINMISSING
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
    .ReverseSlots     (ReverseSlots)
  ) u_switch (
    .clk_i           (clk),
    .rst_ni          (rst_n),
    .route_bit_i     ('0),
    .request_ready_o (request_ready),
    .request_valid_i (request_valid),
    .request_i       (request),
    .request_ready_i (next_ready),
    .request_valid_o (out_valid),
    .request_o       (leaving),
    .response_ready_o(back_ready),
    .response_valid_i(back_valid),
    .response_i      (back),
    .response_ready_i(response_ready),
    .response_valid_o(response_valid),
    .response_o      (response),
    .idle_o          (switch_idle)
  );
  // verilator lint_on PINMISSING

  word_t words[2][Words];

  for (genvar o = 0; o < 2; o++) begin : gen_memory
    logic                   write_valid;
    place_t                 read_address, write_address;
    word_t                  write_data, read_data_q;
    logic [ModuleWidth-1:0] module_number;

    assign next_ready[o] = {2{memory_ready[o] && !memory_stalls[o]}};
    assign module_number = leaving[o].location[AddressWidth+:ModuleWidth];

    // verilator lint_off PINCONNECTEMPTY
    fetch_op_unit #(
      .Interval    (Interval),
      .Latency     (Latency),
      .LinkCycles  (LinkCycles),
      .AddressWidth($clog2(Words))
    ) u_fetch_op (
      .clk_i            (clk),
      .rst_ni           (rst_n),
      .request_ready_o  (memory_ready[o]),
      .request_valid_i  (out_valid[o]),
      .request_address_i(place_t'(leaving[o].location)),
      .request_form_i   (leaving[o].operation.form),
      .request_a_i      (leaving[o].operation.a),
      .request_b_i      (leaving[o].operation.b),
      .request_id_i     (leaving[o].id),
      .response_ready_i (back_ready[o]),
      .response_valid_o (back_valid[o]),
      .response_value_o (back[o].value),
      .response_id_o    (back[o].id),
      .response_status_o(back[o].status),
      .read_valid_o     (),
      .read_address_o   (read_address),
      .read_data_i      (read_data_q),
      .write_valid_o    (write_valid),
      .write_address_o  (write_address),
      .write_data_o     (write_data),
      .idle_o           (memory_idle[o])
    );
    // verilator lint_on PINCONNECTEMPTY

    always_ff @(posedge clk) begin
      read_data_q <= words[o][read_address];
      if (write_valid) words[o][write_address] <= write_data;
      if (out_valid[o] && module_number != ModuleWidth'(o)) begin
        $fatal(1, "a request for module %0d leaves by output %0d", module_number, o);
      end
    end
  end

  // --- what was asked and answered, by sequence number -------------------------------------------

  int unsigned cycle_q = 0;
  int unsigned sent = 0;        // requests offered to the switch, the ones of this cycle included
  int unsigned reached_q = 0;   // requests that reached memory
  int unsigned answered_q = 0;

  logic        port_of[Limit];
  logic        module_of[Limit];
  place_t      word_of[Limit];
  logic        is_answered_q[Limit];
  word_t       answer_q[Limit];
  int unsigned answered_in_q[Limit];  // cycle

  always_ff @(posedge clk) begin
    cycle_q <= cycle_q + 1;
    if (cycle_q == TimeLimit) $fatal(1, "%0d of %0d requests answered in time", answered_q, sent);
    if (rst_n) begin
      reached_q  <= reached_q + $countones(out_valid);
      answered_q <= answered_q + $countones(response_valid);
    end
    for (int unsigned i = 0; i < 2; i++) begin
      if (rst_n && response_valid[i]) begin
        automatic logic [SequenceWidth-1:0] number = response[i].id[ElementWidth+:SequenceWidth];
        automatic sequence_t asked = sequence_t'(number);
        if (number >= sent) $fatal(1, "an answer to request %0d, which was never sent", number);
        if (is_answered_q[asked]) $fatal(1, "request %0d is answered twice", number);
        if (port_of[asked] != (i != 0) || response[i].status != '0) begin
          $fatal(1, "request %0d is answered at input %0d with status %0d", number, i,
                 response[i].status);
        end
        is_answered_q[asked] <= 1'b1;
        answer_q[asked]      <= response[i].value;
        answered_in_q[asked] <= cycle_q;
      end
    end
  end

  // --- driving it, at falling edges --------------------------------------------------------------

  // Offers a request in this cycle. Call where the queue that it takes is ready.
  task automatic offer(input int unsigned i, input logic of_module, input place_t word,
                       input form_e form, input word_t a);
    request_valid[i] = 1'b1;
    request[i]       = '{
        location: {ModuleWidth'(of_module), AddressWidth'(word)},
        operation: '{form: form, a: a, b: '0},
        id: {SequenceWidth'(sent), ElementWidth'(i)},
        combinable: 1'b1
    };
    port_of[sequence_t'(sent)]   = i != 0;
    module_of[sequence_t'(sent)] = of_module;
    word_of[sequence_t'(sent)]   = word;
    sent++;
  endtask

  // Sends a request and ends at the next falling edge after its cycle.
  task automatic send(input int unsigned i, input logic of_module, input place_t word,
                      input form_e form, input word_t a);
    while (!request_ready[i][of_module]) @(negedge clk);
    offer(i, of_module, word, form, a);
    @(negedge clk);
    request_valid = '0;
  endtask

  // Lets everything be answered.
  task automatic drain();
    request_valid  = '0;
    memory_stalls  = '0;
    response_ready = '1;
    while (answered_q != sent || !switch_idle || memory_idle != '1) @(negedge clk);
  endtask

  function automatic void expect_answer(input int unsigned number, input word_t value);
    if (answer_q[sequence_t'(number)] != value) begin
      $fatal(1, "request %0d is answered %0d, not %0d", number, answer_q[sequence_t'(number)],
             value);
    end
  endfunction

  // A lone request is back after a cycle in each direction, another one with registers behind the
  // links, and the latency of memory.
  localparam int unsigned Lone = 2 + 2 * ArrivalRegisters + Latency;

  task automatic check_lone_request();
    int unsigned asked;
    asked = cycle_q;
    send(1, 1'b1, 0, FormConstant, 77);
    drain();
    expect_answer(0, 0);
    if (answered_in_q[0] - asked != Lone) begin
      $fatal(1, "a lone request takes %0d cycles, not %0d", answered_in_q[0] - asked, Lone);
    end
    if (words[1][0] != 77) $fatal(1, "the word holds %0d, not the 77 that was stored", words[1][0]);
    words[1][0] = '0;
  endtask

  // Three fetch-and-adds wait for memory: two of them combine, and each is answered as if they had
  // come one after the other.
  task automatic check_combining();
    int unsigned first, reached;
    first         = sent;
    reached       = reached_q;
    words[0][0]   = 1000;
    memory_stalls = '1;
    send(0, 1'b0, 0, FormAdd, 1);
    repeat (4) @(negedge clk);
    send(0, 1'b0, 0, FormAdd, 10);
    repeat (4) @(negedge clk);
    send(0, 1'b0, 0, FormAdd, 100);
    repeat (4) @(negedge clk);
    drain();
    if (reached_q - reached != 2) begin
      $fatal(1, "%0d of three requests reach memory, not 2", reached_q - reached);
    end
    expect_answer(first, 1000);
    expect_answer(first + 1, 1001);
    expect_answer(first + 2, 1011);
    if (words[0][0] != 1111) $fatal(1, "the word holds %0d, not 1111", words[0][0]);
    words[0][0] = '0;
  endtask

  // A small generator of the bench's own: the same traffic in every simulator.
  logic [31:0] random_q = 32'(Seed) ^ 32'h9e37_79b9;
  function automatic logic [31:0] random();
    random_q ^= random_q << 13;
    random_q ^= random_q >> 17;
    random_q ^= random_q << 5;
    return random_q;
  endfunction
  function automatic logic once_in(input int unsigned n);
    return (random() >> 8) % n == 0;
  endfunction

  // Fetch-and-adds of 1, half of them to one word, with stalls on all sides. The answers of a word
  // are then every number below the count of its requests, once each, and it ends at that count.
  task automatic check_hot_spot();
    int unsigned first, reached;
    logic corrupt;
    first   = sent;
    reached = reached_q;
    while (sent < first + Requests) begin
      request_valid     = '0;
      memory_stalls[0]  = !once_in(2);
      memory_stalls[1]  = once_in(4);
      response_ready[0] = !once_in(4);
      response_ready[1] = !once_in(8);
      for (int unsigned i = 0; i < 2; i++) begin
        automatic logic  hot = once_in(2);
        automatic logic  of_module = !hot && once_in(2);
        automatic place_t word = hot ? '0 : place_t'(random());
        if (sent < first + Requests && !once_in(4) && request_ready[i][of_module]) begin
          offer(i, of_module, word, FormAdd, 1);
        end
      end
      @(negedge clk);
    end
    drain();
    if ($value$plusargs("corrupt=%d", corrupt)) words[corrupt][0]++;
    for (int unsigned m = 0; m < 2; m++) begin
      for (int unsigned w = 0; w < Words; w++) check_counter(first, m != 0, place_t'(w));
    end
    if (reached_q - reached >= Requests) $fatal(1, "no request combined: this shows nothing");
    $display("combining_switch_tb: %0d requests, %0d of them combined, each answered once, passed",
             Requests, Requests - (reached_q - reached));
  endtask

  logic answers[Limit];
  function automatic void check_counter(input int unsigned first, input logic of_module,
                                        input place_t word);
    word_t count;
    count = '0;
    for (int unsigned r = 0; r < Limit; r++) answers[r] = 1'b0;
    for (int unsigned r = first; r < sent; r++) begin
      if (module_of[r] == of_module && word_of[r] == word) begin
        automatic word_t answer = answer_q[r];
        if (answer >= word_t'(Limit)) $fatal(1, "request %0d is answered %0d", r, answer);
        if (answers[sequence_t'(answer)]) $fatal(1, "two requests are answered %0d", answer);
        answers[sequence_t'(answer)] = 1'b1;
        count++;
      end
    end
    for (word_t v = 0; v < count; v++) begin
      if (!answers[sequence_t'(v)]) $fatal(1, "no request is answered %0d", v);
    end
    if (words[of_module][word] != count) begin
      $fatal(1, "word %0d of module %0d holds %0d after %0d increments", word, of_module,
             words[of_module][word], count);
    end
  endfunction

  initial begin
    for (int unsigned m = 0; m < 2; m++) begin
      for (int unsigned w = 0; w < Words; w++) words[m][w] = '0;
    end
    for (int unsigned r = 0; r < Limit; r++) is_answered_q[r] = 1'b0;
    repeat (2) @(negedge clk);
    rst_n = 1'b1;
    @(negedge clk);
    check_lone_request();
    check_combining();
    check_hot_spot();
    $finish;
  end

endmodule
