// SPDX-License-Identifier: Apache-2.0
// The handlers of cache coherence by dynamic pointer allocation.
#pragma once

#include <cstdint>

#include <tributary/controller/handler_request.h>
#include <tributary/controller/message.h>
#include <tributary/memory/line_port.h>
#include <tributary/protocols/coherence/coherence_costs.h>
#include <tributary/protocols/coherence/coherence_messages.h>
#include <tributary/protocols/coherence/coherence_statistics.h>
#include <tributary/protocols/coherence/directory.h>
#include <tributary/protocols/pp_ownership_costs.h>

namespace tributary::coherence {

/// Handlers that other handlers put off, by their numbers.
struct deferred_handlers {
  handler_id go_on_invalidating = no_handler;
  handler_id grant_late = no_handler;
  handler_id tell_complete = no_handler;
  handler_id ask_owned = no_handler;
};

/// What handlers know in addition to their message and the node's memory.
struct handler_settings {
  directory_layout layout;
  coherence_costs costs;
  pp_ownership_costs ownership_costs;
  deferred_handlers deferred;
  handler_id first = no_handler;  ///< of these handlers: whose statistics they count in
  /// A write is granted when all have acknowledged, else at once (FLASH 2.2.3, 6.3.4).
  bool sequential = false;
  /// A read of a line that no cache has is answered as a write is. Off in FLASH, whose Figure 5.19
  /// has clean lines in caches apart from dirty ones.
  bool exclusive_on_read = false;
};

/// The handlers of one node (FLASH 2.2.3, 2.3.6, 5.1). They keep everything in the node's memory.
/// `Node` is what a handler may do: `handler_context`, or another executor's. Nothing here throws,
/// allocates or is virtual, so that any processor can run it.
///
/// A line is pending from the time when its home has asked others about it until all have answered;
/// a node that wants it meanwhile is refused, and tries again.
template <class Node>
class handlers {
 public:
  handlers(Node& node, const handler_settings& with)
      : handlers(node, with, node.arrived().address) {}

  // --- from the processor's caches ---------------------------------------------------------------

  void processor_read() { read(processor()); }
  void processor_read_exclusive() { write(processor(), false); }
  void processor_upgrade() { write(processor(), true); }
  void processor_write_back() {
    node_.spend(costs_.local_write_back);
    take_back(node_.here());
  }
  void processor_replaced() {
    node_.spend(costs_.local_replaced);
    forget(node_.here());
  }

  void ask_read() { ask_home(message_type::read); }
  void ask_read_exclusive() { ask_home(message_type::read_exclusive); }
  void ask_upgrade() { ask_home(message_type::upgrade); }
  void send_write_back() { ask_home(message_type::write_back); }
  void send_replaced() { ask_home(message_type::replaced); }

  // --- at the home -------------------------------------------------------------------------------

  void home_read() { read(asker()); }
  void home_read_exclusive() { write(asker(), false); }
  void home_upgrade() { write(asker(), true); }
  void home_own() { write(owner_to_be(), false); }
  void home_write_back() {
    node_.spend(costs_.write_back);
    take_back(node_.arrived().source);
  }
  void home_replaced() {
    node_.spend(costs_.replaced);
    forget(node_.arrived().source);
  }

  /// The owner has given the line to a reader, and here it is; for this node's processor too, if
  /// that is the reader.
  void shared_back() {
    const requester reader = asker();
    const bool is_reader = reader.node == node_.here();
    node_.spill(node_.arrived().data, memory_place());
    if (is_reader) {
      node_.spend(costs_.reply);
      tell_processor(common_type::line_shared, {reader.node, reader.tag, false, false},
                     node_.arrived().data);
    }
    directory_entry entry = load();
    node_.spend(costs_.write_back);
    entry.set_dirty(false);
    entry.set_pending(false);
    // Others are in the list.
    if (is_reader) entry.set_local(true);
    save(entry);
  }

