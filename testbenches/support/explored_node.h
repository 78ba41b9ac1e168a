// SPDX-License-Identifier: Apache-2.0
// What a handler may do, on an explored state: the plain controller without time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <tributary/controller/address_layout.h>
#include <tributary/controller/message.h>
#include <tributary/controller/promised_sends.h>
#include <tributary/magic/line_outlet.h>
#include <tributary/protocols/coherence/owned_line.h>

#include "explored_state.h"

namespace tributary::testing {

/// What is wrong with a machine, so that its exploration has to notice: see faulty_node.h.
enum class seeded_fault : std::uint8_t;

/// A small machine.
struct explored_setup {
  std::uint32_t nodes = 2;
  std::vector<std::uint32_t> homes{0};  ///< of the lines
  std::vector<std::uint32_t> owners;    ///< nodes whose protocol processors own lines, one each
  bool sequential = false;
  bool exclusive_on_read = false;
  bool hints = false;          ///< of shared lines that leave
  std::uint64_t elements = 1;  ///< of a directory
  std::uint64_t records = 1;
  bool fresh_pools = false;  ///< whether elements and records were never used
  /// Whether a step that no other can tell from a later one is the only one from its state.
  bool eager = true;
  std::size_t places = explored_channel::places;  ///< of a lane between two nodes
  /// Whether replies and invalidations reach the cache after their handler has gone on.
  bool late_deliveries = false;
  bool in_order = true;  ///< whether a channel keeps the order of its messages
  seeded_fault fault{};
};

/// Where a machine keeps what; the same in all of its states.
class explored_plan {
 public:
  explicit explored_plan(const explored_setup& setup) : setup_(setup) {
    const line_size line;
    settings.sequential = setup.sequential;
    settings.exclusive_on_read = setup.exclusive_on_read;
    settings.layout.base = 0x1000;
    settings.layout.lines = setup.homes.size();
    settings.layout.elements = setup.elements;
    settings.layout.records = setup.records;
    settings.layout.owned = setup.owners.empty() ? 0 : 1;
    while (std::uint32_t{1} << settings.layout.line_shift < line.bytes()) {
      ++settings.layout.line_shift;
    }
    const std::uint64_t end = settings.layout.owned_record(settings.layout.owned);
    size_ = {setup.nodes,
             setup.homes.size(),
             (end - settings.layout.base) / word_bytes,
             {},
             !setup.owners.empty()};
    for (const std::uint32_t each : setup.owners) size_.has_directory[each] = true;
    if (size_.words > most_directory_words) throw broken_rule("the directory is too large");
    for (std::size_t i = 0; i < setup.homes.size(); ++i) {
      size_.has_directory[setup.homes[i]] = true;
      addresses_.push_back(layout.address_of(home(i), 0, offset(i)));
    }
  }

  const explored_setup& setup() const { return setup_; }
  const explored_size& size() const { return size_; }
  node_id home(std::size_t line) const { return node_id{setup_.homes[line]}; }
  std::uint64_t address(std::size_t line) const { return addresses_[line]; }
  /// In its home's memory.
  std::uint64_t offset(std::size_t line) const { return line << settings.layout.line_shift; }
  std::size_t line_at(std::uint64_t offset) const {
    const std::uint64_t line = offset >> settings.layout.line_shift;
    if (line >= size_.lines || this->offset(line) != offset) {
      throw broken_rule("a handler reaches for a line that does not exist");
    }
    return line;
  }
  /// Whether an offset is that of the line that a node's protocol processor owns.
  bool is_owned_line(std::uint64_t offset) const {
    return size_.owns && offset == settings.layout.owned_line(0);
  }
  /// The place of a word among those of a directory.
  std::size_t word_at(std::uint64_t address) const {
    const std::uint64_t place = (address - settings.layout.base) / word_bytes;
    if (address % word_bytes != 0 || place >= size_.words) {
      throw broken_rule("a handler reaches for a word that is not the protocol's");
    }
    return place;
  }

  address_layout layout;
  coherence::handler_settings settings;

