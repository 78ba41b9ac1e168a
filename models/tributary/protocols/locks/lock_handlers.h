// SPDX-License-Identifier: Apache-2.0
// The handlers of locks between nodes.
#pragma once

#include <cstdint>
#include <optional>

#include <tributary/controller/handler_request.h>
#include <tributary/controller/message.h>
#include <tributary/memory/line.h>
#include <tributary/memory/line_port.h>
#include <tributary/protocols/locks/lock_commands.h>
#include <tributary/protocols/locks/lock_costs.h>
#include <tributary/protocols/locks/lock_memory.h>
#include <tributary/protocols/locks/lock_state.h>

namespace tributary::locks {

/// What nodes tell each other; the address names the lock. A request asks for the token on behalf
/// of the node `aux`. A grant and a refusal make their receiver send nothing, so that they may
/// travel on either lane: on the one on which the handler that sends them has room.
enum class message_type : std::uint8_t {
  request = 104,  ///< to the home, and from there to who asked before
  grant,          ///< the token
  unknown         ///< the home that was asked does not keep the lock
};

/// What handlers know in addition to their message and the node's memory.
struct handler_settings {
  lock_costs costs;
  lock_memory places;
  std::uint64_t timeout = 0;  ///< cycles after which an unused token is given away; 0: never
  handler_id request_later = no_handler;
  handler_id steal_later = no_handler;
  handler_id tick = no_handler;
  handler_id check = no_handler;
};

/// The handlers of one node (FLASH 6.1.4, 6.1.6, Table 6.1). They keep everything in the node's
/// memory; `Node` is what a handler may do. A lock has one token. Who wants it asks the home, which
/// keeps who asked last, and passes the request on to him; he gives the token away when he has no
/// use for it, and else at his unlock. So those who wait are a queue through the nodes, the token
/// goes along it from one to the next, and none is ever refused.
template <class Node>
class handlers {
 public:
  handlers(Node& node, const handler_settings& with)
      : node_(node),
        with_(with),
        number_(lock_command::number(node.addresses().offset_of(node.arrived().address),
                                     with.places.line)) {}

  // --- from the processor ------------------------------------------------------------------------

  /// Always exclusive, so that the processor can set bits without asking.
  void read_state() {
    const message& asked = node_.arrived();
    node_.spend(with_.costs.read_state);
    const auto data = node_.allocate();
    message reply =
        message_to(node_.here(), data ? common_type::line_exclusive : common_type::line_refused,
                   message_lane::reply, asked.address, 0);
    reply.tag = asked.tag;
    if (data) {
      if (is_here()) {
        lock_state state = load();
        state.set_cached(true);
        save(state);
      }
      node_.fill(*data, with_.places.state(number_));
      reply.data = *data;
      reply.length = with_.places.line.bytes();
    }
    node_.send(reply);
  }

  /// The line has left the caches. Who came while it was on its way could not take the token, and
  /// gets it now if it is free.
  void write_back() {
    node_.spend(with_.costs.write_back);
    if (!is_here()) return;
    lock_state state = load();
    take_copy(state, node_.arrived().data);
    save(state);
    if (state.token() && state.awaited() && is_free(state)) give(state, message_lane::request);
  }

  /// What a command means is in its address. Other addresses mean nothing.
  void processor_write() {
    if (!is_here()) return;
    const std::uint64_t offset = node_.addresses().offset_of(node_.arrived().address);
    if (offset == lock_command::token(number_)) {
      get_token();
    } else if (offset == lock_command::unlock(number_)) {
      unlock();
    } else if (offset == lock_command::home(number_)) {
      initialize();
    }
  }

  // --- from other nodes --------------------------------------------------------------------------

  /// At the home a new request, elsewhere one that the home passes on.
  void request_token() {
    node_.spend(with_.costs.request);
    const node_id asker = node_id{node_.arrived().aux};
    lock_state state = is_here() ? load() : lock_state();
    if (!state.initialized()) {
      node_.send(to(asker, message_type::unknown, message_lane::reply));
    } else if (state.is_home()) {
      node_.spend(with_.costs.new_request);
      queue_up(state, asker);
    } else {
      steal_or_later(state, asker);
    }
  }