  void owner_moved() {
    directory_entry entry = load();
    node_.spend(costs_.owner_moved);
    // Not dirty: the old owner's protocol processor is the new owner, and has written it back.
    if (entry.early() || !entry.dirty()) {
      entry.clear_owner();
      entry.set_early(false);
    } else {
      entry.set_owner(asker().node, node_.here());
      entry.set_owned(asker().flag);
    }
    entry.set_pending(false);
    save(entry);
  }

  /// The node that the home takes for the owner does not have the line now: its write-back or its
  /// grant is still on the way, or no data buffer was free.
  void forward_refused() {
    directory_entry entry = load();
    node_.spend(costs_.owner_moved);
    entry.set_pending(false);
    if (entry.list() != 0) pop_element(entry);
    save(entry);
  }

  void invalidated() {
    directory_entry entry = load();
    node_.spend(costs_.acknowledged);
    entry.set_acknowledgements(entry.acknowledgements() - 1);
    if (entry.acknowledgements() == 0) end_invalidations(entry);
    save(entry);
  }

  // --- put off -----------------------------------------------------------------------------------

  void go_on_invalidating() {
    directory_entry entry = load();
    node_.spend(costs_.reply);
    invalidate_list(entry, spared(requester_of(entry.record())));
    save(entry);
    if (entry.list() == 0) {
      node_.done();
    } else {
      node_.again(node_.arrived());
    }
  }

  void grant_late() {
    const word_t record = node_.arrived().aux;
    const requester writer = requester_of(record);
    payload_handle data = no_payload;
    if (!writer.flag) {
      data = memory_line();
      if (data == no_payload) {
        node_.spend(costs_.refuse);
        node_.again(node_.arrived());
        return;
      }
    }
    directory_entry entry = load();
    entry.set_pending(false);
    entry.set_record(0);
    save(entry);
    free_record(record);
    node_.spend(costs_.reply);
    grant(writer, writer.flag, data, false);
    node_.done();
  }

  void tell_complete() {
    const word_t record = node_.arrived().aux;
    const requester writer = requester_of(record);
    free_record(record);
    node_.spend(costs_.reply);
    reply(writer, message_type::all_invalidated, no_payload, false);
    node_.done();
  }

  // --- at others ---------------------------------------------------------------------------------

  void forwarded_read() { hand_on(asker(), false); }
  void forwarded_read_exclusive() { hand_on(asker(), true); }
  void forwarded_own() { hand_on(owner_to_be(), true); }

  void invalidate() {
    lose_line(node_.arrived().address);
    node_.spend(costs_.invalidate);
    send_to(node_.arrived().source, message_type::invalidated, message_lane::reply, asker().bits());
  }

  // --- replies -----------------------------------------------------------------------------------

  void take_shared() { to_processor(common_type::line_shared); }
  void take_exclusive() { to_processor(common_type::line_exclusive); }
  void take_upgraded() { to_processor(common_type::line_upgraded); }
  void take_refused() { to_processor(common_type::line_refused); }
  void take_all_invalidated() { to_processor(common_type::line_all_invalidated); }

  // --- lines for this node's protocol processor --------------------------------------------------

  /// Put off: asks for the line of an entry of the table, by whose number and this node `aux` is a
  /// requester.
  void ask_owned() {
    const requester by = owner_to_be();
    node_.spend(with_.ownership_costs.ask);
    node_.done();
    const node_id home = node_.addresses().node_of(node_.arrived().address);
    if (home == node_.here()) {
      write(by, false);
    } else {
      send_to(home, message_type::own, message_lane::request, by.bits());
    }
  }

  void take_owned() {
    const requester by = owner_to_be();
    if (node_.addresses().node_of(node_.arrived().address) == node_.here()) {
      directory_entry entry = load();
      entry.set_owner(by.node, node_.here());
      entry.set_owned(true);
      entry.set_pending(false);
      save(entry);
    }
    keep_owned(by, node_.arrived().data);
  }

  void take_own_refused() {
    node_.spend(costs_.reply);
    ask_later(owner_to_be());
  }

