// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/graph/graph_description.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <tributary/network/graph/plan_builder.h>
#include <tributary/sim/error.h>
#include <tributary/sim/json_document.h>
#include <tributary/sim/names.h>

namespace tributary {
namespace {

/// What a node has become: a switch or a host, by number.
struct node_role {
  bool is_host = false;
  std::uint32_t number = 0;
};

/// Makes a plan from a description.
class description_reader {
 public:
  explicit description_reader(const graph_description& described) : described_(described) {}

  network_graph read() {
    for (const described_node& each : described_.nodes) add_node(each);
    for (const described_edge& each : described_.edges) add_edge(each);
    settle_ports();
    try {
      plan_builder made(plan_);
      join_links(made);
      add_hosts(made);
      return made.graph();
    } catch (const configuration_error& refused) {
      if (refused.problem() == nullptr) throw;
      configuration_problem placed = *refused.problem();
      placed.source = described_.source_name;
      throw configuration_error(placed);
    }
  }

 private:
  /// A link whose ports may be chosen here.
  struct open_link {
    std::uint32_t first;
    std::uint32_t second;
    std::optional<std::uint32_t> first_port;
    std::optional<std::uint32_t> second_port;
  };
  /// A host that is a node, at a port that may be chosen here.
  struct open_host {
    std::optional<std::uint32_t> at;
    std::optional<std::uint32_t> port;
    file_place place;
    std::string name;
  };

  [[noreturn]] void refuse(const file_place& place, const std::string& problem) const {
    throw input_error(json_place(described_.source_name, place.line, place.column) + ": " +
                      problem);
  }

  std::optional<std::uint32_t> whole(const described_attributes& of, const std::string& key,
                                     std::uint32_t most) const {
    const auto found = of.find(key);
    if (found == of.end()) return std::nullopt;
    const std::string& text = found->second.text;
    std::uint32_t value = 0;
    const char* last = text.data() + text.size();
    const auto [end, problem] = std::from_chars(text.data(), last, value);
    if (problem != std::errc() || end != last || value > most) {
      refuse(found->second.place, key + ": \"" + text + "\" is no whole number of the range " +
                                      "(allowed: 0 to " + std::to_string(most) + ")");
    }
    return value;
  }

  /// A number that the text begins with and that ends at its end or at one of `marks`.
  double coordinate(const described_value& value, const std::string& key, std::string_view text,
                    std::string_view marks = "") const {
    double number = 0;
    const char* last = text.data() + text.size();
    const auto [end, problem] = std::from_chars(text.data(), last, number);
    const bool ended = end == last || marks.find(*end) != std::string_view::npos;
    if (problem != std::errc() || !ended || !std::isfinite(number)) {
      refuse(value.place, key + ": \"" + value.text + "\" is no place (allowed: a number" +
                              (key == "pos" ? ", a comma, a number)" : ")"));
    }
    return number;
  }

  std::optional<drawing_place> drawn_at(const described_attributes& of) const {
    const auto x = of.find("x");
    const auto y = of.find("y");
    if (x != of.end() && y != of.end()) {
      return drawing_place{coordinate(x->second, "x", x->second.text),
                           coordinate(y->second, "y", y->second.text)};
    }
    const auto pos = of.find("pos");
    if (pos == of.end()) return std::nullopt;
    const std::string_view text = pos->second.text;
    const std::size_t comma = std::min(text.find(','), text.size() - 1);
    // Behind the second number Graphviz has a third, or a mark for a place that is fixed.
    return drawing_place{coordinate(pos->second, "pos", text, ","),
                         coordinate(pos->second, "pos", text.substr(comma + 1), ",!")};
  }

  void add_node(const described_node& node) {
    const auto kind = node.attributes.find("kind");
    const bool is_host = kind != node.attributes.end() && kind->second.text == "host";
    if (kind != node.attributes.end() && !is_host && kind->second.text != "switch") {
      refuse(kind->second.place,
             "kind: \"" + kind->second.text + "\" is no kind of node (allowed: switch, host)");
    }
    const auto number = static_cast<std::uint32_t>(is_host ? hosts_.size() : names_.size());
    if (!roles_.emplace(node.name, node_role{is_host, number}).second) {
      refuse(node.place, "node " + node.name + " is there twice; give each node its own name");
    }
    if (is_host) {
      hosts_.push_back({std::nullopt, std::nullopt, node.place, node.name});
    } else {
      add_switch(node);
    }
  }

  void add_switch(const described_node& node) {
    names_.push_back(node.name);
    ports_.push_back(whole(node.attributes, "ports", most_ports));
    counted_hosts_.push_back(whole(node.attributes, "hosts", most_ports).value_or(0));
    needed_.push_back(counted_hosts_.back());
    const auto place = drawn_at(node.attributes);
    all_placed_ = all_placed_ && place.has_value();
    places_.push_back(place.value_or(drawing_place{}));
  }

