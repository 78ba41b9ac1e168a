// SPDX-License-Identifier: Apache-2.0
// A small coherent machine whose every step is chosen by who explores it: processors that ask,
// write and evict, and nodes that serve one message each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/protocols/coherence/coherence.h>

#include "explored_node.h"

namespace tributary::testing {

/// One step of a machine.
struct explored_move {
  enum class kind : std::uint8_t {
    read,
    write_miss,  ///< asks for an exclusive line, or for an upgrade
    write,       ///< to a line that the cache has exclusive
    evict,
    own,      ///< the protocol processor asks for a line
    deliver,  ///< what a handler has sent to the cache
    serve_processor,
    serve_channel,
    serve_deferred
  };
  kind what = kind::read;
  std::uint8_t node = 0;
  std::uint8_t line = 0;
  std::uint8_t source = 0;
  std::uint8_t lane = 0;
  std::uint8_t place = 0;    ///< in the channel
  std::uint8_t handler = 0;  ///< its number, of a move that serves a message
  explored_luck luck{};

  bool serves() const { return what >= kind::deliver; }
  bool runs_handler() const { return what > kind::deliver; }
  bool asks() const { return what == kind::read || what == kind::write_miss; }
};

/// A handler by its name.
template <class Node>
struct explored_handler {
  using run = coherence::handlers<Node>;
  const char* name;
  void (run::*body)();
};

template <class Node>
const std::vector<explored_handler<Node>>& explored_handlers() {
  using run = coherence::handlers<Node>;
  static const std::vector<explored_handler<Node>> all = {
      {"processor_read", &run::processor_read},
      {"processor_read_exclusive", &run::processor_read_exclusive},
      {"processor_upgrade", &run::processor_upgrade},
      {"processor_write_back", &run::processor_write_back},
      {"processor_replaced", &run::processor_replaced},
      {"ask_read", &run::ask_read},
      {"ask_read_exclusive", &run::ask_read_exclusive},
      {"ask_upgrade", &run::ask_upgrade},
      {"send_write_back", &run::send_write_back},
      {"send_replaced", &run::send_replaced},
      {"home_read", &run::home_read},
      {"home_read_exclusive", &run::home_read_exclusive},
      {"home_upgrade", &run::home_upgrade},
      {"home_write_back", &run::home_write_back},
      {"home_replaced", &run::home_replaced},
      {"forwarded_read", &run::forwarded_read},
      {"forwarded_read_exclusive", &run::forwarded_read_exclusive},
      {"invalidate", &run::invalidate},
      {"take_shared", &run::take_shared},
      {"take_exclusive", &run::take_exclusive},
      {"take_upgraded", &run::take_upgraded},
      {"take_refused", &run::take_refused},
      {"take_all_invalidated", &run::take_all_invalidated},
      {"invalidated", &run::invalidated},
      {"shared_back", &run::shared_back},
      {"owner_moved", &run::owner_moved},
      {"forward_refused", &run::forward_refused},
      {"go_on_invalidating", &run::go_on_invalidating},
      {"grant_late", &run::grant_late},
      {"tell_complete", &run::tell_complete},
      {"home_own", &run::home_own},
      {"forwarded_own", &run::forwarded_own},
      {"take_owned", &run::take_owned},
      {"take_own_refused", &run::take_own_refused},
      {"ask_owned", &run::ask_owned}};
  return all;
}

/// The protocol's handlers, its own rules that choose them, and the steps around them.
template <class Node>
class explored_machine {
 public:
  explicit explored_machine(const explored_setup& setup) : plan_(setup) {
    coherence_protocol real({}, {}, plan_.settings.layout.lines * line_size().bytes(), line_size());
    rules_ = real.rules();
    types_ = real.message_names();
    for (const std::string& name : real.handler_names()) {
      bodies_.push_back(body_of(name));
      finds_entry_.push_back(is_of_entry(name));
    }
    const auto deferred = [&](const char* name) { return number_of(name); };
    plan_.settings.deferred = {deferred("go_on_invalidating"), deferred("grant_late"),
                               deferred("tell_complete"), deferred("ask_owned")};
  }

  const explored_plan& plan() const { return plan_; }
  /// The protocol's. One more is that of a protocol processor that owns a line.
  std::size_t handlers() const { return bodies_.size(); }
  const char* name_of_handler(std::size_t number) const { return bodies_[number]->name; }

