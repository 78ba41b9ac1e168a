// SPDX-License-Identifier: Apache-2.0
#include "synchronization_page.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <tributary/controller/promised_sends.h>
#include <tributary/controller/protocol_set.h>
#include <tributary/magic/magic_node.h>
#include <tributary/sim/error.h>

#include <support/explored_barriers.h>
#include <support/explored_locks.h>
#include <support/explored_synchronization.h>
#include <support/lock_steps.h>
#include <support/whole_exploration.h>

namespace tributary::documentation {
namespace {

using testing::explored_barriers;
using testing::explored_barriers_setup;
using testing::explored_locks;
using testing::explored_locks_setup;
using testing::explored_synchronization;
using testing::lock_steps;
using testing::lock_traffic;
using testing::synchronizing_machine;
using testing::synchronizing_move;
using testing::synchronizing_node_state;
using testing::synchronizing_state;
using testing::whole_exploration;
using move_kind = synchronizing_move::kind;

/// A machine that tells every step which an exploration takes.
template <class Protocol, class Note>
class told_machine : public explored_synchronization<Protocol> {
 public:
  told_machine(const Protocol& protocol, Note& note)
      : explored_synchronization<Protocol>(protocol), note_(note) {}

  template <class Visit>
  void for_each_step(const synchronizing_state& from, Visit&& visit) const {
    explored_synchronization<Protocol>::for_each_step(
        from, [&](const synchronizing_move& step, const synchronizing_state& next,
                  const std::string& broken) {
          note_(from, step, next);
          visit(step, next, broken);
        });
  }

 private:
  Note& note_;
};

/// Calls `note(from, step, to)` for each step between all states of a machine.
template <class Protocol, class Note>
void explore(const Protocol& protocol, Note&& note) {
  const told_machine<Protocol, std::remove_reference_t<Note>> machine(protocol, note);
  whole_exploration<std::remove_const_t<decltype(machine)>> all(
      machine, [&](const synchronizing_state& at) { return protocol.fault_of(at); });
  const std::string problem = all.run(1'000'000);
  if (!problem.empty()) throw error(problem);
}

// --- handlers and what they send -----------------------------------------------------------------

std::string lane_text(std::size_t lane) {
  return std::string(name_of(static_cast<message_lane>(lane))) + " lane";
}

/// Where a handler's message comes from.
struct message_way {
  message_origin origin;
  message_lane lane = message_lane::request;  ///< of a message of the network

  std::string text() const {
    switch (origin) {
      case message_origin::processor:
        return "processor";
      case message_origin::network:
        return lane_text(static_cast<std::size_t>(lane));
      case message_origin::deferred:
        return "software queue";
      case message_origin::timed:
        break;
    }
    return "idle handler";
  }
  std::string promise() const {
    const promised_sends promised = promised_to(origin, lane);
    std::string text;
    if (promised.requests != 0) text = fmt::format("{} on the request lane", promised.requests);
    if (promised.replies != 0) {
      text += fmt::format("{}{} on the reply lane", text.empty() ? "" : ", ", promised.replies);
    }
    return text.empty() ? "none" : text;
  }
};

message_way way_of(const synchronizing_move& step) {
  switch (step.what) {
    case move_kind::serve_channel:
      return {message_origin::network, static_cast<message_lane>(step.lane)};
    case move_kind::serve_put_off:
      return {message_origin::deferred};
    case move_kind::serve_timed:
      return {message_origin::timed};
    default:
      return {message_origin::processor};
  }
}

/// What handlers were seen to do, by handler and where its message came from.
class seen_sends {
 public:
  void operator()(const synchronizing_state& from, const synchronizing_move& step,
                  const synchronizing_state& next) {
    if (!step.runs_handler()) return;
    const message_way way = way_of(step);
    sends& all = seen_[{step.handler, static_cast<int>(way.origin), static_cast<int>(way.lane)}];
    all.way = way;
    std::map<std::pair<std::uint8_t, std::size_t>, std::size_t> sent;  // by type and lane
    for (std::size_t to = 0; to < next.channels.size(); ++to) {
      for (std::size_t lane = 0; lane < testing::synchronizing_lanes; ++lane) {
        const auto& channel = next.channels[step.node][to][lane];
        for (std::size_t i = from.channels[step.node][to][lane].size(); i < channel.size(); ++i) {
          ++sent[{channel[i].type, lane}];
        }
      }
    }
    for (const auto& [what, count] : sent) all.most[what] = std::max(all.most[what], count);
  }

