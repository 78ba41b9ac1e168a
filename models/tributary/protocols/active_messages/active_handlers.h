// SPDX-License-Identifier: Apache-2.0
// The handlers of active messages.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tributary/controller/handler_request.h>
#include <tributary/controller/message.h>
#include <tributary/memory/line.h>
#include <tributary/protocols/active_messages/active_commands.h>
#include <tributary/protocols/active_messages/active_costs.h>
#include <tributary/protocols/active_messages/active_functions.h>
#include <tributary/protocols/ospc_queues.h>

namespace tributary::active_messages {

/// What nodes tell each other; `aux` is the sender's slot. A call has its header and its arguments
/// as payload, and both answers are replies.
enum class message_type : std::uint8_t { call = 128, accepted, refused };

/// What handlers know in addition to their message and the node's memory.
template <class Node>
struct handler_settings {
  active_message_costs costs;
  line_size line;
  std::uint32_t window = 0;      ///< messages that may be under way
  std::uint64_t words = 0;       ///< of this node, that functions change
  std::uint64_t retry = 0;       ///< cycles from a refusal to the next attempt
  std::uint64_t control = 0;     ///< a word: `slots`
  std::uint64_t first_slot = 0;  ///< a line a slot, one more than `window`
  std::uint64_t first_word = 0;
  const ospc_queues* calls = nullptr;  ///< of this node's processor
  word_t call_type = 0;                ///< of a record that is an active message
  const active_function<Node>* functions = nullptr;
  std::size_t function_count = 0;
  handler_id send_again = no_handler;
};

/// The slots of a sender in one word: in one the processor builds a message, others have those that
/// are under way.
struct slots {
  static constexpr std::uint32_t most_under_way = 16;

  std::uint32_t building = 0;
  std::uint32_t under_way = 0;  ///< a bit a slot

  static constexpr slots of(word_t word) {
    return {static_cast<std::uint32_t>(building_bits.in(word)),
            static_cast<std::uint32_t>(under_way_bits.in(word))};
  }
  constexpr word_t word() const {
    return under_way_bits.put(building_bits.put(0, building), under_way);
  }
  constexpr std::uint32_t count() const {
    std::uint32_t set = 0;
    for (std::uint32_t rest = under_way; rest != 0; rest &= rest - 1) ++set;
    return set;
  }
  /// The first free slot but the one that is built in; `window` + 1 if there is none.
  constexpr std::uint32_t free(std::uint32_t window) const {
    std::uint32_t next = 0;
    while (next <= window && (next == building || (under_way >> next & 1) != 0)) ++next;
    return next;
  }

 private:
  static constexpr bit_field building_bits{0, 8};
  static constexpr bit_field under_way_bits{8, most_under_way + 1};
};

/// The handlers of one node (FLASH 7.1). A message stays in its sender's slot until its destination
/// has accepted it. What is for a processor becomes a record that interrupts it; what is for a
/// controller runs there at once. Without room for the record the message is refused, and its
/// sender tries again, so that a slow processor holds up its senders only.
template <class Node>
class handlers {
 public:
  handlers(Node& node, const handler_settings<Node>& with) : node_(node), with_(with) {}

  // --- from the processor ------------------------------------------------------------------------

  void processor_write() {
    node_.spend(with_.costs.command);
    const word_t value = node_.word(node_.arrived().data, 0);
    const std::uint64_t building = slot(load_slots().building);
    if (offset() == active_message_command::header) {
      node_.store(building, value);
    } else if (offset() < active_message_command::argument(most_arguments())) {
      node_.store(building + word_bytes + offset(), value);
    } else if (is_word()) {
      node_.store(word_place(), value);
    }
  }

  void processor_read() {
    if (offset() == active_message_command::send) {
      node_.answer(send_built() ? 1 : 0);
      return;
    }
    node_.spend(with_.costs.command);
    if (offset() == active_message_command::under_way) {
      node_.answer(load_slots().count());
    } else {
      node_.answer(is_word() ? node_.load(word_place()) : 0);
    }
  }

  // --- from other nodes --------------------------------------------------------------------------

