// SPDX-License-Identifier: Apache-2.0
// Properties of the wait buffer (rtl/wait_buffer.sv; cycle contract, rules 4 and 7): what was put
// in is found once, by the identity it was put in under, and unchanged.
//
// One identity is watched. It is chosen in the first cycle and nothing else is said of it, so what
// is proven of it holds of each. What waits is kept a second time here, from the ports alone.
//
// Identities of 3 bits suffice: the buffer compares them for equality and carries them along, so a
// violation needs no more of them than wait at one time, arrive in one cycle and are watched, at
// most 6 with 3 entries. Operands of 3 bits suffice for what the buffer does with them, which is to
// carry them to the unit that applies them; with words of 64 bits, as they are built, it is proven
// as well. Two entries, one and three are proven; nothing in the block depends on their number but
// the search for a free one.
//
// With ArrivalRegisters, the second response comes in the cycle after the first is looked for, with
// the value of that cycle; until then its entry is in use.
//
// The first response goes past the buffer to the reverse queue, in the switch; the buffer reads its
// value and has no way to change it.
module wait_buffer_properties
  import tributary_pkg::*;
  import operation_values_pkg::*;
#(
  parameter int unsigned          Entries          = 2,
  parameter int unsigned          ArrivalRegisters = 0,
  parameter logic [FormCount-1:0] Forms            = '1,
  parameter int unsigned          DataWidth        = 3,
  parameter int unsigned          IdWidth          = 3,
  localparam type                 word_t           = logic [DataWidth-1:0],
  localparam type                 id_t             = logic [IdWidth-1:0],
  localparam type                 operation_t      = struct packed {
    form_e form;
    word_t a;
    word_t b;
  },
  localparam type                 partner_t        = struct packed {
    id_t        id;
    operation_t operation;
  }
) (
  input logic clk_i,
  input logic rst_ni,

  input id_t watched_i,

  input logic     insert_valid_i,
  input id_t      insert_first_id_i,
  input partner_t insert_partner_i,

  input logic  response_valid_i,
  input id_t   response_id_i,
  input word_t response_value_i
);

  typedef logic [2**IdWidth-1:0] set_t;  // of identities

  function automatic set_t only(id_t id);
    return set_t'(1'b1) << id;
  endfunction

  function automatic word_t value(operation_t operation, word_t x);
    return word_t'(value_after(DataWidth, operation.form, value_t'(operation.a),
                               value_t'(operation.b), value_t'(x)));
  endfunction

  function automatic logic combines(partner_t partner);
    return may_join(Forms, partner.operation.form, partner.operation.form);
  endfunction

  logic  full, empty, second_valid;
  id_t   second_id;
  word_t second_value;

  wait_buffer #(
    .Entries         (Entries),
    .ArrivalRegisters(ArrivalRegisters),
    .Forms           (Forms),
    .id_t            (id_t),
    .word_t          (word_t),
    .partner_t       (partner_t)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .full_o        (full),
    .empty_o       (empty),
    .insert_valid_i,
    .insert_first_id_i,
    .insert_partner_i,
    .response_valid_i,
    .response_id_i,
    .response_value_i,
    .second_valid_o(second_valid),
    .second_id_o   (second_id),
    .second_value_o(second_value)
  );

  // --- what waits, from the ports ----------------------------------------------------------------

  logic init_q = 1'b0;
  always_ff @(posedge clk_i) init_q <= 1'b1;

  id_t watched_q;
  always_ff @(posedge clk_i) if (!init_q) watched_q <= watched_i;

  // What a response of this cycle finds. It is due, with a second response if it found a partner,
  // in this cycle, or in the next.
  set_t waiting_d, waiting_q, finds, found;
  logic response_due;
  id_t  due_id;
  assign finds = response_valid_i ? waiting_q & only(response_id_i) : '0;

  if (ArrivalRegisters == 0) begin : gen_due_at_once
    assign response_due = response_valid_i;
    assign due_id       = response_id_i;
    assign found        = finds;
  end else begin : gen_due_later
    logic valid_q;
    id_t  id_q;
    set_t found_q;
    always_ff @(posedge clk_i) begin
      valid_q <= rst_ni && response_valid_i;
      found_q <= rst_ni ? finds : '0;
      id_q    <= response_id_i;
    end
    assign response_due = valid_q;
    assign due_id       = id_q;
    assign found        = found_q;
  end

  logic inserts_watched, watched_due, watched_found, watched_waits;
  assign inserts_watched = insert_valid_i && insert_first_id_i == watched_q;
  assign watched_due     = response_due && due_id == watched_q;
  assign watched_found   = found[watched_q];
  assign watched_waits   = waiting_q[watched_q];
  assign waiting_d       = (waiting_q & ~found) |
                           (insert_valid_i ? only(insert_first_id_i) : '0);

  // What was put in under the watched identity.
  partner_t kept_q;
  logic     found_before_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      waiting_q      <= '0;
      found_before_q <= 1'b0;
    end else begin
      waiting_q      <= waiting_d;
      found_before_q <= found_before_q || watched_found;
    end
    if (inserts_watched) kept_q <= insert_partner_i;
  end

  // --- assumptions -------------------------------------------------------------------------------

  always_comb begin
    // The first cycle is a reset, and no other is.
    env_reset: assume (rst_ni == init_q);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A combined head does not leave while the wait buffer is full (proven of the switch).
      env_insert_when_room: assume (!insert_valid_i || !full);

      // No two entries wait under one identity, which an element's sequence number sees to (proven
      // of the switch).
      env_identities_distinct: assume (!insert_valid_i || !waiting_q[insert_first_id_i]);

      // The first request of a pair is of a form that combines (proven of both queues).
      env_form_combines: assume (!insert_valid_i || combines(insert_partner_i));

      // Where the second response comes a cycle later, the first does not come twice in a row:
      // memory answers a request once (rule 10).
      env_answered_once: assume (ArrivalRegisters == 0 || (finds & found) == '0);
    end
  end

  // --- properties --------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A response finds the partner that waits for it, and the second response comes in the same
      // cycle; with registers, in the next.
      nothing_lost: assert (!watched_found || second_valid);

      // A response for which no partner waits, because none was put in or it was found before,
      // brings no second one.
      matched_once: assert (!(watched_due && !watched_found) || !second_valid);

      // Without a response there is no second one.
      only_responses_match: assert (response_due || !second_valid);

      // The second response has the identity that was put in under that of the first, whatever
      // came and went meanwhile.
      never_overwritten: assert (!watched_found || second_id == kept_q.id);

      // The second response is what the first request makes of the first response, for every form
      // that combines.
      second_response_right: assert (!watched_found || second_value ==
          value(kept_q.operation, response_value_i));

      // The buffer says that it is full exactly while as many partners wait as it has entries.
      full_exact: assert (full == ($countones(waiting_q) == Entries));

      // The buffer says that it is empty exactly while no partner waits.
      empty_exact: assert (empty == (waiting_q == '0));

      // Never do more partners wait than there are entries.
      occupancy_in_bounds: assert ($countones(waiting_q) <= Entries);
    end
  end

  // --- helper invariants -------------------------------------------------------------------------

  set_t held, held_twice;
  logic watched_kept;
  always_comb begin
    held         = '0;
    held_twice   = '0;
    watched_kept = 1'b1;
    for (int unsigned i = 0; i < Entries; i++) begin
      if (u_dut.used_q[i]) begin
        held_twice |= held & only(u_dut.entries_q[i].first_id);
        held       |= only(u_dut.entries_q[i].first_id);
        if (u_dut.entries_q[i].first_id == watched_q) begin
          watched_kept = u_dut.entries_q[i].partner == kept_q;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // It is known to be full exactly while all entries are in use.
      helper_full: assert (u_dut.full_q == &u_dut.used_q);
      // The entries in use are those of the identities that wait.
      helper_entries_wait: assert (held == waiting_q);
      // No identity is in two entries.
      helper_entries_distinct: assert (held_twice == '0);
      // The entry of the watched identity holds what was put in.
      helper_entry_kept: assert (watched_kept);
      // A form that waits is one that combines.
      helper_form_combines: assert (!watched_waits || combines(kept_q));
    end
  end

  if (ArrivalRegisters != 0) begin : gen_registers
    logic [Entries-1:0] found_here;
    always_comb begin
      for (int unsigned i = 0; i < Entries; i++) begin
        found_here[i] = u_dut.used_q[i] && found[u_dut.entries_q[i].first_id];
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // What was found is of the response that is due, and waits until then.
        helper_found_waits: assert (
            (found & ~(response_due ? waiting_q & only(due_id) : '0)) == '0);
        // The register behind the search names the entry that was found.
        helper_match_known: assert (u_dut.gen_register.match_q == found_here);
        // Of the watched identity it holds what was put in.
        helper_matched_kept: assert (!watched_found || u_dut.gen_register.matched_q == kept_q);

        // A response comes in the cycle in which another brings its second one.
        reached_next_finds: cover (watched_found && finds != '0);
      end
    end
  end

  // --- what must be reachable --------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The buffer is full.
      reached_full: cover (full);
      // A response finds the watched identity in a full buffer.
      reached_match_in_full: cover (full && watched_found);
      // A partner is put in and another found in one cycle.
      reached_both_at_once: cover (insert_valid_i && second_valid);
      // An identity that was found is put in again.
      reached_again: cover (inserts_watched && found_before_q);
      // A response finds nothing, while others wait.
      reached_no_match: cover (watched_due && !second_valid && !empty);
      // A sum, as the second response.
      reached_add: cover (watched_due && second_valid && kept_q.operation.form == FormAdd &&
                          second_value != response_value_i);
      // A logic form, as the second response.
      reached_logic: cover (watched_due && second_valid && kept_q.operation.form == FormLogic &&
                            second_value != response_value_i);
      // A clamp by both of its bounds, of words with sign.
      reached_clamp: cover (watched_due && second_valid &&
                            kept_q.operation.form == FormClampSigned &&
                            second_value != response_value_i && kept_q.operation.b[DataWidth-1]);
      // The buffer empties.
      reached_emptied: cover (second_valid && waiting_d == '0);
    end
  end

endmodule