 protected:
  // --- the entry of a line, for derived classes too ----------------------------------------------

  /// About the line at an address that is not the message's.
  handlers(Node& node, const handler_settings& with, std::uint64_t address)
      : node_(node), with_(with), at_(with.layout), costs_(with.costs), address_(address) {}

  /// The line as caches name it, and in this node's memory.
  std::uint64_t line_address() const { return at_.line_start(address_); }
  std::uint64_t line() const { return node_.addresses().offset_of(line_address()); }
  /// The doubleword that was missed. The line moves from it on, in sub-block order, wherever it is
  /// read or written, as messages and data buffers have it in that order (FLASH footnote 8).
  std::uint64_t memory_place() const { return node_.addresses().offset_of(address_); }

  directory_entry load() {
    const directory_entry entry(node_.load(at_.entry(line())));
    was_pending_ = entry.pending();
    return entry;
  }
  void save(const directory_entry& entry) {
    node_.store(at_.entry(line()), entry.word());
    if (entry.pending() != was_pending_) note(statistic::pending_lines, entry.pending() ? 1 : 0);
    was_pending_ = entry.pending();
  }
  node_id node_of_element(word_t number) {
    return node_id{
        static_cast<std::uint32_t>(list_element::node.in(node_.load(at_.element(number))))};
  }
  void pop_element(directory_entry& entry) {
    const word_t number = entry.list();
    entry.set_list(next_element(number));
    free_element(number);
  }
  /// Nodes other than the home and one more that share the line.
  word_t count_others(const directory_entry& entry, node_id but) {
    word_t count = entry.has_remote() && entry.remote() != but ? 1 : 0;
    for (word_t each = entry.list(); each != 0; each = next_element(each)) {
      if (node_of_element(each) != but) ++count;
    }
    return count;
  }

  void send_line(node_id to, message_type type, message_lane over, std::uint16_t aux,
                 payload_handle data) {
    message sent = message_of(to, type, over, aux);
    sent.data = data;
    sent.length = line_bytes();
    node_.send(sent);
  }
  /// This node's entry of the table asks its home for the line once more.
  void ask_later(const requester& by) {
    node_.later(at_.owned_record(by.tag), with_.deferred.ask_owned,
                message_of(node_.here(), message_type{}, message_lane::request, by.bits()));
  }

  static constexpr node_id nobody{~std::uint32_t{0}};

  Node& node_;
  const handler_settings& with_;
  const directory_layout& at_;

 private:
  // --- reading -----------------------------------------------------------------------------------

  void read(const requester& by) {
    directory_entry entry = load();
    if (entry.pending() || entry.owned()) {
      refuse(by, statistic::refused_pending);
    } else if (entry.dirty()) {
      if (entry.local()) {
        read_of_processor(by, entry);
      } else {
        read_of_owner(by, entry);
      }
    } else if (with_.exclusive_on_read && entry.uncached()) {
      write_clean(by, entry, false);
    } else {
      read_of_memory(by, entry);
    }
  }

  void read_of_memory(const requester& by, directory_entry entry) {
    const payload_handle data = memory_line();
    if (data == no_payload) {
      refuse(by, statistic::refused_buffer);
      return;
    }
    node_.spend(costs_.read);
    if (!add_sharer(entry, by.node)) {
      // The list elements are used up. A line that is exclusive needs none, and does not lose it to
      // an invalidation before it comes, as readers by turns could for ever.
      if (data != node_.arrived().data) node_.release(data);
      if (write_clean(by, entry, false)) note(statistic::reclaimed);
      return;
    }
    save(entry);
    note_served_by_memory(by, false);
    reply(by, message_type::shared, data, false);
  }

  /// Of a line that the home's own processor has dirty.
  void read_of_processor(const requester& by, directory_entry entry) {
    const payload_handle data = retrieve(by, intervention::get);
    if (data == no_payload) return;
    node_.spill(data, memory_place());
    entry.set_dirty(false);
    entry.set_remote(by.node);
    save(entry);
    reply(by, message_type::shared, data, false);
    node_.spend(costs_.retrieved);
  }

