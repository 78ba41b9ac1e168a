// SPDX-License-Identifier: Apache-2.0
// The handlers of data-parallel primitives.
#pragma once

#include <cstdint>

#include <tributary/controller/message.h>
#include <tributary/memory/line.h>
#include <tributary/memory/operation.h>
#include <tributary/protocols/primitives/primitive_commands.h>
#include <tributary/protocols/primitives/primitive_costs.h>
#include <tributary/protocols/primitives/primitive_memory.h>
#include <tributary/protocols/reductions/reduction_operation.h>
#include <tributary/sim/bit_field.h>

namespace tributary::primitives {

/// What nodes tell each other. Replies are `got` and `done`; all others travel on the request lane,
/// because their handlers may have to send more.
enum class message_type : std::uint8_t {
  get = 144,        ///< asks for an item; the payload is the asker's `primitive_transfer`
  got,              ///< brings it
  put,              ///< brings an item to an address
  combine,          ///< brings a value to be combined with the word there; `aux` is the operation
  done,             ///< the answer to both
  handed,           ///< a piece of a broadcast, to the root
  piece,            ///< a piece of a broadcast, down the tree
  barrier_join,     ///< up the tree; `aux` is the place at the parent
  barrier_release,  ///< down
  reduce_join,      ///< with a value
  reduce_release    ///< with the result
};

/// What handlers know in addition to their message and the node's memory.
struct handler_settings {
  primitive_costs costs;
  primitive_memory state;
  line_size line;
  std::uint32_t nodes = 1;
  std::uint32_t arity = 2;  ///< of the tree
  handler_id send_later = no_handler;
};

/// The handlers of one node (Klaiber 4.2.2). A transfer is a store of the processor, and counts as
/// open until its answer. A barrier or reduction is a load that waits: a node joins once its
/// processor waits, nothing of it is open and its children have joined, the root releases. So no
/// processor is interrupted, and none polls.
///
/// Messages of the tree that have no room wait in memory for a deferred handler, first come, first
/// served. A piece of a broadcast that waits is read from its item again, so the item's arrival
/// counts only behind its last piece. If there is no place for one more message, the handler is
/// queued twice, which the controller refuses by name.
template <class Node>
class handlers {
 public:
  handlers(Node& node, const handler_settings& with) : node_(node), with_(with) {}

  // --- from the processor ------------------------------------------------------------------------

  /// A store to another node's address.
  void transfer() {
    node_.spend(with_.costs.command + with_.costs.request);
    const message asked = node_.arrived();
    const auto what = primitive_transfer::of(node_.word(asked.data, 0));
    add(with_.state.open(), 1);
    message sent = to(node_.addresses().node_of(asked.address), message_type::get);
    sent.address = asked.address;
    sent.data = asked.data;
    sent.length = word_bytes;
    if (what.kind == primitive_kind::send) {
      take_item(asked.data, what.offset, what.bytes);
      sent.type = static_cast<std::uint8_t>(message_type::put);
      sent.length = what.bytes;
    } else if (what.kind == primitive_kind::combine) {
      node_.set_word(asked.data, 0, node_.load(with_.state.operand()));
      sent.type = static_cast<std::uint8_t>(message_type::combine);
      sent.length = what.bytes;
      sent.aux = static_cast<std::uint16_t>(what.combining);
    }
    node_.send(sent);
  }

  /// A store to the own node.
  void command() {
    node_.spend(with_.costs.command);
    const message asked = node_.arrived();
    const word_t written = node_.word(asked.data, 0);
    const auto what = primitive_transfer::of(written);
    if (offset() == primitive_command::combine) {
      combine_word(asked.data, what.offset, what.bytes, what.combining,
                   node_.load(with_.state.operand()));
      return;
    }
    if (offset() != primitive_command::broadcast) {
      node_.store(with_.state.operand(), written);
      return;
    }
    take_item(asked.data, what.offset, what.bytes);
    if (is_root()) {
      pass_on(what.offset, what.bytes, asked.data);
      return;
    }
    node_.spend(with_.costs.forward);
    send_item(node_id{0}, message_type::handed, what.offset, what.bytes, asked.data);
  }

  /// A load of the own node.
  void wait() {
    const std::uint64_t what = offset();
    if (primitive_command::is_arrived(what)) {
      node_.spend(with_.costs.command);
      add(with_.state.awaited(), primitive_command::pieces_of(what));
      node_.store(with_.state.awaiting(), node_.keep_read() + 1U);
      look_at_pieces();
      return;
    }
    node_.spend(with_.costs.meet);
    node_.store(with_.state.waiting(), node_.keep_read() + 1U);
    node_.store(with_.state.meeting(), what);
    node_.store(with_.state.value(0), node_.load(with_.state.operand()));
    if (node_.load(with_.state.open()) == 0) join(0);
  }

