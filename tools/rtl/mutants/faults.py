# SPDX-License-Identifier: Apache-2.0
"""Seeded faults: mistakes that somebody could make in rtl/, each a change of its text."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from common.errors import ToolError
from common.files import listed_sources


@dataclass(frozen=True)
class Fault:
    name: str
    what: str
    file: str
    # Pairs of a text that stands in the file exactly once, and what replaces it.
    edits: tuple[tuple[str, str], ...]
    parameters: str = "A"  # of parameters.SETS; a set in which the fault can be seen
    # Why the runs beside the core do not see it, where only a proof does (docs/proofs.md).
    unseen: str = ""


def _fault(
    name: str, what: str, file: str, find: str, replace: str, parameters: str, unseen: str = ""
) -> Fault:
    return Fault(name, what, file, ((find, replace),), parameters, unseen)


APPLY = "apply_unit.sv"
COMPOSE = "compose_unit.sv"
QUEUE = "combining_queue.sv"
SYSTOLIC = "systolic_queue.sv"
BUFFER = "wait_buffer.sv"
REVERSE = "reverse_queue.sv"
SWITCH = "combining_switch.sv"
PACKAGE = "tributary_pkg.sv"

FAULTS = (
    # --- operations ---
    _fault("clamp_unsigned_compare", "a signed clamp compares its lower bound without sign",
           APPLY, "$signed(word_i) < $signed(a_i) ? a_i : word_i",
           "word_i < a_i ? a_i : word_i", "B"),
    _fault("clamp_upper_bound", "an unsigned clamp takes its upper bound where it should not",
           APPLY, "raised_unsigned > b_i ? b_i : raised_unsigned",
           "raised_unsigned > b_i ? raised_unsigned : b_i", "B"),
    _fault("logic_order", "the logic form inverts before it masks",
           APPLY, "(word_i & a_i) ^ b_i", "(word_i ^ b_i) & a_i", "B"),
    _fault("add_operand", "addition takes the other operand",
           APPLY, "word_i + a_i", "word_i + b_i", "B"),
    _fault("add_carry", "addition loses the carry into the upper half",
           APPLY, "word_i + a_i",
           "{word_i[DataWidth-1:DataWidth/2] + a_i[DataWidth-1:DataWidth/2], "
           "word_i[DataWidth/2-1:0] + a_i[DataWidth/2-1:0]}", "B"),
    _fault("constant_ignored", "a constant leaves the word as it was",
           APPLY, "FormConstant: if (Forms[FormConstant]) word_o = a_i;",
           "FormConstant: word_o = word_i;", "B"),
    _fault("compose_order", "the first operation is applied to the second's operand",
           COMPOSE, ".a_i   (second_i.a),\n    .b_i   (second_i.b),\n    .word_i(first_i.a),",
           ".a_i   (first_i.a),\n    .b_i   (first_i.b),\n    .word_i(second_i.a),", "B"),
    _fault("constant_does_not_win", "a constant after another form does not replace it",
           COMPOSE, "first_i.form == FormIdentity || second_i.form == FormConstant",
           "first_i.form == FormIdentity", "A"),
    _fault("mask_union", "the masks of two logic forms are joined, not intersected",
           COMPOSE, "composed_o.a = first_i.a & second_i.a",
           "composed_o.a = first_i.a | second_i.a", "B"),
    _fault("constant_keeps_b", "a composed constant keeps a second operand",
           COMPOSE, "composed_o.b = '0;", "composed_o.b = second_i.b;", "B"),
    _fault("form_of_first", "after an identity the first form goes onward",
           COMPOSE, "composed_o = second_i;",
           "composed_o = '{form: first_i.form, a: second_i.a, b: second_i.b};", "B"),
    _fault("forms_joined", "the forms of a pair are joined bit by bit",
           COMPOSE, "composed_o = second_i;",
           "composed_o = '{form: form_e'(first_i.form | second_i.form), a: second_i.a, "
           "b: second_i.b};", "B"),
    _fault("compare_and_swap_combines", "compare-and-swaps combine",
           PACKAGE, "CombiningForms = 8'b0011_1111", "CombiningForms = 8'b0111_1111", "A"),
    _fault("constant_not_neutral", "a constant combines with constants only",
           PACKAGE, "neutral = first inside {FormIdentity, FormConstant} ||",
           "neutral = first inside {FormIdentity} ||", "B"),
    # --- the combining queue ---
    _fault("ready_one_early", "ready with one free slot, of two writers",
           QUEUE, "assign ready_o = size_q + count_t'(Writers) <= count_t'(Slots)",
           "assign ready_o = size_q + count_t'(1) <= count_t'(Slots)", "A"),
    _fault("adaptive_off_by_one", "the adaptive limit allows one combined request more",
           QUEUE, "32'(combined_q) < AdaptiveLimit", "32'(combined_q) <= AdaptiveLimit", "B"),
    _fault("head_not_closed", "decoupled, the head accepts a partner",
           QUEUE, "(Coupled != 0 || i != 0)", "(Coupled != 0 || 1'b1)", "B"),
    _fault("next_head_closed", "decoupled, the entry behind a leaving head is spared too",
           QUEUE, "(Coupled != 0 || i != 0)",
           "(Coupled != 0 || (i != 0 && !(i == 1 && release_i)))", "B"),
    _fault("joins_leaving_head", "coupled, an arrival joins the head as it leaves",
           QUEUE, "count_t'(i) < size_q && !(i == 0 && release_i)", "count_t'(i) < size_q", "A"),
    _fault("full_buffer_ignored", "requests combine while the wait buffer is full",
           QUEUE, " && !wait_buffer_full_i &&", " &&", "A"),
    _fault("composition_ignored", "requests combine whose operations do not compose",
           QUEUE, "composes(Forms, entries_q[i].request.operation.form,\n"
           + 37 * " " + "request_i[w].operation.form)", "1'b1", "B"),
    _fault("combines_twice", "a combined entry accepts another partner",
           QUEUE, "entries_q[i].request.combinable && !entries_q[i].combined &&",
           "entries_q[i].request.combinable &&", "B"),
    _fault("waiting_not_combinable", "an entry combines that must not",
           QUEUE, "entries_q[i].request.combinable && ", "", "B"),
    _fault("arrival_not_combinable", "an arrival combines that must not",
           QUEUE, "assign qualifies[i] = valid_i[w] && request_i[w].combinable &&",
           "assign qualifies[i] = valid_i[w] &&", "B"),
    _fault("address_bit_ignored", "the match ignores the lowest bit of the address",
           QUEUE, "entries_q[i].request.location == request_i[w].location &&\n"
           + 28 * " " + "entries_q[i].request.combinable &&",
           "entries_q[i].request.location >> 1 == request_i[w].location >> 1 &&\n"
           "entries_q[i].request.combinable &&", "B"),
    _fault("empty_slot_matches", "an arrival joins what is left in an empty slot",
           QUEUE, "stays[i] && (Coupled", "(Coupled", "B"),
    _fault("partner_taken_twice", "both arrivals of a cycle join the same entry",
           QUEUE, "assign taken = gen_match[0].oldest;", "assign taken = '0;", "A"),
    _fault("youngest_first", "an arrival joins the youngest entry that qualifies",
           QUEUE, "qualifies & (~qualifies + Slots'(1'b1))",
           "qualifies & ~(qualifies >> 1 | qualifies >> 2 | qualifies >> 3)", "B"),
    _fault("all_that_qualify", "an arrival joins every entry that qualifies",
           QUEUE, "qualifies & (~qualifies + Slots'(1'b1))", "qualifies", "B"),
    _fault("seal_forgotten", "no entry is ever sealed",
           QUEUE, "entries_met[i].sealed[w] = 1'b1;", "entries_met[i].sealed[w] = 1'b0;", "A"),
    _fault("seal_of_other_input", "an arrival seals for the other input",
           QUEUE, "entries_met[i].sealed[w] = 1'b1;", "entries_met[i].sealed[1-w] = 1'b1;", "A"),
    _fault("seal_everything", "an arrival seals entries behind its place, too",
           QUEUE, " && !reached(match[w], i) &&", " &&", "A"),
    _fault("seal_other_words", "an arrival seals entries of other words",
           QUEUE, "!reached(match[w], i) &&\n"
           "            entries_q[i].request.location == request_i[w].location)",
           "!reached(match[w], i))", "A"),
    _fault("seal_not_within_cycle", "the second arrival of a cycle does not seal the first",
           QUEUE, "valid_i[behind] &&", "1'b0 &&", "A"),
    _fault("seal_by_one_that_joins",
           "an arrival that joins seals what is inserted behind its place",
           QUEUE, "match[behind] == '0 &&", "1'b1 &&", "A"),
    _fault("exit_composes_backwards",
           "at the exit, the second operation is composed before the first",
           QUEUE, ".first_i   (entries_q[0].request.operation),\n"
           "      .second_i  (entries_q[0].partner.operation),",
           ".first_i   (entries_q[0].partner.operation),\n"
           "      .second_i  (entries_q[0].request.operation),", "E"),
    _fault("exit_gives_joint", "at the exit, the wait buffer gets the joint operand",
           QUEUE, "assign kept = entries_q[0].request.operation;",
           "assign kept = '{form: entries_q[0].request.operation.form, a: carried.a, "
           "b: entries_q[0].request.operation.b};", "E"),
    _fault("exit_loses_second", "at the exit, a pair leaves with the first's operand",
           QUEUE, "head_o.operation = carried;",
           "head_o.operation = carried;\n"
           "head_o.operation.a = entries_q[0].request.operation.a;", "E"),
    _fault("exit_keeps_first_form", "at the exit, the first's form goes onward",
           QUEUE, "head_o.operation = carried;",
           "head_o.operation = carried;\n"
           "head_o.operation.form = entries_q[0].request.operation.form;", "E"),
    _fault("lost_partner", "the identity of the partner is not kept",
           QUEUE, "'{id: request_i[w].id, operation: beside[w]}",
           "'{id: entries_q[i].partner.id, operation: beside[w]}", "B"),
    _fault("partner_form_of_second", "the wait buffer gets the second's form",
           QUEUE, "operation: beside[w]}",
           "operation: '{form: request_i[w].operation.form, a: beside[w].a, b: beside[w].b}}", "B"),
    _fault("partner_operand_of_joint", "the wait buffer gets the joint operand",
           QUEUE, "operation: beside[w]}",
           "operation: '{form: beside[w].form, a: held[w].a, b: beside[w].b}}", "B"),
    _fault("inserted_hidden", "an arrival is not reported as inserted while the head leaves",
           QUEUE, "event_inserted_o[w] = 1'b1;", "event_inserted_o[w] = !release_i;", "B"),
    _fault("entry_operand_twice", "an entry keeps its first operand twice",
           QUEUE, "entries_d[i].request = request_i[w];",
           "entries_d[i].request = request_i[w];\n"
           "entries_d[i].request.operation.b = request_i[w].operation.a;", "B"),
    _fault("second_over_first", "the second arrival of a cycle is written over the first",
           QUEUE, "if (count_t'(i) == size_d) begin",
           "if (count_t'(i) == size_q - count_t'(release_i)) begin", "A"),
    _fault("combined_count_stays", "a combined request that leaves is still counted",
           QUEUE, "if (entries_q[0].combined) combined_d", "if (1'b0) combined_d", "B"),
    _fault("combined_count_drops", "a plain request that leaves is counted as combined",
           QUEUE, "if (entries_q[0].combined) combined_d", "if (combined_q != '0) combined_d", "B"),
    _fault("stale_entry", "a new entry keeps the marks of the one that was in its slot",
           QUEUE, "entries_d[i]         = '0;", "", "B"),
    _fault("short_shift", "the last slot does not move up",
           QUEUE, "i + 1 < Slots; i++) entries_d[i]", "i + 2 < Slots; i++) entries_d[i]", "B"),
    _fault("joined_id", "the event names the arrival as the one it joined",
           QUEUE, "event_joined_id_o[w] = joined[w].id;",
           "event_joined_id_o[w] = request_i[w].id;", "B"),
    # --- the gradual limit ---
    _fault("rate_never_falls", "requests that join nobody leave the measured rate as it is",
           QUEUE, "rate_d = rate_d - rate_t'((9'(rate_d) + 9'd15) >> 4);", "rate_d = rate_d;", "G"),
    _fault("rate_rises_slowly", "a request that joins weighs 1/32 instead of 1/16",
           QUEUE, "rate_t'((9'd256 - 9'(rate_d)) >> 4)",
           "rate_t'((9'd256 - 9'(rate_d)) >> 5)", "G"),
    _fault("rate_falls_short", "the measured rate never falls to nothing",
           QUEUE, "(9'(rate_d) + 9'd15) >> 4", "9'(rate_d) >> 4", "G"),
    _fault("rate_of_idle_cycles", "the measured rate falls in cycles without arrivals, too",
           QUEUE, "else if (valid_i[w]) rate_d", "else rate_d", "G"),
    _fault("limit_too_late", "a step of the limit is taken above its rate, not at it",
           QUEUE, "32'(rate_q) >= HighestUntil", "32'(rate_q) > HighestUntil", "G"),
    _fault("rate_of_both_at_once", "the second arrival of a cycle does not see the first's rate",
           QUEUE, "rate_d = rate_d + rate_t'((9'd256 - 9'(rate_d)) >> 4)",
           "rate_d = rate_d + rate_t'((9'd256 - 9'(rate_q)) >> 4)", "D"),
    _fault("rate_of_first_writer", "the second writer's arrivals are not measured",
           QUEUE, "else if (valid_i[w]) rate_d", "else if (valid_i[0]) rate_d", "D"),
    _fault("limit_one_early", "the gradual limit is reached one combined request early",
           QUEUE, "assign below_limit = combined_q < limit;",
           "assign below_limit = combined_q + count_t'(1) < limit || combined_q == '0;", "G"),
    # --- the systolic queue ---
    _fault("crossing_unseen", "two requests that pass each other are not compared",
           SYSTOLIC, "assign crossing[r] = release_i && !beside[r]", "assign crossing[r] = 1'b0",
           "S"),
    _fault("systolic_combines_twice", "a request that has a partner accepts another",
           SYSTOLIC, "out_q[r].request.combinable && !chute_q[r].valid &&",
           "out_q[r].request.combinable &&", "S"),
    _fault("exit_not_closed", "decoupled, the exit cell accepts a partner",
           SYSTOLIC, "(r != 0 || (HeadTakes && !release_i))", "1'b1", "S"),
    _fault("joined_climbs_on", "a request that joined climbs on as well",
           SYSTOLIC, "in_q[r-1].valid && !joins[r-1]", "in_q[r-1].valid", "S"),
    _fault("partner_left_behind", "a partner that joins as the column moves is lost",
           SYSTOLIC, "chute_left[r] = chute_joined[r+1];", "chute_left[r] = chute_q[r+1];", "S"),
    _fault("partner_keeps_composed", "the wait buffer gets the composed operation",
           SYSTOLIC, "chute_left[0].operation       = first;",
           "chute_left[0].operation       = composed;", "S"),
    _fault("two_into_one_cell", "two requests go over into one cell",
           SYSTOLIC, "!over_below[r] && !from_above", "!over_below[r]", "S"),
    _fault("systolic_ready_when_full", "ready without a free slot",
           SYSTOLIC, "assign ready_o = size_q < count_t'(Slots) &&",
           "assign ready_o = size_q <= count_t'(Slots) &&", "S"),
    _fault("systolic_adaptive_off_by_one", "the adaptive limit allows one pair more",
           SYSTOLIC, "32'(combined_q) < AdaptiveLimit", "32'(combined_q) <= AdaptiveLimit", "S"),
    _fault("systolic_empty_cell_matches", "a request joins what is left in an empty cell",
           SYSTOLIC, "open: out_q[r].valid && out_q[r].request.combinable &&",
           "open: out_q[r].request.combinable &&", "S",
           "an empty cell holds zeros, or what it held before reset, which nothing matched"),
    _fault("systolic_word_ignored", "the comparators ignore the lowest bit of the address",
           SYSTOLIC, "climbing.location == waiting.location &&",
           "climbing.location >> 1 == waiting.location >> 1 &&", "S",
           "requests for words that differ in this bit alone did not meet"),
    _fault("systolic_composition_ignored", "requests combine whose operations do not compose",
           SYSTOLIC, "composes(Forms, waiting.form, climbing.form);", "1'b1;", "S"),
    _fault("systolic_full_buffer_ignored", "requests combine while the wait buffer is full",
           SYSTOLIC, "in_q[r].request.combinable && !wait_buffer_full_i,",
           "in_q[r].request.combinable,", "S"),
    _fault("systolic_operand_b", "an arrival enters with its first operand twice",
           SYSTOLIC, "raised[0] = '{valid: valid_i, request: request_i};",
           "raised[0] = '{valid: valid_i, request: request_i};\n"
           "raised[0].request.operation.b = request_i.operation.a;", "S"),
    _fault("systolic_pair_not_combinable", "a pair leaves as a request that must not combine again",
           SYSTOLIC, "head_o.operation = carried;",
           "head_o.operation = carried;\n"
           "head_o.combinable = out_q[0].request.combinable && !chute_q[0].valid;", "S"),
    _fault("systolic_adder_too_early",
           "the adder misses a partner that joins as the pair moves into the exit cell",
           SYSTOLIC, "assign second = chute_joined[1].operation;",
           "assign second = chute_q[1].operation;", "S"),
    _fault("systolic_inserted_hidden",
           "an arrival is not reported as inserted while the head leaves",
           SYSTOLIC, "assign event_inserted_o = valid_i;",
           "assign event_inserted_o = valid_i && !release_i;", "S"),
    _fault("systolic_in_waits", "the requests of IN stand still while nothing arrives",
           SYSTOLIC, "in_d = raised[InRows-1:0];",
           "in_d = valid_i ? raised[InRows-1:0] : in_q;", "S"),
    _fault("systolic_event_row",
           "the events of joining stand at their rows from the exit, not from the top",
           SYSTOLIC, "localparam int unsigned Event = Slots - 1 - r;  // the oldest first",
           "localparam int unsigned Event = r;", "S",
           "no two requests of one queue joined in one cycle"),
    _fault("systolic_crossing_first", "in the crossing the younger request takes the partner",
           SYSTOLIC, "assign crossing[r] = release_i && !beside[r] && !beside[r+1] &&",
           "assign crossing[r] = release_i && !beside[r] &&", "S"),
    _fault("systolic_below_into_top", "a request goes over although the cell below is taken",
           SYSTOLIC, "assign over_below[r] = raised[r].valid && !out_left[r-1].valid;",
           "assign over_below[r] = raised[r].valid;", "S"),
    _fault("systolic_above_gap", "a request goes over beside its row and leaves a gap below",
           SYSTOLIC, "assign over_below[r] = raised[r].valid && !out_left[r-1].valid;",
           "assign over_below[r] = 1'b0;", "S"),
    _fault("systolic_exit_spared", "coupled, the exit cell takes no partner either",
           SYSTOLIC, "(r != 0 || (HeadTakes && !release_i)),", "(r != 0),", "C"),
    _fault("systolic_exit_takes_as_it_leaves",
           "coupled, the exit cell takes a partner in the cycle in which it leaves",
           SYSTOLIC, "(r != 0 || (HeadTakes && !release_i)),", "(r != 0 || HeadTakes),", "C"),
    # --- the wait buffer ---
    _fault("frees_wrong_entry", "a response frees the entry beside its own",
           BUFFER, "(used_q & ~freed)", "(used_q & ~(freed << 1 | freed >> (Entries - 1)))", "B"),
    _fault("frees_nothing", "a response does not free its entry",
           BUFFER, "(used_q & ~freed)", "used_q", "B"),
    _fault("full_one_early", "the buffer is full with one free entry",
           BUFFER, "full_q <= &used_d;", "full_q <= &used_d[Entries-1:1];", "B"),
    _fault("full_late", "the buffer is full a cycle late",
           BUFFER, "full_q <= &used_d;", "full_q <= &used_q;", "B"),
    _fault("full_never", "the buffer is never full",
           BUFFER, "full_q <= &used_d;", "full_q <= 1'b0;", "A"),
    _fault("match_by_second", "the buffer is searched by the second identity",
           BUFFER, "entries_q[i].first_id == response_id_i",
           "entries_q[i].partner.id == response_id_i", "B"),
    _fault("id_bit_ignored", "the search ignores the uppermost bit of the identity",
           BUFFER, "entries_q[i].first_id == response_id_i",
           "entries_q[i].first_id << 1 == response_id_i << 1", "B"),
    _fault("free_entry_matches", "a response finds an entry that was freed",
           BUFFER, "match[i] = used_q[i] && entries_q", "match[i] = entries_q", "B"),
    _fault("stale_identity", "the second response carries the first's identity",
           BUFFER, "second_id_o    = matched.id", "second_id_o    = response_id_i", "B"),
    _fault("fills_all", "a partner is written into every free entry",
           BUFFER, "assign free = ~used_q & (used_q + Entries'(1'b1));",
           "assign free = ~used_q;", "B"),
    _fault("decombines_without_b", "decombining loses the second operand",
           BUFFER, ".b_i   (matched.operation.b)", ".b_i   ('0)", "B"),
    _fault("match_without_response", "an entry answers although no response arrives",
           BUFFER, "second_valid_o = response_valid_i && |match", "second_valid_o = |match", "B",
           "an idle port still has the identity of a response that came, whose entry is gone"),
    _fault("overwrites_first_entry", "every partner is written into the first entry",
           BUFFER, "assign free = ~used_q & (used_q + Entries'(1'b1));",
           "assign free = Entries'(1'b1);", "B"),
    # --- the reverse queue ---
    _fault("reverse_ready_one_early", "ready with room for three",
           REVERSE, "count_t'(Slots - 4)", "count_t'(Slots - 3)", "A"),
    Fault("reverse_order", "responses of one cycle enter in reverse order", REVERSE,
          (("if (valid_i[n]) begin", "if (valid_i[3-n]) begin"),
           ("responses_d[i] = response_i[n];", "responses_d[i] = response_i[3-n];")), "B"),
    _fault("fourth_lost", "the fourth response of a cycle is lost",
           REVERSE, "n < 4; n++", "n < 3; n++", "B"),
    _fault("reverse_short_shift", "the last slot does not move up",
           REVERSE, "i + 1 < Slots; i++", "i + 2 < Slots; i++", "B"),
    # --- the switch ---
    Fault("second_before_first", "a second response enters before its first", SWITCH,
          (("{second_valid[o], response_valid_i[o]}", "{response_valid_i[o], second_valid[o]}"),
           ("assign arriving[2*o]          =", "assign arriving[2*o+1] ="),
           ("assign arriving[2*o+1]        =", "assign arriving[2*o] =")),
          "B"),
    _fault("status_lost", "a second response loses the status",
           SWITCH, "assign second[o].status = response_i[o].status;",
           "assign second[o].status = '0;", "A"),
    _fault("priority_not_passed", "a grant does not pass the priority",
           SWITCH, "granted ? grant[0] : second_first_q", "second_first_q", "B"),
    _fault("priority_every_cycle", "the priority changes in every cycle",
           SWITCH, "granted ? grant[0] : second_first_q", "!second_first_q", "B"),
    _fault("priority_blocks", "the queue with priority stops the other although it cannot go",
           SWITCH, "!(second_first_q && can[1])", "!second_first_q", "B"),
    _fault("timer_off_by_one", "a link is free one cycle early",
           SWITCH, "TimerWidth'(LinkCycles - 1)", "TimerWidth'(LinkCycles - 2)", "A"),
    _fault("buffer_room_ignored", "a combined head leaves into a full wait buffer",
           SWITCH, "!(head_combined[q] && buffer_full)", "1'b1", "A"),
    _fault("full_buffer_stops_all", "a full wait buffer stops plain heads",
           SWITCH, "!(head_combined[q] && buffer_full)", "!buffer_full", "A"),
    _fault("next_route_bit", "the next switch's ready bit is chosen by this switch's bit",
           SWITCH, "module_number[route_bit_i-RouteWidth'(1'b1)]", "module_number[route_bit_i]",
           "B"),
    _fault("next_ready_ignored", "a head for the next switch's output 1 tests output 0",
           SWITCH, "request_ready_i[o][next_output]", "request_ready_i[o][0]", "B"),
    _fault("reply_route_bit", "responses are routed by bit 0 in every stage",
           SWITCH, "element[route_bit_i] == (i != 0)", "element[0] == (i != 0)", "B"),
    _fault("reply_ready_of_one", "a port is ready with room in one reverse queue only",
           SWITCH, "= &reverse_ready;", "= reverse_ready[o];", "B"),
    _fault("plain_request_held", "a plain request takes a wait buffer entry",
           SWITCH, "granted && head_combined[which]", "granted", "B"),
    _fault("reply_link_never_busy", "a response link is never busy",
           SWITCH, "response_ready_i[i] && timer_q == '0", "response_ready_i[i]", "B"),
    _fault("idle_without_buffers", "idle does not look at the wait buffers",
           SWITCH, "&queues_empty && &buffer_empty &&", "&queues_empty &&", "B"),
    _fault("idle_without_responses", "idle does not look at the reverse queues",
           SWITCH, "&buffer_empty && response_waits == '0;", "&buffer_empty;", "B"),
    _fault("request_route_bit", "requests are routed by bit 0 in every stage",
           SWITCH, "assign output_of[i]  = module_number[route_bit_i];",
           "assign output_of[i]  = module_number[0];", "B"),
    _fault("link_of_first_queue", "the link carries the head of queue 0, whichever was granted",
           SWITCH, "assign which = grant[1];", "assign which = 1'b0;", "B"),
    _fault("pair_not_combinable", "a pair leaves as a request that must not combine again",
           SWITCH, "assign request_o[o]       = head[which];",
           "assign request_o[o] = '{location: head[which].location, "
           "operation: head[which].operation, id: head[which].id, "
           "combinable: head[which].combinable && !head_combined[which]};", "B"),
    _fault("partner_stored_early", "the wait buffer takes the partner of a pair that waits, too",
           SWITCH, ".insert_valid_i   (leaves_combined),",
           ".insert_valid_i   (head_valid[which] && head_combined[which]),", "A"),
    _fault("first_has_second_value", "a response carries the value of its second one",
           SWITCH, "assign arriving[2*o]          = response_i[o];",
           "assign arriving[2*o] = '{status: response_i[o].status, value: second[o].value, "
           "id: response_i[o].id};", "A"),
    _fault("second_without_response",
           "the wait buffer is searched whenever a response could arrive",
           SWITCH, ".response_valid_i (response_valid_i[o]),",
           ".response_valid_i (response_ready_o[o]),", "B",
           "an idle port still has the identity of a response that came, whose entry is gone"),
    _fault("reply_ready_ignored", "a response leaves although its receiver is not ready",
           SWITCH, "assign leaves  = response_waits[i] && response_ready_i[i] &&",
           "assign leaves  = response_waits[i] &&", "B"),
    _fault("reply_to_both", "a response goes to both inputs",
           SWITCH, " && element[route_bit_i] == (i != 0);", ";", "B"),
    _fault("reply_from_nothing", "an empty reverse queue sends, too",
           SWITCH, "assign leaves  = response_waits[i] && response_ready_i[i] &&",
           "assign leaves  = response_ready_i[i] &&", "B"),
)  # fmt: skip

# Run by ctest: five, one of a block.
TESTED = (
    "compose_order",
    "partner_taken_twice",
    "frees_wrong_entry",
    "second_before_first",
    "timer_off_by_one",
)


def by_name(name: str) -> Fault:
    """Raises ToolError with the names that there are."""
    for fault in FAULTS:
        if fault.name == name:
            return fault
    names = ", ".join(fault.name for fault in FAULTS)
    raise ToolError(f"there is no fault {name}; there are {names}")


def faulty_copy(fault: Fault, rtl: Path, folder: Path) -> None:
    """Copies the RTL, with the fault, into `folder`, which is made anew. Raises ToolError unless
    each edit fits once."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("tributary.f", *listed_sources(rtl)):
        shutil.copyfile(rtl / name, folder / name)
    path = folder / fault.file
    text = path.read_text(encoding="utf-8")
    for find, replace in fault.edits:
        count = text.count(find)
        if count != 1:
            raise ToolError(
                f"fault {fault.name}: its text stands {count} times in rtl/{fault.file}, not once; "
                f"bring tools/rtl/mutants/faults.py up to the RTL. The text:\n{find}"
            )
        text = text.replace(find, replace)
    path.write_text(text, encoding="utf-8")
