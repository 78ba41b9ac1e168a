// SPDX-License-Identifier: Apache-2.0
// A small machine with one lock or one barrier whose every step is chosen by who explores it:
// programs on the processors, caches that evict, and controllers that serve one message each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tributary/controller/protocol.h>

#include "synchronizing_node.h"

namespace tributary::testing {

/// One step of a machine.
struct synchronizing_move {
  enum class kind : std::uint8_t {
    program,
    miss,
    evict,
    deliver,  ///< what a handler has sent to the caches
    serve_processor,
    serve_channel,
    serve_put_off,
    serve_timed
  };
  kind what = kind::program;
  std::uint8_t node = 0;
  std::uint8_t process = 0;  ///< of a move of a program
  std::uint8_t source = 0;
  std::uint8_t lane = 0;
  std::uint8_t place = 0;    ///< in the channel
  std::uint8_t handler = 0;  ///< its number, of a move that runs one
  synchronizing_luck luck{};
  bool missed = false;  ///< whether its handler wanted a line that the caches did not have

  bool runs_handler() const { return what > kind::deliver; }
  /// Whether it happens at last if nothing else does.
  bool is_sure() const {
    return what != kind::evict && what != kind::serve_timed && luck.is_best();
  }
};

/// `Protocol` has the plan, the programs, and the handlers by number: see explored_locks.h.
template <class Protocol>
class explored_synchronization {
 public:
  using state = synchronizing_state;
  using move = synchronizing_move;

  explicit explored_synchronization(const Protocol& protocol) : protocol_(protocol) {}

  state initial() const { return protocol_.initial(); }
  /// The least of what is the same but for the nodes' numbers.
  void pack(const state& from, std::vector<unsigned char>& into) const {
    pack_as_is(from, into);
    std::vector<unsigned char> other;
    protocol_.for_each_renumbered(from, [&](const state& each) {
      pack_as_is(each, other);
      if (other < into) into.swap(other);
    });
  }
  state unpack(const unsigned char* from) const {
    state unpacked;
    state_unpacker archive(from);
    visit_state(archive, unpacked, plan());
    return unpacked;
  }

  /// Calls `visit(move, next, broken)` for every step from a state; `broken` is the rule that the
  /// step breaks, or empty. Steps that differ only by a luck that the handler does not see are one.
  template <class Visit>
  void for_each_step(const state& from, Visit&& visit) const {
    for (std::uint8_t node = 0; node < plan().nodes; ++node) {
      step_of_processor(from, node, visit);
      step_of_controller(from, node, visit);
    }
  }

  /// What is wrong with a state in which nothing will happen for sure.
  std::string fault_of_end(const state& at) const {
    if (!at_rest(at)) return "deadlock";
    return protocol_.fault_of_end(at);
  }

  /// A step from a state, for people.
  std::string text(const move& step, const state& from) const {
    const std::string node = "node " + std::to_string(step.node);
    switch (step.what) {
      case kind::program:
        return node + "'s program " + protocol_.text(from.nodes[step.node].programs[step.process]);
      case kind::miss:
        return node + "'s caches miss";
      case kind::evict:
        return node + "'s caches evict the line";
      case kind::deliver:
        return node + "'s caches get what was sent to them";
      default:
        break;
    }
    return node + " runs " + protocol_.names()[step.handler] + origin_text(step) +
           luck_text(step.luck);
  }

 private:
  using kind = synchronizing_move::kind;

  struct served {
    message arrived;
    word_t data = 0;
    std::uint8_t run = 0;  ///< number of the handler
  };

  const synchronizing_plan& plan() const { return protocol_.plan(); }

  void pack_as_is(const state& from, std::vector<unsigned char>& into) const {
    state_packer archive(into);
    visit_state(archive, from, plan());
    archive.finish();
  }

  bool at_rest(const state& at) const {
    for (std::size_t i = 0; i < plan().nodes; ++i) {
      const synchronizing_node_state& node = at.nodes[i];
      if (!node.commands.empty() || !node.deliveries.empty() || !node.put_off.empty()) return false;
      if (node.copy.awaited) return false;
      for (const auto& to : at.channels[i]) {
        for (const synchronizing_channel& each : to) {
          if (!each.empty()) return false;
        }
      }
    }
    return true;
  }