  void grant_token() {
    node_.spend(with_.costs.grant);
    lock_state state = load();
    state.install_token();
    note_grant();
    wake_processor(state);
  }

  void unknown_lock() {
    node_.spend(with_.costs.grant);
    lock_state state = load();
    state.set_unknown(true);
    state.set_requested(false);
    wake_processor(state);
  }

  // --- put off for want of room, or of a buffer --------------------------------------------------

  /// The first of the home's deferral queue.
  void request_later() {
    lock_state state = load();
    const node_id asker = first_deferred(state);
    if (!can_pass_on(state)) return node_.again(node_.arrived());
    const bool last = drop_first_deferred(state);
    if (last) state.set_deferring(false);
    pass_on(state, asker);
    if (last) {
      node_.done();
    } else {
      node_.again(node_.arrived());
    }
  }

  /// A request that found no buffer for the state that the caches have.
  void steal_later() {
    lock_state state = load();
    if (!take_from_caches(state)) return node_.again(node_.arrived());
    steal(state, node_id{node_.arrived().aux});
    node_.done();
  }

  // --- time-outs ---------------------------------------------------------------------------------

  /// Once a period: tokens that came in the period before the last one are looked at. So each stays
  /// a whole period at least. Runs while there is something to look at.
  void tick() {
    node_.spend(with_.costs.check);
    bool more = is_checking();
    if (!more) {
      for (std::uint64_t i = 0; i < with_.places.vector_words(); ++i) {
        const word_t aging = node_.load(with_.places.aging(i));
        const word_t installed = node_.load(with_.places.installed(i));
        node_.store(with_.places.checking(i), aging);
        node_.store(with_.places.aging(i), installed);
        node_.store(with_.places.installed(i), 0);
        more = more || (aging | installed) != 0;
      }
      if (is_checking()) node_.later(with_.places.check_record(), with_.check, to_self());
    }
    if (more) begin_round();
  }

  /// Looks at the locks of one line of states, and comes again for the next.
  void check() {
    node_.spend(with_.costs.check);
    const std::uint64_t line = first_to_check();
    const std::uint64_t words = with_.places.line.words();
    for (number_ = line * words; number_ < (line + 1) * words; ++number_) {
      if (is_here() && !reclaim()) return node_.again(node_.arrived());
    }
    const std::uint64_t place = with_.places.checking(line / word_bits);
    node_.store(place, node_.load(place) & ~bit_of(line));
    if (is_checking()) {
      node_.again(node_.arrived());
    } else {
      node_.done();
    }
  }

 private:
  static constexpr std::uint64_t word_bits = 64;
  static constexpr word_t bit_of(std::uint64_t line) { return word_t{1} << line % word_bits; }

  // --- what the processor wants ------------------------------------------------------------------

  /// A command is ignored if the token came, or the lock was used, after the process looked. A
  /// process that saw the token given back may be ahead of the command that says so. Then the token
  /// leaves now, and the process asks again: one handler may not send both.
  void get_token() {
    node_.spend(with_.costs.get_token);
    lock_state state = load();
    if (!state.initialized() || state.requested()) return;
    const lock_state seen = seen_by_process();
    if (state.token()) {
      if (!seen.token() && give_back(state, seen)) wake_processor(load());
      return;
    }
    if (seen.arrivals() != state.arrivals() || seen.uses() != state.uses()) return;
    state.set_requested(true);
    save(state);
    if (state.is_home()) {
      queue_up(state, node_.here());
    } else {
      ask(state.home(), node_.here());
    }
  }

  /// The copy in the caches says already that the token is gone. Where that copy has come back, the
  /// token has left before this command, and may be here anew, for another process.
  void unlock() {
    node_.spend(with_.costs.unlock);
    give_back(load(), seen_by_process());
  }

  /// The state that a command of the processor is about.
  lock_state seen_by_process() { return lock_state(node_.word(node_.arrived().data, 0)); }
  /// Gives the token to the next node, unless `seen` is of an earlier arrival. Whether it did.
  bool give_back(lock_state state, const lock_state& seen) {
    if (!state.token() || !state.awaited() || seen.arrivals() != state.arrivals()) return false;
    state.set_locked(false);
    state.set_uses(seen.uses());
    give(state, message_lane::request);
    return true;
  }