  /// Rows of a handler, one for each way.
  std::string rows(std::size_t handler, const std::string& name,
                   const std::vector<std::string>& messages, const std::string& served) const {
    std::string text;
    for (const auto& [key, all] : seen_) {
      if (std::get<0>(key) != handler) continue;
      text += fmt::format("| `{}` | {} | {} | {} | {} |\n", name, served, all.way.text(),
                          all.way.promise(), sends_text(all, messages));
    }
    return text;
  }

 private:
  struct sends {
    message_way way{message_origin::processor};
    std::map<std::pair<std::uint8_t, std::size_t>, std::size_t> most;  // by type and lane
  };

  static std::string sends_text(const sends& all, const std::vector<std::string>& messages) {
    std::string text;
    for (const auto& [what, count] : all.most) {
      text += fmt::format("{}{}`{}` on the {}", text.empty() ? "" : ", ",
                          count == 1 ? "" : fmt::format("up to {} ", count),
                          messages.at(what.first), lane_text(what.second));
    }
    return text;
  }

  std::map<std::tuple<std::size_t, int, int>, sends> seen_;
};

/// One protocol on a node with room for it.
protocol_set alone(std::unique_ptr<protocol> one) {
  magic_node_config node;
  node.addresses.space_bits = lock_command::space_bits;
  node.memory.bytes = std::uint64_t{1} << 20;
  std::vector<std::unique_ptr<protocol>> all;
  all.push_back(std::move(one));
  return {node.site(node_id{0}, 2), std::move(all)};
}

std::string handler_table(const protocol_set& of, const seen_sends& seen) {
  const std::vector<std::string> messages = of.message_names();
  std::string table =
      "| Handler | Message | From | Promised | Sends to other nodes |\n|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < of.handler_names().size(); ++i) {
    const std::string& name = of.handler_names()[i];
    const auto rule = std::find_if(
        of.rules().begin(), of.rules().end(),
        [i](const dispatch_rule& each) { return static_cast<std::size_t>(each.run) == i; });
    const std::string served = rule == of.rules().end() ? "" : "`" + messages[rule->type] + "`";
    const std::string rows = seen.rows(i, name, messages, served);
    if (rows.empty()) throw error("no state of the exploration runs " + name);
    table += rows;
  }
  return table;
}

// --- states --------------------------------------------------------------------------------------

/// Steps from one named state to another, by the two; each label once.
class state_changes {
 public:
  /// `who`: which nodes begin so; empty for all.
  void begin(const std::string& state, const std::string& who = "") {
    std::set<std::string>& all = begins_[state];
    if (!who.empty()) all.insert(who);
  }
  void note(const std::string& from, const std::string& label, const std::string& to) {
    if (from != to) edges_[{from, to}].insert(label);
  }

  std::string diagram() const {
    std::string text = "```mermaid\nstateDiagram-v2\n";
    std::map<std::string, std::string> names;
    for (const auto& [ends, labels] : edges_) {
      for (const std::string& state : {ends.first, ends.second}) {
        const std::string id = "s" + std::to_string(names.size());
        if (names.insert({state, id}).second) {
          text += fmt::format("  state \"{}\" as {}\n", state, id);
        }
      }
    }
    for (const auto& [state, who] : begins_) {
      text +=
          fmt::format("  [*] --> {}{}\n", names.at(state), who.empty() ? "" : ": " + joined(who));
    }
    for (const auto& [ends, labels] : edges_) {
      text += fmt::format("  {} --> {}: {}\n", names.at(ends.first), names.at(ends.second),
                          joined(labels));
    }
    return text + "```\n";
  }

