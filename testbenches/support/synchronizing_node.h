// SPDX-License-Identifier: Apache-2.0
// What a handler of locks or barriers may do, on a state that can be copied: the plain controller
// without time, with one lock or barrier.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <tributary/controller/address_layout.h>
#include <tributary/controller/handler_request.h>
#include <tributary/controller/message.h>
#include <tributary/controller/promised_sends.h>
#include <tributary/memory/line_port.h>
#include <tributary/memory/operation.h>

#include "state_packing.h"

namespace tributary::testing {

inline constexpr std::size_t most_synchronizing_nodes = 4;
inline constexpr std::size_t most_synchronizing_words = 11;
inline constexpr std::size_t most_synchronizing_processes = 2;  // of a node
inline constexpr std::size_t synchronizing_lanes = 2;

/// A message in the network.
struct synchronizing_message {
  std::uint8_t type = 0;
  std::uint8_t aux = 0;
};

/// A request of a processor on its way to its controller.
struct command_on_its_way {
  std::uint8_t type = 0;
  std::uint8_t place = 0;  ///< of its offset among those of the plan
  word_t word = 0;
};

/// What is on its way from the handlers to the caches.
struct line_on_its_way {
  enum class kind : std::uint8_t { line, refused, invalidate };
  kind what = kind::refused;
  word_t word = 0;
};

/// A handler in the software queue.
struct put_off_handler {
  std::uint8_t run = 0;
  std::uint8_t record = 0;  ///< its address, in words from the first
  std::uint8_t aux = 0;
};

/// The caches' copy of the one line, of which one word counts.
struct cached_copy {
  bool present = false;
  bool awaited = false;      ///< asked for, and no answer has come
  bool invalidated = false;  ///< since it was asked for, before the handlers have answered
  word_t word = 0;
};

/// Where a process of a node is.
struct program_place {
  std::uint8_t phase = 0;
  std::uint8_t rounds = 0;  ///< acquisitions or episodes behind it
  bool answered = false;    ///< its uncached read
  word_t answer = 0;
};

struct synchronizing_node_state {
  std::array<word_t, most_synchronizing_words> words{};
  cached_copy copy;
  std::array<program_place, most_synchronizing_processes> programs{};
  /// What the processor asks comes in this order (rule N8).
  short_queue<command_on_its_way, 6> commands;
  short_queue<line_on_its_way, 4> deliveries;
  short_queue<put_off_handler, 3> put_off;
  short_queue<put_off_handler, 1> timed;  ///< handlers that run at any time from now on
};

using synchronizing_channel = short_queue<synchronizing_message, 4>;

struct synchronizing_state {
  std::array<synchronizing_node_state, most_synchronizing_nodes> nodes{};
  /// By source, destination and lane.
  std::array<
      std::array<std::array<synchronizing_channel, synchronizing_lanes>, most_synchronizing_nodes>,
      most_synchronizing_nodes>
      channels{};
};

/// What is the same in all states of a machine.
struct synchronizing_plan {
  std::uint32_t nodes = 2;
  std::uint32_t processes = 1;  ///< of a node
  address_layout layout;
  std::uint32_t space = 0;
  std::vector<std::uint64_t> words;    ///< addresses of all that handlers read and write
  std::vector<std::uint64_t> offsets;  ///< that a processor uses; the line's is the last
  std::uint64_t place_in_line = 0;     ///< of the one word that counts
  /// What of a line the program looks at, so that the states are few.
  word_t (*seen_by_program)(word_t) = nullptr;
  /// What of a line the write-back's handler looks at; nothing for a line that is only read.
  word_t (*seen_in_write_back)(word_t) = nullptr;
  /// Whether replies and invalidations come to the caches after their handler has ended.
  bool late_deliveries = false;
  bool in_order = true;  ///< whether a lane between two nodes keeps the order of its messages
  /// Faults: invalidations are lost; who takes a copy leaves it there; who finds no copy takes the
  /// first word for it.
  bool keeps_lines = false;
  bool keeps_copies = false;
  bool believes_memory = false;

