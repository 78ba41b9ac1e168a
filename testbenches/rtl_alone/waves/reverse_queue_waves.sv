// SPDX-License-Identifier: Apache-2.0
// A queue of six slots: responses a to d arrive at once, then e and f alone; the head
// leaves every second cycle.
module reverse_queue_waves
  import waves_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input int unsigned cycle_i
);

  typedef logic [7:0] letter_t;

  logic          ready, head_valid, leaves;
  logic    [3:0] valid;
  letter_t [3:0] response;
  letter_t       head;

  always_comb begin
    valid    = '0;
    response = {"d", "c", "b", "a"};
    unique case (cycle_i)
      1: valid = 4'b1111;
      8: begin
        valid       = 4'b0001;
        response[0] = "e";
      end
      9: begin
        valid       = 4'b0100;
        response[2] = "f";
      end
      default: ;
    endcase
  end
  assign leaves = head_valid && cycle_i % 2 == 1;

  reverse_queue #(
    .Slots     (6),
    .response_t(letter_t)
  ) u_reverse_queue (
    .clk_i,
    .rst_ni,
    .ready_o     (ready),
    .coming_i    ('0),
    .valid_i     (valid),
    .response_i  (response),
    .head_valid_o(head_valid),
    .head_o      (head),
    .release_i   (leaves)
  );

  function automatic string arriving(int unsigned n);
    return $sformatf("valid_i[%0d]=%b response_i[%0d]:%s", n, valid[n], n,
                     letter(valid[n], 48'(response[n])));
  endfunction

  always_ff @(posedge clk_i) begin
    if (cycle_i inside {[1:14]}) begin
      $display("reverse_queue %0d ready_o=%b %s %s %s %s head_valid_o=%b head_o:%s release_i=%b",
               cycle_i, ready, arriving(0), arriving(1), arriving(2), arriving(3), head_valid,
               letter(head_valid, 48'(head)), leaves);
    end
  end

endmodule