 private:
  static std::string joined(const std::set<std::string>& all) {
    std::string text;
    for (const std::string& each : all) text += (text.empty() ? "" : ", ") + each;
    return text;
  }

  std::map<std::string, std::set<std::string>> begins_;
  std::map<std::pair<std::string, std::string>, std::set<std::string>> edges_;
};

// --- locks ---------------------------------------------------------------------------------------

/// Of three nodes that acquire a lock once, and of two that also tell each other its home and whose
/// tokens time out: all handlers run there.
std::vector<explored_locks_setup> explored_lock_setups() {
  explored_locks_setup all_handlers;
  all_handlers.nodes = 2;
  all_handlers.tell_home = true;
  all_handlers.timeouts = true;
  return {{}, all_handlers};
}

/// What the node's part would be if the processor's copy were back, or the word that is on its way.
lock_state newest(const explored_locks& protocol, const synchronizing_node_state& node) {
  lock_state state = protocol.state_of(node);
  lock_state copy(node.copy.word);
  bool is_newer = node.copy.present;
  for (std::size_t i = 0; i < node.commands.size(); ++i) {
    if (node.commands[i].type != static_cast<std::uint8_t>(common_type::line_write_back)) continue;
    if (!node.copy.present) copy = lock_state(node.commands[i].word);
    is_newer = true;
  }
  if (!is_newer || copy.arrivals() != state.arrivals() || !state.token()) return state;
  state.set_token(copy.token());
  state.set_locked(copy.locked());
  state.set_seen(copy.seen());
  return state;
}

std::string name_of_state(const explored_locks& protocol, const synchronizing_node_state& node) {
  const lock_state held = protocol.state_of(node);
  const lock_state state = newest(protocol, node);
  const std::string behind = state.awaited() ? ", awaited" : "";
  if (!held.token()) return (state.requested() ? "requested" : "away") + behind;
  if (!state.token()) return "given back";
  if (state.locked()) return "locked" + behind;
  return (state.seen() ? "free" : "granted") + behind;
}

std::string step_name(const explored_locks& protocol, const synchronizing_state& from,
                      const synchronizing_move& step) {
  const synchronizing_node_state& node = from.nodes[step.node];
  if (step.what == move_kind::program) {
    return explored_locks::holds(node.programs[step.process]) ? "unlocks" : "locks";
  }
  return step.runs_handler() ? protocol.names()[step.handler] : "caches";
}

}  // namespace

std::string lock_handler_table() {
  seen_sends seen;
  for (const explored_locks_setup& each : explored_lock_setups()) {
    explore(explored_locks(each), seen);
  }
  return handler_table(
      alone(std::make_unique<locks_protocol>(locks_config(), lock_costs(), 2U, line_size())), seen);
}

std::string lock_state_diagram() {
  explored_locks_setup setup;
  setup.nodes = 2;
  setup.acquisitions = 2;
  const explored_locks protocol(setup);
  state_changes changes;
  for (const synchronizing_node_state& node : protocol.initial().nodes) {
    const lock_state state = protocol.state_of(node);
    if (state.initialized()) {
      changes.begin(name_of_state(protocol, node), state.is_home() ? "home" : "other nodes");
    }
  }
  explore(protocol, [&](const synchronizing_state& from, const synchronizing_move& step,
                        const synchronizing_state& to) {
    const std::string before = name_of_state(protocol, from.nodes[step.node]);
    changes.note(before, step_name(protocol, from, step),
                 name_of_state(protocol, to.nodes[step.node]));
  });
  return changes.diagram();
}