  bool is_exclusive() const { return seen_in_write_back != nullptr; }
  std::uint8_t line_place() const { return static_cast<std::uint8_t>(offsets.size() - 1); }
  std::uint64_t address(std::uint32_t node, std::size_t place) const {
    return layout.address_of(node_id{node}, space, offsets[place]);
  }
  std::size_t word_at(std::uint64_t address) const {
    const auto found = std::find(words.begin(), words.end(), address);
    if (found == words.end()) throw broken_rule("a handler reaches for a word without a meaning");
    return static_cast<std::size_t>(found - words.begin());
  }
};

/// Packs or unpacks a queue.
template <class Archive, class Queue, class Visit>
void visit_entries(Archive& archive, Queue& queue, Visit&& visit) {
  archive.size(queue);
  for (std::size_t i = 0; i < queue.size(); ++i) visit(queue[i]);
}

template <class Archive, class Node>
void visit_node(Archive& archive, Node& node, std::size_t words) {
  for (std::size_t i = 0; i < words; ++i) archive.word(node.words[i]);
  archive(node.copy.present);
  archive(node.copy.awaited);
  archive(node.copy.invalidated);
  archive.word(node.copy.word);
  for (auto& program : node.programs) {
    archive(program.phase);
    archive(program.rounds);
    archive(program.answered);
    archive.word(program.answer);
  }
  visit_entries(archive, node.commands, [&](auto& each) {
    archive(each.type);
    archive(each.place);
    archive.word(each.word);
  });
  visit_entries(archive, node.deliveries, [&](auto& each) {
    archive(each.what);
    archive.word(each.word);
  });
  const auto visit_put_off = [&](auto& each) {
    archive(each.run);
    archive(each.record);
    archive(each.aux);
  };
  visit_entries(archive, node.put_off, visit_put_off);
  visit_entries(archive, node.timed, visit_put_off);
}

/// Packs or unpacks a state.
template <class Archive, class State>
void visit_state(Archive& archive, State& state, const synchronizing_plan& plan) {
  for (std::size_t i = 0; i < plan.nodes; ++i) {
    visit_node(archive, state.nodes[i], plan.words.size());
    for (std::size_t j = 0; j < plan.nodes; ++j) {
      if (i == j) continue;
      for (auto& lane : state.channels[i][j]) {
        visit_entries(archive, lane, [&](auto& each) {
          archive(each.type);
          archive(each.aux);
        });
      }
    }
  }
}

inline bool asks_for_line(const command_on_its_way& each) {
  return each.type == static_cast<std::uint8_t>(common_type::line_read);
}

/// The first message to a node's caches comes there.
inline void deliver_first(synchronizing_node_state& node) {
  using kind = line_on_its_way::kind;
  const line_on_its_way first = node.deliveries.take(0);
  if (first.what == kind::invalidate) {
    node.copy.present = false;
    node.copy.word = 0;
    return;
  }
  node.copy.awaited = false;
  if (first.what == kind::refused) return;
  node.copy.present = true;
  node.copy.word = first.word;
}

/// What a state leaves open and a handler can see.
struct synchronizing_luck {
  static constexpr std::size_t much = 4;
  std::size_t room = much;  ///< in the outgoing queues, beyond what is promised
  bool buffers = true;

  bool is_best() const { return room == much && buffers; }
};

/// One handler's node.
class synchronizing_node {
 public:
  synchronizing_node(const synchronizing_plan& plan, synchronizing_state& state,
                     const message& arrived, word_t data, const synchronizing_luck& luck)
      : plan_(plan), state_(state), arrived_(arrived), here_(arrived.destination), luck_(luck) {
    const promised_sends promised = promised_to(arrived.origin, arrived.over);
    promised_ = {promised.requests, promised.replies};
    allowed_ = promised_;
    if (arrived.length == 0) return;
    arrived_.data = payload_handle{0};
    buffers_[0] = {true, data};
  }

  const message& arrived() const { return arrived_; }
  node_id here() const { return here_; }
  const address_layout& addresses() const { return plan_.layout; }
  void spend(std::uint64_t) {}

  std::uint64_t space(message_lane over) {
    asked_space_ = true;
    const auto lane = static_cast<std::size_t>(over);
    allowed_[lane] = room(lane);
    return allowed_[lane];
  }
  void send(const message& sent) {
    if (is_line_reply(sent.type)) {
      reply(sent);
    } else {
      send_to_network(sent);
    }
  }
  /// Ends the uncached read that the handler arrived with, of the node's first process.
  void answer(word_t value) {
    program_place& program = own().programs[0];
    if (arrived_.type != static_cast<std::uint8_t>(common_type::uncached_read) ||
        program.answered) {
      throw broken_rule("a handler answers a read that there is not");
    }
    program.answered = true;
    program.answer = value;
  }

