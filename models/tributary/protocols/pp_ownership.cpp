// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/pp_ownership.h>

#include <tributary/controller/cost_table.h>

namespace tributary {

void pp_ownership_costs::bind(parameter_set& parameters) {
  cost_binder add(parameters);
  add("acquire", acquire,
      "Getting a local line that memory has and no other node shares: 68 (FLASH 4.4.2).");
  add("release", release, "Giving it back: 48 (FLASH 4.4.2).");
  add("enter", enter,
      "Entering any line in the table. The next three cost with it 169, wherever the line is "
      "(FLASH "
      "4.4.2; the parts are not published).");
  add("ask", ask, "Asking the line's home, each time.");
  add("arrive", arrive, "The line's arrival.");
  add("take", take, "Taking it in the handler that was registered.");
  add("give_back", give_back, "Giving it back: 40 (FLASH 4.4.2).");
}

acquired_line pp_ownership::acquire(handler_context& context, std::uint64_t line) {
  if (!context.is_local(line)) return {};
  const line_holders holders = lines_.holders_of(context, line);
  if (holders.place != line_place::memory || holders.others != 0) return {};
  const auto data = context.allocate();
  if (data) {
    // Memory is current, so this node's processor, if it shares the line, only has to lose it.
    if (holders.local) lines_.take_sharing(context, line);
    context.fill(*data, line);
  }
  context.spend(costs_.acquire);
  return {true, data.value_or(no_payload)};
}

void pp_ownership::release(handler_context& context, std::uint64_t line, payload_handle data) {
  context.spill(data, line);
  context.release(data);
  context.spend(costs_.release);
}

bool pp_ownership::ask(handler_context& context, std::uint64_t line, handler_id run,
                       word_t argument) {
  if (!lines_.ask_to_own(context, line, run, argument)) return false;
  context.spend(costs_.enter);
  return true;
}

std::optional<payload_handle> pp_ownership::take(handler_context& context) {
  const auto data = context.allocate();
  if (data) lines_.take_owned(context, *data);
  context.spend(costs_.take);
  return data;
}

void pp_ownership::give_back(handler_context& context, payload_handle data) {
  context.spend(costs_.give_back);
  lines_.give_back(context, data);
}

}  // namespace tributary
