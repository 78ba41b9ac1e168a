// SPDX-License-Identifier: Apache-2.0
// Verilated RTL of a combining queue, with the functions of the core.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <tributary/network/omega/partner_pool.h>
#include <tributary/rtl/part_parameters.h>
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
class verilated_queue final : public verilated_part<Design> {
  using base = verilated_part<Design>;
  using base::layout;

 public:
  static constexpr combining_queue_parameters parameters = Design::parameters;

  explicit verilated_queue(const verilated_options& options = {}) : base(options) { base::reset(); }

  bool ready() const { return rtl().ready_o != 0; }
  bool empty() const { return rtl().head_valid_o == 0; }

  /// The oldest request. Precondition of these: not empty.
  packet head() const { return layout.request_at(rtl().head_o); }
  bool head_combined() const { return rtl().head_combined_o != 0; }
  /// Its partner. Precondition: combined.
  partner head_partner() const {
    packed_fields fields(rtl().partner_o, 0);
    const word_function kept = layout.operation(fields);
    return {head().id(), layout.id(fields), kept};
  }

  /// The head leaves in this cycle.
  void release() { base::model().release_i = 1; }

  /// A request arrives. Preconditions: `ready`, and one of a writer in a cycle.
  void accept(unsigned writer, const packet& arrival) {
    base::check(arrival.kind);
    set_bits(base::model().valid_i, writer, 1, 1);
    layout.set_request(base::model().request_i, writer, arrival);
  }

  /// Ends the cycle. `wait_buffer_full`: at its start, so that nothing may combine.
  queue_activity commit(bool wait_buffer_full) {
    base::model().wait_buffer_full_i = wait_buffer_full ? 1 : 0;
    base::settle();
    const queue_activity activity = events();
    base::edge();
    return activity;
  }

 private:
  const typename Design::model& rtl() const { return base::model(); }

  void begin_cycle() override {
    base::model().valid_i = 0;
    base::model().release_i = 0;
  }

  queue_activity events() const {
    queue_activity activity;
    for (unsigned writer = 0; writer < parameters.Writers; ++writer) {
      activity.inserted[writer] = bits(rtl().event_inserted_o, writer, 1) != 0;
      if (bits(rtl().event_combined_o, writer, 1) == 0) continue;
      activity.joined[writer] = layout.id_at(rtl().event_joined_id_o, writer);
    }
    return activity;
  }
};

}  // namespace tributary
