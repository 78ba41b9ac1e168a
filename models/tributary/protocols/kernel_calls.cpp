// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/kernel_calls.h>

#include <tributary/controller/cost_table.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

using command = kernel_command;

constexpr std::uint64_t process_mask = 0xff;

}  // namespace

void kernel_call_costs::bind(parameter_set& parameters) {
  cost_binder add(parameters);
  add("shootdown", shootdown,
      "Each access of a shootdown: noting that a translation is to change, and waiting (assumed).");
  add("translation", translation, "Each write that enters a translation (assumed).");
  add("post", post, "Queueing a call of the operating system (assumed).");
  add("fetch", fetch, "Reading a doubleword of a call (assumed).");
  add("fetch_line", fetch_line,
      "Reading a whole call for the processor's caches (assumed: as a line of memory).");
  add("served", served, "Taking a call that was served out of its queue (assumed).");
}

void kernel_calls_config::bind(parameter_set& parameters) {
  parameters.add_group("software_tlb", software_tlb, "Translations that handlers keep.");
  parameters.add_group("ospc", ospc, "Calls of the operating system.");
  parameters.add_choice(
      "half_built", half_built,
      {{"retry", half_built_commands::retry}, {"invalidate", half_built_commands::invalidate}},
      "What becomes of commands that are being built when a translation changes: all are repeated "
      "(retry), or addresses in the page that changes are got anew (invalidate; FLASH 4.2.2).");
  parameters.add_group("in_use", in_use, "Lists of the addresses that may have to be got anew.");
}

void kernel_calls_config::validate() const {
  software_tlb.validate();
  in_use.validate();
  check_ranges(*this);
}

kernel_calls::kernel_calls(const kernel_calls_config& config, const kernel_call_costs& costs,
                           const software_tlb_costs& tlb_costs,
                           const pages_in_use_costs& in_use_costs)
    : page_bytes_((config.validate(), config.software_tlb.page_bytes)),
      costs_(costs),
      tlb_(config.software_tlb, tlb_costs),
      calls_(config.ospc),
      half_built_(config.half_built),
      in_use_(config.in_use, in_use_costs) {}

std::vector<dispatch_rule> kernel_calls::rules() const {
  // The last is the read of the page that is not coherent.
  const auto from_kernel = [](common_type type, std::uint16_t run) {
    return dispatch_rule{static_cast<std::uint8_t>(type), message_origin::processor,
                         locality::local, handler_id{run}, command::space};
  };
  return {from_kernel(common_type::uncached_write, 0), from_kernel(common_type::uncached_read, 1),
          from_kernel(common_type::line_read, 2)};
}

std::vector<handler> kernel_calls::handlers() {
  using self = kernel_calls;
  static constexpr named_body<self> bodies[] = {
      {"write", &self::write}, {"read", &self::read}, {"fetch_line", &self::fetch_line}};
  return handlers_from(*this, bodies);
}

std::uint64_t kernel_calls::storage_bytes() const {
  // A line for the words, up to the longest.
  constexpr std::uint64_t words = 256;
  return words + tlb_.storage_bytes() + words + calls_.storage_bytes(line_size{256}) +
         in_use_.storage_bytes();
}

void kernel_calls::initialize(const protocol_storage& where, word_memory&) {
  line_ = where.line;
  hold_off_.place(where.address);
  virtual_page_ = where.address + hold_off::storage_bytes;
  page_is_known_ = virtual_page_ + word_bytes;
  const std::uint64_t translations = where.line.next_start(page_is_known_ + word_bytes);
  tlb_.place(translations);
  const std::uint64_t calls = where.line.next_start(translations + tlb_.storage_bytes());
  calls_.place(calls, where.line);
  in_use_.place(calls + calls_.storage_bytes(where.line));
}

void kernel_calls::write(handler_context& context) {
  const std::uint64_t offset = context.addresses().offset_of(context.arrived().address);
  const word_t value = context.word(context.arrived().data, 0);
  if (offset == command::shootdown) {
    shoot_down(context, value);
  } else if (offset == command::changed_page) {
    change_page(context, value);
  } else if (offset == command::translation) {
    context.spend(costs_.translation);
    context.store(virtual_page_, value);
  } else if (offset == command::translation + word_bytes) {
    context.spend(costs_.translation);
    enter(context, value);
  } else {
    for (const ospc_priority each : {ospc_priority::high, ospc_priority::low}) {
      if (offset != command::served(each)) continue;
      context.spend(costs_.served);
      calls_.acknowledge(context, each);
    }
  }
}

void kernel_calls::read(handler_context& context) {
  const std::uint64_t offset = context.addresses().offset_of(context.arrived().address);
  if (offset == command::shootdown) {
    context.spend(costs_.shootdown);
    hold_off_.answer_when_free(context);
    return;
  }
  context.spend(costs_.fetch);
  for (const ospc_priority from : {ospc_priority::high, ospc_priority::low}) {
    for (const std::uint64_t first : {command::call(from, 0), command::record(from, 0)}) {
      if (offset < first || offset >= first + line_.bytes()) continue;
      context.answer(calls_.word(context, from, line_.word(offset - first)));
      return;
    }
  }
  context.answer(0);
}

/// The first call as a line for the processor's caches, out of protocol memory (FLASH 4.1.3).
void kernel_calls::fetch_line(handler_context& context) {
  const message& asked = context.arrived();
  context.spend(costs_.fetch_line);
  const auto data = context.allocate();
  message reply =
      message_to(context.here(), data ? common_type::line_shared : common_type::line_refused,
                 message_lane::reply, asked.address, 0);
  reply.tag = asked.tag;
  if (data) {
    const bool is_low =
        context.addresses().offset_of(asked.address) >= command::record(ospc_priority::low, 0);
    context.fill(*data,
                 calls_.first_line(context, is_low ? ospc_priority::low : ospc_priority::high));
    reply.data = *data;
    reply.length = line_.bytes();
  }
  context.send(reply);
}

void kernel_calls::shoot_down(handler_context& context, word_t page) const {
  context.spend(costs_.shootdown);
  tlb_.remove(context, page & ~process_mask, static_cast<std::uint8_t>(page & process_mask));
  // Without the physical page any address may be obsolete.
  hold_off_.change(context, context.load(page_is_known_) == 0);
  context.store(page_is_known_, 0);
}

void kernel_calls::change_page(handler_context& context, word_t physical_page) const {
  context.spend(costs_.shootdown);
  if (half_built_ == half_built_commands::retry) return;
  in_use_.invalidate(context, physical_page);
  context.store(page_is_known_, 1);
}

void kernel_calls::enter(handler_context& context, word_t page) const {
  const word_t of = context.load(virtual_page_);
  tlb_.enter(context, of & ~process_mask, static_cast<std::uint8_t>(of & process_mask),
             {page & ~page_access_mask, static_cast<page_access>(page & page_access_mask)});
}

translation_lookup kernel_calls::translate(handler_context& context, std::uint64_t virtual_address,
                                           std::uint8_t process, bool write) const {
  const translation_lookup found = tlb_.find(context, virtual_address, process, write);
  if (found.result != translated::missing) return found;
  context.spend(costs_.post);
  const std::uint64_t page = virtual_address - virtual_address % page_bytes_;
  // A full queue forgets it: who asks again tells it again.
  calls_.post(context, ospc_priority::low,
              {command::missing_translation, {page, process, write ? word_t{1} : word_t{0}}});
  return found;
}

}  // namespace tributary