  explored_state initial() const {
    explored_state state;
    for (std::size_t i = 0; i < plan_.size().lines; ++i) state.memory[i] = copy_of_line::latest;
    for (std::size_t i = 0; i < plan_.setup().nodes; ++i) {
      if (plan_.size().has_directory[i]) begin_pools(state.nodes[i]);
    }
    return state;
  }

  /// Calls `visit(move, next, granted, broken)` for every step from a state; `broken` is the rule
  /// that the step breaks, or empty. Steps that differ only by a luck that the handler does not see
  /// are one.
  template <class Visit>
  void for_each_step(const explored_state& from, Visit&& visit) const {
    if (plan_.setup().eager && step_unseen(from, visit)) return;
    for (std::uint8_t node = 0; node < plan_.setup().nodes; ++node) {
      for (std::uint8_t line = 0; line < plan_.size().lines; ++line) {
        step_of_processor(from, node, line, visit);
      }
      step_of_controller(from, node, visit);
    }
  }

  /// Whether nothing is under way.
  bool at_rest(const explored_state& state) const {
    for (std::size_t i = 0; i < plan_.setup().nodes; ++i) {
      const explored_node_state& node = state.nodes[i];
      if (!node.processor.empty() || !node.deliveries.empty() || !node.deferred.empty() ||
          node.incomplete != 0 || node.kept != copy_of_line::none) {
        return false;
      }
      for (const explored_line& each : node.cache) {
        if (each.awaited) return false;
      }
      for (const auto& to : state.channels[i]) {
        for (const explored_channel& each : to) {
          if (!each.empty()) return false;
        }
      }
    }
    return true;
  }

  // --- situations: what a handler finds of its line ----------------------------------------------

  /// Whether a handler runs at the home of its line and finds the directory's entry; else it finds
  /// what its node's cache has and wants.
  bool finds_entry(std::size_t handler) const { return finds_entry_[handler]; }
  /// How many situations a handler may be thought to find its line in.
  static constexpr std::size_t situations = 32;
  /// The number of one, before a step that runs a handler.
  std::size_t situation_of(const explored_state& from, const explored_move& move) const {
    const std::uint8_t line = line_of(next_of(from, move).arrived);
    const explored_node_state& node = from.nodes[move.node];
    if (finds_entry(move.handler)) {
      const coherence::directory_entry found = entry(node, line);
      const bool has_any = found.local() || found.has_remote() || found.list() != 0;
      const std::size_t who = found.dirty() ? (found.local() ? 2U : 3U) : (has_any ? 1U : 0U);
      return who | (found.pending() ? 4U : 0U) | (found.early() ? 8U : 0U) |
             (found.owned() ? 16U : 0U);
    }
    const explored_line& found = node.cache[line];
    const std::size_t has = found.state == line_state::invalid  ? 0
                            : found.state == line_state::shared ? 1
                                                                : 2;
    const std::size_t wants = found.awaited ? 1 + static_cast<std::size_t>(found.want) : 0;
    return has | wants << 2;
  }
  /// For people: "dirty elsewhere, pending", or "shared, wants an upgrade"; empty for numbers that
  /// mean nothing.
  std::string name_of_situation(std::size_t handler, std::size_t situation) const {
    static const char* const entries[] = {"in memory only", "shared", "dirty at home",
                                          "dirty elsewhere"};
    static const char* const states[] = {"invalid", "shared", "exclusive"};
    static const char* const wants[] = {"", ", wants it shared", ", wants it exclusive",
                                        ", wants an upgrade"};
    if (finds_entry(handler)) {
      return entries[situation & 3] + std::string((situation & 4) != 0 ? ", pending" : "") +
             ((situation & 8) != 0 ? ", early" : "") + ((situation & 16) != 0 ? ", owned" : "");
    }
    if ((situation & 3) == 3 || situation >= 16) return "";
    return states[situation & 3] + std::string(wants[situation >> 2]);
  }

  /// A step from a state, for people.
  std::string text(const explored_move& move, const explored_state& from) const {
    const std::string node = "node " + std::to_string(move.node);
    const std::string line = plan_.size().lines == 1 ? "" : " line " + std::to_string(move.line);
    switch (move.what) {
      case explored_move::kind::read:
        return node + "'s processor misses" + line + " on a read";
      case explored_move::kind::write_miss:
        return node + "'s processor misses" + line + " on a write";
      case explored_move::kind::write:
        return node + "'s processor writes" + line;
      case explored_move::kind::evict:
        return node + "'s cache evicts" + line;
      case explored_move::kind::own:
        return node + "'s protocol processor wants" + (line.empty() ? " the line" : line);
      case explored_move::kind::deliver:
        return node + "'s cache gets what was sent to it";
      default:
        break;
    }
    const served next = next_of(from, move);
    const char* const name =
        next.run == handlers() ? "the owner's handler" : bodies_[next.run]->name;
    return node + " runs " + name + origin_text(move) + line_text(next.arrived) +
           luck_text(move.luck);
  }

