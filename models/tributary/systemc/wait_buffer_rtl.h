// SPDX-License-Identifier: Apache-2.0
// Verilated RTL of a wait buffer in the place of wait_buffer_module.
#pragma once

#include <optional>

#include <tributary/network/omega/partner_pool.h>
#include <tributary/rtl/verilated_wait_buffer.h>
#include <tributary/systemc/clocked_module.h>
#include <tributary/systemc/packet_link.h>
#include <tributary/systemc/wait_buffer_module.h>

namespace tributary {

/// The ports of `wait_buffer_module` with the same trace. `Design`: of tributary_verilate_part with
/// TOP wait_buffer, which sets the parameters.
template <class Design>
class wait_buffer_rtl : public clocked_module {
 public:
  explicit wait_buffer_rtl(const sc_core::sc_module_name& name,
                           const verilated_options& options = {})
      : clocked_module(name), buffer_(options) {}

  link_port<partner> partner_in{"partner_in"};
  link_port<reply> reply_in{"reply_in"};
  link_port<reply> second_out{"second_out"};

  const verilated_wait_buffer<Design>& buffer() const { return buffer_; }
  void reset_statistics() {}
  /// Adds what `wait_buffer_module` does.
  void report(statistics_group& group) const {
    single_wait_buffer::report(group, buffer_.size().value_or(0));
  }

  const char* kind() const override { return "tributary::wait_buffer_rtl"; }

 private:
  void end_of_elaboration() override {
    partner_in.open(packet_link<partner>::end::receiver, 1);
    reply_in.open(packet_link<reply>::end::receiver, 1);
    second_out.open(packet_link<reply>::end::sender, 1);
  }

  void ready() override {
    partner_in.publish_all(buffer_.full() ? 0 : 1);
    reply_in.publish_all(1);
  }

  void depart() override {
    if (yielded_) second_out.send(0, *yielded_);
  }

  void commit() override {
    partner_in.receive([&](std::size_t, const partner& record) { buffer_.insert(record); });
    reply_in.receive([&](std::size_t, const reply& response) { buffer_.look_up(response); });
    yielded_ = buffer_.commit();
  }

  void reset() override {
    buffer_.reset();
    yielded_.reset();
    partner_in.publish_all(0);
    reply_in.publish_all(0);
  }

  verilated_wait_buffer<Design> buffer_;
  std::optional<reply> yielded_;  // output register, as of the module
};

}  // namespace tributary
