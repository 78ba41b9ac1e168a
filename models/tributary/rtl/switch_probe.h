// SPDX-License-Identifier: Apache-2.0
// What a verilated switch holds, by the probe of rtl/probe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tributary/memory/operation.h>
#include <tributary/memory/packet.h>
#include <tributary/network/omega/switch_contents.h>
#include <tributary/network/omega/switch_implementation.h>
#include <tributary/rtl/packed_messages.h>
#include <tributary/rtl/switch_parameters.h>
#include <tributary/rtl/verilated_variable.h>
#include <tributary/rtl/verilator_runtime.h>

namespace tributary {

/// Occupancies and contents of a switch of rtl/, read between two clock edges. The parts are found
/// by their names below the switch, wherever it stands in the model; RTL without the probe, such as
/// a user's own, shows nothing.
class switch_probe {
 public:
  switch_probe(VerilatedContext& context, const switch_parameters& parameters)
      : parameters_(parameters), layout_(parameters) {
    for (unsigned i = 0; i < 2; ++i) {
      const std::string output = "gen_output[" + std::to_string(i) + "].";
      for (unsigned queue = 0; queue < queues(); ++queue) {
        queues_[i][queue] =
            part(context, output + "gen_queue[" + std::to_string(queue) + "]." +
                              (systolic() ? "gen_systolic" : "gen_parallel") + ".u_queue");
      }
      wait_buffers_[i] = part(context, output + "u_wait_buffer");
      reverse_queues_[i] = part(context, "gen_input[" + std::to_string(i) + "].u_reverse_queue");
    }
  }

  /// Whether the model has the probe.
  bool bound() const { return static_cast<bool>(wait_buffers_[0].entries); }

  /// Precondition: `bound()`.
  switch_occupancy occupancy() const {
    switch_occupancy now;
    for (unsigned i = 0; i < 2; ++i) {
      for (unsigned queue = 0; queue < queues(); ++queue) {
        now.queued[i][queue] = queues_[i][queue].size();
        now.combined[i][queue] =
            static_cast<std::uint32_t>(queues_[i][queue].combined.bits(0, count_bits));
      }
      now.waiting[i] = wait_buffers_[i].size();
      now.reverse[i] = reverse_queues_[i].size();
    }
    return now;
  }

  /// Precondition: `bound()`.
  switch_contents contents() const {
    switch_contents now;
    for (unsigned i = 0; i < 2; ++i) {
      for (unsigned queue = 0; queue < queues(); ++queue) {
        now.queues[i][queue] =
            systolic() ? systolic_queue(queues_[i][queue]) : parallel_queue(queues_[i][queue]);
      }
      now.wait_buffers[i] = wait_buffer(wait_buffers_[i]);
      now.reverse_queues[i] = reverse_queue(reverse_queues_[i]);
    }
    return now;
  }

 private:
  static constexpr unsigned count_bits = 16;  // of rtl/probe/occupancy_probe.sv

  /// A queue or a wait buffer: the counts of its probe, and what is public of its own.
  struct probed_part {
    const VerilatedScope* scope = nullptr;
    verilated_variable entries;
    verilated_variable combined;

    std::uint32_t size() const { return static_cast<std::uint32_t>(entries.bits(0, count_bits)); }
  };

  static probed_part part(VerilatedContext& context, const std::string& name) {
    const VerilatedScope* const probe = find_scope(context, name + ".u_probe");
    return {find_scope(context, name), {probe, "entries"}, {probe, "combined"}};
  }

  bool systolic() const { return parameters_.Microarchitecture != 0; }
  unsigned queues() const { return parameters_.DualInput != 0 ? 1 : 2; }

  using waiting_requests = std::vector<switch_contents::waiting_request>;