 private:
  explored_setup setup_;
  explored_size size_{};
  std::vector<std::uint64_t> addresses_;
};

/// What a state leaves open and a handler can see.
struct explored_luck {
  /// Places of each outgoing queue beyond what is promised, at most.
  std::size_t beyond = explored_channel::places;
  /// Whether the dispatch has read the line ahead, and whether buffers can be allocated.
  bool read_ahead = false;
  bool buffers = true;
};

/// A processor's access that was granted, or something else.
struct explored_grant {
  bool granted = false;
  std::uint32_t node = 0;
  std::uint8_t line = 0;
  bool writes = false;
};

/// All copies of a line, wherever they are: somebody writes it.
inline void make_stale(explored_state& state, const explored_size& size, std::uint8_t line) {
  const auto age = [](copy_of_line& data) {
    if (data == copy_of_line::latest) data = copy_of_line::stale;
  };
  const auto age_all = [&](auto& queue) {
    for (std::size_t i = 0; i < queue.size(); ++i) {
      if (queue[i].line == line) age(queue[i].data);
    }
  };
  age(state.memory[line]);
  for (std::size_t i = 0; i < size.nodes; ++i) {
    age(state.nodes[i].cache[line].data);
    age(state.nodes[i].kept);
    age_all(state.nodes[i].processor);
    age_all(state.nodes[i].deliveries);
    for (auto& to : state.channels[i]) {
      for (explored_channel& each : to) age_all(each);
    }
  }
}

inline void lose(explored_line& line) {
  line.state = line_state::invalid;
  line.data = copy_of_line::none;
}

inline void fill(explored_line& line, const explored_delivery& from) {
  using kind = explored_delivery::kind;
  if (from.what == kind::upgraded) {
    if (line.state != line_state::shared) throw broken_rule("what is upgraded is not there");
    line.state = line_state::exclusive;
    return;
  }
  if (from.data == copy_of_line::none) throw broken_rule("a cache is filled without a line");
  line.state = from.what == kind::shared ? line_state::shared : line_state::exclusive;
  line.data = from.data;
}

/// The first message to a node's cache comes there.
inline explored_grant deliver_first(explored_state& state, std::uint32_t node) {
  using kind = explored_delivery::kind;
  const explored_delivery first = state.nodes[node].deliveries.take(0);
  explored_line& line = state.nodes[node].cache[first.line];
  if (first.what == kind::invalidate) {
    lose(line);
    return {};
  }
  const bool writes = line.want != line_want::shared;
  line.awaited = false;
  line.want = line_want::shared;
  if (first.what == kind::refused) return {};
  fill(line, first);
  return {!writes || line.state == line_state::exclusive, node, first.line, writes};
}

/// One handler's node.
class explored_node {
 public:
  explored_node(const explored_plan& plan, explored_state& state, const message& arrived,
                copy_of_line data, const explored_luck& luck)
      : plan_(plan), state_(state), arrived_(arrived), here_(arrived.destination), luck_(luck) {
    const promised_sends promised = promised_to(arrived.origin, arrived.over);
    promised_ = {promised.requests, promised.replies};
    allowed_ = promised_;
    if (data == copy_of_line::none) return;
    arrived_.data = payload_handle{0};
    buffers_[0] = {1, data};
    holds_arrived_ = true;
  }

  const message& arrived() const { return arrived_; }
  node_id here() const { return here_; }
  const address_layout& addresses() const { return plan_.layout; }
  void spend(std::uint64_t) {}

  std::uint64_t space(message_lane over) {
    asked_space_ = true;
    allowed_[static_cast<std::size_t>(over)] = room(over);
    return room(over);
  }

  void send(const message& sent) {
    const copy_of_line data = sent.length == 0 ? copy_of_line::none : give_up(sent.data);
    if (sent.length != 0 && data == copy_of_line::none) {
      throw broken_rule("a message takes a buffer along that nothing has filled");
    }
    if (is_line_reply(sent.type)) {
      reply(sent, data);
    } else {
      send_to_network(sent, data);
    }
  }

  std::optional<payload_handle> allocate() {
    asked_buffer_ = true;
    if (!luck_.buffers) return std::nullopt;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (buffers_[i].holders != 0) continue;
      buffers_[i] = {1, copy_of_line::none};
      return payload_handle{static_cast<std::uint16_t>(i)};
    }
    throw broken_rule("a handler holds too many buffers");
  }
  void retain(payload_handle data) { ++held(data).holders; }
  void release(payload_handle data) { give_up(data); }

  void fill(payload_handle data, std::uint64_t line) { held(data).data = place_of(line); }
  void spill(payload_handle data, std::uint64_t line) {
    if (held(data).data == copy_of_line::none) {
      throw broken_rule("a buffer is written to memory that nothing has filled");
    }
    place_of(line) = held(data).data;
  }

  word_t load(std::uint64_t address) const { return own().words[plan_.word_at(address)]; }
  void store(std::uint64_t address, word_t value) { own().words[plan_.word_at(address)] = value; }

