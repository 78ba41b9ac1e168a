// SPDX-License-Identifier: Apache-2.0
// The handlers of reductions between nodes.
#pragma once

#include <cstdint>

#include <tributary/controller/message.h>
#include <tributary/memory/line.h>
#include <tributary/protocols/barriers/barrier_state.h>
#include <tributary/protocols/barriers/kept_barrier.h>
#include <tributary/protocols/reductions/reduction_commands.h>
#include <tributary/protocols/reductions/reduction_costs.h>
#include <tributary/protocols/reductions/reduction_operation.h>
#include <tributary/protocols/reductions/reduction_state.h>

namespace tributary::reductions {

/// What nodes tell each other, with a doubleword of payload: a partial value, whose place at the
/// parent is in `aux`, and the result. Both travel on the request lane, because their handlers may
/// have to send more messages. The address names the reduction.
enum class message_type : std::uint8_t { join = 120, release };

/// What handlers know: as for barriers, with values in their places behind each state.
struct kept_reductions : barriers::kept_barriers {
  reduction_costs value_costs;

  kept_reductions() { state_bytes = (2 + reduction_state::places) * word_bytes; }
};

/// The handlers of one node (FLASH 7.2.2): those of a barrier, whose join brings what a subtree
/// has, and whose release brings what all have. A node combines its own value with those of its
/// children in the order of their places, as far as they are there. So the result is the same
/// in any order of arrival, also where the operation is a sum of doubles.
template <class Node>
class handlers {
 public:
  handlers(Node& node, const kept_reductions& with) : node_(node), with_(with), kept_(node, with) {}

  // --- from the processor ------------------------------------------------------------------------

  /// Answers with the sense before the processor's value is counted, as at a barrier.
  void processor_join() {
    node_.spend(with_.costs.processor_join);
    const bool is_join =
        kept_.is_here() && kept_.offset() == reduction_command::join(kept_.number());
    const barrier_state state = is_join ? kept_.load() : barrier_state();
    node_.answer(state.initialized() ? state.sense() : reduction_command::unknown);
    if (state.initialized()) take_value(state, 0);
  }

  void processor_write() {
    if (!kept_.is_here()) return;
    if (kept_.offset() == reduction_command::operand(kept_.number())) {
      node_.spend(with_.value_costs.operand);
      node_.store(value(0), written());
    } else if (kept_.offset() == reduction_command::operation(kept_.number())) {
      node_.spend(with_.costs.configure);
      save(load_reduction().with_operation_of(reduction_state(written())));
    } else if (kept_.offset() == reduction_command::trees(kept_.number())) {
      node_.spend(with_.costs.configure);
      kept_.save(kept_.load().with_trees_of(barrier_state(written())));
    }
  }

  void read_status() { kept_.give_status(); }

  // --- from other nodes --------------------------------------------------------------------------

  void child_joined() {
    node_.spend(with_.costs.child_joined + with_.value_costs.pass_value);
    const std::uint32_t place = node_.arrived().aux;
    node_.store(value(place), node_.word(node_.arrived().data, 0));
    take_value(kept_.load(), place);
  }

  void released() {
    node_.spend(with_.value_costs.pass_value);
    release(kept_.load(), node_.word(node_.arrived().data, 0));
  }

  // --- put off for want of room or of a data buffer ----------------------------------------------

  void join_later() {
    if (send_join(kept_.load())) {
      node_.done();
    } else {
      node_.again(node_.arrived());
    }
  }
  void release_later() {
    if (tell_some_children(kept_.load())) {
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
      node_.spend(with_.costs.end_at_root);
    } else if (!send_join(state)) {
      node_.later(kept_.record(0), with_.join_later, kept_.to(node_.here(), message_type::join));
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
    if (!is_of_doubles(operation)) return with_.value_costs.combine_integers;
    return operation == reduction_operation::double_sum ? with_.value_costs.add_doubles
                                                        : with_.value_costs.compare_doubles;
  }

  /// False if there is no room.
  bool send_join(const barrier_state& state) {
    if (node_.space(message_lane::request) == 0) return false;
    const payload_handle data = buffer_with(node_.load(value(0)));
    if (data == no_payload) return false;
    node_.spend(with_.costs.send_join + with_.value_costs.pass_value);
    send(kept_.to(state.parent(), message_type::join, load_reduction().place()), data);
    return true;
  }

  /// The own processor first.
  void release(barrier_state state, word_t result) {
    node_.spend(with_.costs.release);
    node_.store(result_place(), result);
    kept_.turn(state);
    if (!tell_some_children(state)) {
      node_.later(kept_.record(1), with_.release_later,
                  kept_.to(node_.here(), message_type::release));
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
      node_.spend(with_.costs.send_release + with_.value_costs.pass_value);
      ++told;
      node_.retain(data);
      send(kept_.to(state.child(state.children() - told), message_type::release), data);
    }
    node_.release(data);
    const bool all = told == state.children();
    state.set_told(all ? 0 : told);
    kept_.save(state);
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

  void send(message sent, payload_handle data) {
    sent.data = data;
    sent.length = word_bytes;
    node_.send(sent);
  }

  // --- what the node keeps -----------------------------------------------------------------------

  word_t written() { return node_.word(node_.arrived().data, 0); }
  reduction_state load_reduction() {
    return reduction_state(node_.load(kept_.state() + word_bytes));
  }
  void save(const reduction_state& state) { node_.store(kept_.state() + word_bytes, state.word()); }
  std::uint64_t value(std::uint32_t at) const { return kept_.state() + (2 + at) * word_bytes; }
  std::uint64_t result_place() const { return kept_.status() + word_bytes; }

  Node& node_;
  const kept_reductions& with_;
  barriers::kept_barrier<Node, reduction_command> kept_;
};

}  // namespace tributary::reductions