  node_role role_of(const described_value& name) const {
    const auto found = roles_.find(name.text);
    if (found != roles_.end()) return found->second;
    std::vector<std::string> known;
    for (const described_node& each : described_.nodes) known.push_back(each.name);
    refuse(name.place,
           "there is no node " + name.text + "; " + did_you_mean(name.text, known, "add the node"));
  }

  void add_edge(const described_edge& edge) {
    const node_role source = role_of(edge.source);
    const node_role target = role_of(edge.target);
    const auto source_port = whole(edge.attributes, "source_port", most_ports - 1);
    const auto target_port = whole(edge.attributes, "target_port", most_ports - 1);
    if (source.is_host && target.is_host) {
      refuse(edge.place, "host " + edge.source.text + " is joined with host " + edge.target.text +
                             "; join hosts with switches");
    } else if (source.is_host) {
      attach(source.number, target.number, target_port, edge.place);
    } else if (target.is_host) {
      attach(target.number, source.number, source_port, edge.place);
    } else {
      add_cables(edge, {source.number, target.number, source_port, target_port});
    }
  }

  void attach(std::uint32_t host, std::uint32_t at, std::optional<std::uint32_t> port,
              const file_place& place) {
    if (hosts_[host].at) {
      refuse(place, "host " + hosts_[host].name + " has two edges; give it one");
    }
    hosts_[host].at = at;
    hosts_[host].port = port;
    need(at, port);
  }

  void add_cables(const described_edge& edge, const open_link& link) {
    const std::uint32_t cables = whole(edge.attributes, "cables", most_ports).value_or(1);
    if (cables == 0 || (cables > 1 && (link.first_port || link.second_port))) {
      refuse(edge.place, "cables: " + std::to_string(cables) +
                             " cables do not fit the edge (allowed: 1 or more, without ports if "
                             "more than one)");
    }
    for (std::uint32_t c = 0; c < cables; ++c) {
      links_.push_back(link);
      need(link.first, link.first_port);
      need(link.second, link.second_port);
    }
  }

  // As many ports as are used, and at least those that are named.
  void need(std::uint32_t at, const std::optional<std::uint32_t>& port) {
    ++needed_[at];
    named_.resize(names_.size());
    if (port) named_[at] = std::max(named_[at], *port + 1);
  }

  void settle_ports() {
    named_.resize(names_.size());
    plan_.name = described_.name;
    plan_.switch_names = names_;
    if (all_placed_) plan_.places = places_;
    for (std::size_t s = 0; s < names_.size(); ++s) {
      plan_.ports.push_back(ports_[s].value_or(std::max({needed_[s], named_[s], least_ports})));
    }
  }

  // Named ports first, so that none of them is chosen for another.
  void join_links(plan_builder& made) {
    for (const open_link& each : links_) {
      if (each.first_port) made.keep(port_of(each.first, *each.first_port));
      if (each.second_port) made.keep(port_of(each.second, *each.second_port));
    }
    for (const open_host& each : hosts_) {
      if (each.at && each.port) made.keep(port_of(*each.at, *each.port));
    }
    for (const open_link& each : links_) {
      const switch_port first =
          each.first_port ? port_of(each.first, *each.first_port) : made.take_port(each.first);
      const switch_port second =
          each.second_port ? port_of(each.second, *each.second_port) : made.take_port(each.second);
      made.join(first, second);
    }
  }

  void add_hosts(plan_builder& made) const {
    for (const open_host& each : hosts_) {
      if (!each.at) refuse(each.place, "host " + each.name + " has no edge; join it with a switch");
      made.add_host(each.port ? port_of(*each.at, *each.port) : made.take_port(*each.at));
    }
    for (std::uint32_t s = 0; s < counted_hosts_.size(); ++s) made.add_hosts(s, counted_hosts_[s]);
  }

  static switch_port port_of(std::uint32_t at, std::uint32_t port) { return {switch_id{at}, port}; }

  const graph_description& described_;
  network_plan plan_;
  std::unordered_map<std::string, node_role> roles_;
  std::vector<std::string> names_;
  std::vector<std::optional<std::uint32_t>> ports_;
  std::vector<std::uint32_t> counted_hosts_;
  std::vector<std::uint32_t> needed_;
  std::vector<std::uint32_t> named_;
  std::vector<drawing_place> places_;
  bool all_placed_ = true;
  std::vector<open_link> links_;
  std::vector<open_host> hosts_;
};

}  // namespace

network_graph build_graph(const graph_description& described) {
  return description_reader(described).read();
}

}  // namespace tributary
