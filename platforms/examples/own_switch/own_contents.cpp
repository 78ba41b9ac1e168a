// SPDX-License-Identifier: Apache-2.0
#include "own_contents.h"

#include <cstdint>
#include <string>

#include <tributary/rtl/packed_messages.h>
#include <tributary/rtl/verilated_variable.h>

using namespace tributary;

namespace {

constexpr message_layout layout;  // of requests and responses, as own_pkg.sv has them
constexpr unsigned word_bits = 64;
constexpr unsigned pair_bits = 2 * layout.id_bits() + word_bits;
constexpr unsigned count_bits = 8;  // of a place or a count, at most

switch_contents::held_partner read_pair(const verilated_variable& pairs, unsigned place) {
  // From its last field on.
  packed_fields fields(pairs, pair_bits * place);
  fields.next(word_bits);
  const request_id second = layout.id(fields);
  return {layout.id(fields), second};
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
        if (paired.bits(place, 1) != 0) second = read_pair(pairs, place).second;
        now.queues[o][i].push_back({layout.request_at(requests, place), second});
      });
    }
    const auto* buffer = find_scope(context, output);
    const verilated_variable used(buffer, "used_q");
    const verilated_variable pairs(buffer, "pairs_q");
    for (unsigned place = 0; place < wait_buffer_entries; ++place) {
      if (used.bits(place, 1) == 0) continue;
      now.wait_buffers[o].push_back(read_pair(pairs, place));
    }
  }
  for (unsigned i = 0; i < 2; ++i) {
    const auto* input = find_scope(context, "gen_input[" + std::to_string(i) + "]");
    const verilated_variable ring(input, "ring_q");
    for_each_place(input, reverse_slots, [&](unsigned place) {
      now.reverse_queues[i].push_back(layout.response_at(ring, place));
    });
  }
  return now;
}
