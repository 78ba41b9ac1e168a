// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/pp_ownership.h>

#include <tributary/controller/cost_table.h>

namespace tributary {

void pp_ownership_costs::bind(parameter_set& parameters) {
  cost_binder add(parameters);
  add("acquire", acquire, "Getting a local line that nobody has: 68 (FLASH 4.4.2).");
  add("release", release, "Giving it back: 48 (FLASH 4.4.2).");
}

std::optional<payload_handle> pp_ownership::acquire(handler_context& context, std::uint64_t line) {
  std::optional<payload_handle> data;
  if (context.is_local(line) && lines_.is_uncached(context, line)) {
    data = context.allocate();
  }
  if (data) context.fill(*data, line);
  context.spend(costs_.acquire);
  return data;
}

void pp_ownership::release(handler_context& context, std::uint64_t line, payload_handle data) {
  context.spill(data, line);
  context.release(data);
  context.spend(costs_.release);
}

}  // namespace tributary
