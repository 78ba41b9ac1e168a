// SPDX-License-Identifier: Apache-2.0
// The handlers of reductions between nodes.
#pragma once

#include <cstdint>

#include <tributary/controller/handler_request.h>
#include <tributary/controller/message.h>
#include <tributary/memory/line.h>
#include <tributary/memory/line_port.h>
#include <tributary/protocols/barriers/barrier_costs.h>
#include <tributary/protocols/barriers/barrier_state.h>
#include <tributary/protocols/reductions/reduction_commands.h>
#include <tributary/protocols/reductions/reduction_costs.h>
#include <tributary/protocols/reductions/reduction_operation.h>
#include <tributary/protocols/reductions/reduction_state.h>

namespace tributary::reductions {

/// What nodes tell each other, with a doubleword of payload: a partial value, whose place at the
/// parent is in `aux`, and the result. Both travel on the request lane, because their handlers may
/// have to send more messages. The address names the reduction.
enum class message_type : std::uint8_t { join = 120, release };

/// What handlers know in addition to their message and the node's memory.
struct handler_settings {
  barrier_costs barrier;
  reduction_costs costs;
  line_size line;
  std::uint64_t count = 0;   ///< of reductions
  std::uint64_t status = 0;  ///< a line a reduction: the sense, then the result
  /// For each reduction a `barrier_state`, a `reduction_state`, and its values by their places.
  std::uint64_t states = 0;
  std::uint64_t records = 0;  ///< of deferred handlers: of a join and of a release, a reduction
  handler_id join_later = no_handler;
  handler_id release_later = no_handler;

  static constexpr std::uint64_t state_bytes = (2 + reduction_state::places) * word_bytes;
};

/// The handlers of one node (FLASH 7.2.2): those of a barrier, whose join brings what a subtree
/// has, and whose release brings what all have. A node combines its own value with those of its
/// children in the order of their places, as far as they are there. So the result is the same
/// whoever comes first, also where the operation is a sum of doubles.
template <class Node>
class handlers {
 public:
  handlers(Node& node, const handler_settings& with)
      : node_(node),
        with_(with),
        number_(reduction_command::number(node.addresses().offset_of(node.arrived().address),
                                          with.line)) {}

  // --- from the processor ------------------------------------------------------------------------

  /// Answers with the sense before the processor's value is counted, as at a barrier.
  void processor_join() {
    node_.spend(with_.barrier.processor_join);
    const bool is_join = is_here() && offset() == reduction_command::join(number_);
    const barrier_state state = is_join ? load() : barrier_state();
    node_.answer(state.initialized() ? state.sense() : reduction_command::unknown);
    if (state.initialized()) take_value(state, 0);
  }

  void processor_write() {
    if (!is_here()) return;
    if (offset() == reduction_command::operand(number_)) {
      node_.spend(with_.costs.operand);
      node_.store(value(0), written());
    } else if (offset() == reduction_command::operation(number_)) {
      node_.spend(with_.barrier.configure);
      save(load_reduction().with_operation_of(reduction_state(written())));
    } else if (offset() == reduction_command::trees(number_)) {
      node_.spend(with_.barrier.configure);
      save(load().with_trees_of(barrier_state(written())));
    }
  }

  void read_status() {
    const message& asked = node_.arrived();
    node_.spend(with_.barrier.read_status);
    const auto data = node_.allocate();
    message reply =
        message_to(node_.here(), data ? common_type::line_shared : common_type::line_refused,
                   message_lane::reply, asked.address, 0);
    reply.tag = asked.tag;
    if (data) {
      // Behind the last reduction there is nothing to wait for: the line of the first one.
      node_.fill(*data, is_here() ? status() : with_.status);
      reply.data = *data;
      reply.length = with_.line.bytes();
    }
    node_.send(reply);
  }

  // --- from other nodes --------------------------------------------------------------------------

  void child_joined() {
    node_.spend(with_.barrier.child_joined + with_.costs.pass_value);
    const std::uint32_t place = node_.arrived().aux;
    node_.store(value(place), node_.word(node_.arrived().data, 0));
    take_value(load(), place);
  }

  void released() {
    node_.spend(with_.costs.pass_value);
    release(load(), node_.word(node_.arrived().data, 0));
  }

  // --- put off for want of room or of a data buffer ----------------------------------------------

  void join_later() {
    if (send_join(load())) {
      node_.done();
    } else {
      node_.again(node_.arrived());
    }
  }
  void release_later() {
    if (tell_some_children(load())) {
      node_.done();
    } else {
      node_.again(node_.arrived());
    }
  }