  /// entries_q of rtl/combining_queue.sv.
  waiting_requests parallel_queue(const probed_part& queue) const {
    const unsigned writers = parameters_.DualInput != 0 ? 2 : 1;
    const unsigned width = layout_.bits_of<packet>() + 1 + writers + layout_.partner_bits();
    const verilated_variable entries(queue.scope, "entries_q");
    waiting_requests found;
    for (unsigned slot = 0; slot < queue.size(); ++slot) {
      packed_fields fields(entries, width * slot);
      const word_function beside = layout_.read<word_function>(fields);
      const request_id second = layout_.read<request_id>(fields);
      fields.next(writers);
      const bool combined = fields.next(1) != 0;
      packet request = layout_.read<packet>(fields);
      // Next to it lies the first request's operation, for the wait buffer; or the second's, where
      // the two are composed as they leave.
      if (combined && parameters_.SumAtExit != 0) {
        request.set_function(compose(request.function(), beside));
      }
      found.push_back({request, combined ? std::optional(second) : std::nullopt});
    }
    return found;
  }

  /// out_q, chute_q and in_q of rtl/systolic_queue.sv: the entries of OUT from the exit on, then
  /// those that climb IN from its top.
  waiting_requests systolic_queue(const probed_part& queue) const {
    waiting_requests found;
    for (unsigned row = 0; row < parameters_.Slots; ++row) {
      const auto waiting = in_row({queue.scope, "out_q"}, row);
      if (waiting) found.push_back(with_partner(*waiting, {queue.scope, "chute_q"}, row));
    }
    for (unsigned row = parameters_.Slots; row-- > 1;) {
      const auto waiting = in_row({queue.scope, "in_q"}, row - 1);
      if (waiting) found.push_back({*waiting, std::nullopt});
    }
    return found;
  }

  /// The request in a row of OUT or IN, if there is one.
  std::optional<packet> in_row(const verilated_variable& column, unsigned row) const {
    packed_fields fields(column, (1 + layout_.bits_of<packet>()) * row);
    const packet waiting = layout_.read<packet>(fields);
    return fields.next(1) != 0 ? std::optional(waiting) : std::nullopt;
  }

  /// A request of OUT with its partner of CHUTE. What it will carry is composed as it comes into
  /// the exit of a decoupled queue, and as it leaves a coupled one.
  switch_contents::waiting_request with_partner(const packet& out, const verilated_variable& chute,
                                                unsigned row) const {
    packet first = out;
    packed_fields fields(chute, (1 + layout_.partner_bits()) * row);
    const request_id second = layout_.read<request_id>(fields);
    const word_function function = layout_.read<word_function>(fields);
    if (fields.next(1) == 0) return {first, std::nullopt};
    if (row != 0 || parameters_.Coupled != 0) {
      first.set_function(compose(first.function(), function));
    }
    return {first, second};
  }

  /// used_q and entries_q of rtl/wait_buffer.sv.
  std::vector<switch_contents::held_partner> wait_buffer(const probed_part& buffer) const {
    const unsigned width = layout_.bits_of<request_id>() + layout_.partner_bits();
    const verilated_variable used(buffer.scope, "used_q");
    const verilated_variable entries(buffer.scope, "entries_q");
    std::vector<switch_contents::held_partner> found;
    for (unsigned i = 0; i < parameters_.WaitBufferEntries; ++i) {
      if (used.bits(i, 1) == 0) continue;
      packed_fields fields(entries, width * i);
      layout_.read<word_function>(fields);
      const request_id second = layout_.read<request_id>(fields);
      found.push_back({layout_.read<request_id>(fields), second});
    }
    return found;
  }

  /// head_q, and from read_q on ring_q of rtl/reverse_queue.sv.
  std::vector<reply> reverse_queue(const probed_part& queue) const {
    std::vector<reply> found;
    if (queue.size() == 0) return found;
    const verilated_variable head(queue.scope, "head_q");
    found.push_back(layout_.read_at<reply>(head, 0));
    const verilated_variable ring(queue.scope, "ring_q");
    const verilated_variable read(queue.scope, "read_q");
    const unsigned places = 4 * ((parameters_.ReverseSlots + 2) / 4);
    unsigned place = 0;
    while (place < places && read.bits(place, 1) == 0) ++place;
    for (; place < places && found.size() < queue.size(); place = (place + 1) % places) {
      found.push_back(layout_.read_at<reply>(ring, place));
    }
    return found;
  }

  switch_parameters parameters_;
  message_layout layout_;
  std::array<std::array<probed_part, 2>, 2> queues_;
  std::array<probed_part, 2> wait_buffers_;
  std::array<probed_part, 2> reverse_queues_;
};

}  // namespace tributary
