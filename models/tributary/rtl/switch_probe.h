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
      : parameters_(parameters) {
    for (unsigned i = 0; i < 2; ++i) {
      const std::string output = "gen_output[" + std::to_string(i) + "].";
      for (unsigned which = 0; which < queues(); ++which) {
        queues_[i][which] =
            part(context, output + "gen_queue[" + std::to_string(which) + "]." +
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
      for (unsigned which = 0; which < queues(); ++which) {
        now.queued[i][which] = queues_[i][which].size();
        now.combined[i][which] =
            static_cast<std::uint32_t>(queues_[i][which].combined.bits(0, count_bits));
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
      for (unsigned which = 0; which < queues(); ++which) {
        now.queues[i][which] =
            systolic() ? systolic_queue(queues_[i][which]) : parallel_queue(queues_[i][which]);
      }
      now.wait_buffers[i] = wait_buffer(wait_buffers_[i]);
      now.reverse_queues[i] = reverse_queue(reverse_queues_[i]);
    }
    return now;
  }

 private:
  static constexpr unsigned count_bits = 16;  // of rtl/probe/occupancy_probe.sv
  static constexpr unsigned form_bits = 3;

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
  unsigned id_bits() const { return parameters_.SequenceWidth + parameters_.ElementWidth; }
  unsigned operation_bits() const { return form_bits + 2 * parameters_.DataWidth; }
  unsigned location_bits() const { return parameters_.ModuleWidth + parameters_.AddressWidth; }

  using waiting_requests = std::vector<switch_contents::waiting_request>;

  /// entries_q of rtl/combining_queue.sv.
  waiting_requests parallel_queue(const probed_part& queue) const {
    const unsigned writers = parameters_.DualInput != 0 ? 2 : 1;
    const unsigned width = location_bits() + 2 * operation_bits() + 2 * id_bits() + 1 + 1 + writers;
    waiting_requests found;
    for (unsigned slot = 0; slot < queue.size(); ++slot) {
      packed_fields fields({queue.scope, "entries_q"}, width * slot);
      const word_function beside = operation(fields);
      const request_id second = id(fields);
      fields.next(writers);
      const bool combined = fields.next(1) != 0;
      packet request = this->request(fields);
      // Beside it lies the first request's operation, for the wait buffer; or the second's, where
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
    const unsigned width = 1 + location_bits() + operation_bits() + id_bits() + 1;
    packed_fields fields(column, width * row);
    const packet waiting = request(fields);
    return fields.next(1) != 0 ? std::optional(waiting) : std::nullopt;
  }

  /// A request of OUT with its partner of CHUTE. What it will carry is composed as it comes into
  /// the exit of a decoupled queue, and as it leaves a coupled one.
  switch_contents::waiting_request with_partner(packet first, const verilated_variable& chute,
                                                unsigned row) const {
    packed_fields fields(chute, (1 + operation_bits() + id_bits()) * row);
    const request_id second = id(fields);
    const word_function function = operation(fields);
    if (fields.next(1) == 0) return {first, std::nullopt};
    if (row != 0 || parameters_.Coupled != 0) {
      first.set_function(compose(first.function(), function));
    }
    return {first, second};
  }

  /// used_q and entries_q of rtl/wait_buffer.sv.
  std::vector<switch_contents::held_partner> wait_buffer(const probed_part& buffer) const {
    const verilated_variable used(buffer.scope, "used_q");
    std::vector<switch_contents::held_partner> found;
    for (unsigned i = 0; i < parameters_.WaitBufferEntries; ++i) {
      if (used.bits(i, 1) == 0) continue;
      packed_fields fields({buffer.scope, "entries_q"}, (operation_bits() + 2 * id_bits()) * i);
      operation(fields);
      const request_id second = id(fields);
      found.push_back({id(fields), second});
    }
    return found;
  }

  /// responses_q of rtl/reverse_queue.sv.
  std::vector<reply> reverse_queue(const probed_part& queue) const {
    const unsigned width = parameters_.StatusWidth + parameters_.DataWidth + id_bits();
    std::vector<reply> found;
    for (unsigned slot = 0; slot < queue.size(); ++slot) {
      packed_fields fields({queue.scope, "responses_q"}, width * slot);
      const request_id whose = id(fields);
      const word_t value = fields.next(parameters_.DataWidth);
      const auto status = static_cast<std::uint8_t>(fields.next(parameters_.StatusWidth));
      found.push_back({value, whose.sequence, whose.pe, status});
    }
    return found;
  }

  // Fields, each from its last part on.

  request_id id(packed_fields& fields) const {
    const auto pe = static_cast<std::uint16_t>(fields.next(parameters_.ElementWidth));
    return {static_cast<std::uint32_t>(fields.next(parameters_.SequenceWidth)), pe};
  }

  word_function operation(packed_fields& fields) const {
    const word_t b = fields.next(parameters_.DataWidth);
    const word_t a = fields.next(parameters_.DataWidth);
    return {static_cast<form>(fields.next(form_bits)), a, b};
  }

  packet request(packed_fields& fields) const {
    packet read;
    read.combinable = static_cast<std::uint8_t>(fields.next(1));
    const request_id whose = id(fields);
    read.sequence = whose.sequence;
    read.pe = whose.pe;
    read.set_function(operation(fields));
    const std::uint64_t word = fields.next(parameters_.AddressWidth);
    read.location = fields.next(parameters_.ModuleWidth) << location_word_bits | word;
    return read;
  }

  switch_parameters parameters_;
  std::array<std::array<probed_part, 2>, 2> queues_;
  std::array<probed_part, 2> wait_buffers_;
  std::array<probed_part, 2> reverse_queues_;
};

}  // namespace tributary