  void later(std::uint64_t record, handler_id run, const message& with) {
    const std::size_t place = plan_.word_at(record);
    for (std::size_t i = 0; i < own().deferred.size(); ++i) {
      if (own().deferred[i].record == place) throw broken_rule("a record is queued twice");
    }
    own().deferred.push({static_cast<std::uint8_t>(run), static_cast<std::uint8_t>(place),
                         static_cast<std::uint8_t>(with.aux), line_of(with)});
  }
  /// Of the deferred handler, which is the first in its queue.
  void again(const message& with) {
    pay_reload();
    explored_deferred entry = own().deferred.take(0);
    entry.aux = static_cast<std::uint8_t>(with.aux);
    own().deferred.push(entry);
  }
  void done() {
    pay_reload();
    own().deferred.take(0);
  }

  void intervene(intervention asked, std::uint64_t line, payload_handle data, bool wants_state) {
    const auto number = static_cast<std::uint8_t>(plan_.line_at(plan_.layout.offset_of(line)));
    explored_line& there = own().cache[number];
    if (data != no_payload && !wants_state) throw broken_rule("wants a line and not its state");
    if (asked == intervention::invalidate && there.outstanding) there.invalidated = true;
    if (!wants_state) {
      deliver({explored_delivery::kind::invalidate, number, copy_of_line::none});
      return;
    }
    if (unread_ == most_state_replies) throw broken_rule("too many states are unread");
    // The handler waits until all that was sent before has come to the cache.
    deliver_all();
    const explored_line found = found_by(asked, there);
    states_[unread_++] = found.state;
    if (data != no_payload && found.state != line_state::invalid) held(data).data = found.data;
  }
  void count(handler_id, std::uint64_t, std::uint64_t) {}
  line_state state_reply() {
    if (unread_ == 0) throw broken_rule("a state is read that nobody asked for");
    const line_state oldest = states_[0];
    states_[0] = states_[1];
    --unread_;
    return oldest;
  }

  // --- for the handler that owns a line ----------------------------------------------------------

  /// Writes the line in a buffer.
  void write(payload_handle data) {
    make_stale(state_, plan_.size(), line_of(arrived_));
    held(data).data = copy_of_line::latest;
  }
  void forget_kept() { own().kept = copy_of_line::none; }

  // --- for the controller ------------------------------------------------------------------------

  void begin_deferred() { owes_reload_ = true; }
  /// After the handler; checks what it leaves behind.
  void end() {
    if (owes_reload_) throw broken_rule("a deferred handler has called neither again nor done");
    if (unread_ != 0) throw broken_rule("a handler has not read a state that it asked for");
    if (holds_arrived_) give_up(arrived_.data);
    for (const buffer& each : buffers_) {
      if (each.holders != 0) throw broken_rule("a handler keeps a buffer");
    }
  }
  /// Whether the handler would have seen another luck.
  bool asked_space() const { return asked_space_; }
  bool asked_buffer() const { return asked_buffer_; }
  const explored_grant& granted() const { return granted_; }

 protected:
  explored_node_state& own() { return state_.nodes[index(here_)]; }
  /// This node's cache, about the line of a message.
  explored_line& cached(const message& about) { return own().cache[line_of(about)]; }
  const explored_node_state& own() const { return state_.nodes[index(here_)]; }
  const explored_plan& plan() const { return plan_; }
  /// Makes the promise smaller.
  void promise_replies(std::size_t most) {
    promised_[1] = std::min(promised_[1], most);
    allowed_[1] = promised_[1];
  }
  std::uint8_t line_of(const message& of) const {
    return static_cast<std::uint8_t>(plan_.line_at(plan_.layout.offset_of(of.address)));
  }

 private:
  struct buffer {
    std::uint32_t holders = 0;
    copy_of_line data = copy_of_line::none;
  };

  copy_of_line& place_of(std::uint64_t offset) {
    return plan_.is_owned_line(offset) ? own().kept : state_.memory[plan_.line_at(offset)];
  }
  bool serves_reply() const {
    return arrived_.origin == message_origin::network && arrived_.over == message_lane::reply;
  }
  /// As protocol_processor keeps it.
  std::size_t room(message_lane over) const {
    if (serves_reply()) return 0;
    // Little room is used up by what is sent; much is not, but for the channels.
    const std::size_t sent = sent_[static_cast<std::size_t>(over)];
    std::size_t beyond = std::min(luck_.beyond, plan_.setup().places);
    if (luck_.beyond < explored_channel::places) beyond -= std::min(beyond, sent);
    for (std::uint32_t i = 0; i < plan_.setup().nodes; ++i) {
      const std::size_t used =
          state_.channels[index(here_)][i][static_cast<std::size_t>(over)].size();
      beyond = std::min(beyond, plan_.setup().places - std::min(used, plan_.setup().places));
    }
    return std::max(promised_[static_cast<std::size_t>(over)], beyond);
  }

