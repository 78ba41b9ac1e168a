// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/reconfiguration/reconfiguration_config.h>

#include <string>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

constexpr const char* events_key = "reconfiguration.events";

[[noreturn]] void refuse_event(const std::string& problem, const std::string& allowed,
                               const std::string& advice) {
  throw configuration_error({events_key, "", problem, allowed, advice});
}

std::string text_of(const network_graph& graph, const switch_event& event) {
  return "switch " + graph.switch_name(event.which) + " goes " + (event.on ? "on" : "off") +
         " in cycle " + std::to_string(event.at);
}

void require_switch(const network_graph& graph, switch_id which, const char* key = events_key) {
  if (index(which) < graph.switches()) return;
  throw configuration_error({key, "", "there is no switch " + std::to_string(index(which)),
                             "0 to " + std::to_string(graph.switches() - 1),
                             "choose one of the network"});
}

/// What works must be one network with two hosts.
void require_network(const network_graph& graph, const std::vector<bool>& works,
                     const std::string& after) {
  const learnt_topology left = working_topology(graph, works);
  if (!is_connected(left)) {
    refuse_event("what is left is in several parts: " + after, "events that leave one part",
                 "choose another switch, or add links");
  }
  std::uint32_t hosts = 0;
  for (const tree_member& each : left.members) hosts += graph.hosts_at(switch_id{each.at});
  if (hosts >= 2) return;
  refuse_event("what is left has " + std::to_string(hosts) + " hosts: " + after,
               "two hosts or more", "leave more switches on");
}

}  // namespace

void reconfiguration_config::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  parameters.add_choice(
      "mode", mode,
      {{"static", reconfiguration_mode::fixed}, {"ordered", reconfiguration_mode::ordered}},
      "Whether all traffic stops while tables change, or goes on.");
  parameters.add_choice("orientation", orientation,
                        {{"mdst", reconfigured_orientation::mdst},
                         {"post", reconfigured_orientation::post},
                         {"kept", reconfigured_orientation::kept}},
                        "Which ends of links are up: from the lowest switch down, from the "
                        "initiator down, or as before where possible.");
  parameters.add_choice("opening", opening,
                        {{"all", static_opening::all}, {"each", static_opening::each}},
                        "Whether hosts of mode static wait for all tables, or their switch's.");
  parameters.add("control_bytes", control_bytes, u32{1, 4096}, "bytes", "Of a control message.");
  parameters.add("record_bytes", record_bytes, u32{0, 4096}, "bytes",
                 "Of a control message, for each link that it tells of.");
  parameters.add("compute_cycles", compute_cycles, u32{0, 1U << 30U}, "cycles",
                 "In which a switch computes tables.");
  parameters.add("detection_cycles", detection_cycles, u32{1, 1U << 30U}, "cycles",
                 "From a change of a switch to its neighbours' notice of it.");
  parameters.add("time_out_cycles", time_out_cycles, u32{1, 1U << 30U}, "cycles",
                 "For which a packet that cannot go on is let wait, with mode ordered.");
  parameters.add("window_cycles", window_cycles, u32{1, 1U << 30U}, "cycles",
                 "Of each value of the series of deliveries.");
}

void reconfiguration_config::validate(const network_graph& graph) const {
  reconfiguration_config copy = *this;
  check_part("reconfiguration", [&] { check_ranges(copy); });
  std::vector<bool> works(graph.switches(), true);
  for (const switch_id each : off_at_first) {
    require_switch(graph, each, "reconfiguration.off_at_first");
    works[index(each)] = false;
  }
  require_network(graph, works, "off at first");
  cycle_t before = 0;
  for (const switch_event& each : events) {
    require_switch(graph, each.which);
    const std::string text = text_of(graph, each);
    if (each.at == 0 || each.at < before) {
      refuse_event(text + ", behind an event of cycle " + std::to_string(before),
                   "cycles from 1 on that ascend", "sort the events");
    }
    if (works[index(each.which)] == each.on) {
      refuse_event(text + ", although it is " + (each.on ? "on" : "off"), "off and on in turn",
                   "leave the event out");
    }
    before = each.at;
    works[index(each.which)] = each.on;
    require_network(graph, works, text);
  }
}

void reconfiguration_config::validate_switches(const channel_switch_config& switches) {
  if (switches.switching != flit_switching::cut_through) {
    throw configuration_error({"network.channels.discipline", "",
                               "a network whose tables change needs buffers for whole packets",
                               "cut_through", "choose cut_through"});
  }
  if (switches.channels >= 2) return;
  throw configuration_error({"network.channels.number", "",
                             "a network whose tables change needs an escape next to an adaptive "
                             "virtual channel, and has one virtual channel",
                             "2 or more", "raise it"});
}

}  // namespace tributary
