// SPDX-License-Identifier: Apache-2.0
// Verilated RTL of a wait buffer with its decombining unit.
#pragma once

#include <optional>

#include <tributary/network/omega/partner_pool.h>
#include <tributary/rtl/part_parameters.h>
#include <tributary/rtl/verilated_part.h>

namespace tributary {

/// RTL with the ports of rtl/wait_buffer.sv, of the widths of `packet`. A cycle: `full`; then
/// `insert` if a combined request leaves, `look_up` if a response arrives, and `commit`.
template <class Design>
class verilated_wait_buffer final : public verilated_part<Design> {
  using base = verilated_part<Design>;
  using base::layout;

 public:
  static constexpr wait_buffer_parameters parameters = Design::parameters;

  explicit verilated_wait_buffer(const verilated_options& options = {}) : base(options) {
    base::reset();
  }

  bool full() const { return base::model().full_o != 0; }
  bool empty() const { return base::model().empty_o != 0; }

  /// Takes a partner whose request leaves. Precondition: not full.
  void insert(const partner& record) {
    auto& ports = base::model();
    base::check(record.kept.kind);
    ports.insert_valid_i = 1;
    layout.set_id(ports.insert_first_id_i, record.first);
    packed_fields fields(ports.insert_partner_i, 0);
    layout.set(fields, record.kept);
    layout.set(fields, record.second);
  }

  /// A response arrives; its partner, if one waits, is that of an earlier cycle.
  void look_up(const reply& response) {
    auto& ports = base::model();
    ports.response_valid_i = 1;
    layout.set_id(ports.response_id_i, response.id());
    ports.response_value_i = response.value;
    status_ = response.status;
  }

  /// Ends the cycle; the response that a match yields.
  std::optional<reply> commit() {
    base::settle();
    std::optional<reply> second;
    if (base::model().second_valid_o != 0) {
      const request_id id = layout.id_at(base::model().second_id_o);
      second = reply{base::model().second_value_o, id.sequence, id.pe, status_};
    }
    base::edge();
    return second;
  }

 private:
  void begin_cycle() override {
    base::model().insert_valid_i = 0;
    base::model().response_valid_i = 0;
  }

  std::uint8_t status_ = 0;  // of the response; the buffer does not see it
};

}  // namespace tributary