 private:
  using kind = explored_move::kind;
  using handler_of_node = explored_handler<Node>;

  struct served {
    message arrived;
    copy_of_line data = copy_of_line::none;
    std::uint8_t run = 0;  ///< number of the handler
    bool reads_ahead = false;
  };

  static const handler_of_node* body_of(const std::string& name) {
    for (const handler_of_node& each : explored_handlers<Node>()) {
      if (name == each.name) return &each;
    }
    throw broken_rule("the explored machine does not know handler " + name);
  }
  static bool is_of_entry(const std::string& name) {
    return name.rfind("ask_", 0) != 0 && name.rfind("send_", 0) != 0 &&
           name.rfind("take_", 0) != 0 && name.rfind("forwarded_", 0) != 0 && name != "invalidate";
  }
  handler_id number_of(const std::string& name) const {
    std::uint16_t number = 0;
    while (name != bodies_[number]->name) ++number;
    return handler_id{number};
  }

  /// As if all list elements and records had been used before.
  void begin_pools(explored_node_state& node) const {
    if (plan_.setup().fresh_pools) return;
    const coherence::directory_layout& at = plan_.settings.layout;
    const auto word = [&](std::uint64_t address) -> word_t& {
      return node.words[plan_.word_at(address)];
    };
    word(at.base + at.fresh_elements) = at.elements;
    word(at.base + at.fresh_records) = at.records;
    word(at.base + at.free_element) = at.elements == 0 ? 0 : 1;
    word(at.base + at.free_record) = 1;
    for (word_t i = 1; i < at.elements; ++i) {
      word(at.element(i)) = coherence::list_element::next.put(0, i + 1);
    }
    for (word_t i = 1; i < at.records; ++i) word(at.record(i) + at.record_next) = i + 1;
    forget_stale(node);
  }

  // --- steps that nobody else sees ---------------------------------------------------------------

  /// Takes a step that can as well be taken before all that is possible now, if there is one: it
  /// leads to the same states in either order, and no other step can prevent it. Such steps end, so
  /// that nothing is put off for ever.
  template <class Visit>
  bool step_unseen(const explored_state& from, Visit&& visit) const {
    explored_move move;
    for (std::uint8_t node = 0; node < plan_.setup().nodes; ++node) {
      move.node = node;
      move.what = kind::serve_processor;
      if (asks_remote_home(from, node)) return serve(from, move, visit), true;
      move.what = kind::serve_channel;
      move.lane = static_cast<std::uint8_t>(message_lane::reply);
      for (std::uint8_t source = 0; source < plan_.setup().nodes; ++source) {
        move.source = source;
        if (is_sunk(from, node, source)) return serve(from, move, visit), true;
      }
    }
    return false;
  }

  /// The node passes its processor's message on, and sends no other over that lane.
  bool asks_remote_home(const explored_state& from, std::uint8_t node) const {
    if (plan_.size().has_directory[node] || from.nodes[node].processor.empty()) return false;
    return plan_.setup().places == explored_channel::places;
  }

  /// The first reply from another node changes what is seen by no handler, and by no cache but for
  /// what it asks next.
  bool is_sunk(const explored_state& from, std::uint8_t node, std::uint8_t source) const {
    const auto& replies = from.channels[source][node][1];
    if (replies.empty()) return false;
    const explored_message& first = replies[0];
    switch (static_cast<coherence::message_type>(first.type)) {
      case coherence::message_type::all_invalidated:
        return true;
      case coherence::message_type::refused:
        // While an upgrade is outstanding, interventions do not find the line.
        return from.nodes[node].cache[first.line].state == line_state::invalid;
      case coherence::message_type::invalidated:
        return entry(from.nodes[node], first.line).acknowledgements() > 1;
      default:
        return false;
    }
  }
  coherence::directory_entry entry(const explored_node_state& home, std::size_t line) const {
    const std::uint64_t at = plan_.settings.layout.entry(plan_.offset(line));
    return coherence::directory_entry(home.words[plan_.word_at(at)]);
  }

