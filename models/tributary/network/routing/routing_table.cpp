// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/routing/routing_table.h>

#include <tributary/network/routing/channel_dependencies.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

[[noreturn]] void refuse_rules(const std::string& name, const std::string& problem,
                               const std::string& allowed, const std::string& advice) {
  throw configuration_error(
      configuration_problem{"network.routing", "", name + ": " + problem, allowed, advice});
}

void check_rules(const routing_rules& rules) {
  if (rules.virtual_channels == 0 || rules.virtual_channels > most_virtual_channels) {
    refuse_rules(rules.name, std::to_string(rules.virtual_channels) + " virtual channels",
                 "1 to " + std::to_string(most_virtual_channels), "choose a number in the range");
  }
  if (rules.phases == 0 || rules.phases > 255 || (rules.phases > 1 && !rules.phase_after)) {
    refuse_rules(rules.name, std::to_string(rules.phases) + " phases",
                 "1, or up to 255 with phase_after", "say which phase follows each channel");
  }
}

}  // namespace

routing_table::routing_table(const network_graph& graph, const routing_rules& rules,
                             deadlock_check check)
    : graph_(&graph),
      name_(rules.name),
      virtual_channels_(rules.virtual_channels),
      phases_(rules.phases) {
  check_rules(rules);
  fill_phases(rules);
  fill_hops(rules);
  const channel_dependencies dependencies(*this);
  if (check == deadlock_check::required) dependencies.require_acyclic();
}

void routing_table::fill_phases(const routing_rules& rules) {
  for (std::uint32_t c = 0; c < graph_->channels(); ++c) {
    for (std::uint32_t v = 0; v < virtual_channels_; ++v) {
      const std::uint32_t phase = rules.phase_after ? rules.phase_after({c, v}) : 0;
      if (phase >= phases_) {
        refuse_rules(name_, "phase " + std::to_string(phase) + " after " + graph_->channel_text(c),
                     "0 to " + std::to_string(phases_ - 1), "correct phase_after");
      }
      phase_after_.push_back(static_cast<std::uint8_t>(phase));
    }
  }
}

void routing_table::fill_hops(const routing_rules& rules) {
  const std::uint32_t switches = graph_->switches();
  begins_.reserve(std::size_t{switches} * phases_ * switches + 1);
  begins_.push_back(0);
  for (std::uint32_t at = 0; at < switches; ++at) {
    for (std::uint32_t phase = 0; phase < phases_; ++phase) {
      for (std::uint32_t to = 0; to < switches; ++to) {
        const std::size_t before = hops_.size();
        if (at != to) rules.ways_on(switch_id{at}, phase, switch_id{to}, hops_);
        check_hops(switch_id{at}, before);
        begins_.push_back(static_cast<std::uint32_t>(hops_.size()));
      }
    }
  }
}

void routing_table::check_hops(switch_id at, std::size_t from) const {
  for (std::size_t h = from; h < hops_.size(); ++h) {
    const route_hop& hop = hops_[h];
    const bool is_port = hop.port < graph_->ports(at);
    if (!is_port || graph_->end({at, hop.port}).use != port_use::link) {
      refuse_rules(name_,
                   "switch " + graph_->switch_name(at) + " routes to port " +
                       std::to_string(hop.port) + ", where no link is",
                   "ports with links", "correct the table");
    }
    if (hop.virtual_channel >= virtual_channels_) {
      refuse_rules(name_,
                   "switch " + graph_->switch_name(at) + " routes to virtual channel " +
                       std::to_string(hop.virtual_channel) + " of port " + std::to_string(hop.port),
                   "0 to " + std::to_string(virtual_channels_ - 1),
                   "give the links more virtual channels, or correct the table");
    }
  }
}

std::uint32_t routing_table::phase_of_input(switch_port input,
                                            std::uint32_t virtual_channel) const {
  if (graph_->end(input).use != port_use::link) return 0;
  return phase_after({graph_->channel_from(input) ^ 1U, virtual_channel});
}

void require_table_of(const network_graph* graph, const routing_table& table) {
  if (graph != nullptr && &table.graph() == graph) return;
  throw error(
      "a network was made of a graph and a table of another; give it the graph from which the "
      "table was made");
}

}  // namespace tributary
