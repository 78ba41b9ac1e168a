// SPDX-License-Identifier: Apache-2.0
#include <tributary/trace/communication_events.h>

#include <tributary/trace/catalog.h>

namespace tributary {

std::vector<std::string> names_of_purposes() {
  return {"computing", "get",    "send",    "combining_send",
          "broadcast", "reduce", "barrier", "bookkeeping"};
}

std::vector<std::string> names_of_messages() {
  return {"read",       "write",       "acknowledgement", "tagged",  "fetch_line", "line",
          "invalidate", "invalidated", "update",          "forward", "replace"};
}

std::vector<std::string> names_of_request_parts() {
  return {"asks", "ahead", "further", "passed_on", "at_home", "replacing"};
}

std::vector<std::string> names_of_register_parts() {
  return {"send_header", "send_body", "receive_header", "receive_body",
          "dma_command", "status",    "counter",        "control"};
}

std::vector<std::string> names_of_causes() {
  return {"synchronization", "translation", "buffer_full"};
}

std::vector<std::string> names_of_counter_changes() { return {"set", "loaded", "counted", "zero"}; }

void set_communication_names(trace_catalog& catalog) {
  catalog.set_names(communication_events::purpose, names_of_purposes());
  catalog.set_names(communication_events::message, names_of_messages());
  catalog.set_names(communication_events::request, names_of_request_parts());
  catalog.set_names(communication_events::part, names_of_register_parts());
  catalog.set_names(communication_events::cause, names_of_causes());
  catalog.set_names(communication_events::change, names_of_counter_changes());
}

}  // namespace tributary