std::string lock_message_table() {
  const auto acquire = [](flash_lock& lock) { lock.acquire(); };
  const auto release = [](flash_lock& lock) { lock.release(); };
  synchronizing_machine machine(4);
  const std::vector<lock_traffic> free_lock =
      lock_steps(machine, 0)
          .run({{1, acquire},
                {1, release},  // the holder is the home
                {1, acquire},
                {1, release},  // the token is there
                {2, acquire},
                {2, release},  // three nodes
                {0, acquire},
                {0, release}});  // the requester is the home
  synchronizing_machine other(4);
  const std::vector<lock_traffic> held =
      lock_steps(other, 3).run({{1, acquire}, {2, acquire}, {1, release}, {2, release}});
  const auto row = [](const char* what, const lock_traffic& seen) {
    return fmt::format("| {} | {} | {} | {} | {} | {} |\n", what, seen.requests, seen.grants,
                       seen.requests + seen.grants, seen.writes, seen.reads);
  };
  return "| Step | `lock_request` | `lock_grant` | Messages | Commands | Reads of the state |\n"
         "|---|---|---|---|---|---|\n" +
         row("acquire: home, holder and requester are three nodes", free_lock[4]) +
         row("acquire: the home has the token", free_lock[0]) +
         row("acquire: the home asks", free_lock[6]) +
         row("acquire: the token is there", free_lock[2]) +
         row("acquire: another node holds the lock, until it unlocks", held[1]) +
         row("release: nobody waits", free_lock[1]) + row("release: hand-over", held[2]);
}

// --- barriers ------------------------------------------------------------------------------------

namespace {

explored_barriers_setup four_nodes() {
  explored_barriers_setup setup;
  setup.trees.nodes = 4;
  setup.trees.join_radix = setup.trees.release_radix = 2;
  setup.episodes = 1;
  return setup;
}

constexpr const char* none_joined = "none has joined";

/// Whether the processor has joined the episode that its node is in.
bool has_joined(const barrier_state& state, const testing::program_place& program) {
  const bool is_in = program.answered || explored_barriers::wants_line(program);
  return is_in && program.answer == state.sense();
}

std::string name_of_state(const explored_barriers& protocol, const synchronizing_node_state& node) {
  const barrier_state state = protocol.state_of(node);
  const bool own = has_joined(state, node.programs[0]);
  if (state.joined() == 0) return own ? "all have joined" : none_joined;
  return own ? "the processor has joined" : "children have joined";
}

}  // namespace

std::string barrier_handler_table() {
  seen_sends seen;
  explored_barriers_setup setup = four_nodes();
  setup.tell_trees = true;
  explore(explored_barriers(setup), seen);
  return handler_table(
      alone(std::make_unique<barriers_protocol>(barriers_config(), barrier_costs())), seen);
}

std::string barrier_state_diagram() {
  const explored_barriers protocol(four_nodes());
  state_changes changes;
  changes.begin(name_of_state(protocol, protocol.initial().nodes[0]));
  explore(protocol, [&](const synchronizing_state& from, const synchronizing_move& step,
                        const synchronizing_state& to) {
    if (!step.runs_handler()) return;
    const synchronizing_node_state& node = from.nodes[step.node];
    // Nobody else releases the root.
    const std::string after = name_of_state(protocol, to.nodes[step.node]);
    const bool ends_at_root = protocol.state_of(node).is_root() && after == none_joined;
    changes.note(name_of_state(protocol, node),
                 protocol.names()[step.handler] + (ends_at_root ? " at the root" : ""), after);
  });
  return changes.diagram();
}

std::string barrier_message_table() {
  struct measured_case {
    std::uint32_t nodes;
    std::uint32_t join_radix;
    std::uint32_t release_radix;
  };
  std::string table =
      "| Nodes | Radix of joins | Radix of releases | `barrier_join` | `barrier_release` |\n"
      "|---|---|---|---|---|\n";
  for (const measured_case& each :
       {measured_case{2, 1, 1}, {4, 1, 1}, {4, 4, 2}, {16, 2, 2}, {16, 4, 4}, {64, 4, 2}}) {
    synchronizing_machine machine(each.nodes);
    machine.run([&](program_context& context) {
      flash_barrier end(context, machine.barrier_place(),
                        {each.nodes, each.join_radix, each.release_radix});
      end.cross();
    });
    table +=
        fmt::format("| {} | {} | {} | {} | {} |\n", each.nodes, each.join_radix, each.release_radix,
                    machine.runs("barriers.child_joined"), machine.runs("barriers.released"));
  }
  return table;
}

}  // namespace tributary::documentation
