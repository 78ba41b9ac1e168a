// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/language_data_parallel.h>

#include <algorithm>

#include <fmt/format.h>

#include <tributary/sim/error.h>

namespace tributary {

namespace registers = interface_registers;

namespace {

// Remote counters. Two of each kind take turns, so that none counts for two operations at a time
// (barriers and reductions of nodes are one apart at most); those of broadcasts are more.
constexpr std::uint32_t fan_in = 0;   ///< of reductions: the children's contributions
constexpr std::uint32_t fan_out = 2;  ///< the result
constexpr std::uint32_t barrier_in = 4;
constexpr std::uint32_t barrier_out = 6;
constexpr std::uint32_t of_broadcasts = 8;
constexpr std::uint32_t broadcast_counters = 8;

/// Greatest value of a counter.
constexpr std::uint32_t most_counted = 0xffff;

// Local counters.
constexpr std::uint8_t gets_under_way = 0;
constexpr std::uint8_t sends_under_way = 1;

counter_command counting(std::uint32_t counter, std::uint32_t initial, bool interrupts) {
  return {true, interrupts, static_cast<std::uint8_t>(counter),
          static_cast<std::uint16_t>(initial)};
}

}  // namespace

// --- gets and sends ------------------------------------------------------------------------------

void language_data_parallel::follow_read(interface_header& header) {
  header.has_local = true;
  header.local = gets_under_way;
  gets_ = true;
}

void language_data_parallel::follow_write(interface_header& header) {
  header.has_local = true;
  header.local = sends_under_way;
  sends_ = true;
}

bool language_data_parallel::has_open_messages() {
  if (gets_ && driver().read(registers::local_counters) != 0) return true;
  return sends_ && driver().read(registers::local_counters + sends_under_way * word_bytes) != 0;
}

void language_data_parallel::finish_open() {
  wait_until([this] { return !has_open_messages(); });
  gets_ = false;
  sends_ = false;
}

/// Only combining sends come to the processor.
void language_data_parallel::take(const interface_header& header) { combine(header); }

bool language_data_parallel::is_zero(std::uint32_t remote_counter) {
  return driver().read(registers::remote_counters + remote_counter * word_bytes) == 0;
}

// --- hops of the tree ----------------------------------------------------------------------------

void language_data_parallel::write_to(std::uint32_t destination, const data_place& data,
                                      communication_purpose purpose, const counter_command& count) {
  outgoing_message message;
  message.header.type = communication_message::write;
  message.header.destination = node_id{destination};
  message.header.purpose = purpose;
  message.header.remote = count;
  message.header.address = data.offset;
  message.from = data.offset;
  for (std::uint32_t moved = 0; moved < data.bytes; moved += packet()) {
    message.header.size = std::min(packet(), data.bytes - moved);
    message.header.address = data.offset + moved;
    message.from = data.offset + moved;
    send_later(message);
  }
}

void language_data_parallel::write_to_children(const data_place& data,
                                               communication_purpose purpose,
                                               const counter_command& count) {
  for (std::uint32_t i = 0; i < tree().children(here()); ++i) {
    write_to(tree().first_child(here()) + i, data, purpose, count);
  }
}

void language_data_parallel::zeroed(std::uint32_t which) {
  for (std::uint32_t i = 0; i < 2; ++i) {
    if ((which >> (fan_in + i) & 1) != 0) combine_contributions(i);
    if ((which >> (fan_out + i) & 1) != 0) pass_result(i);
  }
  for (std::uint32_t i = 0; i < broadcast_counters; ++i) {
    if ((which >> (of_broadcasts + i) & 1) != 0) ++arrived_[i];
  }
}

// --- broadcasts ----------------------------------------------------------------------------------

/// To the root, and from there down the tree; to its own node, too, if that is not the root.
void language_data_parallel::broadcast(node_id owner, std::uint64_t offset, std::uint32_t bytes) {
  check_item(offset, bytes);
  if (packets(bytes) >= most_counted) {
    throw simulation_error(fmt::format(
        "node {}, cycle {}: a broadcast of {} bytes takes more packets of {} bytes than a counter "
        "of 16 bits counts; broadcast it in parts, or raise packet_bytes",
        here(), context().now(), bytes, packet()));
  }
  const purpose_scope purpose(context(), communication_purpose::broadcast);
  const std::uint32_t number = broadcasts_++ % broadcast_counters;
  const data_place data{offset, bytes};
  if (broadcasts()) {
    broadcast_by_network(owner, data, number);
  } else {
    const counter_command count = counting(of_broadcasts + number, packets(bytes), true);
    if (owner == node()) {
      if (is_root()) {
        ++arrived_[number];
      } else {
        write_to(0, data, communication_purpose::broadcast, count);
      }
    }
    wait_until([&] { return arrived_[number] != 0; });
    --arrived_[number];
    write_to_children(data, communication_purpose::broadcast, count);
    flush();
  }
  // Where packets overtake, or nobody waits for who has not come here yet, a counter must not count
  // for two broadcasts at a time.
  if (broadcasts_ % broadcast_counters == 0 && (broadcasts() || place().reorders)) barrier();
}

/// Each node counts itself once: a broadcast that came before leaves the counter at 1.
void language_data_parallel::broadcast_by_network(node_id owner, const data_place& data,
                                                  std::uint32_t number) {
  const bool is_owner = owner == node();
  const counter_command count = counting(of_broadcasts + number, packets(data.bytes) + 1, false);
  if (!is_owner || place().own_copy) driver().count(count);
  if (is_owner) {
    outgoing_message message;
    message.header.type = communication_message::write;
    message.header.everyone = true;
    message.header.purpose = communication_purpose::broadcast;
    message.header.remote = count;
    message.header.size = data.bytes;
    message.header.address = data.offset;
    message.from = data.offset;
    send_body(message);
    if (!place().own_copy) return;
  }
  wait_until([&] { return is_zero(of_broadcasts + number); });
}

// --- reductions ----------------------------------------------------------------------------------

word_t language_data_parallel::reduce(word_t value, combining_operation operation,
                                      std::uint32_t bytes) {
  check_value(bytes);
  finish_open();
  const purpose_scope purpose(context(), communication_purpose::reduce);
  const std::uint32_t parity = reductions_++ % 2;
  operation_[parity] = operation;
  reduced_bytes_[parity] = bytes;
  driver().store(slot(parity, 0), value, bytes);
  if (broadcasts()) driver().count(counting(fan_out + parity, 2, false));
  contribute(parity);
  if (broadcasts()) {
    wait_until([&] { return is_zero(fan_out + parity); });
  } else {
    wait_until([&] { return has_result_[parity]; });
  }
  has_result_[parity] = false;
  return load(result(parity), bytes);
}

/// A leaf's goes to its parent; that of another node counts at itself.
void language_data_parallel::contribute(std::uint32_t parity) {
  const std::uint32_t children = tree().children(here());
  if (children == 0) {
    combine_contributions(parity);
    return;
  }
  driver().count(counting(fan_in + parity, children + 1, true));
}

/// All of a node's subtree have contributed: the node combines them, and sends up what they make.
void language_data_parallel::combine_contributions(std::uint32_t parity) {
  const purpose_scope purpose(context(), communication_purpose::reduce);
  const std::uint32_t bytes = reduced_bytes_[parity];
  const std::uint32_t children = tree().children(here());
  word_t whole = load(slot(parity, 0), bytes);
  for (std::uint32_t i = 1; i <= children; ++i) {
    whole = cut(combined(operation_[parity], whole, load(slot(parity, i), bytes)), bytes);
  }
  outgoing_message message;
  message.header.type = communication_message::write;
  message.header.purpose = communication_purpose::reduce;
  message.header.size = bytes;
  message.has_value = true;
  message.value = whole;
  if (!is_root()) {
    const std::uint32_t parent = tree().parent(here());
    message.header.destination = node_id{parent};
    message.header.address = slot(parity, 1 + tree().place(here()));
    message.header.remote = counting(fan_in + parity, tree().children(parent) + 1, true);
    send_later(message);
    return;
  }
  driver().store(result(parity), whole, bytes);
  if (broadcasts()) {
    message.header.everyone = true;
    message.header.address = result(parity);
    message.header.remote = counting(fan_out + parity, 2, false);
    send_later(message);
    if (!place().own_copy) driver().count(counting(fan_out + parity, 2, false));
  } else {
    pass_result(parity);
  }
}

void language_data_parallel::pass_result(std::uint32_t parity) {
  const purpose_scope purpose(context(), communication_purpose::reduce);
  has_result_[parity] = true;
  write_to_children({result(parity), reduced_bytes_[parity]}, communication_purpose::reduce,
                    counting(fan_out + parity, 1, true));
}

// --- barriers ------------------------------------------------------------------------------------

void language_data_parallel::signal(std::uint32_t destination, const counter_command& count) {
  outgoing_message message;
  message.header.type = communication_message::write;
  message.header.destination = node_id{destination};
  message.header.purpose = communication_purpose::barrier;
  message.header.remote = count;
  send_later(message);
}

/// Up and down the tree, without interrupts. Each node counts itself first, so that its counter is
/// 0 only when all that it waits for have come.
void language_data_parallel::barrier() {
  finish_open();
  const purpose_scope purpose(context(), communication_purpose::barrier);
  const std::uint32_t parity = barriers_++ % 2;
  const std::uint32_t children = tree().children(here());
  const counter_command out = counting(barrier_out + parity, 2, false);
  if (!is_root()) driver().count(out);
  if (children != 0) {
    driver().count(counting(barrier_in + parity, children + 1, false));
    wait_until([&] { return is_zero(barrier_in + parity); });
  }
  if (!is_root()) {
    const std::uint32_t parent = tree().parent(here());
    signal(parent, counting(barrier_in + parity, tree().children(parent) + 1, false));
    wait_until([&] { return is_zero(barrier_out + parity); });
  }
  for (std::uint32_t i = 0; i < children; ++i) signal(tree().first_child(here()) + i, out);
  flush();
}

}  // namespace tributary