  // --- processors --------------------------------------------------------------------------------

  static bool has_room(const explored_node_state& node) {
    return node.processor.size() < node.processor.places;
  }

  template <class Visit>
  void step_of_processor(const explored_state& from, std::uint8_t node, std::uint8_t line,
                         Visit&& visit) const {
    const explored_line& there = from.nodes[node].cache[line];
    explored_move move;
    move.node = node;
    move.line = line;
    const auto take = [&](kind what) {
      move.what = what;
      explored_state next = from;
      move_processor(next, move);
      visit(move, next, explored_grant{}, std::string());
    };
    if (may_own(from, node)) own(from, move, visit);
    if (there.state == line_state::exclusive) take(kind::write);
    if (there.awaited || !has_room(from.nodes[node])) return;
    if (there.state == line_state::invalid) take(kind::read);
    if (there.state != line_state::exclusive) take(kind::write_miss);
    if (there.state != line_state::invalid) take(kind::evict);
  }

  bool may_own(const explored_state& from, std::uint8_t node) const {
    const std::vector<std::uint32_t>& owners = plan_.setup().owners;
    if (std::find(owners.begin(), owners.end(), node) == owners.end()) return false;
    const coherence::directory_layout& at = plan_.settings.layout;
    return from.nodes[node].words[plan_.word_at(at.base + at.owned_lines)] == 0;
  }
  template <class Visit>
  void own(const explored_state& from, explored_move move, Visit&& visit) const {
    move.what = kind::own;
    explored_state next = from;
    message asks;
    asks.address = plan_.address(move.line);
    asks.destination = node_id{move.node};
    asks.origin = message_origin::timed;
    Node node(plan_, next, asks, copy_of_line::none, {});
    coherence::owned_line<Node>(node, plan_.settings, asks.address)
        .ask(handler_id{static_cast<std::uint16_t>(handlers())}, 0);
    node.end();
    visit(move, next, explored_grant{}, std::string());
  }
  /// The handler of a protocol processor that owns a line, and writes it.
  void use_owned(Node& node) const {
    const auto data = node.allocate();
    if (!data) {
      node.again(node.arrived());
      return;
    }
    coherence::owned_line<Node> line(node, plan_.settings, node.arrived().address);
    line.take(*data);
    node.write(*data);
    line.give_back(*data);
    node.done();
    node.forget_kept();
  }

  void move_processor(explored_state& state, const explored_move& move) const {
    explored_node_state& node = state.nodes[move.node];
    switch (move.what) {
      case kind::read:
        ask(node, move.line, line_want::shared);
        break;
      case kind::write_miss:
        ask(node, move.line,
            node.cache[move.line].state == line_state::shared ? line_want::upgrade
                                                              : line_want::exclusive);
        break;
      case kind::write:
        make_stale(state, plan_.size(), move.line);
        node.cache[move.line].data = copy_of_line::latest;
        break;
      default:
        evict(node, move.line);
        break;
    }
  }

  static void ask(explored_node_state& node, std::uint8_t line, line_want want) {
    node.cache[line].awaited = true;
    node.cache[line].outstanding = true;
    node.cache[line].want = want;
    const common_type type = want == line_want::shared      ? common_type::line_read
                             : want == line_want::exclusive ? common_type::line_read_exclusive
                                                            : common_type::line_upgrade;
    node.processor.push({static_cast<std::uint8_t>(type), 0, line, copy_of_line::none});
  }

  void evict(explored_node_state& node, std::uint8_t line) const {
    explored_line& there = node.cache[line];
    if (there.state == line_state::exclusive) {
      node.processor.push(
          {static_cast<std::uint8_t>(common_type::line_write_back), 0, line, there.data});
    } else if (plan_.setup().hints) {
      node.processor.push(
          {static_cast<std::uint8_t>(common_type::line_replaced), 0, line, copy_of_line::none});
    }
    lose(there);
  }

  // --- controllers -------------------------------------------------------------------------------

  std::size_t room(const explored_state& state, std::uint8_t node, message_lane lane) const {
    std::size_t used = 0;
    for (const auto& to : state.channels[node]) {
      used = std::max(used, to[static_cast<std::size_t>(lane)].size());
    }
    return plan_.setup().places - std::min(plan_.setup().places, used);
  }