  // --- transfers of other nodes ------------------------------------------------------------------

  void get() {
    node_.spend(with_.costs.serve);
    const message asked = node_.arrived();
    const auto what = primitive_transfer::of(node_.word(asked.data, 0));
    take_item(asked.data, offset(), what.bytes);
    message reply = to(asked.source, message_type::got, message_lane::reply);
    reply.address = node_.addresses().address_of(asked.source, 0, what.offset);
    reply.data = asked.data;
    reply.length = what.bytes;
    node_.send(reply);
  }

  void put() {
    node_.spend(with_.costs.serve);
    store_item(node_.arrived().data, offset(), node_.arrived().length);
    node_.send(to(node_.arrived().source, message_type::done, message_lane::reply));
  }

  void combine() {
    node_.spend(with_.costs.serve);
    const message asked = node_.arrived();
    combine_word(asked.data, offset(), asked.length, static_cast<reduction_operation>(asked.aux),
                 node_.word(asked.data, 0));
    node_.send(to(asked.source, message_type::done, message_lane::reply));
  }

  // --- answers -----------------------------------------------------------------------------------

  void got() {
    node_.spend(with_.costs.reply);
    store_item(node_.arrived().data, offset(), node_.arrived().length);
    close_transfer();
  }
  void done() {
    node_.spend(with_.costs.reply);
    close_transfer();
  }

  // --- along the tree ----------------------------------------------------------------------------

  void piece() {
    node_.spend(with_.costs.serve);
    const message asked = node_.arrived();
    const word_t first = node_.word(asked.data, 0);
    store_item(asked.data, offset(), asked.length);
    // Half a word was stored by way of the buffer, and is put back.
    if (asked.length < word_bytes) node_.set_word(asked.data, 0, first);
    pass_on(offset(), asked.length, asked.data);
  }

  void joined() {
    node_.spend(with_.costs.joined);
    const message asked = node_.arrived();
    const std::uint64_t place = asked.aux;
    if (asked.length != 0) {
      node_.spend(with_.costs.pass_value);
      node_.store(with_.state.value(place), node_.word(asked.data, 0));
    }
    join(place);
  }

  void released() {
    node_.spend(with_.costs.released);
    const message& asked = node_.arrived();
    release(asked.length == 0 ? 0 : node_.word(asked.data, 0));
  }

  /// Of messages that found no room.
  void send_later() {
    std::uint64_t left = node_.load(with_.state.count());
    std::uint64_t first = node_.load(with_.state.first());
    while (left != 0 && node_.space(message_lane::request) != 0 && send_first(first)) {
      first = (first + 1) % with_.state.places;
      --left;
    }
    node_.store(with_.state.first(), first);
    node_.store(with_.state.count(), left);
    if (left == 0) {
      node_.done();
    } else {
      node_.again(node_.arrived());
    }
  }

 private:
  static constexpr word_t lower_half = 0xffffffff;

  // --- items -------------------------------------------------------------------------------------

  static constexpr word_t cut(word_t value, std::uint64_t bytes) {
    return bytes < word_bytes ? value & lower_half : value;
  }
  static constexpr std::uint64_t words_of(std::uint64_t bytes) {
    return (bytes + word_bytes - 1) / word_bytes;
  }

  /// An item of this node's memory, which lies within a line, to the beginning of a buffer.
  void take_item(payload_handle data, std::uint64_t at, std::uint64_t bytes) {
    const std::uint64_t first = with_.line.word(at);
    node_.fill(data, at);
    const std::uint64_t words = words_of(bytes);
    node_.spend(words * (first == 0 ? with_.costs.line_word : with_.costs.word));
    for (std::uint64_t i = 0; first != 0 && i < words; ++i) {
      node_.set_word(data, i, node_.word(data, first + i));
    }
  }

  /// The beginning of a buffer to this node's memory, at any word.
  void store_item(payload_handle data, std::uint64_t at, std::uint64_t bytes) {
    if (bytes < word_bytes) {
      const word_t value = node_.word(data, 0);
      change_word(data, at, bytes, [value](word_t) { return value; });
      return;
    }
    const std::uint64_t words = words_of(bytes);
    if (bytes == with_.line.bytes() && with_.line.offset(at) == 0) {
      node_.spend(words * with_.costs.line_word);
      node_.spill(data, at);
      return;
    }
    node_.spend(words * with_.costs.word);
    for (std::uint64_t i = 0; i < words; ++i) node_.spill_word(data, i, at + i * word_bytes);
  }