  /// Of a line that another node has dirty.
  void read_of_owner(const requester& by, directory_entry entry) {
    const node_id owner = entry.remote();
    if (!may_forward(by, owner)) return;
    // Without a list element the reader gets the line as a writer does.
    const bool shares = by.node == node_.here() || push_element(entry, by.node);
    forward(shares ? message_type::forward_read : message_type::forward_read_exclusive, owner, by,
            entry);
  }

  // --- writing -----------------------------------------------------------------------------------

  /// `upgrades`: it has the line, shared.
  void write(const requester& by, bool upgrades) {
    const directory_entry entry = load();
    if (entry.pending() || entry.owned()) {
      refuse(by, statistic::refused_pending);
    } else if (upgrades && (entry.dirty() || !is_sharer(entry, by.node))) {
      refuse(by, statistic::refused_not_shared);
    } else if (!entry.dirty()) {
      write_clean(by, entry, upgrades);
    } else if (entry.local()) {
      take_from_processor(by, entry);
    } else if (may_forward(by, entry.remote())) {
      forward(by.owns ? message_type::forward_own : message_type::forward_read_exclusive,
              entry.remote(), by, entry);
    }
  }

  void take_from_processor(const requester& by, directory_entry entry) {
    const payload_handle data = retrieve(by, intervention::get_exclusive);
    if (data == no_payload) return;
    entry.set_owner(by.node, node_.here());
    entry.set_owned(by.owns);
    save(entry);
    reply(by, message_type::exclusive, data, false);
    node_.spend(costs_.retrieved);
  }

  /// What the home needs to let a node write.
  struct write_means {
    word_t record = 0;  ///< that follows the invalidations, or none
    payload_handle data = no_payload;
  };

  /// Of a line that no cache has dirty; false after a refusal.
  bool write_clean(const requester& by, const directory_entry& entry, bool upgrades) {
    const word_t others = count_others(entry, spared(by));
    const bool granted_late = (with_.sequential || by.owns) && others != 0;
    write_means means;
    if (!provide(by, others, !upgrades && !granted_late, means)) return false;
    node_.spend(costs_.write);
    take_from_home(by, entry, others);
    directory_entry next;
    next.set_owner(by.node, node_.here());
    next.set_owned(by.owns);
    next.set_list(entry.list());
    if (others != 0) begin_invalidations(by, upgrades, others, means.record, next);
    save(next);
    if (!granted_late) grant(by, upgrades, means.data, others != 0);
    if (others != 0 && entry.has_remote() && entry.remote() != spared(by)) {
      invalidate_at(entry.remote(), by);
    }
    invalidate_list(next, spared(by));
    save(next);
    if (next.list() != 0) put_off(means.record, with_.deferred.go_on_invalidating, by.bits());
    return true;
  }

  /// Gets the means of a write; false after a refusal.
  bool provide(const requester& by, word_t others, bool sends_line, write_means& means) {
    if (others != 0) {
      means.record = take_record();
      if (means.record == 0) return give_up(by, 0, statistic::refused_record);
      if (node_.space(message_lane::request) == 0) {
        return give_up(by, means.record, statistic::refused_room);
      }
    }
    if (!sends_line) return true;
    means.data = memory_line();
    return means.data != no_payload || give_up(by, means.record, statistic::refused_buffer);
  }
  bool give_up(const requester& by, word_t record, statistic cause) {
    if (record != 0) free_record(record);
    refuse(by, cause);
    return false;
  }

  /// The home's own caches lose the line to another node.
  void take_from_home(const requester& by, const directory_entry& entry, word_t others) {
    const bool at_home = entry.local() && spared(by) != node_.here();
    if (at_home) lose_line(node_.arrived().address);
    if (others != 0 || at_home) note(statistic::sharers, others + (at_home ? 1 : 0));
  }

