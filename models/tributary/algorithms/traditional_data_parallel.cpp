// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/traditional_data_parallel.h>

#include <algorithm>

namespace tributary {

namespace {

// Tags of messages that are no reads or writes. Those of combining sends are their operations.
constexpr std::uint8_t contribution = 0;
constexpr std::uint8_t reduced = 2;
constexpr std::uint8_t met = 0;
constexpr std::uint8_t released = 2;

}  // namespace

// --- gets and sends ------------------------------------------------------------------------------

/// Each of its packets is answered.
void traditional_data_parallel::follow_write(interface_header& header) {
  open_ += (header.size + packet() - 1) / packet();
}

void traditional_data_parallel::finish_open() {
  wait_until([this] { return open_ == 0; });
}

void traditional_data_parallel::take(const interface_header& header) {
  switch (header.type) {
    case communication_message::read:
      answer_read(header);
      break;
    case communication_message::write:
      take_write(header);
      break;
    case communication_message::acknowledgement:
      --open_;
      break;
    default:
      take_tagged(header);
  }
}

void traditional_data_parallel::answer_read(const interface_header& header) {
  outgoing_message answer;
  answer.header.type = communication_message::write;
  answer.header.channel = interface_channel::reply;
  answer.header.destination = header.source;
  answer.header.purpose = header.purpose;
  answer.header.strided = header.strided;
  answer.header.count = header.count;
  answer.header.stride = header.answer_stride;
  answer.from_stride = header.stride;
  for (std::uint32_t moved = 0; moved < header.size; moved += packet()) {
    answer.header.size = std::min(packet(), header.size - moved);
    answer.header.address = header.answer_to + moved;
    answer.from = header.address + moved;
    send_later(answer);
  }
}

void traditional_data_parallel::take_write(const interface_header& header) {
  driver().take_body(header);
  if (header.channel == interface_channel::reply) {
    --open_;
  } else if (header.purpose == communication_purpose::broadcast) {
    pass_packet(header);
  } else {
    acknowledge(header);
  }
}

void traditional_data_parallel::take_tagged(const interface_header& header) {
  switch (header.purpose) {
    case communication_purpose::combining_send:
      combine(header);
      break;
    case communication_purpose::reduce: {
      const word_t value = driver().take_word();
      const std::uint32_t parity = header.tag % 2;
      if (header.tag < reduced) {
        contribute(parity, static_cast<std::uint32_t>(header.address), value, header.size);
      } else {
        take_result(parity, value, header.size);
      }
      break;
    }
    default:  // a barrier
      ++(header.tag < released ? came_up_ : came_down_)[header.tag % 2];
  }
}

// --- broadcasts ----------------------------------------------------------------------------------

/// Packet by packet to the root, and from there down the tree; to its own node, too, if that is not
/// the root. The last packet of an item interrupts, so that it is passed on at once.
void traditional_data_parallel::broadcast(node_id owner, std::uint64_t offset,
                                          std::uint32_t bytes) {
  check_item(offset, bytes);
  const purpose_scope purpose(context(), communication_purpose::broadcast);
  const auto number = static_cast<std::uint8_t>(broadcasts_++);
  if (owner == node()) {
    outgoing_message message;
    message.header.type = communication_message::write;
    message.header.everyone = broadcasts();
    message.header.purpose = communication_purpose::broadcast;
    message.header.tag = number;
    message.header.address = offset;
    message.header.size = bytes;
    message.from = offset;
    if (broadcasts()) {
      send_body(message);
      if (!place().own_copy) broadcast_bytes_[number] += bytes;
    } else {
      for (std::uint32_t moved = 0; moved < bytes; moved += packet()) {
        message.header.size = std::min(packet(), bytes - moved);
        message.header.address = message.from = offset + moved;
        message.header.look_at_once = moved + packet() >= bytes;
        if (is_root()) {
          pass_packet(message.header);
        } else {
          send_now(message);
        }
      }
    }
  }
  wait_until([&] { return broadcast_bytes_[number] >= bytes; });
  broadcast_bytes_[number] -= bytes;
}

void traditional_data_parallel::pass_packet(const interface_header& header) {
  broadcast_bytes_[header.tag] += header.size;
  if (broadcasts()) return;
  outgoing_message message;
  message.header = header;
  message.from = header.address;
  for (std::uint32_t i = 0; i < tree().children(here()); ++i) {
    message.header.destination = node_id{tree().first_child(here()) + i};
    send_later(message);
  }
}

// --- reductions ----------------------------------------------------------------------------------

word_t traditional_data_parallel::reduce(word_t value, combining_operation operation,
                                         std::uint32_t bytes) {
  check_value(bytes);
  finish_open();
  const purpose_scope purpose(context(), communication_purpose::reduce);
  const std::uint32_t parity = reductions_++ % 2;
  operation_[parity] = operation;
  contribute(parity, 0, value, bytes);
  wait_until([&] { return has_result_[parity]; });
  has_result_[parity] = false;
  return load(result(parity), bytes);
}

/// `from`: 0 for the node itself, else which child, from 1 on. Children are counted in memory.
void traditional_data_parallel::contribute(std::uint32_t parity, std::uint32_t from, word_t value,
                                           std::uint32_t bytes) {
  driver().store(slot(parity, from), value, bytes);
  word_t counted = 1;
  {
    const purpose_scope counting(context(), communication_purpose::bookkeeping);
    counted += driver().load(tally(parity));
    const bool all = counted == tree().children(here()) + 1;
    driver().store(tally(parity), all ? 0 : counted);
  }
  if (counted == tree().children(here()) + 1) combine_contributions(parity, bytes);
}

void traditional_data_parallel::combine_contributions(std::uint32_t parity, std::uint32_t bytes) {
  word_t whole = load(slot(parity, 0), bytes);
  for (std::uint32_t i = 1; i <= tree().children(here()); ++i) {
    whole = cut(combined(operation_[parity], whole, load(slot(parity, i), bytes)), bytes);
  }
  if (is_root()) {
    // By broadcast it comes to the root, too.
    if (broadcasts()) pass_result(parity, whole, bytes);
    if (!broadcasts() || !place().own_copy) take_result(parity, whole, bytes);
    return;
  }
  outgoing_message message;
  message.header.type = communication_message::tagged;
  message.header.destination = node_id{tree().parent(here())};
  message.header.purpose = communication_purpose::reduce;
  message.header.look_at_once = true;
  message.header.tag = static_cast<std::uint8_t>(contribution + parity);
  message.header.size = bytes;
  message.header.address = 1 + tree().place(here());
  message.has_value = true;
  message.value = whole;
  send_later(message);
}

void traditional_data_parallel::take_result(std::uint32_t parity, word_t value,
                                            std::uint32_t bytes) {
  driver().store(result(parity), value, bytes);
  has_result_[parity] = true;
  if (!broadcasts()) pass_result(parity, value, bytes);
}

void traditional_data_parallel::pass_result(std::uint32_t parity, word_t value,
                                            std::uint32_t bytes) {
  outgoing_message message;
  message.header.type = communication_message::tagged;
  message.header.purpose = communication_purpose::reduce;
  message.header.tag = static_cast<std::uint8_t>(reduced + parity);
  message.header.size = bytes;
  message.has_value = true;
  message.value = value;
  if (broadcasts()) {
    message.header.everyone = true;
    send_later(message);
    return;
  }
  message.header.look_at_once = true;
  for (std::uint32_t i = 0; i < tree().children(here()); ++i) {
    message.header.destination = node_id{tree().first_child(here()) + i};
    send_later(message);
  }
}

// --- barriers ------------------------------------------------------------------------------------

void traditional_data_parallel::signal(std::uint32_t destination, std::uint8_t tag) {
  outgoing_message message;
  message.header.type = communication_message::tagged;
  message.header.destination = node_id{destination};
  message.header.purpose = communication_purpose::barrier;
  message.header.tag = tag;
  send_later(message);
}

/// Up and down the tree, polled.
void traditional_data_parallel::barrier() {
  finish_open();
  const purpose_scope purpose(context(), communication_purpose::barrier);
  const std::uint32_t parity = barriers_++ % 2;
  const std::uint32_t children = tree().children(here());
  wait_until([&] { return came_up_[parity] == children; });
  came_up_[parity] = 0;
  if (!is_root()) {
    signal(tree().parent(here()), static_cast<std::uint8_t>(met + parity));
    wait_until([&] { return came_down_[parity] != 0; });
    came_down_[parity] = 0;
  }
  for (std::uint32_t i = 0; i < children; ++i) {
    signal(tree().first_child(here()) + i, static_cast<std::uint8_t>(released + parity));
  }
  flush();
}

}  // namespace tributary
