// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/requests/request_costs.h>

#include <tributary/controller/cost_table.h>

namespace tributary {

void request_costs::bind(parameter_set& parameters) {
  cost_binder add(parameters);
  add("request", request, "Sending the request, at the node that asks (section 8).");
  add("serve", serve, "Serving it, at the node that is asked (section 8).");
  add("reply", reply, "Taking the reply, at the node that asks (section 8).");
}

}  // namespace tributary