  // --- processors --------------------------------------------------------------------------------

  template <class Visit>
  void step_of_processor(const state& from, std::uint8_t node, Visit&& visit) const {
    const cached_copy& copy = from.nodes[node].copy;
    move step;
    step.node = node;
    if (copy.present) take(from, step, kind::evict, visit);
    bool misses = false;
    for (; step.process < plan().processes; ++step.process) {
      if (copy.present || !protocol_.wants_line(from.nodes[node].programs[step.process])) {
        take(from, step, kind::program, visit);
      } else {
        misses = true;
      }
    }
    step.process = 0;
    if (misses && !copy.awaited) take(from, step, kind::miss, visit);
  }
  template <class Visit>
  void take(const state& from, move step, kind what, Visit&& visit) const {
    step.what = what;
    state next = from;
    std::string broken;
    try {
      if (!change(next.nodes[step.node], step)) return;
    } catch (const broken_rule& rule) {
      broken = rule.what();
    }
    visit(step, next, broken);
  }
  bool change(synchronizing_node_state& node, const move& step) const {
    if (step.what == kind::program) {
      return protocol_.advance(node, node.programs[step.process], step.node);
    }
    if (step.what == kind::miss) {
      ask(node);
    } else {
      evict(node);
    }
    return true;
  }
  void ask(synchronizing_node_state& node) const {
    node.copy.awaited = true;
    const auto type = static_cast<std::uint8_t>(common_type::line_read);
    node.commands.push({type, plan().line_place(), 0});
  }
  /// A shared line leaves in silence: the protocol of barriers knows no hint.
  void evict(synchronizing_node_state& node) const {
    if (plan().is_exclusive()) {
      const auto type = static_cast<std::uint8_t>(common_type::line_write_back);
      node.commands.push({type, plan().line_place(), plan().seen_in_write_back(node.copy.word)});
    }
    node.copy.present = false;
    node.copy.word = 0;
  }

  // --- controllers -------------------------------------------------------------------------------

  template <class Visit>
  void step_of_controller(const state& from, std::uint8_t node, Visit&& visit) const {
    move step;
    step.node = node;
    if (!from.nodes[node].deliveries.empty()) deliver(from, step, visit);
    step.what = kind::serve_processor;
    if (!from.nodes[node].commands.empty()) serve(from, step, visit);
    step.what = kind::serve_put_off;
    if (!from.nodes[node].put_off.empty()) serve(from, step, visit);
    step.what = kind::serve_timed;
    if (!from.nodes[node].timed.empty()) serve(from, step, visit);
    step.what = kind::serve_channel;
    for (std::uint8_t source = 0; source < plan().nodes; ++source) {
      step.source = source;
      for (std::uint8_t lane = 0; lane < synchronizing_lanes; ++lane) {
        step.lane = lane;
        serve_lane(from, step, visit);
      }
    }
  }
  template <class Visit>
  void deliver(const state& from, move step, Visit&& visit) const {
    step.what = kind::deliver;
    state next = from;
    deliver_first(next.nodes[step.node]);
    visit(step, next, std::string());
  }
  template <class Visit>
  void serve_lane(const state& from, move step, Visit&& visit) const {
    std::size_t candidates = from.channels[step.source][step.node][step.lane].size();
    if (plan().in_order) candidates = std::min<std::size_t>(candidates, 1);
    for (step.place = 0; step.place < candidates; ++step.place) serve(from, step, visit);
  }

  /// With every luck that the handler can see.
  template <class Visit>
  void serve(const state& from, move step, Visit&& visit) const {
    const served next = next_of(from, step);
    step.handler = next.run;
    if (!serve_with_any_room(from, step, next, visit)) return;
    step.luck.buffers = false;
    serve_with_any_room(from, step, next, visit);
  }
  /// Returns whether the handler wanted a buffer.
  template <class Visit>
  bool serve_with_any_room(const state& from, move step, const served& next, Visit&& visit) const {
    bool wanted_buffer = false;
    for (const std::size_t room : {synchronizing_luck::much, std::size_t{0}, std::size_t{1}}) {
      step.luck.room = room;
      state after = from;
      std::string broken;
      seen_luck seen;
      try {
        seen = run(after, step, next);
      } catch (const broken_rule& rule) {
        broken = rule.what();
      }
      wanted_buffer = wanted_buffer || seen.buffer;
      step.missed = seen.missed;
      visit(step, after, broken);
      if (!seen.room) break;
    }
    return wanted_buffer;
  }