  void grant(const requester& by, bool upgrades, payload_handle data, bool others_have_it) {
    note_served_by_memory(by, upgrades);
    reply(by, upgrades ? message_type::upgraded : message_type::exclusive, data, others_have_it);
  }

  void begin_invalidations(const requester& by, bool upgrades, word_t count, word_t record,
                           directory_entry& entry) {
    entry.set_pending(true);
    entry.set_acknowledgements(count);
    entry.set_record(record);
    requester writer = by;
    writer.flag = upgrades;
    node_.store(at_.record(record) + directory_layout::record_request, remembered(writer));
  }

  /// Takes the first elements out of the list while there is room to invalidate at their nodes.
  void invalidate_list(directory_entry& entry, node_id writer) {
    while (entry.list() != 0) {
      const node_id next = node_of_element(entry.list());
      if (next != writer) {
        if (node_.space(message_lane::request) == 0) return;
        invalidate_at(next, asker());
      }
      pop_element(entry);
    }
  }

  void invalidate_at(node_id other, const requester& by) {
    node_.spend(costs_.invalidation);
    send_to(other, message_type::invalidate, message_lane::request, by.bits());
  }

  void end_invalidations(directory_entry& entry) {
    const word_t record = entry.record();
    if (record != 0 && (with_.sequential || requester_of(record).owns)) {
      // The reply lane may send nothing (rule D3).
      put_off(record, with_.deferred.grant_late, static_cast<std::uint16_t>(record));
      return;
    }
    entry.set_pending(false);
    entry.set_record(0);
    if (record == 0) return;
    const requester writer = requester_of(record);
    if (writer.node == node_.here()) {
      free_record(record);
      reply(writer, message_type::all_invalidated, no_payload, false);
    } else {
      put_off(record, with_.deferred.tell_complete, static_cast<std::uint16_t>(record));
    }
  }

  // --- lines that leave --------------------------------------------------------------------------

  void take_back(node_id from) {
    directory_entry entry = load();
    const bool owned = entry.owned_by(from, node_.here());
    if (!owned && !(entry.pending() && entry.dirty())) {
      const std::uint64_t count = at_.base + directory_layout::unexpected;
      node_.store(count, node_.load(count) + 1);
      return;
    }
    node_.spill(node_.arrived().data, memory_place());
    if (owned) {
      entry.clear_owner();
    } else {
      // The old owner's notice of the new one is still on its way.
      entry.set_early(true);
    }
    save(entry);
  }

  void forget(node_id from) {
    directory_entry entry = load();
    if (entry.pending() || entry.dirty()) return;
    remove_sharer(entry, from);
    save(entry);
  }

  // --- lines of caches ---------------------------------------------------------------------------

  /// The line of this node's processor, or nothing after a refusal: it is on its way to its home.
  payload_handle retrieve(const requester& by, intervention wanted) {
    const bool is_leaving = spared(by) == node_.here();
    const payload_handle data = is_leaving ? no_payload : buffer();
    if (data == no_payload) {
      refuse(by, is_leaving ? statistic::refused_leaving : statistic::refused_buffer);
      return no_payload;
    }
    node_.intervene(wanted, address_, data, true);
    if (node_.state_reply() == line_state::invalid) {
      refuse_with(by, data, statistic::refused_leaving);
      return no_payload;
    }
    if (!by.owns) note(statistic::served_cache_in_two_hops);
    node_.spend(costs_.retrieve);
    return data;
  }

