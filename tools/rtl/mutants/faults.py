# SPDX-License-Identifier: Apache-2.0
"""Seeded faults: mistakes that somebody could make in rtl/, each a change of its text.

A change is a text of the file, which stands there once, with `[-what goes-]` and `{+what comes+}`
in it, as git shows the differences of words.
"""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.errors import ToolError
from common.files import listed_sources


@dataclass(frozen=True)
class Fault:
    name: str
    description: str
    file: str
    changes: tuple[str, ...]
    parameters: str = "A"  # of parameters.SETS; a set in which the fault can be seen
    # Why the runs beside the core do not see it, where only a proof does (docs/proofs.md).
    unseen: str = ""

    def edits(self) -> Iterator[tuple[str, str]]:
        """The texts before and after each change."""
        for change in self.changes:
            before, after = _REMOVED.sub(r"\1", _ADDED.sub("", change)), _REMOVED.sub("", change)
            yield before, _ADDED.sub(r"\1", after)


_REMOVED = re.compile(r"\[-(.*?)-\]", re.DOTALL)
_ADDED = re.compile(r"\{\+(.*?)\+\}", re.DOTALL)


def _faults(file: str, rows: tuple[tuple[Any, ...], ...]) -> Iterator[Fault]:
    """Of each row the name, the parameter set, what is wrong, one change or several, and why only a
    proof sees it, if so."""
    for name, parameters, description, changes, *unseen in rows:
        several = changes if isinstance(changes, tuple) else (changes,)
        yield Fault(name, description, file, several, parameters, *unseen)


APPLY = "apply_unit.sv"
COMPOSE = "compose_unit.sv"
QUEUE = "combining_queue.sv"
SYSTOLIC = "systolic_queue.sv"
BUFFER = "wait_buffer.sv"
REVERSE = "reverse_queue.sv"
SWITCH = "combining_switch.sv"
PACKAGE = "tributary_pkg.sv"
RECEIVE = "message_interface_receive.sv"

NO_SWITCH = "the switch has no receive engine; lockstep with its own core is in testbenches/cosim"