  void initialize() {
    node_.spend(with_.costs.initialize);
    lock_state state = load();
    if (state.initialized()) return;
    const node_id home{static_cast<std::uint32_t>(node_.word(node_.arrived().data, 0))};
    if (home == node_.here()) {
      const word_t queue = node_.load(with_.places.queues_in_use());
      if (queue == with_.places.queues) return;  // it stays unknown
      node_.store(with_.places.queues_in_use(), queue + 1);
      state.initialize_home(home, static_cast<std::uint32_t>(queue));
    } else {
      state.initialize(home);
    }
    save(state);
  }

  // --- at the home -------------------------------------------------------------------------------

  /// The order of the queue is that in which requests come here, so none passes those that wait
  /// for room.
  void queue_up(lock_state state, node_id asker) {
    if (state.deferring() || !can_pass_on(state)) {
      defer(state, asker);
    } else {
      pass_on(state, asker);
    }
  }

  bool can_pass_on(lock_state& state) {
    if (state.tail() == node_.here()) return take_from_caches(state);
    return node_.space(message_lane::request) != 0;
  }

  /// To who asked last. The home itself needs no message.
  void pass_on(lock_state state, node_id asker) {
    node_.spend(with_.costs.swap_tail);
    const node_id before = state.tail();
    state.set_tail(asker);
    save(state);
    if (before == node_.here()) {
      steal(state, asker);
    } else {
      ask(before, asker);
    }
  }

  void defer(lock_state state, node_id asker) {
    node_.spend(with_.costs.defer);
    const std::uint64_t ends = with_.places.queue(state.queue());
    deferral_ends queue(node_.load(ends));
    node_.store(with_.places.queue_entry(state.queue(), queue.place_of_next(with_.places.nodes)),
                index(asker));
    queue.add();
    node_.store(ends, queue.word());
    if (state.deferring()) return;
    state.set_deferring(true);
    save(state);
    node_.later(with_.places.record(number_, 0), with_.request_later, to_self());
  }

  node_id first_deferred(const lock_state& state) {
    const deferral_ends queue(node_.load(with_.places.queue(state.queue())));
    return node_id{static_cast<std::uint32_t>(
        node_.load(with_.places.queue_entry(state.queue(), queue.first())))};
  }
  /// Whether it was the last one.
  bool drop_first_deferred(const lock_state& state) {
    const std::uint64_t ends = with_.places.queue(state.queue());
    deferral_ends queue(node_.load(ends));
    queue.drop(with_.places.nodes);
    node_.store(ends, queue.word());
    return queue.empty();
  }

  // --- at who may have the token -----------------------------------------------------------------

  void steal_or_later(lock_state state, node_id asker) {
    if (take_from_caches(state)) {
      steal(state, asker);
    } else {
      message same = to(node_.here(), message_type::request, message_lane::request);
      same.aux = static_cast<std::uint16_t>(index(asker));
      node_.later(with_.places.record(number_, 1), with_.steal_later, same);
    }
  }

  /// Gives a free token away, else remembers who is next. A state that is still on its way from the
  /// caches decides when it comes (`write_back`).
  void steal(lock_state state, node_id asker) {
    node_.spend(with_.costs.steal);
    state.set_next(asker);
    if (state.token() && !state.cached() && is_free(state)) {
      give(state, message_lane::reply);
    } else {
      save(state);
    }
  }

  /// Makes the state that of the processor's copy, which is gone then: else the processor could
  /// lock what is given away, and would not see that a node waits. `cached` is left where the
  /// copy is on its way. False if no buffer is free to take it.
  bool take_from_caches(lock_state& state) {
    if (!state.token() || !state.cached()) return true;
    const auto data = node_.allocate();
    if (!data) return false;
    node_.intervene(intervention::get_exclusive, line_of_processor(), *data, true);
    if (node_.state_reply() != line_state::invalid) take_copy(state, *data);
    node_.release(*data);
    save(state);
    return true;
  }