  std::optional<payload_handle> allocate() {
    asked_buffer_ = true;
    if (!luck_.buffers) return std::nullopt;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (buffers_[i].is_held) continue;
      buffers_[i] = {true, 0};
      return payload_handle{static_cast<std::uint16_t>(i)};
    }
    throw broken_rule("a handler holds too many buffers");
  }
  void release(payload_handle data) { held(data).is_held = false; }
  void fill(payload_handle data, std::uint64_t line) { held(data).word = load(line); }
  word_t word(payload_handle data, std::uint64_t place) {
    check_place(place);
    return held(data).word;
  }
  void set_word(payload_handle data, std::uint64_t place, word_t value) {
    check_place(place);
    held(data).word = value;
  }

  word_t load(std::uint64_t address) { return own().words[plan_.word_at(address)]; }
  void store(std::uint64_t address, word_t value) { own().words[plan_.word_at(address)] = value; }

  void later(std::uint64_t record, handler_id run, const message& with) {
    const auto place = static_cast<std::uint8_t>((record - plan_.words[0]) / word_bytes);
    for (std::size_t i = 0; i < own().put_off.size(); ++i) {
      if (own().put_off[i].record == place) throw broken_rule("a record is queued twice");
    }
    own().put_off.push(
        {static_cast<std::uint8_t>(run), place, static_cast<std::uint8_t>(with.aux)});
  }
  /// As the idle handler, once.
  void after(std::uint64_t, handler_id run, const message& with) {
    for (std::size_t i = 0; i < own().timed.size(); ++i) {
      if (own().timed[i].run == static_cast<std::uint8_t>(run)) return;
    }
    own().timed.push({static_cast<std::uint8_t>(run), 0, static_cast<std::uint8_t>(with.aux)});
  }
  /// Of the deferred handler, which is the first in its queue.
  void again(const message& with) {
    pay_reload();
    put_off_handler entry = own().put_off.take(0);
    entry.aux = static_cast<std::uint8_t>(with.aux);
    own().put_off.push(entry);
  }
  void done() {
    pay_reload();
    own().put_off.take(0);
  }

  void intervene(intervention asked, std::uint64_t line, payload_handle data, bool wants_state) {
    if (line != plan_.address(index(here_), plan_.line_place())) {
      throw broken_rule("a handler asks the caches for a line that there is not");
    }
    if (!wants_state) return invalidate();
    if (asked != intervention::get_exclusive) throw broken_rule("a handler leaves the copy there");
    // The handler waits until all that was sent before has come to the caches.
    deliver_all();
    cached_copy& copy = own().copy;
    found_ = copy.present ? line_state::exclusive : line_state::invalid;
    missed_ = missed_ || !copy.present;
    if (copy.present) held(data).word = copy.word;
    if (looks_away_ || (!copy.present && plan_.believes_memory)) {
      found_ = line_state::exclusive;
      held(data).word = own().words[0];
    }
    if (looks_away_ || plan_.keeps_copies) return;
    copy.present = false;
    copy.word = 0;
  }
  line_state state_reply() {
    if (!found_) throw broken_rule("a state is read that nobody asked for");
    const line_state found = *found_;
    found_.reset();
    return found;
  }

  // --- for the controller ------------------------------------------------------------------------

  void begin_deferred() { owes_reload_ = true; }
  /// A fault: the handler takes the first word for the copy, which it leaves there.
  void look_away() { looks_away_ = true; }
  /// After the handler; checks what it leaves behind.
  void end() {
    if (owes_reload_) throw broken_rule("a deferred handler has called neither again nor done");
    if (found_) throw broken_rule("a handler has not read a state that it asked for");
    if (arrived_.data != no_payload) release(arrived_.data);
    for (const buffer& each : buffers_) {
      if (each.is_held) throw broken_rule("a handler keeps a buffer");
    }
  }
  /// Whether the handler would have seen another luck.
  bool asked_space() const { return asked_space_; }
  bool asked_buffer() const { return asked_buffer_; }
  /// Whether the handler wanted a line that was not in the caches.
  bool missed() const { return missed_; }

 private:
  struct buffer {
    bool is_held = false;
    word_t word = 0;
  };