FAULTS = (
    *_faults(APPLY, (
        ("clamp_unsigned_compare", "B", "a signed clamp compares its lower bound without sign",
         "[-$signed(word_i) < $signed(a_i)-]{+word_i < a_i+} ? a_i : word_i"),
        ("clamp_upper_bound", "B", "an unsigned clamp takes its upper bound where it should not",
         "raised_unsigned > b_i ? [-b_i : raised_unsigned-]{+raised_unsigned : b_i+}"),
        ("logic_order", "B", "the logic form inverts before it masks",
         "(word_i [-& a_i) ^ b_i-]{+^ b_i) & a_i+}"),
        ("add_operand", "B", "addition takes the other operand", "word_i + [-a_i-]{+b_i+}"),
        ("add_carry", "B", "addition loses the carry into the upper half",
         "[-word_i + a_i-]{+{word_i[DataWidth-1:DataWidth/2] + a_i[DataWidth-1:DataWidth/2], "
         "word_i[DataWidth/2-1:0] + a_i[DataWidth/2-1:0]}+}"),
        ("constant_ignored", "B", "a constant leaves the word as it was",
         "FormConstant:[- if (Forms[FormConstant])-] word_o = [-a_i-]{+word_i+};"),
    )),
    *_faults(COMPOSE, (
        ("compose_order", "B", "the first operation is applied to the second's operand",
         ".a_i   ([-second_i-]{+first_i+}.a),\n"
         "    .b_i   ([-second_i-]{+first_i+}.b),\n"
         "    .word_i([-first_i-]{+second_i+}.a),"),
        ("constant_does_not_win", "A", "a constant after another form does not replace it",
         "first_i.form == FormIdentity[- || second_i.form == FormConstant-]"),
        ("mask_union", "B", "the masks of two logic forms are joined, not intersected",
         "composed_o.a = first_i.a [-&-]{+|+} second_i.a"),
        ("constant_keeps_b", "B", "a composed constant keeps a second operand",
         "composed_o.b = [-'0-]{+second_i.b+};"),
        ("form_of_first", "B", "after an identity the first form goes onward",
         "composed_o = [-second_i-]{+'{form: first_i.form, a: second_i.a, b: second_i.b}+};"),
        ("forms_joined", "B", "the forms of a pair are joined bit by bit",
         "composed_o = [-second_i-]{+'{form: form_e'(first_i.form | second_i.form), a: "
         "second_i.a, b: second_i.b}+};"),
    )),
    *_faults(PACKAGE, (
        ("compare_and_swap_combines", "A", "compare-and-swaps combine",
         "CombiningForms = 8'[-b0011_1111-]{+b0111_1111+}"),
        ("constant_not_neutral", "B", "a constant combines with constants only",
         "neutral = first inside {FormIdentity[-, FormConstant-]} ||"),
    )),
    *_faults(QUEUE, (
        ("ready_one_early", "A", "ready with one free slot, of two writers",
         "room = room_for([-Writers-]{+1+});"),
        ("coming_ignored", "R", "ready without room for the request that leaves its register",
         "room = room_for(Writers[- + n-]);"),
        ("adaptive_off_by_one", "B", "the adaptive limit allows one combined request more",
         "32'(combined_q) <{+=+} AdaptiveLimit"),
        ("head_not_closed", "B", "decoupled, the head accepts a partner",
         "(Coupled != 0 || [-i != 0-]{+1'b1+})"),
        ("next_head_closed", "B", "decoupled, the entry behind a leaving head is spared too",
         "(Coupled != 0 || [-i != 0-]{+(i != 0 && !(i == 1 && release_i))+})"),
        ("joins_leaving_head", "A", "coupled, an arrival joins the head as it leaves",
         "used_q[i][- && !(i == 0 && release_i)-]"),
        ("full_buffer_ignored", "A", "requests combine while the wait buffer is full",
         " &&[- !wait_buffer_full_i &&-]"),
        ("composition_ignored", "B", "requests combine whose operations do not compose",
         "[-composes(Forms, entries_q[i].request.operation.form,\n"
         "                                     request_i[w].operation.form)-]{+1'b1+}"),
        ("combines_twice", "B", "a combined entry accepts another partner",
         "entries_q[i].request.combinable &&[- !entries_q[i].combined &&-]"),
        ("waiting_not_combinable", "B", "an entry combines that must not",
         "[-entries_q[i].request.combinable && -]"),
        ("arrival_not_combinable", "B", "an arrival combines that must not",
         "assign qualifies[i] = valid_i[w] &&[- request_i[w].combinable &&-]"),
        ("address_bit_ignored", "B", "the match ignores the lowest bit of the address",
         "entries_q[i].request.location{+ >> 1+} == request_i[w].location {+>> 1 +}&&[-\n"
         "                            -]{+\n"
         "+}entries_q[i].request.combinable &&"),
        ("empty_slot_matches", "B", "an arrival joins what is left in an empty slot",
         "[-stays[i] && -](Coupled"),
        ("partner_taken_twice", "A", "both arrivals of a cycle join the same entry",
         "assign taken = [-gen_match[0].oldest-]{+'0+};"),
        ("youngest_first", "B", "an arrival joins the youngest entry that qualifies",
         "qualifies & [-(~qualifies + Slots'(1'b1)-]{+~(qualifies >> 1 | qualifies >> 2 | "
         "qualifies >> 3+})"),
        ("all_that_qualify", "B", "an arrival joins every entry that qualifies",
         "qualifies[- & (~qualifies + Slots'(1'b1))-]"),
        ("seal_forgotten", "A", "no entry is ever sealed",
         "entries_sealed[i].sealed[w] = 1'[-b1-]{+b0+};"),
        ("seal_of_other_input", "A", "an arrival seals for the other input",
         "entries_sealed[i].sealed[{+1-+}w] = 1'b1;"),
        ("seal_everything", "A", "an arrival seals entries behind its place, too",
         " &&[- !reached(match[w], i) &&-]"),
        ("seal_other_words", "A", "an arrival seals entries of other words",
         "!reached(match[w], i)[- &&\n"
         "            entries_q[i].request.location == request_i[w].location-])"),
        ("seal_not_within_cycle", "A", "the second arrival of a cycle does not seal the first",
         "Ordered != 0 && [-inserts[later]-]{+1'b0+} &&"),
        ("seal_by_inserted_only", "A", "an arrival that joins seals nothing",
         "valid_i[w] && {+match[w] == '0 && +}!reached(match[w], i) &&"),
        ("seal_by_one_that_joins", "A",
         "an arrival that joins seals what is inserted behind its place",
         "Ordered != 0 && [-inserts-]{+valid_i+}[later] &&"),
        ("exit_composes_backwards", "E",
         "at the exit, the second operation is composed before the first",
         ".first_i   (entries_q[0].[-request-]{+partner+}.operation),\n"
         "      .second_i  (entries_q[0].[-partner-]{+request+}.operation),"),
        ("exit_gives_joint", "E", "at the exit, the wait buffer gets the joint operand",
         "assign kept = [-entries_q[0].request.operation-]{+'{form: "
         "entries_q[0].request.operation.form, a: carried.a, b: "
         "entries_q[0].request.operation.b}+};"),
        ("exit_loses_second", "E", "at the exit, a pair leaves with the first's operand",
         "head_o.operation = carried;{+\nhead_o.operation.a = entries_q[0].request.operation.a;+}"),
        ("exit_keeps_first_form", "E", "at the exit, the first's form goes onward",
         "head_o.operation = carried;{+\n"
         "head_o.operation.form = entries_q[0].request.operation.form;+}"),
        ("lost_partner", "B", "the identity of the partner is not kept",
         "'{id: [-request_i[w]-]{+entries_q[i].partner+}.id, operation: beside[w]}"),
        ("partner_form_of_second", "B", "the wait buffer gets the second's form",
         "operation: [-beside[w]-]{+'{form: request_i[w].operation.form, a: beside[w].a, b: "
         "beside[w].b}+}}"),
        ("partner_operand_of_joint", "B", "the wait buffer gets the joint operand",
         "operation: [-beside[w]-]{+'{form: beside[w].form, a: held[w].a, b: beside[w].b}+}}"),
        ("inserted_hidden", "B", "an arrival is not reported as inserted while the head leaves",
         "event_inserted_o = [-inserts-]{+release_i ? '0 : inserts+};"),
        ("entry_operand_twice", "B", "an entry keeps its first operand twice",
         "entries_d[i].request = request_i[w];{+\n"
         "entries_d[i].request.operation.b = request_i[w].operation.a;+}"),
        ("second_over_first", "A", "the second arrival of a cycle is written over the first",
         "assign taken = [-inserts[0] ? left << 1 | Slots'(1'b1) : -]left;"),
        ("slot_stays_used", "B", "the slot that becomes free as the head leaves stays used",
         "assign left = [-release_i ? used_q >> 1 : -]used_q;"),
        ("combined_count_stays", "B", "a combined request that leaves is still counted",
         "if ([-entries_q[0].combined-]{+1'b0+}) combined_d"),
        ("combined_count_drops", "B", "a plain request that leaves is counted as combined",
         "if ([-entries_q[0].combined-]{+combined_q != '0+}) combined_d"),
        ("stale_entry", "B", "a new entry keeps the marks of the one that was in its slot",
         "[-entries_d[i]         = '0;-]"),
        ("short_shift", "B", "the last slot does not move up",
         "i + [-1-]{+2+} < Slots; i++) entries_d[i]"),
        ("joined_id", "B", "the event names the arrival as the one it joined",
         "event_joined_id_o[w] = [-joined-]{+request_i+}[w].id;"),
        ("rate_never_falls", "G", "requests that join nobody leave the measured rate as it is",
         "rate_d = rate_d[- - rate_t'((9'(rate_d) + 9'd15) >> 4)-];"),
        ("rate_rises_slowly", "G", "a request that joins weighs 1/32 instead of 1/16",
         "rate_t'((9'd256 - 9'(rate_d)) >> [-4-]{+5+})"),
        ("rate_falls_short", "G", "the measured rate never falls to nothing",
         "[-(-]9'(rate_d) [-+ 9'd15) -]>> 4"),
        ("rate_of_idle_cycles", "G", "the measured rate falls in cycles without arrivals, too",
         "else [-if (valid_i[w]) -]rate_d"),
        ("limit_too_late", "G", "a step of the limit is taken above its rate, not at it",
         "32'(rate_q) >[-=-] HighestUntil"),
        ("rate_of_both_at_once", "D", "the second arrival of a cycle does not see the first's rate",
         "rate_d = rate_d + rate_t'((9'd256 - 9'([-rate_d-]{+rate_q+})) >> 4)"),
        ("rate_of_first_writer", "D", "the second writer's arrivals are not measured",
         "else if (valid_i[[-w-]{+0+}]) rate_d"),
        ("limit_one_early", "G", "the gradual limit is reached one combined request early",
         "assign below_limit = combined_q {++ count_t'(1) +}< limit{+ || combined_q == '0+};"),
    )),
    *_faults(SYSTOLIC, (
        ("crossing_unseen", "S", "two requests that pass each other are not compared",
         "assign crossing[r] = [-release_i && !beside[r]-]{+1'b0+}"),
        ("systolic_combines_twice", "S", "a request that has a partner accepts another",
         "out_q[r].request.combinable &&[- !chute_q[r].valid &&-]"),
        ("exit_not_closed", "S", "decoupled, the exit cell accepts a partner",
         "[-(r != 0 || (HeadTakes && !release_i))-]{+1'b1+}"),
        ("joined_climbs_on", "S", "a request that joined climbs on as well",
         "in_q[r-1].valid[- && !joins[r-1]-]"),
        ("partner_left_behind", "S", "a partner that joins as the column moves is lost",
         "chute_left[r] = [-chute_joined-]{+chute_q+}[r+1];"),
        ("partner_keeps_composed", "S", "the wait buffer gets the composed operation",
         "chute_left[0].operation       = [-first-]{+composed+};"),
        ("two_into_one_cell", "S", "two requests go over into one cell",
         "!over_below[r][- && !from_above-]"),
        ("systolic_ready_when_full", "S", "ready without a free slot",
         "assign ready_o = size_q <{+=+} count_t'(Slots) &&"),
        ("systolic_adaptive_off_by_one", "S", "the adaptive limit allows one pair more",
         "32'(combined_q) <{+=+} AdaptiveLimit"),
        ("systolic_empty_cell_matches", "S", "a request joins what is left in an empty cell",
         "open: out_q[r].[-valid && out_q[r].-]request.combinable &&",
         "an empty cell holds zeros, or what it held before reset, which nothing matched"),
        ("systolic_word_ignored", "S", "the comparators ignore the lowest bit of the address",
         "climbing.location{+ >> 1+} == waiting.location {+>> 1 +}&&"),
        ("systolic_composition_ignored", "S", "requests combine whose operations do not compose",
         "[-composes(Forms, waiting.form, climbing.form)-]{+1'b1+};"),
        ("systolic_full_buffer_ignored", "S", "requests combine while the wait buffer is full",
         "in_q[r].request.combinable[- && !wait_buffer_full_i-],"),
        ("systolic_operand_b", "S", "an arrival enters with its first operand twice",
         "raised[0] = '{valid: valid_i, request: request_i};{+\n"
         "raised[0].request.operation.b = request_i.operation.a;+}"),
        ("systolic_pair_not_combinable", "S",
         "a pair leaves as a request that must not combine again",
         "head_o.operation = carried;{+\n"
         "head_o.combinable = out_q[0].request.combinable && !chute_q[0].valid;+}"),
        ("systolic_adder_too_early", "S",
         "the adder misses a partner that joins as the pair moves into the exit cell",
         "assign second = [-chute_joined-]{+chute_q+}[1].operation;"),
        ("systolic_inserted_hidden", "S",
         "an arrival is not reported as inserted while the head leaves",
         "assign event_inserted_o = valid_i{+ && !release_i+};"),
        ("systolic_in_waits", "S", "the requests of IN stand still while nothing arrives",
         "in_d ={+ valid_i ?+} raised[InRows-1:0]{+ : in_q+};"),
        ("systolic_event_row", "S",
         "the events of joining stand at their rows from the exit, not from the top",
         "localparam int unsigned Event = [-Slots - 1 - -]r;[-  // the oldest first-]",
         "no two requests of one queue joined in one cycle"),
        ("systolic_crossing_first", "S", "in the crossing the younger request takes the partner",
         "assign crossing[r] = release_i && !beside[r] &&[- !beside[r+1] &&-]"),
        ("systolic_below_into_top", "S", "a request goes over although the cell below is taken",
         "assign over_below[r] = raised[r].valid[- && !out_left[r-1].valid-];"),
        ("systolic_above_gap", "S", "a request goes over next to its row and leaves a gap below",
         "assign over_below[r] = [-raised[r].valid && !out_left[r-1].valid-]{+1'b0+};"),
        ("systolic_exit_spared", "C", "coupled, the exit cell takes no partner either",
         "(r != 0[- || (HeadTakes && !release_i)-]),"),
        ("systolic_exit_takes_as_it_leaves", "C",
         "coupled, the exit cell takes a partner in the cycle in which it leaves",
         "(r != 0 || [-(-]HeadTakes[- && !release_i)-]),"),
    )),
    *_faults(BUFFER, (
        ("frees_wrong_entry", "B", "a response frees the entry next to its own",
         "(used_q & ~[-freed-]{+(freed << 1 | freed >> (Entries - 1))+})"),
        ("frees_nothing", "B", "a response does not free its entry", "[-(-]used_q[- & ~freed)-]"),
        ("full_one_early", "B", "the buffer is full with one free entry",
         "full_q <= &used_d{+[Entries-1:1]+};"),
        ("full_late", "B", "the buffer is full a cycle late", "full_q <= &[-used_d-]{+used_q+};"),
        ("full_never", "A", "the buffer is never full", "full_q <= [-&used_d-]{+1'b0+};"),
        ("match_by_second", "B", "the buffer is searched by the second identity",
         "entries_q[i].[-first_id-]{+partner.id+} == response_id_i"),
        ("id_bit_ignored", "B", "the search ignores the uppermost bit of the identity",
         "entries_q[i].first_id {+<< 1 +}== response_id_i{+ << 1+}"),
        ("free_entry_matches", "B", "a response finds an entry that was freed",
         "match[i] = [-used_q[i] && -]entries_q"),
        ("stale_identity", "B", "the second response carries the first's identity",
         "second_id_o    = [-partner.id-]{+response_id_i+}"),
        ("fills_all", "B", "a partner is written into every free entry",
         "assign free = ~used_q[- & (used_q + Entries'(1'b1))-];"),
        ("decombines_without_b", "B", "decombining loses the second operand",
         ".b_i   ([-partner.operation.b-]{+'0+})"),
        ("match_without_response", "B", "an entry answers although no response arrives",
         "second_valid_o = |[-freed-]{+match+};",
         "an idle port still has the identity of a response that came, whose entry is gone"),
        ("overwrites_first_entry", "B", "every partner is written into the first entry",
         ("assign free =[- ~used_q & (used_q +-] Entries'(1'b1)[-)-];",
          "if (free[i]{+ && insert_valid_i+}) begin")),
        ("full_is_written", "A",
         "what could be inserted is written over the first entry of a full buffer",
         "if (free[i]{+ || (full_q && i == 0)+}) begin"),
        ("frees_at_once", "R", "with a register, the entry is free before it is read",
         "(used_q & ~[-freed-]{+(response_valid_i ? match : '0)+})"),
        ("match_held", "R", "with a register, a match stays until the next response",
         "match_q <= response_valid_i ? match : [-'0-]{+match_q+};"),
    )),
    *_faults(REVERSE, (
        ("reverse_ready_one_early", "A", "ready with room for three",
         "ready_o = room_for([-4-]{+3+});"),
        ("reverse_coming_ignored", "R", "ready without room for what leaves the registers",
         "ready_o = room_for(4[- + n-]);"),
        ("reverse_order", "B", "responses of one cycle enter in reverse order",
         "number_of(valid_i & [-~(4'b1111 << n)-]{+(4'b1110 << n)+})"),
        ("fourth_lost", "B", "the fourth response of a cycle is lost",
         ("if (valid_i[n]{+ && n != 3+}) begin",
          "arriving = number_of(valid_i{+ & 4'b0111+})",
          "size_q + count_t'($countones(valid_i{+[2:0]+}))")),
        ("reverse_last_place", "B", "what lies in the last place of the ring is not read",
         "p < Places[--]{+ - 1+}; p++"),
        ("reverse_read_round", "B", "the place to read does not come round",
         "{read_q[Places-2:0], [-read_q[Places-1]-]{+1'b0+}}"),
        ("reverse_next_row", "B", "what goes round the banks is written in the same row",
         "written[b] && [-(wraps[b] ? row_q[(r+Rows-1)%Rows] : row_q[r])-]{+row_q[r]+}"),
        ("reverse_row_stays", "B", "the row to write does not follow the places",
         "row_d[r] = [-written[Banks-1] ? row_q[(r+Rows-1)%Rows] : -]row_q[r];"),
        ("reverse_first_to_ring", "B",
         "the first arrival does not become the head as the queue becomes empty",
         "to_head    = size_q == '0[- || (size_q == count_t'(1) && release_i)-];"),
        ("reverse_head_counted", "B", "an arrival that becomes the head takes a place in the ring",
         "first_bank = [-to_head ? onward(bank_q, bank_t'(1) << (Banks - 1)) : -]bank_q;"),
    )),
    *_faults(SWITCH, (
        ("second_before_first", "B", "a second response enters before its first",
         ("{[-second_valid[o], response_enters-]{+response_enters[o], second_valid+}[o]}",
          "assign arriving[2*o[-]          -]{++1] +}=",
          "assign arriving[2*o[-+1]        -]{+] +}=")),
        ("status_lost", "A", "a second response loses the status",
         "assign second[o].status = [-response[o].status-]{+'0+};"),
        ("priority_not_passed", "B", "a grant does not pass the priority",
         "[-granted ? grant[0] : -]second_first_q"),
        ("priority_every_cycle", "B", "the priority changes in every cycle",
         "[-granted ? grant[0] : -]{+!+}second_first_q"),
        ("priority_blocks", "B", "the queue with priority stops the other although it cannot go",
         "![-(-]second_first_q[- && can[1])-]"),
        ("timer_off_by_one", "A", "a link is free one cycle early",
         "TimerWidth'(LinkCycles - [-1-]{+2+})"),
        ("buffer_room_ignored", "A", "a combined head leaves into a full wait buffer",
         "[-!(head_combined[q] && buffer_full)-]{+1'b1+}"),
        ("full_buffer_stops_all", "A", "a full wait buffer stops plain heads",
         "![-(head_combined[q] && -]buffer_full[-)-]"),
        ("next_route_bit", "B", "the next switch's ready bit is chosen by this switch's bit",
         "module_number[route_bit_i[--RouteWidth'(1'b1)-]]"),
        ("next_ready_ignored", "B", "a head for the next switch's output 1 tests output 0",
         "request_ready_i[o][[-next_output-]{+0+}]"),
        ("reply_route_bit", "B", "responses are routed by bit 0 in every stage",
         "element[[-route_bit_i-]{+0+}] == (i != 0)"),
        ("reply_ready_of_one", "B", "a port is ready with room in one reverse queue only",
         "= [-&-]reverse_ready{+[o]+};"),
        ("plain_request_held", "B", "a plain request takes a wait buffer entry",
         "granted[- && head_combined[which]-]"),
        ("reply_link_never_busy", "B", "a response link is never busy",
         "response_ready_i[i][- && timer_q == '0-]"),
        ("idle_without_buffers", "B", "idle does not look at the wait buffers",
         "&queues_empty &&[- &buffer_empty &&-]"),
        ("idle_without_responses", "B", "idle does not look at the reverse queues",
         "&buffer_empty &&[- response_waits == '0 &&-]\n"),
        ("idle_without_registers", "R", "idle does not look at the registers behind the links",
         "response_waits == '0[- &&\n"
         "                  (ArrivalRegisters == 0 || {request_enters, response_enters} == '0)-];"),
        ("request_register_not_reset", "R", "the register of a request is not reset",
         "[-          request_valid_q  <= 1'b0;\n-]"),
        ("response_register_not_reset", "R", "the register of a response is not reset",
         "[-          response_valid_q <= 1'b0;\n-]"),
        ("routed_by_next_request", "R",
         "a request in its register is routed by the one that arrives then",
         "assign output_of[i]       = [-output_q-]{+arrival_output+};"),
        ("second_of_next_value", "R",
         "a second response is made of the value of the response that arrives then",
         ".response_value_i (response{+_i+}[o].value),"),
        ("request_route_bit", "B", "requests are routed by bit 0 in every stage",
         "assign arrival_output = module_number[[-route_bit_i-]{+0+}];"),
        ("link_of_first_queue", "B", "the link carries the head of queue 0, whichever was granted",
         "assign which = [-grant[1]-]{+1'b0+};"),
        ("pair_not_combinable", "B", "a pair leaves as a request that must not combine again",
         "assign request_o[o][-       = head[which]-]{+ = '{location: head[which].location, "
         "operation: head[which].operation, id: head[which].id, combinable: "
         "head[which].combinable && !head_combined[which]}+};"),
        ("partner_stored_early", "A", "the wait buffer takes the partner of a pair that waits, too",
         ".insert_valid_i   ([-leaves_combined-]{+head_valid[which] && head_combined[which]+}),"),
        ("first_has_second_value", "A", "a response carries the value of its second one",
         "assign arriving[2*o][-          = response[o]-]{+ = '{status: response[o].status, "
         "value: second[o].value, id: response[o].id}+};"),
        ("second_without_response", "B",
         "the wait buffer is searched whenever a response could arrive",
         ".response_valid_i ([-response_valid_i-]{+response_ready_o+}[o]),",
         "an idle port still has the identity of a response that came, whose entry is gone"),
        ("reply_ready_ignored", "B", "a response leaves although its receiver is not ready",
         "assign leaves  = response_waits[i] &&[- response_ready_i[i] &&-]"),
        ("reply_to_both", "B", "a response goes to both inputs",
         "[- && element[route_bit_i] == (i != 0)-];"),
        ("reply_from_nothing", "B", "an empty reverse queue sends, too",
         "assign leaves  = [-response_waits[i] && -]response_ready_i[i] &&"),
    )),
    *_faults(RECEIVE, (
        ("receive_count_lost", "B", "a counter is loaded and not counted down",
         "counted.bank[i] = loaded[- - counter_t'(1)-];", NO_SWITCH),
        ("receive_load_ignored", "B", "a counter at 0 is not loaded",
         "loaded = [-bank[i] == '0 ? command.initial_value : "
         "bank[i]-]{+bank[i]+};", NO_SWITCH),
        ("receive_load_always", "B", "a counter is loaded whatever it is",
         "loaded = [-bank[i] == '0 ? command.initial_value : "
         "bank[i]-]{+command.initial_value+};", NO_SWITCH),
        ("receive_count_overwritten", "B", "the command forgets a count of the same cycle",
         "count([-remote_left-]{+remote_q+}, command_i)", NO_SWITCH),
        ("receive_count_doubled", "B", "a message counts as it is answered, and again",
         "assign counts_remote = [-phase_q == PhaseCount-]{+(phase_q == PhaseCount || "
         "phase_q == PhaseAnswer)+} && message.counts", NO_SWITCH),
        ("receive_request_counts_local", "B", "a request counts on another node's local counter",
         "(message.kind == MessageAcknowledge || [-channel_q == "
         "1'(ReplyChannel)-]{+1'b1+})", NO_SWITCH),
        ("receive_sent_overwrites", "B", "what is sent forgets an answer of the same cycle",
         "local_d[i] = [-local_left-]{+local_q+}[i] + counter_t'(1)", NO_SWITCH),
        ("receive_zero_early", "B", "a counter interrupts at 1",
         "loaded == counter_t'([-1-]{+2+}) && command.interrupts", NO_SWITCH),
        ("receive_zero_unasked", "B", "a counter interrupts that should not",
         "loaded == counter_t'(1)[- && command.interrupts-]", NO_SWITCH),
        ("receive_zero_forgotten", "B", "of two zeros in one cycle one is forgotten",
         "(command_zero_o{+ && !zero_o+} ? only(command_i.number)", NO_SWITCH),
        ("receive_zero_of_nothing", "B", "a header that is not served interrupts",
         "assign zero_o          = [-counts_remote && -]by_message.zero", NO_SWITCH),
        ("receive_requests_first", "B", "a request goes before a reply",
         "channel_d = [-begins[ReplyChannel]-]{+!begins[RequestChannel]+};", NO_SWITCH),
        ("receive_reply_waits", "B", "a reply waits until software knows of a zero",
         "must_wait[c] = [-c == RequestChannel && -]oldest_i[c].counts &&", NO_SWITCH),
        ("receive_miss_holds", "B", "a message without a translation is not put back",
         "phase_d              = [-PhaseIdle-]{+PhaseTranslate+};", NO_SWITCH),
        ("receive_reply_room_ignored", "B", "a message begins without a place for its answer",
         "begins[c] = ([-reply_room_i-]{+1'b1+} || !is_answered(", NO_SWITCH),
        ("receive_fits_ignored", "B", "a message for the processor begins without room",
         "begins[c] = [-fits_i[c]-]{+1'b1+};", NO_SWITCH),
        ("receive_length_unchecked", "B", "a length above the packet is served",
         "end else if ([-32'(message.size) > PacketBytes || -]message.size[1:0]", NO_SWITCH),
        ("receive_address_unchecked", "B", "an address within a word is served",
         "end else if ([-message.address[2:0] != '0 || -](reads && "
         "message.everyone))", NO_SWITCH),
        ("receive_counter_unchecked", "B", "the first counter beyond the bank is served",
         "32'(message.remote.number) [->=-]{+>+} Counters)", NO_SWITCH),
        ("receive_page_end_missed", "B", "a message goes on in the memory behind its page",
         "else if (page_ends) phase_d = [-PhaseTranslate-]{+PhaseMove+};", NO_SWITCH),
        ("receive_unmapped_found", "B", "an entry that was emptied is found",
         "if (!found && [-translations_q[i].mapped &&\n          "
         "-]translations_q[i].page ==", NO_SWITCH),
        ("receive_half_word_whole", "B", "half a word is moved as a whole one",
         "memory_bytes_o  = [-last_word && message.size[2] ? 4'd4 : -]4'd8;", NO_SWITCH),
        ("receive_word_too_many", "B", "a word more is moved than there are",
         "assign last_word  = (SizeWidth-2)'([-moved_next-]{+moved+}) == "
         "body_words;", NO_SWITCH),
        ("receive_read_writes", "B", "a read changes memory",
         "assign memory_writes_o = message.kind [-==-]{+!=+} "
         "Message[-Write-]{+Acknowledge+};", NO_SWITCH),
        ("receive_dropped_stored", "B", "a message that is dropped is stored as well",
         "assign stores_o  = phase_q == PhaseStore{+ || drops+};", NO_SWITCH),
    )),
)  # fmt: skip

# Run by ctest: that lockstep finds a fault. Each takes a compilation of the switch.
TESTED = ("partner_taken_twice", "frees_wrong_entry")


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
    for find, replace in fault.edits():
        count = text.count(find)
        if count != 1:
            raise ToolError(
                f"fault {fault.name}: its text stands {count} times in rtl/{fault.file}, not once; "
                f"bring tools/rtl/mutants/faults.py up to the RTL. The text:\n{find}"
            )
        text = text.replace(find, replace)
    path.write_text(text, encoding="utf-8")
