// SPDX-License-Identifier: Apache-2.0
#include "coherence_page.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/controller/message.h>
#include <tributary/memory/line_port.h>
#include <tributary/protocols/coherence/handlers.h>

#include <support/explored_node.h>

namespace tributary::documentation {
namespace {

using coherence::directory_entry;
using coherence::message_type;
using testing::copy_of_line;
using testing::explored_node;
using testing::explored_plan;
using testing::explored_state;

constexpr node_id home{0};
constexpr node_id asker{1};
constexpr node_id other{2};
constexpr node_id third{3};

/// A home that notes what its handler does.
class noting_node : public explored_node {
 public:
  noting_node(const explored_plan& plan, explored_state& state, const message& arrived)
      : explored_node(plan, state, arrived, copy_of_line::none, {}), before_(entry()) {}

  void intervene(intervention asked, std::uint64_t line, payload_handle data, bool wants_state) {
    note("intervention `" + std::string(name_of(asked)) + "`");
    explored_node::intervene(asked, line, data, wants_state);
  }
  void spill(payload_handle data, std::uint64_t line) {
    note("memory written");
    explored_node::spill(data, line);
  }
  void send(const message& sent) {
    // Answers to the home's own processor lead to a state, and are in no cell.
    if (sent.destination != home) note(text(sent));
    explored_node::send(sent);
  }

  /// What was done, behind what the line has become.
  std::string cell() const {
    std::string text = entry().pending() && !before_.pending() ? "pending" : "";
    for (const std::string& each : done_) text += (text.empty() ? "" : "; ") + each;
    return text;
  }

 private:
  directory_entry entry() const {
    return directory_entry(load(plan().settings.layout.entry(plan().offset(0))));
  }
  std::string text(const message& sent) const {
    const std::size_t number = sent.type - coherence::first_message_type;
    const std::string name = "`" + std::string(coherence::message_descriptions[number].name) + "`";
    if (sent.destination == arrived().source) return name;
    return name +
           (before_.owned_by(sent.destination, home) ? " to the owner" : " to the other sharers");
  }
  /// Once of what is done to several nodes.
  void note(const std::string& action) {
    if (std::find(done_.begin(), done_.end(), action) == done_.end()) done_.push_back(action);
  }

  directory_entry before_;
  std::vector<std::string> done_;
};

using run = coherence::handlers<noting_node>;

/// A request for the line, which the home serves.
struct request {
  message_type type;
  void (run::*serve)();
  node_id from = asker;
};

/// Serves it, and returns what was done.
std::string serve(const explored_plan& plan, explored_state& state, const request& next) {
  message arrived;
  arrived.type = static_cast<std::uint8_t>(next.type);
  arrived.address = plan.address(0);
  arrived.source = next.from;
  arrived.destination = home;
  arrived.origin = next.from == home ? message_origin::processor : message_origin::network;
  arrived.aux = coherence::requester{next.from}.bits();
  // Only a cache that waits for the line is answered.
  if (next.from == home) state.nodes[index(home)].cache[0].outstanding = true;
  noting_node node(plan, state, arrived);
  (run(node, plan.settings).*next.serve)();
  node.end();
  return node.cell();
}

request read_by(node_id node) {
  return {message_type::read, node == home ? &run::processor_read : &run::home_read, node};
}
request write_by(node_id node) {
  return {message_type::read_exclusive,
          node == home ? &run::processor_read_exclusive : &run::home_read_exclusive, node};
}

/// Where the line is after requests that the home has served.
struct line_place {
  const char* name;
  std::vector<request> served;
};

std::string row_of(const explored_plan& plan, const line_place& place) {
  explored_state state;
  state.memory[0] = copy_of_line::latest;
  for (const request& before : place.served) serve(plan, state, before);
  std::string row = "| " + std::string(place.name) + " |";
  for (const request& next :
       {read_by(asker), write_by(asker), request{message_type::upgrade, &run::home_upgrade}}) {
    explored_state after = state;
    row += " " + serve(plan, after, next) + " |";
  }
  return row + "\n";
}

}  // namespace

std::string home_action_table() {
  testing::explored_setup setup;
  setup.nodes = 4;
  setup.elements = 4;
  const explored_plan plan(setup);
  const line_place places[] = {
      {"pending", {write_by(other), read_by(third)}},
      {"in memory only", {}},
      {"shared by the home's processor", {read_by(home)}},
      {"shared by other nodes", {read_by(other), read_by(third)}},
      {"shared by the requester and other nodes", {read_by(asker), read_by(other), read_by(third)}},
      {"dirty at the home's processor", {write_by(home)}},
      {"dirty in another node", {write_by(other)}},
      {"dirty in another node's protocol processor", {{message_type::own, &run::home_own, other}}},
      {"dirty in the requester", {write_by(asker)}}};
  std::string table =
      "| The line is | `read` | `read_exclusive` | `upgrade` |\n|---|---|---|---|\n";
  for (const line_place& each : places) table += row_of(plan, each);
  return table;
}

}  // namespace tributary::documentation