  void called() {
    const message& arrived = node_.arrived();
    const auto word = [this](std::size_t i) { return node_.word(node_.arrived().data, i); };
    node_.spend(with_.costs.receive);
    const bool taken = accept(arrived.source, word);
    node_.send(message_to(arrived.source, taken ? message_type::accepted : message_type::refused,
                          message_lane::reply, arrived.address, arrived.aux));
  }

  void accepted() {
    node_.spend(with_.costs.acknowledged);
    slots all = load_slots();
    all.under_way &= ~(1U << node_.arrived().aux);
    save(all);
  }
  /// A reply's handler cannot send.
  void refused() {
    node_.spend(with_.costs.acknowledged);
    send_later(node_.arrived().aux);
  }

  // --- at a later time ---------------------------------------------------------------------------

  void send_again() {
    const std::uint32_t number = node_.arrived().aux;
    if (node_.space(message_lane::request) == 0 || !send(number)) send_later(number);
  }

 private:
  /// False if every slot is in use, or no data buffer is free, or the own processor is slow.
  bool send_built() {
    node_.spend(with_.costs.send);
    slots all = load_slots();
    const std::uint64_t built = slot(all.building);
    if (destination_of(built) == node_.here()) {
      return accept(node_.here(),
                    [&](std::size_t i) { return node_.load(built + i * word_bytes); });
    }
    const std::uint32_t next = all.free(with_.window);
    if (next > with_.window || !send(all.building)) return false;
    all.under_way |= 1U << all.building;
    all.building = next;
    save(all);
    return true;
  }

  /// False if no data buffer is free.
  bool send(std::uint32_t number) {
    const auto data = node_.allocate();
    if (!data) return false;
    const std::uint64_t from = slot(number);
    const active_header header = active_header::of(node_.load(from));
    node_.fill(*data, from);
    message call = to(header.node, number);
    call.data = *data;
    call.length = static_cast<std::uint32_t>((1 + arguments_of(header)) * word_bytes);
    node_.send(call);
    return true;
  }
  void send_later(std::uint32_t number) {
    node_.after(with_.retry, with_.send_again, to(node_.here(), number));
  }

  /// Takes a message whose doublewords `word` gives; false if there is no room.
  template <class Word>
  bool accept(node_id source, Word&& word) {
    active_header header = active_header::of(word(0));
    // A sender cannot claim to be another (FLASH 7.1.1).
    header.node = source;
    header.arguments = arguments_of(header);
    node_.spend(with_.costs.argument * header.arguments);
    if (header.at_controller) {
      run(header, word);
      return true;
    }
    node_.spend(with_.costs.post);
    return with_.calls->append(node_, ospc_priority::high, with_.call_type, 1 + header.arguments,
                               [&](std::size_t i) { return i == 0 ? header.word() : word(i); });
  }

  template <class Word>
  void run(const active_header& header, Word&& word) {
    if (header.handler >= with_.function_count) return;
    active_call<Node> call(node_, header, with_.first_word, with_.words);
    for (std::uint32_t i = 0; i < header.arguments; ++i) call.set_argument(i, word(1 + i));
    with_.functions[header.handler].run(call);
  }

  // --- places ------------------------------------------------------------------------------------

  std::uint64_t offset() const { return node_.addresses().offset_of(node_.arrived().address); }
  bool is_word() const {
    return offset() >= active_message_command::first_word &&
           offset() < active_message_command::word(with_.words);
  }
  std::uint64_t word_place() const {
    return with_.first_word + offset() - active_message_command::first_word;
  }
  std::uint32_t most_arguments() const {
    return active_message_command::most_arguments(with_.line);
  }
  std::uint32_t arguments_of(const active_header& header) const {
    return header.arguments < most_arguments() ? header.arguments : most_arguments();
  }
  node_id destination_of(std::uint64_t at) { return active_header::of(node_.load(at)).node; }
  std::uint64_t slot(std::uint32_t number) const {
    return with_.first_slot + number * with_.line.bytes();
  }
  slots load_slots() { return slots::of(node_.load(with_.control)); }
  void save(const slots& all) { node_.store(with_.control, all.word()); }

  message to(node_id node, std::uint32_t number) const {
    const std::uint64_t address =
        active_message_command::address(node_.addresses(), node, active_message_command::header);
    return message_to(node, message_type::call, message_lane::request, address, number);
  }

  Node& node_;
  const handler_settings<Node>& with_;
};

}  // namespace tributary::active_messages
