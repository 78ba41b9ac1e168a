// SPDX-License-Identifier: Apache-2.0
// Verilated RTL of a combining queue in the place of combining_queue_module.
#pragma once

#include <tributary/network/omega/partner_pool.h>
#include <tributary/rtl/verilated_queue.h>
#include <tributary/systemc/clocked_module.h>
#include <tributary/systemc/combining_queue_module.h>
#include <tributary/systemc/packet_link.h>

namespace tributary {

/// The ports of `combining_queue_module` with the same trace. `Design`: of tributary_verilate_part
/// with TOP combining_queue, which sets the parameters.
template <class Design>
class combining_queue_rtl : public clocked_module {
 public:
  explicit combining_queue_rtl(const sc_core::sc_module_name& name,
                               const verilated_options& options = {})
      : clocked_module(name), queue_(options) {}

  link_port<packet> request_in{"request_in"};  ///< `Writers` lines
  link_port<packet> request_out{"request_out"};
  link_port<partner> partner_out{"partner_out"};  ///< to the wait buffer, with a combined head

  const verilated_queue<Design>& queue() const { return queue_; }
  void reset_statistics() {}
  /// Adds what `combining_queue_module` does.
  void report(statistics_group& group) const {
    single_combining_queue::report(group, queue_.size().value_or(0), queue_.combined().value_or(0));
  }

  const char* kind() const override { return "tributary::combining_queue_rtl"; }

 private:
  void end_of_elaboration() override {
    request_in.open(packet_link<packet>::end::receiver, Design::parameters.Writers);
    request_out.open(packet_link<packet>::end::sender, 1);
    partner_out.open(packet_link<partner>::end::sender, 1);
  }

  void ready() override { request_in.publish_all(queue_.ready() ? 1 : 0); }

  void depart() override {
    wait_buffer_full_ = *partner_out.ready() == 0;
    const bool leaves = !queue_.empty() && *request_out.ready() != 0 &&
                        !(queue_.head_combined() && wait_buffer_full_);
    if (!leaves) return;
    request_out.send(0, queue_.head());
    if (queue_.head_combined()) partner_out.send(0, queue_.head_partner());
    queue_.release();
  }

  void commit() override {
    request_in.receive([&](std::size_t line, const packet& arrival) {
      queue_.accept(static_cast<unsigned>(line), arrival);
    });
    queue_.commit(wait_buffer_full_);
  }

  void reset() override {
    queue_.reset();
    request_in.publish_all(0);
  }

  verilated_queue<Design> queue_;
  bool wait_buffer_full_ = false;  // seen by `depart`
};

}  // namespace tributary
