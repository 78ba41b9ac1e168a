// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/combining_queue_module.h>

namespace tributary {

void single_combining_queue::report(statistics_group& group) const {
  report(group, queue.size(0), queue.combined(0));
}

void single_combining_queue::report(statistics_group& group, std::uint64_t waiting,
                                    std::uint64_t combined) {
  group.add("waiting", waiting, "requests", "Entries in the queue; a combined pair is one.");
  group.add("combined_waiting", combined, "requests", "Combined entries.");
}

combining_queue_module::combining_queue_module(const sc_core::sc_module_name& name,
                                               const combining_queue_config& config)
    : core_module(name, [config] {
        return single_combining_queue{combining_queue(config), {}};
      }) {}

void combining_queue_module::end_of_elaboration() {
  request_in.open(packet_link<packet>::end::receiver, core().queue.config().writers);
  request_out.open(packet_link<packet>::end::sender, 1);
  partner_out.open(packet_link<partner>::end::sender, 1);
}

void combining_queue_module::ready() { request_in.publish_all(core().queue.ready(0) ? 1 : 0); }

void combining_queue_module::depart() {
  const combining_queue& queue = core().queue;
  wait_buffer_full_ = *partner_out.ready() == 0;
  head_leaves_ = !queue.empty(0) && *request_out.ready() != 0 &&
                 !(queue.head_combined(0) && wait_buffer_full_);
  if (!head_leaves_) return;
  request_out.send(0, queue.head(0));
  if (queue.head_combined(0)) partner_out.send(0, core().partners[queue.partner_of(0, 0)]);
}

void combining_queue_module::commit() {
  combining_queue& queue = core().queue;
  if (head_leaves_) {
    const partner_index left_with = queue.release(0).partner;
    if (left_with != no_partner) core().partners.release(left_with);
  }
  unsigned inserted = 0;
  request_in.receive([&](std::size_t line, const packet& arrival) {
    const combining_queue::arrival_context now{static_cast<unsigned>(line), head_leaves_,
                                               wait_buffer_full_, inserted};
    const packet* joined = queue.accept(0, arrival, now, core().partners);
    inserted += joined == nullptr ? 1 : 0;
  });
  if (queue.systolic()) {
    queue.settle(0, head_leaves_, wait_buffer_full_, core().partners,
                 [](const packet&, const packet&) {});
  }
}

void combining_queue_module::reset() {
  reset_core();
  request_in.publish_all(0);
}

}  // namespace tributary
