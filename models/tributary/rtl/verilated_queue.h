// SPDX-License-Identifier: Apache-2.0
// Verilated RTL of a combining queue, with the functions of the core.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <tributary/network/omega/partner_pool.h>
#include <tributary/rtl/part_parameters.h>
#include <tributary/rtl/verilated_bits.h>
#include <tributary/rtl/verilated_part.h>

namespace tributary {

/// What happened in a queue in one cycle, by writer.
struct queue_activity {
  std::array<bool, 2> inserted{};                     ///< the arrival became an entry
  std::array<std::optional<request_id>, 2> joined{};  ///< it joined this waiting one
};

inline bool operator==(const queue_activity& x, const queue_activity& y) {
  return x.inserted == y.inserted && x.joined == y.joined;
}

/// RTL with the ports of rtl/combining_queue.sv, of the widths of `packet`. A cycle: `ready`, the
/// head; then `release` if the head leaves, `accept` for arrivals, and `commit`.
template <class Design>
class verilated_queue : public verilated_part<Design> {
  using base = verilated_part<Design>;
  using base::id_bits;

 public:
  static constexpr combining_queue_parameters parameters = Design::parameters;

  explicit verilated_queue(const verilated_options& options = {}) : base(options) {
    begin_cycle();
    base::reset();
  }

  bool ready() const { return rtl().ready_o != 0; }
  bool empty() const { return rtl().head_valid_o == 0; }

  /// The oldest request. Precondition of these: not empty.
  packet head() const {
    packet read;
    read.location = rtl().head_location_o;
    read.kind = static_cast<form>(rtl().head_form_o);
    read.a = rtl().head_a_o;
    read.b = rtl().head_b_o;
    const request_id id = base::id_of(rtl().head_id_o);
    read.sequence = id.sequence;
    read.pe = id.pe;
    read.combinable = rtl().head_combinable_o;
    return read;
  }
  bool head_combined() const { return rtl().head_combined_o != 0; }
  /// Its partner. Precondition: combined.
  partner head_partner() const {
    return {base::id_of(rtl().head_id_o),
            base::id_of(rtl().partner_id_o),
            {static_cast<form>(rtl().partner_form_o), rtl().partner_a_o, rtl().partner_b_o}};
  }

  /// The head leaves in this cycle.
  void release() { base::model().release_i = 1; }

  /// A request arrives. Preconditions: `ready`, and one of a writer in a cycle.
  void accept(unsigned writer, const packet& arrival) {
    auto& ports = base::model();
    set_bits(ports.valid_i, writer, 1, 1);
    set_bits(ports.location_i, 64 * writer, 64, arrival.location);
    set_bits(ports.form_i, 3 * writer, 3, base::number_of(arrival.kind));
    set_bits(ports.a_i, 64 * writer, 64, arrival.a);
    set_bits(ports.b_i, 64 * writer, 64, arrival.b);
    set_bits(ports.id_i, id_bits * writer, id_bits, base::number_of(arrival.id()));
    set_bits(ports.combinable_i, writer, 1, arrival.combinable);
  }

  /// Ends the cycle. `wait_buffer_full`: at its start, so that nothing may combine.
  queue_activity commit(bool wait_buffer_full) {
    base::model().wait_buffer_full_i = wait_buffer_full ? 1 : 0;
    base::settle();
    const queue_activity activity = events();
    base::edge();
    begin_cycle();
    return activity;
  }

  /// The empty queue.
  void reset() {
    begin_cycle();
    base::reset();
  }

 private:
  const typename Design::model& rtl() const { return base::model(); }

  void begin_cycle() {
    base::model().valid_i = 0;
    base::model().release_i = 0;
  }

  queue_activity events() const {
    queue_activity activity;
    for (unsigned writer = 0; writer < parameters.Writers; ++writer) {
      activity.inserted[writer] = bits(rtl().event_inserted_o, writer, 1) != 0;
      if (bits(rtl().event_combined_o, writer, 1) == 0) continue;
      activity.joined[writer] =
          base::id_of(bits(rtl().event_joined_id_o, id_bits * writer, id_bits));
    }
    return activity;
  }
};

}  // namespace tributary