  /// By way of a buffer, whose content it loses.
  template <class Change>
  void change_word(payload_handle data, std::uint64_t at, std::uint64_t bytes, Change&& change) {
    node_.spend(2 * with_.costs.word);
    const std::uint64_t place = with_.line.word(at);
    node_.fill(data, at);
    const word_t before = node_.word(data, place);
    const word_t after = change(before);
    node_.set_word(data, place,
                   bytes < word_bytes ? (before & ~lower_half) | (after & lower_half) : after);
    node_.spill_word(data, place, at);
  }

  void combine_word(payload_handle data, std::uint64_t at, std::uint64_t bytes,
                    reduction_operation operation, word_t value) {
    node_.spend(cost_of(operation));
    change_word(data, at, bytes, [&](word_t found) {
      return tributary::combine(operation, cut(found, bytes), cut(value, bytes));
    });
  }

  void close_transfer() {
    const word_t left = node_.load(with_.state.open()) - 1;
    node_.store(with_.state.open(), left);
    if (left == 0 && node_.load(with_.state.waiting()) != 0) join(0);
  }

  // --- broadcasts --------------------------------------------------------------------------------

  /// To all children; the handler's buffer is theirs then. Then the own processor may change it.
  void pass_on(std::uint64_t at, std::uint64_t bytes, payload_handle data) {
    bool has_left = true;
    for (std::uint32_t i = 0; i < children(); ++i) {
      node_.spend(with_.costs.forward);
      if (may_send()) {
        node_.retain(data);
        send_item(child(i), message_type::piece, at, bytes, data);
      } else {
        put_off({child(i), message_type::piece, bytes, at});
        has_left = false;
      }
    }
    node_.release(data);
    if (has_left) count_piece();
  }
  void send_item(node_id node, message_type type, std::uint64_t at, std::uint64_t bytes,
                 payload_handle data) {
    message sent = to(node, type);
    sent.address = node_.addresses().address_of(node, 0, at);
    sent.length = static_cast<std::uint32_t>(bytes);
    sent.data = data;
    node_.send(sent);
  }

  void count_piece() {
    add(with_.state.arrived(), 1);
    look_at_pieces();
  }
  void look_at_pieces() {
    const word_t tag = node_.load(with_.state.awaiting());
    if (tag == 0 || node_.load(with_.state.arrived()) < node_.load(with_.state.awaited())) return;
    node_.store(with_.state.awaiting(), 0);
    node_.answer(static_cast<std::uint8_t>(tag - 1), 0);
  }

  // --- barriers and reductions -------------------------------------------------------------------

  /// A value is there, the own one or a child's. The own one says what is to be done with them.
  void join(std::uint64_t place) {
    const word_t all = (word_t{2} << children()) - 1;
    word_t there = node_.load(with_.state.joined()) | word_t{1} << place;
    if (there == all) there = 0;
    node_.store(with_.state.joined(), there);
    if (there != 0) return;
    const std::uint64_t meeting = node_.load(with_.state.meeting());
    const bool reduces = primitive_command::is_reduction(meeting);
    const word_t value = reduces ? combined(meeting) : 0;
    if (is_root()) {
      release(value);
      return;
    }
    const message_type type = reduces ? message_type::reduce_join : message_type::barrier_join;
    tell({parent(), type, reduces ? primitive_command::bytes_of(meeting) : 0, value});
  }

  /// In the order of the tree: the own value, then child by child.
  word_t combined(std::uint64_t meeting) {
    const reduction_operation operation = primitive_command::operation_of(meeting);
    const std::uint32_t bytes = primitive_command::bytes_of(meeting);
    word_t value = cut(node_.load(with_.state.value(0)), bytes);
    for (std::uint32_t i = 0; i < children(); ++i) {
      node_.spend(cost_of(operation));
      const word_t next = cut(node_.load(with_.state.value(1 + i)), bytes);
      value = cut(tributary::combine(operation, value, next), bytes);
    }
    return value;
  }

  /// The own processor first.
  void release(word_t result) {
    const word_t tag = node_.load(with_.state.waiting());
    const std::uint64_t meeting = node_.load(with_.state.meeting());
    node_.store(with_.state.waiting(), 0);
    node_.answer(static_cast<std::uint8_t>(tag - 1), result);
    const bool reduces = primitive_command::is_reduction(meeting);
    const message_type type =
        reduces ? message_type::reduce_release : message_type::barrier_release;
    const std::uint64_t bytes = reduces ? primitive_command::bytes_of(meeting) : 0;
    for (std::uint32_t i = 0; i < children(); ++i) tell({child(i), type, bytes, result});
  }