  void send_to_network(const message& sent, copy_of_line data) {
    const auto lane = static_cast<std::size_t>(sent.over);
    if (serves_reply()) throw broken_rule("D3: a handler of the reply lane sends");
    if (allowed_[lane] == 0) throw broken_rule("D1: a handler sends without a promise or space");
    if (sent.destination == here_) throw broken_rule("a node sends a message to itself");
    check_description(sent);
    if (index(sent.destination) >= plan_.setup().nodes) throw broken_rule("there is no such node");
    --allowed_[lane];
    ++sent_[lane];
    if (promised_[lane] > 0) --promised_[lane];
    state_.channels[index(here_)][index(sent.destination)][lane].push(
        {sent.type, static_cast<std::uint8_t>(sent.aux), line_of(sent), data});
  }

  static void check_description(const message& sent) {
    const std::size_t type = sent.type;
    constexpr std::size_t first = coherence::first_message_type;
    if (type < first || type - first >= std::size(coherence::message_descriptions)) {
      throw broken_rule("a message has a type that the protocol does not have");
    }
    const auto& described = coherence::message_descriptions[type - first];
    const bool has_line = described.payload == coherence::message_payload::line;
    if (sent.over != described.lane || (sent.length != 0) != has_line) {
      throw broken_rule(std::string(described.name) + " is not sent as the table of messages says");
    }
  }

  buffer& held(payload_handle data) {
    if (data == no_payload || buffers_.at(static_cast<std::size_t>(data)).holders == 0) {
      throw broken_rule("a handler uses a buffer that it does not have");
    }
    return buffers_[static_cast<std::size_t>(data)];
  }
  copy_of_line give_up(payload_handle data) {
    --held(data).holders;
    if (data == arrived_.data) holds_arrived_ = false;
    return buffers_[static_cast<std::size_t>(data)].data;
  }
  void pay_reload() {
    if (!owes_reload_) throw broken_rule("a handler calls again or done, and must not");
    owes_reload_ = false;
  }

  /// What the cache has, and does.
  static explored_line found_by(intervention asked, explored_line& there) {
    explored_line found = there;
    const bool granted_maybe =
        asked != intervention::invalidate && there.outstanding && there.want == line_want::upgrade;
    if (granted_maybe) {
      found.state = line_state::invalid;
    } else if (asked != intervention::get) {
      lose(there);
    } else if (there.state != line_state::invalid) {
      there.state = line_state::shared;
    }
    return found;
  }

  /// To this node's cache, by line_interface's conversion table.
  void reply(const message& sent, copy_of_line data) {
    if (sent.destination != here_) throw broken_rule("a reply is for another node's cache");
    const auto type = static_cast<common_type>(sent.type);
    if (type == common_type::line_all_invalidated) {
      if (own().incomplete == 0) throw broken_rule("a write is complete that nobody waits for");
      --own().incomplete;
      return;
    }
    if (sent.aux != 0 && type != common_type::line_refused) ++own().incomplete;
    explored_line& line = own().cache[line_of(sent)];
    if (!line.outstanding || sent.tag != line_of(sent)) {
      throw broken_rule("a reply comes to a cache that asked for nothing");
    }
    deliver({converted(line, type), line_of(sent), data});
    line.outstanding = false;
    line.invalidated = false;
  }
  static explored_delivery::kind converted(const explored_line& line, common_type type) {
    using kind = explored_delivery::kind;
    if (type == common_type::line_exclusive) return kind::exclusive;
    if (type == common_type::line_refused || line.invalidated) return kind::refused;
    return type == common_type::line_shared ? kind::shared : kind::upgraded;
  }

  void deliver(const explored_delivery& next) {
    own().deliveries.push(next);
    if (!plan_.setup().late_deliveries) deliver_all();
  }
  void deliver_all() {
    while (!own().deliveries.empty()) {
      const explored_grant granted = deliver_first(state_, index(here_));
      if (granted.granted) granted_ = granted;
    }
  }

  const explored_plan& plan_;
  explored_state& state_;
  message arrived_;
  node_id here_;
  std::array<std::size_t, explored_lanes> promised_{};  // what is left of it, by lane
  std::array<std::size_t, explored_lanes> allowed_{};   // by the promise or the last `space`
  std::array<std::size_t, explored_lanes> sent_{};      // by lane
  explored_luck luck_;
  std::array<buffer, 4> buffers_{};
  std::array<line_state, most_state_replies> states_{};
  std::size_t unread_ = 0;
  bool holds_arrived_ = false;
  bool owes_reload_ = false;
  bool asked_space_ = false;
  bool asked_buffer_ = false;
  explored_grant granted_;
};

}  // namespace tributary::testing
