// SPDX-License-Identifier: Apache-2.0
// What `watch_...` cells become where the question is not whether a property holds but in which
// step something is first met. Each has an input of its own that is free: without one, Yosys would
// make one of two that say the same, and one of the names would be lost.

// Fails where the cover point is reached.
(* techmap_celltype = "watch_cover" *)
module watch_cover_map (input A, input EN);
  wire free;
  \$anyseq #(.WIDTH(1)) any (.Y(free));
  \$assert _TECHMAP_REPLACE_ (.A(!(A && EN && free)), .EN(1'b1));
endmodule

// Fails where the assertion is looked at.
(* techmap_celltype = "watch_enable" *)
module watch_enable_map (input A, input EN);
  wire free;
  \$anyseq #(.WIDTH(1)) any (.Y(free));
  \$assert _TECHMAP_REPLACE_ (.A(!(EN && free)), .EN(1'b1));
endmodule

// Fails where the assertion does.
(* techmap_celltype = "watch_assert" *)
module watch_assert_map (input A, input EN);
  wire free;
  \$anyseq #(.WIDTH(1)) any (.Y(free));
  \$assert _TECHMAP_REPLACE_ (.A(A || !free), .EN(EN));
endmodule
