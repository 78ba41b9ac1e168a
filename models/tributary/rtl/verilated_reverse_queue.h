// SPDX-License-Identifier: Apache-2.0
// Verilated RTL of a reverse queue, with the functions of the core.
#pragma once

#include <cstdint>

#include <tributary/memory/packet.h>
#include <tributary/rtl/part_parameters.h>
#include <tributary/rtl/verilated_bits.h>
#include <tributary/rtl/verilated_part.h>

namespace tributary {

/// RTL with the ports of rtl/reverse_queue.sv, as wide as a `reply`. A cycle: `ready`, the head;
/// then `release` if the head leaves, `accept` for arrivals, and `commit`.
template <class Design>
class verilated_reverse_queue : public verilated_part<Design> {
  using base = verilated_part<Design>;
  using base::id_bits;

 public:
  static constexpr reverse_queue_parameters parameters = Design::parameters;

  explicit verilated_reverse_queue(const verilated_options& options = {}) : base(options) {
    begin_cycle();
    base::reset();
  }

  bool ready() const { return base::model().ready_o != 0; }
  bool empty() const { return base::model().head_valid_o == 0; }

  /// Precondition: not empty.
  reply head() const {
    const auto& word = base::model().head_o;
    const request_id id = base::id_of(bits(word, 0, id_bits));
    return {bits(word, id_bits, 64), id.sequence, id.pe,
            static_cast<std::uint8_t>(bits(word, id_bits + 64, 8))};
  }

  /// The head leaves in this cycle.
  void release() { base::model().release_i = 1; }

  /// The arrival of place `place`, 0 to 3, of the cycle; in the order of places. Precondition:
  /// `ready`.
  void accept(unsigned place, const reply& arrival) {
    auto& ports = base::model();
    const unsigned first = parameters.Width * place;
    set_bits(ports.valid_i, place, 1, 1);
    set_bits(ports.response_i, first, id_bits, base::number_of(arrival.id()));
    set_bits(ports.response_i, first + id_bits, 64, arrival.value);
    set_bits(ports.response_i, first + id_bits + 64, 8, arrival.status);
  }

  /// Ends the cycle.
  void commit() {
    base::settle();
    base::edge();
    begin_cycle();
  }

  /// The empty queue.
  void reset() {
    begin_cycle();
    base::reset();
  }

 private:
  void begin_cycle() {
    base::model().valid_i = 0;
    base::model().release_i = 0;
  }
};

}  // namespace tributary
