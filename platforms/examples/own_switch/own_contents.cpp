// SPDX-License-Identifier: Apache-2.0
#include "own_contents.h"

#include <cstdint>
#include <string>

#include <tributary/rtl/verilated_variable.h>

using namespace tributary;

namespace {

// Widths of own_pkg.sv.
constexpr unsigned word_bits = 64;
constexpr unsigned id_bits = 48;
constexpr unsigned request_bits = 64 + 3 + 2 * word_bits + id_bits + 1;
constexpr unsigned pair_bits = 2 * id_bits + word_bits;
constexpr unsigned response_bits = 8 + word_bits + id_bits;
constexpr unsigned count_bits = 8;  // of a place or a count, at most

// A packed structure is read from its last field on.

request_id read_id(packed_fields& fields) {
  const auto pe = static_cast<std::uint16_t>(fields.next(16));
  return {static_cast<std::uint32_t>(fields.next(32)), pe};
}

packet read_request(packed_fields fields) {
  packet request;
  request.combinable = static_cast<std::uint8_t>(fields.next(1));
  const request_id id = read_id(fields);
  request.pe = id.pe;
  request.sequence = id.sequence;
  request.b = fields.next(word_bits);
  request.a = fields.next(word_bits);
  request.kind = static_cast<form>(fields.next(3));
  request.location = fields.next(64);
  return request;
}

switch_contents::held_partner read_pair(packed_fields fields) {
  fields.next(word_bits);
  const request_id second = read_id(fields);
  return {read_id(fields), second};
}

reply read_response(packed_fields fields) {
  const request_id id = read_id(fields);
  const word_t value = fields.next(word_bits);
  return {value, id.sequence, id.pe, static_cast<std::uint8_t>(fields.next(8))};
}

/// Visits the places of a ring that are taken, the oldest first.
template <class Visit>
void for_each_place(const VerilatedScope* scope, unsigned slots, Visit&& visit) {
  const auto head = static_cast<unsigned>(verilated_variable(scope, "head_q").bits(0, count_bits));
  const auto size = static_cast<unsigned>(verilated_variable(scope, "size_q").bits(0, count_bits));
  for (unsigned i = 0; i < size; ++i) visit((head + i) % slots);
}

}  // namespace

switch_contents own_contents(VerilatedContext& context, unsigned slots,
                             unsigned wait_buffer_entries, unsigned reverse_slots) {
  switch_contents now;
  for (unsigned o = 0; o < 2; ++o) {
    const std::string output = "gen_output[" + std::to_string(o) + "]";
    for (unsigned i = 0; i < 2; ++i) {
      const auto* queue =
          find_scope(context, output + ".gen_queue[" + std::to_string(i) + "].u_queue");
      const verilated_variable requests(queue, "requests_q");
      const verilated_variable paired(queue, "paired_q");
      const verilated_variable pairs(queue, "pairs_q");
      for_each_place(queue, slots, [&](unsigned place) {
        std::optional<request_id> second;
        if (paired.bits(place, 1) != 0) second = read_pair({pairs, pair_bits * place}).second;
        now.queues[o][i].push_back({read_request({requests, request_bits * place}), second});
      });
    }
    const auto* buffer = find_scope(context, output);
    const verilated_variable used(buffer, "used_q");
    const verilated_variable pairs(buffer, "pairs_q");
    for (unsigned place = 0; place < wait_buffer_entries; ++place) {
      if (used.bits(place, 1) == 0) continue;
      now.wait_buffers[o].push_back(read_pair({pairs, pair_bits * place}));
    }
  }
  for (unsigned i = 0; i < 2; ++i) {
    const auto* input = find_scope(context, "gen_input[" + std::to_string(i) + "]");
    const verilated_variable ring(input, "ring_q");
    for_each_place(input, reverse_slots, [&](unsigned place) {
      now.reverse_queues[i].push_back(read_response({ring, response_bits * place}));
    });
  }
  return now;
}
