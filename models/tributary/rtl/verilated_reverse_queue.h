// SPDX-License-Identifier: Apache-2.0
// Verilated RTL of a reverse queue, with the functions of the core.
#pragma once

#include <tributary/memory/packet.h>
#include <tributary/rtl/part_parameters.h>
#include <tributary/rtl/verilated_part.h>

namespace tributary {

/// RTL with the ports of rtl/reverse_queue.sv, of the widths of `reply`. A cycle: `ready`, the
/// head; then `release` if the head leaves, `accept` for arrivals, and `commit`.
template <class Design>
class verilated_reverse_queue final : public verilated_part<Design> {
  using base = verilated_part<Design>;
  using base::layout;

 public:
  static constexpr reverse_queue_parameters parameters = Design::parameters;

  explicit verilated_reverse_queue(const verilated_options& options = {}) : base(options) {
    base::reset();
  }

  bool ready() const { return base::model().ready_o != 0; }
  bool empty() const { return base::model().head_valid_o == 0; }

  /// Precondition: not empty.
  reply head() const { return layout.response_at(base::model().head_o); }

  /// The head leaves in this cycle.
  void release() { base::model().release_i = 1; }

  /// The arrival of place `place`, 0 to 3, of the cycle; in the order of places. Precondition:
  /// `ready`.
  void accept(unsigned place, const reply& arrival) {
    set_bits(base::model().valid_i, place, 1, 1);
    layout.set_response(base::model().response_i, place, arrival);
  }

  /// Ends the cycle.
  void commit() {
    base::settle();
    base::edge();
  }

 private:
  void begin_cycle() override {
    base::model().valid_i = 0;
    base::model().release_i = 0;
  }
};

}  // namespace tributary