  struct seen_luck {
    bool room = false;
    bool buffer = false;
    bool missed = false;
  };
  seen_luck run(state& at, const move& step, const served& next) const {
    remove(at, step);
    synchronizing_node node(plan(), at, next.arrived, next.data, step.luck);
    if (step.what == kind::serve_put_off) node.begin_deferred();
    protocol_.run(next.run, node);
    node.end();
    protocol_.forget_stale(at.nodes[step.node]);
    return {node.asked_space(), node.asked_buffer(), node.missed()};
  }
  /// Of what the handler is to serve; an entry of the software queue stays until it is done.
  static void remove(state& at, const move& step) {
    if (step.what == kind::serve_processor) {
      at.nodes[step.node].commands.take(0);
    } else if (step.what == kind::serve_channel) {
      at.channels[step.source][step.node][step.lane].take(step.place);
    } else if (step.what == kind::serve_timed) {
      at.nodes[step.node].timed.take(0);
    }
  }

  served next_of(const state& from, const move& step) const {
    served next;
    next.arrived.destination = next.arrived.source = node_id{step.node};
    if (step.what == kind::serve_processor) {
      meet_command(next, from.nodes[step.node].commands[0]);
    } else if (step.what == kind::serve_channel) {
      meet_message(next, from.channels[step.source][step.node][step.lane][step.place]);
      next.arrived.source = node_id{step.source};
      next.arrived.over = static_cast<message_lane>(step.lane);
    } else if (step.what == kind::serve_put_off) {
      meet_put_off(next, from.nodes[step.node].put_off[0], message_origin::deferred);
    } else {
      meet_put_off(next, from.nodes[step.node].timed[0], message_origin::timed);
    }
    return next;
  }
  void meet_put_off(served& next, const put_off_handler& entry, message_origin origin) const {
    next.arrived.origin = origin;
    next.arrived.aux = entry.aux;
    next.arrived.address = plan().address(index(next.arrived.destination), 0);
    next.run = entry.run;
  }
  void meet_command(served& next, const command_on_its_way& head) const {
    next.arrived.type = head.type;
    next.arrived.origin = message_origin::processor;
    next.arrived.address = plan().address(index(next.arrived.destination), head.place);
    next.data = head.word;
    const auto type = static_cast<common_type>(head.type);
    const bool brings = type == common_type::uncached_write || type == common_type::line_write_back;
    if (brings) next.arrived.length = word_bytes;
    choose(next);
  }
  void meet_message(served& next, const synchronizing_message& head) const {
    next.arrived.type = head.type;
    next.arrived.aux = head.aux;
    next.arrived.origin = message_origin::network;
    next.arrived.address = plan().address(index(next.arrived.destination), 0);
    choose(next);
  }
  void choose(served& next) const {
    for (const dispatch_rule& each : protocol_.rules()) {
      const bool fits = each.type == next.arrived.type && each.origin == next.arrived.origin &&
                        each.where != locality::remote;
      if (!fits) continue;
      next.run = static_cast<std::uint8_t>(each.run);
      return;
    }
    throw broken_rule("no rule fits type " + std::to_string(next.arrived.type));
  }

  // --- names -------------------------------------------------------------------------------------

  static std::string origin_text(const move& step) {
    if (step.what == kind::serve_processor) return " for its processor";
    if (step.what == kind::serve_put_off) return " of its software queue";
    if (step.what == kind::serve_timed) return " at its time";
    return " for a message of node " + std::to_string(step.source) +
           (step.place == 0 ? "" : ", which overtakes others");
  }
  static std::string luck_text(const synchronizing_luck& luck) {
    std::string text;
    if (luck.room < synchronizing_luck::much) {
      text += ", with room for " + std::to_string(luck.room) + " more";
    }
    if (!luck.buffers) text += ", without buffers";
    return text;
  }

  const Protocol& protocol_;
};

}  // namespace tributary::testing