  /// An owner gives the line to who asked its home for it.
  void hand_on(const requester& by, bool exclusive) {
    const node_id home = node_.arrived().source;
    const payload_handle data = buffer();
    bool found = false;
    if (data != no_payload) {
      node_.intervene(exclusive ? intervention::get_exclusive : intervention::get, address_, data,
                      true);
      found = node_.state_reply() != line_state::invalid;
    }
    if (!found) {
      if (!by.owns) {
        note(data == no_payload ? statistic::refused_buffer : statistic::refused_leaving);
      }
      if (data != no_payload) node_.release(data);
      node_.spend(costs_.refuse);
      if (by.owns) {
        answer_owner(by, no_payload);
      } else {
        send_to(by.node, message_type::refused, message_lane::reply, by.bits());
      }
      send_to(home, message_type::forward_refused, message_lane::reply, by.bits());
      return;
    }
    node_.spend(costs_.retrieve);
    if (by.owns) {
      hand_to_owner(by, home, data);
      return;
    }
    note(by.node == home ? statistic::served_cache_in_two_hops
                         : statistic::served_cache_in_three_hops);
    if (exclusive) {
      send_line(by.node, message_type::exclusive, message_lane::reply, by.bits(), data);
      node_.spend(costs_.retrieved);
      send_to(home, message_type::owner_moved, message_lane::reply, by.bits());
      return;
    }
    if (by.node == home) {
      // It gets the line once (FLASH Table 5.2: traffic).
      send_line(home, message_type::shared_back, message_lane::reply, by.bits(), data);
      node_.spend(costs_.retrieved);
      return;
    }
    node_.retain(data);
    send_line(by.node, message_type::shared, message_lane::reply, by.bits(), data);
    node_.spend(costs_.retrieved);
    send_line(home, message_type::shared_back, message_lane::reply, by.bits(), data);
  }

  void hand_to_owner(const requester& by, node_id home, payload_handle data) {
    answer_owner(by, data);
    node_.spend(costs_.retrieved);
    if (by.node == home) return;  // the line tells it
    requester told = by;
    told.flag = true;
    send_to(home, message_type::owner_moved, message_lane::reply, told.bits());
  }

  void lose_line(std::uint64_t address) {
    node_.intervene(intervention::invalidate, at_.line_start(address), no_payload,
                    with_.sequential);
    if (with_.sequential) static_cast<void>(node_.state_reply());
  }

  // --- messages ----------------------------------------------------------------------------------

  requester processor() const { return {node_.here(), node_.arrived().tag, false, false}; }
  requester asker() const {
    const message& arrived = node_.arrived();
    return arrived.origin == message_origin::processor ? processor() : requester::of(arrived.aux);
  }

  requester owner_to_be() const {
    requester by = requester::of(node_.arrived().aux);
    by.owns = true;
    return by;
  }
  /// Whose copy of a line stays valid when it gets the line to write: a protocol processor gets it
  /// from its own node's caches as well.
  static node_id spared(const requester& by) { return by.owns ? nobody : by.node; }

  message message_of(node_id to, message_type type, message_lane over, std::uint16_t aux) const {
    message sent;
    sent.address = address_;
    sent.destination = to;
    sent.type = static_cast<std::uint8_t>(type);
    sent.over = over;
    sent.aux = aux;
    return sent;
  }
  void send_to(node_id to, message_type type, message_lane over, std::uint16_t aux) {
    node_.send(message_of(to, type, over, aux));
  }

  void ask_home(message_type type) {
    const message& arrived = node_.arrived();
    const node_id home = node_.addresses().node_of(arrived.address);
    node_.spend(costs_.ask_home);
    if (arrived.data != no_payload) {
      send_line(home, type, message_lane::request, processor().bits(), arrived.data);
    } else {
      send_to(home, type, message_lane::request, processor().bits());
    }
  }

  bool may_forward(const requester& by, node_id owner) {
    // Of its own line a node's processor has sent the write-back before.
    if (owner == spared(by)) {
      refuse(by, statistic::refused_leaving);
      return false;
    }
    if (node_.space(message_lane::request) == 0) {
      refuse(by, statistic::refused_room);
      return false;
    }
    return true;
  }
  void forward(message_type type, node_id owner, const requester& asked, directory_entry entry) {
    entry.set_pending(true);
    save(entry);
    node_.spend(costs_.ask_owner);
    send_to(owner, type, message_lane::request, asked.bits());
  }

