// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/operation_message.h>

namespace tributary {

network_operation operation_of(const message& sent, const line_data& words) {
  network_operation known;
  const auto type = static_cast<common_type>(sent.type);
  if (type != common_type::operation_request && type != common_type::operation_answer) return known;
  known.is =
      type == common_type::operation_request ? operation_part::request : operation_part::answer;
  known.tag = static_cast<std::uint8_t>(sent.aux >> operation_tag_shift);
  known.address = sent.address;
  known.before = words[0];
  known.function = {static_cast<form>(sent.aux & operation_form_mask), words[0],
                    sent.length > word_bytes ? words[1] : 0};
  known.identity = sent.identity;
  return known;
}

network_message operation_message(const network_transfer& delivered) {
  const network_operation& known = delivered.operation;
  const bool is_request = known.is == operation_part::request;
  network_message made;
  made.header.address = known.address;
  made.header.source = delivered.source;
  made.header.destination = delivered.destination;
  made.header.type = static_cast<std::uint8_t>(is_request ? common_type::operation_request
                                                          : common_type::operation_answer);
  made.header.over = static_cast<message_lane>(delivered.lane);
  made.header.length = delivered.bytes;
  made.header.aux = static_cast<std::uint16_t>(static_cast<unsigned>(known.function.kind) |
                                               unsigned{known.tag} << operation_tag_shift);
  made.header.identity = known.identity;
  made.words[0] = is_request ? known.function.a : known.before;
  made.words[1] = known.function.b;
  return made;
}

}  // namespace tributary