  synchronizing_node_state& own() { return state_.nodes[index(here_)]; }
  void check_place(std::uint64_t place) const {
    if (place == plan_.place_in_line) return;
    throw broken_rule("a handler reaches for a word of another lock or barrier");
  }
  bool serves_reply() const {
    return arrived_.origin == message_origin::network && arrived_.over == message_lane::reply;
  }
  /// As protocol_processor keeps it. Little room is used up by what is sent, much is not.
  std::size_t room(std::size_t lane) const {
    if (serves_reply()) return 0;
    const bool much = luck_.room == synchronizing_luck::much;
    const std::size_t left = much ? luck_.room : luck_.room - std::min(luck_.room, sent_[lane]);
    return std::max(promised_[lane], left);
  }

  void send_to_network(const message& sent) {
    const auto lane = static_cast<std::size_t>(sent.over);
    const std::uint32_t there = index(sent.destination);
    if (serves_reply()) throw broken_rule("D3: a handler of the reply lane sends");
    if (allowed_[lane] == 0) throw broken_rule("D1: a handler sends without a promise or space");
    if (sent.destination == here_) throw broken_rule("a node sends a message to itself");
    if (there >= plan_.nodes) throw broken_rule("there is no such node");
    if (sent.address != plan_.address(there, 0)) throw broken_rule("an address is of another node");
    --allowed_[lane];
    ++sent_[lane];
    if (promised_[lane] > 0) --promised_[lane];
    state_.channels[index(here_)][there][lane].push(
        {sent.type, static_cast<std::uint8_t>(sent.aux)});
  }

  buffer& held(payload_handle data) {
    if (data == no_payload || !buffers_.at(static_cast<std::size_t>(data)).is_held) {
      throw broken_rule("a handler uses a buffer that it does not have");
    }
    return buffers_[static_cast<std::size_t>(data)];
  }
  void pay_reload() {
    if (!owes_reload_) throw broken_rule("a handler calls again or done, and must not");
    owes_reload_ = false;
  }

  // --- to the caches -----------------------------------------------------------------------------

  bool is_outstanding() {
    for (std::size_t i = 0; i < own().commands.size(); ++i) {
      if (asks_for_line(own().commands[i])) return true;
    }
    return false;
  }
  /// A shared line that comes after it is not used, as in line_interface's conversion table.
  void invalidate() {
    if (plan_.keeps_lines) return;
    if (!plan_.is_exclusive() && is_outstanding()) own().copy.invalidated = true;
    deliver({line_on_its_way::kind::invalidate, 0});
  }

  void reply(const message& sent) {
    const auto type = static_cast<common_type>(sent.type);
    if (!asks_for_line(command_on_its_way{arrived_.type, 0, 0}) || sent.destination != here_) {
      throw broken_rule("a reply comes to caches that asked for nothing");
    }
    const bool refused = type == common_type::line_refused;
    const bool dropped = refused || own().copy.invalidated;
    own().copy.invalidated = false;
    check_reply(type);
    word_t word = 0;
    if (!refused) {
      word = plan_.seen_by_program(held(sent.data).word);
      release(sent.data);
    }
    using kind = line_on_its_way::kind;
    deliver({dropped ? kind::refused : kind::line, dropped ? 0 : word});
  }
  void check_reply(common_type type) const {
    const common_type right =
        plan_.is_exclusive() ? common_type::line_exclusive : common_type::line_shared;
    if (type != right && type != common_type::line_refused) {
      throw broken_rule("the caches get the line in a state that the protocol does not know");
    }
  }

  void deliver(const line_on_its_way& next) {
    own().deliveries.push(next);
    if (!plan_.late_deliveries) deliver_all();
  }
  void deliver_all() {
    while (!own().deliveries.empty()) deliver_first(own());
  }

  const synchronizing_plan& plan_;
  synchronizing_state& state_;
  message arrived_;
  node_id here_;
  std::array<std::size_t, synchronizing_lanes> promised_{};  // what is left of it, by lane
  std::array<std::size_t, synchronizing_lanes> allowed_{};   // by the promise or the last `space`
  std::array<std::size_t, synchronizing_lanes> sent_{};      // by lane
  synchronizing_luck luck_;
  std::array<buffer, 3> buffers_{};
  std::optional<line_state> found_;
  bool looks_away_ = false;
  bool owes_reload_ = false;
  bool asked_space_ = false;
  bool asked_buffer_ = false;
  bool missed_ = false;
};

}  // namespace tributary::testing