  void reply(const requester& to, message_type type, payload_handle data, bool flag) {
    if (to.owns) {
      answer_owner(to, data);
      return;
    }
    requester told = to;
    told.flag = flag;
    if (to.node == node_.here()) {
      tell_processor(type_at_processor(type), told, data);
    } else if (data != no_payload) {
      send_line(to.node, type, message_lane::reply, told.bits(), data);
    } else {
      send_to(to.node, type, message_lane::reply, told.bits());
    }
  }
  void refuse(const requester& by, statistic cause) {
    if (!by.owns) note(cause);
    node_.spend(costs_.refuse);
    reply(by, message_type::refused, no_payload, false);
  }
  /// The same, and gives a buffer up.
  void refuse_with(const requester& by, payload_handle data, statistic cause) {
    if (data != node_.arrived().data) node_.release(data);
    refuse(by, cause);
  }

  static constexpr common_type type_at_processor(message_type type) {
    switch (type) {
      case message_type::shared:
        return common_type::line_shared;
      case message_type::exclusive:
        return common_type::line_exclusive;
      case message_type::upgraded:
        return common_type::line_upgraded;
      case message_type::all_invalidated:
        return common_type::line_all_invalidated;
      default:
        return common_type::line_refused;
    }
  }
  void to_processor(common_type type) {
    node_.spend(costs_.reply);
    tell_processor(type, requester::of(node_.arrived().aux), node_.arrived().data);
  }
  void tell_processor(common_type type, const requester& told, payload_handle data) {
    message sent;
    sent.address = node_.arrived().address;
    sent.destination = node_.here();
    sent.type = static_cast<std::uint8_t>(type);
    sent.tag = told.tag;
    sent.aux = told.flag ? 1 : 0;
    sent.data = data;
    sent.length = data == no_payload ? 0 : line_bytes();
    node_.send(sent);
  }

  // --- lines that a protocol processor owns ------------------------------------------------------

  /// The line, or none for a refusal, to a protocol processor that is to own it.
  void answer_owner(const requester& to, payload_handle data) {
    if (to.node == node_.here()) {
      if (data != no_payload) {
        keep_owned(to, data);
      } else {
        ask_later(to);
      }
    } else if (data != no_payload) {
      send_line(to.node, message_type::owned, message_lane::reply, to.bits(), data);
    } else {
      send_to(to.node, message_type::own_refused, message_lane::reply, to.bits());
    }
  }

  /// The table has its line now, and its handler runs. A line that waited in a buffer until there
  /// is room to write it back could keep the buffer from those who need it to make room.
  void keep_owned(const requester& by, payload_handle data) {
    node_.spend(with_.ownership_costs.arrive);
    node_.spill(data, at_.owned_line(by.tag));
    if (data != node_.arrived().data) node_.release(data);
    const std::uint64_t record = at_.owned_record(by.tag);
    const handler_id run{
        static_cast<std::uint16_t>(node_.load(record + directory_layout::owned_handler))};
    node_.later(record, run,
                message_of(node_.here(), message_type{}, message_lane::request, by.bits()));
  }

  // --- handlers that are put off -----------------------------------------------------------------

  void put_off(word_t record, handler_id run, std::uint16_t aux) {
    message with = message_of(node_.here(), message_type{}, message_lane::request, aux);
    node_.later(at_.record(record), run, with);
  }

  // --- statistics --------------------------------------------------------------------------------

  void note(statistic name, word_t value = 1) {
    node_.count(with_.first, static_cast<std::uint64_t>(name), value);
  }
  void note_served_by_memory(const requester& to, bool upgrades) {
    if (to.owns) return;  // no miss
    note(upgrades                  ? statistic::served_upgrade
         : to.node == node_.here() ? statistic::served_local_memory
                                   : statistic::served_remote_memory);
  }

  // --- buffers and memory ------------------------------------------------------------------------

  /// The one that dispatch has read the line into, or another, or none.
  payload_handle buffer() {
    if (node_.arrived().data != no_payload) return node_.arrived().data;
    const auto got = node_.allocate();
    return got ? *got : no_payload;
  }
  payload_handle memory_line() {
    const payload_handle data = buffer();
    if (data != no_payload && data != node_.arrived().data) node_.fill(data, memory_place());
    return data;
  }
  std::uint32_t line_bytes() const { return std::uint32_t{1} << at_.line_shift; }