  /// A copy from before the token came tells nothing. One without the token, which has come since,
  /// says that the processor has given it back.
  void take_copy(lock_state& state, payload_handle data) {
    const lock_state copy(node_.word(data, lock_command::place(number_, with_.places.line)));
    state.set_cached(false);
    if (copy.arrivals() != state.arrivals()) return;
    state.set_locked(copy.locked());
    state.set_seen(copy.seen());
    state.set_uses(copy.uses());
  }

  static bool is_free(const lock_state& state) { return !state.locked() && state.seen(); }

  void give(lock_state state, message_lane over) {
    const node_id next = state.next();
    state.set_token(false);
    state.clear_next();
    save(state);
    node_.send(to(next, message_type::grant, over));
  }

  /// The processor waits in its caches, and reads the state again.
  void wake_processor(lock_state state) {
    const bool waits = state.cached();
    state.set_cached(false);
    save(state);
    if (waits) {
      node_.intervene(intervention::invalidate, line_of_processor(), no_payload, false);
    }
  }

  // --- time-outs ---------------------------------------------------------------------------------

  void note_grant() {
    if (with_.timeout == 0) return;
    const std::uint64_t line = number_ / with_.places.line.words();
    const std::uint64_t place = with_.places.installed(line / word_bits);
    node_.store(place, node_.load(place) | bit_of(line));
    begin_round();
  }

  /// The message is the same for all locks, so the next round waits once for all of them.
  void begin_round() {
    message about_all = to_self();
    about_all.address =
        lock_command::address(node_.addresses(), node_.here(), lock_command::token(0));
    node_.after(with_.timeout, with_.tick, about_all);
  }

  bool is_checking() {
    for (std::uint64_t i = 0; i < with_.places.vector_words(); ++i) {
      if (node_.load(with_.places.checking(i)) != 0) return true;
    }
    return false;
  }

  std::uint64_t first_to_check() {
    std::uint64_t i = 0;
    while (node_.load(with_.places.checking(i)) == 0) ++i;
    const word_t lines = node_.load(with_.places.checking(i));
    std::uint64_t bit = 0;
    while ((lines >> bit & 1) == 0) ++bit;
    return i * word_bits + bit;
  }

  /// Takes a token that its processor has not used since it came, or has given back: for who waits,
  /// and if none does, the next who asks may have it. A state on its way from the caches is looked
  /// at in the next round. False if there is no room to send.
  bool reclaim() {
    lock_state state = load();
    if (!state.token() || state.seen()) return true;
    // Before the copy is taken: what it says of a token that was given back is not left for later.
    if (state.awaited() && node_.space(message_lane::reply) == 0) return false;
    if (!take_from_caches(state)) return false;
    if (state.cached()) {
      note_grant();
    } else if (state.awaited() && !state.locked()) {
      give(state, message_lane::reply);
    } else if (!state.seen()) {
      state.set_seen(true);
      save(state);
    }
    return true;
  }

  // --- messages and places -----------------------------------------------------------------------

  void ask(node_id whom, node_id asker) {
    message sent = to(whom, message_type::request, message_lane::request);
    sent.aux = static_cast<std::uint16_t>(index(asker));
    node_.send(sent);
  }
  message to(node_id node, message_type type, message_lane over) const {
    const std::uint64_t address =
        lock_command::address(node_.addresses(), node, lock_command::token(number_));
    return message_to(node, type, over, address, 0);
  }
  message to_self() const { return to(node_.here(), message_type::request, message_lane::request); }

  /// Whether the node keeps the lock.
  bool is_here() const { return number_ < with_.places.count; }
  lock_state load() { return lock_state(node_.load(with_.places.state(number_))); }
  void save(const lock_state& state) { node_.store(with_.places.state(number_), state.word()); }
  std::uint64_t line_of_processor() const {
    return lock_command::address(node_.addresses(), node_.here(),
                                 lock_command::state(number_, with_.places.line));
  }

  Node& node_;
  const handler_settings& with_;
  std::uint64_t number_;
};

}  // namespace tributary::locks
