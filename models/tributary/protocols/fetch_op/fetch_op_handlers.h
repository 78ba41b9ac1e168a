// SPDX-License-Identifier: Apache-2.0
// The handlers of fetch-and-phi at the home of a word, on memory alone.
#pragma once

#include <cstdint>

#include <tributary/controller/handler_request.h>
#include <tributary/controller/message.h>
#include <tributary/memory/line.h>
#include <tributary/memory/operation.h>
#include <tributary/protocols/fetch_op/fetch_op_costs.h>

namespace tributary::fetch_ops {

/// What these handlers know in addition to their message and the node's memory.
struct handler_settings {
  fetch_op_costs costs;
  line_size line;
};

// In `aux` between nodes, as `operation_request` has it.
inline constexpr unsigned tag_shift = operation_tag_shift;
inline constexpr std::uint16_t form_mask = operation_form_mask;

constexpr std::uint16_t aux_of(std::uint16_t form_number, std::uint8_t tag) {
  return static_cast<std::uint16_t>((form_number & form_mask) | tag << tag_shift);
}
constexpr std::uint8_t tag_in(std::uint16_t aux) {
  return static_cast<std::uint8_t>(aux >> tag_shift);
}
constexpr form form_in(std::uint16_t aux) { return static_cast<form>(aux & form_mask); }

/// The handlers of one node (FLASH 7.2.1): a handler is never preempted, so the home performs the
/// operations on its words one after the other. Neither throws nor allocates; `Node` is what a
/// handler may do.
///
/// The operands' data buffer goes to the home and comes back with the answer, so that no handler
/// needs another one, and nothing is ever refused.
template <class Node>
class handlers {
 public:
  handlers(Node& node, const handler_settings& with) : node_(node), with_(with) {}

  // --- from the processor ------------------------------------------------------------------------

  void perform() { node_.answer(change()); }
  void forward() {
    const message& arrived = node_.arrived();
    node_.spend(with_.costs.forward);
    message request = onward(common_type::operation_request, message_lane::request,
                             node_.addresses().node_of(arrived.address));
    request.aux = aux_of(arrived.aux, node_.keep_read());
    node_.send(request);
  }

  // --- at the home -------------------------------------------------------------------------------

  void perform_for_another() { answer_asker(change()); }

  // --- replies -----------------------------------------------------------------------------------

  void take_reply() {
    const message& arrived = node_.arrived();
    node_.spend(with_.costs.reply);
    node_.answer(tag_in(arrived.aux), node_.word(arrived.data, 0));
  }

 protected:
  /// What arrived, with its payload, to another node.
  template <class Type>
  message onward(Type type, message_lane over, node_id destination) const {
    message result = node_.arrived();
    result.type = static_cast<std::uint8_t>(type);
    result.over = over;
    result.destination = destination;
    return result;
  }
  /// By the buffer that the operation came with.
  void answer_asker(word_t before) {
    const message& arrived = node_.arrived();
    node_.set_word(arrived.data, 0, before);
    message reply = onward(common_type::operation_answer, message_lane::reply, arrived.source);
    reply.length = word_bytes;
    node_.send(reply);
  }

  /// The function that arrived.
  word_function asked() {
    const message& arrived = node_.arrived();
    const word_t a = node_.word(arrived.data, 0);
    const word_t b = arrived.length > word_bytes ? node_.word(arrived.data, 1) : 0;
    return {form_in(arrived.aux), a, b};
  }
  /// Changes the word at an address of a line that is, or will be, in a buffer; the word before.
  word_t change_in(payload_handle data, std::uint64_t address, const word_function& function) {
    const std::size_t place = with_.line.word(address);
    const word_t before = node_.word(data, place);
    node_.set_word(data, place, apply(function, before));
    return before;
  }

  Node& node_;
  const handler_settings& with_;

 private:
  word_t change() {
    const message& arrived = node_.arrived();
    const word_function function = asked();
    // The operands have been read: their buffer takes the line.
    node_.fill(arrived.data, with_.line.start(arrived.address));
    const word_t before = change_in(arrived.data, arrived.address, function);
    node_.spill_word(arrived.data, with_.line.word(arrived.address), arrived.address);
    node_.spend(with_.costs.perform);
    return before;
  }
};

}  // namespace tributary::fetch_ops