  /// As the inbox keeps it (FLASH 2.3.6, rule D5).
  bool may_serve(const explored_state& state, std::uint8_t node, const message& next) const {
    const promised_sends sends = promised_to(next.origin, next.over);
    return (sends.requests == 0 || room(state, node, message_lane::request) >= sends.requests) &&
           (sends.replies == 0 || room(state, node, message_lane::reply) >= sends.replies);
  }

  template <class Visit>
  void step_of_controller(const explored_state& from, std::uint8_t node, Visit&& visit) const {
    explored_move move;
    move.node = node;
    if (!from.nodes[node].deliveries.empty()) deliver(from, move, visit);
    move.what = kind::serve_processor;
    if (!from.nodes[node].processor.empty()) serve(from, move, visit);
    move.what = kind::serve_deferred;
    if (!from.nodes[node].deferred.empty()) serve(from, move, visit);
    move.what = kind::serve_channel;
    for (std::uint8_t source = 0; source < plan_.setup().nodes; ++source) {
      for (std::uint8_t lane = 0; lane < explored_lanes; ++lane) {
        std::size_t candidates = from.channels[source][node][lane].size();
        if (plan_.setup().in_order) candidates = std::min<std::size_t>(candidates, 1);
        for (std::uint8_t place = 0; place < candidates; ++place) {
          move.source = source;
          move.lane = lane;
          move.place = place;
          serve(from, move, visit);
        }
      }
    }
  }

  template <class Visit>
  void deliver(const explored_state& from, explored_move move, Visit&& visit) const {
    explored_state after = from;
    explored_grant granted;
    std::string broken;
    move.what = kind::deliver;
    try {
      granted = deliver_first(after, move.node);
    } catch (const broken_rule& rule) {
      broken = rule.what();
    }
    visit(move, after, granted, broken);
  }

  /// With every luck that the handler can see.
  template <class Visit>
  void serve(const explored_state& from, explored_move move, Visit&& visit) const {
    const served next = next_of(from, move);
    move.line = line_of(next.arrived);
    move.handler = next.run;
    if (!may_serve(from, move.node, next.arrived)) return;
    move.luck = {};
    if (serve_with_any_space(from, move, next, visit)) {
      move.luck.buffers = false;
      serve_with_any_space(from, move, next, visit);
    }
    if (!next.reads_ahead) return;
    move.luck.buffers = true;
    move.luck.read_ahead = true;
    serve_with_any_space(from, move, next, visit);
  }

  /// Returns whether the handler wanted a buffer.
  template <class Visit>
  bool serve_with_any_space(const explored_state& from, explored_move move, const served& next,
                            Visit&& visit) const {
    bool wanted_buffer = false;
    for (const std::size_t beyond : {explored_channel::places, std::size_t{0}, std::size_t{1}}) {
      move.luck.beyond = beyond;
      explored_state after = from;
      explored_grant granted;
      std::string broken;
      seen_luck seen;
      try {
        seen = run(after, move, next, granted);
      } catch (const broken_rule& rule) {
        broken = rule.what();
      }
      wanted_buffer = wanted_buffer || seen.buffer;
      visit(move, after, granted, broken);
      if (!seen.space) break;
    }
    return wanted_buffer;
  }

  struct seen_luck {
    bool space = false;
    bool buffer = false;
  };
  seen_luck run(explored_state& state, const explored_move& move, const served& next,
                explored_grant& granted) const {
    copy_of_line data = next.data;
    if (move.luck.read_ahead) data = state.memory[line_of(next.arrived)];
    remove(state, move);
    Node node(plan_, state, next.arrived, data, move.luck);
    if (move.what == kind::serve_deferred) node.begin_deferred();
    if (next.run == handlers()) {
      use_owned(node);
    } else {
      coherence::handlers<Node> all(node, plan_.settings);
      (all.*bodies_[next.run]->body)();
    }
    node.end();
    forget_stale(state.nodes[move.node]);
    granted = node.granted();
    return {node.asked_space(), node.asked_buffer()};
  }

  /// Of what the handler is to serve; an entry of the software queue stays until it is done.
  static void remove(explored_state& state, const explored_move& move) {
    if (move.what == kind::serve_processor) {
      state.nodes[move.node].processor.take(0);
    } else if (move.what == kind::serve_channel) {
      state.channels[move.source][move.node][move.lane].take(move.place);
    }
  }