  std::uint64_t cost_of(reduction_operation operation) const {
    if (!is_of_doubles(operation)) return with_.costs.combine_integers;
    return operation == reduction_operation::double_sum ? with_.costs.add_doubles
                                                        : with_.costs.compare_doubles;
  }

  // --- messages ----------------------------------------------------------------------------------

  /// One of the tree: with a value, or, a piece, with the place of its item.
  struct tree_message {
    node_id node{};
    message_type type{};
    std::uint64_t bytes = 0;
    word_t value = 0;

    constexpr word_t word() const {
      word_t all = node_bits.put(0, index(node));
      all = type_bits.put(all, static_cast<word_t>(type));
      return bytes_bits.put(all, bytes);
    }
    static constexpr tree_message of(word_t word, word_t value) {
      return {node_id{static_cast<std::uint32_t>(node_bits.in(word))},
              static_cast<message_type>(type_bits.in(word)), bytes_bits.in(word), value};
    }

   private:
    static constexpr bit_field node_bits{0, 12};
    static constexpr bit_field type_bits{12, 8};
    static constexpr bit_field bytes_bits{20, 12};
  };

  bool may_send() {
    return node_.load(with_.state.count()) == 0 && node_.space(message_lane::request) != 0;
  }

  void tell(const tree_message& what) {
    node_.spend(with_.costs.forward);
    if (!may_send() || !send_value(what)) put_off(what);
  }

  void put_off(const tree_message& what) {
    const std::uint64_t count = node_.load(with_.state.count());
    const auto queue_handler = [&] {
      node_.later(with_.state.record(), with_.send_later, to(node_.here(), what.type));
    };
    if (count == with_.state.places) queue_handler();  // which is in the queue: that ends all
    const std::uint64_t last = (node_.load(with_.state.first()) + count) % with_.state.places;
    node_.store(with_.state.place(last), what.word());
    node_.store(with_.state.place(last) + word_bytes, what.value);
    node_.store(with_.state.count(), count + 1);
    if (count == 0) queue_handler();
  }

  /// The piece for the last child is the last of its item.
  bool send_first(std::uint64_t first) {
    const tree_message what = tree_message::of(node_.load(with_.state.place(first)),
                                               node_.load(with_.state.place(first) + word_bytes));
    if (what.type != message_type::piece) return send_value(what);
    const auto data = node_.allocate();
    if (!data) return false;
    take_item(*data, what.value, what.bytes);
    send_item(what.node, what.type, what.value, what.bytes, *data);
    if (what.node == child(children() - 1)) count_piece();
    return true;
  }

  /// False if it needs a buffer and none is free.
  bool send_value(const tree_message& what) {
    message sent = to(what.node, what.type);
    const bool joins =
        what.type == message_type::barrier_join || what.type == message_type::reduce_join;
    if (joins) sent.aux = static_cast<std::uint16_t>(place());
    if (what.bytes != 0) {
      const auto data = node_.allocate();
      if (!data) return false;
      node_.spend(with_.costs.pass_value);
      node_.set_word(*data, 0, what.value);
      sent.data = *data;
      sent.length = static_cast<std::uint32_t>(what.bytes);
    }
    node_.send(sent);
    return true;
  }

  message to(node_id node, message_type type, message_lane over = message_lane::request) const {
    const std::uint64_t address =
        primitive_command::address(node_.addresses(), node, primitive_command::operand);
    return message_to(node, type, over, address, 0);
  }

  // --- places ------------------------------------------------------------------------------------

  std::uint64_t offset() const { return node_.addresses().offset_of(node_.arrived().address); }
  void add(std::uint64_t at, word_t more) { node_.store(at, node_.load(at) + more); }

  // As `tree_of_nodes`.
  bool is_root() const { return index(node_.here()) == 0; }
  node_id parent() const { return node_id{(index(node_.here()) - 1) / with_.arity}; }
  std::uint32_t place() const { return 1 + (index(node_.here()) - 1) % with_.arity; }
  node_id child(std::uint32_t i) const {
    return node_id{index(node_.here()) * with_.arity + 1 + i};
  }
  std::uint32_t children() const {
    const std::uint32_t first = index(child(0));
    if (first >= with_.nodes) return 0;
    return with_.arity < with_.nodes - first ? with_.arity : with_.nodes - first;
  }

  Node& node_;
  const handler_settings& with_;
};

}  // namespace tributary::primitives
