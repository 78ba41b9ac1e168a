// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/wait_buffer_module.h>

#include <string>

namespace tributary {
namespace {

single_wait_buffer empty_buffer(std::uint32_t entries) {
  if (entries < 1 || entries > 65535) {
    throw configuration_error({"wait_buffer_entries", "",
                               std::to_string(entries) + " is out of range", "1 to 65535 requests",
                               "choose a value in the range"});
  }
  return {wait_buffer(entries), {}};
}

}  // namespace

void single_wait_buffer::report(statistics_group& group) const { report(group, buffer.size(0)); }

void single_wait_buffer::report(statistics_group& group, std::uint64_t held) {
  group.add("held", held, "requests", "Partners in the buffer.");
}

wait_buffer_module::wait_buffer_module(const sc_core::sc_module_name& name, std::uint32_t entries)
    : core_module(name, [entries] { return empty_buffer(entries); }) {}

void wait_buffer_module::end_of_elaboration() {
  partner_in.open(packet_link<partner>::end::receiver, 1);
  reply_in.open(packet_link<reply>::end::receiver, 1);
  second_out.open(packet_link<reply>::end::sender, 1);
}

void wait_buffer_module::ready() {
  partner_in.publish_all(core().buffer.full(0) ? 0 : 1);
  reply_in.publish_all(1);
}

void wait_buffer_module::depart() {
  if (yielded_) second_out.send(0, *yielded_);
  yielded_.reset();
}

void wait_buffer_module::commit() {
  single_wait_buffer& own = core();
  partner_in.receive([&](std::size_t, const partner& record) {
    own.buffer.insert(0, own.partners.acquire(record), own.partners);
  });
  reply_in.receive([&](std::size_t, const reply& response) { look_up(response); });
}

void wait_buffer_module::look_up(const reply& response) {
  single_wait_buffer& own = core();
  const partner_index found = own.buffer.take(0, response.id(), own.partners);
  if (found == no_partner) return;
  const partner& waiting = own.partners[found];
  yielded_ = reply{answer_second(waiting.kept, response.value), waiting.second.sequence,
                   waiting.second.pe, response.status};
  own.partners.release(found);
}

void wait_buffer_module::reset() {
  reset_core();
  yielded_.reset();
  partner_in.publish_all(0);
  reply_in.publish_all(0);
}

}  // namespace tributary