 private:
  /// Values start anew when the join goes on, as the count of a barrier does.
  void take_value(const barrier_state& state, std::uint32_t place) {
    reduction_state values = load_reduction();
    values.set_arrived(place);
    const bool all = combine_values(state, values);
    if (all) values.forget_values();
    save(values);
    if (!all) return;
    if (state.is_root()) {
      release(state, node_.load(value(0)));
      node_.spend(with_.barrier.end_at_root);
    } else if (!send_join(state)) {
      node_.later(record(0), with_.join_later, to(node_.here(), message_type::join, 0));
    }
  }

  /// As far as they are there; whether all are. The processor's own is the first, and it joins
  /// behind what it says of the operation.
  bool combine_values(const barrier_state& state, reduction_state& values) {
    std::uint32_t next = values.combined();
    for (; next < reduction_state::places && values.has_arrived(next); ++next) {
      if (next == 0) continue;
      const word_t so_far = node_.load(value(0));
      node_.spend(cost_of(values.operation()));
      node_.store(value(0), combine(values.operation(), so_far, node_.load(value(next))));
    }
    values.set_combined(next);
    return next == state.joins();
  }

  std::uint64_t cost_of(reduction_operation operation) const {
    if (!is_of_doubles(operation)) return with_.costs.combine_integers;
    return operation == reduction_operation::double_sum ? with_.costs.add_doubles
                                                        : with_.costs.compare_doubles;
  }

  /// False if there is no room.
  bool send_join(const barrier_state& state) {
    if (node_.space(message_lane::request) == 0) return false;
    const payload_handle data = buffer_with(node_.load(value(0)));
    if (data == no_payload) return false;
    node_.spend(with_.barrier.send_join + with_.costs.pass_value);
    send(to(state.parent(), message_type::join, load_reduction().place()), data);
    return true;
  }

  /// The own processor first.
  void release(barrier_state state, word_t result) {
    node_.spend(with_.barrier.release);
    state.turn_sense();
    save(state);
    node_.store(result_place(), result);
    node_.store(status(), state.sense());
    node_.intervene(intervention::invalidate, line_of_processor(), no_payload, false);
    if (!tell_some_children(state)) {
      node_.later(record(1), with_.release_later, to(node_.here(), message_type::release, 0));
    }
  }

  /// The last first, for as many as there is room; whether all have been told. All get the same
  /// data buffer.
  bool tell_some_children(barrier_state state) {
    if (state.told() == state.children()) return true;
    const payload_handle data = buffer_with(node_.load(result_place()));
    if (data == no_payload) return false;
    std::uint32_t told = state.told();
    while (told < state.children() && node_.space(message_lane::request) != 0) {
      node_.spend(with_.barrier.send_release + with_.costs.pass_value);
      ++told;
      node_.retain(data);
      send(to(state.child(state.children() - told), message_type::release, 0), data);
    }
    node_.release(data);
    const bool all = told == state.children();
    state.set_told(all ? 0 : told);
    save(state);
    return all;
  }

  // --- messages ----------------------------------------------------------------------------------

  /// The buffer that the message came in, or another one; none if none is free.
  payload_handle buffer_with(word_t word) {
    payload_handle data = node_.arrived().data;
    if (data == no_payload) {
      const auto got = node_.allocate();
      if (!got) return no_payload;
      data = *got;
    }
    node_.set_word(data, 0, word);
    return data;
  }

  message to(node_id node, message_type type, std::uint32_t place) const {
    const std::uint64_t address =
        reduction_command::address(node_.addresses(), node, reduction_command::join(number_));
    return message_to(node, type, message_lane::request, address, place);
  }
  void send(message sent, payload_handle data) {
    sent.data = data;
    sent.length = word_bytes;
    node_.send(sent);
  }

  // --- what the node keeps -----------------------------------------------------------------------

  /// Whether the node keeps the reduction.
  bool is_here() const { return number_ < with_.count; }
  std::uint64_t offset() const { return node_.addresses().offset_of(node_.arrived().address); }
  word_t written() { return node_.word(node_.arrived().data, 0); }

  barrier_state load() { return barrier_state(node_.load(place())); }
  void save(const barrier_state& state) { node_.store(place(), state.word()); }
  reduction_state load_reduction() { return reduction_state(node_.load(place() + word_bytes)); }
  void save(const reduction_state& state) { node_.store(place() + word_bytes, state.word()); }

  std::uint64_t place() const { return with_.states + number_ * handler_settings::state_bytes; }
  std::uint64_t value(std::uint32_t at) const { return place() + (2 + at) * word_bytes; }
  std::uint64_t status() const { return with_.status + number_ * with_.line.bytes(); }
  std::uint64_t result_place() const { return status() + word_bytes; }
  std::uint64_t record(std::uint64_t i) const {
    return with_.records + (2 * number_ + i) * deferred_record_bytes;
  }
  std::uint64_t line_of_processor() const {
    return reduction_command::address(node_.addresses(), node_.here(),
                                      reduction_command::status(number_, with_.line));
  }

  Node& node_;
  const handler_settings& with_;
  std::uint64_t number_;
};

}  // namespace tributary::reductions