  // --- the directory -----------------------------------------------------------------------------

  word_t next_element(word_t number) {
    return list_element::next.in(node_.load(at_.element(number)));
  }

  bool push_element(directory_entry& entry, node_id node) {
    const word_t number = take(directory_layout::free_element, directory_layout::fresh_elements,
                               at_.elements, [this](word_t taken) { return next_element(taken); });
    if (number == 0) return false;
    note(statistic::elements, 1);
    node_.store(at_.element(number),
                list_element::node.put(list_element::next.put(0, entry.list()), index(node)));
    entry.set_list(number);
    return true;
  }

  void free_element(word_t number) {
    note(statistic::elements, 0);
    const std::uint64_t head = at_.base + directory_layout::free_element;
    node_.store(at_.element(number), list_element::next.put(0, node_.load(head)));
    node_.store(head, number);
  }

  /// One of a pool, by its number from 1, or 0: the first that is free, else one never used.
  template <class Next>
  word_t take(std::uint64_t free, std::uint64_t fresh, std::uint64_t size, Next&& next) {
    const word_t first = node_.load(at_.base + free);
    if (first != 0) {
      node_.store(at_.base + free, next(first));
      return first;
    }
    const word_t used = node_.load(at_.base + fresh);
    if (used == size) return 0;
    node_.store(at_.base + fresh, used + 1);
    return used + 1;
  }

  word_t take_record() {
    const word_t number =
        take(directory_layout::free_record, directory_layout::fresh_records, at_.records,
             [this](word_t taken) {
               return node_.load(at_.record(taken) + directory_layout::record_next);
             });
    if (number != 0) note(statistic::records, 1);
    return number;
  }
  void free_record(word_t number) {
    note(statistic::records, 0);
    const std::uint64_t head = at_.base + directory_layout::free_record;
    node_.store(at_.record(number) + directory_layout::record_next, node_.load(head));
    node_.store(head, number);
  }
  requester requester_of(word_t record) {
    return remembered_request(node_.load(at_.record(record) + directory_layout::record_request));
  }

  bool is_in_list(const directory_entry& entry, node_id node) {
    for (word_t each = entry.list(); each != 0; each = next_element(each)) {
      if (node_of_element(each) == node) return true;
    }
    return false;
  }
  bool is_sharer(const directory_entry& entry, node_id node) {
    if (node == node_.here()) return entry.local();
    return (entry.has_remote() && entry.remote() == node) || is_in_list(entry, node);
  }

  /// False if there is no list element for it.
  bool add_sharer(directory_entry& entry, node_id node) {
    if (node == node_.here()) {
      entry.set_local(true);
      return true;
    }
    if (is_sharer(entry, node)) return true;
    if (entry.has_remote()) return push_element(entry, node);
    entry.set_remote(node);
    return true;
  }
  void remove_sharer(directory_entry& entry, node_id node) {
    if (node == node_.here()) {
      entry.set_local(false);
    } else if (entry.has_remote() && entry.remote() == node) {
      entry.clear_remote();
    } else {
      remove_from_list(entry, node);
    }
  }
  void remove_from_list(directory_entry& entry, node_id node) {
    word_t before = 0;
    for (word_t each = entry.list(); each != 0; each = next_element(each)) {
      node_.spend(costs_.list_element);
      if (node_of_element(each) != node) {
        before = each;
        continue;
      }
      const word_t next = next_element(each);
      if (before == 0) {
        entry.set_list(next);
      } else {
        const word_t word = node_.load(at_.element(before));
        node_.store(at_.element(before), list_element::next.put(word, next));
      }
      free_element(each);
      return;
    }
  }

  const coherence_costs& costs_;
  std::uint64_t address_;
  bool was_pending_ = false;  // the line, when its entry was loaded or saved last
};

}  // namespace tributary::coherence
