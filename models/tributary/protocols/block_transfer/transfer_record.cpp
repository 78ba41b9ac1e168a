// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/block_transfer/transfer_record.h>

namespace tributary {

record_layout transfer_record_layout() {
  namespace f = transfer_field;
  const auto named = [](const char* name, std::uint64_t i) {
    record_field field = f::address(i);
    field.name = name;
    return field;
  };
  return {"transfer",
          {f::phase,
           f::length,
           f::lines_done,
           f::lines,
           f::next_line,
           f::marks,
           f::source,
           f::source_next,
           f::source_split,
           f::destination,
           f::destination_next,
           f::destination_split,
           f::receiver,
           f::initiator,
           f::process,
           f::written,
           f::broken,
           named("source_start", 0),
           named("destination_start", 1),
           named("flag", 2)},
          deferred_record_bytes};
}

record_layout receive_record_layout() {
  return {"receiver",
          {receive_field::lines_left, receive_field::sender, receive_field::sender_node}};
}

}  // namespace tributary