  served next_of(const explored_state& state, const explored_move& move) const {
    served next;
    next.arrived.destination = next.arrived.source = node_id{move.node};
    if (move.what == kind::serve_deferred) {
      const explored_deferred& entry = state.nodes[move.node].deferred[0];
      next.arrived.origin = message_origin::deferred;
      next.arrived.aux = entry.aux;
      next.arrived.address = plan_.address(entry.line);
      next.run = entry.run;
      return next;
    }
    const bool from_processor = move.what == kind::serve_processor;
    const explored_message& head =
        from_processor ? state.nodes[move.node].processor[0]
                       : state.channels[move.source][move.node][move.lane][move.place];
    next.arrived.type = head.type;
    next.arrived.aux = head.aux;
    next.arrived.address = plan_.address(head.line);
    next.arrived.origin = from_processor ? message_origin::processor : message_origin::network;
    next.data = head.data;
    if (head.data != copy_of_line::none) next.arrived.length = line_size().bytes();
    if (from_processor) {
      next.arrived.tag = head.line;
    } else {
      next.arrived.source = node_id{move.source};
      next.arrived.over = static_cast<message_lane>(move.lane);
    }
    choose(next);
    return next;
  }

  void choose(served& next) const {
    const bool is_local = plan_.layout.node_of(next.arrived.address) == next.arrived.destination;
    for (const dispatch_rule& each : rules_) {
      const bool fits =
          each.type == next.arrived.type && each.origin == next.arrived.origin &&
          (each.where == locality::any || (each.where == locality::local) == is_local);
      if (!fits) continue;
      next.run = static_cast<std::uint8_t>(each.run);
      next.reads_ahead = each.ahead != speculation::none && is_local;
      return;
    }
    throw broken_rule("no rule fits " + name_of_type(next.arrived.type) + " at node " +
                      std::to_string(index(next.arrived.destination)));
  }

  /// Words of free records mean nothing; whoever reads them finds nonsense.
  void forget_stale(explored_node_state& node) const {
    const coherence::directory_layout& at = plan_.settings.layout;
    const auto word = [&](std::uint64_t address) -> word_t& {
      return node.words[plan_.word_at(address)];
    };
    const word_t fresh = word(at.base + at.fresh_records);
    std::uint64_t free = 0;
    for (word_t each = word(at.base + at.free_record); each != 0;
         each = word(at.record(each) + at.record_next)) {
      if ((free >> each & 1) != 0) throw broken_rule("a free record is in its list twice");
      free |= std::uint64_t{1} << each;
      word(at.record(each) + at.record_request) = nonsense;
    }
    for (word_t each = 1; each <= fresh; ++each) {
      if ((free >> each & 1) == 0) word(at.record(each) + at.record_next) = 0;
    }
  }

  // --- names -------------------------------------------------------------------------------------

  std::uint8_t line_of(const message& of) const {
    const std::uint64_t offset = plan_.layout.offset_of(of.address);
    return static_cast<std::uint8_t>(plan_.line_at(offset));
  }
  std::string name_of_type(std::uint8_t type) const {
    for (const message_name& each : types_) {
      if (each.type == type) return each.name;
    }
    return "type " + std::to_string(type);
  }
  static std::string origin_text(const explored_move& move) {
    if (move.what == kind::serve_processor) return " for its processor";
    if (move.what == kind::serve_deferred) return " of its software queue";
    return " for a message of node " + std::to_string(move.source) +
           (move.place == 0 ? "" : ", which overtakes others");
  }
  std::string line_text(const message& arrived) const {
    std::string text = plan_.size().lines == 1 ? "" : ", line " + std::to_string(line_of(arrived));
    const bool names_asker =
        arrived.origin == message_origin::network &&
        arrived.type < static_cast<std::uint8_t>(coherence::message_type::shared);
    if (names_asker) {
      const auto by = coherence::requester::of(arrived.aux);
      text += ", asked by node " + std::to_string(index(by.node));
    }
    return text;
  }
  static std::string luck_text(const explored_luck& luck) {
    std::string text;
    if (luck.beyond < explored_channel::places) {
      text += ", with room for " + std::to_string(luck.beyond) + " more";
    }
    if (!luck.buffers) text += ", without buffers";
    if (luck.read_ahead) text += ", the line read ahead";
    return text;
  }

  static constexpr word_t nonsense = 0xfff0;

  explored_plan plan_;
  std::vector<dispatch_rule> rules_;
  std::vector<message_name> types_;
  std::vector<const handler_of_node*> bodies_;  // by number
  std::vector<bool> finds_entry_;               // by number
};

}  // namespace tributary::testing
